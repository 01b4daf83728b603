//! Compares confidence sequences with the program of the method's authors, and tests their guarantee in simulated experiments.
//!
//! `fixtures/statistics/make.py` computes the reference values.

use rand_pcg::{
    Pcg64Mcg,
    rand_core::{Rng, SeedableRng},
};
use serde::Deserialize;

use crate::statistics::{ConfidenceSequence, SequenceError, Verdict, decide};

#[derive(Deserialize)]
struct Reference {
    breaks: f64,
    cases: Vec<Case>,
    t: Vec<f64>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    alpha: f64,
    values: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!(
        "../../tests/fixtures/statistics/sequence.json"
    ))
    .unwrap()
}

#[test]
fn intervals_are_those_of_the_authors_at_every_look() {
    let reference = reference();
    assert_eq!(reference.cases.len(), 8);
    for case in &reference.cases {
        let mut sequence = ConfidenceSequence::new([0.0, 1.0], case.alpha).unwrap();
        for (look, &value) in case.values.iter().enumerate() {
            sequence.observe(value).unwrap();
            let [low, high] = sequence.interval();
            // Both ends lie on a grid. Because of rounding, a tie may fall on the next grid point.
            let tolerance = 1.01 / reference.breaks;
            assert!(
                (low - case.low[look]).abs() < tolerance
                    && (high - case.high[look]).abs() < tolerance,
                "{} at {}, look {look}: [{low}, {high}] is not [{}, {}]",
                case.name,
                case.alpha,
                case.low[look],
                case.high[look]
            );
        }
    }
}

/// A function that draws differences between scores from 0 to 1.
type Draw = fn(&mut Pcg64Mcg) -> f64;

fn uniform(random: &mut Pcg64Mcg) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// The kinds of differences that are tested, each with a name, a draw and the true mean.
const DIFFERENCES: [(&str, Draw, f64); 4] = [
    (
        "passes that rarely differ",
        |random| match uniform(random) {
            x if x < 0.1 => -1.0,
            x if x < 0.2 => 1.0,
            _ => 0.0,
        },
        0.0,
    ),
    (
        "rare large losses",
        |random| {
            if uniform(random) < 0.05 { -0.95 } else { 0.05 }
        },
        0.0,
    ),
    ("anything", |random| uniform(random) * 2.0 - 1.0, 0.0),
    (
        "a judge's tenths, a little better",
        |random| {
            let sum: f64 = (0..4).map(|_| uniform(random) - 0.5).sum();
            ((sum * 0.4 + 0.1) * 10.0).round() / 10.0
        },
        0.1,
    ),
];

const EXPERIMENTS: u32 = 2000;
const OBSERVATIONS: usize = 200;
/// The number of values at which both methods first examine the result. It is enough for Student's t.
const FIRST_LOOK: usize = 10;

#[test]
fn a_confidence_sequence_bears_continuous_peeking_and_a_repeated_t_test_does_not() {
    let t = reference().t;
    let mut random = Pcg64Mcg::seed_from_u64(2024);
    for (name, draw, truth) in DIFFERENCES {
        let (mut held, mut naive_held) = (0, 0);
        for _ in 0..EXPERIMENTS {
            let mut sequence = ConfidenceSequence::of_differences([0.0, 1.0], 0.05).unwrap();
            let (mut holds, mut naive_holds) = (true, true);
            let (mut total, mut squares) = (0.0, 0.0);
            for count in 1..=OBSERVATIONS {
                let value = draw(&mut random);
                sequence.observe(value).unwrap();
                let [low, high] = sequence.interval();
                holds &= low <= truth && truth <= high;
                total += value;
                squares += value * value;
                if count >= FIRST_LOOK {
                    let n = count as f64;
                    let mean = total / n;
                    let variance = ((squares - n * mean * mean) / (n - 1.0)).max(0.0);
                    let reach = t[count - 2] * (variance / n).sqrt();
                    // A t-test is undefined for equal values.
                    naive_holds &= variance < 1e-12 || (mean - truth).abs() <= reach;
                }
            }
            held += u32::from(holds);
            naive_held += u32::from(naive_holds);
        }
        let share = |count| f64::from(count) / f64::from(EXPERIMENTS);
        let (coverage, naive) = (share(held), share(naive_held));
        println!("{name}: confidence sequence {coverage:.4}, repeated t-test {naive:.4}");
        assert!(coverage >= 0.95, "{name}: {coverage}");
        assert!(naive <= 0.85, "{name}: {naive}");
    }
}

