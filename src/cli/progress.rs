//! Bars on a terminal: one for each file that is being worked on, and one for all.

use crate::report::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// How much is done, how fast it goes and how long it will take.
const TOTAL: &str = "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta} left";

/// Bars on standard error, made for a terminal only.
pub struct Bars {
    all: MultiProgress,
    /// In bytes.
    total: ProgressBar,
    files: AtomicUsize,
    done: AtomicUsize,
    running: Mutex<BTreeMap<String, ProgressBar>>,
}

impl Bars {
    /// No bar is drawn before the first file begins.
    pub fn new() -> Self {
        Self::on(ProgressDrawTarget::stderr())
    }

    fn on(target: ProgressDrawTarget) -> Self {
        let all = MultiProgress::with_draw_target(target);
        let total = all.add(ProgressBar::new(0).with_style(style(TOTAL)));
        Self { all, total, files: AtomicUsize::new(0), done: AtomicUsize::new(0), running: Mutex::default() }
    }

    /// Takes all bars from the screen.
    pub fn clear(&self) {
        for bar in std::mem::take(&mut *self.running()).into_values() {
            bar.finish_and_clear();
        }
        self.total.finish_and_clear();
        // Nothing is lost when the terminal is gone.
        let _ = self.all.clear();
    }

    fn count(&self) {
        self.total.set_message(format!("{}/{} files", self.done.load(Ordering::Relaxed), self.files.load(Ordering::Relaxed)));
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<String, ProgressBar>> {
        self.running.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl Default for Bars {
    fn default() -> Self {
        Self::new()
    }
}

/// A template that is wrong costs the look, not the run.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Progress for Bars {
    fn expect(&self, files: usize, bytes: u64) {
        self.files.fetch_add(files, Ordering::Relaxed);
        self.total.inc_length(bytes);
        self.count();
    }

    fn advance(&self, bytes: u64) {
        self.total.inc(bytes);
    }

    fn start(&self, file: &str) {
        let bar = ProgressBar::new_spinner().with_style(style("{spinner} {prefix} {msg}")).with_prefix(super::human::clean(file));
        let bar = self.all.insert_before(&self.total, bar);
        bar.enable_steady_tick(Duration::from_millis(120));
        self.running().insert(file.to_owned(), bar);
        self.total.tick();
    }

    fn step(&self, file: &str, doing: &str) {
        if let Some(bar) = self.running().get(file) {
            bar.set_message(doing.to_owned());
        }
    }

    fn done(&self, file: &str) {
        if let Some(bar) = self.running().remove(file) {
            bar.finish_and_clear();
        }
        self.done.fetch_add(1, Ordering::Relaxed);
        self.count();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_valid_and_bars_come_and_go() {
        assert!(ProgressStyle::with_template(TOTAL).is_ok());
        assert!(ProgressStyle::with_template("{spinner} {prefix} {msg}").is_ok());
        let bars = Bars::on(ProgressDrawTarget::hidden());
        bars.expect(2, 100);
        bars.advance(60);
        bars.start("a");
        bars.step("a", "textures");
        bars.step("never started", "textures");
        bars.done("a");
        assert_eq!((bars.total.position(), bars.total.length(), bars.running().len()), (60, Some(100), 0));
        assert_eq!(bars.total.message(), "1/2 files");
        bars.clear();
    }
}
