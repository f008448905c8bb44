//! Results of earlier work, kept by what they were made from.
//!
//! An entry is a file named by the hash of its [`Recipe`], and holds the hash of its own contents, plain data as JSON, and bytes. It is written
//! whole, so processes may share a folder, and verified on reading: a damaged one is removed, and the work done again. When an entry was
//! used last is the time of its file.

use super::{Error, write_atomic};
use crate::report::{Finding, Place, Report, code};
use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

/// How an entry starts.
const MAGIC: &[u8; 4] = b"CBC1";
/// Bytes of a hash.
const HASH: usize = 32;
/// What this program was built from, its own version included.
const PROGRAM: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("COMPANION_BUILD_SOURCES"));

/// What a result is made from: everything that can change it, and nothing else.
#[derive(Debug, Clone)]
pub struct Recipe(blake3::Hasher);

impl Recipe {
    /// Of a result of this kind, made by this build of the program.
    pub fn new(kind: &str) -> Self {
        Self(blake3::Hasher::new()).and(PROGRAM).and(kind)
    }

    /// And of these bytes.
    pub fn and(mut self, part: impl AsRef<[u8]>) -> Self {
        let part = part.as_ref();
        self.0.update(&(part.len() as u64).to_le_bytes()).update(part);
        self
    }

    /// And of plain data.
    pub fn and_data(self, data: &impl Serialize) -> Self {
        self.and(serde_json::to_vec(data).unwrap_or_default())
    }

    /// 64 hexadecimal digits that stand for it.
    pub fn digits(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

/// What stands for all bytes of a reader, which are taken in pieces.
///
/// # Errors
/// When they cannot be read.
pub fn hash(reader: impl std::io::Read) -> std::io::Result<[u8; HASH]> {
    Ok(*blake3::Hasher::new().update_reader(reader)?.finalize().as_bytes())
}

/// A folder of results, or none. Nothing in here fails: what cannot be read is made again, what cannot be written is not kept.
#[derive(Debug, Default)]
pub struct Cache {
    folder: Option<PathBuf>,
    wrote: AtomicBool,
    failed: AtomicBool,
    damaged: Mutex<Vec<PathBuf>>,
}

/// What is in a cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Contents {
    /// How many entries.
    pub entries: usize,
    /// Bytes of all entries together.
    pub bytes: u64,
}

struct Entry {
    path: PathBuf,
    size: u64,
    used: SystemTime,
}

impl Cache {
    /// Keeps nothing.
    pub fn off() -> Self {
        Self::default()
    }

    /// Keeps results in a folder, which is made when it is missing.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        std::fs::create_dir_all(folder).map_err(|source| Error::Write { path: folder.into(), source })?;
        Ok(Self { folder: Some(folder.into()), ..Self::default() })
    }

    /// The user's cache folder for this program, as the platform has it; `None` when there is none.
    pub fn usual_folder() -> Option<PathBuf> {
        use etcetera::BaseStrategy;
        Some(etcetera::base_strategy::choose_native_strategy().ok()?.cache_dir().join(env!("CARGO_PKG_NAME")))
    }

    /// The result of `work`, or the one that an earlier run kept, with what was found on the way; true when it was kept. Only results are kept:
    /// `None` is worked out again.
    pub fn through<T: Serialize + DeserializeOwned>(
        &self,
        recipe: impl FnOnce() -> Recipe,
        report: &mut Report,
        work: impl FnOnce(&mut Report) -> Option<(T, Bytes)>,
    ) -> Option<(T, Bytes, bool)> {
        if self.folder.is_none() {
            return work(report).map(|(data, bytes)| (data, bytes, false));
        }
        let name = recipe().digits();
        if let Some(((data, found), bytes)) = self.get::<(T, Report)>(&name) {
            report.merge(found);
            return Some((data, bytes, true));
        }
        let mut found = Report::default();
        let made = work(&mut found);
        let is_whole = !found.findings.iter().any(|finding| finding.code.is_of_tool());
        if let Some((data, bytes)) = made.as_ref().filter(|_| is_whole) {
            self.put(&name, &(data, &found), bytes);
        }
        report.merge(found);
        made.map(|(data, bytes)| (data, bytes, false))
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        let (folder, file) = name.split_at(2);
        Some(self.folder.as_ref()?.join(folder).join(file))
    }

    fn get<T: DeserializeOwned>(&self, name: &str) -> Option<(T, Bytes)> {
        let path = self.path(name)?;
        let bytes = Bytes::from(std::fs::read(&path).ok()?);
        let read = unwrap(&bytes);
        if read.is_none() {
            // Another process may have written it anew since; that costs it one entry.
            let _ = std::fs::remove_file(&path);
            self.damaged.lock().unwrap_or_else(|e| e.into_inner()).push(path);
        } else if let Ok(file) = std::fs::File::options().append(true).open(&path) {
            // When it was used last decides how long it is kept, and nothing else.
            #[expect(clippy::disallowed_methods)]
            let _ = file.set_modified(SystemTime::now());
        }
        read
    }

