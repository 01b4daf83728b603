//! Scripts of flows in Luau, Python and JavaScript: what is wrong with one, which names it reads, and running it.
//!
//! The interpreters and parsers are in a program of their own, `loopwright-scripts` (crate `script-worker`). It runs in processes
//! without files and network and with limits of the system. [`Pool`] starts them to run scripts; [`reads_in`], [`mistakes_in`] and
//! [`python_outline`] ask one to read a script, which runs nothing of it. A script that breaks its process ends that process alone.
//!
//! Architecture Invariant: knows no interpreter, no node kinds, no flows and no tools. A script is a pure function of the values
//! it is given: it reaches no file, no network, no clock and no randomness, and each has a bound on its time, memory and output.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod found_names;
mod language;
mod limits;
mod outline;
mod reading_cache;
pub mod wire;

// The program that runs scripts uses the rest of this crate alone.
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

/// What is wrong with a script before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mistake {
    /// From 1.
    pub line: usize,
    /// From 1, in characters, where it is known.
    pub column: Option<usize>,
    /// What is wrong and what to do, without the place.
    pub message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Mistake {}
