//! The case tables of a report: the cases that got worse, and all cases.

use std::{collections::HashMap, fmt::Write};

use serde_json::Value;

use super::{
    tables::{NONE, cell, direction, scrolling},
    text::{escape, shorten},
};
use crate::{
    report::runs::{Runs, cost, is_completed, score},
    result::{Case, CellResult, CellStatus, Report},
    statistics::mean,
    wording::{count, counted, decimal, dollars, figure, signed_figure},
};

/// The maximum number of rows in the table of all cases.
const MAX_ROWS: usize = 500;

/// The maximum number of worse cases listed for each variant.
const MAX_WORSE: usize = 12;

/// The maximum number of characters of an input that a table shows.
const INPUT: usize = 110;

/// The results by variant and case, with the text that the tables need.
pub(super) struct CaseTables<'a> {
    report: &'a Report,
    cases: &'a [Case],
    runs: Runs<'a>,
    primary: usize,
}

impl<'a> CaseTables<'a> {
    pub(super) fn new(report: &'a Report, cases: &'a [Case], results: &'a [CellResult]) -> Self {
        Self {
            report,
            cases,
            runs: Runs::new(cases.len(), report.variants.len(), results),
            primary: usize::try_from(report.primary).unwrap_or_default(),
        }
    }

    /// Returns one table for each variant, with the cases in which the variant is worse than the baseline according to the
    /// primary scorer. Returns an empty string if there are no such cases.
    pub(super) fn worse(&self) -> String {
        let scorer = self.report.scorers.get(self.primary);
        let places: HashMap<&str, usize> = (self.cases.iter().enumerate())
            .map(|(at, case)| (case.id.as_str(), at))
            .collect();
        let scores: Vec<Vec<Option<f64>>> = (0..self.report.variants.len())
            .map(|variant| {
                self.runs
                    .by_case(variant, |result| score(result, self.primary))
            })
            .collect();
        let baseline = usize::try_from(self.report.baseline).unwrap_or_default();
        let mut lists = String::new();
        for comparison in &self.report.comparisons {
            let variant = (self.report.variants.iter())
                .position(|variant| variant.name == comparison.variant);
            let Some(variant) = variant.filter(|_| scorer == Some(&comparison.scorer)) else {
                continue;
            };
            let mut rows = String::new();
            for id in comparison.worse.iter().take(MAX_WORSE) {
                let Some(&at) = places.get(id.as_str()) else {
                    continue;
                };
                let of = |variant: usize| scores.get(variant)?.get(at).copied().flatten();
                let (new, old) = (of(variant), of(baseline));
                let difference = new.zip(old).map(|(new, old)| new - old);
                let _ = write!(
                    rows,
                    "<tr>{}<td>{}</td><td>{}</td><td>{}</td></tr>",
                    self.heading(at),
                    cell(old, figure),
                    cell(new, figure),
                    cell(difference, signed_figure)
                );
            }
            if rows.is_empty() {
                continue;
            }
            let head = format!(
                "<tr><th scope=\"col\">Case</th><th scope=\"col\">{}</th><th scope=\"col\">{}</th><th scope=\"col\">Difference</th></tr>",
                escape(&shorten(&comparison.baseline, 28)),
                escape(&shorten(&comparison.variant, 28))
            );
            let shown = comparison.worse.len().min(MAX_WORSE);
            let all = usize::try_from(comparison.losses).unwrap_or(shown);
            let rest = match all.saturating_sub(shown) {
                0 => String::new(),
                _ => format!(", of which the {shown} worst are listed"),
            };
            let open = if lists.is_empty() { " open" } else { "" };
            let _ = write!(
                lists,
                "<details{open}><summary>{}: {} of {}{rest}</summary>{}</details>",
                escape(&comparison.variant),
                count(all as u64),
                counted(u64::from(comparison.pairs), "case"),
                scrolling(&head, &rows)
            );
        }
        lists
    }

