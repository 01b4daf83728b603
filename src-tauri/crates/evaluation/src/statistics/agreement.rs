//! Measures of the agreement between raters beyond chance.

use super::summary::sum;

/// How Cohen's κ weighs a disagreement between two ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Ratings are names: all disagreements weigh the same.
    Equal,
    /// Ratings are numbers: a disagreement is weighted by its distance.
    Linear,
    /// Ratings are numbers: a disagreement is weighted by the square of its distance.
    Quadratic,
}

/// The meaning of ratings in Krippendorff's α.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measurement {
    /// The ratings are names. Only their equality counts.
    Nominal,
    /// The ratings are ranks. Only their order counts.
    Ordinal,
    /// The ratings are numbers. The distances between them count.
    Interval,
}

/// Returns Cohen's κ of two raters: 1 is perfect agreement, 0 is the agreement expected by chance, and a negative value is
/// less agreement than by chance.
///
/// Each item has the two ratings of one unit. Weights are computed from the distance between the values of the ratings. On
/// an evenly spaced scale, the result equals κ with weights by rank, even if some ratings never occur.
///
/// Returns `None` if there are no ratings, if a rating is not finite, or if the agreement expected by chance is already
/// perfect, as when both raters always give the same rating.
///
/// Sources: J. Cohen, "A Coefficient of Agreement for Nominal Scales", Educational and Psychological Measurement 20(1),
/// 1960; "Weighted kappa", Psychological Bulletin 70(4), 1968.
pub fn cohen_kappa(ratings: &[[f64; 2]], weights: Weights) -> Option<f64> {
    if ratings.is_empty() || ratings.iter().flatten().any(|rating| !rating.is_finite()) {
        return None;
    }
    let column = |rater: usize| -> Vec<f64> {
        let mut column: Vec<f64> = ratings.iter().map(|pair| pair[rater]).collect();
        column.sort_unstable_by(f64::total_cmp);
        column
    };
    let [one, other] = [column(0), column(1)];
    let weigh = |[a, b]: &[f64; 2]| match weights {
        Weights::Equal => f64::from(a != b),
        Weights::Linear => (a - b).abs(),
        Weights::Quadratic => (a - b) * (a - b),
    };
    let weighed: Vec<f64> = ratings.iter().map(weigh).collect();
    let observed = super::mean(&weighed)?;
    let by_chance = match weights {
        Weights::Equal => chance_of_difference(&one, &other),
        Weights::Linear => mean_distance(&one, &other),
        Weights::Quadratic => mean_squared_distance(&one, &other)?,
    };
    let kappa = 1.0 - observed / by_chance;
    (by_chance > 0.0 && kappa.is_finite()).then_some(kappa)
}

/// Returns Krippendorff's α of any number of raters: 1 is perfect agreement, 0 is the agreement expected by chance, and a
/// negative value is less agreement than by chance.
///
/// Each item has the ratings of one unit, with `None` for a missing one. The order of the raters does not matter. By
/// definition of α, a unit with fewer than two ratings does not count.
///
/// Returns `None` if no unit has two ratings, a rating is not finite, or all ratings that count are equal.
///
/// Source: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability", University of Pennsylvania, 2011.
pub fn krippendorff_alpha(units: &[Vec<Option<f64>>], measurement: Measurement) -> Option<f64> {
    let mut units: Vec<Vec<f64>> = units
        .iter()
        .map(|unit| unit.iter().copied().flatten().collect())
        .filter(|unit: &Vec<f64>| unit.len() >= 2)
        .collect();
    let mut all = units.concat();
    if all.is_empty() || all.iter().any(|rating| !rating.is_finite()) {
        return None;
    }
    all.sort_unstable_by(f64::total_cmp);
    if measurement == Measurement::Ordinal {
        // The distance between two ranks is the number of ratings between their middles. Therefore, α of ranks equals α of
        // intervals if each rating is replaced by the middle position of the ratings that are equal to it.
        let middle = |rating: f64| {
            let below = all.partition_point(|&other| other < rating);
            let not_above = all.partition_point(|&other| other <= rating);
            (below + not_above) as f64 / 2.0
        };
        for rating in units.iter_mut().flatten() {
            *rating = middle(*rating);
        }
        all = units.concat();
        all.sort_unstable_by(f64::total_cmp);
    }
    let disagreement = |ratings: &[f64]| match measurement {
        Measurement::Nominal => unequal_pairs(ratings),
        Measurement::Ordinal | Measurement::Interval => squared_distances(ratings),
    };
    let of_units: Vec<f64> = units
        .iter_mut()
        .map(|unit| {
            unit.sort_unstable_by(f64::total_cmp);
            disagreement(unit) / (unit.len() - 1) as f64
        })
        .collect();
    let by_chance = disagreement(&all) / (all.len() - 1) as f64;
    let alpha = 1.0 - sum(&of_units) / by_chance;
    (by_chance > 0.0 && alpha.is_finite()).then_some(alpha)
}

/// Returns the length of each sequence of equal values in a sorted list.
fn run_lengths(sorted: &[f64]) -> impl Iterator<Item = f64> {
    sorted
        .chunk_by(|one, other| one == other)
        .map(|run| run.len() as f64)
}

/// Returns the number of ordered pairs of unequal values.
fn unequal_pairs(sorted: &[f64]) -> f64 {
    let count = sorted.len() as f64;
    run_lengths(sorted).map(|run| run * (count - run)).sum()
}

/// Returns the sum of the squared distances between all ordered pairs of values.
fn squared_distances(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let centre = sum(values) / count;
    let squares: Vec<f64> = values.iter().map(|v| (v - centre) * (v - centre)).collect();
    2.0 * count * sum(&squares)
}

/// Returns the probability that a value of `one` differs from a value of `other`.
fn chance_of_difference(one: &[f64], other: &[f64]) -> f64 {
    let total = other.len() as f64;
    let different: f64 = one
        .chunk_by(|a, b| a == b)
        .map(|run| {
            let below = other.partition_point(|value| value < &run[0]);
            let not_above = other.partition_point(|value| value <= &run[0]);
            run.len() as f64 * (total - (not_above - below) as f64)
        })
        .sum();
    different / (one.len() as f64 * total)
}

/// Returns the mean distance between a value of `one` and a value of `other`: the integral, over all points, of the probability
/// that the point lies between the two values.
fn mean_distance(one: &[f64], other: &[f64]) -> f64 {
    let mut points = [one, other].concat();
    points.sort_unstable_by(f64::total_cmp);
    points.dedup();
    let share_up_to = |sorted: &[f64], point: f64| {
        sorted.partition_point(|&value| value <= point) as f64 / sorted.len() as f64
    };
    let parts: Vec<f64> = points
        .windows(2)
        .map(|ends| {
            let (f, g) = (share_up_to(one, ends[0]), share_up_to(other, ends[0]));
            (f * (1.0 - g) + g * (1.0 - f)) * (ends[1] - ends[0])
        })
        .collect();
    sum(&parts)
}

/// Returns the mean squared distance between a value of `one` and a value of `other`; `None` if a mean cannot be computed.
fn mean_squared_distance(one: &[f64], other: &[f64]) -> Option<f64> {
    let (centre, other_centre) = (super::mean(one)?, super::mean(other)?);
    let variance = |values: &[f64], centre: f64| {
        let squares: Vec<f64> = values.iter().map(|v| (v - centre) * (v - centre)).collect();
        super::mean(&squares)
    };
    let apart = centre - other_centre;
    Some(variance(one, centre)? + variance(other, other_centre)? + apart * apart)
}
