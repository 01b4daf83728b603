//! Tests the report of a scorer whose lower scores are better: verdicts are reversed, but the numbers stay the same.

use serde_json::{Value, json};

use super::common::*;
use crate::{
    report::{finding, report},
    result::{CellResult, Curve, Report},
    statistics::Direction,
};

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

/// Returns a report on an evaluation with the scorer `errors`.
fn made(lower_is_better: bool, more: Value, count: u32, results: &[CellResult]) -> Report {
    let scorer = json!({
        "name": "errors", "type": "regex", "pattern": "x", "lowerIsBetter": lower_is_better
    });
    let mut file = json!({ "scorers": [scorer] });
    for (key, value) in more.as_object().unwrap() {
        file[key] = value.clone();
    }
    report("e1", &evaluation(file), &cases(count), results, Vec::new())
}

fn two(margin: f64, assertions: Value) -> Value {
    json!({ "variants": [{ "name": "old" }, { "name": "new" }], "margin": margin, "assert": assertions })
}

/// Returns the results of two variants. `change` returns the difference between the errors of the new and the old variant for a
/// case.
fn pairs(count: u32, change: impl Fn(u32) -> f64) -> Vec<CellResult> {
    (0..count)
        .flat_map(|case| {
            let level = 5.0 + f64::from(case % 4);
            [
                completed(cell(case, 0, 0), score(level), 1000),
                completed(cell(case, 1, 0), score(level + change(case)), 1000),
            ]
        })
        .collect()
}

#[test]
fn fewer_errors_win_and_the_difference_is_still_variant_minus_baseline() {
    // In each group of four cases, two have one error fewer, one has as many, and one has two or three more.
    let results = pairs(12, |case| match case % 4 {
        0 | 1 => -1.0,
        2 => 0.0,
        _ => {
            if case == 7 {
                3.0
            } else {
                2.0
            }
        }
    });
    let lower = made(true, two(0.0, json!([])), 12, &results);
    let higher = made(false, two(0.0, json!([])), 12, &results);
    let (fewer, more) = (&lower.comparisons[0], &higher.comparisons[0]);
    assert_eq!((fewer.wins, fewer.ties, fewer.losses), (6, 3, 3));
    assert_eq!((more.wins, more.ties, more.losses), (3, 3, 6));
    assert_eq!(fewer.worse, ["case 7", "case 3", "case 11"]);
    near(fewer.difference.unwrap(), 1.0 / 12.0);
    assert_eq!(fewer.difference, more.difference);
    assert_eq!(fewer.interval, more.interval);
}

#[test]
fn the_finding_says_what_is_better() {
    let fewer = pairs(20, |case| -2.0 - f64::from(case % 2) * 0.5);
    let says = finding(&made(true, two(0.0, json!([])), 20, &fewer));
    assert!(
        says.starts_with(
            "new is better than old by 2.25 errors (lower is better) and costs the same, 95% interval −2.3"
        ),
        "{says}"
    );
    let says = finding(&made(false, two(0.0, json!([])), 20, &fewer));
    assert!(
        says.starts_with("new is worse than old by 2.25 errors and"),
        "{says}"
    );

    let more = pairs(20, |case| 2.0 + f64::from(case % 2) * 0.5);
    let says = finding(&made(true, two(0.0, json!([])), 20, &more));
    assert!(
        says.starts_with("new is worse than old by 2.25 errors (lower is better)"),
        "{says}"
    );

    // The interval of the increase is between 0.05 and 0.15: within a margin of 0.2, but not within 0.1.
    let slightly = pairs(20, |case| f64::from(case % 2) * 0.2);
    let says = finding(&made(true, two(0.2, json!([])), 20, &slightly));
    assert!(
        says.starts_with("new is as good as old within the margin of 0.2 and costs the same: errors (lower is better) differs by +0.1, "),
        "{says}"
    );
    let says = finding(&made(true, two(0.1, json!([])), 20, &slightly));
    assert!(
        says.starts_with("new is worse than old by 0.1 errors"),
        "{says}"
    );
    let says = finding(&made(
        true,
        two(0.1, json!([])),
        20,
        &pairs(20, |case| f64::from(case % 3) - 1.0),
    ));
    assert!(says.starts_with("20 cases are not enough"), "{says}");
}

