//! Reads the output of test programs: which tests failed, with what message, in which file and line, and how many passed.
//!
//! A parser reports only what the output says. Output that a parser does not recognise gives no report at all, and a count that
//! the output does not state is absent. Several programs, sessions and documents in one output all count. All parsers take time
//! and memory in proportion to the output, and their results are bounded by [`MAX_FAILURES`] and [`MAX_MESSAGE`].
//!
//! Architecture Invariant: pure functions of text. Knows no flows, no files and no processes.

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

pub use format::Format;
pub use hints::{Unread, unread};
pub use limits::{MAX_FAILURES, MAX_MESSAGE, MAX_NAME};
pub use report::{Counts, Failure, Report};

impl Format {
    /// Reads all that has this form in `output`; `None` where nothing of it has.
    pub fn read(self, output: &str) -> Option<Report> {
        combine::read(output, &[self])
    }
}

/// Finds every format that `output` has and reads them; `None` where it has none of them.
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
