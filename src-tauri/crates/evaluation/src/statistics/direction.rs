//! The direction in which a score improves.

use super::interval::Interval;

/// The direction in which a score improves. It does not change scores, but determines which of two scores is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    #[default]
    HigherIsBetter,
    /// Lower scores are better, as for a number of errors.
    LowerIsBetter,
}

impl Direction {
    /// Returns the direction for a scorer's `lowerIsBetter`.
    pub fn new(lower_is_better: bool) -> Self {
        match lower_is_better {
            true => Self::LowerIsBetter,
            false => Self::HigherIsBetter,
        }
    }

    /// Returns whether the lower of two scores is better.
    pub fn is_lower(self) -> bool {
        self == Self::LowerIsBetter
    }

    /// Converts a difference, new minus old, to a gain: above 0 if the new score is better, below 0 if it is worse. A gain of
    /// zero is never `-0.0`.
    pub fn gain(self, difference: f64) -> f64 {
        match self {
            Self::HigherIsBetter => difference,
            Self::LowerIsBetter => 0.0 - difference,
        }
    }

    /// Converts an interval of new minus old to an interval of the [`gain`](Self::gain), lower end first.
    pub fn gain_interval(self, [low, high]: Interval) -> Interval {
        match self {
            Self::HigherIsBetter => [low, high],
            Self::LowerIsBetter => [self.gain(high), self.gain(low)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_is_above_0_where_the_new_score_is_better() {
        let [higher, lower] = [false, true].map(Direction::new);
        assert_eq!((higher.gain(-2.0), lower.gain(-2.0)), (-2.0, 2.0));
        assert_eq!(higher.gain_interval([-3.0, 1.0]), [-3.0, 1.0]);
        assert_eq!(lower.gain_interval([-3.0, 1.0]), [-1.0, 3.0]);
        assert!(lower.gain(0.0).is_sign_positive());
    }
}
