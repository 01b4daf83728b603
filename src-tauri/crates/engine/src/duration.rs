//! ISO 8601 durations of a flow file (`PT30M`, `P1D`), in milliseconds.

use crate::outcome::NodeError;

/// Parses a duration with the rules of validation, and reports problems as errors of a node. Returns milliseconds.
///
/// # Errors
/// `invalid_duration` if `text` is not a positive duration of fixed length.
pub fn millis(text: &str) -> Result<u64, NodeError> {
    loopwright_model::duration::millis(text).map_err(|why| NodeError::new("invalid_duration", why))
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
