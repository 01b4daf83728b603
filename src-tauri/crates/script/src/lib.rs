//! Scripts of flows in Luau, Python and JavaScript: finds their mistakes and the names that they read, and runs them.
//!
//! The interpreters and parsers are in a separate program, `loopwright-scripts` (crate `script-worker`). Its processes have no
//! access to files or the network, and have system limits. [`Pool`] starts these processes to run scripts; [`reads_in`],
//! [`mistakes_in`] and [`python_outline`] use such a process to read a script without running it. A script that crashes its
//! process ends only that process.
//!
//! Architecture Invariant: the crate knows no interpreter, no node kinds, no flows and no tools. A script is a pure function
//! of its input values: it has no access to files, the network, a clock or randomness, and its time, memory and output are
//! limited.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod found_names;
mod language;
mod limits;
mod outline;
mod reading_cache;
pub mod wire;

// The program `loopwright-scripts` uses everything in this crate except the pool.
#[cfg(feature = "pool")]
mod pool;
#[cfg(feature = "pool")]
mod program;
#[cfg(feature = "pool")]
mod reading;
#[cfg(feature = "pool")]
mod worker;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use found_names::{Name, Place, Reader, Reading, Reads};
pub use language::Language;
pub use limits::{Call, Failure, Limits, MAX_DEPTH, MAX_SOURCE, Outcome, too_deep, too_long};
pub use outline::{Attribute, Outline};
#[cfg(feature = "pool")]
pub use pool::Pool;
#[cfg(feature = "pool")]
pub use program::{Unavailable, WorkerCommand, is_being_built, wait_for_builds, wait_until_built};
#[cfg(feature = "pool")]
pub use reading::{Unread, mistakes_in, python_outline, read_in_this_process, reads_in};
pub use reading_cache::{ReadingCache, reads_or_mistake};

/// A mistake in a script that is found before the script runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mistake {
    /// The number of the line with the mistake, from 1.
    pub line: usize,
    /// The column in characters, from 1, if it is known.
    pub column: Option<usize>,
    /// The problem and its remedy, without the line and column.
    pub message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Mistake {}
