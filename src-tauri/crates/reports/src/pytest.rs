//! pytest's text: its short summary, its verbose lines and its tracebacks.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::{
    Counts, Failure, Found,
    location::{self, Place},
    text::{add_line, some},
};

/// A traceback with its title.
#[derive(Default)]
struct Section {
    message: String,
    /// Places at the beginnings of lines: where each call stands, and last where it was raised.
    places: Vec<Place>,
}

/// Places that are kept of one traceback.
const MAX_PLACES: usize = 200;

/// `3 failed, 2 passed, 1 skipped, 2 errors in 0.08s`, with or without `=` around it.
fn sum(line: &str) -> Option<Counts> {
    let line = line.trim_matches('=').trim();
    let (counts, took) = line.rsplit_once(" in ")?;
    let took = took.split(' ').next()?;
    took.strip_suffix('s')?.parse::<f64>().ok()?;
    if counts == "no tests ran" {
        return Some(Counts::of(0, 0));
    }
    let (mut passed, mut failed) = (0_u64, 0_u64);
    for part in counts.split(", ") {
        let (count, what) = part.split_once(' ')?;
        let count: u64 = count.parse().ok()?;
        match what {
            "passed" => passed = passed.saturating_add(count),
            "failed" | "error" | "errors" => failed = failed.saturating_add(count),
            "skipped" | "xfailed" | "xpassed" | "deselected" | "warning" | "warnings" | "rerun" => {
            }
            _ => return None,
        }
    }
    Some(Counts::of(passed, failed))
}

/// `name` between marks that fill the line: `___ test_adds ___`, `=== FAILURES ===`.
fn title(line: &str, mark: char) -> Option<&str> {
    let inner = line.strip_prefix(mark)?.trim_matches(mark);
    let inner = inner.strip_prefix(' ')?.strip_suffix(' ')?;
    (line.ends_with(mark) && !inner.is_empty()).then_some(inner)
}

/// Separates `path::test[a - b] - message`: the first ` - ` outside of brackets.
fn described(rest: &str) -> (&str, Option<&str>) {
    let mut depth = 0_i32;
    for (at, char) in rest.char_indices() {
        match char {
            '[' => depth += 1,
            ']' => depth -= 1,
            ' ' if depth <= 0 && rest[at..].starts_with(" - ") => {
                return (&rest[..at], Some(&rest[at + 3..]));
            }
            _ => {}
        }
    }
    match rest.split_once(" - ") {
        // A bracket that never closes.
        Some((name, message)) => (name, Some(message)),
        None => (rest, None),
    }
}

/// The title of the traceback of a test: `a/test_x.py::TestGroup::test_raises` is `TestGroup.test_raises`.
fn titles(name: &str, error: bool) -> Vec<String> {
    let parts: Vec<&str> = name.split("::").collect();
    let inner = parts[1..].join(".");
    if !error {
        return vec![inner];
    }
    if inner.is_empty() {
        return vec![format!("ERROR collecting {name}")];
    }
    vec![
        format!("ERROR at setup of {inner}"),
        format!("ERROR at teardown of {inner}"),
    ]
}

