//! Token counts from servers. A server may send an impossible count. Such counts are rejected here, where they are read, so
//! that no other module has to check them.

use serde_json::Value;

use super::{format::Completion, loose::written};

/// The largest token count that is accepted. No call reaches it, and sums of such counts do not overflow.
const MAX_TOKENS: u64 = 1_000_000_000_000;

/// The maximum number of bytes of an unreadable count that are kept. The key is removed from them before they are shown.
const KEPT: usize = 4 << 10;

/// A token count, or the value that was sent in its place.
#[derive(Debug, Clone, PartialEq)]
enum Count {
    /// The server does not report the count.
    Unsaid,
    Tokens(u64),
    Unreadable(String),
}

impl Count {
    fn of(value: &Value) -> Self {
        let whole = value.as_u64().or_else(|| {
            let number = value.as_f64()?;
            // Some servers write whole numbers as 7.0.
            (number.fract() == 0.0 && (0.0..=MAX_TOKENS as f64).contains(&number))
                .then_some(number as u64)
        });
        match whole {
            _ if value.is_null() => Self::Unsaid,
            Some(tokens) if tokens <= MAX_TOKENS => Self::Tokens(tokens),
            _ => Self::Unreadable(start(written(value))),
        }
    }
}

/// Returns the text of an unreadable count. Text that is too long is replaced rather than truncated, because redaction would
/// not recognize half a key.
fn start(text: String) -> String {
    if text.len() > KEPT {
        return "a long value that is not shown".to_owned();
    }
    text
}

impl Completion {
    /// Returns the token count in the first of these fields that exists; `None` if there is no such field, or if the count is
    /// unreadable. An unreadable count is recorded for a warning.
    pub(crate) fn tokens(&mut self, counts: &Value, names: &[&str]) -> Option<u64> {
        let value = super::loose::field(counts, names);
        match Count::of(value) {
            Count::Unsaid => None,
            Count::Tokens(tokens) => Some(tokens),
            Count::Unreadable(said) => {
                self.unreadable.get_or_insert(said);
                None
            }
        }
    }

    /// Returns the object with the token counts of an event; `None` if the value is not an object. Any such value except
    /// null is recorded as unreadable.
    pub(crate) fn counts<'v>(&mut self, usage: &'v Value) -> Option<&'v Value> {
        match usage {
            Value::Null => None,
            Value::Object(_) => Some(usage),
            other => {
                self.unreadable.get_or_insert(start(written(other)));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_count_is_a_whole_number_that_a_call_can_have() {
        for (said, count) in [
            (json!(null), Count::Unsaid),
            (json!(0), Count::Tokens(0)),
            (json!(7.0), Count::Tokens(7)),
            (json!(MAX_TOKENS), Count::Tokens(MAX_TOKENS)),
        ] {
            assert_eq!(Count::of(&said), count, "{said}");
        }
        for said in [
            json!(MAX_TOKENS + 1),
            json!(u64::MAX),
            json!(1_u64 << 63),
            json!(1e300),
            json!(-1),
            json!(7.5),
            json!("7"),
            json!([7]),
            json!({ "tokens": 7 }),
            json!(true),
        ] {
            assert!(matches!(Count::of(&said), Count::Unreadable(_)), "{said}");
        }
    }
}
