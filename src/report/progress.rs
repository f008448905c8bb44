//! Who hears of work while it is done; the lower floors call it without knowing whether it is a bar, a log or nobody.

/// Hears which files are being worked on. Called from any thread, any number at once.
pub trait Progress: Sync {
    /// So many files more will be worked on, of so many bytes together.
    fn expect(&self, files: usize, bytes: u64) {
        let _ = (files, bytes);
    }

    /// So many bytes of them are done.
    fn advance(&self, bytes: u64) {
        let _ = bytes;
    }

    /// Work on this file begins.
    fn start(&self, file: &str) {
        let _ = file;
    }

    /// What is being done to a file that was started, in a word or two: `textures 3/12`.
    fn step(&self, file: &str, doing: &str) {
        let _ = (file, doing);
    }

    /// The file is done, well or not.
    fn done(&self, file: &str) {
        let _ = file;
    }
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {}

/// A running file: says so when made and says that it is done when dropped, so that a panic leaves no bar behind.
pub struct Task<'a> {
    progress: &'a dyn Progress,
    file: &'a str,
}

impl<'a> Task<'a> {
    /// Tells `progress` that work on the file begins.
    pub fn start(progress: &'a dyn Progress, file: &'a str) -> Self {
        progress.start(file);
        Self { progress, file }
    }

    /// Tells what is being done.
    pub fn step(&self, doing: &str) {
        self.progress.step(self.file, doing);
    }
}

impl Drop for Task<'_> {
    fn drop(&mut self) {
        self.progress.done(self.file);
    }
}
