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
mod go;
mod hints;
mod jest;
mod json;
mod junit;
mod location;
mod mocha;
mod nextest;
mod node;
mod others;
mod phpunit;
mod pytest;
mod python;
mod rspec;
mod streams;
mod tap;
mod text;
mod trx;
mod unittest;
mod vitest;

use serde::{Deserialize, Serialize};

pub use hints::{Unread, unread};

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
    /// `cargo nextest`.
    Nextest,
    /// pytest: the short summary, verbose lines, tracebacks, and the JSON of pytest-json-report.
    Pytest,
    /// Python's own `unittest`.
    Unittest,
    /// Jest, as text or `--json`.
    Jest,
    /// Vitest, as text or `--reporter=json`.
    Vitest,
    /// Mocha and what uses its reporters, as text or JSON.
    Mocha,
    /// `node --test` with its `spec` or `dot` reporter.
    Node,
    /// RSpec, as text or `--format json`.
    Rspec,
    /// PHPUnit and Pest.
    Phpunit,
    /// `dotnet test` of VSTest and Microsoft.Testing.Platform, and TRX files.
    Dotnet,
    /// CTest.
    Ctest,
    /// ESLint, `stylish` or `json`.
    Eslint,
    /// `go test`, as text or `-json`.
    Go,
    /// Errors of compilers and type checkers: TypeScript, C#, GCC, Clang, mypy.
    Compiler,
    /// A program of which only totals and names are read. No flow can ask for it.
    Other,
}

impl Format {
    /// All formats that a flow can name.
    pub const ALL: [Self; 17] = [
        Self::Junit,
        Self::Tap,
        Self::Pytest,
        Self::Unittest,
        Self::Go,
        Self::Nextest,
        Self::Cargo,
        Self::Jest,
        Self::Vitest,
        Self::Mocha,
        Self::Node,
        Self::Rspec,
        Self::Phpunit,
        Self::Dotnet,
        Self::Ctest,
        Self::Eslint,
        Self::Compiler,
    ];

    /// The name in a flow, such as `junit`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Junit => "junit",
            Self::Tap => "tap",
            Self::Cargo => "cargo",
            Self::Nextest => "nextest",
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::Jest => "jest",
            Self::Vitest => "vitest",
            Self::Mocha => "mocha",
            Self::Node => "node",
            Self::Rspec => "rspec",
            Self::Phpunit => "phpunit",
            Self::Dotnet => "dotnet",
            Self::Ctest => "ctest",
            Self::Eslint => "eslint",
            Self::Go => "go",
            Self::Compiler => "compiler",
            Self::Other => "other",
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    /// Reads all that has this form in `output`; `None` where nothing of it has.
    pub fn read(self, output: &str) -> Option<Report> {
        combine::read(output, &[self])
    }

    fn parse(self, output: &str) -> Option<Report> {
        let found = match self {
            Self::Junit => junit::parse(output),
            Self::Tap => tap::parse(output),
            Self::Cargo => cargo::parse(output),
            Self::Nextest => nextest::parse(output),
            Self::Pytest => pytest::parse(output),
            Self::Unittest => unittest::parse(output),
            Self::Jest => jest::parse(output),
            Self::Vitest => vitest::parse(output),
            Self::Mocha => mocha::parse(output),
            Self::Node => node::parse(output),
            Self::Rspec => rspec::parse(output),
            Self::Phpunit => phpunit::parse(output),
            Self::Dotnet => dotnet::parse(output),
            Self::Ctest => ctest::parse(output),
            Self::Eslint => eslint::parse(output),
            Self::Go => go::parse(output),
            Self::Compiler => compiler::parse(output),
            Self::Other => others::parse(output),
        }?;
        let counted = found.counts.and_then(|counts| counts.failed).unwrap_or(0);
        let failed = found.failed || !found.weak && (counted > 0 || !found.failures.is_empty());
        Some(Report {
            format: self,
            failures: found.failures,
            counts: found.counts,
            failed,
            partly: found.partly,
        })
    }
}

/// What a test program reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The form in which the output was read; of several, that of the first part in which something failed.
    pub format: Format,
    /// The failures in the order of the output, [`MAX_FAILURES`] at most.
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

/// What a parser found.
#[derive(Debug, Default, PartialEq)]
struct Found {
    failures: Vec<Failure>,
    counts: Option<Counts>,
    /// The output says that something failed, although no failure and no count does.
    failed: bool,
    /// Its failures explain an exit code, and are none by themselves.
    weak: bool,
    partly: Option<Unread>,
}

impl Found {
    /// Adds a failure, cut to the bounds, unless there are enough.
    fn add(&mut self, failure: Failure) {
        if self.failures.len() < MAX_FAILURES {
            self.failures.push(failure.bounded());
        }
    }

    /// Both, one after the other.
    fn join(mut self, other: Self) -> Self {
        for failure in other.failures {
            self.add(failure);
        }
        self.counts = combine::sum(self.counts, other.counts);
        self.failed |= other.failed;
        self.weak &= other.weak;
        self.partly = self.partly.or(other.partly);
        self
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

    /// A failure with a place that may be unknown.
    fn at(name: &str, message: &str, place: Option<location::Place>) -> Self {
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
    fn of(passed: u64, failed: u64) -> Self {
        Self {
            passed: Some(passed),
            failed: Some(failed),
        }
    }
}
