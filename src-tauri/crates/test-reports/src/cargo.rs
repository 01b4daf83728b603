//! Reads the output of Rust's test harness, as printed by `cargo test` (text or JSON lines), and compiler errors.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use crate::{
    location::{self, Place},
    report::{Counts, Failure, Found},
    text::{add_line, some},
};

/// Returns the message of a failed test without its stack trace, and the location of the panic, or else the first location in
/// the message.
fn message(output: &str) -> (String, Option<Place>) {
    let mut message = String::new();
    for line in output.lines() {
        if line == "stack backtrace:" || line.starts_with("note: run with `RUST_BACKTRACE") {
            break;
        }
        add_line(&mut message, line);
    }
    let panicked = output
        .lines()
        .find_map(|line| line.split_once(" panicked at "))
        .and_then(|(_, rest)| location::first(rest));
    let place = panicked.or_else(|| location::first(&message));
    (message.trim_matches('\n').to_owned(), place)
}

/// Parses the source location in the name of a documentation test, such as `src/lib.rs - add (line 3)`.
fn documented(name: &str) -> Option<Place> {
    let (file, rest) = name.split_once(" - ")?;
    let (_, line) = rest.rsplit_once("(line ")?;
    let line = line.strip_suffix(')')?.parse().ok()?;
    Some((file.to_owned(), line))
}

fn failure(name: &str, output: Option<&str>) -> Failure {
    let (message, place) = output.map(message).unwrap_or_default();
    let (file, line) = location::apart(place.or_else(|| documented(name)));
    Failure {
        name: name.to_owned(),
        message: some(&message),
        file,
        line,
    }
}

/// Parses the numbers of passed and failed tests from `test result: FAILED. 1 passed; 3 failed; …`.
fn result(line: &str) -> Option<(u64, u64)> {
    let rest = line.strip_prefix("test result: ")?;
    let (_, rest) = rest.split_once(". ")?;
    let mut counts = rest.split("; ").map(|part| part.split_once(' '));
    let mut next = |what: &str| {
        let (count, name) = counts.next()??;
        (name == what).then(|| count.parse().ok())?
    };
    Some((next("passed")?, next("failed")?))
}

/// Reads the lines of one test program, from `running 5 tests` to its result line.
fn program(lines: &[&str], found: &mut Found) {
    let mut failed: Vec<&str> = Vec::new();
    let mut known = HashSet::new();
    let listed = lines.iter().rposition(|line| *line == "failures:");
    let listed = listed.map_or(&[][..], |at| &lines[at + 1..]);
    let names = listed
        .iter()
        .take_while(|line| !line.starts_with("test result: "))
        .filter_map(|line| line.strip_prefix("    "));
    let shown = lines
        .iter()
        .filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
    for name in names.chain(shown) {
        let name = [" - should panic", " - compile fail", " - compile"]
            .iter()
            .find_map(|mark| name.strip_suffix(mark))
            .unwrap_or(name);
        if known.insert(name) {
            failed.push(name);
        }
    }
    let mut outputs: HashMap<&str, String> = HashMap::new();
    let mut current: Option<&str> = None;
    for line in lines {
        let header = line
            .strip_prefix("---- ")
            .and_then(|line| line.strip_suffix(" stdout ----"))
            .filter(|name| known.contains(name) && !outputs.contains_key(name));
        if let Some(name) = header {
            outputs.insert(name, String::new());
            current = Some(name);
        } else if *line == "failures:" || line.starts_with("test result: ") {
            current = None;
        } else if let Some(output) = current.and_then(|name| outputs.get_mut(name)) {
            add_line(output, line);
        }
    }
    // With `--nocapture`, output appears immediately. A panic message names the test that panicked.
    let mut printing: Option<&str> = None;
    for line in lines {
        let thread = line.trim_start().strip_prefix("thread '");
        let name = thread.and_then(|rest| Some(rest.split_once('\'')?.0));
        if let Some(name) = name {
            printing = known.get(name).copied().filter(|name| {
                // The test's own section already contains the output.
                !outputs.contains_key(name)
            });
            if let Some(name) = printing {
                outputs.insert(name, String::new());
            }
        } else if line.starts_with("test ") || line.is_empty() || line.starts_with("note: ") {
            printing = None;
        }
        if let Some(output) = printing.and_then(|name| outputs.get_mut(name)) {
            add_line(output, line);
        }
    }
    for name in failed {
        found.add(failure(name, outputs.get(name).map(String::as_str)));
    }
}

/// Reads compiler errors: `error[E0425]: …`, followed by ` --> src/lib.rs:3:5`. Returns whether there are any.
fn compiler(output: &str, found: &mut Found) -> bool {
    let mut any = false;
    let mut lines = output.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(rest) = line.strip_prefix("error") else {
            continue;
        };
        let Some((code, words)) = rest.split_once(": ") else {
            continue;
        };
        if !(code.is_empty() || code.starts_with('[') && code.ends_with(']')) {
            continue;
        }
        let place = lines
            .peek()
            .and_then(|next| next.trim_start().strip_prefix("--> "))
            .and_then(location::exact);
        let Some((file, line)) = place else { continue };
        any = true;
        let mut message = words.to_owned();
        // The following lines are an excerpt of the source, with annotations.
        while let Some(next) = lines.peek().filter(|next| !next.is_empty()) {
            add_line(&mut message, next);
            lines.next();
        }
        found.add(Failure {
            name: format!("error{code}"),
            message: some(&message),
            file: Some(file),
            line: Some(line),
        });
    }
    any
}

