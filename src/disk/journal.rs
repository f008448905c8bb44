//! What a long run has done so far, so that one that was killed can go on where it was.

use super::{Error, read_file};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A file of JSON lines beside the results, for as long as the run lasts: the first says what run it is, each other one what was done. Only one
/// process at a time writes it. A line that was cut off counts as not written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

impl Journal {
    /// Begins a run, or goes on with one of the same `head` that did not end; returns what that one had done. `None` while another process is at
    /// it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin<T: DeserializeOwned>(path: &Path, head: &str) -> Result<Option<(Self, Vec<T>)>, Error> {
        let error = |source| Error::Write { path: path.into(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(error)?;
        }
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(error)?;
        if file.try_lock().is_err() {
            return Ok(None);
        }
        let text = read_file(path)?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let mut lines = text[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let is_same = lines.next() == Some(head.as_bytes());
        let done = if is_same { lines.filter_map(|line| serde_json::from_slice(line).ok()).collect() } else { Vec::new() };
        let kept = if is_same { whole as u64 } else { 0 };
        file.set_len(kept).map_err(error)?;
        file.seek(SeekFrom::Start(kept)).map_err(error)?;
        if !is_same {
            file.write_all(format!("{head}\n").as_bytes()).map_err(error)?;
        }
        Ok(Some((Self { path: path.into(), file: Mutex::new(file) }, done)))
    }

    /// Writes down what was done. When that fails it will be done again by the next run, and that is all.
    pub fn add(&self, done: &impl Serialize) {
        let line = serde_json::to_string(done).unwrap_or_default() + "\n";
        let _ = self.file.lock().unwrap_or_else(|e| e.into_inner()).write_all(line.as_bytes());
    }

    /// The run is over.
    pub fn end(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out/.journal");
        let begin = |head: &str| Journal::begin::<String>(&path, head).unwrap();
        let (journal, done) = begin("run 1").unwrap();
        assert!(done.is_empty());
        journal.add(&"a");
        journal.add(&"b");
        assert!(begin("run 1").is_none(), "another one is at it");
        drop(journal);
        // Cut off in the middle of a line.
        let mut text = std::fs::read(&path).unwrap();
        text.extend_from_slice(b"\"c");
        std::fs::write(&path, text).unwrap();
        let (journal, done) = begin("run 1").unwrap();
        assert_eq!(done, ["a", "b"]);
        journal.add(&"d");
        drop(journal);
        let (journal, done) = begin("run 1").unwrap();
        assert_eq!(done, ["a", "b", "d"]);
        drop(journal);
        let (journal, done) = begin("run 2").unwrap();
        assert!(done.is_empty(), "another run: {done:?}");
        journal.end();
        assert!(!path.exists());
    }
}
