//! Words without quotes where JSON has a value.

use serde_json::Value;

/// A bare word: a constant as JSON writes it, else a text.
pub(super) fn constant(word: &str) -> String {
    let json = match word {
        "true" | "True" | "TRUE" | "yes" | "Yes" => "true",
        "false" | "False" | "FALSE" | "no" | "No" => "false",
        "null" | "None" | "undefined" | "NULL" | "nil" | "NaN" | "Infinity" => "null",
        word => return Value::from(word).to_string(),
    };
    json.to_owned()
}
