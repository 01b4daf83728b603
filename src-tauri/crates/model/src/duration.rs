//! ISO 8601 durations in flow files (`PT30M`, `P1D`), in milliseconds.

use jiff::{SignedDuration, Span, SpanRelativeTo};

/// The longest duration, in milliseconds: a hundred years. Adding it to the current time cannot overflow.
pub const MAX_MS: u64 = 36_500 * 24 * 60 * 60 * 1_000;

/// Parses a duration and returns it in milliseconds. A day is 24 hours. Months and years are refused because they have no fixed
/// length.
///
/// # Errors
/// Returns a message with a remedy, for users, if `text` is not a duration of fixed length, is negative, or exceeds [`MAX_MS`].
pub fn millis(text: &str) -> Result<u64, String> {
    let invalid = |why: &str| {
        format!(
            "\"{}\" is not a duration{why}. Write it in ISO 8601: PT30S, PT5M, PT1H30M, P1D.",
            shown(text)
        )
    };
    // The parser also accepts spelled-out forms. Other programs read these files, so only the standard form is accepted.
    if !text.starts_with('P') {
        return Err(invalid(""));
    }
    let too_long = || {
        format!(
            "\"{}\" is too long: a duration is at most P36500D.",
            shown(text)
        )
    };
    let span: Span = match text.parse() {
        Ok(span) => span,
        Err(_) if is_well_formed(text) => return Err(too_long()),
        Err(_) => return Err(invalid("")),
    };
    let duration: SignedDuration = span
        .to_duration(SpanRelativeTo::days_are_24_hours())
        .map_err(|_| invalid(" of a fixed length"))?;
    if duration.is_negative() {
        return Err(invalid(" that is positive"));
    }
    u64::try_from(duration.as_millis())
        .ok()
        .filter(|&length| length <= MAX_MS)
        .ok_or_else(too_long)
}

/// Returns `text` for use in a message, shortened if it is long.
fn shown(text: &str) -> String {
    crate::value::preview(&text.into(), 60)
}

/// Returns whether text that failed to parse is nevertheless in the format of a duration of fixed length. If so, only its
/// numbers are too large.
fn is_well_formed(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let smaller: String = shortened(text);
    digits > 6 && smaller != text && smaller.parse::<Span>().is_ok()
}

/// Returns `text` with each whole number replaced by a single digit.
fn shortened(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    for letter in text.chars() {
        if !(letter.is_ascii_digit() && short.ends_with(|last: char| last.is_ascii_digit())) {
            short.push(letter);
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::millis;

    #[test]
    fn common_forms_are_read_and_others_refused_with_the_remedy() {
        assert_eq!(millis("PT30M"), Ok(1_800_000));
        assert_eq!(millis("PT0.5S"), Ok(500));
        assert_eq!(millis("P1DT1H"), Ok(90_000_000));
        for text in ["P1M", "-PT1S", "soon", "", "15", "5 minutes"] {
            assert!(millis(text).unwrap_err().contains("ISO 8601"), "{text}");
        }
    }

    #[test]
    fn more_than_a_hundred_years_is_reported_as_too_long() {
        assert_eq!(millis("P36500D"), Ok(super::MAX_MS));
        let long = format!("PT{}S", "9".repeat(4_000));
        for text in [
            "P36501D",
            "PT9223372036854775807S",
            "PT18446744073709551616S",
            "P99999999999999999999D",
            &long,
        ] {
            let words = millis(text).unwrap_err();
            assert!(
                words.contains("at most P36500D") && words.len() < 150,
                "{words}"
            );
        }
    }
}
