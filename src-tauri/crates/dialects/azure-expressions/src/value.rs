//! The values of an evaluation, and their text forms.
//!
//! The language runs on .NET and formats numbers like .NET: 64-bit integers, doubles in the shortest form that reads back as
//! the same double, and decimals that keep their digits.

use base64::{Engine, engine::general_purpose::STANDARD};
use rust_decimal::{Decimal, prelude::ToPrimitive};
use serde_json::{Map, Number, Value as Json};

/// A value. Objects keep the order of their fields.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Decimal(Decimal),
    Text(String),
    Array(Vec<Self>),
    Object(Object),
}

pub(crate) type Object = Vec<(String, Value)>;

/// Returns the index of a field with this name: an exact match, otherwise one that differs only in case, otherwise `None`.
pub(crate) fn position(fields: &Object, name: &str) -> Option<usize> {
    let exact = fields.iter().position(|(field, _)| field == name);
    exact.or_else(|| fields.iter().position(|(field, _)| same_name(field, name)))
}

/// Returns whether two names are equal, ignoring case.
pub(crate) fn same_name(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
        || (!(one.is_ascii() && other.is_ascii()) && one.to_lowercase() == other.to_lowercase())
}

/// Returns the entry of a JSON object, found by the rules of [`position`], or `None` if there is none.
pub(crate) fn entry<'j>(fields: &'j Map<String, Json>, name: &str) -> Option<&'j Json> {
    fields.get(name).or_else(|| {
        let found = fields.iter().find(|(field, _)| same_name(field, name));
        found.map(|(_, value)| value)
    })
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn from_json(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(flag) => Self::Bool(*flag),
            Json::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(int), _) => Self::Int(int),
                (None, Some(large)) => Self::Decimal(large.into()),
                (None, None) => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Self::Text(text.clone()),
            Json::Array(items) => Self::Array(items.iter().map(Self::from_json).collect()),
            Json::Object(fields) => Self::Object(
                fields
                    .iter()
                    .map(|(name, value)| (name.clone(), Self::from_json(value)))
                    .collect(),
            ),
        }
    }

    /// Converts the value to JSON. NaN and infinities become text, as in Azure's serializer.
    pub(crate) fn into_json(self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Bool(flag) => Json::Bool(flag),
            Self::Int(int) => Json::from(int),
            Self::Float(float) => Number::from_f64(float)
                .map_or_else(|| Json::String(float_text(float)), Json::Number),
            Self::Decimal(decimal) => match decimal.to_u64() {
                Some(large) if decimal.scale() == 0 && large > i64::MAX as u64 => Json::from(large),
                _ => decimal
                    .to_f64()
                    .and_then(Number::from_f64)
                    .map_or_else(|| Json::String(decimal.to_string()), Json::Number),
            },
            Self::Text(text) => Json::String(text),
            Self::Array(items) => Json::Array(items.into_iter().map(Self::into_json).collect()),
            Self::Object(fields) => Json::Object(
                fields
                    .into_iter()
                    .map(|(name, value)| (name, value.into_json()))
                    .collect(),
            ),
        }
    }

    /// Returns the name of the value's type for a message, such as "a string".
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Decimal(_) => "a decimal",
            Self::Text(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    /// Converts the value to text. Typed content of Azure (`$content-type`, `$content`) is decoded. Booleans are `True` and
    /// `False` if `capital` is true, otherwise `true` and `false`.
    pub(crate) fn to_text(&self, capital: bool) -> String {
        match self {
            Self::Null => String::new(),
            Self::Bool(true) => if capital { "True" } else { "true" }.to_owned(),
            Self::Bool(false) => if capital { "False" } else { "false" }.to_owned(),
            Self::Int(int) => int.to_string(),
            Self::Float(float) => float_text(*float),
            Self::Decimal(decimal) => decimal.to_string(),
            Self::Text(text) => text.clone(),
            Self::Array(_) => self.to_json_text(),
            Self::Object(_) => match content(self) {
                Some((_, bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
                None => self.to_json_text(),
            },
        }
    }

    /// Formats the value as compact JSON. Floats and decimals have a decimal point.
    pub(crate) fn to_json_text(&self) -> String {
        let mut text = String::new();
        self.write_json(&mut text);
        text
    }

    fn write_json(&self, into: &mut String) {
        let with_point = |number: String| {
            if number
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-')
            {
                number + ".0"
            } else {
                number
            }
        };
        match self {
            Self::Null => into.push_str("null"),
            Self::Bool(flag) => into.push_str(if *flag { "true" } else { "false" }),
            Self::Int(int) => into.push_str(&int.to_string()),
            Self::Float(float) if float.is_finite() => {
                into.push_str(&with_point(float_text(*float)));
            }
            Self::Float(float) => into.push_str(&Json::String(float_text(*float)).to_string()),
            Self::Decimal(decimal) => into.push_str(&with_point(decimal.to_string())),
            Self::Text(text) => into.push_str(&Json::from(text.as_str()).to_string()),
            Self::Array(items) => {
                into.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        into.push(',');
                    }
                    item.write_json(into);
                }
                into.push(']');
            }
            Self::Object(fields) => {
                into.push('{');
                for (index, (name, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        into.push(',');
                    }
                    into.push_str(&Json::from(name.as_str()).to_string());
                    into.push(':');
                    value.write_json(into);
                }
                into.push('}');
            }
        }
    }
}

/// Returns the type and the bytes of Azure's typed content, or `None` for any other value.
pub(crate) fn content(value: &Value) -> Option<(String, Vec<u8>)> {
    let Value::Object(fields) = value else {
        return None;
    };
    let field = |name: &str| match fields.iter().find(|(field, _)| field == name) {
        Some((_, Value::Text(text))) => Some(text),
        _ => None,
    };
    let (ty, encoded) = (field("$content-type")?, field("$content")?);
    Some((ty.clone(), STANDARD.decode(encoded).ok()?))
}

/// The media type of content of unknown type.
pub(crate) const BINARY: &str = "application/octet-stream";

/// Creates typed content.
pub(crate) fn typed(content_type: &str, bytes: &[u8]) -> Value {
    Value::Object(vec![
        ("$content-type".to_owned(), Value::text(content_type)),
        ("$content".to_owned(), Value::Text(STANDARD.encode(bytes))),
    ])
}

/// Formats a double as .NET does: with the fewest digits that read back as the same number. Numbers from 1E+15 up, or below 0.0001,
/// are written with an exponent.
///
/// Reference: Microsoft, "Standard numeric format strings", the general specifier.
pub(crate) fn float_text(float: f64) -> String {
    if float.is_nan() {
        return "NaN".to_owned();
    }
    if float.is_infinite() {
        return if float > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if float == 0.0 {
        return if float.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    let scientific = format!("{float:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..15).contains(&exponent) {
        return float.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}E{sign}{:02}", exponent.abs())
}