/// `test_x.py::test_adds FAILED   [ 28%]`, and as xdist writes it, `[gw0] [ 50%] FAILED test_x.py::test_adds`.
fn verbose(line: &str) -> Option<(&str, bool)> {
    let is_test = |name: &str| name.contains("::") || name.ends_with(".py");
    for (mark, error) in [("FAILED", false), ("ERROR", true)] {
        let Some((before, after)) = line.split_once(mark) else {
            continue;
        };
        if before.starts_with("[gw") && before.ends_with(' ') {
            return Some((after.trim(), error)).filter(|(name, _)| is_test(name));
        }
        let after = after.trim();
        if before.ends_with(' ') && (after.is_empty() || after.starts_with('[')) {
            let name = before.trim_end();
            return Some((name, error)).filter(|(name, _)| is_test(name));
        }
    }
    None
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    let mut sections: HashMap<String, VecDeque<Section>> = HashMap::new();
    // Names with whether they are errors and what the summary says of them.
    let (mut summed, mut shown) = (Vec::new(), Vec::new());
    let mut untold: Vec<(String, bool)> = Vec::new();
    let (mut started, mut counts) = (false, None);
    let (mut in_summary, mut in_traces) = (false, false);
    let mut current: Option<String> = None;
    let mut captured = false;
    for line in output.lines() {
        if let Some(found) = sum(line) {
            counts = Some(found);
            (in_summary, in_traces, current) = (false, false, None);
        } else if let Some(title) = title(line, '=') {
            started |= title == "test session starts";
            in_summary = title == "short test summary info";
            in_traces = matches!(title, "FAILURES" | "ERRORS");
            current = None;
        } else if in_summary {
            for (begins, error) in [("FAILED ", false), ("ERROR ", true)] {
                if let Some(rest) = line.strip_prefix(begins) {
                    let (name, message) = described(rest);
                    summed.push((name, error, message));
                }
            }
        } else if in_traces && let Some(title) = title(line, '_') {
            if title != "_" && !title.trim_matches(['_', ' ']).is_empty() {
                current = Some(title.to_owned());
                captured = false;
                untold.push((title.to_owned(), title.starts_with("ERROR ")));
                sections
                    .entry(title.to_owned())
                    .or_default()
                    .push_back(Section::default());
            }
        } else if in_traces {
            captured |= title(line, '-').is_some_and(|title| title.starts_with("Captured "));
            let section = current
                .as_ref()
                .and_then(|title| sections.get_mut(title)?.back_mut());
            if let Some(section) = section.filter(|_| !captured) {
                if let Some(said) = line
                    .strip_prefix("E   ")
                    .or_else(|| line.strip_prefix("E  "))
                {
                    // Continued lines are indented by what the mark takes.
                    add_line(
                        &mut section.message,
                        said.strip_prefix("    ").unwrap_or(said),
                    );
                } else if section.places.len() < MAX_PLACES
                    && let Some((place, _)) = location::leading(line)
                {
                    section.places.push(place);
                }
            }
        } else if let Some((name, error)) = verbose(line) {
            shown.push((name, error, None));
        }
    }
    // Its summary alone could be another program's; a session that did not end has no counts.
    let recognised = started
        || (counts.is_some() && (in_summary || !summed.is_empty()))
        || counts.is_some_and(|_| is_quiet(output));
    if !recognised {
        return None;
    }
    let mut found = Found {
        counts,
        ..Found::default()
    };
    let mut known = HashSet::new();
    let named = summed.into_iter().chain(shown);
    for (name, error, summary) in named {
        if !known.insert((name, error)) {
            continue;
        }
        let section = titles(name, error)
            .iter()
            .find_map(|title| sections.get_mut(title)?.pop_front());
        let section = section.unwrap_or_default();
        let file = name.split("::").next().unwrap_or(name);
        let own = section.places.iter().rev().find(|(path, _)| path == file);
        let place = own.or(section.places.last()).cloned();
        let message = some(&section.message).or_else(|| summary.and_then(some));
        let (at, line) = location::apart(place);
        found.add(Failure {
            name: name.to_owned(),
            message,
            file: at.or_else(|| file.ends_with(".py").then(|| file.to_owned())),
            line,
        });
    }
    if known.is_empty() {
        // Neither a summary nor verbose lines: the tracebacks name the tests.
        for (title, _) in untold {
            let section = sections
                .get_mut(&title)
                .and_then(VecDeque::pop_front)
                .unwrap_or_default();
            let (file, line) = location::apart(section.places.last().cloned());
            found.add(Failure {
                name: title,
                message: some(&section.message),
                file,
                line,
            });
        }
    }
    Some(found)
}

/// With `-q` a session has no header: a line of dots and letters with its share, `..F [100%]`.
fn is_quiet(output: &str) -> bool {
    output.lines().any(|line| {
        line.rsplit_once(" [").is_some_and(|(marks, share)| {
            share.trim_end().ends_with("%]")
                && marks.trim().chars().all(|char| ".FEsxXR".contains(char))
        }) || line == "no tests ran"
    })
}
