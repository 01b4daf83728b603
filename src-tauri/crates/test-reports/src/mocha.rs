//! Reads the output of Mocha and of tools with its reporters, such as Cypress: the summary at the end of most reporters,
//! `json` and `json-stream`.

use serde::Deserialize;

use crate::{
    jest, json, location,
    report::{Counts, Failure, Found},
    text::{add_body, dedent, indent},
};

#[derive(Deserialize)]
struct Document {
    stats: Stats,
    #[serde(default)]
    failures: Vec<Test>,
}

#[derive(Deserialize)]
struct Stats {
    passes: u64,
    failures: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    #[serde(default)]
    full_title: String,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    err: serde_json::Value,
    #[serde(default)]
    stack: Option<String>,
}

impl Test {
    fn failure(self) -> Failure {
        let text = |name: &str| self.err.get(name).and_then(|value| value.as_str());
        let said = self
            .err
            .as_str()
            .or_else(|| text("message"))
            .unwrap_or_default();
        let stack = self
            .stack
            .as_deref()
            .or_else(|| text("stack"))
            .unwrap_or_default();
        let mut failure = Failure::at(&self.full_title, said, location::first(stack));
        failure.file = failure.file.or(self.file);
        failure
    }
}

fn machine(output: &str) -> Option<Found> {
    let mut found: Option<Found> = None;
    for document in json::values::<Document>(output, "\"failures\"") {
        let found = found.get_or_insert_default();
        let counts = Counts::of(document.stats.passes, document.stats.failures);
        found.counts = crate::report::sum(found.counts, Some(counts));
        for test in document.failures {
            found.add(test.failure());
        }
    }
    // The reporter `json-stream` writes one event per line.
    for line in output.lines() {
        if let Some(test) = line
            .strip_prefix("[\"fail\",")
            .and_then(|rest| rest.trim_end().strip_suffix(']'))
        {
            if let Ok(test) = serde_json::from_str::<Test>(test) {
                found.get_or_insert_default().add(test.failure());
            }
        } else if let Some(stats) = line
            .strip_prefix("[\"end\",")
            .and_then(|rest| rest.trim_end().strip_suffix(']'))
            && let Ok(stats) = serde_json::from_str::<Stats>(stats)
        {
            let found = found.get_or_insert_default();
            let counts = Counts::of(stats.passes, stats.failures);
            found.counts = crate::report::sum(found.counts, Some(counts));
        }
    }
    found
}

/// Parses the number before `word` in `  2 passing (59ms)`.
fn total(line: &str, word: &str) -> Option<u64> {
    let mut words = line.split_whitespace();
    let count = words.next()?.parse().ok()?;
    let fits = words.next()? == word && words.next().is_none_or(|time| time.starts_with('('));
    (fits && line.starts_with(' ')).then_some(count)
}

/// Parses the number and the name from `  3) sums`, the first line of a failure. If `number` is set, the failure must have this
/// number.
fn numbered(line: &str, number: Option<u64>) -> Option<(u64, &str)> {
    let rest = line.trim_start();
    if !(1..=3).contains(&indent(line)) {
        return None;
    }
    let (found, name) = rest.split_once(") ")?;
    let found = found.parse().ok()?;
    (number.is_none_or(|number| number == found)).then_some((found, name))
}

#[derive(Default)]
struct Block {
    names: Vec<String>,
    titled: bool,
    body: String,
}

impl Block {
    fn failure(self) -> Failure {
        let name = self.names.join(" ");
        // In a message, only the first line and the lines of a diff are indented.
        let plain = |line: &'_ str| -> String {
            let rest = line
                .strip_prefix("     ")
                .map(|rest| rest.strip_prefix(' ').unwrap_or(rest));
            rest.unwrap_or(line).to_owned()
        };
        let lines = self.body.lines().take_while(|line| !jest::is_frame(line));
        let said: Vec<String> = lines.map(plain).collect();
        let place = location::first(&self.body);
        Failure::at(name.trim_end_matches(':'), &dedent(&said.join("\n")), place)
    }
}

/// Reads the list of failures and the totals above it. If `cut` is true, the start of the output is missing, including the
/// totals.
fn words(output: &str, cut: bool) -> Option<Found> {
    let mut found = Found::default();
    let (mut passing, mut failing) = (None::<u64>, None::<u64>);
    let mut next = cut.then_some(None);
    let mut open: Option<Block> = None;
    let mut traced = false;
    for line in output.lines() {
        if let Some(count) = total(line, "passing") {
            if let Some(block) = open.take() {
                found.add(block.failure());
            }
            passing = Some(passing.unwrap_or(0).saturating_add(count));
            next = None;
        } else if let Some(count) = total(line, "failing") {
            failing = Some(failing.unwrap_or(0).saturating_add(count));
            next = Some(Some(1));
        } else if let Some((number, name)) = next.and_then(|next| numbered(line, next)) {
            if let Some(block) = open.take() {
                found.add(block.failure());
            }
            next = Some(Some(number.saturating_add(1)));
            open = Some(Block {
                names: vec![name.trim_end().to_owned()],
                ..Block::default()
            });
        } else if let Some(block) = &mut open {
            // The titles of the suites and of the test follow, each with more indentation. The last one ends with a colon.
            if !block.titled && indent(line) >= 7 && !line.trim().is_empty() {
                block.names.push(line.trim().to_owned());
            } else {
                block.titled = true;
                let title = block.names.len() > 1
                    && block.names.last().is_some_and(|name| name.ends_with(':'));
                traced |= title && jest::is_frame(line);
                add_body(&mut block.body, line);
            }
        }
    }
    if let Some(block) = open.take() {
        found.add(block.failure());
    }
    if passing.is_none() && failing.is_none() {
        // Only Mocha prints the titles of suite and test together with a stack trace.
        return (cut && traced && !found.failures.is_empty()).then_some(found);
    }
    found.counts = Some(Counts::of(passing.unwrap_or(0), failing.unwrap_or(0)));
    Some(found)
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    jest::once(
        machine(output),
        words(output, false).or_else(|| words(output, true)),
    )
}
