//! How far raters agree, beyond what chance would give.

use super::summary::sum;

/// How much a disagreement between two ratings weighs in Cohen's κ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Ratings are names: each disagreement weighs the same.
    Equal,
    /// Ratings are numbers: the distance between the two.
    Linear,
    /// The square of the distance.
    Quadratic,
}

/// What the numbers of a rating mean to Krippendorff's α.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measurement {
    /// Names. Only equality counts.
    Nominal,
    /// Ranks. Only the order counts.
    Ordinal,
    /// Distances count.
    Interval,
}

/// Cohen's κ of two raters: 1 is perfect agreement, 0 what chance would give, negative less than that.
///
/// Each item holds the two ratings of one unit. Weights go by the distance between the ratings' values. On an evenly
/// spaced scale that is κ by ranks of the scale, even if some of its ratings are never given.
///
/// `None` if there are no ratings, one is not finite, or chance alone would give full agreement, as when both raters
/// give one and the same rating throughout.
///
/// Sources: J. Cohen, "A Coefficient of Agreement for Nominal Scales", Educational and Psychological Measurement
/// 20(1), 1960; "Weighted kappa", Psychological Bulletin 70(4), 1968.
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

/// Krippendorff's α of any number of raters: 1 is perfect agreement, 0 what chance would give, negative less than that.
///
/// Each item holds the ratings of one unit, with `None` where a rater gave none. The order of the raters does not
/// matter. A unit with fewer than two ratings has nothing to compare and does not count, as α is defined.
///
/// `None` if no unit has two ratings, a rating is not finite, or all ratings that count are equal.
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
        // The distance of two ranks is the number of ratings between their middles. So α of ranks is α of intervals,
        // with each rating replaced by where the middle of its equals is.
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

/// The lengths of the runs of equal values.
fn run_lengths(sorted: &[f64]) -> impl Iterator<Item = f64> {
    sorted
        .chunk_by(|one, other| one == other)
        .map(|run| run.len() as f64)
}

/// Ordered pairs of unequal values.
fn unequal_pairs(sorted: &[f64]) -> f64 {
    let count = sorted.len() as f64;
    run_lengths(sorted).map(|run| run * (count - run)).sum()
}

/// The squared distances of all ordered pairs, added up.
fn squared_distances(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let centre = sum(values) / count;
    let squares: Vec<f64> = values.iter().map(|v| (v - centre) * (v - centre)).collect();
    2.0 * count * sum(&squares)
}

/// The chance that a value of the one differs from a value of the other.
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

/// The mean distance between a value of the one and a value of the other: the integral of the chance that a point
/// lies between them.
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

/// The mean squared distance between a value of the one and a value of the other.
fn mean_squared_distance(one: &[f64], other: &[f64]) -> Option<f64> {
    let (centre, other_centre) = (super::mean(one)?, super::mean(other)?);
    let variance = |values: &[f64], centre: f64| {
        let squares: Vec<f64> = values.iter().map(|v| (v - centre) * (v - centre)).collect();
        super::mean(&squares)
    };
    let apart = centre - other_centre;
    Some(variance(one, centre)? + variance(other, other_centre)? + apart * apart)
}
