//! Compares two variants case by case.

use super::{Bootstrap, Direction, mean};
use crate::result::Interval;

/// The relative difference below which two scores count as equal.
const TIE: f64 = 1e-12;

/// The comparison of two variants by their scores on the same cases.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedDifference {
    /// The number of cases for which both variants have a score.
    pub pairs: u32,
    /// The number of cases for which only one variant has a score. A score that is not finite counts as missing.
    pub unpaired: u32,
    /// The mean of the variant minus the mean of the baseline, over the pairs. `None` without pairs.
    pub difference: Option<f64>,
    /// The interval of `difference`. `None` with fewer than two pairs.
    pub interval: Option<Interval>,
    /// The number of cases in which the variant's score is better.
    pub wins: u32,
    pub ties: u32,
    pub losses: u32,
    /// The indices of the cases in which the variant lost, largest loss first.
    pub worse: Vec<usize>,
    /// The difference of each pair, variant minus baseline, in the order of the cases.
    pub differences: Vec<f64>,
}

/// Compares two variants as [`compare_paired_in`] does, assuming that higher scores are better.
pub fn compare_paired(
    variant: &[Option<f64>],
    baseline: &[Option<f64>],
    bootstrap: &Bootstrap,
) -> PairedDifference {
    compare_paired_in(Direction::HigherIsBetter, variant, baseline, bootstrap)
}

/// Compares two variants on the cases for which both have a score. `direction` decides which of two scores wins. Differences
/// and intervals are variant minus baseline in either direction.
///
/// The lists have the same cases in the same order. `None` means that the case has no score. A case beyond the end of the
/// shorter list also has no score.
pub fn compare_paired_in(
    direction: Direction,
    variant: &[Option<f64>],
    baseline: &[Option<f64>],
    bootstrap: &Bootstrap,
) -> PairedDifference {
    let score = |scores: &[Option<f64>], case: usize| {
        let score = scores.get(case).copied().flatten();
        score.filter(|score| score.is_finite())
    };
    let mut differences = Vec::new();
    let mut losses = Vec::new();
    let (mut unpaired, mut wins, mut ties) = (0, 0, 0);
    for case in 0..variant.len().max(baseline.len()) {
        let difference = match (score(variant, case), score(baseline, case)) {
            (Some(new), Some(old)) => difference(new, old),
            (None, None) => continue,
            _ => {
                unpaired += 1;
                continue;
            }
        };
        differences.push(difference);
        let gain = direction.gain(difference);
        if gain < 0.0 {
            losses.push((gain, case));
        } else if gain > 0.0 {
            wins += 1;
        } else {
            ties += 1;
        }
    }
    losses.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    PairedDifference {
        pairs: differences.len() as u32,
        unpaired,
        difference: mean(&differences),
        interval: bootstrap.mean_interval(&differences),
        wins,
        ties,
        losses: losses.len() as u32,
        worse: losses.into_iter().map(|(_, case)| case).collect(),
        differences,
    }
}

/// Returns `new - old`, or exactly 0 if the two scores count as equal.
fn difference(new: f64, old: f64) -> f64 {
    let difference = new - old;
    if difference.abs() <= TIE * new.abs().max(old.abs()) {
        0.0
    } else {
        difference
    }
}
