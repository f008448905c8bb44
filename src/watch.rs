//! Waits for files to change: looks at them again and again, which works on every disk and over every network.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long until the next look.
const PAUSE: Duration = Duration::from_millis(300);
/// How long files must stay as they are, so that what is being saved is whole.
const CALM: Duration = Duration::from_millis(100);

/// Files as they were at one moment: size in bytes, and when they were written last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<PathBuf, (u64, Option<SystemTime>)>);

impl Snapshot {
    /// Looks at files, and at all that lies in folders, but for the folder `except`.
    pub fn of(paths: &[PathBuf], except: &Path) -> Self {
        let except = except.canonicalize().ok();
        let is_ours =
            |entry: &walkdir::DirEntry| !entry.file_type().is_dir() || entry.path().canonicalize().ok() != except || except.is_none();
        let walks = paths.iter().flat_map(|path| walkdir::WalkDir::new(path).into_iter().filter_entry(is_ours).flatten());
        let file = |entry: walkdir::DirEntry| {
            let data = entry.metadata().ok().filter(|data| !data.is_dir())?;
            Some((entry.into_path(), (data.len(), data.modified().ok())))
        };
        Self(walks.filter_map(file).collect())
    }

    /// Waits until something is otherwise, and has stayed so for a moment.
    pub fn wait(&self, paths: &[PathBuf], except: &Path) {
        loop {
            std::thread::sleep(PAUSE);
            let mut now = Self::of(paths, except);
            if now == *self {
                continue;
            }
            loop {
                std::thread::sleep(CALM);
                let next = Self::of(paths, except);
                if next == now {
                    return;
                }
                now = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_what_is_written_added_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("deep/dist")).unwrap();
        std::fs::write(path("deep/a"), "1").unwrap();
        let look = || Snapshot::of(&[path("deep"), path("settings")], &path("deep/dist"));
        let first = look();
        assert_eq!(first, look());
        std::fs::write(path("deep/dist/result"), "1").unwrap();
        assert_eq!(first, look(), "results are not watched");
        std::fs::write(path("settings"), "1").unwrap();
        let second = look();
        assert_ne!(first, second);
        std::fs::write(path("deep/a"), "22").unwrap();
        let third = look();
        assert_ne!(second, third);
        std::fs::remove_file(path("deep/a")).unwrap();
        assert_ne!(third, look());
        // Something is otherwise already: it comes back.
        first.wait(&[path("deep"), path("settings")], &path("deep/dist"));
    }
}
