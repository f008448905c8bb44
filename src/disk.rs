//! The outside world: a folder as a tree of named files, and files written whole or not at all.

pub mod cache;
pub mod journal;

use crate::spelling;
use bytes::Bytes;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How the names of files begin that are not whole yet.
const TEMPORARY: &str = ".companion-build-";

/// What can go wrong between the tool and the disk.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The tree holds no file of this name, or something that is not a file.
    #[error("there is no file {path}")]
    Missing {
        /// Relative to the root of the tree.
        path: String,
    },
    /// The path is not a folder.
    #[error("{} is not a folder", path.display())]
    NotFolder {
        /// Which one.
        path: PathBuf,
    },
    /// A pattern of files to leave out is malformed.
    #[error("the pattern \"{pattern}\" is malformed: {reason}")]
    Pattern {
        /// As written.
        pattern: String,
        /// Why.
        reason: String,
    },
}

/// Patterns of files and folders to leave out, as in a `.gitignore`, without regard to case.
///
/// A pattern without `/` matches a name in any folder; one with `/` matches from the root; a `/` at the end matches folders only. A folder
/// that matches is left out with all that is in it.
#[derive(Debug, Clone, Default)]
pub struct Ignore {
    any: GlobSet,
    folders: GlobSet,
}

impl Ignore {
    /// Leaves out nothing.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Compiles the patterns.
    ///
    /// # Errors
    /// [`Error::Pattern`] when one is malformed.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> Result<Self, Error> {
        let (mut any, mut folders) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let error = |e: globset::Error| Error::Pattern { pattern: pattern.into(), reason: e.kind().to_string() };
            let body = pattern.trim_end_matches('/');
            let rooted = if body.contains('/') { body.trim_start_matches('/').to_string() } else { format!("**/{body}") };
            let glob = GlobBuilder::new(&rooted).literal_separator(true).case_insensitive(true).build().map_err(error)?;
            if pattern.ends_with('/') {
                folders.add(glob)
            } else {
                any.add(glob)
            };
        }
        let error = |e: globset::Error| Error::Pattern { pattern: String::new(), reason: e.to_string() };
        Ok(Self { any: any.build().map_err(error)?, folders: folders.build().map_err(error)? })
    }

    /// True when this path (relative, with `/`) is left out by its own name; a caller that walks a tree asks for its folders first.
    pub fn matches(&self, path: &str, is_folder: bool) -> bool {
        self.any.is_match(path) || is_folder && self.folders.is_match(path)
    }
}

/// What a name in a tree stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file whose contents can be read.
    File,
    /// A symbolic link; it is not followed.
    Link,
    /// A device, a socket or a pipe.
    Special,
    /// Something whose name is not valid UTF-8; the path holds U+FFFD in place of what is not.
    Unnameable,
    /// What an archive holds but does not give out; whoever opened the archive has said why.
    Lost,
}

#[derive(Debug, Clone)]
enum Contents {
    Disk(PathBuf),
    Memory(Bytes),
}

/// One file of a [`Tree`].
#[derive(Debug, Clone)]
pub struct File {
    /// In bytes, as it was when the tree was made.
    pub size: u64,
    /// When it was written last, as it was then; `None` in memory, and where the disk does not say.
    pub modified: Option<SystemTime>,
    /// What it is.
    pub kind: Kind,
    contents: Contents,
}

/// A folder as a tree of named files: relative paths with `/`, sorted by their bytes. Contents are read when they are asked for.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    files: BTreeMap<String, File>,
    ignored: Vec<String>,
}

