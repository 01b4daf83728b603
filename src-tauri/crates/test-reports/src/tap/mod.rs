//! Reads the Test Anything Protocol, versions 12 to 14: test points, directives, YAML diagnostics and subtests.
//!
//! A point that only summarizes its subtests is not counted. If it failed, it counts as a failure only if none of the
//! subtests failed. A plan that is not fulfilled is a failure. An output may contain several documents.

mod yaml;

use std::collections::HashSet;

use crate::{
    location::{self, Place},
    report::{Counts, Failure, Found},
    text::{add_line, some},
};
use yaml::Diagnostics;

/// The maximum nesting depth of subtests. Deeper subtests are treated as if they had this depth.
const MAX_DEPTH: usize = 32;

struct Point {
    ok: bool,
    number: Option<u64>,
    name: String,
    /// Whether the point has `# SKIP` or `# todo` and therefore counts neither as passed nor as failed.
    aside: bool,
    /// Whether the point's line ends with `{` and is followed by the subtests.
    opens: bool,
}

/// Parses `ok 1 - name # SKIP why`, without its indent.
fn point(line: &str) -> Option<Point> {
    let (ok, rest) = match line.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok")?),
    };
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let rest = rest.trim_start();
    let digits = rest.len()
        - rest
            .trim_start_matches(|char: char| char.is_ascii_digit())
            .len();
    let (number, rest) = match rest[digits..].chars().next() {
        None | Some(' ') => (rest[..digits].parse().ok(), rest[digits..].trim_start()),
        // The digits are part of the name.
        _ => (None, rest),
    };
    let rest = rest.strip_prefix("- ").unwrap_or(rest);
    let (mut name, mut directive) = (String::new(), "");
    let mut chars = rest.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some((_, next @ ('#' | '\\'))) => name.push(next),
                Some((_, next)) => name.extend(['\\', next]),
                None => name.push('\\'),
            },
            '#' if rest[..at].is_empty() || rest[..at].ends_with(' ') => {
                let after = rest[at + 1..].trim_start();
                let word = after.get(..4).unwrap_or_default();
                if word.eq_ignore_ascii_case("skip") || word.eq_ignore_ascii_case("todo") {
                    directive = after;
                    break;
                }
                name.push('#');
            }
            char => name.push(char),
        }
    }
    let opens = directive.trim_end().ends_with('{') || name.trim_end().ends_with(" {");
    let name = name.trim_end();
    let name = name.strip_suffix('{').filter(|_| opens).unwrap_or(name);
    // Some harnesses append the duration to the name.
    let name = match name.rsplit_once(" # time=") {
        Some((name, _)) => name,
        None => name,
    };
    Some(Point {
        ok,
        number,
        name: name.trim().to_owned(),
        aside: !directive.is_empty(),
        opens,
    })
}

#[derive(Default)]
struct State {
    found: Found,
    passed: u64,
    failed: u64,
    /// For each depth, whether a subtest failed since the last point at a smaller depth, or `None` if there were no
    /// subtests.
    below: Vec<Option<bool>>,
    /// The points whose subtests follow them, with their depth.
    opened: Vec<(usize, Point)>,
    /// The index of the failure to which the next diagnostics belong, or `None` if they belong to no failure.
    last: Option<usize>,
    /// The number of test points in subtests.
    inner: u64,
}

impl State {
    fn settle(&mut self, depth: usize, point: Point) {
        let below = self.below[depth + 1..].iter_mut();
        let children = below
            .filter_map(Option::take)
            .reduce(|one, other| one | other);
        self.last = None;
        let failed = !point.ok && !point.aside;
        *self.below[depth].get_or_insert(false) |= failed || children == Some(true);
        match children {
            _ if point.aside => {}
            Some(true) => {}
            Some(false) if point.ok => {}
            _ if point.ok => self.passed += 1,
            _ => {
                self.failed += 1;
                let before = self.found.failures.len();
                self.found.add(Failure {
                    name: point.name,
                    ..Failure::default()
                });
                self.last = (self.found.failures.len() > before).then_some(before);
            }
        }
    }
}

