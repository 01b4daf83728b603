//! JSON whose objects have unique keys.

use std::fmt;

use loopwright_model::exact_numbers;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A value whose objects have unique keys.
pub(crate) struct Strict(pub(crate) Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number is infinite or NaN"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!(
                    "the key `{key}` appears twice in an object"
                )));
            }
            let Strict(value) = entries.next_value()?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

/// The reason why text is not JSON with unique keys.
pub(crate) struct JsonError {
    /// The line in the text, from 1.
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// The problem, as a clause without a full stop.
    pub(crate) message: String,
    /// Whether the text is well-formed JSON.
    pub(crate) is_json: bool,
}

/// Parses one JSON value with unique keys. A number that cannot be represented exactly becomes a string with the same
/// digits.
///
/// # Errors
/// Returns an error if the text is not one JSON value, or if an object repeats a key.
pub(crate) fn from_slice(text: &[u8]) -> Result<Value, JsonError> {
    let quoted = std::str::from_utf8(text).ok().and_then(|text| {
        exact_numbers::rewritten(text, |number, _, into| {
            into.push('"');
            into.push_str(number);
            into.push('"');
        })
    });
    // For invalid JSON, the error must refer to the original text.
    if let Some(quoted) = quoted
        && serde_json::from_slice::<IgnoredAny>(text).is_ok()
        && let Ok(Strict(value)) = serde_json::from_str(&quoted.text)
    {
        return Ok(value);
    }
    match serde_json::from_slice::<Strict>(text) {
        Ok(Strict(value)) => Ok(value),
        Err(error) => {
            let words = error.to_string();
            let at = format!(" at line {} column {}", error.line(), error.column());
            Err(JsonError {
                line: error.line(),
                column: error.column(),
                message: words.strip_suffix(&at).unwrap_or(&words).to_owned(),
                is_json: error.is_data(),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_number_that_no_number_holds_is_a_text_of_the_same_digits() {
        let read = |text: &str| from_slice(text.as_bytes()).map_err(|error| error.message);
        assert_eq!(
            read(r#"{"id": 123456789012345678901234, "n": 18446744073709551615}"#),
            Ok(json!({ "id": "123456789012345678901234", "n": u64::MAX }))
        );
        assert_eq!(
            read("[0.1234567890123456789012, 1e400]"),
            Ok(json!(["0.1234567890123456789012", "1e400"]))
        );
        assert!(
            read(r#"{"id": 123456789012345678901234, "id": 1}"#)
                .unwrap_err()
                .contains("twice")
        );
        assert!(read("{123456789012345678901234}").is_err());
    }
}
