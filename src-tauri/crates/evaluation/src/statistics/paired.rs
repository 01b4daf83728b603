//! Two variants compared case by case.

use super::{Bootstrap, Direction, mean};
use crate::result::Interval;

/// Two scores are equal if they differ by less than this share of the larger one.
const TIE: f64 = 1e-12;

/// What two variants' scores of the same cases say.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedDifference {
    /// Cases with a score of both.
    pub pairs: u32,
    /// Cases with a score of one only. A score that is not finite counts as none.
    pub unpaired: u32,
    /// Mean of the variant minus mean of the baseline, over the pairs. `None` without pairs.
    pub difference: Option<f64>,
    /// Of `difference`. `None` with fewer than two pairs.
    pub interval: Option<Interval>,
    /// Cases in which the variant's score is the better one.
    pub wins: u32,
    pub ties: u32,
    pub losses: u32,
    /// Indices of the cases in which the variant lost, the largest loss first.
    pub worse: Vec<usize>,
    /// Variant minus baseline of each pair, in the order of the cases.
    pub differences: Vec<f64>,
}

/// [`compare_paired_in`] with higher scores as the better ones.
pub fn compare_paired(
    variant: &[Option<f64>],
    baseline: &[Option<f64>],
    bootstrap: &Bootstrap,
) -> PairedDifference {
    compare_paired_in(Direction::HigherIsBetter, variant, baseline, bootstrap)
}

/// Compares two variants by the cases that both have a score for. `direction` says which of two scores wins. Differences and
/// intervals are variant minus baseline in either direction.
///
/// The lists hold the same cases in the same order. `None` is a case without a score, and so is a case beyond the end
/// of the shorter list.
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

/// Exactly 0 for a tie.
fn difference(new: f64, old: f64) -> f64 {
    let difference = new - old;
    if difference.abs() <= TIE * new.abs().max(old.abs()) {
        0.0
    } else {
        difference
    }
}