impl Tree {
    /// Lists the folder `root`. Links are listed, never followed.
    ///
    /// # Errors
    /// When `root` is not a folder, or when a folder in it cannot be listed.
    pub fn open(root: &Path, ignore: &Ignore) -> Result<Self, Error> {
        if !std::fs::metadata(root).map_err(|source| Error::Read { path: root.into(), source })?.is_dir() {
            return Err(Error::NotFolder { path: root.into() });
        }
        let (mut files, mut ignored) = (BTreeMap::new(), Vec::new());
        let mut walk = walkdir::WalkDir::new(root).min_depth(1).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            let entry = entry.map_err(|e| {
                let path = e.path().unwrap_or(root).to_path_buf();
                Error::Read { path, source: e.into_io_error().unwrap_or_else(|| std::io::ErrorKind::Other.into()) }
            })?;
            let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
            let parts: Vec<_> = relative.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
            let path = parts.join("/");
            let is_folder = entry.file_type().is_dir();
            if ignore.matches(&path, is_folder) {
                if is_folder {
                    walk.skip_current_dir();
                }
                ignored.push(if is_folder { path + "/" } else { path });
                continue;
            }
            if is_folder {
                continue;
            }
            let kind = match entry.file_type() {
                _ if relative.to_str().is_none() => Kind::Unnameable,
                t if t.is_file() => Kind::File,
                t if t.is_symlink() => Kind::Link,
                _ => Kind::Special,
            };
            let (size, modified) = match kind {
                Kind::File => {
                    let error = |source| Error::Read { path: entry.path().into(), source };
                    let data = std::fs::symlink_metadata(entry.path()).map_err(error)?;
                    (data.len(), data.modified().ok())
                }
                _ => (0, None),
            };
            files.insert(path, File { size, modified, kind, contents: Contents::Disk(entry.into_path()) });
        }
        ignored.sort();
        Ok(Self { files, ignored })
    }

    /// A tree of files in memory: an unpacked archive, or a test.
    pub fn from_memory<P: Into<String>, B: Into<Bytes>>(files: impl IntoIterator<Item = (P, B)>) -> Self {
        let mut tree = Self::default();
        files.into_iter().for_each(|(path, bytes)| tree.insert(path, bytes));
        tree
    }

    /// Puts a file of these bytes in the tree, in place of the one that had this path.
    pub fn insert(&mut self, path: impl Into<String>, bytes: impl Into<Bytes>) {
        let bytes: Bytes = bytes.into();
        self.files
            .insert(path.into(), File { size: bytes.len() as u64, modified: None, kind: Kind::File, contents: Contents::Memory(bytes) });
    }

    /// Puts a file in the tree that cannot be read, unless one of this path can.
    pub fn insert_lost(&mut self, path: impl Into<String>) {
        let lost = File { size: 0, modified: None, kind: Kind::Lost, contents: Contents::Memory(Bytes::new()) };
        self.files.entry(path.into()).or_insert(lost);
    }

    /// Takes a file out of the tree; the disk is left alone. True when there was one.
    pub fn remove(&mut self, path: &str) -> bool {
        self.files.remove(path).is_some()
    }

    /// All files, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &File)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// The file of exactly this path.
    pub fn get(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }

    /// The paths of all that lies in a folder, at any depth; `""` is the whole tree.
    pub fn under<'a>(&'a self, folder: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let end = start.clone();
        self.files.range(start..).map(|(path, _)| path.as_str()).take_while(move |path| path.starts_with(&end))
    }

    /// The names of the folders that lie directly in a folder and hold a file at some depth, sorted; `""` is the root.
    pub fn folders<'a>(&'a self, folder: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
        let steps = self.under(folder).filter_map(|path| path[start..].split_once('/'));
        steps.map(|(name, _)| name).collect::<BTreeSet<_>>().into_iter()
    }

    /// What the patterns left out, sorted; a folder ends in `/` and stands for all that is in it.
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// The size of each file in bytes, by path; links and special files have none.
    pub fn sizes(&self) -> BTreeMap<String, u64> {
        self.files.iter().filter(|(_, f)| f.kind == Kind::File).map(|(path, f)| (path.clone(), f.size)).collect()
    }

    /// True while no file of it was written, removed or replaced since the tree was made. Files that were added go unseen.
    pub fn is_as_it_was(&self) -> bool {
        self.files.values().filter(|file| file.kind == Kind::File).all(|file| match &file.contents {
            Contents::Memory(_) => true,
            Contents::Disk(path) => {
                std::fs::symlink_metadata(path).is_ok_and(|now| now.len() == file.size && now.modified().ok() == file.modified)
            }
        })
    }

    /// A file whose path differs from this one only in case or in the Unicode form of its accents.
    pub fn find_folded(&self, path: &str) -> Option<&str> {
        let wanted = spelling::fold(path);
        self.files.keys().find(|p| spelling::fold(p) == wanted).map(String::as_str)
    }

    /// The contents of a file.
    ///
    /// # Errors
    /// When there is no file of this path, when it is a link or special, or when it cannot be read.
    pub fn read(&self, path: &str) -> Result<Bytes, Error> {
        match self.contents(path)? {
            Contents::Memory(bytes) => Ok(bytes.clone()),
            Contents::Disk(path) => read_file(path),
        }
    }

    /// The contents of a file, to be taken in pieces.
    ///
    /// # Errors
    /// As [`Tree::read`].
    pub fn reader(&self, path: &str) -> Result<Box<dyn std::io::Read>, Error> {
        match self.contents(path)? {
            Contents::Memory(bytes) => Ok(Box::new(std::io::Cursor::new(bytes.clone()))),
            Contents::Disk(path) => {
                let file = std::fs::File::open(path).map_err(|source| Error::Read { path: path.clone(), source })?;
                Ok(Box::new(file))
            }
        }
    }

    /// The first bytes of a file, at most `most`.
    ///
    /// # Errors
    /// As [`Tree::read`].
    pub fn read_start(&self, path: &str, most: usize) -> Result<Bytes, Error> {
        match self.contents(path)? {
            Contents::Memory(bytes) => Ok(bytes.slice(..most.min(bytes.len()))),
            Contents::Disk(path) => {
                let error = |source| Error::Read { path: path.clone(), source };
                let mut start = Vec::new();
                std::fs::File::open(path).map_err(error)?.take(most as u64).read_to_end(&mut start).map_err(error)?;
                Ok(start.into())
            }
        }
    }

    /// Makes a file something else, for the tests of those who must not read it.
    #[cfg(test)]
    pub(crate) fn set_kind(&mut self, path: &str, kind: Kind) {
        if let Some(file) = self.files.get_mut(path) {
            file.kind = kind;
        }
    }

    fn contents(&self, path: &str) -> Result<&Contents, Error> {
        match self.files.get(path) {
            Some(file) if file.kind == Kind::File => Ok(&file.contents),
            _ => Err(Error::Missing { path: path.into() }),
        }
    }
}

