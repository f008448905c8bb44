//! Bars on a terminal: one for each file that is being worked on, and one for all.

use crate::report::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// Bars on standard error, made for a terminal only.
pub struct Bars {
    all: MultiProgress,
    total: ProgressBar,
    running: Mutex<BTreeMap<String, ProgressBar>>,
}

impl Bars {
    /// No bar is drawn before the first file begins.
    pub fn new() -> Self {
        Self::on(ProgressDrawTarget::stderr())
    }

    fn on(target: ProgressDrawTarget) -> Self {
        let all = MultiProgress::with_draw_target(target);
        let total = all.add(ProgressBar::new(0).with_style(style("{pos}/{len} files {wide_bar} {elapsed}")));
        Self { all, total, running: Mutex::default() }
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
    fn expect(&self, files: usize) {
        self.total.inc_length(files as u64);
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
        self.total.inc(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_valid_and_bars_come_and_go() {
        assert!(ProgressStyle::with_template("{pos}/{len} files {wide_bar} {elapsed}").is_ok());
        assert!(ProgressStyle::with_template("{spinner} {prefix} {msg}").is_ok());
        let bars = Bars::on(ProgressDrawTarget::hidden());
        bars.expect(2);
        bars.start("a");
        bars.step("a", "textures");
        bars.step("never started", "textures");
        bars.done("a");
        assert_eq!((bars.total.position(), bars.total.length(), bars.running().len()), (1, Some(2), 0));
        bars.clear();
    }
}
