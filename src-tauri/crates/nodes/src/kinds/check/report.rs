//! The formats of test reports that the settings of a check can name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Report {
    /// Detect the format.
    #[default]
    Auto,
    /// JUnit XML, as pytest, Node.js, Maven and Jest write it.
    Junit,
    /// Test Anything Protocol.
    Tap,
    /// `cargo test`, and errors of the Rust compiler.
    Cargo,
    /// `cargo nextest`.
    Nextest,
    /// pytest.
    Pytest,
    /// Python's `unittest`.
    Unittest,
    /// Jest, as text or `--json`.
    Jest,
    /// Vitest, as text or `--reporter=json`.
    Vitest,
    /// Mocha or Cypress, as text or JSON.
    Mocha,
    /// `node --test` with the reporter `spec` or `dot`.
    Node,
    /// RSpec, as text or `--format json`.
    Rspec,
    /// PHPUnit or Pest.
    Phpunit,
    /// `dotnet test`, as text or TRX.
    Dotnet,
    /// CTest.
    Ctest,
    /// ESLint.
    Eslint,
    /// `go test`.
    Go,
    /// Errors of TypeScript, C#, GCC, Clang or mypy.
    Compiler,
    /// No report. Only the exit code counts.
    None,
}
