//! Values are JSON. How they become text, and their one canonical form.

use serde_json::Value;

/// A value as text: a text as it is, null as nothing, anything else as compact JSON.
pub fn to_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A value as text for comparison: a text as it is, anything else as compact JSON with sorted keys.
pub fn canonical_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => sorted(other).to_string(),
    }
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|a, b| a.0.cmp(b.0));
            Value::Object(
                entries
                    .into_iter()
                    .map(|(key, value)| (key.clone(), sorted(value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// The first `limit` characters of a value's text, for lists and events; cut texts end in `…`.
pub fn preview(value: &Value, limit: usize) -> String {
    let text = to_text(value);
    match text.char_indices().nth(limit) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// What kind of JSON a value is, in words for messages: `a text`, `a list`.
pub fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A whole number that is not negative, also one that is written with a fraction or an exponent (`2.0`, `1e6`), as the checks of
/// fields take it; what is larger than any integer is the largest.
pub fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| *number >= 0.0 && number.fract() == 0.0)
            .map(|number| number as u64)
    })
}

/// Levels of arrays and objects that a value may have. A loop that wraps its own result adds some in every iteration, and
/// what writes, reads and compares values follows them down.
pub const DEEPEST: usize = 256;

/// Whether a value has at most `levels` levels of arrays and objects; a text or number has none.
pub fn is_within(value: &Value, levels: usize) -> bool {
    let inside = |item: &Value| levels > 0 && is_within(item, levels - 1);
    match value {
        Value::Array(items) => levels > 0 && items.iter().all(inside),
        Value::Object(fields) => levels > 0 && fields.values().all(inside),
        _ => true,
    }
}
