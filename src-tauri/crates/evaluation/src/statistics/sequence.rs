//! Confidence sequences: intervals that stay valid no matter how often they are examined, so that an experiment may stop once the
//! answer is known.

use crate::result::Interval;

/// The number of steps into which the range is divided. The ends of the interval are rounded outwards to steps.
const STEPS: u32 = 2000;

/// The largest share of the capital that is bet on one observation.
const LARGEST_BET: f64 = 0.75;

/// The reason why the input of a confidence sequence is invalid.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SequenceError {
    #[error("{} to {} is not a range: give two finite numbers, the smaller one first", .0[0], .0[1])]
    Range([f64; 2]),
    #[error("alpha is {0}: give a number between 0 and 1, such as 0.05")]
    Alpha(f64),
    #[error("{value} is outside the range from {} to {}", .range[0], .range[1])]
    Observation { value: f64, range: [f64; 2] },
}

/// An interval of the mean of bounded observations that is valid at all times simultaneously.
///
/// With a probability of at least `1 - alpha`, all intervals from the first observation to the last contain the true mean.
/// You may examine the interval after every observation and stop at any time. The observations must come in random order and
/// lie within the range. Their distribution is otherwise arbitrary.
///
/// Source: I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86(1), 2024: the
/// hedged capital process of Theorem 3 with the predictable plug-in bets of its equation 26. A mean is rejected once a
/// gambler who bets against it has 2 / alpha times the first stake.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfidenceSequence {
    range: [f64; 2],
    /// The capital of a gambler at which the mean that the gambler bets against is rejected.
    target: f64,
    /// The observations, scaled to 0 to 1, each with the bet on it.
    history: Vec<(f64, f64)>,
    /// The sum of the scaled observations.
    total: f64,
    /// The sum of the squared distances between each observation and the running mean after that observation.
    squares: f64,
    /// The two gamblers. One bets that the true mean is larger than the means it bets against, the other that it is smaller.
    gamblers: [Gambler; 2],
}

impl ConfidenceSequence {
    /// Returns an empty sequence for observations within `range`.
    ///
    /// # Errors
    /// Returns an error if the range is empty or not finite, or `alpha` is not between 0 and 1.
    pub fn new(range: [f64; 2], alpha: f64) -> Result<Self, SequenceError> {
        let width = range[1] - range[0];
        if !(width.is_finite() && width > 0.0) {
            return Err(SequenceError::Range(range));
        }
        if !(alpha > 0.0 && alpha < 1.0) {
            return Err(SequenceError::Alpha(alpha));
        }
        Ok(Self {
            range,
            target: 2.0 / alpha,
            history: Vec::new(),
            total: 0.0,
            squares: 0.0,
            gamblers: [Gambler::new(Side::Larger), Gambler::new(Side::Smaller)],
        })
    }

    /// Returns an empty sequence for differences between two scores, each of which lies within `range`.
    ///
    /// # Errors
    /// Returns the errors of [`Self::new`].
    pub fn of_differences(range: [f64; 2], alpha: f64) -> Result<Self, SequenceError> {
        let width = range[1] - range[0];
        if !(width.is_finite() && width > 0.0) {
            return Err(SequenceError::Range(range));
        }
        Self::new([-width, width], alpha)
    }

    /// Adds an observation.
    ///
    /// # Errors
    /// Returns an error if the observation is outside the range. The sequence is then unchanged.
    pub fn observe(&mut self, value: f64) -> Result<(), SequenceError> {
        let [low, high] = self.range;
        if !(low..=high).contains(&value) {
            return Err(SequenceError::Observation {
                value,
                range: self.range,
            });
        }
        let scaled = (value - low) / (high - low);
        self.history.push((scaled, self.next_bet()));
        self.total += scaled;
        let distance = scaled - (0.5 + self.total) / (self.history.len() + 1) as f64;
        self.squares += distance * distance;
        let [larger, smaller] = &mut self.gamblers;
        larger.play(&self.history, self.target, STEPS - smaller.rejected);
        smaller.play(&self.history, self.target, STEPS - larger.rejected);
        Ok(())
    }