#[test]
fn an_experiment_stops_before_its_end_with_the_right_answer() {
    let cases = [
        (0.1, 0.0, Verdict::Better),
        (-0.1, 0.0, Verdict::Worse),
        (0.0, 0.1, Verdict::NoDifference),
    ];
    for (effect, margin, expected) in cases {
        let mut random = Pcg64Mcg::seed_from_u64(3);
        let (mut right, mut wrong, mut looked) = (0, 0, 0);
        for _ in 0..300 {
            let mut sequence = ConfidenceSequence::of_differences([0.0, 1.0], 0.05).unwrap();
            let mut verdict = Verdict::Undecided;
            while verdict == Verdict::Undecided && sequence.len() < 300 {
                let noise: f64 = (0..4).map(|_| uniform(&mut random) - 0.5).sum();
                sequence.observe(noise * 0.4 + effect).unwrap();
                verdict = decide(sequence.interval(), margin);
            }
            looked += sequence.len();
            right += usize::from(verdict == expected);
            wrong += usize::from(verdict != expected && verdict != Verdict::Undecided);
        }
        println!(
            "{expected:?}: {right} right, {wrong} wrong, {} observations each",
            looked / 300
        );
        assert!(right >= 285, "{expected:?}: {right}");
        assert!(wrong <= 15, "{expected:?}: {wrong}");
        assert!(looked / 300 < 200, "{expected:?}: {looked}");
    }
}

#[test]
fn an_interval_starts_as_the_range_and_never_grows() {
    let mut sequence = ConfidenceSequence::new([-0.3, 0.7], 0.05).unwrap();
    assert!(sequence.is_empty());
    assert_eq!(sequence.interval(), [-0.3, 0.7]);
    let mut before = sequence.interval();
    for i in 0..400 {
        // The large values come first and the small ones last. The method assumes a random order.
        sequence.observe(if i < 200 { 0.7 } else { -0.3 }).unwrap();
        let [low, high] = sequence.interval();
        assert!(before[0] <= low && low <= high && high <= before[1]);
        before = [low, high];
    }
    assert_eq!(sequence.len(), 400);
    // The halves contradict each other, so the interval is a single point.
    assert_eq!(before[0], before[1]);
}

#[test]
fn an_interval_goes_by_the_unit_of_its_observations() {
    let mut plain = ConfidenceSequence::new([0.0, 1.0], 0.1).unwrap();
    let mut scaled = ConfidenceSequence::of_differences([0.0, 8.0], 0.1).unwrap();
    for i in 0..100 {
        let value = f64::from(i * 37 % 64) / 64.0;
        plain.observe(value).unwrap();
        scaled.observe(value * 16.0 - 8.0).unwrap();
    }
    let [low, high] = plain.interval();
    let [scaled_low, scaled_high] = scaled.interval();
    assert!((scaled_low - (low * 16.0 - 8.0)).abs() < 1e-12);
    assert!((scaled_high - (high * 16.0 - 8.0)).abs() < 1e-12);
    assert!(high - low < 0.3);
}

#[test]
fn what_is_outside_the_range_is_an_error_and_changes_nothing() {
    let mut sequence = ConfidenceSequence::new([0.0, 1.0], 0.05).unwrap();
    sequence.observe(0.4).unwrap();
    let before = sequence.clone();
    for value in [-0.001, 1.001, f64::INFINITY] {
        let range = [0.0, 1.0];
        let error = SequenceError::Observation { value, range };
        assert_eq!(sequence.observe(value), Err(error));
    }
    assert!(sequence.observe(f64::NAN).is_err());
    assert_eq!(sequence, before);
}

#[test]
fn settings_that_mean_nothing_are_errors() {
    for range in [
        [1.0, 1.0],
        [1.0, 0.0],
        [0.0, f64::INFINITY],
        [f64::NAN, 1.0],
    ] {
        assert!(ConfidenceSequence::new(range, 0.05).is_err(), "{range:?}");
        assert!(ConfidenceSequence::of_differences(range, 0.05).is_err());
    }
    for alpha in [0.0, 1.0, -1.0, 5.0, f64::NAN] {
        assert!(
            ConfidenceSequence::new([0.0, 1.0], alpha).is_err(),
            "{alpha}"
        );
    }
    let error = ConfidenceSequence::new([1.0, 0.0], 0.05).unwrap_err();
    assert_eq!(
        error.to_string(),
        "1 to 0 is not a range: give two finite numbers, the smaller one first"
    );
}

#[test]
fn verdicts_go_by_where_the_interval_lies() {
    use Verdict::{Better, NoDifference, Undecided, Worse};
    let verdicts = [
        ([0.1, 0.9], 0.0, Better),
        ([-0.9, -0.1], 0.0, Worse),
        ([-0.1, 0.9], 0.5, Undecided),
        ([-0.1, 0.2], 0.2, NoDifference),
        // The first interval excludes 0, but its difference is too small to matter.
        ([0.05, 0.15], 0.2, NoDifference),
        ([0.05, 0.3], 0.2, Better),
        ([-0.3, -0.05], 0.2, Worse),
        // A confidence sequence whose end is exactly 0 does not exclude 0.
        ([0.0, 0.5], 0.0, Undecided),
        ([0.0, 0.0], 0.0, NoDifference),
    ];
    for (interval, margin, expected) in verdicts {
        assert_eq!(decide(interval, margin), expected, "{interval:?} {margin}");
    }
}
