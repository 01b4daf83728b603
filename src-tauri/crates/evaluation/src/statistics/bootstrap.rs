//! Bootstrap confidence intervals of a mean.

use rand_pcg::{
    Pcg64Mcg,
    rand_core::{Rng, SeedableRng},
};

use super::{
    normal,
    summary::{mean, quantile_of_sorted, sum},
};
use crate::result::Interval;

/// Two means that differ by at most this much count as equal. The tolerance covers rounding errors, and is a fraction
/// of the mean absolute deviation of the values.
const ROUNDING: f64 = 1e-13;

/// The settings of a bootstrap interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// The number of resamples.
    pub resamples: u32,
    /// The confidence level, between 0 and 1: the share of such intervals that contain the true mean.
    pub level: f64,
    /// The seed. The interval depends only on the seed and the values.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self {
            resamples: 10_000,
            level: 0.95,
            seed: 0,
        }
    }
}

impl Bootstrap {
    /// Returns settings with this seed, 10,000 resamples and a level of 95%.
    pub fn with_seed(seed: u64) -> Self {
        Self {
            seed,
            ..Self::default()
        }
    }

    /// Returns the bias-corrected and accelerated (BCa) interval of the mean, in the unit of the values.
    ///
    /// Pass one value for each case. For a paired comparison, pass the differences. With fewer than about 20 values the
    /// interval contains the true mean less often than `level` says.
    ///
    /// Both ends lie within the range of the values. If all values are equal, both ends are that value. Returns `None` if there
    /// are fewer than two values, a value is not finite, the number of resamples is 0, or `level` is not between 0 and 1.
    ///
    /// Source: B. Efron, "Better Bootstrap Confidence Intervals", JASA 82(397), 1987. A resample whose mean equals that of the
    /// values counts half in the bias correction, as in SciPy.
    pub fn mean_interval(&self, values: &[f64]) -> Option<Interval> {
        let valid = self.resamples > 0 && self.level > 0.0 && self.level < 1.0;
        if !valid || values.len() < 2 {
            return None;
        }
        let centre = mean(values)?;
        let first = *values.first()?;
        if values.iter().all(|&value| value == first) {
            return Some([first, first]);
        }
        let deviations: Vec<f64> = values.iter().map(|value| value - centre).collect();
        let mut means = self.resampled_means(&deviations)?;
        means.sort_unstable_by(f64::total_cmp);
        let bias = bias_correction(&means, &deviations);
        let acceleration = acceleration(&deviations);
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let bound = |share: f64| {
            let share = adjusted(share, bias, acceleration);
            let distance = quantile_of_sorted(&means, share)?;
            // Adding the centre rounds the sum, so the end of the interval could otherwise lie outside the range of the values.
            Some((centre + distance).max(low).min(high))
        };
        let tail = (1.0 - self.level) / 2.0;
        let interval = [bound(tail)?, bound(1.0 - tail)?];
        interval
            .iter()
            .all(|end| end.is_finite())
            .then_some(interval)
    }

    /// Returns, for each resample, the mean of its deviations. `None` if there are too many deviations to index with 32
    /// bits. Deviations are used instead of values because their sums, and so the rounding errors, are smaller.
    fn resampled_means(&self, deviations: &[f64]) -> Option<Vec<f64>> {
        let count = u64::from(u32::try_from(deviations.len()).ok()?);
        let mut random = Pcg64Mcg::seed_from_u64(self.seed);
        // Multiplying a 32-bit number by the count and keeping the upper half gives an index without a division.
        // Its bias is below count / 2^32.
        let pick = |bits: u64| deviations[(((bits & 0xffff_ffff) * count) >> 32) as usize];
        let resample = |_| {
            let mut low = 0.0;
            let mut high = 0.0;
            for _ in 0..count / 2 {
                let bits = random.next_u64();
                low += pick(bits);
                high += pick(bits >> 32);
            }
            if count % 2 == 1 {
                low += pick(random.next_u64());
            }
            (low + high) / count as f64
        };
        Some((0..self.resamples).map(resample).collect())
    }
}

/// Returns the bias correction: the normal quantile of the share of resamples below the mean.
fn bias_correction(sorted_means: &[f64], deviations: &[f64]) -> f64 {
    let total: f64 = deviations.iter().map(|deviation| deviation.abs()).sum();
    let rounding = total / deviations.len() as f64 * ROUNDING;
    let below = sorted_means.partition_point(|&mean| mean < -rounding);
    let not_above = sorted_means.partition_point(|&mean| mean <= rounding);
    let resamples = sorted_means.len() as f64;
    let share = (below + not_above) as f64 / (2.0 * resamples);
    // If all resamples lie on one side of the mean, the correction would be infinite. This happens only with very few
    // resamples.
    normal::quantile(share.clamp(0.5 / resamples, 1.0 - 0.5 / resamples))
}

/// Returns the acceleration: a sixth of the skewness of the jackknife means. For a mean, it can be computed directly from
/// the deviations.
fn acceleration(deviations: &[f64]) -> f64 {
    // The deviations are scaled, so that their powers neither overflow nor underflow.
    let largest = deviations
        .iter()
        .fold(0.0, |most: f64, d| most.max(d.abs()));
    let scaled = || deviations.iter().map(|deviation| deviation / largest);
    let squares = sum(&scaled().map(|d| d * d).collect::<Vec<f64>>());
    let cubes = sum(&scaled().map(|d| d * d * d).collect::<Vec<f64>>());
    cubes / (6.0 * squares * libm::sqrt(squares))
}

/// Returns the share that BCa uses in place of `share`, adjusted for bias and acceleration.
fn adjusted(share: f64, bias: f64, acceleration: f64) -> f64 {
    let shifted = bias + normal::quantile(share);
    let room = 1.0 - acceleration * shifted;
    if room <= 0.0 {
        // The correction has a pole. Beyond it, the outermost resample is used.
        return if shifted > 0.0 { 1.0 } else { 0.0 };
    }
    normal::cumulative(bias + shifted / room)
}
