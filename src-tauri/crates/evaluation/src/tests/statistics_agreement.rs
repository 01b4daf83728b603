//! Compares the agreement of raters with published examples, scikit-learn and the Python package `krippendorff`.
//!
//! `fixtures/statistics/make.py` computes the reference values.

use serde::Deserialize;

use crate::statistics::{
    Measurement::{self, Interval, Nominal, Ordinal},
    Weights, cohen_kappa, krippendorff_alpha,
};

#[derive(Deserialize)]
struct Reference {
    kappa: Vec<Kappa>,
    alpha: Vec<Alpha>,
}

#[derive(Deserialize)]
struct Kappa {
    ratings: Vec<[f64; 2]>,
    equal: f64,
    linear: f64,
    quadratic: f64,
}

#[derive(Deserialize)]
struct Alpha {
    units: Vec<Vec<Option<f64>>>,
    nominal: f64,
    ordinal: f64,
    interval: f64,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!(
        "../../tests/fixtures/statistics/agreement.json"
    ))
    .unwrap()
}

#[test]
fn kappa_is_scikit_learns() {
    let cases = reference().kappa;
    assert_eq!(cases.len(), 5);
    for case in cases {
        for (weights, expected) in [
            (Weights::Equal, case.equal),
            (Weights::Linear, case.linear),
            (Weights::Quadratic, case.quadratic),
        ] {
            let found = cohen_kappa(&case.ratings, weights).unwrap();
            assert!(
                (found - expected).abs() < 1e-12,
                "{weights:?}: {found} is not {expected}"
            );
        }
    }
}

#[test]
fn alpha_is_that_of_the_package() {
    let cases = reference().alpha;
    assert_eq!(cases.len(), 5);
    for case in cases {
        for (measurement, expected) in [
            (Nominal, case.nominal),
            (Ordinal, case.ordinal),
            (Interval, case.interval),
        ] {
            let found = krippendorff_alpha(&case.units, measurement).unwrap();
            assert!(
                (found - expected).abs() < 1e-12,
                "{measurement:?}: {found} is not {expected}"
            );
        }
    }
}

/// The data of section C of Krippendorff 2011: 4 observers and 12 units. A dot is a missing value.
const FOUR_OBSERVERS: [&str; 4] = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
];

fn units(observers: &[&str]) -> Vec<Vec<Option<f64>>> {
    let rows: Vec<Vec<Option<f64>>> = observers
        .iter()
        .map(|row| row.split(' ').map(|value| value.parse().ok()).collect())
        .collect();
    (0..rows[0].len())
        .map(|unit| rows.iter().map(|row| row[unit]).collect())
        .collect()
}

#[track_caller]
fn assert_published(units: &[Vec<Option<f64>>], measurement: Measurement, published: f64) {
    let found = krippendorff_alpha(units, measurement).unwrap();
    assert!(
        (found - published).abs() < 0.0005,
        "{found} is not {published}"
    );
}

#[test]
fn alpha_is_the_published_one() {
    let four = units(&FOUR_OBSERVERS);
    assert_published(&four, Nominal, 0.743);
    assert_published(&four, Ordinal, 0.815);
    assert_published(&four, Interval, 0.849);
    // The examples of the paper: in section A, two observers answer yes or no; in section B, they choose among five names, which
    // are numbers here.
    let two = units(&["0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0"]);
    assert_published(&two, Nominal, 0.095);
    let names = units(&["1 1 2 2 4 3 3 3 5 4 4 1", "2 1 2 2 2 3 3 3 5 4 4 4"]);
    assert_published(&names, Nominal, 0.692);
}

#[test]
fn alpha_does_not_depend_on_the_order_of_raters_or_on_units_with_one_rating() {
    let mut four = units(&FOUR_OBSERVERS);
    let before = krippendorff_alpha(&four, Ordinal).unwrap();
    for unit in &mut four {
        unit.reverse();
    }
    four.push(vec![None, Some(9.0), None, None]);
    four.push(Vec::new());
    let after = krippendorff_alpha(&four, Ordinal).unwrap();
    assert!((before - after).abs() < 1e-14);
}

#[test]
fn ranks_do_not_depend_on_distances() {
    let four = units(&FOUR_OBSERVERS);
    let stretched: Vec<Vec<Option<f64>>> = four
        .iter()
        .map(|unit| unit.iter().map(|rating| rating.map(f64::exp)).collect())
        .collect();
    let alpha = |units, measurement| krippendorff_alpha(units, measurement).unwrap();
    assert!((alpha(&four, Ordinal) - alpha(&stretched, Ordinal)).abs() < 1e-14);
    assert!((alpha(&four, Interval) - alpha(&stretched, Interval)).abs() > 0.01);
}

/// The table in Wikipedia's article "Cohen's kappa": 20 agreements on yes and 15 on no, 5 and 10 disagreements.
#[test]
fn kappa_of_a_table_is_the_worked_out_one() {
    let times = |pair: [f64; 2], count| std::iter::repeat_n(pair, count);
    let ratings: Vec<[f64; 2]> = times([1.0, 1.0], 20)
        .chain(times([1.0, 0.0], 5))
        .chain(times([0.0, 1.0], 10))
        .chain(times([0.0, 0.0], 15))
        .collect();
    for weights in [Weights::Equal, Weights::Linear, Weights::Quadratic] {
        assert!((cohen_kappa(&ratings, weights).unwrap() - 0.4).abs() < 1e-14);
    }
}

#[test]
fn agreement_that_chance_explains_or_nobody_rated_has_no_number() {
    for weights in [Weights::Equal, Weights::Linear, Weights::Quadratic] {
        assert_eq!(cohen_kappa(&[], weights), None);
        assert_eq!(cohen_kappa(&[[0.3, 0.3]; 7], weights), None);
        assert_eq!(cohen_kappa(&[[1.0, f64::NAN], [1.0, 2.0]], weights), None);
        assert_eq!(cohen_kappa(&[[1.0, 1.0], [2.0, 2.0]], weights), Some(1.0));
    }
    for measurement in [Nominal, Ordinal, Interval] {
        let alpha = |units: &[Vec<Option<f64>>]| krippendorff_alpha(units, measurement);
        assert_eq!(alpha(&[]), None);
        assert_eq!(alpha(&[vec![Some(1.0), None], vec![None, Some(2.0)]]), None);
        assert_eq!(alpha(&vec![vec![Some(0.1), Some(0.1), Some(0.1)]; 7]), None);
        assert_eq!(alpha(&[vec![Some(1.0), Some(f64::NAN)]]), None);
        let full = [vec![Some(1.0), Some(1.0)], vec![Some(2.0), Some(2.0)]];
        assert_eq!(alpha(&full), Some(1.0));
    }
}
