//! Recognizes programs whose output cannot be read, or can be read only in part. For each there is a hint about how to get a
//! readable report.

use serde::Serialize;

use crate::format::Format;

/// A program whose output is not fully read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// The program's name.
    pub program: &'static str,
    /// A sentence that says how to make the program print or write a readable report.
    pub hint: &'static str,
}

const fn unread_by(program: &'static str, hint: &'static str) -> Unread {
    Unread { program, hint }
}

/// The known programs whose output is not read. A program is recognized if all its strings occur in the output.
const KNOWN: [(&[&str], Unread); 10] = [
    (
        &["<test-run ", "<test-suite "],
        unread_by(
            "NUnit XML",
            "Use `dotnet test --logger trx`, or a logger that writes JUnit XML.",
        ),
    ),
    (
        &["<assemblies", "<assembly "],
        unread_by(
            "xUnit.net XML",
            "Use `dotnet test --logger trx`, or a logger that writes JUnit XML.",
        ),
    ),
    (
        &["<section class=\"suite\">"],
        unread_by(
            "Mocha's reporter `doc`",
            "Use the reporter `spec`, `json` or `xunit`.",
        ),
    ),
    (
        &["DA:", "SF:", "end_of_record"],
        unread_by(
            "a coverage report",
            "Add a reporter that prints the tests, such as `spec` or `tap`.",
        ),
    ),
    (
        &["\"elements\"", "\"keyword\"", "\"steps\""],
        unread_by("Cucumber's JSON", "Use `--format junit`."),
    ),
    (
        &["##teamcity[test"],
        unread_by(
            "TeamCity's messages",
            "Leave out the reporter `teamcity`, or write JUnit XML and choose that report file.",
        ),
    ),
    (
        &["[==========] Running "],
        unread_by(
            "GoogleTest",
            "Use `--gtest_output=xml:report.xml` and choose that report file.",
        ),
    ),
    (
        &["> Task :", ":test"],
        unread_by("Gradle", "Choose a report file under `build/test-results`."),
    ),
    (
        &["T E S T S"],
        unread_by(
            "Maven Surefire",
            "Choose a report file under `target/surefire-reports`.",
        ),
    ),
    (
        &["Running Suite: ", "Random Seed: "],
        unread_by(
            "Ginkgo",
            "Use `--junit-report=report.xml` and choose that report file.",
        ),
    ),
];

/// Returns the known program whose output this seems to be, or `None`. Call this if no format can read the output.
pub fn unread(output: &str) -> Option<Unread> {
    let output = crate::text::plain(output);
    KNOWN
        .into_iter()
        .find(|(parts, _)| parts.iter().all(|part| output.contains(part)))
        .map(|(_, unread)| unread)
}

impl Format {
    /// Returns a sentence that says how to get a more detailed report than the plain output.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Junit | Self::Tap => "Make the program write complete reports to a file.",
            Self::Cargo => "Make cargo print all of its output, or use `cargo nextest run`.",
            Self::Nextest => {
                "Configure nextest to write JUnit XML (`[profile.ci.junit]` in `.config/nextest.toml`), and choose that report file."
            }
            Self::Pytest => {
                "Use `--junit-xml=report.xml` and choose that report file, or `-ra` without `--no-summary`."
            }
            Self::Unittest => {
                "Make the program print all of its output, or run the tests with `python3 -m pytest`."
            }
            Self::Jest => "Use `--json`.",
            Self::Vitest => "Use `--reporter=json`.",
            Self::Mocha => "Use `--reporter json`.",
            Self::Node => "Use `--test-reporter=tap` or `--test-reporter=junit`.",
            Self::Rspec => "Use `--format json`.",
            Self::Phpunit => "Use `--log-junit report.xml` and choose that report file.",
            Self::Dotnet => "Use `--logger trx` and choose that report file.",
            Self::Ctest => {
                "Use `--output-on-failure`, or `--output-junit report.xml` and choose that report file."
            }
            Self::Eslint => "Use `--format json`.",
            Self::Go => "Use `-json`.",
            Self::Compiler | Self::Other => "Make the program print all of its output.",
        }
    }
}
