//! The bounds of one rendering, and what went wrong on the way. What a rendering does is charged to the thread's
//! [`meter`](crate::meter).
//!
//! Tera has no hook for this but its filters, tests and functions, which see no state of ours; so the account of the
//! rendering that runs on a thread is that thread's.

use std::cell::{Cell, RefCell};

use serde_json::Value;

use crate::meter::{self, BYTES_PER_UNIT, Limit, STEP, Stopped};

/// Bytes of a template's source.
pub(crate) const MAX_SOURCE: usize = 64 * 1024;
/// Bytes of a template's text.
pub(crate) const MAX_OUTPUT: usize = 8 * 1024 * 1024;
/// What one rendering may take: some two seconds of an optimised build.
pub(crate) const LIMIT: Limit = Limit {
    work: 2_000_000 * STEP,
    bytes: 128 * 1024 * 1024,
    too_much_work: "it takes more than two million steps",
    too_many_bytes: "what it reads and makes on the way is more than 128 MB",
};

/// Why a rendering was stopped by one of this crate's filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The chain of this index is undefined.
    Undefined(usize),
    /// The expression as a whole has no value.
    NoValue,
    NoNumber,
    Limit(&'static str),
    /// It was given up from outside, and nobody reads what it says.
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

/// The bytes of the longest text that the rendering on this thread may have under a name.
pub(crate) fn longest() -> usize {
    LONGEST.get()
}

/// A text of so many bytes has a name.
pub(crate) fn saw(bytes: usize) {
    LONGEST.set(LONGEST.get().max(bytes));
}

/// Opens the account for a rendering on this thread, runs it, and gives its result, the reason it was stopped and the
/// value it kept.
pub(crate) fn within<T>(render: impl FnOnce() -> T) -> (T, Option<Stop>, Option<Value>) {
    LONGEST.set(0);
    ACCOUNT.with_borrow_mut(|slot| *slot = Some(Account::default()));
    let result = meter::within(LIMIT, render);
    let account = ACCOUNT.with_borrow_mut(Option::take).unwrap_or_default();
    (result, account.stop, account.kept)
}

/// Records why the rendering stops. The first reason stays.
pub(crate) fn stop(why: Stop) -> tera::Error {
    ACCOUNT.with_borrow_mut(|account| {
        if let Some(account) = account {
            account.stop.get_or_insert(why);
        }
    });
    tera::Error::message("stopped")
}

/// Keeps the value of the whole expression.
pub(crate) fn keep(value: Value) {
    ACCOUNT.with_borrow_mut(|account| {
        if let Some(account) = account {
            account.kept = Some(value);
        }
    });
}

/// Counts one step that reads or makes `bytes`.
pub(crate) fn charge(bytes: usize) -> Result<(), tera::Error> {
    let bytes = bytes as u64;
    units(STEP + bytes / BYTES_PER_UNIT, bytes)
}

/// Counts work and bytes as they are.
pub(crate) fn units(work: u64, bytes: u64) -> Result<(), tera::Error> {
    meter::charge(work, bytes).map_err(|stopped| stop(stopped.into()))
}

/// A writer that refuses more than the output's bound.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) bytes: Vec<u8>,
}

impl std::io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + bytes.len() > MAX_OUTPUT {
            let _ = stop(Stop::Limit("its text is longer than 8 MB"));
            return Err(std::io::Error::other("too long"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
