//! Tests that the page of a report is complete, self-contained and safe with any text.

use serde_json::json;

use super::common::*;
use crate::{
    html::html,
    report::{report, report_with},
    result::CellResult,
    statistics::Bootstrap,
};

/// Returns the result of a loop with noisy scores that rise and then level off.
fn noisy(case: u32, variant: u32, cap: usize) -> CellResult {
    // The first two variants differ only in their cap.
    let mut state = u64::from(case) * 31 + u64::from(variant / 2) + 7;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    };
    let level = 4.0 + 2.0 * random();
    let gain = if variant == 2 { 1.6 } else { 2.2 };
    let mut scores: Vec<f64> = (0..6_usize)
        .map(|at| level + gain * (1.0 - 0.4_f64.powi(at as i32)) + 0.4 * (random() - 0.5))
        .collect();
    if random() < 0.45 {
        let end = 1 + (random() * 6.0) as usize;
        if end <= cap {
            scores.truncate(end);
            return looped(cell(case, variant, 0), &scores, "evaluator_done");
        }
    }
    scores.truncate(cap);
    looped(cell(case, variant, 0), &scores, "max_iterations")
}

fn page(cases_count: u32) -> String {
    let evaluation = evaluation(json!({
        "name": "Refine quality",
        "variants": [{ "name": "cap 6" }, { "name": "cap 3" }, { "name": "other <critic>" }],
        "perIteration": "refine",
        "margin": 0.3,
        "assert": [
            { "mean": ">= 6.5", "variant": "cap 3" },
            { "noWorseThan": "baseline", "margin": 0.2 },
            { "costUsd": "<= 0.01" }
        ]
    }));
    let mut cases = cases(cases_count);
    cases[0].id = "<script>alert(1)</script>".to_owned();
    for case in &mut cases {
        let text = format!(
            "Describe the \"history\" of place {} & its people in two short paragraphs, for a reader who has never been there.",
            case.line
        );
        case.inputs.insert("topic".to_owned(), json!(text));
    }
    let mut results: Vec<CellResult> = (0..cases_count)
        .flat_map(|case| [noisy(case, 0, 6), noisy(case, 1, 3), noisy(case, 2, 5)])
        .collect();
    results[4] = failed(cell(1, 1, 0));
    results[6].scores = vec![score(None)];
    results[6].scores[0].reason = Some("The judge gave no number.".to_owned());
    let notes = vec!["Row 17 has no column \"topic\" and did not run.".to_owned()];
    let bootstrap = Bootstrap {
        resamples: 500,
        ..Bootstrap::default()
    };
    let report = report_with("exp-7f3a", &evaluation, &cases, &results, notes, &bootstrap);
    html(&report, &cases, &results, &|reason| match reason {
        "evaluator_done" => "Evaluator satisfied".to_owned(),
        _ => "Max iterations".to_owned(),
    })
}

