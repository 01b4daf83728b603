//! Luau scripts of flows: what is wrong with one, which names it reads, and running it in a sandbox.
//!
//! Architecture Invariant: knows no node kinds, no flows and no tools. A script is a pure function of the values it is
//! given: it reaches no file, no network, no clock and no randomness, and each has a bound on its time, memory and result.

mod json;
mod names;
mod run;
mod sandbox;
mod value;
mod walk;
mod watch;

use std::fmt;

pub use names::{Name, Place, Reads, mistakes, names, reads};
pub use run::{Failure, Limits, Stop, run};

/// Bytes of a script's source.
pub const MAX_SOURCE: usize = 64 * 1024;

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