/// Parses a plan such as `1..5`. Returns the number of tests, and whether the plan skips all of them, as `1..0 # skip` does.
fn plan(line: &str) -> Option<(u64, bool)> {
    let rest = line.strip_prefix("1..")?;
    let (count, rest) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
    let count = count.trim_end().parse().ok()?;
    let why = rest.trim_start().trim_start_matches('#').trim_start();
    Some((
        count,
        why.get(..4)
            .is_some_and(|word| word.eq_ignore_ascii_case("skip")),
    ))
}

/// The state of a document at its outermost level, without subtests.
#[derive(Default)]
struct Document {
    version: bool,
    plan: Option<u64>,
    /// Whether the plan came after the tests and therefore ends the document.
    closed: bool,
    points: u64,
    /// The highest test number.
    highest: u64,
    /// The number of tests that are numbered.
    numbered: u64,
    seen: HashSet<u64>,
    bailed: bool,
}

impl Document {
    /// Returns whether the document is complete. If so, this point belongs to the next document.
    fn is_over(&self, point: &Point) -> bool {
        let full = self.plan.is_some_and(|plan| self.points >= plan);
        self.closed || full && self.points > 0 && point.number == Some(1)
    }

    fn add(&mut self, point: &Point) {
        self.points += 1;
        if let Some(number) = point.number {
            self.highest = self.highest.max(number);
            self.numbered += 1;
            self.seen.insert(number);
        }
    }

    /// Ends the document and returns whether it was TAP. Adds a failure if the document's plan is not fulfilled.
    fn end(self, state: &mut State) -> bool {
        let known =
            self.version || self.plan.is_some() && (self.points > 0 || self.plan == Some(0));
        if !known || self.bailed {
            return known;
        }
        let Some(plan) = self.plan else {
            if self.points > 0 || self.version {
                state.broken("The plan is missing: the tests ended early.");
            }
            return known;
        };
        if self.points != plan {
            let missing = (1..=plan.min(100_000)).find(|number| !self.seen.contains(number));
            let first = missing
                .filter(|_| self.points < plan && self.numbered == self.points && self.points > 0);
            let which = first.map_or_else(String::new, |number| {
                format!(" Test {number} is the first that is missing.")
            });
            state.broken(&format!(
                "The plan says 1..{plan}, and {} ran.{which}",
                self.points
            ));
        } else if self.numbered == self.points && self.points > 0 && self.seen.len() as u64 != plan
        {
            let missing = (1..=plan.min(100_000))
                .find(|number| !self.seen.contains(number))
                .unwrap_or(plan);
            state.broken(&format!(
                "The plan says 1..{plan}, a number appears twice, and test {missing} is missing."
            ));
        }
        known
    }
}

impl State {
    /// Adds a failure for an inconsistent document.
    fn broken(&mut self, why: &str) {
        self.failed += 1;
        self.found.add(Failure {
            name: "plan".to_owned(),
            message: Some(why.to_owned()),
            ..Failure::default()
        });
    }

    /// Adds a line outside YAML to the message of the last failure.
    fn says(&mut self, line: &str) {
        let Some(failure) = self.last.and_then(|at| self.found.failures.get_mut(at)) else {
            return;
        };
        let mut message = failure.message.take().unwrap_or_default();
        if failure.line.is_none()
            && let Some((file, row)) = location::first(line).or_else(|| worded(line))
        {
            (failure.file, failure.line) = (Some(file), Some(row));
        }
        if !line.trim_start().starts_with("at ") {
            add_line(&mut message, line);
        }
        failure.message =
            some(&message).map(|message| crate::text::cut(message, crate::limits::MAX_MESSAGE));
    }
}

