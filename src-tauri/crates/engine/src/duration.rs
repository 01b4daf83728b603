//! Durations: ISO 8601 durations in flow files (`PT30M`, `P1D`), and durations in messages of servers.

use crate::outcome::NodeError;

/// Parses a duration with the rules of validation, and reports problems as errors of a node. Returns milliseconds.
///
/// # Errors
/// `invalid_duration` if `text` is not a positive duration of fixed length.
pub fn millis(text: &str) -> Result<u64, NodeError> {
    loopwright_model::duration::millis(text).map_err(|why| NodeError::new("invalid_duration", why))
}

/// Parses a duration in the forms that servers use in messages: `1h2m3.5s`, `20ms`, `2 days 17 hours`. Stops at the first part
/// that is not a duration. Returns milliseconds, rounded up, or `None` if `text` does not start with a duration.
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
    }
}

/// Converts a number to whole milliseconds, rounded up; `None` if it is negative or not finite.
fn whole_millis(number: f64) -> Option<u64> {
    (number.is_finite() && number >= 0.0).then(|| number.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::millis;

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