/// The contents of one file.
///
/// # Errors
/// When it cannot be read.
pub fn read_file(path: &Path) -> Result<Bytes, Error> {
    std::fs::read(path).map(Bytes::from).map_err(|source| Error::Read { path: path.into(), source })
}

/// The size of one file in bytes.
///
/// # Errors
/// When it cannot be looked at.
pub fn size(path: &Path) -> Result<u64, Error> {
    std::fs::metadata(path).map(|data| data.len()).map_err(|source| Error::Read { path: path.into(), source })
}

/// What tells whether a file is still the one that it was: its size in bytes, and when it was written last, in nanoseconds since 1970; `None`
/// when there is no such file.
pub fn stamp(path: &Path) -> Option<(u64, u64)> {
    let data = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let since = data.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some((data.len(), u64::try_from(since.as_nanos()).ok()?))
}

/// The path without links and `..`, for what is named by it; as given when there is no such file.
pub fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.into())
}

/// True when something lies at this path.
pub fn exists(path: &Path) -> bool {
    path.exists()
}

/// The name of a folder, also of one that is written as `.` or `a/..`.
pub fn folder_name(path: &Path) -> Option<String> {
    let whole = path.canonicalize().ok();
    whole.as_deref().unwrap_or(path).file_name().map(|name| name.to_string_lossy().into_owned())
}

/// True when both paths lead to one existing file.
pub fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// True when the existing path lies in the folder.
pub fn is_under(path: &Path, folder: &Path) -> bool {
    matches!((path.canonicalize(), folder.canonicalize()), (Ok(path), Ok(folder)) if path.starts_with(&folder))
}

/// The text of one file.
///
/// # Errors
/// When it cannot be read or is not valid UTF-8.
pub fn read_text(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.into(), source })
}

/// True for a folder that exists, a link to one included.
pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// Writes a file whole: it is written beside its place under another name and then moved there, so that no reader ever sees a part of it. The
/// folders above it are made when they are missing.
///
/// # Errors
/// When it cannot be written; what was there before is then untouched.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let error = |source| Error::Write { path: path.into(), source };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder).map_err(error)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    // A temporary file is private by default; this one becomes an ordinary file, as open to others as the user's umask says.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut attempts = 0;
    loop {
        let mut file = builder.tempfile_in(folder).map_err(error)?;
        // Whoever sweeps sees that somebody is at work on it. Where files cannot be locked, nobody sweeps either.
        let _ = file.as_file().try_lock();
        file.write_all(bytes).map_err(error)?;
        attempts += 1;
        match file.persist(path) {
            Ok(_) => return Ok(()),
            // Swept away before it was locked.
            Err(e) if e.error.kind() == std::io::ErrorKind::NotFound && attempts < 3 => {}
            Err(e) => return Err(error(e.error)),
        }
    }
}

/// Removes what a killed run left unfinished in a folder, down to so many levels of folders. Files that somebody is at work on stay.
pub fn sweep(folder: &Path, levels: usize) {
    let files = walkdir::WalkDir::new(folder).min_depth(1).max_depth(levels).into_iter().flatten();
    for file in files.filter(|file| file.file_type().is_file() && file.file_name().to_string_lossy().starts_with(TEMPORARY)) {
        let is_left = std::fs::File::open(file.path()).is_ok_and(|open| open.try_lock().is_ok());
        if is_left {
            let _ = std::fs::remove_file(file.path());
        }
    }
}

