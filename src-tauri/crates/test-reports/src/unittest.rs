//! Reads the output of Python's `unittest`, and of programs with the same output, such as Django's test runner.

use std::collections::HashSet;

use crate::{
    python,
    report::{Counts, Failure, Found},
    text::{add_body, after},
};

/// The length, in characters, of the lines that separate failures.
const RULE: usize = 70;

/// One failure in the list of failures.
struct Block {
    name: String,
    body: String,
    unexpected: bool,
    /// Whether the separator between the title and the traceback was read. Without it, the title may be output of a test.
    ruled: bool,
}

#[derive(Default)]
struct Session {
    blocks: Vec<Block>,
    /// The names on lines that end with ` ... FAIL`.
    shown: Vec<String>,
    ran: Option<u64>,
}

/// Parses the number of tests from `Ran 10 tests in 0.001s`.
fn ran(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("Ran ")?;
    let (count, rest) = rest.split_once(" test")?;
    let rest = rest.strip_prefix('s').unwrap_or(rest);
    rest.starts_with(" in ").then(|| count.parse().ok())?
}

/// Returns whether a line separates failures. The separator may follow progress dots.
fn is_rule(line: &str, mark: char) -> bool {
    let before = line.trim_end_matches(mark);
    line.len() - before.len() >= RULE && before.chars().all(|char| ".EFsxu".contains(char))
}

/// Parses the name from `FAIL: test_adds (tests.test_sums.TestSums.test_adds)`. Also returns whether the failure is an
/// unexpected success.
fn title(line: &str) -> Option<(String, bool)> {
    for (begins, unexpected) in [
        ("FAIL: ", false),
        ("ERROR: ", false),
        ("UNEXPECTED SUCCESS: ", true),
    ] {
        if let Some(name) = line.strip_prefix(begins) {
            return Some((name.trim_end().to_owned(), unexpected));
        }
    }
    None
}

/// Returns the name of a test without its subtest: `test_rows (tests.TestSums.test_rows) (row=1)` is truncated after the
/// first closing parenthesis.
fn base(name: &str) -> &str {
    name.find(')').map_or(name, |end| &name[..=end])
}

impl Session {
    fn end(mut self, verdict: Option<&str>, found: &mut Found) {
        self.blocks.retain(|block| block.ruled || block.unexpected);
        let mut tests = HashSet::new();
        for block in &self.blocks {
            // Failures outside tests are not included in the number of tests that ran.
            let fixture = [
                "setUpClass",
                "tearDownClass",
                "setUpModule",
                "tearDownModule",
            ]
            .iter()
            .any(|name| block.name.starts_with(name));
            if !fixture {
                tests.insert(base(&block.name).to_owned());
            }
        }
        let names = self.blocks.len() as u64;
        let failed = match verdict {
            Some(words) if words.starts_with("FAILED") => {
                let count = |label| after(words, label).unwrap_or(0);
                let unexpected = count("unexpected successes=");
                let errors = count("errors=")
                    .saturating_add(count("(failures="))
                    .saturating_add(unexpected);
                errors.max(1)
            }
            Some(_) => 0,
            None => names,
        };
        if let (Some(ran), Some(words)) = (self.ran, verdict) {
            let aside = after(words, "skipped=").unwrap_or(0)
                + after(words, "expected failures=").unwrap_or(0);
            let distinct = if self.blocks.is_empty() {
                failed
            } else {
                tests.len() as u64
            };
            let passed = ran.saturating_sub(aside).saturating_sub(distinct);
            found.counts = crate::report::sum(found.counts, Some(Counts::of(passed, failed)));
        }
        found.failed |= failed > 0 || verdict.is_none();
        if self.blocks.is_empty() {
            for name in self.shown {
                found.add(Failure {
                    name,
                    ..Failure::default()
                });
            }
        }
        for block in self.blocks {
            let (said, place) = python::traceback(&block.body);
            let said = if block.unexpected {
                "unexpected success".to_owned()
            } else {
                said
            };
            found.add(Failure::at(&block.name, &said, place));
        }
    }
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    let mut found = Found::default();
    let mut session = Session::default();
    let (mut recognised, mut expects_title, mut head, mut inside) = (false, false, false, false);
    for line in output.lines() {
        if let Some(count) = ran(line) {
            session.ran = Some(count);
            (inside, head, expects_title) = (false, false, false);
        } else if session.ran.is_some() {
            let verdict = line.trim_end();
            let is_verdict = ["OK", "FAILED", "NO TESTS RAN"].iter().any(|word| {
                verdict
                    .strip_prefix(word)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
            });
            if is_verdict {
                recognised = true;
                std::mem::take(&mut session).end(Some(verdict), &mut found);
            } else if is_rule(line, '=') {
                // The result of the previous session is missing.
                recognised = true;
                std::mem::take(&mut session).end(None, &mut found);
                expects_title = true;
            }
        } else if is_rule(line, '=') {
            (expects_title, inside, head) = (true, false, false);
        } else if expects_title {
            expects_title = false;
            if let Some((name, unexpected)) = title(line) {
                head = !unexpected;
                session.blocks.push(Block {
                    name,
                    body: String::new(),
                    unexpected,
                    ruled: false,
                });
            }
        } else if is_rule(line, '-') {
            if head && let Some(block) = session.blocks.last_mut() {
                block.ruled = true;
                recognised = true;
            }
            (inside, head) = (head, false);
        } else if inside {
            if let Some(block) = session.blocks.last_mut() {
                add_body(&mut block.body, line);
            }
        } else if let Some(name) = line
            .strip_suffix(" ... FAIL")
            .or_else(|| line.strip_suffix(" ... ERROR"))
        {
            session.shown.push(name.trim().to_owned());
        }
    }
    if !session.blocks.is_empty() || session.ran.is_some() {
        // The last lines of the output are missing.
        let any = session.blocks.iter().any(|block| !block.body.is_empty());
        if recognised || any {
            session.end(None, &mut found);
        }
        recognised |= any;
    }
    recognised.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_and_subtests_count() {
        let rule = "=".repeat(70);
        let thin = "-".repeat(70);
        let session = format!(
            "F\n{rule}\nFAIL: test_rows (t.T.test_rows) (row=1)\n{thin}\nTraceback (most recent call last):\n  File \"/a/t.py\", line 3, in test_rows\n    self.assertEqual(1, 2)\nAssertionError: 1 != 2\n\n{thin}\nRan 2 tests in 0.1s\n\nFAILED (failures=1)\n"
        );
        let good = format!("..\n{thin}\nRan 2 tests in 0.1s\n\nOK (skipped=1)\n");
        let found = parse(&format!("{session}{good}")).unwrap();
        assert_eq!(found.counts, Some(Counts::of(2, 1)));
        let failure = &found.failures[0];
        assert_eq!(failure.message.as_deref(), Some("AssertionError: 1 != 2"));
        assert_eq!(
            (failure.file.as_deref(), failure.line),
            (Some("/a/t.py"), Some(3))
        );
        // The output is cut off after the list.
        let cut = session.split("Ran").next().unwrap();
        let found = parse(cut).unwrap();
        assert!(found.failed && found.counts.is_none());
        assert_eq!(parse("Ran 2 tests\nOK\n"), None);
    }
}
