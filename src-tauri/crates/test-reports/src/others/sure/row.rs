//! Defines the rows of the tables of programs, and helpers that the parsers of several programs share.

use crate::{report::Failure, text};

/// A program, with the parsers of the lines in which it reports a failure.
pub(super) struct Row {
    pub(super) program: &'static str,
    pub(super) hint: &'static str,
    /// Returns whether a line says that the program failed.
    pub(super) closes: fn(&str) -> bool,
    /// Parses a line with the name of a failure. The failure counts only if the program failed.
    pub(super) names: fn(&str) -> Option<Failure>,
}

pub(super) fn nothing(_: &str) -> Option<Failure> {
    None
}

/// Creates a failure whose name is a whole line.
pub(super) fn whole(program: &str, line: &str) -> Failure {
    Failure::at(program, line.trim(), None)
}

/// Returns whether a number above zero precedes one of `words`, as in `1 error, 2 warnings`.
pub(super) fn counts(line: &str, words: &[&str]) -> bool {
    line.split(", ")
        .filter_map(text::pair)
        .any(|(count, what)| count > 0 && words.contains(&what))
}

/// Returns whether a number above zero follows `label`.
pub(super) fn is_above_zero(line: &str, label: &str) -> bool {
    text::after(line, label).is_some_and(|count| count > 0)
}
