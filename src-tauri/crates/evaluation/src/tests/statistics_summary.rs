//! Compares means, percentiles, passes and paired comparisons with NumPy and exact fractions.
//!
//! `fixtures/statistics/make.py` computes the reference values.

use serde::Deserialize;

use crate::statistics::{
    Bootstrap, CasePasses, Direction, compare_paired, compare_paired_in, estimate_pass, mean,
    median, pass_all, pass_any, percentile,
};

#[derive(Deserialize)]
struct Reference<T> {
    cases: Vec<T>,
}

#[derive(Deserialize)]
struct Summary {
    values: Vec<f64>,
    mean: f64,
    median: f64,
    percentiles: Vec<[f64; 2]>,
}

#[track_caller]
fn assert_close(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    let tolerance = 1e-13 * expected.abs().max(1e-3);
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} is not {expected}"
    );
}

#[test]
fn means_and_percentiles_are_numpys() {
    let text = include_str!("../../tests/fixtures/statistics/summary.json");
    let reference: Reference<Summary> = serde_json::from_str(text).unwrap();
    assert_eq!(reference.cases.len(), 6);
    for case in reference.cases {
        assert_close(mean(&case.values), case.mean);
        assert_close(median(&case.values), case.median);
        for [percent, expected] in case.percentiles {
            assert_close(percentile(&case.values, percent), expected);
        }
    }
}

#[derive(Deserialize)]
struct Passes {
    runs: u32,
    passed: u32,
    k: u32,
    any: f64,
    all: f64,
}

#[test]
fn chances_to_pass_are_the_exact_fractions() {
    let text = include_str!("../../tests/fixtures/statistics/pass.json");
    let reference: Reference<Passes> = serde_json::from_str(text).unwrap();
    assert!(reference.cases.len() > 50);
    for Passes {
        runs,
        passed,
        k,
        any,
        all,
    } in reference.cases
    {
        let case = CasePasses { passed, runs };
        assert!((pass_any(case, k).unwrap() - any).abs() < 1e-12);
        assert!((pass_all(case, k).unwrap() - all).abs() <= 1e-12 * all);
    }
}

#[test]
fn chances_need_as_many_runs_as_they_are_about() {
    let case = CasePasses { passed: 2, runs: 3 };
    for k in [0, 4] {
        assert_eq!(pass_any(case, k), None);
        assert_eq!(pass_all(case, k), None);
    }
    let impossible = CasePasses { passed: 4, runs: 3 };
    assert_eq!(pass_any(impossible, 1), None);
    assert_eq!(pass_all(impossible, 1), None);
}

#[test]
fn an_estimate_counts_the_cases_that_it_leaves_out() {
    let cases = [
        CasePasses { passed: 1, runs: 4 },
        CasePasses { passed: 4, runs: 4 },
        CasePasses { passed: 1, runs: 1 },
    ];
    let estimate = estimate_pass(&cases, 2).unwrap();
    assert_eq!((estimate.cases, estimate.left_out), (2, 1));
    assert_close(Some(estimate.at.any), 0.75);
    assert_close(Some(estimate.at.all), 0.5);
    let single = estimate_pass(&cases, 1).unwrap();
    assert_eq!((single.cases, single.left_out), (3, 0));
    assert_close(Some(single.at.any), 0.75);
    assert_close(Some(single.at.all), 0.75);
    assert_eq!(estimate_pass(&cases, 5), None);
    assert_eq!(estimate_pass(&[], 1), None);
    assert_eq!(estimate_pass(&cases, 0), None);
}

#[test]
fn a_comparison_is_of_the_pairs() {
    let variant = [
        Some(5.0),
        None,
        Some(2.0),
        Some(0.1 + 0.2),
        Some(1.0),
        Some(9.0),
        None,
    ];
    let baseline = [
        Some(4.0),
        Some(3.0),
        Some(4.0),
        Some(0.3),
        Some(2.0),
        None,
        None,
    ];
    let found = compare_paired(&variant, &baseline, &Bootstrap::default());
    assert_eq!((found.pairs, found.unpaired), (4, 2));
    assert_eq!((found.wins, found.ties, found.losses), (1, 1, 2));
    assert_eq!(found.worse, [2, 4]);
    assert_eq!(found.differences, [1.0, -2.0, 0.0, -1.0]);
    assert_eq!(found.difference, Some(-0.5));
    let expected = Bootstrap::default().mean_interval(&found.differences);
    assert!(expected.is_some());
    assert_eq!(found.interval, expected);
}

#[test]
fn pairing_finds_a_difference_that_the_spread_of_cases_hides() {
    let baseline: Vec<Option<f64>> = (0..40).map(|i| Some(f64::from(i % 10))).collect();
    let variant: Vec<Option<f64>> = (0..40)
        .map(|i| Some(f64::from(i % 10) + if i % 3 == 0 { 0.1 } else { 0.3 }))
        .collect();
    let found = compare_paired(&variant, &baseline, &Bootstrap::default());
    let [low, high] = found.interval.unwrap();
    assert!(low > 0.15 && high < 0.3, "[{low}, {high}]");
}

#[test]
fn a_comparison_without_pairs_says_nothing() {
    let found = compare_paired(&[None, Some(1.0)], &[Some(1.0)], &Bootstrap::default());
    assert_eq!((found.pairs, found.unpaired), (0, 2));
    assert_eq!((found.difference, found.interval), (None, None));
    let broken = compare_paired(&[Some(f64::NAN)], &[Some(1.0)], &Bootstrap::default());
    assert_eq!((broken.pairs, broken.unpaired), (0, 1));
}

#[test]
fn equal_losses_keep_the_order_of_the_cases() {
    let baseline = [Some(1.0); 4];
    let variant = [Some(0.5), Some(0.0), Some(0.5), Some(0.0)];
    let found = compare_paired(&variant, &baseline, &Bootstrap::default());
    assert_eq!(found.worse, [1, 3, 0, 2]);
}

#[test]
fn where_lower_is_better_the_lower_score_wins_and_differences_keep_their_sign() {
    let baseline = [Some(4.0), Some(2.0), Some(3.0), Some(1.0), Some(9.0)];
    let variant = [Some(1.0), Some(4.0), Some(3.0), Some(2.0), None];
    let bootstrap = Bootstrap::default();
    let higher = compare_paired(&variant, &baseline, &bootstrap);
    let lower = compare_paired_in(Direction::LowerIsBetter, &variant, &baseline, &bootstrap);
    assert_eq!((higher.wins, higher.ties, higher.losses), (2, 1, 1));
    assert_eq!((lower.wins, lower.ties, lower.losses), (1, 1, 2));
    assert_eq!((higher.worse, lower.worse), (vec![0], vec![1, 3]));
    assert_eq!(lower.differences, [-3.0, 2.0, 0.0, 1.0]);
    assert_eq!(lower.difference, higher.difference);
    assert_eq!(lower.interval, higher.interval);
}