#[test]
fn a_page_has_everything_and_needs_nothing() {
    let page = page(60);
    if let Ok(path) = std::env::var("REPORT_HTML") {
        std::fs::write(path, &page).unwrap();
    }
    for part in [
        "<title>Refine quality</title>",
        "class=\"finding\"",
        "Quality and cost by iteration",
        "knee: cap ",
        "Differences from the baseline",
        "Cases that got worse",
        "Assertions",
        "1 run failed.",
        "Row 17 has no column &quot;topic&quot; and did not run.",
        "All cases",
        "role=\"img\" aria-label=\"Mean",
        "Evaluator satisfied",
        "other &lt;critic&gt;",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Each chart has a table with its data.
    assert_eq!(page.matches("<svg").count(), 4);
    assert_eq!(page.matches("<summary>Table</summary>").count(), 4);
    // The only "http" is in the header that forbids loading anything.
    assert_eq!(page.matches("http").count(), 1);
    for outside in [
        "src=",
        "href=",
        "url(",
        "@import",
        "<script",
        "evaluator_done",
        "NaN",
        "inf,",
    ] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// Returns the page of two variants with the scorers `errors` and `right`. The new variant has two errors fewer and an equal
/// `right`.
fn page_of_errors(lower_is_better: bool) -> String {
    let evaluation = evaluation(json!({
        "variants": [{ "name": "old" }, { "name": "new" }],
        "scorers": [
            { "name": "errors", "type": "regex", "pattern": "x", "lowerIsBetter": lower_is_better },
            { "name": "right", "type": "exact" }
        ],
        "perIteration": "refine",
        "margin": 0.1
    }));
    let cases = cases(20);
    let results: Vec<CellResult> = (0..20)
        .flat_map(|case| {
            let level = f64::from(case % 5);
            let of = |variant: u32, fewer: f64| {
                let scores = [9.0, 7.0, 6.1, 6.0, 6.5].map(|score| score + level - fewer);
                let mut result = looped(cell(case, variant, 0), &scores, "max_iterations");
                result.scores.push(score(0.5));
                result
            };
            [of(0, 0.0), of(1, 2.0 + f64::from(case % 2) * 0.1)]
        })
        .collect();
    let report = report("e", &evaluation, &cases, &results, Vec::new());
    html(&report, &cases, &results, &str::to_owned)
}

#[test]
fn a_page_says_where_lower_is_better() {
    const MARK: &str = "<span class=\"sub\">lower is better</span>";
    let page = page_of_errors(true);
    let part = |title: &str| {
        let part = page.split(&format!("<h2>{title}</h2>")).nth(1).unwrap();
        part.split("</section>").next().unwrap()
    };
    // The mark is in the table heads, and only for the scorer to which it applies.
    assert!(part("Variants").contains(&format!("<th scope=\"col\">errors{MARK}</th>")));
    assert!(part("Variants").contains("<th scope=\"col\">right</th>"));
    assert!(part("All cases").contains(&format!("errors{MARK}</th>")));

    let curves = part("Quality and cost by iteration");
    assert!(curves.contains("within 0.1 of the best mean, which is the lowest. old: the mean at cap 3 is 0.1 (0.1 to 0.1) above the mean at cap 4."), "{curves}");
    assert!(curves.contains("knee: cap 3"));
    assert!(curves.contains(&format!("<h3>old</h3>{MARK}")));
    assert!(curves.contains("Mean errors (lower is better) and cost of a run of old"));
    assert!(curves.contains(&format!("Mean{MARK}</th>")));

    let differences = part("Differences from the baseline");
    let (errors, right) = differences.split_once("<h3>right</h3>").unwrap();
    assert!(errors.contains(&format!("<h3>errors</h3>{MARK}")));
    assert!(errors.contains("← better") && !errors.contains("← worse"));
    assert!(errors.contains("worse →") && !errors.contains("better →"));
    assert!(
        errors.contains("class=\"better whisker\"") && errors.contains("<polygon class=\"better\"")
    );
    assert!(errors.contains("−2.05 ("), "{errors}");
    assert!(errors.contains("<td>20 / 0 / 0</td>"));
    assert!(
        right.contains("← worse")
            && right.contains("better →")
            && !right.contains("lower is better")
    );
    assert!(!page.contains("Cases that got worse"));

    let page = page_of_errors(false);
    assert!(!page.contains("lower is better") && !page.contains("lowest"));
    assert!(page.contains("class=\"worse whisker\"") && page.contains("<td>0 / 0 / 20</td>"));
    assert!(page.contains("Cases that got worse"));
}

#[test]
fn text_of_others_is_escaped() {
    let page = page(10);
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!page.contains("<script>"));
    assert!(!page.contains("<critic>"));
}

#[test]
fn elements_are_closed() {
    let page = page(10);
    for element in [
        "table", "tr", "td", "th", "svg", "text", "details", "section", "figure", "span", "ul",
        "li", "div", "g", "title",
    ] {
        let open = page.matches(&format!("<{element}>")).count()
            + page.matches(&format!("<{element} ")).count();
        let closed = page.matches(&format!("</{element}>")).count();
        assert_eq!(open, closed, "{element}");
        assert!(open > 0, "{element}");
    }
}

#[test]
fn the_first_cases_are_there_and_the_page_says_how_many_are_not() {
    let page = page(620);
    assert!(page.contains("The first 500 cases are listed; 120 more are not."));
    assert!(page.contains("<th scope=\"row\">case 499<"));
    let all = page.split("<h2>All cases</h2>").nth(1).unwrap();
    assert!(!all.contains("case 500<"));
}

#[test]
fn an_experiment_without_results_has_a_page() {
    let evaluation = evaluation(json!({ "perIteration": "refine" }));
    let report = report("e", &evaluation, &cases(2), &[], Vec::new());
    let page = html(&report, &cases(2), &[], &str::to_owned);
    assert!(page.contains("No result has a score by judge."));
    assert!(!page.contains("<svg"));
}
