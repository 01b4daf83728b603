//! Durations: ISO 8601 durations in flow files (`PT30M`, `P1D`), and durations in messages of servers.

use crate::outcome::NodeError;

/// Parses a duration with the rules of validation, and reports problems as errors of a node. Returns milliseconds.
///
/// # Errors
/// `invalid_duration` if `text` is not a duration of fixed length, is negative, or is longer than a hundred years.
pub fn millis(text: &str) -> Result<u64, NodeError> {
    loopwright_model::duration::millis(text).map_err(|why| NodeError::new("invalid_duration", why))
}

/// Parses a duration in a form that servers use in messages, such as `1h2m3.5s`, `20ms`, `2 days 17 hours`,
/// `2 hours and 5 minutes` or `1 hour, 5 minutes`. Stops at the first part that is not a duration. Returns milliseconds,
/// rounded up, or `None` if `text` does not start with a duration.
pub fn spoken(text: &str) -> Option<u64> {
    let mut rest = text.trim_start();
    let mut total = None;
    loop {
        let digits = rest
            .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
            .unwrap_or(rest.len());
        let Ok(number) = rest[..digits].parse::<f64>() else {
            return total.and_then(whole_millis);
        };
        let behind = rest[digits..].trim_start();
        let letters = behind
            .find(|letter: char| !letter.is_ascii_alphabetic())
            .unwrap_or(behind.len());
        let unit = match &behind[..letters] {
            "ms" | "milliseconds" | "millisecond" => 1.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1e3,
            "m" | "min" | "mins" | "minute" | "minutes" => 6e4,
            "h" | "hr" | "hour" | "hours" => 3.6e6,
            "d" | "day" | "days" => 8.64e7,
            _ => return total.and_then(whole_millis),
        };
        total = Some(total.unwrap_or(0.0) + number * unit);
        rest = behind[letters..].trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        rest = rest.strip_prefix("and ").unwrap_or(rest).trim_start();
    }
}

/// Formats a pause of `millis` milliseconds in seconds, such as `2 s`. Longer pauses are also shown in larger units, as in
/// `3599 s (59 min 59 s)` or in `604800 s (7 days 0 h)`. A pause over ten years, as from a server that uses the wrong unit, is
/// only `more than 10 years`.
pub fn in_seconds(millis: u64) -> String {
    let all = millis.div_ceil(1000);
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    match (hours, minutes) {
        (0, 0 | 1) => format!("{all} s"),
        (0, _) => format!("{all} s ({minutes} min {seconds} s)"),
        (1..48, _) => format!("{all} s ({hours} h {minutes} min)"),
        (48..TEN_YEARS, _) => format!("{all} s ({} days {} h)", hours / 24, hours % 24),
        _ => "more than 10 years".to_owned(),
    }
}

/// The number of hours in ten years.
const TEN_YEARS: u64 = 10 * 365 * 24;

/// Converts a number to whole milliseconds, rounded up; `None` if it is negative or not finite.
fn whole_millis(number: f64) -> Option<u64> {
    (number.is_finite() && number >= 0.0).then(|| number.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::{in_seconds, millis, spoken};

    #[test]
    fn a_pause_is_shown_in_fitting_units() {
        for (seconds, shown) in [
            (90, "90 s"),
            (3_599, "3599 s (59 min 59 s)"),
            (7_260, "7260 s (2 h 1 min)"),
            (604_800, "604800 s (7 days 0 h)"),
            (u64::MAX / 1000, "more than 10 years"),
        ] {
            assert_eq!(in_seconds(seconds * 1000), shown);
        }
    }

    #[test]
    fn forms_of_messages() {
        for (text, expected) in [
            ("1h2m3.5s", Some(3_723_500)),
            ("20ms", Some(20)),
            ("2 days 17 hours", Some(234_000_000)),
            ("2 hours and 5 minutes. Visit", Some(7_500_000)),
            ("1 hour, 5 minutes, and 10 seconds", Some(3_910_000)),
            ("5 minutes, 3 times", Some(300_000)),
            ("5 minutes and counting", Some(300_000)),
            ("and 5 minutes", None),
            ("a while", None),
        ] {
            assert_eq!(spoken(text), expected, "{text}");
        }
    }

    #[test]
    fn common_forms() {
        assert_eq!(millis("PT30M").unwrap(), 1_800_000);
        assert_eq!(millis("PT0.5S").unwrap(), 500);
        assert_eq!(millis("P1DT1H").unwrap(), 90_000_000);
        assert!(millis("P1M").is_err());
        assert!(millis("-PT1S").is_err());
        assert!(millis("soon").unwrap_err().message.contains("ISO 8601"));
    }
}
