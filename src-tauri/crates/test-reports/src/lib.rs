//! Reads the output of test programs: the failed tests with their messages, files and lines, and the number of passed tests.
//!
//! A parser reports only what the output contains. Unrecognized output produces no report, and a count that the output does
//! not state is `None`. All programs, sessions and documents in an output are counted. Parsers take time and memory
//! proportional to the output, and their results are bounded by [`MAX_FAILURES`] and [`MAX_MESSAGE`].
//!
//! Architecture Invariant: all functions are pure functions of text. The crate knows no flows, files or processes.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod annotations;
mod cargo;
mod combine;
mod compiler;
mod ctest;
mod dotnet;
mod eslint;
mod format;
mod go;
mod hints;
mod jest;
mod json;
mod junit;
mod limits;
mod location;
mod mocha;
mod nextest;
mod node;
mod others;
mod parsers;
mod phpunit;
mod pytest;
mod python;
mod report;
mod rspec;
mod streams;
mod tap;
mod text;
mod trx;
mod unittest;
mod vitest;

#[cfg(test)]
mod tests;

pub use format::Format;
pub use hints::{Unread, unread};
pub use limits::{MAX_FAILURES, MAX_MESSAGE, MAX_NAME};
pub use report::{Counts, Failure, Report};
pub use text::plain;

impl Format {
    /// Reads everything in `output` that has this format. Returns `None` if nothing has this format.
    pub fn read(self, output: &str) -> Option<Report> {
        combine::read(output, &[self])
    }
}

/// Reads all formats that occur in `output`. Returns `None` if no known format occurs.
pub fn detect(output: &str) -> Option<Report> {
    const EACH: [Format; 18] = {
        let mut each = [Format::Other; 18];
        let mut at = 0;
        while at < Format::ALL.len() {
            each[at] = Format::ALL[at];
            at += 1;
        }
        each
    };
    combine::read(output, &EACH)
}
