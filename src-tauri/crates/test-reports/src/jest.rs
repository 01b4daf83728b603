//! Reads the output of Jest, as text or `--json`, and Vitest's JSON, which has the same format.

use std::collections::HashSet;

use serde::Deserialize;

use crate::{
    json,
    location::{self, Place},
    report::{Counts, Failure, Found},
    text::{add_body, dedent, pairs, some, without_time},
};

/// The name of a failure that means that a file could not be loaded. It takes the place of a test's name.
const NOT_RUN: &str = "Test suite failed to run";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    num_passed_tests: u64,
    num_failed_tests: u64,
    #[serde(default)]
    num_runtime_error_test_suites: Option<u64>,
    #[serde(default)]
    success: Option<bool>,
    test_results: Vec<File>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    #[serde(default)]
    name: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    assertion_results: Vec<Assertion>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Assertion {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    failure_messages: Option<Vec<String>>,
    #[serde(default)]
    location: Option<Spot>,
}

#[derive(Deserialize)]
struct Spot {
    line: u32,
}

/// Returns the lines of a message that precede its stack trace.
fn said(text: &str) -> String {
    let text = crate::text::plain(text);
    let lines = text
        .lines()
        .filter(|line| !line.contains(NOT_RUN))
        .take_while(|line| !is_frame(line) && !is_excerpt(line));
    let lines: Vec<&str> = lines.collect();
    dedent(&lines.join("\n"))
}

/// Matches lines like `    at Object.toBe (sum.test.js:5:50)`.
pub(crate) fn is_frame(line: &str) -> bool {
    line.trim_start().starts_with("at ") && line.contains(':')
}

/// Reads the JSON of Jest. If `vitest` is true, reads that of Vitest instead, which lacks one of Jest's fields.
pub(crate) fn machine(output: &str, vitest: bool) -> Option<Found> {
    let documents: Vec<Document> = json::values(output, "\"numFailedTests\"");
    let mut found: Option<Found> = None;
    for document in documents {
        if document.num_runtime_error_test_suites.is_none() != vitest {
            continue;
        }
        let found = found.get_or_insert_default();
        let mut suites = 0;
        for file in document.test_results {
            let mut any = false;
            for test in file.assertion_results {
                if test.status != "failed" {
                    continue;
                }
                any = true;
                let text = test.failure_messages.unwrap_or_default().join("\n");
                let own = test.location.map(|spot| (file.name.clone(), spot.line));
                let place = location::first(&text).or(own);
                let mut name = test.ancestor_titles;
                name.push(test.title);
                let mut failure = Failure::at(&name.join(" › "), &said(&text), place);
                failure.file = failure.file.or_else(|| some(&file.name));
                found.add(failure);
            }
            if file.status == "failed" && !any {
                suites += 1;
                let place = location::first(&file.message);
                let mut failure = Failure::at(&file.name, &said(&file.message), place);
                failure.file = failure.file.or_else(|| some(&file.name));
                found.add(failure);
            }
        }
        let failed = document.num_failed_tests.saturating_add(suites);
        let counts = Counts::of(document.num_passed_tests, failed);
        found.counts = crate::report::sum(found.counts, Some(counts));
        found.failed |= document.success == Some(false);
    }
    found
}

/// Parses the numbers of passed and failed tests from `Tests:       5 failed, 1 skipped, 2 passed, 9 total`. `label` is the
/// prefix of the line.
fn sum(line: &str, label: &str) -> Option<(u64, u64)> {
    let parts = pairs(line.strip_prefix(label)?, ", ")?;
    if !parts.iter().any(|(_, what)| *what == "total") {
        return None;
    }
    let count = |word| {
        parts
            .iter()
            .find(|(_, what)| *what == word)
            .map_or(0, |(count, _)| *count)
    };
    Some((count("passed"), count("failed")))
}

/// Parses the file from `FAIL packages/a/sum.test.js (5.2 s)`. With several projects, a project name precedes the file.
fn file(line: &str) -> Option<&str> {
    // In colored output, there are spaces around the word.
    let rest = line
        .strip_prefix(' ')
        .unwrap_or(line)
        .strip_prefix("FAIL ")?;
    let name = without_time(rest).trim();
    (!name.is_empty() && name.contains('.')).then(|| name.rsplit(' ').next().unwrap_or(name))
}

/// Returns whether a line belongs to a source excerpt: `  > 5 |   expect(…)`.
fn is_excerpt(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches('>').trim_start();
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
    rest.trim_start().starts_with('|') && (rest.len() < line.len() || line.starts_with('|'))
}

/// Returns whether a line explains why Jest exits with 1 although no test failed.
fn broken(line: &str) -> bool {
    let threshold = |rest: &str| {
        rest.contains(" coverage threshold for ") && rest.contains(" not met: ")
            || rest.starts_with("Uncovered count for ") && rest.contains(" threshold (")
    };
    line.trim_end() == "No tests found, exiting with code 1"
        || line.strip_prefix("Jest: ").is_some_and(threshold)
}

struct Block {
    name: String,
    file: String,
    body: String,
}

