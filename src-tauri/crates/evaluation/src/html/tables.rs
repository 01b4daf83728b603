//! The tables of a report.

use std::fmt::Write;

use super::text::{escape, shorten};
use crate::{
    result::{AssertionResult, Report, VariantReport},
    statistics::Direction,
    wording::{counted, dollars, duration, figure, percent, range},
};

/// The placeholder that a table shows for a missing number.
pub(super) const NONE: &str = "<span class=\"none\">–</span>";

/// Formats a number, or the placeholder if it is missing.
pub(super) fn cell(value: Option<f64>, text: fn(f64) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), text)
}

/// Returns the text that appears below the name of a scorer whose lower scores are better. For other scorers, returns
/// an empty string.
pub(super) fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::HigherIsBetter => "",
        Direction::LowerIsBetter => "<span class=\"sub\">lower is better</span>",
    }
}

/// Returns a table that scrolls horizontally if it is too wide. `head` and `body` are the HTML of its rows.
pub(super) fn scrolling(head: &str, body: &str) -> String {
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>"
    )
}

/// Returns the summary table, with one row for each variant.
pub(super) fn summary(report: &Report, exit_title: &dyn Fn(&str) -> String) -> String {
    let mut head = "<tr><th scope=\"col\">Variant</th>".to_owned();
    for (at, scorer) in report.scorers.iter().enumerate() {
        let _ = write!(
            head,
            "<th scope=\"col\">{}{}</th>",
            escape(&shorten(scorer, 28)),
            direction(report.direction(at))
        );
    }
    for title in ["Cost of a run", "Time", "Iterations", "Runs"] {
        let _ = write!(head, "<th scope=\"col\">{title}</th>");
    }
    head.push_str("</tr>");
    let mut body = String::new();
    for (at, variant) in report.variants.iter().enumerate() {
        let is_baseline = usize::try_from(report.baseline) == Ok(at) && report.variants.len() > 1;
        summary_row(&mut body, variant, is_baseline, exit_title);
    }
    scrolling(&head, &body)
}

fn summary_row(
    body: &mut String,
    variant: &VariantReport,
    is_baseline: bool,
    exit_title: &dyn Fn(&str) -> String,
) {
    let mark = if is_baseline {
        "<span class=\"sub\">baseline</span>"
    } else {
        ""
    };
    let _ = write!(
        body,
        "<tr><th scope=\"row\">{}{mark}</th>",
        escape(&variant.name)
    );
    for scorer in &variant.scorers {
        let interval = scorer.interval.map(range).unwrap_or_default();
        let mut passes = String::new();
        for pass in scorer.pass.iter().filter(|pass| pass.k > 1) {
            let _ = write!(
                passes,
                "<span class=\"sub\">pass@{k} {} · pass^{k} {}</span>",
                percent(pass.any),
                percent(pass.all),
                k = pass.k
            );
        }
        let unscored = match scorer.unscored {
            0 => String::new(),
            count => format!("<span class=\"sub\">{count} unscored</span>"),
        };
        let _ = write!(
            body,
            "<td>{}<span class=\"sub\">{interval}</span>{passes}{unscored}</td>",
            cell(scorer.mean, figure)
        );
    }
    let mut exits: Vec<(u32, String)> = variant
        .exit_reasons
        .iter()
        .map(|(reason, &count)| (count, exit_title(reason)))
        .collect();
    exits.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let exits: String = exits
        .iter()
        .map(|(count, title)| format!("<span class=\"sub\">{} {count}</span>", escape(title)))
        .collect();
    let total = match variant.has_unknown_costs() {
        true => format!("at least {}", dollars(variant.cost_usd)),
        false => dollars(variant.cost_usd),
    };
    let p95 = variant
        .latency_p95
        .map(|ms| format!("<span class=\"sub\">95%: {}</span>", duration(ms)))
        .unwrap_or_default();
    let mut runs = variant.completed.to_string();
    for (count, what) in [
        (variant.failed, "failed"),
        (variant.not_run, "not finished"),
    ] {
        if count > 0 {
            let _ = write!(runs, "<span class=\"sub\">{count} {what}</span>");
        }
    }
    let _ = write!(
        body,
        "<td>{}<span class=\"sub\">{total} in all</span></td><td>{}{p95}</td><td>{}{exits}</td><td>{runs}</td></tr>",
        cell(variant.mean_cost_usd, dollars),
        cell(variant.latency_p50, duration),
        cell(variant.mean_iterations, figure)
    );
}

/// Returns the table of assertions, failed ones first.
pub(super) fn assertions(assertions: &[AssertionResult]) -> String {
    let mut list = "<ul>".to_owned();
    let failed = assertions.iter().filter(|assertion| !assertion.holds);
    let held = assertions.iter().filter(|assertion| assertion.holds);
    for assertion in failed.chain(held) {
        let (class, word) = match assertion.holds {
            true => ("good", "✓ holds"),
            false => ("bad", "✕ fails"),
        };
        let _ = write!(
            list,
            "<li class=\"check\"><span><span class=\"chip {class}\">{word}</span></span><span>{}</span></li>",
            escape(&assertion.message)
        );
    }
    list.push_str("</ul>");
    list
}

/// Returns the list of the report's notes.
pub(super) fn notes(report: &Report) -> String {
    let mut list = "<ul class=\"notes\">".to_owned();
    for note in report.stopped_early.iter().chain(&report.notes) {
        let _ = write!(list, "<li>{}</li>", escape(note));
    }
    list.push_str("</ul>");
    list
}

/// Returns a line with the flow, the numbers of cases, variants and repetitions, and the id of the experiment.
pub(super) fn facts(report: &Report) -> String {
    let cases = counted(u64::from(report.cases), "case");
    let variants = counted(report.variants.len() as u64, "variant");
    let repetitions = counted(u64::from(report.repetitions), "repetition");
    format!(
        "{} · {cases} × {variants} × {repetitions} · experiment {}",
        escape(&report.flow),
        escape(&report.experiment)
    )
}
