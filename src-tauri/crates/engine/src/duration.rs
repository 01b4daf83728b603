//! ISO 8601 durations of a flow file (`PT30M`, `P1D`), in milliseconds.

use jiff::{SignedDuration, Span, SpanRelativeTo};

use crate::outcome::NodeError;

/// Parses a duration. Days count as 24 hours; months and years are refused, for they have no fixed length.
pub fn millis(text: &str) -> Result<u64, NodeError> {
    let invalid = |why: &str| {
        NodeError::new(
            "invalid_duration",
            format!(
                "“{text}” is no duration{why}. Write it in ISO 8601: PT30S, PT5M, PT1H30M, P1D."
            ),
        )
    };
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
    fn common_forms() {
        assert_eq!(millis("PT30M").unwrap(), 1_800_000);
        assert_eq!(millis("PT0.5S").unwrap(), 500);
        assert_eq!(millis("P1DT1H").unwrap(), 90_000_000);
        assert!(millis("P1M").is_err());
        assert!(millis("-PT1S").is_err());
        assert!(millis("soon").unwrap_err().message.contains("ISO 8601"));
    }
}
