//! Work on many things at once: the only user of rayon.

use crate::report::{Finding, Place, Report, code};
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex};

/// Runs `job` on every item, on all threads of the current pool, and returns the results in the order of the items.
///
/// Each item owns its report; they are merged in the same order, so the outcome does not depend on the number of threads. A job that
/// panics gives `None` and a finding Z001 with `name(item)` as its file; the others go on.
pub fn map<T: Sync, R: Send>(
    items: &[T],
    name: impl Fn(&T) -> String + Sync,
    job: impl Fn(&T, &mut Report) -> R + Sync,
) -> (Vec<Option<R>>, Report) {
    let done: Vec<(Option<R>, Report)> = items.par_iter().map(|item| guarded(|| name(item), |report| job(item, report))).collect();
    let mut report = Report::default();
    let results = done.into_iter().map(|(result, r)| (report.merge(r), result).1).collect();
    (results, report)
}

/// Runs one job; a panic becomes a finding Z001 about the file `name`.
pub fn guarded<R>(name: impl Fn() -> String, job: impl FnOnce(&mut Report) -> R) -> (Option<R>, Report) {
    let mut report = Report::default();
    match catch_unwind(AssertUnwindSafe(|| job(&mut report))) {
        Ok(result) => (Some(result), report),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
            let text = text.unwrap_or_else(|| "unknown".into());
            report.add(Finding::new(&code::Z001, Place::file(name()), format!("the tool failed: {text}")).hint(code::Z001.remedy));
            (None, report)
        }
    }
}

/// Runs the closure on a pool of so many threads (0: one for each core).
pub fn with_threads<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(run),
        Err(_) => run(),
    }
}

/// How many threads the current pool has.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// A bound on what is alive at once: takers wait until there is room.
///
/// The holder of a share must not start parallel work (a waiting thread would take another job, and wait for itself).
pub struct Budget {
    free: Mutex<u64>,
    room: Condvar,
    total: u64,
}

/// A share of a [`Budget`], given back when dropped.
pub struct Share<'a> {
    budget: &'a Budget,
    amount: u64,
}

impl Budget {
    /// A budget of so many units.
    pub const fn new(total: u64) -> Self {
        Self { free: Mutex::new(total), room: Condvar::new(), total }
    }

    /// Waits for a share; more than the whole budget counts as the whole budget.
    pub fn take(&self, amount: u64) -> Share<'_> {
        let amount = amount.min(self.total);
        let mut free = self.free.lock().unwrap_or_else(|e| e.into_inner());
        while *free < amount {
            free = self.room.wait(free).unwrap_or_else(|e| e.into_inner());
        }
        *free -= amount;
        Share { budget: self, amount }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        *self.budget.free.lock().unwrap_or_else(|e| e.into_inner()) += self.amount;
        self.budget.room.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_order_and_survives_a_panic() {
        let items: Vec<u32> = (0..100).collect();
        let (results, report) =
            with_threads(4, || map(&items, |i| format!("item {i}"), |&i, _| if i == 7 { panic!("seven") } else { i * 2 }));
        assert_eq!(results[8], Some(16));
        assert_eq!(results[7], None);
        assert_eq!(report.findings.len(), 1);
        assert_eq!(report.findings[0].place.file, "item 7");
        assert!(report.findings[0].message.contains("seven"));
    }

    #[test]
    fn budget_bounds_what_is_alive() {
        use std::sync::atomic::{AtomicU64, Ordering};
        static BUDGET: Budget = Budget::new(10);
        let (alive, most) = (AtomicU64::new(0), AtomicU64::new(0));
        with_threads(8, || {
            map(
                &[3u64; 64],
                |_| String::new(),
                |&n, _| {
                    let _share = BUDGET.take(n);
                    let now = alive.fetch_add(n, Ordering::SeqCst) + n;
                    most.fetch_max(now, Ordering::SeqCst);
                    std::thread::yield_now();
                    alive.fetch_sub(n, Ordering::SeqCst);
                },
            )
        });
        assert!(most.load(Ordering::SeqCst) <= 10);
    }
}
