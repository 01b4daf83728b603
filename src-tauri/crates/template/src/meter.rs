//! Counts the work of pure computations (templates, expressions, schema checks), in order to limit and to stop them.
//!
//! A computation charges for its work. Limits are in work and bytes, never in time, so a computation that succeeds once always
//! succeeds with the same input. Three nestable scopes set limits:
//!
//! - [`within`]: the limit of the computation itself. Above it, the computation fails in the same way each time.
//! - [`attempt`]: the limit of a first attempt. Above it, the attempt is abandoned and its result discarded.
//! - [`until`]: a flag that another thread sets when the result is no longer needed.
//!
//! The libraries that do the work (Tera, jsonschema) cannot pass the state along, so each thread has its own meter. Work
//! outside all three scopes is counted but not limited.

use std::{
    cell::{Cell, RefCell},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::Value;

/// The cost of one interpreter step, such as a filter or a loop iteration. A unit of work takes about 50 ns.
pub const STEP: u64 = 16;
/// The number of bytes of text that one unit of work reads.
pub const BYTES_PER_UNIT: u64 = 64;
/// The number of units of work between two checks of the flag of [`until`]. This work takes a few milliseconds.
const LOOK: u64 = 64 * 1024;

/// The limits of one computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The maximum work, in units (see [`STEP`]).
    pub work: u64,
    /// The maximum number of bytes that are created or read.
    pub bytes: u64,
    /// The message if the work exceeds the limit, as a clause: "it took more than two million steps".
    pub too_much_work: &'static str,
    pub too_many_bytes: &'static str,
}

/// The reason why a computation must stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The computation has exceeded its own limit. The string is the limit's message.
    Limit(&'static str),
    /// The computation has exceeded the limit of an [`attempt`], so its result is discarded.
    Attempt,
    /// The flag of [`until`] was set, because the result is no longer needed.
    Cancelled,
}

/// The limits in effect on this thread.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    work: u64,
    bytes: u64,
    /// The reason to stop if the limit of work is exceeded.
    at_work: Stopped,
    /// The reason to stop if the limit of bytes is exceeded.
    at_bytes: Stopped,
}

const NO_BOUNDS: Bounds = Bounds {
    work: u64::MAX,
    bytes: u64::MAX,
    at_work: Stopped::Attempt,
    at_bytes: Stopped::Attempt,
};

struct Meter {
    /// The work charged on this thread since the thread started.
    work: Cell<u64>,
    bytes: Cell<u64>,
    /// The total work below which [`charge`] need not check the limits and the flag.
    clear: Cell<u64>,
    bounds: Cell<Bounds>,
    /// The reason why the computation has to stop. Every further charge returns this reason, until the scope that set the limit
    /// is left. `None` while the computation may continue.
    stopped: Cell<Option<Stopped>>,
    flag: RefCell<Option<Arc<AtomicBool>>>,
    has_flag: Cell<bool>,
}

thread_local! {
    static METER: Meter = const { Meter {
        work: Cell::new(0),
        bytes: Cell::new(0),
        clear: Cell::new(u64::MAX),
        bounds: Cell::new(NO_BOUNDS),
        stopped: Cell::new(None),
        flag: RefCell::new(None),
        has_flag: Cell::new(false),
    } };
}

impl Meter {
    /// Checks the limits and the flag. Fails with the reason if the computation must stop.
    #[cold]
    fn look(&self) -> Result<(), Stopped> {
        if let Some(stopped) = self.stopped.get() {
            return Err(stopped);
        }
        let bounds = self.bounds.get();
        let why = if self.work.get() > bounds.work {
            Some(bounds.at_work)
        } else if self.bytes.get() > bounds.bytes {
            Some(bounds.at_bytes)
        } else if self.is_flagged() {
            Some(Stopped::Cancelled)
        } else {
            None
        };
        match why {
            Some(why) => {
                self.stopped.set(Some(why));
                self.clear.set(0);
                Err(why)
            }
            None => {
                self.clear_ahead();
                Ok(())
            }
        }
    }

