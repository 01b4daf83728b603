//! The limits of one rendering, and the reason why it stopped. The work of a rendering is charged to the thread's
//! [`meter`](crate::meter).
//!
//! Only Tera's filters, tests and functions can call code of this crate, and they cannot carry state. Therefore, the state
//! of a rendering is stored in thread-local variables of the thread that runs it.

use std::cell::{Cell, RefCell};

use serde_json::Value;

use crate::meter::{self, BYTES_PER_UNIT, Limit, STEP, Stopped};

/// The maximum size of a template's source, in bytes.
pub(crate) const MAX_SOURCE: usize = 64 * 1024;
/// The maximum size of a template's output, in bytes.
pub(crate) const MAX_OUTPUT: usize = 8 * 1024 * 1024;
/// The limit of one rendering. Reaching it takes about two seconds in an optimized build.
pub(crate) const LIMIT: Limit = Limit {
    work: 2_000_000 * STEP,
    bytes: 128 * 1024 * 1024,
    too_much_work: "it took more than two million steps",
    too_many_bytes: "it read and created more than 128 MB of values",
};

/// The reason why one of this crate's filters stopped a rendering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A name that must have a value is undefined. The number is the index of the name in the compiled template's list of
    /// chains.
    Undefined(usize),
    /// The expression as a whole has no value.
    NoValue,
    NoNumber,
    Limit(&'static str),
    /// The caller cancelled the rendering, so nobody reads its error.
    GivenUp,
}

impl From<Stopped> for Stop {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Limit(why) => Self::Limit(why),
            Stopped::Attempt | Stopped::Cancelled => Self::GivenUp,
        }
    }
}

#[derive(Debug, Default)]
struct Account {
    stop: Option<Stop>,
    kept: Option<Value>,
}

thread_local! {
    static ACCOUNT: RefCell<Option<Account>> = const { RefCell::new(None) };
    static LONGEST: Cell<usize> = const { Cell::new(0) };
}

/// Returns the size of the longest named string that this thread's rendering has created, in bytes.
pub(crate) fn longest() -> usize {
    LONGEST.get()
}

/// Records the size, in bytes, of a string to which the template gives a name. [`longest`] returns the largest one.
pub(crate) fn saw(bytes: usize) {
    LONGEST.set(LONGEST.get().max(bytes));
}

/// Runs a rendering on this thread with fresh state. Returns its result, the reason why it was stopped (`None` if it was not),
/// and the value that it stored with [`keep`], if any.
pub(crate) fn within<T>(render: impl FnOnce() -> T) -> (T, Option<Stop>, Option<Value>) {
    LONGEST.set(0);
    ACCOUNT.with_borrow_mut(|slot| *slot = Some(Account::default()));
    let result = meter::within(LIMIT, render);
    let account = ACCOUNT.with_borrow_mut(Option::take).unwrap_or_default();
    (result, account.stop, account.kept)
}

/// Records why the rendering stops, unless a reason is already recorded. Returns the error that a filter must return to make
/// Tera stop.
pub(crate) fn stop(why: Stop) -> tera::Error {
    ACCOUNT.with_borrow_mut(|account| {
        if let Some(account) = account {
            account.stop.get_or_insert(why);
        }
    });
    tera::Error::message("stopped")
}

/// Stores the value of the whole expression, which [`within`] returns.
pub(crate) fn keep(value: Value) {
    ACCOUNT.with_borrow_mut(|account| {
        if let Some(account) = account {
            account.kept = Some(value);
        }
    });
}

/// Charges the meter for one step that reads or creates `bytes` bytes.
pub(crate) fn charge(bytes: usize) -> Result<(), tera::Error> {
    let bytes = bytes as u64;
    units(STEP + bytes / BYTES_PER_UNIT, bytes)
}

/// Charges the meter for exactly these amounts of work and bytes.
pub(crate) fn units(work: u64, bytes: u64) -> Result<(), tera::Error> {
    meter::charge(work, bytes).map_err(|stopped| stop(stopped.into()))
}

/// A writer that collects a template's output. It fails if the output becomes larger than the maximum size.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) bytes: Vec<u8>,
}

impl std::io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + bytes.len() > MAX_OUTPUT {
            let _ = stop(Stop::Limit("its output is larger than 8 MB"));
            return Err(std::io::Error::other("too long"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
