//! Scripts of flows in Luau, Python and JavaScript: what is wrong with one, which names it reads, and running it.
//!
//! [`Pool`] runs scripts in worker processes of this same executable, which [`serve_if_asked`] starts; a worker has no files,
//! no network and limits of the system, and a script that breaks one ends that worker alone. [`run`] runs Luau in this
//! process.
//!
//! Architecture Invariant: knows no node kinds, no flows and no tools. A script is a pure function of the values it is
//! given: it reaches no file, no network, no clock and no randomness, and each has a bound on its time, memory and output.

#![cfg_attr(test, allow(clippy::unwrap_used))]

#[cfg(target_os = "linux")]
mod confine;
mod found_names;
mod javascript;
mod language;
mod large_stack;
mod limits;
mod luau;
mod names;
mod outline;
mod pool;
mod position;
mod python;
mod reading_cache;
mod value;
mod wire;
mod worker;

use std::fmt;

use serde_json::{Map, Value};

pub use found_names::{Name, Place, Reads};
pub use language::Language;
pub use limits::{Failure, Limits, Outcome, Stop};
pub use names::{mistakes, mistakes_in, names, python_outline, reads, reads_in};
pub use outline::{Attribute, Outline};
pub use pool::{Call, Pool, WorkerCommand};
pub use worker::serve_if_asked;

pub(crate) use limits::Logs;

/// Bytes of a script's source.
pub const MAX_SOURCE: usize = 64 * 1024;

/// How deeply values may be nested, in both directions.
pub(crate) const MAX_DEPTH: usize = 100;

/// What is wrong with a script before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// Runs a Luau script with `values` as its globals, in this process and on the calling thread, which needs a few hundred KB of
/// stack. What it prints is dropped.
///
/// # Errors
/// See [`Failure`].
pub fn run(
    source: &str,
    values: &Map<String, Value>,
    limits: Limits,
    stop: &Stop,
) -> Result<Value, Failure> {
    luau::run(source, values, limits, stop).result
}

/// Runs a script in any language in this process. Luau keeps its limits whatever the script does; an abort inside the
/// interpreter of another language ends the process.
pub(crate) fn run_here(
    language: Language,
    source: &str,
    values: &Map<String, Value>,
    limits: Limits,
    stop: &Stop,
) -> Outcome {
    if source.len() > MAX_SOURCE {
        return Outcome::failed(reading_cache::too_long(source).into());
    }
    if let Some(failure) = value::too_deep(values) {
        return Outcome::failed(failure);
    }
    match language {
        Language::Luau => luau::run(source, values, limits, stop),
        Language::Python => python::run(source, values, limits),
        Language::JavaScript => javascript::run(source, values, limits, stop),
    }
}
