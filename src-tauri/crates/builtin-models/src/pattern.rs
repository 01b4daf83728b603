//! Compiles the regular expressions of rules.

use regex::Regex;

/// Compiles the regular expression of a rule. Panics if it is invalid, which is a defect of this program.
pub(super) fn pattern(written: &str) -> Regex {
    Regex::new(written).unwrap_or_else(|error| panic!("{written}: {error}"))
}
