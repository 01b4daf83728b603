//! Reads the output of RSpec: the final part, which all text formatters share, and `--format json`.

use serde::Deserialize;

use crate::{
    jest, json, location,
    report::{Counts, Failure, Found},
    text::{add_body, dedent, indent},
};

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    messages: Vec<String>,
    examples: Vec<Example>,
    summary: Summary,
}

#[derive(Deserialize)]
struct Summary {
    example_count: u64,
    failure_count: u64,
    #[serde(default)]
    pending_count: u64,
    #[serde(default)]
    errors_outside_of_examples_count: u64,
}

#[derive(Deserialize)]
struct Example {
    full_description: String,
    status: String,
    #[serde(default)]
    file_path: Option<String>,
    #[serde(default)]
    line_number: Option<u32>,
    #[serde(default)]
    exception: Option<Exception>,
}

#[derive(Deserialize)]
struct Exception {
    #[serde(default)]
    class: String,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    backtrace: Option<Vec<String>>,
}

fn counts(examples: u64, failures: u64, pending: u64, outside: u64) -> Counts {
    let passed = examples.saturating_sub(failures).saturating_sub(pending);
    Counts::of(passed, failures.saturating_add(outside))
}

fn machine(output: &str) -> Option<Found> {
    let mut found: Option<Found> = None;
    for document in json::values::<Document>(output, "\"example_count\"") {
        let found = found.get_or_insert_default();
        let summary = &document.summary;
        let own = counts(
            summary.example_count,
            summary.failure_count,
            summary.pending_count,
            summary.errors_outside_of_examples_count,
        );
        found.counts = crate::report::sum(found.counts, Some(own));
        if summary.errors_outside_of_examples_count > 0 {
            for message in document.messages {
                outside(&message, found);
            }
        }
        for example in document
            .examples
            .into_iter()
            .filter(|one| one.status == "failed")
        {
            let mut said = String::new();
            let mut place = None;
            if let Some(exception) = example.exception {
                said = exception.message.unwrap_or_default();
                if !exception.class.starts_with("RSpec::") {
                    said = format!("{}: {}", exception.class, said.trim_start());
                }
                let own = |found: &location::Place| {
                    let file = example.file_path.as_deref().unwrap_or_default();
                    found.0.ends_with(file.trim_start_matches("./"))
                };
                let trace = exception.backtrace.unwrap_or_default().join("\n");
                place = location::all(&trace)
                    .find(own)
                    .or_else(|| location::first(&trace));
            }
            let mut failure =
                Failure::at(&example.full_description, said.trim_matches('\n'), place);
            if failure.file.is_none() {
                (failure.file, failure.line) = (example.file_path, example.line_number);
            }
            found.add(failure);
        }
    }
    found
}

/// Reads errors that occurred outside the examples: `An error occurred while loading ./spec/a_spec.rb.`
fn outside(text: &str, found: &mut Found) {
    let mut open: Option<(String, String)> = None;
    let mut end = |open: &mut Option<(String, String)>| {
        if let Some((name, body)) = open.take() {
            let said: Vec<&str> = body
                .lines()
                .take_while(|line| !line.trim_start().starts_with("# "))
                .collect();
            let place = body
                .lines()
                .filter(|line| line.trim_start().starts_with("# "))
                .find_map(location::first);
            found.add(Failure::at(&name, &dedent(&said.join("\n")), place));
        }
    };
    for line in text.lines() {
        if line.starts_with("An error occurred ") {
            end(&mut open);
            open = Some((line.trim_end_matches('.').to_owned(), String::new()));
        } else if sum(line).is_some()
            || line.starts_with("Finished in ")
            || line.starts_with("No examples found")
            || line == "Failures:"
        {
            end(&mut open);
        } else if let Some((_, body)) = &mut open {
            add_body(body, line);
        }
    }
    end(&mut open);
}

/// Parses `10 examples, 5 failures, 2 pending, 1 error occurred outside of examples`.
fn sum(line: &str) -> Option<Counts> {
    let parts = crate::text::pairs(line, ", ")?;
    let count = |words: &[&str]| {
        parts
            .iter()
            .find(|(_, what)| words.iter().any(|word| what.starts_with(word)))
            .map(|(count, _)| *count)
    };
    let first = parts.first()?.1;
    if first != "examples" && first != "example" {
        return None;
    }
    Some(counts(
        count(&["example"])?,
        count(&["failure"])?,
        count(&["pending"]).unwrap_or(0),
        count(&["error"]).unwrap_or(0),
    ))
}

/// Parses the name from `  3) Sums fails`, the first line of the failure with this number.
fn numbered(line: &str, number: u64) -> Option<&str> {
    let (found, name) = line.trim_start().split_once(") ")?;
    (indent(line) <= 4 && found.parse() == Ok(number)).then_some(name)
}

fn failure(name: &str, body: &str) -> Failure {
    let is_trace = |line: &str| line.trim_start().starts_with("# ");
    let said: Vec<&str> = body
        .lines()
        .filter(|line| !is_trace(line) && !jest::is_frame(line))
        .collect();
    let place = body
        .lines()
        .filter(|line| is_trace(line))
        .find_map(location::first);
    Failure::at(name.trim_end(), &dedent(&said.join("\n")), place)
}

fn words(output: &str) -> Option<Found> {
    let mut found = Found::default();
    let mut next = 0;
    let mut open: Option<(String, String)> = None;
    let mut reruns: Vec<Failure> = Vec::new();
    let mut any = false;
    for line in output.lines() {
        let total = sum(line);
        if total.is_some() || line == "Failures:" || line.starts_with("Finished in ") {
            if let Some((name, body)) = open.take() {
                found.add(failure(&name, &body));
            }
            next = u64::from(line == "Failures:");
            any |= total.is_some();
            found.counts = crate::report::sum(found.counts, total);
        } else if next > 0
            && let Some(name) = numbered(line, next)
        {
            if let Some((name, body)) = open.take() {
                found.add(failure(&name, &body));
            }
            next += 1;
            open = Some((name.to_owned(), String::new()));
        } else if let Some((_, body)) = &mut open {
            add_body(body, line);
        } else if let Some(rest) = line.strip_prefix("rspec ")
            && let Some((place, name)) = rest.split_once(" # ")
            && reruns.len() < crate::limits::MAX_FAILURES
        {
            reruns.push(Failure::at(name.trim_end(), "", location::exact(place)));
        }
    }
    if !any {
        return None;
    }
    if found.failures.is_empty() {
        for failure in reruns {
            found.add(failure);
        }
    }
    outside(output, &mut found);
    Some(found)
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    jest::once(machine(output), words(output))
}
