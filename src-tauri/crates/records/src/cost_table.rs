//! Costs as tables for spreadsheets.

use loopwright_evaluation::formats::csv::{protect, table};
use loopwright_runs::{ApiError, Code, Env, files};

use crate::{CostGroup, CostLine, CostQuery, CostReport, costs};

/// Returns the lines of a report as CSV. The columns are the name of the group (`day`, `flow`, `model`, `node` or `schedule`), for flows
/// their `file` and for nodes their `flow`, then `cost_usd`, `calls`, `unpriced_calls`, `cut_off_calls`, `input_tokens`,
/// `output_tokens` and `cached_tokens`. `cost_usd` is the cost of the calls whose price is known.
///
/// # Errors
/// [`Code::Internal`] if the table cannot be written, which is a defect of this program.
pub fn costs_csv(report: &CostReport) -> Result<String, ApiError> {
    let (title, detail) = match report.by {
        CostGroup::Day => ("day", None),
        CostGroup::Flow => ("flow", Some("file")),
        CostGroup::Model => ("model", None),
        CostGroup::Node => ("node", Some("flow")),
        CostGroup::Schedule => ("schedule", None),
    };
    let mut columns = vec![title];
    columns.extend(detail);
    columns.extend([
        "cost_usd",
        "calls",
        "unpriced_calls",
        "cut_off_calls",
        "input_tokens",
        "output_tokens",
        "cached_tokens",
    ]);
    let row = |line: &CostLine| {
        let mut row = vec![protect(&line.title).into_owned()];
        row.extend(detail.map(|_| protect(&line.detail).into_owned()));
        let sum = &line.sum;
        row.push(format!("{:.6}", sum.usd));
        row.extend(
            [
                sum.calls,
                sum.unpriced_calls,
                sum.cut_off_calls,
                sum.input_tokens,
                sum.output_tokens,
                sum.cached_tokens,
            ]
            .map(|count| count.to_string()),
        );
        row
    };
    let rows: Vec<Vec<String>> = report.lines.iter().map(row).collect();
    table(&columns, &rows).map_err(|error| ApiError::new(Code::Internal, error.to_string()))
}

/// Writes the costs of runs to a CSV file.
///
/// # Errors
/// Returns the errors of [`costs`]; [`Code::Io`] if the file cannot be written.
pub fn export_costs(env: &Env, query: &CostQuery, path: &str) -> Result<(), ApiError> {
    let text = costs_csv(&costs(env, query)?)?;
    files::write_over(path, text)
}

#[cfg(test)]
mod tests {
    use crate::CostSum;

    use super::*;

    #[test]
    fn a_table_has_a_row_for_each_line() {
        let line = |title: &str, detail: &str| CostLine {
            title: title.to_owned(),
            detail: detail.to_owned(),
            sum: CostSum {
                usd: 1.25,
                calls: 3,
                unpriced_calls: 1,
                ..CostSum::default()
            },
            cost: String::new(),
        };
        let report = |by, lines| CostReport {
            by,
            since: String::new(),
            until: String::new(),
            time_zone: String::new(),
            lines,
            total: line("", ""),
            parts: Vec::new(),
            bars: Vec::new(),
            flows: Vec::new(),
            uncounted_runs: 0,
        };
        let nodes = report(CostGroup::Node, vec![line("refine/draft", "=A, \"b\"")]);
        assert_eq!(
            costs_csv(&nodes).unwrap(),
            "node,flow,cost_usd,calls,unpriced_calls,cut_off_calls,input_tokens,output_tokens,cached_tokens\n\
             refine/draft,\"'=A, \"\"b\"\"\",1.250000,3,1,0,0,0,0\n"
        );
        let days = report(CostGroup::Day, vec![line("2026-01-31", "")]);
        assert!(
            costs_csv(&days)
                .unwrap()
                .ends_with("\n2026-01-31,1.250000,3,1,0,0,0,0\n")
        );
    }
}
