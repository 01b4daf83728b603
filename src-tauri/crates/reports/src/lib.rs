//! Reads the output of test programs: which tests failed, with what message, in which file and line, and how many passed.
//!
//! A parser reports only what the output says. Output that a parser does not recognise gives no report at all, and a count that
//! the output does not state is absent. All parsers take time and memory in proportion to the output, and their results are
//! bounded by [`MAX_FAILURES`] and [`MAX_MESSAGE`].
//!
//! Architecture Invariant: pure functions of text. Knows no flows, no files and no processes.

mod cargo;
mod eslint;
mod go;
mod junit;
mod location;
mod pytest;
mod tap;
mod text;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The most failures that a report lists. [`Counts::failed`] still counts all of them.
pub const MAX_FAILURES: usize = 500;
/// The most bytes of a message; a longer one is cut and ends with `…`.
pub const MAX_MESSAGE: usize = 2_000;
/// The most bytes of a name or a path.
pub const MAX_NAME: usize = 500;

/// A form of output that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JUnit XML, as pytest, Node.js, Maven, Jest and many others write it.
    Junit,
    /// Test Anything Protocol, versions 12 to 14.
    Tap,
    /// Rust's test harness, as text or JSON lines, and errors of the compiler.
    Cargo,
    /// pytest: the short summary, verbose lines and tracebacks.
    Pytest,
    /// ESLint, `stylish` or `json`.
    Eslint,
    /// `go test`, as text or `-json`.
    Go,
}

impl Format {
    /// All formats, in the order in which [`detect`] tries them: those with an unmistakable beginning come first.
    pub const ALL: [Self; 6] = [
        Self::Junit,
        Self::Tap,
        Self::Pytest,
        Self::Go,
        Self::Cargo,
        Self::Eslint,
    ];

    /// The name in a flow: `junit`, `tap`, `cargo`, `pytest`, `eslint`, `go`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Junit => "junit",
            Self::Tap => "tap",
            Self::Cargo => "cargo",
            Self::Pytest => "pytest",
            Self::Eslint => "eslint",
            Self::Go => "go",
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    /// Reads `output` in this form; `None` where nothing of it has this form.
    pub fn read(self, output: &str) -> Option<Report> {
        let output = text::plain(output);
        self.parse(&output)
    }

    fn parse(self, output: &str) -> Option<Report> {
        let found = match self {
            Self::Junit => junit::parse(output),
            Self::Tap => tap::parse(output),
            Self::Cargo => cargo::parse(output),
            Self::Pytest => pytest::parse(output),
            Self::Eslint => eslint::parse(output),
            Self::Go => go::parse(output),
        }?;
        Some(Report {
            format: self,
            failures: found.failures,
            counts: found.counts,
        })
    }
}

/// What a test program reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The form in which the output was read.
    pub format: Format,
    /// The failures in the order of the output, [`MAX_FAILURES`] at most.
    pub failures: Vec<Failure>,
    /// `None` where the output does not say how many tests there were.
    pub counts: Option<Counts>,
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

/// Finds the format of `output` and reads it; `None` where it has none of them.
pub fn detect(output: &str) -> Option<Report> {
    let output: Cow<str> = text::plain(output);
    Format::ALL
        .into_iter()
        .find_map(|format| format.parse(&output))
}

/// What a parser found.
#[derive(Debug, Default, PartialEq)]
struct Found {
    failures: Vec<Failure>,
    counts: Option<Counts>,
}

impl Found {
    /// Adds a failure, cut to the bounds, unless there are enough.
    fn add(&mut self, failure: Failure) {
        if self.failures.len() < MAX_FAILURES {
            self.failures.push(failure.bounded());
        }
    }
}

impl Failure {
    fn bounded(mut self) -> Self {
        self.name = text::cut(self.name, MAX_NAME);
        self.message = self
            .message
            .map(|message| text::cut(message, MAX_MESSAGE))
            .filter(|message| !message.trim().is_empty());
        self.file = self.file.map(|file| text::cut(file, MAX_NAME));
        self
    }
}

impl Counts {
    fn of(passed: u64, failed: u64) -> Self {
        Self {
            passed: Some(passed),
            failed: Some(failed),
        }
    }
}
