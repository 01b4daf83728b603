//! The output formats that can be read.

use serde::{Deserialize, Serialize};

/// An output format that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JUnit XML as written by pytest, Node.js, Maven, Jest and many others.
    Junit,
    /// Test Anything Protocol, versions 12 to 14.
    Tap,
    /// Rust's test harness, as text or JSON lines, and compiler errors.
    Cargo,
    /// The output of `cargo nextest`.
    Nextest,
    /// pytest: the short summary, verbose lines, tracebacks, and the JSON of pytest-json-report.
    Pytest,
    /// The output of Python's `unittest`.
    Unittest,
    /// The output of Jest, as text or `--json`.
    Jest,
    /// The output of Vitest, as text or `--reporter=json`.
    Vitest,
    /// The output of Mocha and of tools with its reporters, as text or JSON.
    Mocha,
    /// The output of `node --test` with its `spec` or `dot` reporter.
    Node,
    /// The output of RSpec, as text or `--format json`.
    Rspec,
    /// The output of PHPUnit and Pest.
    Phpunit,
    /// The output of `dotnet test` with VSTest or Microsoft.Testing.Platform, and TRX files.
    Dotnet,
    /// The output of CTest.
    Ctest,
    /// The output of ESLint, as `stylish` text or JSON.
    Eslint,
    /// The output of `go test`, as text or `-json`.
    Go,
    /// Errors of compilers and type checkers: TypeScript, C#, GCC, Clang, mypy.
    Compiler,
    /// The output of a program of which only the totals and the names of failures are read. Flows cannot select this format.
    Other,
}

impl Format {
    /// All formats that a flow can select.
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

    /// Returns the name of the format in a flow, such as `junit`.
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

    /// Returns the format that has this name in a flow, or `None` if no format has this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }
}
