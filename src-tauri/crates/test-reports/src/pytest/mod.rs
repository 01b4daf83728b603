//! Reads the output of pytest: its short summary, its verbose lines, its tracebacks, and the JSON of pytest-json-report.

mod broken;
mod lines;
mod machine;
mod section;
mod sugar;

use std::collections::{HashMap, HashSet, VecDeque};

use crate::{
    jest, location,
    report::{Counts, Failure, Found},
    text::{dedent, some},
};
use broken::Broken;
use lines::{Named, has_failure, sum, summarised, title, verbose};
use section::Section;

/// One run of pytest.
#[derive(Default)]
struct Session {
    sections: HashMap<String, VecDeque<Section>>,
    summed: Vec<(Named, Option<String>)>,
    shown: Vec<Named>,
    untold: Vec<String>,
    /// Failures that pytest-sugar lists below its totals.
    listed: Vec<Failure>,
    started: bool,
    marked: bool,
    counts: Option<Counts>,
}

impl Session {
    fn is_known(&self) -> bool {
        self.started
            || self.counts.is_some()
            || !self.summed.is_empty()
            || self.marked && !self.sections.is_empty()
    }

    /// Ends the list of pytest-sugar's totals. Returns `false` if there is no such list, or if it has no counts.
    fn end_sugar(&mut self, results: &mut Option<sugar::Results>, broken: &mut Broken) -> bool {
        let Some(results) = results.take() else {
            return false;
        };
        let Some(counts) = results.counts() else {
            return false;
        };
        broken.counted();
        self.counts = crate::report::sum(self.counts, Some(counts));
        self.listed.extend(results.failures);
        true
    }

    fn end(mut self, found: &mut Found) {
        found.counts = crate::report::sum(found.counts, self.counts);
        found.failed |= self.counts.is_none() && self.marked;
        let mut known = HashSet::new();
        let shown = std::mem::take(&mut self.shown)
            .into_iter()
            .map(|name| (name, None));
        let named = std::mem::take(&mut self.summed).into_iter().chain(shown);
        for (named, summary) in named {
            if !known.insert(named.clone()) {
                continue;
            }
            let titles = named.titles();
            let section = titles
                .iter()
                .find_map(|title| self.sections.get_mut(title)?.pop_front());
            let section = section.unwrap_or_default();
            let file = named
                .test
                .split("::")
                .next()
                .unwrap_or(&named.test)
                .to_owned();
            let own = section
                .places
                .iter()
                .rev()
                .find(|(path, _)| path.ends_with(&file) && path.ends_with(".py"));
            let place = own.cloned().or_else(|| section.place());
            let message = some(&dedent(&section.message)).or(summary);
            let (at, line) = location::apart(place);
            found.add(Failure {
                name: named.name(),
                message,
                file: at.or_else(|| file.ends_with(".py").then_some(file)),
                line,
            });
        }
        if known.is_empty() && !self.listed.is_empty() {
            for failure in self.listed {
                found.add(failure);
            }
        } else if known.is_empty() {
            // Without a summary and verbose lines, the names of the tests are taken from the tracebacks.
            for title in self.untold {
                let section = self
                    .sections
                    .get_mut(&title)
                    .and_then(VecDeque::pop_front)
                    .unwrap_or_default();
                found.add(Failure::at(
                    &title,
                    &dedent(&section.message),
                    section.place(),
                ));
            }
        }
    }
}

