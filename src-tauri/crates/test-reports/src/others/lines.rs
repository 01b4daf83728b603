//! Helpers that the parsers of several programs share.

use crate::report::Failure;

/// The hint for most test programs.
pub(super) const JUNIT: &str = "Make the program write a JUnit XML report, and choose that file.";

pub(super) fn named(name: &str) -> Option<Failure> {
    let name = name.trim();
    (!name.is_empty()).then(|| Failure {
        name: name.to_owned(),
        ..Failure::default()
    })
}

pub(super) fn without_level(line: &str) -> &str {
    for level in ["[INFO] ", "[ERROR] ", "[WARNING] "] {
        if let Some(rest) = line.strip_prefix(level) {
            return rest;
        }
    }
    line
}
