//! Results as a table for spreadsheets.

use std::io::{self, Write};

use serde_json::Value;

use super::{
    Results,
    csv::{protect, write_row},
    status_name, text_of,
};
use crate::result::CellResult;

/// Writes CSV: a header, and a row for each run.
///
/// The columns are `case`, `line`, `variant`, `repetition` (from 1), `run`, `status`, `input.NAME` for each input,
/// `expected`, `output`, `score.NAME` and `reason.NAME` for each scorer, `iterations`, `exit_reason`, `exhausted`,
/// `cost_usd`, `tokens`, `calls`, `duration_ms` and `error`. A value that is not text is written as JSON. The cell of an
/// unscored result is empty.
///
/// Spreadsheets evaluate text that starts with `=`, `+`, `-` or `@` as a formula. Such text, and text that starts with a tab
/// or a carriage return, is therefore prefixed with an apostrophe, both in cells and in the header. Numbers are unchanged,
/// including negative ones.
///
/// # Errors
/// Returns an error if `to` cannot be written.
pub fn write(results: &Results<'_>, to: impl Write) -> io::Result<()> {
    let mut inputs: Vec<&str> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for case in results.cases {
        inputs.extend(
            case.inputs
                .keys()
                .map(String::as_str)
                .filter(|name| seen.insert(*name)),
        );
    }
    let mut to = ::csv::Writer::from_writer(to);
    let mut row: Vec<String> = ["case", "line", "variant", "repetition", "run", "status"]
        .map(str::to_owned)
        .into();
    row.extend(inputs.iter().map(|name| format!("input.{name}")));
    row.extend(["expected", "output"].map(str::to_owned));
    for name in results.scorers {
        row.extend([format!("score.{name}"), format!("reason.{name}")]);
    }
    row.extend(
        [
            "iterations",
            "exit_reason",
            "exhausted",
            "cost_usd",
            "tokens",
            "calls",
            "duration_ms",
            "error",
        ]
        .map(str::to_owned),
    );
    write_row(&mut to, &row)?;
    for result in results.cells {
        row.clear();
        fill(&mut row, results, result, &inputs);
        write_row(&mut to, &row)?;
    }
    to.flush()
}

fn fill(row: &mut Vec<String>, results: &Results<'_>, result: &CellResult, inputs: &[&str]) {
    let case = results.case(result);
    let optional = |text: Option<&str>| protect(text.unwrap_or_default()).into_owned();
    row.push(optional(case.map(|case| case.id.as_str())));
    row.push(case.map_or_else(String::new, |case| case.line.to_string()));
    row.push(protect(results.variant(result)).into_owned());
    row.push((u64::from(result.cell.repetition) + 1).to_string());
    row.push(protect(&result.run_id).into_owned());
    row.push(status_name(result.status).to_owned());
    for name in inputs {
        row.push(
            case.and_then(|case| case.inputs.get(*name))
                .map_or_else(String::new, cell),
        );
    }
    row.push(
        case.and_then(|case| case.expected.as_ref())
            .map_or_else(String::new, cell),
    );
    row.push(cell(&result.output));
    for at in 0..results.scorers.len() {
        let score = result.scores.get(at);
        let value = score.and_then(|score| score.value);
        row.push(value.map_or_else(String::new, |value| value.to_string()));
        row.push(optional(score.and_then(|score| score.reason.as_deref())));
    }
    row.push(
        result
            .iteration_count
            .map_or_else(String::new, |count| count.to_string()),
    );
    row.push(optional(result.exit_reason.as_deref()));
    row.push(result.exhausted.to_string());
    let spent = result.spent;
    // The cost is empty if the cost of a call is unknown.
    row.push(match spent.unpriced_calls {
        0 => format!(
            "{}.{:06}",
            spent.micro_usd / 1_000_000,
            spent.micro_usd % 1_000_000
        ),
        _ => String::new(),
    });
    row.push(spent.tokens.to_string());
    row.push(spent.calls.to_string());
    row.push(result.duration_ms.to_string());
    row.push(optional(result.error.as_deref()));
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => protect(text).into_owned(),
        other => text_of(other),
    }
}
