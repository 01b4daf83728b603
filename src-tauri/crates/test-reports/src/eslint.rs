//! Reads the output of ESLint, as `stylish` text or JSON. Errors are failures; warnings are not.

use serde::Deserialize;

use crate::{
    json,
    report::{Counts, Failure, Found},
    text::some,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    file_path: String,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    #[serde(default)]
    rule_id: Option<String>,
    severity: u8,
    message: String,
    #[serde(default)]
    line: Option<u32>,
}

/// The name of an error that does not come from a rule, such as a syntax error.
const NO_RULE: &str = "error";

fn counts(failed: u64) -> Option<Counts> {
    Some(Counts {
        passed: None,
        failed: Some(failed),
    })
}

fn machine(output: &str) -> Option<Found> {
    let mut documents: Vec<Vec<File>> = json::values(output, "\"filePath\"");
    if documents.is_empty() && output.trim() == "[]" {
        documents.push(Vec::new());
    }
    if documents.is_empty() {
        return None;
    }
    let mut found = Found::default();
    let mut failed = 0;
    for file in documents.into_iter().flatten() {
        for message in file.messages.into_iter().filter(|one| one.severity >= 2) {
            failed += 1;
            found.add(Failure {
                name: message.rule_id.unwrap_or_else(|| NO_RULE.to_owned()),
                message: some(&message.message),
                file: Some(file.file_path.clone()),
                line: message.line.filter(|line| *line > 0),
            });
        }
    }
    found.counts = counts(failed);
    Some(found)
}

/// Parses `12:5  error  'x' is not defined  no-undef` into the line number, whether the problem is an error, the message, and
/// the rule. The columns are padded with spaces.
fn problem(line: &str) -> Option<(u32, bool, String, String)> {
    let rest = line.strip_prefix("  ")?.trim_start();
    let (place, rest) = rest.split_once("  ")?;
    let (row, column) = place.split_once(':')?;
    column.trim().parse::<u32>().ok()?;
    let rest = rest.trim_start();
    let (severity, rest) = rest.split_once("  ")?;
    let error = match severity {
        "error" => true,
        "warning" => false,
        _ => return None,
    };
    let rest = rest.trim();
    let (message, rule) = match rest.rsplit_once("  ") {
        Some((message, rule)) if !rule.contains(' ') => (message.trim(), rule),
        _ => (rest, NO_RULE),
    };
    Some((
        row.parse().ok()?,
        error,
        message.to_owned(),
        rule.to_owned(),
    ))
}

/// Returns the number of errors in `✖ 5 problems (4 errors, 1 warning)`.
fn sum(line: &str) -> Option<u64> {
    let rest = line.trim().strip_prefix('✖')?.trim_start();
    let (problems, rest) = rest.split_once(' ')?;
    problems.parse::<u64>().ok()?;
    let (_, rest) = rest.split_once('(')?;
    let (errors, what) = rest.split_once(' ')?;
    what.starts_with("error").then(|| errors.parse().ok())?
}

fn stylish(output: &str) -> Option<Found> {
    let mut found = Found::default();
    let mut file: Option<&str> = None;
    let (mut failed, mut total) = (0, None::<u64>);
    for line in output.lines() {
        if let Some((row, error, message, rule)) = problem(line) {
            if error && let Some(file) = file {
                failed += 1;
                found.add(Failure {
                    name: rule,
                    message: some(&message),
                    file: Some(file.to_owned()),
                    line: Some(row).filter(|row| *row > 0),
                });
            }
        } else if let Some(errors) = sum(line) {
            total = Some(total.unwrap_or(0).saturating_add(errors));
        } else if line.trim().is_empty() {
            file = None;
        } else {
            file = (!line.starts_with(char::is_whitespace)).then_some(line.trim_end());
        }
    }
    // Without the final line, these lines are a table that another program printed.
    found.counts = counts(total?.max(failed));
    Some(found)
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    match (machine(output), stylish(output)) {
        (Some(machine), Some(words)) => Some(machine.join(words)),
        (machine, words) => machine.or(words),
    }
}
