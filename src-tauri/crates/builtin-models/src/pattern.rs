//! The regular expressions of rules.

use regex::Regex;

/// The regular expression that a rule is written as.
pub(super) fn pattern(written: &str) -> Regex {
    Regex::new(written).unwrap_or_else(|error| panic!("{written}: {error}"))
}
