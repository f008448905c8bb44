//! Work on many things at once: the only user of rayon.

use crate::report::{Finding, Place, Report, code};
use rayon::ThreadPool;
use rayon::prelude::*;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

thread_local! {
    /// The pool that works for this thread; `None` on the pool's own threads.
    static POOL: RefCell<Option<Arc<ThreadPool>>> = const { RefCell::new(None) };
}

/// Runs the closure on a thread of the current pool, while this one waits.
fn inside<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    match POOL.with_borrow(Clone::clone) {
        Some(pool) => pool.install(run),
        None => run(),
    }
}

/// Runs the closure with another pool for this thread.
fn with_pool<R>(pool: Option<Arc<ThreadPool>>, run: impl FnOnce() -> R) -> R {
    struct Back(Option<Arc<ThreadPool>>);
    impl Drop for Back {
        fn drop(&mut self) {
            POOL.set(self.0.take());
        }
    }
    let _back = Back(POOL.replace(pool));
    run()
}

/// Runs `job` on every item, on all threads of the current pool, and returns the results in the order of the items.
///
/// Each item owns its report; they are merged in the same order, so the outcome does not depend on the number of threads. A job that
/// panics gives `None` and a finding Z001 with `name(item)` as its file; the others go on.
pub fn map<T: Sync, R: Send>(
    items: &[T],
    name: impl Fn(&T) -> String + Sync,
    job: impl Fn(&T, &mut Report) -> R + Sync,
) -> (Vec<Option<R>>, Report) {
    in_order(inside(|| items.par_iter().map(|item| guarded(|| name(item), |report| job(item, report))).collect()))
}

/// A result, `None` when its job panicked, and what was found on the way.
type Guarded<R> = (Option<R>, Report);

fn in_order<R>(done: Vec<Guarded<R>>) -> (Vec<Option<R>>, Report) {
    let mut report = Report::default();
    let results = done.into_iter().map(|(result, r)| (report.merge(r), result).1).collect();
    (results, report)
}

/// The same for items that are large and have parallel work of their own: they begin in their order, no more at once than the pool has threads,
/// and those at work weigh no more than `room` together (one that weighs more runs alone). Nobody waits for a whole batch.
///
/// Not to be called by a job.
pub fn feed<T: Sync, R: Send>(
    items: &[T],
    room: u64,
    weight: impl Fn(&T) -> u64 + Sync,
    name: impl Fn(&T) -> String + Sync,
    job: impl Fn(&T, &mut Report) -> R + Sync,
) -> (Vec<Option<R>>, Report) {
    let (next, budget, pool) = (AtomicUsize::new(0), Budget::new(room), POOL.with_borrow(Clone::clone));
    let done: Mutex<Vec<Option<Guarded<R>>>> = Mutex::new(items.iter().map(|_| None).collect());
    let work = || {
        let take = || {
            let at = next.fetch_add(1, Ordering::Relaxed);
            items.get(at).map(|item| (at, item))
        };
        while let Some((at, item)) = take() {
            let _share = budget.take(weight(item));
            let result = guarded(|| name(item), |report| inside(|| job(item, report)));
            done.lock().unwrap_or_else(|e| e.into_inner())[at] = Some(result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads().min(items.len()) {
            scope.spawn(|| with_pool(pool.clone(), work));
        }
    });
    in_order(done.into_inner().unwrap_or_else(|e| e.into_inner()).into_iter().flatten().collect())
}

/// Runs one job; a panic becomes a finding Z001 about the file `name`.
pub fn guarded<R>(name: impl Fn() -> String, job: impl FnOnce(&mut Report) -> R) -> Guarded<R> {
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

/// Runs the closure here, with a pool of so many threads (0: one for each core) for its parallel work.
pub fn with_threads<R>(threads: usize, run: impl FnOnce() -> R) -> R {
    with_pool(rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok().map(Arc::new), run)
}

/// How many threads the current pool has.
pub fn threads() -> usize {
    POOL.with_borrow(|pool| pool.as_ref().map_or_else(rayon::current_num_threads, |pool| pool.current_num_threads()))
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
    fn feeds_in_order_within_its_room() {
        let weights: Vec<u64> = (0..60).map(|n| 1 + n % 9).collect();
        let (alive, most) = (std::sync::atomic::AtomicU64::new(0), std::sync::atomic::AtomicU64::new(0));
        let (results, report) = with_threads(3, || {
            feed(
                &weights,
                8,
                |&weight| weight,
                |weight| format!("item of {weight}"),
                |&weight, _| {
                    let now = alive.fetch_add(weight.min(8), Ordering::SeqCst) + weight.min(8);
                    most.fetch_max(now, Ordering::SeqCst);
                    // Work of its own, on the same three threads.
                    let inner: u64 = map(&[1u64; 32], |_| String::new(), |&one, _| one).0.into_iter().flatten().sum();
                    alive.fetch_sub(weight.min(8), Ordering::SeqCst);
                    if weight == 5 { panic!("five") } else { inner + weight }
                },
            )
        });
        assert!(most.load(Ordering::SeqCst) <= 8);
        let wanted: Vec<Option<u64>> = weights.iter().map(|&weight| (weight != 5).then_some(32 + weight)).collect();
        assert_eq!(results, wanted);
        assert!(report.findings.iter().all(|finding| finding.place.file == "item of 5") && report.findings.len() == 7);
    }

    #[test]
    fn budget_bounds_what_is_alive() {
        use std::sync::atomic::AtomicU64;
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
