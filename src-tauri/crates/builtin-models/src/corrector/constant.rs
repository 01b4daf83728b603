//! Unquoted words in place of a JSON value.

use serde_json::Value;

/// Returns an unquoted word as JSON: a constant if it is one, otherwise a string.
pub(super) fn constant(word: &str) -> String {
    let json = match word {
        "true" | "True" | "TRUE" | "yes" | "Yes" => "true",
        "false" | "False" | "FALSE" | "no" | "No" => "false",
        "null" | "None" | "undefined" | "NULL" | "nil" | "NaN" | "Infinity" => "null",
        word => return Value::from(word).to_string(),
    };
    json.to_owned()
}