impl Block {
    fn place(&self) -> Option<Place> {
        location::first(&self.body)
    }

    fn failure(self) -> Failure {
        let place = self.place();
        let lines = self
            .body
            .lines()
            .take_while(|line| !is_excerpt(line) && !is_frame(line));
        let said: Vec<&str> = lines.collect();
        let unloaded = self.name == NOT_RUN;
        let name = if unloaded {
            self.file.clone()
        } else {
            self.name
        };
        let mut failure = Failure::at(&name, &dedent(&said.join("\n")), place);
        if failure.file.is_none() {
            failure.file = some(&self.file);
        }
        failure
    }
}

fn words(output: &str) -> Option<Found> {
    let mut found = Found::default();
    let (mut tests, mut suites) = (None::<Counts>, 0_u64);
    let mut known = HashSet::new();
    let mut run = 0_u32;
    let mut path = String::new();
    let mut open: Option<Block> = None;
    let mut crosses = Vec::new();
    let (mut unloaded, mut recognised) = (0_u64, false);
    let mut close = |open: &mut Option<Block>, found: &mut Found, run: u32| {
        if let Some(block) = open.take()
            && known.insert((run, block.file.clone(), block.name.clone()))
        {
            unloaded += u64::from(block.name == NOT_RUN);
            found.add(block.failure());
        }
    };
    let mut outside = Vec::new();
    for line in output.lines() {
        if broken(line) {
            recognised = true;
            outside.push(Failure::at("Jest", line, None));
            close(&mut open, &mut found, run);
        } else if let Some((passed, failed)) = sum(line, "Tests: ") {
            recognised = true;
            tests = crate::report::sum(tests, Some(Counts::of(passed, failed)));
            close(&mut open, &mut found, run);
            // Jest may list a failure twice within a run, but a failure in another run is a separate one.
            run += 1;
        } else if let Some((_, failed)) = sum(line, "Test Suites: ") {
            recognised = true;
            suites = suites.saturating_add(failed);
            close(&mut open, &mut found, run);
        } else if let Some(name) = file(line) {
            close(&mut open, &mut found, run);
            path = name.trim_start_matches("./").to_owned();
        } else if let Some(name) = line.strip_prefix("  ● ") {
            close(&mut open, &mut found, run);
            if name != "Console" && !path.is_empty() {
                open = Some(Block {
                    name: name.trim_end().to_owned(),
                    file: path.clone(),
                    body: String::new(),
                });
            }
        } else if !line.is_empty() && !line.starts_with([' ', '\t'])
            || line.starts_with(" › ")
            || line.starts_with(" PASS ")
        {
            close(&mut open, &mut found, run);
            if line.trim_start().starts_with("PASS ") {
                path.clear();
            }
        } else if let Some(block) = &mut open {
            add_body(&mut block.body, line);
        } else if let Some(name) = line.trim_start().strip_prefix("✕ ") {
            crosses.push(without_time(name).to_owned());
        }
    }
    close(&mut open, &mut found, run);
    if !recognised && (found.failures.is_empty() || !output.contains("  ● ")) {
        return None;
    }
    if found.failures.is_empty() {
        for name in crosses {
            found.add(Failure {
                name,
                file: some(&path),
                ..Failure::default()
            });
        }
    }
    found.failed = suites > 0 || !outside.is_empty();
    for failure in outside {
        found.add(failure);
    }
    found.counts = tests.map(|counts| Counts {
        failed: counts.failed.map(|failed| failed.saturating_add(unloaded)),
        ..counts
    });
    Some(found)
}

/// Combines machine-readable and plain results. If both come from the same run, they are counted only once.
pub(crate) fn once(machine: Option<Found>, words: Option<Found>) -> Option<Found> {
    let passed = |found: &Found| found.counts.and_then(|counts| counts.passed);
    match (machine, words) {
        (Some(machine), Some(words))
            if passed(&machine) == passed(&words)
                && machine.failures.is_empty() == words.failures.is_empty() =>
        {
            Some(machine)
        }
        (Some(machine), Some(words)) => Some(machine.join(words)),
        (machine, words) => machine.or(words),
    }
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    once(machine(output, false), words(output))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_may_fail_though_its_tests_passed() {
        let passed = "PASS a.test.js\n\nTests:       2 passed, 2 total\n";
        for line in [
            "Jest: \"global\" coverage threshold for lines (90%) not met: 50%",
            "Jest: Uncovered count for lines (5) exceeds \"global\" threshold (1)",
        ] {
            let found = parse(&format!("{passed}{line}\n")).unwrap();
            assert!(found.failed, "{line}");
            assert_eq!(found.counts, Some(Counts::of(2, 0)), "{line}");
            assert_eq!(found.failures[0].message.as_deref(), Some(line));
            // A test printed this line.
            assert!(!parse(&format!("    {line}\n{passed}")).unwrap().failed);
        }
        let none = "No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0\n";
        assert!(parse(none).unwrap().failed);
        assert_eq!(parse("No tests found, exiting with code 0\n"), None);
    }
}
