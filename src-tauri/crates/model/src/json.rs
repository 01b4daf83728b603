//! Strict reading of JSON that a person wrote: anything that an ordinary reader would silently drop or round is an error with a
//! position.
//!
//! There are two such cases. Ordinary readers keep only the last value of a key that appears twice in one object, and they turn
//! an integer beyond 64 bits into the nearest double. A fraction, or a number written with an exponent, is read as the nearest
//! double, as usual; only its integer part must not change. JSON from other sources is read by [`crate::exact_numbers`].

use std::{cell::Cell, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value, error::Category};
use thiserror::Error;

use crate::exact_numbers::numbers;

/// The reason why text cannot be read as JSON, and the position. `line` and `column` count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message} (line {line}, column {column})")]
pub struct JsonError {
    /// The reason, without the position and without a final full stop.
    pub message: String,
    pub line: usize,
    pub column: usize,
    /// Whether the text is valid JSON that cannot be kept exactly.
    pub is_json: bool,
}

/// Reads one JSON value strictly: nothing is dropped or rounded without an error.
///
/// # Errors
/// Returns [`JsonError`] if the text is not JSON, if an object has the same key twice, or if a number cannot be kept
/// exactly.
pub fn read(text: &str) -> Result<Value, JsonError> {
    read_within(text, &Limits::default())
}

/// Reads one JSON value as [`read`] does, from untrusted text.
///
/// # Errors
/// Returns the errors of [`read`], and an error if the text exceeds `limits`.
pub fn read_within(text: &str, limits: &Limits) -> Result<Value, JsonError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let count = Cell::new(0);
    let value = Strict::new(limits, &count)
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value))
        .map_err(|error| failure(&error))?;
    match rounded_number(text) {
        None => Ok(value),
        Some((at, number)) => Err(inexact(text, at, number)),
    }
}

/// Reads one JSON value as [`read`] does. Text that is not JSON becomes a string, as in `--set draft.model=llama3`.
///
/// # Errors
/// Returns [`JsonError`] if the text is JSON that cannot be kept exactly.
pub fn read_or_text(text: &str) -> Result<Value, JsonError> {
    match read(text) {
        Err(error) if !error.is_json => Ok(Value::String(text.to_owned())),
        other => other,
    }
}

fn failure(error: &serde_json::Error) -> JsonError {
    let message = plain_message(error);
    JsonError {
        // A value that is nested too deeply, or a number that is too large, is still JSON, although the parser reports a syntax
        // error.
        is_json: error.classify() == Category::Data
            || ["recursion limit", "number out of range"]
                .iter()
                .any(|limit| message.contains(limit)),
        message,
        line: error.line(),
        column: error.column(),
    }
}

fn plain_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.find(" at line ").map_or(&*text, |end| &text[..end]);
    match text {
        // The parser reports these messages for any text that starts like `null`, `true` or `false`.
        "expected ident" | "expected value" => "this is not a JSON value".to_owned(),
        text => text.to_owned(),
    }
}

/// The maximum number of characters of a key or number that a message shows.
const SHOWN: usize = 60;

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

fn inexact(text: &str, at: usize, number: &str) -> JsonError {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    JsonError {
        message: format!(
            "the number {} cannot be kept exactly: whole numbers must be between {} and {}. Write it as text, in quotes",
            shown(number),
            i64::MIN,
            u64::MAX
        ),
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        is_json: true,
    }
}

/// Returns the first number in JSON text that would be read as a different number, with its byte offset, or `None` if there is
/// no such number.
fn rounded_number(text: &str) -> Option<(usize, &str)> {
    numbers(text).find(|(_, number)| !is_kept(number))
}

/// Returns whether a JSON number is kept when it is read. A number with a fraction or an exponent may become the nearest double
/// with the same integer part.
fn is_kept(number: &str) -> bool {
    /// Below this magnitude, a double has exactly the integer part of the number that was written.
    const ALL_WHOLE: f64 = 9_007_199_254_740_992.0;

    if number.contains(['e', 'E']) {
        return true;
    }
    let Some((whole, fraction)) = number.split_once('.') else {
        return number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
    };
    let Ok(double) = number.parse::<f64>() else {
        return false;
    };
    double.abs() < ALL_WHOLE
        || (fraction.bytes().all(|digit| digit == b'0') && format!("{double:.0}") == whole)
}

/// The limits within which [`Strict`] builds a value, and the function that interprets scalars which the reader passes on as
/// plain text.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The maximum number of scalars, keys, lists and objects.
    pub values: usize,
    /// The maximum nesting depth of lists and objects.
    pub depth: usize,
    /// The function that converts a scalar which the reader passes on as plain text. In YAML, an unquoted word may be something
    /// other than text.
    pub text: fn(&str) -> Value,
}

impl Default for Limits {
    /// Sets no limits, so that only the limits of the reader apply.
    fn default() -> Self {
        Self {
            values: usize::MAX,
            depth: usize::MAX,
            text: |text| Value::String(text.to_owned()),
        }
    }
}

/// A builder that creates a value from the events of a JSON or YAML reader. It refuses objects with repeated keys.
#[derive(Clone, Copy)]
pub struct Strict<'l> {
    limits: &'l Limits,
    /// The number of values built so far, in all builders for the same text.
    count: &'l Cell<usize>,
    depth: usize,
}