#[test]
fn no_worse_than_limits_the_upper_end_of_the_interval() {
    let assertions = |margin| json!([{ "noWorseThan": "baseline", "margin": margin }]);
    let checked = |lower, margin, change: &dyn Fn(u32) -> f64| {
        let found = made(lower, two(0.0, assertions(margin)), 20, &pairs(20, change));
        assert_eq!(found.assertions.len(), 1);
        let [low, high] = found.comparisons[0].interval.unwrap();
        (
            found.assertions[0].holds,
            found.assertions[0].message.clone(),
            low,
            high,
        )
    };
    let slightly = |case: u32| f64::from(case % 2) * 0.2;
    let (holds, message, low, high) = checked(true, 0.2, &slightly);
    assert!(0.0 < low && 0.1 < high && high < 0.2, "[{low}, {high}]");
    assert!(holds, "{message}");
    assert!(
        message.starts_with(
            "\"new\" is no worse than \"old\" in errors (lower is better), with a margin of 0.2: the difference is +0.1 (95% interval 0.0"
        ),
        "{message}"
    );
    assert!(!checked(true, 0.1, &slightly).0);
    // The lower end is above the negative margin, which suffices only if higher is better.
    assert!(checked(false, 0.1, &slightly).0);
    // With far fewer errors, the variant is no worse, although the interval lies far below the margin.
    let far = |case: u32| -2.0 - slightly(case);
    assert!(checked(true, 0.1, &far).0);
    assert!(!checked(false, 0.1, &far).0);
    // The end of the interval may equal the margin.
    let (holds, message, _, high) = checked(true, 0.3, &|_| 0.3);
    near(high, 0.3);
    assert!(holds, "{message}");
}

fn curve(lower_is_better: bool, scores: &[f64], margin: f64) -> (Curve, String) {
    let results: Vec<CellResult> = (0..20)
        .map(|case| {
            let level = f64::from(case % 5);
            let scores: Vec<f64> = scores.iter().map(|score| score + level).collect();
            looped(cell(case, 0, 0), &scores, "max_iterations")
        })
        .collect();
    let more = json!({ "perIteration": "refine", "margin": margin });
    let report = made(lower_is_better, more, 20, &results);
    let curve = report.variants[0].curve.clone().expect("a curve");
    (curve, finding(&report))
}

#[test]
fn the_knee_is_the_smallest_cap_within_the_margin_of_the_lowest_mean() {
    let falling = [5.0, 3.0, 2.1, 2.0, 2.5];
    let (exact, says) = curve(true, &falling, 0.0);
    let knee = exact.knee.expect("a knee");
    assert_eq!((knee.k, knee.best, knee.interval), (4, 4, None));
    near(exact.points[3].mean.unwrap(), 4.0);
    assert_eq!(
        says,
        "A cap of 4 has the best errors (lower is better), 4: iterations after 4 bring no improvement."
    );
    let (close, says) = curve(true, &falling, 0.1);
    let knee = close.knee.expect("a knee");
    assert_eq!((knee.k, knee.best), (3, 4));
    near(knee.difference, 0.1);
    let [low, high] = knee.interval.unwrap();
    near(low, 0.1);
    near(high, 0.1);
    near(knee.saved_usd, 0.001);
    assert!(
        says.starts_with("A cap of 3 is as good as 4 within the margin of 0.1 and costs 25% less: errors (lower is better) differs by 0.1"),
        "{says}"
    );
    // If higher is better, the first iteration of the same runs is the best.
    let knee = curve(false, &falling, 0.1).0.knee.expect("a knee");
    assert_eq!((knee.k, knee.best), (1, 1));
    // The first of several equal caps is the best.
    let knee = curve(true, &[3.0, 1.0, 1.0], 0.0).0.knee.expect("a knee");
    assert_eq!((knee.k, knee.best), (2, 2));
}

#[test]
fn a_run_passes_where_what_must_not_be_is_false() {
    let results = [
        completed(cell(0, 0, 0), boolean(true), 0),
        completed(cell(0, 0, 1), boolean(false), 0),
        completed(cell(1, 0, 0), boolean(true), 0),
        completed(cell(1, 0, 1), boolean(true), 0),
    ];
    let pass = |lower| {
        let report = made(lower, json!({ "repetitions": 2 }), 2, &results);
        let of = |pass: &crate::result::PassAt| (pass.k, pass.any, pass.all);
        report.variants[0].scorers[0]
            .pass
            .iter()
            .map(of)
            .collect::<Vec<_>>()
    };
    assert_eq!(pass(true), [(1, 0.25, 0.25), (2, 0.5, 0.0)]);
    assert_eq!(pass(false), [(1, 0.75, 0.75), (2, 1.0, 0.5)]);
}

#[test]
fn a_report_says_the_direction_of_each_scorer() {
    let scorers = json!([
        { "name": "right", "type": "exact" },
        { "name": "errors", "type": "regex", "pattern": "x", "lowerIsBetter": true }
    ]);
    let found = report(
        "e",
        &evaluation(json!({ "scorers": scorers })),
        &cases(1),
        &[],
        Vec::new(),
    );
    assert_eq!(found.lower_is_better, [false, true]);
    let mut stored = serde_json::to_value(&found).unwrap();
    assert_eq!(stored["lowerIsBetter"], json!([false, true]));
    assert_eq!(found.direction(1), Direction::LowerIsBetter);
    assert_eq!(found.direction_of("errors"), Direction::LowerIsBetter);
    assert_eq!(found.direction_of("right"), Direction::HigherIsBetter);
    // Reports of earlier versions lack the field.
    stored.as_object_mut().unwrap().remove("lowerIsBetter");
    let old: Report = serde_json::from_value(stored).unwrap();
    assert!(old.lower_is_better.is_empty());
    assert_eq!(old.direction(1), Direction::HigherIsBetter);
}
