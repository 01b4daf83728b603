//! Which way a score gets better.

use super::interval::Interval;

/// Which of two scores is the better one. Numbers stay in the unit of the scorer: only how they are judged differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    #[default]
    HigherIsBetter,
    /// Such as for a number of errors.
    LowerIsBetter,
}

impl Direction {
    /// The direction that `lowerIsBetter` of a scorer says.
    pub fn new(lower_is_better: bool) -> Self {
        match lower_is_better {
            true => Self::LowerIsBetter,
            false => Self::HigherIsBetter,
        }
    }

    /// Whether the lower of two scores is the better one.
    pub fn is_lower(self) -> bool {
        self == Self::LowerIsBetter
    }

    /// How much better the new score is, of new minus old; below 0 where it is worse. In the unit of the difference. No difference
    /// gives 0 without a sign.
    pub fn gain(self, difference: f64) -> f64 {
        match self {
            Self::HigherIsBetter => difference,
            Self::LowerIsBetter => 0.0 - difference,
        }
    }

    /// The interval of the [`gain`](Self::gain), lower end first, of the interval of new minus old.
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