    /// Returns the interval of the mean, in the unit of the observations: the intersection of the intervals after every
    /// observation so far. Before the first observation, the interval is the whole range.
    pub fn interval(&self) -> Interval {
        let [low, high] = self.range;
        // Both ends are computed from the lower end of the range, so rounding never puts the upper end below the lower one.
        let end = |steps| match steps {
            STEPS => high,
            _ => low + (high - low) * share(steps),
        };
        let [larger, smaller] = &self.gamblers;
        [end(larger.rejected), end(STEPS - smaller.rejected)]
    }

    /// Returns the number of observations so far.
    pub fn len(&self) -> usize {
        self.history.len()
    }

    /// Returns whether there are no observations.
    pub fn is_empty(&self) -> bool {
        self.history.is_empty()
    }

    /// Returns the bet on the next observation. It depends only on earlier observations, because an observation must not
    /// influence the bet on itself.
    fn next_bet(&self) -> f64 {
        let before = self.history.len() as f64;
        let variance = (0.25 + self.squares) / (before + 1.0);
        let time = before + 1.0;
        let stake = 2.0 * libm::log(self.target);
        libm::sqrt(stake / (variance * time * libm::log1p(time)))
    }
}

/// Converts steps to a share of the range, from 0 to 1.
fn share(steps: u32) -> f64 {
    f64::from(steps) / f64::from(STEPS)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Larger,
    Smaller,
}

/// A gambler. For every possible mean, it bets that the true mean lies on one particular side of that mean.
///
/// The gambler has a separate capital for each possible mean. The capital is largest at the gambler's end of the range
/// and decreases from there. The rejected means are therefore contiguous at that end, and only the capital at the first
/// remaining mean must be updated after each observation.
#[derive(Debug, Clone, PartialEq)]
struct Gambler {
    side: Side,
    /// The number of steps that the gambler rejects, counted from its end of the range.
    rejected: u32,
    /// The gambler's capital at the first step that it does not reject.
    capital: f64,
}

impl Gambler {
    fn new(side: Side) -> Self {
        Self {
            side,
            rejected: 0,
            capital: 1.0,
        }
    }

    /// Bets on the newest observation, then rejects means while the capital reaches the target, up to `limit` steps.
    fn play(&mut self, history: &[(f64, f64)], target: f64, limit: u32) {
        if let Some(&newest) = history.last() {
            self.capital *= self.factor(newest, self.rejected + 1);
        }
        while self.capital >= target && self.rejected < limit {
            self.rejected += 1;
            let next = self.rejected + 1;
            let factors = history.iter().map(|&entry| self.factor(entry, next));
            self.capital = factors.product();
        }
    }

    /// Returns the factor by which a bet multiplies the capital, for the possible mean that is `steps` from the gambler's end.
    fn factor(&self, (observation, bet): (f64, f64), steps: u32) -> f64 {
        let mean = share(steps);
        let observation = match self.side {
            Side::Larger => observation,
            Side::Smaller => 1.0 - observation,
        };
        1.0 + bet.min(LARGEST_BET / mean) * (observation - mean)
    }
}

/// The conclusion that an interval of the difference between a variant and the baseline allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The difference is above 0.
    Better,
    /// The difference is below 0.
    Worse,
    /// The difference, whether positive or negative, is at most the margin.
    NoDifference,
    /// More observations are needed for a conclusion.
    Undecided,
}

/// Returns the conclusion from the interval of the difference between a variant and the baseline.
///
/// `margin` is the largest difference that does not matter, in the same unit. An interval within the margin means no
/// relevant difference, even if the interval excludes 0. With a confidence sequence, you may ask for the verdict after every
/// observation.
pub fn decide(interval: Interval, margin: f64) -> Verdict {
    let [low, high] = interval;
    if -margin <= low && high <= margin {
        Verdict::NoDifference
    } else if low > 0.0 {
        Verdict::Better
    } else if high < 0.0 {
        Verdict::Worse
    } else {
        Verdict::Undecided
    }
}