/// Writes a file as [`write_atomic`] does, unless it holds these bytes already: then it keeps its time. True when it was written.
///
/// # Errors
/// When it cannot be written.
pub fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<bool, Error> {
    let same_size = std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() == bytes.len() as u64);
    if same_size && std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(false);
    }
    write_atomic(path, bytes).map(|()| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    fn paths(tree: &Tree) -> Vec<&str> {
        tree.files().map(|(path, _)| path).collect()
    }

    #[test]
    fn lists_a_folder_in_order_and_says_what_it_left_out() -> Outcome {
        let folder = tempfile::tempdir()?;
        for path in ["b/two.txt", "a.txt", "b/one.BLEND", ".git/config", "deep/node/x.txt", "dist/out.zip", "b/dist"] {
            write_atomic(&folder.path().join(path), path.as_bytes())?;
        }
        let tree = Tree::open(folder.path(), &Ignore::new(&["*.blend", ".*", "dist/", "deep/node"])?)?;
        assert_eq!(paths(&tree), ["a.txt", "b/dist", "b/two.txt"]);
        assert_eq!(tree.ignored(), [".git/", "b/one.BLEND", "deep/node/", "dist/"]);
        assert_eq!(tree.read("b/two.txt")?, "b/two.txt");
        assert_eq!(tree.read_start("b/two.txt", 3)?, "b/t");
        assert_eq!(tree.get("a.txt").map(|f| f.size), Some(5));
        assert!(matches!(tree.read("nothing"), Err(Error::Missing { .. })));
        assert!(matches!(Tree::open(&folder.path().join("a.txt"), &Ignore::nothing()), Err(Error::NotFolder { .. })));
        assert!(matches!(Tree::open(&folder.path().join("no"), &Ignore::nothing()), Err(Error::Read { .. })));
        assert!(matches!(Ignore::new(&["a["]), Err(Error::Pattern { .. })));
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn links_are_listed_and_never_followed() -> Outcome {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir()?;
        write_atomic(&folder.path().join("real/secret.txt"), b"secret")?;
        std::os::unix::fs::symlink("real/secret.txt", folder.path().join("link.txt"))?;
        std::os::unix::fs::symlink("real", folder.path().join("linked"))?;
        write_atomic(&folder.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9.txt")), b"latin")?;
        let tree = Tree::open(folder.path(), &Ignore::nothing())?;
        let kinds: Vec<_> = tree.files().map(|(path, file)| (path, file.kind)).collect();
        let expected =
            [("caf\u{fffd}.txt", Kind::Unnameable), ("link.txt", Kind::Link), ("linked", Kind::Link), ("real/secret.txt", Kind::File)];
        assert_eq!(kinds, expected);
        assert!(matches!(tree.read("link.txt"), Err(Error::Missing { .. })));
        assert_eq!(tree.sizes().len(), 1);
        Ok(())
    }

    #[test]
    fn a_tree_in_memory_answers_alike() -> Outcome {
        let tree = Tree::from_memory([("m/b/Fox.vrm", "x"), ("m/a/z", "yy"), ("m-2/c", ""), ("caf\u{e9}", "")]);
        assert_eq!(paths(&tree), ["caf\u{e9}", "m-2/c", "m/a/z", "m/b/Fox.vrm"]);
        assert_eq!(tree.under("m").collect::<Vec<_>>(), ["m/a/z", "m/b/Fox.vrm"]);
        assert_eq!(tree.under("").count(), 4);
        assert_eq!(tree.folders("").collect::<Vec<_>>(), ["m", "m-2"]);
        assert_eq!(tree.folders("m").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(tree.folders("m/a").count(), 0);
        assert_eq!(tree.find_folded("m/B/fox.VRM"), Some("m/b/Fox.vrm"));
        assert_eq!(tree.find_folded("cafe\u{301}"), Some("caf\u{e9}"));
        assert_eq!(tree.find_folded("m/b"), None);
        assert_eq!(tree.read("m/a/z")?, "yy");
        let mut tree = tree;
        tree.insert("m/a/z", "zzz");
        assert_eq!((tree.read("m/a/z")?, tree.sizes()["m/a/z"]), (Bytes::from("zzz"), 3));
        assert!(tree.remove("m/a/z") && !tree.remove("m/a/z"));
        assert_eq!(tree.folders("m").collect::<Vec<_>>(), ["b"]);
        Ok(())
    }

    #[test]
    fn writes_whole_files_and_keeps_what_is_the_same() -> Outcome {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("new/deep/file.bin");
        assert!(write_if_changed(&path, b"one")?);
        let time = std::fs::metadata(&path)?.modified()?;
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!write_if_changed(&path, b"one")?);
        assert_eq!(std::fs::metadata(&path)?.modified()?, time);
        assert!(write_if_changed(&path, b"two")?);
        assert_eq!(read_file(&path)?, "two");
        assert_eq!(std::fs::read_dir(folder.path().join("new/deep"))?.count(), 1);
        // A folder stands in the way: an error, and no litter.
        assert!(matches!(write_atomic(&folder.path().join("new"), b"x"), Err(Error::Write { .. })));
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path)?.permissions().mode() & 0o400, 0o400);
        }
        Ok(())
    }
}
