//! Reads lines that clearly report a failure. They are printed by programs whose output is otherwise not read.
//!
//! The lines count only if no test program says that its tests passed. Otherwise, one of the tests that passed may have
//! printed the lines.

mod builds;
mod linters;
mod row;
mod runners;
mod wrappers;

use crate::{
    format::Format,
    hints::Unread,
    report::{Counts, Found, Report},
    streams,
};
use row::Row;

/// The maximum number of failures listed for one program.
const MAX_NAMED: usize = 200;

fn read_row(row: &Row, output: &str) -> Found {
    let mut found = Found {
        failed: true,
        partly: Some(Unread {
            program: row.program,
            hint: row.hint,
        }),
        ..Found::default()
    };
    for failure in output.lines().filter_map(row.names) {
        if found.failures.len() < MAX_NAMED && !found.failures.contains(&failure) {
            found.add(failure);
        }
    }
    found
}

fn read(rows: &[Row], output: &str) -> Option<Found> {
    rows.iter()
        .filter(|row| output.lines().any(row.closes))
        .map(|row| read_row(row, output))
        .reduce(Found::join)
}

/// Returns whether a line of `make` or another build tool says that the build failed.
pub(crate) fn build_failed(line: &str) -> bool {
    wrappers::build_failed(line)
}

fn look(output: &str, depth: usize) -> Option<Found> {
    let output = streams::without_times(output);
    let surer = [linters::ROWS, builds::ROWS, runners::ROWS];
    let found = surer
        .into_iter()
        .filter_map(|rows| read(rows, &output))
        .reduce(Found::join)
        .or_else(|| {
            // A traceback with a prefix comes from a log, so the exception did not end a program.
            (depth == 0).then(|| wrappers::traceback(&output)).flatten()
        })
        .or_else(|| read(wrappers::ROWS, &output));
    found.or_else(|| {
        let marked = (depth < streams::MAX_DEPTH)
            .then(|| streams::split(&output))
            .flatten()?;
        let streams = marked.streams.iter();
        streams
            .filter_map(|stream| look(stream, depth + 1))
            .reduce(Found::join)
    })
}

/// Returns whether a report makes these lines irrelevant, because it has failures or passed tests. A linter's result does
/// not rule out later failures.
fn decides(report: &Report) -> bool {
    let ran = |counts: Counts| match counts.passed {
        Some(passed) => passed > 0,
        None => counts.failed.is_some() && report.format != Format::Eslint,
    };
    report.failed || report.counts.is_some_and(ran)
}

/// Returns a report of these lines. `None` if there are none, or if one of `parts`, the reports that were already read,
/// makes them irrelevant.
pub(crate) fn sure(output: &str, parts: &[Report]) -> Option<Report> {
    if parts.iter().any(decides) {
        return None;
    }
    let found = look(output, 0)?;
    Some(Report {
        format: Format::Other,
        failures: found.failures,
        counts: None,
        failed: true,
        partly: found.partly,
    })
}