impl<'l> Strict<'l> {
    /// Creates a builder. `count` must be zero for new text.
    pub fn new(limits: &'l Limits, count: &'l Cell<usize>) -> Self {
        Self {
            limits,
            count,
            depth: 0,
        }
    }

    fn deeper<E: Error>(self) -> Result<Self, E> {
        let most = self.limits.depth;
        if self.depth >= most {
            let message = format_args!("it is nested more than {most} levels deep");
            return Err(E::custom(message));
        }
        Ok(Self {
            depth: self.depth + 1,
            ..self
        })
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let most = self.limits.values;
        self.count.set(self.count.get() + 1);
        if self.count.get() > most {
            let message = format_args!("it contains more than {most} values");
            return Err(D::Error::custom(message));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        let number = Number::from_i128(value).map(Value::Number);
        Ok(number.unwrap_or_else(|| Value::String(value.to_string())))
    }
    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        let number = Number::from_u128(value).map(Value::Number);
        Ok(number.unwrap_or_else(|| Value::String(value.to_string())))
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }
    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Value, E> {
        Ok((self.limits.text)(value))
    }
    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }
    fn visit_bytes<E>(self, value: &[u8]) -> Result<Value, E> {
        Ok(Value::String(String::from_utf8_lossy(value).into_owned()))
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
    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        inner.deserialize_any(self)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.deeper::<A::Error>()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let inner = self.deeper::<A::Error>()?;
        let mut map = Map::new();
        while let Some(key) = fields.next_key_seed(inner)? {
            let name = match key {
                Value::String(name) => name,
                Value::Array(_) | Value::Object(_) => {
                    return Err(A::Error::custom(
                        "a key must be text, a number, true or false",
                    ));
                }
                other => other.to_string(),
            };
            if map.contains_key(&name) {
                return Err(A::Error::custom(repeated_key(&name)));
            }
            let value = fields.next_value_seed(inner)?;
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

/// Returns the error message for a key that appears twice in one object.
pub fn repeated_key(key: &str) -> String {
    let key = shown(key);
    format!("the key `{key}` appears twice in one object. Keep one of them")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_kept_is_read_as_any_reader_does() {
        for text in [
            "0",
            "-0",
            "1.50",
            "0.1",
            "3.14159265358979323846",
            "-9223372036854775808",
            "18446744073709551615",
            "9007199254740993",
            "9007199254740992.0",
            "6.02214076e23",
            "1e300",
            "1E-400",
            r#"{"a": [1, {"b": "18446744073709551616"}], "c\"99999999999999999999": null}"#,
            r#"["\\", 1, "\"", "99999999999999999999.5"]"#,
        ] {
            let plain: Value = serde_json::from_str(text).unwrap();
            assert_eq!(read(text).unwrap(), plain, "{text}");
        }
    }

    #[test]
    fn a_number_that_would_be_rounded_is_refused_with_its_place_and_the_remedy() {
        for number in [
            "18446744073709551616",
            "-9223372036854775809",
            "12345678901234567890123",
            "12345678901234567891.0",
            "9007199254740993.0",
            "9007199254740993.5",
        ] {
            let text = format!("{{\"ä\": \"1\",\n \"b\": [true, {number}]}}");
            let error = read(&text).unwrap_err();
            assert_eq!((error.line, error.column), (2, 14), "{number}");
            assert!(error.is_json, "{number}");
            let words = error.to_string();
            assert!(
                words.contains(number) && words.contains("in quotes"),
                "{words}"
            );
        }
        let long = "1".repeat(5_000);
        assert!(read(&long).unwrap_err().message.len() < 250);
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_by_name() {
        let error = read("{\"a\": {\"b\": 1,\n\"b\": 2}}").unwrap_err();
        assert!(error.message.contains("`b` appears twice") && error.line == 2);
        assert!(error.is_json);
    }

    #[test]
    fn only_what_is_no_json_stands_for_itself() {
        assert_eq!(read_or_text("llama3").unwrap(), json!("llama3"));
        assert_eq!(read_or_text("{a").unwrap(), json!("{a"));
        assert_eq!(read_or_text("2").unwrap(), json!(2));
        let deep = "[".repeat(500) + &"]".repeat(500);
        for text in ["18446744073709551616", r#"{"a":1,"a":2}"#, "1e400", &deep] {
            assert!(read_or_text(text).unwrap_err().is_json, "{text}");
        }
    }

    proptest! {
        /// Every integer is either read exactly or refused.
        #[test]
        fn no_whole_number_changes(number in "-?(0|[1-9][0-9]{0,24})") {
            if let Ok(value) = read(&number) {
                let written = value.to_string();
                let same = written == number || number == "-0";
                prop_assert!(same, "{number} became {value}");
            }
        }

        /// Accepted text is read exactly as an ordinary JSON reader reads it.
        #[test]
        fn nothing_else_is_read(text in r#"[\[\]{}:,"\\ea0-9.+\-]{0,24}"#) {
            if let Ok(value) = read(&text) {
                prop_assert_eq!(value, serde_json::from_str::<Value>(&text).unwrap());
            }
        }
    }
}