/// Parses `at t/sums.t line 5.` and `(in test file sums.bats, line 5)`.
fn worded(line: &str) -> Option<Place> {
    let (before, rest) = line.split_once(" line ")?;
    let digits = rest
        .find(|char: char| !char.is_ascii_digit())
        .unwrap_or(rest.len());
    let row = rest[..digits].parse().ok().filter(|row| *row > 0)?;
    let before = before.trim_end_matches(',');
    let path = before
        .rsplit_once(" file ")
        .or_else(|| before.rsplit_once("at "))?
        .1;
    (!path.is_empty()).then(|| (path.to_owned(), row))
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    let mut state = State {
        below: vec![None; MAX_DEPTH + 1],
        ..State::default()
    };
    let mut document = Document::default();
    let (mut known, mut bailed) = (false, false);
    let mut yaml: Option<(Diagnostics, usize)> = None;
    for line in output.lines() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if let Some((diagnostics, at)) = &mut yaml {
            let ends = trimmed.trim_end() == "...";
            // If the next test comes first, the end of the block is missing.
            let cut = !ends && indent < *at && point(trimmed).is_some();
            if !ends && !cut {
                diagnostics.line(line);
                continue;
            }
            let (file, line) = location::apart(diagnostics.place());
            let failure = state.last.and_then(|at| state.found.failures.get_mut(at));
            if let Some(failure) = failure {
                failure.message = some(&diagnostics.message);
                (failure.file, failure.line) = (file, line);
                *failure = std::mem::take(failure).bounded();
            }
            yaml = None;
            if ends {
                continue;
            }
        }
        let depth = (indent / 4).min(MAX_DEPTH - 1);
        if trimmed.trim_end() == "---"
            && document.points
                + u64::from(state.last.is_some())
                + state.opened.len() as u64
                + state.inner
                > 0
        {
            yaml = Some((Diagnostics::default(), indent));
        } else if depth == 0 && trimmed.starts_with("TAP version ") {
            known |= std::mem::take(&mut document).end(&mut state);
            document.version = true;
            state.last = None;
        } else if let Some((count, _)) = plan(trimmed) {
            if depth == 0 {
                if document.plan.is_some() {
                    known |= std::mem::take(&mut document).end(&mut state);
                }
                document.plan = Some(count);
                document.closed = document.points > 0;
            }
            state.last = None;
        } else if let Some(why) = trimmed.strip_prefix("Bail out!") {
            (bailed, document.bailed) = (true, true);
            state.found.add(Failure {
                name: "Bail out!".to_owned(),
                message: some(why.trim()),
                ..Failure::default()
            });
            state.last = None;
        } else if trimmed.trim_end() == "}" && !state.opened.is_empty() {
            if let Some((depth, point)) = state.opened.pop() {
                state.settle(depth, point);
            }
        } else if let Some(point) = point(trimmed)
            .filter(|point| indent % 4 == 0 || point.number.is_some() && indent % 2 == 0)
        {
            if depth == 0 {
                if document.is_over(&point) {
                    known |= std::mem::take(&mut document).end(&mut state);
                }
                document.add(&point);
            } else {
                state.inner += 1;
            }
            if point.opens {
                state.below[depth + 1..].fill(None);
                state.opened.push((depth, point));
            } else {
                state.settle(depth, point);
            }
        } else if let Some(comment) = trimmed.strip_prefix('#') {
            // A comment may describe a failure that has no YAML block, or end a document.
            let comment = comment.trim_end();
            let words = comment.trim_start();
            let sum = [
                "Subtest",
                "tests ",
                "pass ",
                "fail ",
                "suites ",
                "duration_ms ",
                "cancelled ",
                "skipped ",
                "todo ",
                "Looks like ",
            ];
            if sum.iter().any(|word| words.starts_with(word)) {
                state.last = None;
            } else if !words.starts_with("Failed test ") {
                state.says(comment.strip_prefix(' ').unwrap_or(comment));
            }
        } else if indent > 0 && !trimmed.is_empty() {
            state.says(trimmed);
        } else if !trimmed.is_empty() {
            state.last = None;
        }
    }
    while let Some((depth, point)) = state.opened.pop() {
        state.settle(depth, point);
    }
    known |= document.end(&mut state);
    if !known {
        return None;
    }
    state.found.failed = bailed;
    // After a "Bail out!", the counts would be incomplete, so none are returned.
    state.found.counts = (!bailed).then(|| Counts::of(state.passed, state.failed));
    Some(state.found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(output: &str) -> (Vec<String>, Option<Counts>) {
        let found = parse(output).unwrap();
        let names = found.failures.into_iter().map(|failure| failure.name);
        (names.collect(), found.counts)
    }

    #[test]
    fn version_12_has_no_header() {
        let (names, found) =
            counts("1..4\nok 1 - a\nnot ok 2 b # todo later\nok 3 # skip no\nnot ok\n");
        assert_eq!(names, [""]);
        assert_eq!(found, Some(Counts::of(1, 1)));
        assert_eq!(parse("ok then\nnot okay\n"), None);
    }

    #[test]
    fn a_plan_that_is_not_fulfilled_is_a_failure() {
        for (output, failed, of) in [
            ("TAP version 13\nok 1 - a\n1..3\n", 1, "1..3"),
            ("1..1\nok 1\nok 2\n", 1, "1..1"),
            ("TAP version 13\nok 1 - a\n", 1, "missing"),
            ("TAP version 13\n", 1, "missing"),
            ("1..3\nok 1\nok 2\nok 2\n", 1, "test 3 is missing"),
            ("1..3\nok 1\nnot ok 3\n", 2, "Test 2 is the first"),
            ("1..0 # SKIP no database\n", 0, ""),
            ("TAP version 14\n1..0\n", 0, ""),
            ("1..2\nok\nok\n", 0, ""),
            // Two documents, with their plans first or last.
            ("1..1\nok 1\n1..2\nok 1\nok 2\n", 0, ""),
            ("ok 1\n1..1\nok 1\nok 2\n1..2\n", 0, ""),
            ("1..2\nok 1\nok 2\nok 1\n1..1\n", 0, ""),
            (
                "TAP version 13\n1..1\nok 1\nTAP version 13\n1..2\nok 1\n",
                1,
                "1..2",
            ),
        ] {
            let found = parse(output).unwrap_or_else(|| panic!("{output}"));
            assert_eq!(found.counts.unwrap().failed, Some(failed), "{output}");
            let told = found
                .failures
                .iter()
                .any(|one| one.message.as_ref().is_some_and(|said| said.contains(of)));
            assert!(failed == 0 || told, "{output} {found:?}");
        }
    }

    #[test]
    fn lines_below_a_test_say_why_it_failed() {
        let mocha = "not ok 1 sums adds\n  4 is not 5\n  Error: 4 is not 5\n      at x (test/sum.js:5:35)\nok 2 b\n# tests 2\n1..2\n";
        let failure = &parse(mocha).unwrap().failures[0];
        assert_eq!(
            failure.message.as_deref(),
            Some("4 is not 5\nError: 4 is not 5")
        );
        assert_eq!(
            (failure.file.as_deref(), failure.line),
            (Some("test/sum.js"), Some(5))
        );
        let bats =
            "1..1\nnot ok 1 adds\n# (in test file sums.bats, line 3)\n#   `[ 4 -eq 5 ]' failed\n";
        let failure = &parse(bats).unwrap().failures[0];
        assert_eq!(
            (failure.file.as_deref(), failure.line),
            (Some("sums.bats"), Some(3))
        );
        assert!(failure.message.as_deref().unwrap().contains("[ 4 -eq 5 ]"));
    }

    #[test]
    fn subtests_count_and_their_sums_do_not() {
        let both = "TAP version 14\n# Subtest: g\n    ok 1 - a\n    not ok 2 - b\n    1..2\nnot ok 1 - g\nok 2 - c\n1..2\n";
        assert_eq!(counts(both), (vec!["b".to_owned()], Some(Counts::of(2, 1))));
        let braces = "TAP version 13\nnot ok 1 - g {\n    ok 1 - a\n    not ok 2 - b\n    1..2\n}\nok 2 - c\n1..2\n";
        assert_eq!(
            counts(braces),
            (vec!["b".to_owned()], Some(Counts::of(2, 1)))
        );
        // The parent failed on its own, for example because of a wrong plan.
        let own = "TAP version 14\n    ok 1 - a\n    1..2\nnot ok 1 - g\n1..1\n";
        assert_eq!(counts(own), (vec!["g".to_owned()], Some(Counts::of(1, 1))));
    }

    #[test]
    fn diagnostics_name_the_place() {
        let output = "TAP version 13\nnot ok 1 - a \\# b\n  ---\n  message: \"got\\n4\"\n  at:\n    file: test.js\n    line: 5\n  ...\nBail out! no disk\n";
        let found = parse(output).unwrap();
        let failure = &found.failures[0];
        assert_eq!(failure.name, "a # b");
        assert_eq!(failure.message.as_deref(), Some("got\n4"));
        assert_eq!(
            (failure.file.as_deref(), failure.line),
            (Some("test.js"), Some(5))
        );
        assert_eq!(found.failures[1].message.as_deref(), Some("no disk"));
        assert_eq!(found.counts, None);
    }
}
