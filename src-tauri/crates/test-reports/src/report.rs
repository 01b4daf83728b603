//! What was read: failures and counts.

use serde::Serialize;

use crate::{
    format::Format,
    hints::Unread,
    limits::{MAX_FAILURES, MAX_MESSAGE, MAX_NAME},
    location, text,
};

/// What a test program reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The form in which the output was read; of several, that of the first part in which something failed.
    pub format: Format,
    /// The failures in the order of the output, [`MAX_FAILURES`](crate::limits::MAX_FAILURES) at most.
    pub failures: Vec<Failure>,
    /// `None` where the output does not say how many tests there were.
    pub counts: Option<Counts>,
    /// The output says that something failed, whether or not it says what.
    pub failed: bool,
    /// A program of which only totals and names were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partly: Option<Unread>,
}

/// A test that failed, or a problem that a linter or compiler found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Failure {
    /// The test's name as the program writes it; of a linter, the rule.
    pub name: String,
    pub message: Option<String>,
    /// The file as the program writes it, relative or whole.
    pub file: Option<String>,
    /// From 1.
    pub line: Option<u32>,
}

/// How many tests there were. Skipped tests count as neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// `None` where the output does not say it, as for a linter.
    pub passed: Option<u64>,
    pub failed: Option<u64>,
}

/// What a parser found.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Found {
    pub(crate) failures: Vec<Failure>,
    pub(crate) counts: Option<Counts>,
    /// The output says that something failed, although no failure and no count does.
    pub(crate) failed: bool,
    /// Its failures explain an exit code, and are none by themselves.
    pub(crate) weak: bool,
    pub(crate) partly: Option<Unread>,
}

impl Found {
    /// Adds a failure, cut to the bounds, unless there are enough.
    pub(crate) fn add(&mut self, failure: Failure) {
        if self.failures.len() < MAX_FAILURES {
            self.failures.push(failure.bounded());
        }
    }

    /// Both, one after the other.
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

    /// A failure with a place that may be unknown.
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

/// The sum of what is known of both.
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