    fn put<T: Serialize>(&self, name: &str, data: &T, bytes: &[u8]) {
        let Some(path) = self.path(name).filter(|_| !self.failed.load(Ordering::Relaxed)) else { return };
        match write_atomic(&path, &wrap(data, bytes)) {
            Ok(()) => self.wrote.store(true, Ordering::Relaxed),
            // A full disk will not be emptier for the next entry.
            Err(_) => self.failed.store(true, Ordering::Relaxed),
        }
    }

    /// Ends a run: keeps the folder within `most` bytes when something was added, and says which entries were damaged (Z008) and whether some could
    /// not be written (Z009).
    pub fn settle(&self, most: u64, report: &mut Report) {
        for path in std::mem::take(&mut *self.damaged.lock().unwrap_or_else(|e| e.into_inner())) {
            let message = "an entry of the build cache was damaged; it was removed and its work done again";
            report.add(Finding::new(&code::Z008, Place::file(path.to_string_lossy()), message).hint(code::Z008.remedy));
        }
        if let Some(folder) = self.folder.as_ref().filter(|_| self.failed.load(Ordering::Relaxed)) {
            let message = "the build cache cannot be written to; nothing more was kept";
            report.add(Finding::new(&code::Z009, Place::file(folder.to_string_lossy()), message).hint(code::Z009.remedy));
        }
        if self.wrote.load(Ordering::Relaxed) {
            self.prune(most);
        }
    }

    /// What is in it.
    pub fn contents(&self) -> Contents {
        let entries = self.entries();
        Contents { entries: entries.len(), bytes: entries.iter().map(|entry| entry.size).sum() }
    }

    /// Removes entries, the least recently used first, until no more than `most` bytes are left; 0 removes all. Returns what was removed.
    pub fn prune(&self, most: u64) -> Contents {
        let mut entries = self.entries();
        entries.sort_by(|a, b| a.used.cmp(&b.used).then_with(|| a.path.cmp(&b.path)));
        let mut left: u64 = entries.iter().map(|entry| entry.size).sum();
        let mut removed = Contents::default();
        for entry in entries {
            if left <= most {
                break;
            }
            left -= entry.size;
            // Another process may have been faster.
            if std::fs::remove_file(&entry.path).is_ok() {
                removed.entries += 1;
                removed.bytes += entry.size;
            }
        }
        for folder in self.folder.iter() {
            super::sweep(folder, 2);
        }
        removed
    }

    /// Only what is named as an entry: the folder may hold other things.
    fn entries(&self) -> Vec<Entry> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let is_hex = |name: &std::ffi::OsStr, digits: usize| {
            name.to_str().is_some_and(|name| name.len() == digits && name.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)))
        };
        let files = walkdir::WalkDir::new(folder).min_depth(2).max_depth(2).into_iter().flatten();
        let ours = files.filter(|file| {
            is_hex(file.file_name(), 62) && file.path().parent().and_then(Path::file_name).is_some_and(|name| is_hex(name, 2))
        });
        let entry = |file: walkdir::DirEntry| {
            let data = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some(Entry { path: file.into_path(), size: data.len(), used: data.modified().ok()? })
        };
        ours.filter_map(entry).collect()
    }
}

/// The bytes of an entry: [`MAGIC`], a hash of the rest, how long the JSON is (u64, little endian), the JSON, the bytes.
fn wrap<T: Serialize>(data: &T, bytes: &[u8]) -> Vec<u8> {
    let json = serde_json::to_vec(data).unwrap_or_default();
    let mut entry = Vec::with_capacity(MAGIC.len() + HASH + 8 + json.len() + bytes.len());
    entry.extend_from_slice(MAGIC);
    entry.extend_from_slice(&[0; HASH]);
    entry.extend_from_slice(&(json.len() as u64).to_le_bytes());
    entry.extend_from_slice(&json);
    entry.extend_from_slice(bytes);
    let hash = blake3::hash(&entry[MAGIC.len() + HASH..]);
    entry[MAGIC.len()..MAGIC.len() + HASH].copy_from_slice(hash.as_bytes());
    entry
}

fn unwrap<T: DeserializeOwned>(entry: &Bytes) -> Option<(T, Bytes)> {
    let (hash, rest) = entry.strip_prefix(MAGIC)?.split_at_checked(HASH)?;
    if blake3::hash(rest).as_bytes() != hash {
        return None;
    }
    let (length, rest) = rest.split_at_checked(8)?;
    let (json, bytes) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?)?;
    Some((serde_json::from_slice(json).ok()?, entry.slice_ref(bytes)))
}