    /// Returns the table of all cases, with score, iterations and cost for each variant.
    pub(super) fn all(&self, exit_title: &dyn Fn(&str) -> String) -> String {
        let mut groups = "<tr><th rowspan=\"2\" scope=\"col\">Case</th>".to_owned();
        let mut titles = "<tr>".to_owned();
        let scorer = (self.report.scorers.get(self.primary))
            .map(|scorer| {
                let direction = direction(self.report.direction(self.primary));
                format!("{}{direction}", escape(&shorten(scorer, 20)))
            })
            .unwrap_or_default();
        for variant in &self.report.variants {
            let _ = write!(
                groups,
                "<th class=\"group first\" colspan=\"3\" scope=\"colgroup\">{}</th>",
                escape(&variant.name)
            );
            let _ = write!(
                titles,
                "<th class=\"first\" scope=\"col\">{scorer}</th><th scope=\"col\">Iterations</th><th scope=\"col\">Cost</th>"
            );
        }
        let head = format!("{groups}</tr>{titles}</tr>");
        let columns: Vec<Vec<&[&CellResult]>> = (0..self.report.variants.len())
            .map(|variant| self.runs.cases(variant).take(MAX_ROWS).collect())
            .collect();
        let mut body = String::new();
        for at in 0..self.cases.len().min(MAX_ROWS) {
            let _ = write!(body, "<tr>{}", self.heading(at));
            for column in &columns {
                let results = column.get(at).copied().unwrap_or_default();
                self.row(&mut body, results, exit_title);
            }
            body.push_str("</tr>");
        }
        let left_out = match self.cases.len().saturating_sub(MAX_ROWS) {
            0 => String::new(),
            rest => format!(
                "<p class=\"hint\">The first {MAX_ROWS} cases are listed; {} more are not. The experiment has all of them: \
                 <code>loopwright eval --csv</code> writes them to a file.</p>",
                count(rest as u64)
            ),
        };
        format!("{left_out}{}", scrolling(&head, &body))
    }

    fn heading(&self, at: usize) -> String {
        let Some(case) = self.cases.get(at) else {
            return format!("<th scope=\"row\">{NONE}</th>");
        };
        let input = case.inputs.values().next().map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let input = input
            .map(|text| {
                format!(
                    "<span class=\"sub\">{}</span>",
                    escape(&shorten(text.trim(), INPUT))
                )
            })
            .unwrap_or_default();
        format!("<th scope=\"row\">{}{input}</th>", escape(&case.id))
    }

    fn row(&self, body: &mut String, results: &[&CellResult], exit_title: &dyn Fn(&str) -> String) {
        let of = |value: &dyn Fn(&CellResult) -> Option<f64>| {
            let values: Vec<f64> = results.iter().filter_map(|result| value(result)).collect();
            mean(&values)
        };
        let found = match of(&|result| score(result, self.primary)) {
            Some(mean) => format!("{}{}", figure(mean), failures(results)),
            None => self.why_none(results),
        };
        let iterations = of(&|result| {
            result
                .iteration_count
                .filter(|_| is_completed(result))
                .map(f64::from)
        });
        // Several repetitions may have different exit reasons, so a reason is shown only if there is a single repetition.
        let exit = match results {
            [result] => (result.exit_reason.as_deref())
                .map(|reason| format!("<span class=\"sub\">{}</span>", escape(&exit_title(reason))))
                .unwrap_or_default(),
            _ => String::new(),
        };
        let _ = write!(
            body,
            "<td class=\"first\">{found}</td><td>{}{exit}</td><td>{}</td>",
            cell(iterations, decimal),
            cell(of(&cost), dollars)
        );
    }

    /// Returns a label with the reason why a case has no score: its result is unscored, its run failed, or its run did not
    /// finish.
    fn why_none(&self, results: &[&CellResult]) -> String {
        if let Some(result) = results.iter().find(|result| is_completed(result)) {
            let reason = result
                .scores
                .get(self.primary)
                .and_then(|score| score.reason.as_deref())
                .unwrap_or_default();
            return chip("open", "unscored", reason);
        }
        let failed = results
            .iter()
            .find(|result| result.status == CellStatus::Failed);
        if let Some(result) = failed {
            return chip("bad", "failed", result.error.as_deref().unwrap_or_default());
        }
        match results.first().map(|result| result.status) {
            None => NONE.to_owned(),
            Some(CellStatus::OverBudget) => chip("", "over budget", ""),
            Some(CellStatus::Running) => chip("", "running", ""),
            Some(_) => chip("", "stopped", ""),
        }
    }
}

/// Returns `n failed`, where n is the number of failed repetitions of a case that has a score, or an empty string if none failed.
fn failures(results: &[&CellResult]) -> String {
    let failed = results
        .iter()
        .filter(|result| result.status == CellStatus::Failed)
        .count();
    match failed {
        0 => String::new(),
        count => format!("<span class=\"sub\">{count} failed</span>"),
    }
}

fn chip(class: &str, word: &str, reason: &str) -> String {
    format!(
        "<span class=\"chip {class}\" title=\"{}\">{word}</span>",
        escape(&shorten(reason, 300))
    )
}
