//! Counts the work of pure computations (templates, expressions, schema checks), so that each is bounded and can be ended.
//!
//! A computation charges what it does. Limits are in work and bytes and never in time: a computation that succeeds once
//! succeeds always. Three scopes set limits, and may be nested:
//!
//! - [`within`]: the limit of the computation itself. Beyond it the computation fails, the same way each time.
//! - [`attempt`]: the share of a first attempt. Beyond it the attempt is given up, and its result is discarded.
//! - [`until`]: a flag that another thread sets once nobody waits for the result.
//!
//! The libraries that compute (Tera, jsonschema) take no state of ours along, so the meter belongs to the thread. Code that
//! runs outside of every scope is counted and not limited.

use std::{
    cell::{Cell, RefCell},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::Value;

/// What one step of an interpreter costs: a filter, a pass of a loop. A unit of work takes some 50 ns.
pub const STEP: u64 = 16;
/// Bytes of text that a unit of work reads.
pub const BYTES_PER_UNIT: u64 = 64;
/// Units of work between two looks at the flag of [`until`]: a few milliseconds.
const LOOK: u64 = 64 * 1024;

/// Bounds of one computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Units, see [`STEP`].
    pub work: u64,
    /// Bytes made and read on the way.
    pub bytes: u64,
    /// How a message says that the work was too much: "it takes more than two million steps".
    pub too_much_work: &'static str,
    pub too_many_bytes: &'static str,
}

/// Why a computation must not continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Its own limit is reached; the words say which.
    Limit(&'static str),
    /// It was only an attempt. The result is discarded, whatever it is.
    Attempt,
    /// Nobody waits for it any more.
    Cancelled,
}

/// The limits in effect on this thread.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    work: u64,
    bytes: u64,
    /// What is reported at each of the two.
    at_work: Stopped,
    at_bytes: Stopped,
}

const NO_BOUNDS: Bounds = Bounds {
    work: u64::MAX,
    bytes: u64::MAX,
    at_work: Stopped::Attempt,
    at_bytes: Stopped::Attempt,
};

struct Meter {
    /// Charged on this thread since it began.
    work: Cell<u64>,
    bytes: Cell<u64>,
    /// Work up to which nothing has to be looked at.
    clear: Cell<u64>,
    bounds: Cell<Bounds>,
    /// Why the computation has to stop. Every further charge says the same until the scope that it belongs to is left.
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
    /// A bound is reached, or the flag has to be looked at.
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

    /// Sets the flag that is looked at; gives the one before.
    fn set_flag(&self, flag: Option<Arc<AtomicBool>>) -> Option<Arc<AtomicBool>> {
        self.has_flag.set(flag.is_some());
        let before = self.flag.replace(flag);
        self.clear_ahead();
        before
    }
}

/// Counts `work` units and `bytes` bytes.
///
/// # Errors
/// A bound is reached; the caller stops.
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

/// Counts the reading of a text.
///
/// # Errors
/// As [`charge`].
#[inline]
pub fn charge_text(text: &str) -> Result<(), Stopped> {
    charge(1 + text.len() as u64 / BYTES_PER_UNIT, 0)
}

/// Counts the reading of a value and of everything within it.
///
/// # Errors
/// As [`charge`].
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

/// Units of work charged on this thread since it began.
pub fn work() -> u64 {
    METER.with(|meter| meter.work.get())
}

/// Puts back what was in effect, also when the computation unwinds.
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
    /// A bound of an outer scope that is reached is reached there too; its own is over with the scope.
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

/// Narrows the bounds to what `limit` allows beyond what is charged now, where they are not narrower already.
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

/// Runs a computation within its own limit.
pub fn within<T>(limit: Limit, computation: impl FnOnce() -> T) -> T {
    let _leave = enter(
        limit,
        Stopped::Limit(limit.too_much_work),
        Stopped::Limit(limit.too_many_bytes),
    );
    computation()
}

/// Runs a computation that is given up beyond `limit`: `None`. It is then as if it had not begun.
pub fn attempt<T>(limit: Limit, computation: impl FnOnce() -> T) -> Option<T> {
    let _leave = enter(limit, Stopped::Attempt, Stopped::Attempt);
    let result = computation();
    let given_up = METER.with(|meter| meter.stopped.get() == Some(Stopped::Attempt));
    (!given_up).then_some(result)
}

/// Runs a computation that stops soon after `flag` is set.
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

/// Runs a part of a computation on a thread with a stack of its own, within the bounds that are in effect here. `None`: there
/// is no memory for it.
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
