//! Compares bootstrap intervals with SciPy's, and tests their coverage and edge cases.
//!
//! `fixtures/statistics/make.py` computes the reference values.

use rand_pcg::{
    Pcg64Mcg,
    rand_core::{Rng, SeedableRng},
};
use serde::Deserialize;

use crate::statistics::{Bootstrap, mean};

#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    level: f64,
    values: Vec<f64>,
    interval: [f64; 2],
    deviation: [f64; 2],
}

#[test]
fn intervals_are_scipys_within_the_error_of_resampling() {
    let text = include_str!("../../tests/fixtures/statistics/bootstrap.json");
    let reference: Reference = serde_json::from_str(text).unwrap();
    assert_eq!(reference.cases.len(), 16);
    for case in reference.cases {
        let bootstrap = Bootstrap {
            level: case.level,
            ..Bootstrap::with_seed(1)
        };
        let found = bootstrap.mean_interval(&case.values).unwrap();
        for end in 0..2 {
            // The tolerance is four standard errors of the difference between 10,000 resamples here and 100,000 in the reference,
            // plus the rounding of large values.
            let tolerance = 4.0 * case.deviation[end] * 1.1_f64.sqrt()
                + 1e-12 * case.interval[end].abs().max(1.0);
            let error = (found[end] - case.interval[end]).abs();
            assert!(
                error <= tolerance,
                "{} at {}: {found:?} is not {:?}",
                case.name,
                case.level,
                case.interval
            );
        }
    }
}

#[test]
fn the_correction_for_skewness_is_not_the_plain_percentile_interval() {
    // Percentile intervals of these values extend less far to the right.
    let values: Vec<f64> = (0..30).map(|i| f64::from(i * i * i)).collect();
    let [low, high] = Bootstrap::default().mean_interval(&values).unwrap();
    let centre = mean(&values).unwrap();
    assert!(high - centre > 1.2 * (centre - low), "[{low}, {high}]");
}

#[test]
fn the_same_seed_gives_the_same_interval_on_every_machine() {
    let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.5, 3.25];
    let interval = |seed| Bootstrap::with_seed(seed).mean_interval(&values).unwrap();
    assert_eq!(interval(7), interval(7));
    let ends: Vec<[f64; 2]> = (0..20).map(interval).collect();
    assert!(ends.iter().any(|other| other != &ends[0]));
    // Any change of these digits changes every report, so it must be intentional.
    assert_eq!(
        interval(7),
        [2.472_222_222_222_222_3, 5.861_111_111_111_111]
    );
}

#[test]
fn degenerate_values_have_an_answer() {
    let bootstrap = Bootstrap::default();
    assert_eq!(bootstrap.mean_interval(&[]), None);
    assert_eq!(bootstrap.mean_interval(&[1.0]), None);
    assert_eq!(bootstrap.mean_interval(&[0.1; 7]), Some([0.1, 0.1]));
    assert_eq!(bootstrap.mean_interval(&[1.0, f64::NAN, 2.0]), None);
    assert_eq!(bootstrap.mean_interval(&[1.0, f64::INFINITY]), None);
    assert_eq!(bootstrap.mean_interval(&[f64::NAN; 3]), None);
    assert_eq!(
        bootstrap.mean_interval(&[f64::MAX, f64::MIN, f64::MAX]),
        None
    );
    let tiny = bootstrap.mean_interval(&[1e-300, 2e-300, 3e-300]).unwrap();
    assert!(tiny[0] >= 1e-300 && tiny[0] < tiny[1] && tiny[1] <= 3e-300);
}

/// If only one value differs from the others, many resamples do not contain it. The mean of such a resample equals the other
/// values, and rounding must not move the mean outside the range.
#[test]
fn no_end_lies_outside_the_range_of_the_values() {
    for count in 3..30 {
        for rare in [0.1, 0.3, 0.7, 1.1, 9.7] {
            for sign in [1.0, -1.0] {
                let mut values = vec![0.0; count];
                values[0] = sign * rare;
                let bootstrap = Bootstrap {
                    resamples: 500,
                    ..Bootstrap::default()
                };
                let [low, high] = bootstrap.mean_interval(&values).unwrap();
                let (least, most) = (values[0].min(0.0), values[0].max(0.0));
                assert!(least <= low, "{count} × {sign} {rare}: {low:e}");
                assert!(high <= most, "{count} × {sign} {rare}: {high:e}");
            }
        }
    }
}

#[test]
fn settings_that_mean_nothing_have_no_interval() {
    let values = [1.0, 2.0, 3.0];
    for level in [0.0, 1.0, -0.5, 95.0, f64::NAN] {
        let bootstrap = Bootstrap {
            level,
            ..Bootstrap::default()
        };
        assert_eq!(bootstrap.mean_interval(&values), None, "{level}");
    }
    let none = Bootstrap {
        resamples: 0,
        ..Bootstrap::default()
    };
    assert_eq!(none.mean_interval(&values), None);
    let one = Bootstrap {
        resamples: 1,
        ..Bootstrap::default()
    };
    let [low, high] = one.mean_interval(&values).unwrap();
    assert!(1.0 <= low && low <= high && high <= 3.0);
}

#[test]
fn an_interval_moves_and_grows_with_its_values() {
    let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
    let changed: Vec<f64> = values.iter().map(|value| 100.0 - 4.0 * value).collect();
    let [low, high] = Bootstrap::default().mean_interval(&values).unwrap();
    let [other_low, other_high] = Bootstrap::default().mean_interval(&changed).unwrap();
    // The mirrored values are resampled differently, so the ends agree only within the error of resampling.
    assert!((other_low - (100.0 - 4.0 * high)).abs() < 0.3);
    assert!((other_high - (100.0 - 4.0 * low)).abs() < 0.3);
}

/// About 95 % of the 95 % intervals of skewed values contain the true mean. The share is slightly smaller than 95 %, because
/// there are only 30 values.
#[test]
fn intervals_hold_the_true_mean_as_often_as_their_level_says() {
    let mut random = Pcg64Mcg::seed_from_u64(42);
    let experiments = 600;
    let mut held = 0;
    for seed in 0..experiments {
        let values: Vec<f64> = (0..30)
            .map(|_| {
                let uniform = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
                uniform * uniform
            })
            .collect();
        let bootstrap = Bootstrap {
            resamples: 1000,
            ..Bootstrap::with_seed(seed)
        };
        let [low, high] = bootstrap.mean_interval(&values).unwrap();
        held += u64::from(low <= 1.0 / 3.0 && 1.0 / 3.0 <= high);
    }
    let coverage = held as f64 / experiments as f64;
    println!("coverage of the bootstrap interval: {coverage:.3}");
    assert!((0.92..=0.975).contains(&coverage), "{coverage}");
}

/// Prints the time that an interval of many values takes. It asserts nothing about the time, which depends on the machine.
#[test]
fn a_thousand_values_have_an_interval_soon() {
    let values: Vec<f64> = (0..1000)
        .map(|i| f64::from(i * 7919 % 1000) / 100.0)
        .collect();
    let start = std::time::Instant::now();
    let [low, high] = Bootstrap::default().mean_interval(&values).unwrap();
    println!("1,000 values, 10,000 resamples: {:?}", start.elapsed());
    // The mean is 4.995 and its standard error 0.0913.
    assert!((low - (4.995 - 1.96 * 0.0913)).abs() < 0.01, "{low}");
    assert!((high - (4.995 + 1.96 * 0.0913)).abs() < 0.01, "{high}");
}
