//! Converts unquoted words that are in place of a JSON value.

use serde_json::Value;

/// Returns an unquoted word as JSON: `true`, `false` or `null` if it has that meaning, otherwise a string. `NaN` and
/// `Infinity` become `null`.
pub(super) fn constant(word: &str) -> String {
    let json = match word {
        "true" | "True" | "TRUE" | "yes" | "Yes" => "true",
        "false" | "False" | "FALSE" | "no" | "No" => "false",
        "null" | "None" | "undefined" | "NULL" | "nil" | "NaN" | "Infinity" => "null",
        word => return Value::from(word).to_string(),
    };
    json.to_owned()
}