fn words(output: &str) -> Option<Found> {
    let mut found = Found::default();
    let mut session = Session::default();
    let mut known = false;
    let (mut in_summary, mut in_traces, mut captured) = (false, false, false);
    let mut current: Option<String> = None;
    let mut broken = Broken::default();
    // Whether the line is in `FAILURES`, `ERRORS` or `PASSES`. These sections contain output of tests.
    let mut quoted = false;
    let mut results: Option<sugar::Results> = None;
    for line in output.lines() {
        if let Some(open) = &mut results {
            if open.take(line) {
                continue;
            }
            known |= session.end_sugar(&mut results, &mut broken);
        }
        if sugar::begins(line) {
            results = Some(sugar::Results::new());
            continue;
        }
        if !quoted {
            broken.line(line);
        }
        // The output of a test may look like a total.
        if let Some(counts) = sum(line).filter(|_| !captured || line.starts_with('=')) {
            session.counts = Some(counts);
            known = true;
            broken.counted();
            quoted = false;
            std::mem::take(&mut session).end(&mut found);
            (in_summary, in_traces, captured, current) = (false, false, false, None);
        } else if let Some(title) = title(line, '=') {
            if title == "test session starts" {
                if session.is_known() {
                    known = true;
                    std::mem::take(&mut session).end(&mut found);
                }
                session.started = true;
            }
            quoted = matches!(title, "FAILURES" | "ERRORS" | "PASSES");
            in_summary = title == "short test summary info";
            in_traces = matches!(title, "FAILURES" | "ERRORS");
            (captured, current) = (false, None);
        } else if in_summary {
            if let Some((named, message)) = summarised(line) {
                session.summed.push((named, message.and_then(some)));
            }
        } else if in_traces && let Some(title) = title(line, '_') {
            if title != "_" && !title.trim_matches(['_', ' ']).is_empty() {
                current = Some(title.to_owned());
                captured = false;
                session.untold.push(title.to_owned());
                session
                    .sections
                    .entry(title.to_owned())
                    .or_default()
                    .push_back(Section::default());
            }
        } else if in_traces {
            captured |= title(line, '-').is_some_and(|title| title.starts_with("Captured "));
            let section = current
                .as_ref()
                .and_then(|title| session.sections.get_mut(title)?.back_mut());
            if let Some(section) = section.filter(|_| !captured) {
                section.line(line);
            }
        } else if let Some(named) = verbose(line) {
            session.shown.push(named);
        } else if let Some((named, message)) = summarised(line)
            .filter(|(named, _)| named.test.contains(".py::") && !named.test.contains(' '))
        {
            // The title of the summary is missing, because the output is cut off.
            session.summed.push((named, message.and_then(some)));
        } else {
            session.marked |= has_failure(line);
        }
    }
    known |= session.end_sugar(&mut results, &mut broken);
    known |= session.is_known();
    if session.is_known() {
        session.end(&mut found);
    }
    let failures: Vec<Failure> = broken.failures().collect();
    known |= !failures.is_empty();
    found.failed |= !failures.is_empty();
    for failure in failures {
        found.add(failure);
    }
    known.then_some(found)
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    jest::once(machine::read(output), words(output))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_count_one_by_one() {
        let head = "============ test session starts ============\ncollected 1 item\n\n";
        let failed = "a.py F  [100%]\n===== short test summary info =====\nFAILED a.py::test_one - assert 1 == 2\n===== 1 failed in 0.05s =====\n";
        let found = parse(&format!(
            "{head}{failed}{head}b.py .  [100%]\n\n===== 1 passed in 0.05s =====\n"
        ))
        .unwrap();
        assert_eq!(found.counts, Some(Counts::of(1, 1)));
        let twice = parse(&format!("{head}{failed}{head}{failed}")).unwrap();
        assert_eq!(
            (twice.failures.len(), twice.counts),
            (2, Some(Counts::of(0, 2)))
        );
        // Another program killed the run.
        let cut = parse(&format!("{head}a.py ..F")).unwrap();
        assert!(cut.failed && cut.counts.is_none());
        assert_eq!(
            parse("1 failed in 0.05s\n").unwrap().counts,
            Some(Counts::of(0, 1))
        );
    }

    #[test]
    fn a_run_may_break_though_its_tests_passed() {
        let passed =
            "============================== 2 passed in 0.05s ===============================\n";
        let coverage = "FAIL Required test coverage of 90% not reached. Total coverage: 50.00%\n";
        let found = parse(&format!("{coverage}{passed}")).unwrap();
        assert!(found.failed);
        assert_eq!(
            (found.counts, found.failures[0].message.as_deref()),
            (Some(Counts::of(2, 0)), Some(coverage.trim_end()))
        );
        // The crash happened in a process that a test started, or in pytest itself at the end of the run.
        let crash = "Fatal Python error: Segmentation fault\n";
        assert!(!parse(&format!("{crash}{passed}")).unwrap().failed);
        assert!(parse(&format!("{passed}{crash}")).unwrap().failed);
        assert!(parse(crash).unwrap().failed);
        // A test printed these lines.
        let printed = format!(
            "==== PASSES ====\n____ test_a ____\n---- Captured stdout call ----\n{coverage}INTERNALERROR> no\n{passed}"
        );
        assert!(!parse(&printed).unwrap().failed);
    }

    #[test]
    fn totals_of_the_plugin_sugar() {
        let output = " test_a.py ⨯✓            100% ██████████\n\n――― test_adds ―――\n    assert 1 == 2\n\nResults (0.05s):\n       1 passed\n       1 failed\n         - test_a.py:1 test_adds\n";
        let found = parse(output).unwrap();
        assert_eq!(found.counts, Some(Counts::of(1, 1)));
        let failure = &found.failures[0];
        assert_eq!(
            (failure.name.as_str(), failure.file.as_deref(), failure.line),
            ("test_adds", Some("test_a.py"), Some(1))
        );
        let good = parse("Results (0.05s):\n       2 passed\n").unwrap();
        assert_eq!((good.counts, good.failed), (Some(Counts::of(2, 0)), false));
        assert_eq!(parse("Results (3 rows):\n   1 failed\n"), None);
        assert_eq!(parse("Results (0.05s):\n  - a\n"), None);
    }
}
