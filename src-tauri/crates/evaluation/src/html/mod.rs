//! Writes a report as one self-contained HTML page, without scripts, other files or network access.

mod cases;
mod curve_chart;
mod forest_chart;
mod scale;
mod style;
mod tables;
mod text;

use std::fmt::Write;

use cases::CaseTables;
use text::escape;

use crate::{
    report::finding,
    result::{Case, CellResult, Comparison, Report},
    statistics::Direction,
    wording::{decimal, range},
};

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

const THEME: &str = "<fieldset class=\"theme\"><legend>Theme</legend>\
<label><input type=\"radio\" name=\"theme\" id=\"theme-auto\" checked>Auto</label>\
<label><input type=\"radio\" name=\"theme\" id=\"theme-light\">Light</label>\
<label><input type=\"radio\" name=\"theme\" id=\"theme-dark\">Dark</label></fieldset>";

/// Returns the page of a report. `cases` and `results` must be the ones that the report was computed from. `exit_title`
/// returns the displayed title of an exit reason such as `evaluator_done`.
pub fn html(
    report: &Report,
    cases: &[Case],
    results: &[CellResult],
    exit_title: &dyn Fn(&str) -> String,
) -> String {
    let tables = CaseTables::new(report, cases, results);
    let name = escape(&report.name);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{name}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n\
         <header><div><h1>{name}</h1><p class=\"facts\">{}</p></div>{THEME}</header>\n\
         <p class=\"finding\">{}</p>\n",
        style::style(),
        tables::facts(report),
        escape(&finding(report)).replace(" %", "\u{a0}%")
    );
    section(
        &mut page,
        "Variants",
        "Means over cases with 95% bootstrap intervals. Repetitions of a case are averaged first.",
        &tables::summary(report, exit_title),
    );
    if !report.assertions.is_empty() {
        section(
            &mut page,
            "Assertions",
            "",
            &tables::assertions(&report.assertions),
        );
    }
    curves(&mut page, report);
    differences(&mut page, report);
    section(
        &mut page,
        "Cases that got worse",
        match report.direction(primary(report)) {
            Direction::HigherIsBetter => {
                "Compared with the baseline by the primary scorer. The worst cases are listed first."
            }
            Direction::LowerIsBetter => {
                "Compared with the baseline by the primary scorer. Lower scores are better. The worst cases are listed first."
            }
        },
        &tables.worse(),
    );
    if !report.notes.is_empty() || report.stopped_early.is_some() {
        section(&mut page, "Notes", "", &tables::notes(report));
    }
    long_section(&mut page, "All cases", &tables.all(exit_title));
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

/// Returns the index of the primary scorer.
fn primary(report: &Report) -> usize {
    usize::try_from(report.primary).unwrap_or_default()
}

/// Adds a section to the page, unless its content is empty.
fn section(page: &mut String, title: &str, hint: &str, content: &str) {
    if content.is_empty() {
        return;
    }
    let hint = match hint {
        "" => String::new(),
        hint => format!("<p class=\"hint\">{}</p>", escape(hint)),
    };
    let _ = writeln!(page, "<section><h2>{title}</h2>{hint}{content}</section>");
}

/// Adds a section that may span several printed pages.
fn long_section(page: &mut String, title: &str, content: &str) {
    let _ = writeln!(
        page,
        "<section class=\"long\"><h2>{title}</h2>{content}</section>"
    );
}

fn curves(page: &mut String, report: &Report) {
    let curves: Vec<_> = report
        .variants
        .iter()
        .filter_map(|variant| Some((variant.name.as_str(), variant.curve.as_ref()?)))
        .collect();
    let Some((_, first)) = curves.first() else {
        return;
    };
    // Curves show the primary scorer.
    let direction = report.direction(primary(report));
    let figures: String = curves
        .iter()
        .map(|(variant, curve)| curve_chart::curve_figure(variant, curve, direction))
        .collect();
    let (side, best) = match direction {
        Direction::HigherIsBetter => ("below", "best mean"),
        Direction::LowerIsBetter => ("above", "best mean, which is the lowest"),
    };
    let knees: Vec<String> = curves
        .iter()
        .filter_map(|(variant, curve)| {
            let knee = curve.knee.as_ref().filter(|knee| knee.k != knee.best)?;
            let interval = knee
                .interval
                .map(|interval| format!(" ({})", range(interval)))
                .unwrap_or_default();
            Some(format!(
                "{variant}: the mean at cap {} is {}{interval} {side} the mean at cap {}.",
                knee.k,
                decimal(knee.difference),
                knee.best
            ))
        })
        .collect();
    let margin = first.knee.as_ref().map_or(0.0, |knee| knee.margin);
    let hint = format!(
        "The results that the same runs of \"{}\" would have had at each cap. The band is the 95% interval. The knee is \
         the smallest cap within {} of the {best}. {}",
        first.of,
        decimal(margin),
        knees.join(" ")
    );
    section(
        page,
        "Quality and cost by iteration",
        hint.trim(),
        &format!("<div class=\"charts\">{figures}</div>"),
    );
}

fn differences(page: &mut String, report: &Report) {
    let primary = primary(report);
    let mut figures = String::new();
    let order =
        std::iter::once(primary).chain((0..report.scorers.len()).filter(|&at| at != primary));
    for at in order {
        let Some(scorer) = report.scorers.get(at) else {
            continue;
        };
        let comparisons: Vec<&Comparison> = report
            .comparisons
            .iter()
            .filter(|comparison| comparison.scorer == *scorer)
            .collect();
        if comparisons.is_empty() {
            continue;
        }
        let margin = if at == primary { report.margin } else { 0.0 };
        figures.push_str(&forest_chart::forest_figure(
            scorer,
            report.direction(at),
            &comparisons,
            margin,
        ));
    }
    let Some(first) = report.comparisons.first() else {
        return;
    };
    let margin = match report.margin > 0.0 {
        true => format!(
            " The blue area is the margin of {}: a difference that does not matter.",
            decimal(report.margin)
        ),
        false => String::new(),
    };
    let hint = format!(
        "Mean difference from \"{}\", paired by case, with its 95% interval. ▲ better, ▼ worse, ● not known.{margin}",
        first.baseline
    );
    section(page, "Differences from the baseline", &hint, &figures);
}
