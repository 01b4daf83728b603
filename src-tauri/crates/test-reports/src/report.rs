//! The result of reading test output: failures and counts.

use serde::Serialize;

use crate::{
    format::Format,
    hints::Unread,
    limits::{MAX_FAILURES, MAX_MESSAGE, MAX_NAME},
    location, text,
};

/// The report of a test program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The format of the output. If the output has several formats, it is the format of the first part with a failure.
    pub format: Format,
    /// The failures in the order of the output, at most [`MAX_FAILURES`](crate::limits::MAX_FAILURES).
    pub failures: Vec<Failure>,
    /// The numbers of tests, or `None` if the output does not contain them.
    pub counts: Option<Counts>,
    /// Whether the output says that something failed, with or without details.
    pub failed: bool,
    /// The program whose output was read only in part, if only the totals and names were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partly: Option<Unread>,
}

/// A test that failed, or a problem that a linter or compiler found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Failure {
    /// The name of the test as the program writes it. For a linter, the name of the rule.
    pub name: String,
    pub message: Option<String>,
    /// The path of the file as the program writes it, relative or absolute, or `None` if the output does not name the file.
    pub file: Option<String>,
    /// The line number, counted from 1, or `None` if the output does not contain it.
    pub line: Option<u32>,
}

/// The numbers of tests. Skipped tests are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// The number of passed tests, or `None` if the output does not contain it, as with a linter.
    pub passed: Option<u64>,
    pub failed: Option<u64>,
}

/// What a parser found in the output.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Found {
    pub(crate) failures: Vec<Failure>,
    pub(crate) counts: Option<Counts>,
    /// Whether the output says that something failed, even if it has no failures and counts.
    pub(crate) failed: bool,
    /// Whether the failures only explain an exit code. On their own, they do not show that the run failed.
    pub(crate) weak: bool,
    pub(crate) partly: Option<Unread>,
}

impl Found {
    /// Adds a failure, shortened to the limits, unless the list is full.
    pub(crate) fn add(&mut self, failure: Failure) {
        if self.failures.len() < MAX_FAILURES {
            self.failures.push(failure.bounded());
        }
    }

    /// Appends the findings in `other`.
    pub(crate) fn join(mut self, other: Self) -> Self {
        for failure in other.failures {
            self.add(failure);
        }
        self.counts = sum(self.counts, other.counts);
        self.failed |= other.failed;
        self.weak &= other.weak;
        self.partly = self.partly.or(other.partly);
        self
    }
}

impl Failure {
    pub(crate) fn bounded(mut self) -> Self {
        self.name = text::cut(self.name, MAX_NAME);
        self.message = self
            .message
            .map(|message| text::cut(message, MAX_MESSAGE))
            .filter(|message| !message.trim().is_empty());
        self.file = self.file.map(|file| text::cut(file, MAX_NAME));
        self
    }

    /// Creates a failure. `place` is its source location, or `None` if that is unknown.
    pub(crate) fn at(name: &str, message: &str, place: Option<location::Place>) -> Self {
        let (file, line) = location::apart(place);
        Self {
            name: name.to_owned(),
            message: text::some(message),
            file,
            line,
        }
    }
}

impl Counts {
    pub(crate) fn of(passed: u64, failed: u64) -> Self {
        Self {
            passed: Some(passed),
            failed: Some(failed),
        }
    }
}

/// Returns the sum of the known counts of both values; `None` if neither is known.
pub(crate) fn sum(one: Option<Counts>, other: Option<Counts>) -> Option<Counts> {
    let (Some(a), Some(b)) = (one, other) else {
        return one.or(other);
    };
    let add = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    };
    Some(Counts {
        passed: add(a.passed, b.passed),
        failed: add(a.failed, b.failed),
    })
}
