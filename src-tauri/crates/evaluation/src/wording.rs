//! Numbers as text for people, shared by reports, pages and the command line.
//!
//! A minus sign is U+2212. A value that rounds to zero has no sign.

use crate::statistics::Direction;

/// Formats a number with about three significant digits and without trailing zeros, such as `7.5`.
pub fn decimal(number: f64) -> String {
    fixed(number, digits(number), true)
}

/// Formats a number as [`decimal`] does, but with trailing zeros, such as `7.50`, so that the numbers in a column align.
pub fn figure(number: f64) -> String {
    fixed(number, digits(number), false)
}

/// Formats a number as [`figure`] does, but with a plus sign if it is positive.
pub fn signed_figure(number: f64) -> String {
    with_plus(number, figure(number))
}

/// Formats a number with `digits` decimal places.
pub fn rounded(number: f64, digits: usize) -> String {
    fixed(number, digits, false)
}

fn digits(number: f64) -> usize {
    match number.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    }
}

/// Formats a number as [`decimal`] does, but with a plus sign if it is positive.
pub fn signed(number: f64) -> String {
    with_plus(number, decimal(number))
}

fn with_plus(number: f64, written: String) -> String {
    match number > 0.0 && !is_nought(&written) {
        true => format!("+{written}"),
        false => written,
    }
}

/// Formats the two ends of an interval as [`decimal`] does, such as `7.1 to 7.9`.
pub fn range([low, high]: [f64; 2]) -> String {
    format!("{} to {}", decimal(low), decimal(high))
}

/// Returns the text that follows the name of a scorer whose lower scores are better. For other scorers, returns an
/// empty string.
pub fn direction_mark(direction: Direction) -> &'static str {
    match direction {
        Direction::HigherIsBetter => "",
        Direction::LowerIsBetter => " (lower is better)",
    }
}

/// Formats an amount of money, such as `$0.012`. Small amounts have two significant digits.
pub fn dollars(usd: f64) -> String {
    let size = usd.abs();
    let digits = if size == 0.0 || size >= 1.0 {
        2
    } else {
        // Shows the first nonzero digit and the one after it.
        let first = -size.log10().floor();
        first.clamp(1.0, 8.0) as usize + 1
    };
    let amount = fixed(size, digits, false);
    match usd < 0.0 && !is_nought(&amount) {
        true => format!("−${amount}"),
        false => format!("${amount}"),
    }
}

/// Formats a share from 0 to 1 as a percentage, such as `41%`.
pub fn percent(share: f64) -> String {
    let hundredths = share * 100.0;
    let digits = usize::from(hundredths.abs() < 10.0);
    format!("{}%", fixed(hundredths, digits, true))
}

/// Formats a count with commas between thousands.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut written = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

/// Formats a count with its noun: `1 case`, `2 cases`.
pub fn counted(number: u64, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        _ => format!("{} {thing}s", count(number)),
    }
}

/// Formats milliseconds as `950 ms`, `1.4 s` or `1 min 01 s`.
pub fn duration(ms: f64) -> String {
    match ms {
        ms if ms < 1000.0 => format!("{} ms", fixed(ms, 0, false)),
        ms if ms < 60_000.0 => format!("{:.1} s", ms / 1000.0),
        ms => {
            let seconds = (ms / 1000.0).round();
            format!(
                "{:.0} min {:02.0} s",
                (seconds / 60.0).floor(),
                seconds % 60.0
            )
        }
    }
}

/// Formats a number with `digits` decimal places. A value that rounds to zero has no sign. With `trim`, trailing zeros are
/// omitted.
fn fixed(number: f64, digits: usize, trim: bool) -> String {
    let mut written = format!("{:.digits$}", number.abs());
    if trim && written.contains('.') {
        written.truncate(written.trim_end_matches('0').trim_end_matches('.').len());
    }
    match number < 0.0 && !is_nought(&written) {
        true => format!("−{written}"),
        false => written,
    }
}

/// Returns whether all digits of a formatted number are 0.
fn is_nought(written: &str) -> bool {
    written.bytes().all(|byte| matches!(byte, b'0' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_long_as_they_must_be() {
        assert_eq!(decimal(7.5), "7.5");
        assert_eq!(decimal(-0.123_45), "−0.123");
        assert_eq!(decimal(-0.000_1), "0");
        assert_eq!(decimal(1234.56), "1235");
        assert_eq!(decimal(100.0), "100");
        assert_eq!(decimal(7.996), "8");
        assert_eq!(figure(6.5), "6.50");
        assert_eq!(signed_figure(-0.2), "−0.200");
        assert_eq!(rounded(-0.001, 2), "0.00");
        assert_eq!(signed(0.2), "+0.2");
        assert_eq!(signed(0.000_1), "0");
        assert_eq!(dollars(0.0), "$0.00");
        assert_eq!(dollars(12.345), "$12.35");
        assert_eq!(dollars(0.012_34), "$0.012");
        assert_eq!(dollars(-0.000_042), "−$0.000042");
        assert_eq!(dollars(0.5), "$0.50");
        assert_eq!(percent(0.412), "41%");
        assert_eq!(percent(0.0312), "3.1%");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(123), "123");
        assert_eq!(counted(1, "case"), "1 case");
        assert_eq!(duration(950.0), "950 ms");
        assert_eq!(duration(61_000.0), "1 min 01 s");
    }

    #[test]
    fn what_rounds_to_nought_has_no_sign() {
        for number in [0.0, -0.0, 4e-17, -4e-17, 0.000_4, -0.000_4] {
            assert_eq!(decimal(number), "0", "{number}");
            assert_eq!(signed(number), "0", "{number}");
            assert_eq!(figure(number), "0.000", "{number}");
            assert_eq!(signed_figure(number), "0.000", "{number}");
            assert_eq!(rounded(number, 3), "0.000", "{number}");
            assert_eq!(range([number, 0.5]), "0 to 0.5", "{number}");
            assert_eq!(percent(number / 100.0), "0%", "{number}");
            assert_eq!(duration(number), "0 ms", "{number}");
        }
        assert_eq!(dollars(-0.0), "$0.00");
        assert!(!dollars(-4e-17).contains('−'));
        assert_eq!(signed_figure(0.000_6), "+0.001");
        assert_eq!(signed_figure(-0.000_6), "−0.001");
    }
}
