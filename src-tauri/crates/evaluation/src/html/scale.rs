//! Maps values to positions in a chart.

/// A linear axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
    step: f64,
}

impl Scale {
    /// Returns an axis that covers all finite values and has about `count` ticks, at multiples of 1, 2 or 5 times a power of
    /// ten. The axis begins and ends at a tick. `start` and `end` are the positions of these ends in the chart.
    pub(super) fn new(
        values: impl IntoIterator<Item = f64>,
        start: f64,
        end: f64,
        count: usize,
    ) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let smallest = low.abs().max(high.abs()).max(1e-6) * 1e-6;
        if high - low < smallest {
            // All values are equal, so some space is added around them.
            let room = (low.abs() * 0.1).max(0.5 * f64::from(u8::from(low == 0.0)));
            (low, high) = (low - room, high + room);
        }
        let step = nice((high - low) / count.max(1) as f64);
        Self {
            low: (low / step + 1e-9).floor() * step,
            high: (high / step - 1e-9).ceil() * step,
            start,
            end,
            step,
        }
    }

    /// Returns the position of a value in the chart.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        self.start + share * (self.end - self.start)
    }

    /// Returns the number of decimal places that the tick labels need.
    pub(super) fn digits(&self) -> usize {
        (-self.step.log10() - 1e-9).ceil().clamp(0.0, 8.0) as usize
    }

    /// Returns the values of the ticks.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let count = ((self.high - self.low) / self.step).round() as u32;
        (0..=count.min(50))
            .map(|at| {
                let value = self.low + f64::from(at) * self.step;
                // A value that differs from 0 only by a rounding error is set to 0.
                if value.abs() < self.step * 1e-6 {
                    0.0
                } else {
                    value
                }
            })
            .collect()
    }
}

/// Returns the smallest number that is 1, 2 or 5 times a power of ten and not below `step`.
fn nice(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let rounding = 1.0 - 1e-9;
    for factor in [1.0, 2.0, 5.0] {
        if factor * power >= step * rounding {
            return factor * power;
        }
    }
    10.0 * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(values: &[f64]) -> Vec<f64> {
        let scale = Scale::new(values.iter().copied(), 0.0, 100.0, 5);
        scale
            .ticks()
            .iter()
            .map(|tick| (tick * 1e6).round() / 1e6)
            .collect()
    }

    #[test]
    fn ticks_are_round_and_hold_all_values() {
        assert_eq!(ticks(&[5.1, 7.9]), [5.0, 6.0, 7.0, 8.0]);
        assert_eq!(ticks(&[-0.12, 0.31]), [-0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4]);
        assert_eq!(ticks(&[0.0, 10.0]), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(
            ticks(&[0.0, 0.000_04]),
            [0.0, 0.000_01, 0.000_02, 0.000_03, 0.000_04]
        );
    }

    #[test]
    fn equal_values_and_no_values_have_an_axis() {
        for values in [&[3.0, 3.0][..], &[0.0], &[-2.0], &[], &[f64::NAN]] {
            let scale = Scale::new(values.iter().copied(), 0.0, 100.0, 5);
            let count = scale.ticks().len();
            assert!((2..=8).contains(&count), "{values:?}: {count}");
            for &value in values.iter().filter(|value| value.is_finite()) {
                assert!((0.0..=100.0).contains(&scale.at(value)), "{values:?}");
            }
        }
    }

    #[test]
    fn marks_have_as_many_digits_as_their_step() {
        for (high, digits) in [(10.0, 0), (5.0, 0), (2.0, 1), (0.3, 1), (0.000_04, 5)] {
            assert_eq!(
                Scale::new([0.0, high], 0.0, 1.0, 5).digits(),
                digits,
                "{high}"
            );
        }
    }

    #[test]
    fn an_axis_may_point_upwards() {
        let scale = Scale::new([0.0, 10.0], 200.0, 0.0, 5);
        assert_eq!(scale.at(0.0), 200.0);
        assert_eq!(scale.at(10.0), 0.0);
        assert_eq!(scale.at(5.0), 100.0);
    }
}
