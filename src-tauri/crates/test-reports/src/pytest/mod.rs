//! pytest: its short summary, its verbose lines, its tracebacks, and the JSON of pytest-json-report.

mod lines;
mod machine;
mod section;

use std::collections::{HashMap, HashSet, VecDeque};

use crate::{
    jest, location,
    report::{Counts, Failure, Found},
    text::{dedent, some},
};
use lines::{Named, has_failure, sum, summarised, title, verbose};
use section::Section;

/// One run of pytest.
#[derive(Default)]
struct Session {
    sections: HashMap<String, VecDeque<Section>>,
    summed: Vec<(Named, Option<String>)>,
    shown: Vec<Named>,
    untold: Vec<String>,
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
        if known.is_empty() {
            // Neither a summary nor verbose lines: the tracebacks name the tests.
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
    for line in output.lines() {
        // What a test printed may look like a session of its own.
        if let Some(counts) = sum(line).filter(|_| !captured || line.starts_with('=')) {
            session.counts = Some(counts);
            known = true;
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
            // The title of the summary is cut off.
            session.summed.push((named, message.and_then(some)));
        } else {
            session.marked |= has_failure(line);
        }
    }
    known |= session.is_known();
    if session.is_known() {
        session.end(&mut found);
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
        // Ended by something else.
        let cut = parse(&format!("{head}a.py ..F")).unwrap();
        assert!(cut.failed && cut.counts.is_none());
        assert_eq!(
            parse("1 failed in 0.05s\n").unwrap().counts,
            Some(Counts::of(0, 1))
        );
    }
}
