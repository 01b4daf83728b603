//! Sums, means and percentiles of slices.

/// Returns the sum, with a correction for the rounding errors of the additions. The sum of an empty slice is 0. If a value is
/// not finite, the sum is not finite either.
pub fn sum(values: &[f64]) -> f64 {
    let mut total = 0.0_f64;
    let mut correction = 0.0_f64;
    for &value in values {
        let next = total + value;
        correction += if total.abs() >= value.abs() {
            (total - next) + value
        } else {
            (value - next) + total
        };
        total = next;
    }
    total + correction
}

/// Returns the arithmetic mean, in the unit of the values. Returns `None` if there are no values, one is not finite, or their sum
/// overflows.
pub fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let mean = sum(values) / values.len() as f64;
    mean.is_finite().then_some(mean)
}

/// Returns the middle value, or the mean of the two middle values. Returns `None` if there are no values or one is not finite.
pub fn median(values: &[f64]) -> Option<f64> {
    percentile(values, 50.0)
}

/// Returns the percentile: the value that `percent` percent of the values do not exceed, interpolated linearly between the
/// two nearest. Returns `None` if there are no values, one is not finite, or `percent` is outside 0 to 100.
///
/// This is NumPy's default method, and type 7 in R. Source: R. J. Hyndman and Y. Fan, "Sample Quantiles in Statistical
/// Packages", The American Statistician 50(4), 1996.
pub fn percentile(values: &[f64], percent: f64) -> Option<f64> {
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    quantile_of_sorted(&sorted, percent / 100.0)
}

/// Returns the quantile for a share from 0 to 1, computed as `percentile` does. `sorted` must have finite values in ascending
/// order.
pub(super) fn quantile_of_sorted(sorted: &[f64], share: f64) -> Option<f64> {
    if sorted.is_empty() || !(0.0..=1.0).contains(&share) {
        return None;
    }
    let position = share * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let low = *sorted.get(below)?;
    let high = *sorted.get(below + 1).unwrap_or(&low);
    let part = position - below as f64;
    // Each of the two formulas is exact at one end, so that two equal neighbours give exactly their value.
    let value = if part < 0.5 {
        low + (high - low) * part
    } else {
        high - (high - low) * (1.0 - part)
    };
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sum_keeps_what_large_values_would_swallow() {
        assert_eq!(sum(&[1.0, 1e100, 1.0, -1e100]), 2.0);
        assert_eq!(sum(&[0.1; 10]), 1.0);
        assert_eq!(sum(&[]), 0.0);
    }

    #[test]
    fn nothing_comes_of_no_values_or_of_one_that_is_not_finite() {
        for values in [
            &[][..],
            &[1.0, f64::NAN],
            &[f64::INFINITY, 1.0],
            &[f64::INFINITY, f64::NEG_INFINITY],
        ] {
            assert_eq!(mean(values), None, "{values:?}");
            assert_eq!(median(values), None, "{values:?}");
        }
        assert_eq!(mean(&[f64::MAX, f64::MAX]), None);
    }

    #[test]
    fn median_is_the_middle_of_unsorted_values() {
        assert_eq!(median(&[9.0, 1.0, 4.0]), Some(4.0));
        assert_eq!(median(&[9.0, 1.0, 4.0, 2.0]), Some(3.0));
        assert_eq!(median(&[7.0]), Some(7.0));
    }

    #[test]
    fn percentile_rejects_a_percent_outside_its_range() {
        assert_eq!(percentile(&[1.0, 2.0], -0.1), None);
        assert_eq!(percentile(&[1.0, 2.0], 100.1), None);
        assert_eq!(percentile(&[1.0, 2.0], f64::NAN), None);
        assert_eq!(percentile(&[2.0, 1.0], 0.0), Some(1.0));
        assert_eq!(percentile(&[2.0, 1.0], 100.0), Some(2.0));
    }
}
