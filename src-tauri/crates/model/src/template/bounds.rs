//! The bounds of one rendering: how many steps, how much text; and what went wrong on the way. Time is bounded by the
//! steps and not by a clock, so that a template that renders once renders always.
//!
//! Tera has no hook for this but its filters and functions, which see no state of ours; so the account of the rendering
//! that runs on a thread is that thread's.

use std::cell::RefCell;

use serde_json::Value;

/// Bytes of a template's source.
pub(super) const MAX_SOURCE: usize = 64 * 1024;
/// Bytes of a template's text.
pub(super) const MAX_OUTPUT: usize = 8 * 1024 * 1024;
/// Names read, passes of loops and values written.
const MAX_STEPS: u64 = 4_000_000;
/// Bytes read, made and written in all, intermediate ones too.
const MAX_BYTES: u64 = 128 * 1024 * 1024;

/// Why a rendering was stopped by one of this crate's filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// The chain of this index is undefined.
    Undefined(usize),
    /// The expression as a whole has no value.
    NoValue,
    NoNumber,
    Limit(&'static str),
}

#[derive(Debug)]
struct Account {
    steps: u64,
    bytes: u64,
    stop: Option<Stop>,
    kept: Option<Value>,
}

thread_local! {
    static ACCOUNT: RefCell<Option<Account>> = const { RefCell::new(None) };
}

/// Opens the account for a rendering on this thread, runs it, and gives its result, the reason it was stopped and the
/// value it kept.
pub(super) fn within<T>(render: impl FnOnce() -> T) -> (T, Option<Stop>, Option<Value>) {
    let account = Account {
        steps: 0,
        bytes: 0,
        stop: None,
        kept: None,
    };
    ACCOUNT.with_borrow_mut(|slot| *slot = Some(account));
    let result = render();
    let account = ACCOUNT.with_borrow_mut(Option::take);
    let (stop, kept) = account.map_or((None, None), |account| (account.stop, account.kept));
    (result, stop, kept)
}

/// Records why the rendering stops. The first reason stays.
pub(super) fn stop(why: Stop) -> tera::Error {
    ACCOUNT.with_borrow_mut(|account| {
        if let Some(account) = account {
            account.stop.get_or_insert(why);
        }
    });
    tera::Error::message("stopped")
}

/// Keeps the value of the whole expression.
pub(super) fn keep(value: Value) {
    ACCOUNT.with_borrow_mut(|account| {
        if let Some(account) = account {
            account.kept = Some(value);
        }
    });
}

/// Counts one step that reads or makes `bytes`.
pub(super) fn charge(bytes: usize) -> Result<(), tera::Error> {
    let over = ACCOUNT.with_borrow_mut(|account| {
        let account = account.as_mut()?;
        account.steps += 1;
        account.bytes = account.bytes.saturating_add(bytes as u64);
        if account.steps > MAX_STEPS {
            Some("it takes more than four million steps")
        } else if account.bytes > MAX_BYTES {
            Some("what it reads and makes on the way is more than 128 MB")
        } else {
            None
        }
    });
    match over {
        Some(why) => Err(stop(Stop::Limit(why))),
        None => Ok(()),
    }
}

/// A writer that refuses more than the output's bound.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) bytes: Vec<u8>,
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
