//! Reads the output of `cargo nextest run`, as text. Its `libtest-json` is read by `cargo`.

use std::collections::HashMap;

use crate::{
    location,
    report::{Counts, Failure, Found},
    text::{add_body, dedent},
};

/// A status line: `        FAIL [   0.004s] (3/6) sums tests::adds`.
struct Status<'a> {
    word: &'a str,
    /// The number of the attempt if the test was retried.
    attempt: Option<u64>,
    name: &'a str,
}

fn status(line: &str) -> Option<Status<'_>> {
    if !line.starts_with(' ') {
        return None;
    }
    let text = line.trim_start();
    let (words, rest) = text.split_once(" [")?;
    let (time, rest) = rest.split_once(']')?;
    let time = time.trim_start_matches(['>', ' ']);
    time.strip_suffix('s')?.parse::<f64>().ok()?;
    let mut name = rest.trim_start();
    if let Some(counted) = name.strip_prefix('(')
        && let Some((number, behind)) = counted.split_once(") ")
        && number
            .chars()
            .all(|char| char.is_ascii_digit() || " /─".contains(char))
    {
        name = behind.trim_start();
    }
    let (attempt, word) = match words.strip_prefix("TRY ") {
        Some(rest) => {
            let (number, word) = rest.split_once(' ')?;
            (Some(number.parse().ok()?), word)
        }
        None => (None, words),
    };
    let known = word.chars().all(|char| {
        char.is_ascii_uppercase()
            || char.is_ascii_digit()
            || char == ' '
            || char == '-'
            || char == '+'
    });
    (known && !name.is_empty() && word != "TERMINATING" && !word.starts_with("TRMNTG")).then_some(
        Status {
            word,
            attempt,
            name: name.trim_end(),
        },
    )
}

fn is_failure(word: &str) -> bool {
    let passed = [
        "PASS",
        "SLOW",
        "LEAK",
        "FLAKY",
        "SKIP",
        "SETUP PASS",
        "START",
        "DELAY",
        "RETRY",
        "TRMNTG",
        "CANCEL",
    ];
    !passed.contains(&word) && !word.starts_with("PASS") && !word.starts_with("FLKY")
}

/// Parses `     Summary [   1.036s] 6 tests run: 1 passed (1 slow), 4 failed, 1 timed out, 1 skipped`.
fn summary(line: &str) -> Option<Counts> {
    let rest = line.trim_start().strip_prefix("Summary [")?;
    let (_, rest) = rest.split_once("] ")?;
    let (_, rest) = rest.split_once(" run: ")?;
    let (mut passed, mut failed) = (0_u64, 0_u64);
    // Counts in parentheses are part of the passed tests.
    let mut plain = String::new();
    let mut depth = 0_usize;
    for char in rest.chars() {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            char if depth == 0 => plain.push(char),
            _ => {}
        }
    }
    for (count, what) in crate::text::pairs(plain.trim(), ", ")? {
        match what {
            "passed" => passed = passed.saturating_add(count),
            "skipped" => {}
            what if what.contains("fail")
                || what.contains("timed out")
                || what.contains("exec") =>
            {
                failed = failed.saturating_add(count);
            }
            _ => {}
        }
    }
    Some(Counts::of(passed, failed))
}

/// Returns the output of a test without the lines of its harness.
fn said(body: &str) -> String {
    let body = dedent(body);
    let lines: Vec<&str> = body.lines().collect();
    let start = lines
        .iter()
        .position(|line| line.contains("panicked at "))
        .or_else(|| {
            lines
                .iter()
                .position(|line| line.trim_start().starts_with("Error: "))
        });
    if let Some(start) = start {
        let told = lines[start..].iter().take_while(|line| {
            let line = line.trim_start();
            let harness = line.starts_with("test ") && line.contains(" ... ");
            !harness && !line.starts_with("stack backtrace:") && !line.starts_with("note: ")
        });
        let told: Vec<&str> = told.copied().collect();
        return dedent(&told.join("\n"));
    }
    let harness = |line: &&str| {
        let line = line.trim();
        line.is_empty()
            || line == "failures:"
            || line.starts_with("running ")
            || line.starts_with("test ")
            || line.ends_with(" ───")
            || line.starts_with("---- ")
            || !line.contains(' ')
    };
    let told: Vec<&str> = lines
        .into_iter()
        .filter(|line| !harness(line))
        .map(str::trim)
        .collect();
    told.join("\n")
}

/// The tests of one run in order: whether each failed, its output, and its last status.
#[derive(Default)]
struct Run {
    order: Vec<String>,
    tests: HashMap<String, (bool, String, String)>,
    /// Whether the summary line was read.
    whole: bool,
}

impl Run {
    fn end(mut self, found: &mut Found) {
        found.failed |= !self.whole && !self.order.is_empty();
        for name in self.order {
            let Some((true, body, word)) = self.tests.remove(&name) else {
                continue;
            };
            let mut message = said(&body);
            if message.is_empty() {
                message = word;
            }
            let panicked = body
                .lines()
                .find_map(|line| line.split_once("panicked at "));
            let place = panicked
                .and_then(|(_, rest)| location::first(rest))
                .or_else(|| location::first(&message));
            found.add(Failure::at(&name, &message, place));
        }
    }
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    if !output.contains("Summary [") && !output.contains("Nextest run ID") {
        return None;
    }
    let mut found = Found::default();
    let mut run = Run::default();
    let mut current: Option<String> = None;
    let mut known = false;
    for line in output.lines() {
        if let Some(counts) = summary(line) {
            found.counts = crate::report::sum(found.counts, Some(counts));
            (run.whole, known, current) = (true, true, None);
        } else if run.whole && line.trim_start().starts_with("Nextest run ID") {
            std::mem::take(&mut run).end(&mut found);
        } else if let Some(status) = status(line) {
            let failed = is_failure(status.word);
            let whole = run.whole;
            let Run { order, tests, .. } = &mut run;
            let entry = tests.entry(status.name.to_owned()).or_insert_with(|| {
                order.push(status.name.to_owned());
                (false, String::new(), status.word.to_owned())
            });
            // If a test is retried, the last attempt counts.
            entry.0 = failed;
            if failed {
                entry.2 = status.word.to_owned();
            }
            if status.attempt.is_some() && failed && !whole {
                entry.1.clear();
            }
            current = (failed && !whole).then(|| status.name.to_owned());
        } else if line.starts_with('─')
            || line.starts_with("error: ")
            || line.starts_with("  Cancelling ")
        {
            current = None;
        } else if let Some((_, body, _)) = current.as_ref().and_then(|name| run.tests.get_mut(name))
        {
            add_body(body, line);
        }
    }
    known |= !run.order.is_empty();
    run.end(&mut found);
    known.then_some(found)
}
