//! Compiles the regular expressions of rules.

use regex::Regex;

/// Compiles the regular expression of a rule.
pub(super) fn pattern(written: &str) -> Regex {
    Regex::new(written).unwrap_or_else(|error| panic!("{written}: {error}"))
}