    fn is_flagged(&self) -> bool {
        let flag = self.flag.borrow();
        flag.as_ref()
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    fn clear_ahead(&self) {
        self.clear_up_to(self.bounds.get().work);
    }

    #[inline]
    fn clear_up_to(&self, bound: u64) {
        let clear = if self.stopped.get().is_some() {
            0
        } else if self.has_flag.get() {
            bound.min(self.work.get().saturating_add(LOOK))
        } else {
            bound
        };
        self.clear.set(clear);
    }

    /// Replaces the flag that [`until`] checks. Returns the previous flag, if one was set.
    fn set_flag(&self, flag: Option<Arc<AtomicBool>>) -> Option<Arc<AtomicBool>> {
        self.has_flag.set(flag.is_some());
        let before = self.flag.replace(flag);
        self.clear_ahead();
        before
    }
}

/// Charges the meter for `work` units of work and `bytes` bytes.
///
/// # Errors
/// The reason to stop, if a limit is exceeded or the flag of [`until`] is set.
#[inline]
pub fn charge(work: u64, bytes: u64) -> Result<(), Stopped> {
    METER.with(|meter| {
        let done = meter.work.get().saturating_add(work);
        meter.work.set(done);
        let made = meter.bytes.get().saturating_add(bytes);
        meter.bytes.set(made);
        if done > meter.clear.get() || made > meter.bounds.get().bytes {
            meter.look()
        } else {
            Ok(())
        }
    })
}

/// Charges the meter for reading `text`.
///
/// # Errors
/// Returns the errors of [`charge`].
#[inline]
pub fn charge_text(text: &str) -> Result<(), Stopped> {
    charge(1 + text.len() as u64 / BYTES_PER_UNIT, 0)
}

/// Charges the meter for reading a value and everything within it.
///
/// # Errors
/// Returns the errors of [`charge`].
pub fn charge_value(value: &Value) -> Result<(), Stopped> {
    match value {
        Value::String(text) => charge_text(text),
        Value::Array(items) => {
            charge(1, 0)?;
            items.iter().try_for_each(charge_value)
        }
        Value::Object(fields) => {
            charge(1, 0)?;
            fields.iter().try_for_each(|(name, value)| {
                charge_text(name)?;
                charge_value(value)
            })
        }
        _ => charge(1, 0),
    }
}

/// Returns the work charged on this thread since the thread started, in units.
pub fn work() -> u64 {
    METER.with(|meter| meter.work.get())
}

/// A guard that restores the limits of the outer scope, even if the computation unwinds.
struct Leave {
    bounds: Bounds,
    stopped: Option<Stopped>,
}

impl Drop for Leave {
    fn drop(&mut self) {
        METER.with(|meter| {
            if meter.stopped.get() != self.stopped {
                meter.stopped.set(self.still_stopped(meter));
            }
            meter.bounds.set(self.bounds);
            meter.clear_up_to(self.bounds.work);
        });
    }
}

impl Leave {
    /// Returns the reason to stop that still applies after this scope is left: a cancellation, or an outer limit that
    /// is also exceeded. The scope's own limit no longer applies. Returns `None` if the outer computation may continue.
    fn still_stopped(&self, meter: &Meter) -> Option<Stopped> {
        let outer = &self.bounds;
        let stays = |why: &Stopped| match *why {
            Stopped::Cancelled => true,
            why => {
                (meter.work.get() > outer.work && why == outer.at_work)
                    || (meter.bytes.get() > outer.bytes && why == outer.at_bytes)
            }
        };
        meter.stopped.get().filter(stays).or(self.stopped)
    }
}

/// Sets the limits to the current totals plus `limit`. If the outer scope has a lower limit, that limit stays in effect. The
/// returned guard restores the outer limits.
fn enter(limit: Limit, at_work: Stopped, at_bytes: Stopped) -> Leave {
    METER.with(|meter| {
        let leave = Leave {
            bounds: meter.bounds.get(),
            stopped: meter.stopped.get(),
        };
        let mut bounds = leave.bounds;
        let work = meter.work.get().saturating_add(limit.work);
        if work < bounds.work {
            bounds.work = work;
            bounds.at_work = at_work;
        }
        let bytes = meter.bytes.get().saturating_add(limit.bytes);
        if bytes < bounds.bytes {
            bounds.bytes = bytes;
            bounds.at_bytes = at_bytes;
        }
        meter.bounds.set(bounds);
        meter.clear_up_to(bounds.work);
        leave
    })
}

/// Runs a computation. Once the computation exceeds `limit`, [`charge`] returns [`Stopped::Limit`] to it.
pub fn within<T>(limit: Limit, computation: impl FnOnce() -> T) -> T {
    let _leave = enter(
        limit,
        Stopped::Limit(limit.too_much_work),
        Stopped::Limit(limit.too_many_bytes),
    );
    computation()
}

/// Runs a computation and returns its result, or `None` if it exceeded `limit`. In that case, the result is discarded.
pub fn attempt<T>(limit: Limit, computation: impl FnOnce() -> T) -> Option<T> {
    let _leave = enter(limit, Stopped::Attempt, Stopped::Attempt);
    let result = computation();
    let given_up = METER.with(|meter| meter.stopped.get() == Some(Stopped::Attempt));
    (!given_up).then_some(result)
}

/// Runs a computation. Soon after `flag` is set, [`charge`] returns [`Stopped::Cancelled`] to it.
pub fn until<T>(flag: &Arc<AtomicBool>, computation: impl FnOnce() -> T) -> T {
    struct Unset(Option<Arc<AtomicBool>>);
    impl Drop for Unset {
        fn drop(&mut self) {
            METER.with(|meter| {
                meter.set_flag(self.0.take());
                if meter.stopped.get() == Some(Stopped::Cancelled) && !meter.is_flagged() {
                    meter.stopped.set(None);
                    meter.clear_ahead();
                }
            });
        }
    }
    let before = METER.with(|meter| meter.set_flag(Some(Arc::clone(flag))));
    let _unset = Unset(before);
    computation()
}

/// Runs part of a computation on another thread, with a stack of `bytes` bytes and within the current limits. Returns `None` if
/// there is not enough memory for the stack.
pub fn on_a_stack_of<T: Send>(bytes: usize, computation: impl FnOnce() -> T + Send) -> Option<T> {
    let (bounds, stopped, flag, work, made) = METER.with(|meter| {
        (
            meter.bounds.get(),
            meter.stopped.get(),
            meter.flag.borrow().clone(),
            meter.work.get(),
            meter.bytes.get(),
        )
    });
    let there = move || {
        METER.with(|meter| {
            meter.bounds.set(bounds);
            meter.stopped.set(stopped);
            meter.work.set(work);
            meter.bytes.set(made);
            meter.set_flag(flag);
        });
        let result = computation();
        METER.with(|meter| {
            (
                result,
                meter.work.get(),
                meter.bytes.get(),
                meter.stopped.get(),
            )
        })
    };
    let joined = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(bytes)
            .spawn_scoped(scope, there)
            .ok()?;
        Some(thread.join())
    })?;
    let (result, work, made, stopped) =
        joined.unwrap_or_else(|broke| std::panic::resume_unwind(broke));
    METER.with(|meter| {
        meter.work.set(work);
        meter.bytes.set(made);
        meter.stopped.set(stopped);
        meter.clear_ahead();
    });
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(work: u64, bytes: u64) -> Limit {
        Limit {
            work,
            bytes,
            too_much_work: "work",
            too_many_bytes: "bytes",
        }
    }

    #[test]
    fn a_limit_stops_every_further_charge_and_ends_with_its_scope() {
        within(limit(10, 100), || {
            assert_eq!(charge(10, 100), Ok(()));
            assert_eq!(charge(1, 0), Err(Stopped::Limit("work")));
            assert_eq!(charge(0, 0), Err(Stopped::Limit("work")));
        });
        within(limit(10, 100), || {
            assert_eq!(charge(0, 101), Err(Stopped::Limit("bytes")));
        });
        assert_eq!(charge(1_000_000, 1_000_000), Ok(()));
    }

    #[test]
    fn the_narrower_of_nested_limits_counts_and_says_why() {
        let outer = within(limit(10, 100), || {
            let inner = within(limit(1000, 1000), || charge(11, 0));
            assert_eq!(inner, Err(Stopped::Limit("work")));
            charge(0, 0)
        });
        assert_eq!(outer, Err(Stopped::Limit("work")));
        within(limit(100, 100), || {
            assert!(within(limit(10, 10), || charge(11, 0)).is_err());
            assert_eq!(charge(1, 0), Ok(()));
        });
    }

    #[test]
    fn an_attempt_is_given_up_and_its_own_limit_is_a_result() {
        assert_eq!(attempt(limit(10, 10), || charge(5, 5)), Some(Ok(())));
        assert_eq!(attempt(limit(10, 10), || charge(50, 5)), None);
        assert_eq!(
            attempt(limit(10, 10), || within(limit(1000, 1000), || charge(
                50, 0
            ))),
            None
        );
        let failed = attempt(limit(1000, 1000), || {
            within(limit(10, 10), || charge(50, 0))
        });
        assert_eq!(failed, Some(Err(Stopped::Limit("work"))));
        assert_eq!(charge(1, 1), Ok(()));
    }

    #[test]
    fn a_flag_ends_a_computation_soon() {
        let flag = Arc::new(AtomicBool::new(false));
        until(&flag, || {
            assert_eq!(charge(LOOK * 3, 0), Ok(()));
            flag.store(true, Ordering::Relaxed);
            assert_eq!(charge(LOOK + 1, 0), Err(Stopped::Cancelled));
            assert_eq!(charge(0, 0), Err(Stopped::Cancelled));
        });
        assert_eq!(charge(LOOK * 3, 0), Ok(()));
    }

    #[test]
    fn an_unwinding_computation_leaves_nothing_behind() {
        let broke = std::panic::catch_unwind(|| {
            within(limit(1, 1), || {
                let _ = charge(5, 5);
                std::panic::resume_unwind(Box::new(()));
            })
        });
        assert!(broke.is_err());
        assert_eq!(charge(1_000, 1_000), Ok(()));
    }

    #[test]
    fn a_value_costs_what_is_in_it() {
        let before = work();
        charge_value(&serde_json::json!([1, { "a": "x".repeat(640) }])).unwrap();
        assert_eq!(work() - before, 1 + 1 + 1 + 1 + 11);
    }
}
