//! Tests reports whose figures can be computed by hand.

use serde_json::json;

use super::common;
use super::common::*;
use crate::{
    report::{finding, report},
    result::{CellResult, CellStatus, Curve, Report},
};

fn near(found: Option<f64>, expected: f64) {
    let found = found.expect("a number");
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

fn made(evaluation: serde_json::Value, count: u32, results: &[CellResult]) -> Report {
    let evaluation = common::evaluation(evaluation);
    report("e1", &evaluation, &cases(count), results, Vec::new())
}

fn two() -> serde_json::Value {
    json!({ "variants": [{ "name": "old" }, { "name": "new" }] })
}

#[test]
fn repetitions_are_averaged_first_and_nothing_missing_is_zero() {
    let results = [
        // Four runs of the first case weigh as much as one run of the second.
        completed(cell(0, 0, 0), score(2.0), 1000),
        completed(cell(0, 0, 1), score(4.0), 3000),
        completed(cell(0, 0, 2), score(None), 5000),
        failed(cell(0, 0, 3)),
        completed(cell(1, 0, 0), score(9.0), 7000),
        completed(cell(2, 0, 0), score(None), 1000),
    ];
    let report = made(json!({ "repetitions": 4 }), 4, &results);
    let variant = &report.variants[0];
    let figures = &variant.scorers[0];
    assert_eq!(variant.name, "flow");
    assert_eq!((figures.n, figures.unscored), (2, 2));
    near(figures.mean, 6.0);
    near(figures.median, 6.0);
    assert_eq!(
        (variant.completed, variant.failed, variant.not_run),
        (5, 1, 10)
    );
    // The mean over completed runs by case: 3,000, 7,000 and 1,000 millionths.
    near(variant.mean_cost_usd, 0.011 / 3.0);
    near(Some(variant.cost_usd), 0.0175);
    assert_eq!(report.notes.len(), 3, "{:?}", report.notes);
    assert_eq!(
        report.notes[0],
        "1 run failed. A failed run has no score and is not counted as zero. The first: The model did not answer."
    );
    assert!(report.notes[1].starts_with("2 results could not be scored by \"judge\"."));
    assert_eq!(report.notes[2], "10 runs not finished: 10 not started.");
}

/// A call without a known price is not free, so a limit on the cost cannot hold.
#[test]
fn an_unknown_cost_is_not_zero() {
    let mut unpriced = completed(cell(0, 0, 0), score(1.0), 0);
    unpriced.spent.unpriced_calls = 2;
    let results = [unpriced, completed(cell(1, 0, 0), score(1.0), 1000)];
    let report = made(
        json!({ "assert": [{ "scorer": "judge", "costUsd": "<= 1" }] }),
        2,
        &results,
    );
    let variant = &report.variants[0];
    assert_eq!(variant.mean_cost_usd, None);
    near(Some(variant.cost_usd), 0.001);
    assert!(
        report.notes[0].starts_with("The price of 2 calls is not known."),
        "{:?}",
        report.notes
    );
    let [assertion] = report.assertions.as_slice() else {
        panic!("{:?}", report.assertions)
    };
    assert!(!assertion.holds && assertion.message.contains("no known price"));
}

#[test]
fn a_cell_counts_once_and_strangers_do_not_count() {
    let mut cut = completed(cell(1, 0, 0), score(None), 0);
    cut.status = CellStatus::OverBudget;
    let results = [
        failed(cell(0, 0, 0)),
        completed(cell(0, 0, 0), score(5.0), 1000),
        cut,
        completed(cell(7, 0, 0), score(1.0), 1000),
        completed(cell(0, 3, 0), score(1.0), 1000),
    ];
    let report = made(json!({}), 2, &results);
    let variant = &report.variants[0];
    assert_eq!((variant.completed, variant.failed), (1, 0));
    near(variant.scorers[0].mean, 5.0);
    assert_eq!(variant.scorers[0].unscored, 0);
    assert_eq!(
        report.notes,
        [
            "1 run not finished: 1 did not fit into the budget.",
            "2 results left out, because the data set or the variants have changed since the run."
        ]
    );
}

#[test]
fn a_failed_run_has_no_score_even_where_one_is_stored() {
    let mut broken = failed(cell(1, 0, 0));
    broken.scores = vec![score(0.0)];
    let results = [completed(cell(0, 0, 0), score(5.0), 1000), broken];
    let report = made(json!({}), 2, &results);
    let figures = &report.variants[0].scorers[0];
    assert_eq!((figures.n, figures.unscored), (1, 0));
    near(figures.mean, 5.0);
    near(report.variants[0].mean_cost_usd, 0.001);
}

#[test]
fn variants_are_compared_by_the_cases_that_both_have() {
    let mut results = Vec::new();
    for case in 0..10 {
        let level = f64::from(case);
        results.push(completed(cell(case, 0, 0), score(level), 2000));
        let change = match case {
            0..=5 => 1.0,
            6 => 0.0,
            7 => -1.0,
            _ => -2.0,
        };
        let new = match case {
            9 => failed(cell(case, 1, 0)),
            _ => completed(cell(case, 1, 0), score(level + change), 1000),
        };
        results.push(new);
    }
    let report = made(two(), 10, &results);
    let [comparison] = &report.comparisons[..] else {
        panic!("one comparison");
    };
    assert_eq!(
        (comparison.variant.as_str(), comparison.baseline.as_str()),
        ("new", "old")
    );
    assert_eq!(comparison.pairs, 9);
    near(comparison.difference, 3.0 / 9.0);
    assert_eq!(
        (comparison.wins, comparison.ties, comparison.losses),
        (6, 1, 2)
    );
    assert_eq!(comparison.worse, ["case 8", "case 7"]);
    near(comparison.cost_difference_usd, -0.001);
    let [low, high] = comparison.interval.unwrap();
    assert!(low < 3.0 / 9.0 && high > 3.0 / 9.0 && low < 0.0);
    assert!(
        finding(&report)
            .starts_with("9 cases are not enough to tell whether new is as good as old"),
        "{}",
        finding(&report)
    );
}

#[test]
fn the_baseline_may_be_another_than_the_first() {
    let results = [
        completed(cell(0, 0, 0), score(1.0), 0),
        completed(cell(0, 1, 0), score(3.0), 0),
    ];
    let mut file = two();
    file["baseline"] = json!("new");
    let report = made(file, 1, &results);
    assert_eq!(report.baseline, 1);
    assert_eq!(report.comparisons[0].variant, "old");
    near(report.comparisons[0].difference, -2.0);
    assert_eq!(report.comparisons[0].interval, None);
}

#[test]
fn pass_at_k_is_there_only_for_scores_that_are_true_or_false() {
    let results = [
        completed(cell(0, 0, 0), boolean(true), 0),
        completed(cell(0, 0, 1), boolean(false), 0),
        completed(cell(1, 0, 0), boolean(true), 0),
        completed(cell(1, 0, 1), boolean(true), 0),
    ];
    let pass = &made(json!({ "repetitions": 2 }), 2, &results).variants[0].scorers[0].pass;
    assert_eq!(pass.len(), 2);
    near(Some(pass[0].any), 0.75);
    near(Some(pass[1].any), 1.0);
    near(Some(pass[1].all), 0.5);
    let mut mixed = results.to_vec();
    mixed.push(completed(cell(1, 0, 1), score(1.0), 0));
    assert!(
        made(json!({ "repetitions": 2 }), 2, &mixed).variants[0].scorers[0]
            .pass
            .is_empty()
    );
}

fn curve(results: &[CellResult], margin: f64, count: u32) -> Curve {
    let report = made(
        json!({ "perIteration": "refine", "margin": margin }),
        count,
        results,
    );
    report.variants[0].curve.clone().expect("a curve")
}

#[test]
fn a_run_that_ended_by_itself_counts_at_later_caps_and_one_that_was_cut_off_does_not() {
    let results = [
        looped(cell(0, 0, 0), &[4.0, 6.0, 8.0, 8.0], "max_iterations"),
        looped(cell(1, 0, 0), &[5.0, 7.0], "evaluator_done"),
        looped(cell(2, 0, 0), &[1.0, 1.0], "error"),
        looped(cell(3, 0, 0), &[2.0, 2.0, 2.0], "timeout"),
    ];
    let curve = curve(&results, 0.0, 4);
    let of = |k: usize| &curve.points[k - 1];
    assert_eq!(curve.points.len(), 4);
    assert_eq!(
        (curve.of.as_str(), curve.scorer.as_str()),
        ("refine", "judge")
    );
    let n: Vec<u32> = curve.points.iter().map(|point| point.n).collect();
    assert_eq!(n, [4, 4, 3, 2]);
    near(of(1).mean, 3.0);
    near(of(2).mean, 4.0);
    near(of(3).mean, (8.0 + 7.0 + 2.0) / 3.0);
    near(of(4).mean, 7.5);
    near(Some(of(4).mean_cost_usd), (0.004 + 0.002) / 2.0);
    near(Some(of(4).mean_tokens), 1500.0);
    let finished: Vec<f64> = curve.points.iter().map(|point| point.finished).collect();
    assert_eq!(finished, [0.0, 0.25, 0.25, 0.25]);
}

#[test]
fn the_knee_is_the_smallest_cap_within_the_margin_of_the_best() {
    let results: Vec<CellResult> = (0..20)
        .map(|case| {
            let level = f64::from(case % 5);
            let scores = [level, level + 2.0, level + 2.9, level + 3.0, level + 2.5];
            looped(cell(case, 0, 0), &scores, "max_iterations")
        })
        .collect();
    let knee = |margin| curve(&results, margin, 20).knee.expect("a knee");
    let exact = knee(0.0);
    assert_eq!((exact.k, exact.best), (4, 4));
    assert_eq!(exact.interval, None);
    let close = knee(0.1);
    assert_eq!((close.k, close.best), (3, 4));
    near(Some(close.difference), 0.1);
    near(Some(close.saved_usd), 0.001);
    let [low, high] = close.interval.unwrap();
    assert!(low <= 0.1 + 1e-9 && high >= 0.1 - 1e-9);
    assert_eq!(knee(1.0).k, 2);
    assert_eq!(knee(3.0).k, 1);
    // In binary, 0.8 − 0.7 is slightly more than 0.1.
    let tenth = [looped(cell(0, 0, 0), &[0.7, 0.8], "max_iterations")];
    let rounded = curve(&tenth, 0.1, 1).knee.expect("a knee");
    assert_eq!((rounded.k, rounded.best), (1, 2));
    let report = made(
        json!({ "perIteration": "refine", "margin": 0.1 }),
        20,
        &results,
    );
    let says = finding(&report);
    assert!(
        says.starts_with("A cap of 3 is as good as 4 within the margin of 0.1 and costs 25% less: judge differs by 0.1"),
        "{says}"
    );
}

#[test]
fn a_cap_that_few_cases_reached_is_not_the_best() {
    let mut results: Vec<CellResult> = (0..9)
        .map(|case| looped(cell(case, 0, 0), &[1.0, 2.0], "timeout"))
        .collect();
    results.push(looped(cell(9, 0, 0), &[1.0, 2.0, 9.0], "max_iterations"));
    let knee = curve(&results, 0.0, 10).knee.expect("a knee");
    assert_eq!((knee.k, knee.best), (2, 2));
}

#[test]
fn a_loop_of_no_iterations_counts_with_its_run() {
    let mut none = looped(cell(0, 0, 0), &[], "condition_met");
    none.scores = vec![score(3.0)];
    let results = [none, looped(cell(1, 0, 0), &[5.0, 6.0], "max_iterations")];
    let curve = curve(&results, 0.0, 2);
    near(curve.points[0].mean, 4.0);
    near(curve.points[1].mean, 4.5);
    assert_eq!(curve.points[0].finished, 0.5);
}

#[test]
fn repetitions_of_an_iteration_are_averaged_by_case() {
    let results = [
        looped(cell(0, 0, 0), &[0.0, 2.0], "max_iterations"),
        looped(cell(0, 0, 1), &[4.0], "evaluator_done"),
        looped(cell(1, 0, 0), &[8.0, 8.0], "max_iterations"),
    ];
    let curve = curve(&results, 0.0, 2);
    assert_eq!(curve.points[0].n, 2);
    near(curve.points[0].mean, 5.0);
    near(curve.points[1].mean, 5.5);
}

fn asserted(assertions: serde_json::Value) -> Vec<(bool, String)> {
    let mut results = Vec::new();
    for case in 0..30 {
        let level = 7.0 + f64::from(case % 3);
        results.push(completed(cell(case, 0, 0), score(level), 2000));
        let change = if case % 2 == 0 { -0.2 } else { 0.1 };
        results.push(completed(cell(case, 1, 0), score(level + change), 1000));
    }
    let mut file = two();
    file["assert"] = assertions;
    made(file, 30, &results)
        .assertions
        .into_iter()
        .map(|result| (result.holds, result.message))
        .collect()
}

#[test]
fn assertions_hold_or_say_by_how_much_they_do_not() {
    let results = asserted(json!([
        { "mean": ">= 7.96" },
        { "noWorseThan": "baseline", "margin": 0.2 },
        { "noWorseThan": "old", "margin": 0.06 },
        { "costUsd": "<= 0.001", "variant": "new" },
    ]));
    let holds: Vec<bool> = results.iter().map(|result| result.0).collect();
    assert_eq!(holds, [true, false, true, false, true], "{results:#?}");
    assert!(
        results[1]
            .1
            .starts_with("Mean judge of \"new\" is at least 7.96: it is 7.95 (95% interval "),
        "{}",
        results[1].1
    );
    assert!(
        results[2].1.starts_with(
            "\"new\" is no worse than \"old\" in judge, with a margin of 0.2: the difference is −0.05 "
        ),
        "{}",
        results[2].1
    );
    assert_eq!(
        results[4].1,
        "Mean cost per run of \"new\" is at most $0.0010: it is $0.0010."
    );
}

#[test]
fn an_assertion_that_cannot_be_checked_does_not_hold() {
    for (assertion, says) in [
        (json!({}), "An assertion is empty"),
        (json!({ "mean": "7.5" }), "`7.5`"),
        (json!({ "mean": ">= 1", "scorer": "x" }), "scorer \"x\""),
        (json!({ "mean": ">= 1", "variant": "x" }), "variant \"x\""),
        (json!({ "noWorseThan": "x" }), "variant \"x\""),
        (
            json!({ "noWorseThan": "new", "variant": "new" }),
            "with itself",
        ),
    ] {
        let results = asserted(json!([assertion]));
        assert_eq!(results.len(), 1);
        assert!(!results[0].0);
        assert!(results[0].1.contains(says), "{}", results[0].1);
    }
    let empty = made(json!({ "assert": [{ "mean": ">= 1" }] }), 2, &[]);
    assert!(!empty.assertions[0].holds);
    assert_eq!(finding(&empty), "No result has a score by judge.");
}

#[test]
fn the_finding_is_the_comparison_that_helps_to_decide() {
    let results: Vec<CellResult> = (0..40)
        .flat_map(|case| {
            let level = f64::from(case % 7);
            let noise = f64::from(case % 2) * 0.02 - 0.01;
            [
                completed(cell(case, 0, 0), score(level), 10_000),
                completed(cell(case, 1, 0), score(level + noise), 5900),
            ]
        })
        .collect();
    let mut file = two();
    file["margin"] = json!(0.1);
    let says = finding(&made(file, 40, &results));
    assert!(
        says.starts_with(
            "new is as good as old within the margin of 0.1 and costs 41% less: judge differs by 0, 95% interval −0.00"
        ),
        "{says}"
    );
}

#[test]
fn the_same_results_give_the_same_report() {
    let results: Vec<CellResult> = (0..20)
        .map(|case| completed(cell(case, 0, 0), score(f64::from(case * case % 7)), 10))
        .collect();
    let first = made(json!({ "seed": 3 }), 20, &results);
    assert_eq!(first, made(json!({ "seed": 3 }), 20, &results));
    let reversed: Vec<CellResult> = results.iter().rev().cloned().collect();
    assert_eq!(first, made(json!({ "seed": 3 }), 20, &reversed));
}
