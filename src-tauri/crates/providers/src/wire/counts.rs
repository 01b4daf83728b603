//! Counts of tokens as servers give them. Any of them may be absurd; that is seen here, where they are read, and nowhere later.

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::Value;

use super::format::Completion;

/// More tokens than any call has. Sums of such counts stay far from the largest number.
const MAX_TOKENS: u64 = 1_000_000_000_000;

/// How much of what is no count is kept, in characters.
const KEPT: usize = 40;

/// A count, or what came in its place.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Count {
    /// The server does not say.
    #[default]
    Unsaid,
    Tokens(u64),
    Unreadable(String),
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self::of(&Value::deserialize(from)?))
    }
}

impl Count {
    fn of(value: &Value) -> Self {
        let whole = value.as_u64().or_else(|| {
            let number = value.as_f64()?;
            // Some write whole numbers as 7.0.
            (number.fract() == 0.0 && (0.0..=MAX_TOKENS as f64).contains(&number))
                .then_some(number as u64)
        });
        match whole {
            _ if value.is_null() => Self::Unsaid,
            Some(tokens) if tokens <= MAX_TOKENS => Self::Tokens(tokens),
            _ => Self::Unreadable(value.to_string().chars().take(KEPT).collect()),
        }
    }
}

impl Completion {
    /// The tokens of a count; one that cannot be read is remembered.
    pub(crate) fn tokens(&mut self, count: Count) -> Option<u64> {
        match count {
            Count::Unsaid => None,
            Count::Tokens(tokens) => Some(tokens),
            Count::Unreadable(said) => {
                self.unreadable.get_or_insert(said);
                None
            }
        }
    }

    /// The counts of an event; of what has another shape it is remembered that it cannot be read.
    pub(crate) fn counts<C: DeserializeOwned>(&mut self, usage: Option<Value>) -> Option<C> {
        let usage = usage.filter(|usage| !usage.is_null())?;
        let shown = usage.to_string();
        match serde_json::from_value(usage) {
            Ok(counts) => Some(counts),
            Err(_) => {
                self.tokens(Count::Unreadable(shown.chars().take(KEPT).collect()));
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
