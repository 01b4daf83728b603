//! Reads the output of Vitest, as text from any of its reporters or as JSON.

use std::collections::HashSet;

use crate::{
    jest, location,
    report::{Counts, Failure, Found},
    text::{add_body, dedent, indent, pairs, some},
};

/// Parses the numbers of passed and failed tests from `      Tests  4 failed | 3 passed | 2 skipped (10)`. `label` is the
/// first word.
fn sum(line: &str, label: &str) -> Option<(u64, u64)> {
    if indent(line) == 0 {
        return None;
    }
    let rest = line
        .trim_start()
        .strip_prefix(label)?
        .strip_prefix("  ")?
        .trim();
    let list = match rest.rsplit_once(" (") {
        Some((list, total)) => {
            total.strip_suffix(')')?.parse::<u64>().ok()?;
            list
        }
        None => rest,
    };
    if list == "no tests" {
        return Some((0, 0));
    }
    let parts = pairs(list, " | ")?;
    let count = |words: &[&str]| {
        parts
            .iter()
            .filter(|(_, what)| words.contains(what))
            .map(|(count, _)| *count)
            .sum()
    };
    Some((count(&["passed"]), count(&["failed", "error", "errors"])))
}

/// Returns the title between fill characters: `⎯⎯⎯⎯ Failed Tests 4 ⎯⎯⎯⎯`.
fn title(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('⎯')?.trim_matches('⎯').trim();
    (!inner.is_empty()).then_some(inner)
}

/// Parses `src/sum.test.js > sums > adds`. A project name before it is removed.
fn name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(" FAIL ")?.trim_start();
    if let Some(project) = rest.strip_prefix('|') {
        return project.split_once("| ").map(|(_, name)| name.trim());
    }
    Some(rest.trim_end())
}

/// Splits a name into its file and the rest, which is `None` for the name of a suite.
fn parts(name: &str) -> (&str, Option<&str>) {
    match name.split_once(" > ") {
        Some((file, rest)) => (file.rsplit(' ').next().unwrap_or(file), Some(rest)),
        // The form is `src/broken.test.js [ src/broken.test.js ]`.
        None => (name.split(" [ ").next().unwrap_or(name), None),
    }
}

/// Returns whether a line explains why Vitest exits with 1 although no test failed.
fn broken(line: &str) -> bool {
    line.trim_end() == "No test files found, exiting with code 1"
        || line
            .strip_prefix("ERROR: Coverage for ")
            .and_then(|rest| rest.split_once("%) does not meet "))
            .is_some_and(|(_, rest)| rest.contains(" threshold ("))
}

#[derive(Default)]
struct State {
    found: Found,
    known: HashSet<String>,
    /// The names of the failures that share the output in `body`.
    open: Vec<String>,
    body: String,
    /// The number of entries below "Failed Suites", which are not tests.
    suites: u64,
    in_suites: bool,
}

impl State {
    fn close(&mut self) {
        let body = std::mem::take(&mut self.body);
        let end = |line: &&str| {
            let line = line.trim_start();
            line.starts_with('❯') || title(line).is_some() || line.starts_with('⎯')
        };
        let said: Vec<&str> = body.lines().take_while(|line| !end(line)).collect();
        let said = dedent(&said.join("\n"));
        let place = location::first(&body);
        for name in std::mem::take(&mut self.open) {
            if !self.known.insert(name.clone()) {
                continue;
            }
            self.suites += u64::from(self.in_suites);
            let (file, rest) = parts(&name);
            let test = rest.unwrap_or(file);
            let mut failure = Failure::at(test, &said, place.clone());
            if failure.file.is_none() && rest.is_some() | file.contains('.') {
                failure.file = some(file);
            }
            self.found.add(failure);
        }
    }
}

fn words(output: &str) -> Option<Found> {
    let mut state = State::default();
    let (mut tests, mut files, mut errors) = (None::<Counts>, 0_u64, 0_u64);
    let (mut recognised, mut listed) = (false, false);
    let mut unhandled = false;
    let mut crosses: Vec<&str> = Vec::new();
    let mut outside = Vec::new();
    for line in output.lines() {
        if broken(line) {
            state.close();
            recognised = true;
            outside.push(Failure::at("Vitest", line, None));
        } else if let Some((passed, failed)) = sum(line, "Tests") {
            state.close();
            state.known.clear();
            recognised = true;
            tests = crate::report::sum(tests, Some(Counts::of(passed, failed)));
        } else if let Some((_, failed)) = sum(line, "Test Files") {
            state.close();
            recognised = true;
            files = files.saturating_add(failed);
        } else if let Some((_, failed)) = sum(line, "Errors") {
            errors = errors.saturating_add(failed);
        } else if let Some(name) = name(line) {
            if !state.body.trim().is_empty() {
                state.close();
            }
            listed = true;
            state.open.push(name.to_owned());
        } else if let Some(title) = title(line) {
            if title.starts_with('[') {
                state.close();
            } else if title.starts_with("Failed ") || title.starts_with("Unhandled ") {
                state.close();
                state.in_suites = title.starts_with("Failed Suites");
                unhandled = title.starts_with("Unhandled ");
            } else if unhandled {
                state.close();
                state.open.push(title.to_owned());
                // Several errors with the same title are separate failures.
                state.known.remove(title);
            }
        } else if line.starts_with('⎯') && unhandled {
            state.close();
        } else if !state.open.is_empty() {
            add_body(&mut state.body, line);
        } else if let Some(name) = line.trim_start().strip_prefix("× ") {
            crosses.push(name);
        }
    }
    state.close();
    if !recognised && !(listed && output.contains("⎯⎯⎯")) {
        return None;
    }
    let mut found = state.found;
    if found.failures.is_empty() {
        // The list is cut off, so the tests are named only by the progress lines.
        for cross in crosses {
            let name = match cross.rsplit_once(' ') {
                Some((name, time)) if time.ends_with("ms") => name,
                _ => cross,
            };
            let (file, rest) = parts(name.trim_end());
            let file = some(file).filter(|_| rest.is_some());
            found.add(Failure {
                name: rest.unwrap_or(name).trim_end().to_owned(),
                file,
                ..Failure::default()
            });
        }
    }
    found.failed = files > 0 || errors > 0 || !recognised || !outside.is_empty();
    for failure in outside {
        found.add(failure);
    }
    let suites = state.suites;
    found.counts = tests.map(|counts| Counts {
        failed: counts
            .failed
            .map(|failed| failed.saturating_add(suites).saturating_add(errors)),
        ..counts
    });
    Some(found)
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    jest::once(jest::machine(output, true), words(output))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_may_fail_though_its_tests_passed() {
        let passed = " Test Files  1 passed (1)\n      Tests  2 passed (2)\n";
        let line = "ERROR: Coverage for lines (50%) does not meet global threshold (90%)";
        let found = parse(&format!("{passed}{line}\n")).unwrap();
        assert!(found.failed);
        assert_eq!(found.counts, Some(Counts::of(2, 0)));
        assert_eq!(found.failures[0].message.as_deref(), Some(line));
        assert!(
            parse("No test files found, exiting with code 1\n")
                .unwrap()
                .failed
        );
        // A test printed this line.
        assert!(!parse(&format!("  {line}\n{passed}")).unwrap().failed);
        assert_eq!(parse("No test files found, exiting with code 0\n"), None);
    }
}