/// Parses the line about a test program that exited without printing a result: `error: test failed, to rerun pass `--lib``.
fn unfinished(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("error: test failed, to rerun pass ")?;
    Some(rest.trim().trim_matches('`'))
}

fn tests(output: &str) -> Option<Found> {
    let lines: Vec<&str> = output.lines().collect();
    let mut found = Found::default();
    let (mut passed, mut failed, mut recognised) = (0_u64, 0_u64, false);
    let mut start = None;
    for (at, line) in lines.iter().enumerate() {
        let begins = line.strip_prefix("running ").is_some_and(|rest| {
            rest.split_once(' ').is_some_and(|(count, what)| {
                count.parse::<u64>().is_ok() && matches!(what, "test" | "tests")
            })
        });
        if begins {
            if start.is_some() {
                // The previous program never printed its result.
                found.failed = recognised;
            }
            start = Some(at);
        } else if let Some((ok, bad)) = result(line) {
            recognised = true;
            passed = passed.saturating_add(ok);
            failed = failed.saturating_add(bad);
            if bad > 0 {
                program(&lines[start.unwrap_or(at)..=at], &mut found);
            }
            start = None;
        } else if let Some(target) = unfinished(line) {
            recognised = true;
            if let Some(first) = start.take() {
                // The program crashed, probably in the test that was started last.
                let why = lines[at..].iter().find_map(|line| {
                    line.trim_start()
                        .strip_prefix("process didn't exit successfully: ")
                });
                let last = lines[first..at]
                    .iter()
                    .rev()
                    .find(|line| line.starts_with("test "));
                let why = [why.unwrap_or_default(), last.copied().unwrap_or_default()].join("\n");
                failed = failed.saturating_add(1);
                found.add(Failure::at(target, why.trim(), None));
            }
            found.failed = true;
        }
    }
    if !recognised {
        return None;
    }
    found.failed |= start.is_some();
    found.counts = Some(Counts::of(passed, failed));
    Some(found)
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    event: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    stdout: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    passed: Option<u64>,
    #[serde(default)]
    failed: Option<u64>,
}

fn json(output: &str) -> Option<Found> {
    let mut found = Found::default();
    let (mut passed, mut failed) = (0_u64, 0_u64);
    let (mut recognised, mut whole) = (false, true);
    for line in output.lines().filter(|line| line.starts_with('{')) {
        let Ok(event) = serde_json::from_str::<Event>(line) else {
            continue;
        };
        match (event.kind.as_str(), event.event.as_str()) {
            ("suite", "started") => (recognised, whole) = (true, false),
            ("suite", "ok" | "failed") => {
                (recognised, whole) = (true, true);
                passed = passed.saturating_add(event.passed.unwrap_or(0));
                failed = failed.saturating_add(event.failed.unwrap_or(0));
            }
            ("test", "failed" | "timeout") => {
                if let Some(name) = &event.name {
                    let said = match (event.stdout, event.message) {
                        (Some(stdout), Some(message)) => format!("{message}\n{stdout}"),
                        (stdout, message) => stdout.or(message).unwrap_or_default(),
                    };
                    found.add(failure(name, Some(&said)));
                }
            }
            _ => {}
        }
    }
    if !recognised {
        return None;
    }
    found.failed = !whole;
    found.counts = whole.then(|| Counts::of(passed, failed));
    Some(found)
}

#[derive(Deserialize)]
struct Reason {
    reason: String,
    #[serde(default)]
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    message: String,
    #[serde(default)]
    code: Option<Code>,
    #[serde(default)]
    rendered: Option<String>,
    #[serde(default)]
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: u32,
    #[serde(default)]
    is_primary: bool,
}

/// Reads compiler errors printed by `--message-format=json`. Returns whether there are any.
fn messages(output: &str, found: &mut Found) -> bool {
    let mut any = false;
    for line in output
        .lines()
        .filter(|line| line.starts_with("{\"reason\":"))
    {
        let Ok(Reason {
            reason,
            message: Some(message),
        }) = serde_json::from_str::<Reason>(line)
        else {
            continue;
        };
        if reason != "compiler-message" || message.level != "error" {
            continue;
        }
        any = true;
        let name = message.code.map_or_else(
            || "error".to_owned(),
            |code| format!("error[{}]", code.code),
        );
        let place = message
            .spans
            .into_iter()
            .find(|span| span.is_primary)
            .map(|span| (span.file_name, span.line_start));
        if place.is_some() {
            let said = message.rendered.map_or(message.message, |text| {
                crate::text::plain(&text).into_owned()
            });
            found.add(Failure::at(&name, said.trim_end(), place));
        }
    }
    any
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    let mut errors = Found::default();
    let uncompiled = messages(output, &mut errors) | compiler(output, &mut errors);
    let tests = match (json(output), tests(output)) {
        (Some(machine), Some(words)) => Some(machine.join(words)),
        (machine, words) => machine.or(words),
    };
    match (tests, uncompiled) {
        // If compilation failed, the number of tests is unknown.
        (None, true) => Some(errors),
        (None, false) => None,
        (Some(tests), _) => Some(tests.join(errors)),
    }
}
