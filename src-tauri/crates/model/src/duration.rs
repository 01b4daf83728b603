//! ISO 8601 durations of a flow file (`PT30M`, `P1D`), in milliseconds.

use jiff::{SignedDuration, Span, SpanRelativeTo};

/// Parses a duration. Days count as 24 hours; months and years are refused, for they have no fixed length.
///
/// # Errors
/// Words for a person, with the remedy, when `text` is no positive duration of a fixed length.
pub fn millis(text: &str) -> Result<u64, String> {
    let invalid = |why: &str| {
        format!("\"{text}\" is no duration{why}. Write it in ISO 8601: PT30S, PT5M, PT1H30M, P1D.")
    };
    // The parser also knows spelled-out forms; a file that others read keeps to the standard.
    if !text.starts_with('P') {
        return Err(invalid(""));
    }
    let span: Span = text.parse().map_err(|_| invalid(""))?;
    let duration: SignedDuration = span
        .to_duration(SpanRelativeTo::days_are_24_hours())
        .map_err(|_| invalid(" of a fixed length"))?;
    u64::try_from(duration.as_millis()).map_err(|_| invalid(" that is positive"))
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
}
