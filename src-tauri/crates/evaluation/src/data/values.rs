//! Converts column values to input values.

use loopwright_model::exact_numbers;
use serde_json::{Number, Value};

use super::data_set::{DataType, InputColumn};

/// A converted value, and whether it was joined from several messages. A value of `None` means that the input has no value.
pub(crate) struct Converted {
    pub(crate) value: Option<Value>,
    pub(crate) is_conversation: bool,
}

impl From<Value> for Converted {
    fn from(value: Value) -> Self {
        Self {
            value: Some(value),
            is_conversation: false,
        }
    }
}

/// Converts a value to an input's data type. `is_cell` is true if the value is a table cell, which is always text.
///
/// # Errors
/// Returns the problem and its remedy if the value cannot be converted to the input's data type.
pub(crate) fn convert(
    value: &Value,
    input: &InputColumn,
    is_cell: bool,
) -> Result<Converted, String> {
    let none = Converted {
        value: None,
        is_conversation: false,
    };
    if value.is_null() {
        return Ok(none);
    }
    let cell = value.as_str().map(str::trim);
    match input.data_type {
        DataType::Text | DataType::File => text(value, input),
        _ if is_cell && cell == Some("") => Ok(none),
        DataType::Json if is_cell => json(cell.unwrap_or_default(), input).map(Converted::from),
        DataType::Json => Ok(value.clone().into()),
        DataType::Number => match (value, cell) {
            (Value::Number(_), _) => Some(value.clone().into()),
            (_, Some(cell)) => match number(cell) {
                Some(_) if is_inexact(cell) => {
                    return Err(format!(
                        "`{}` has more digits than a number can hold. Write fewer, or change the data type of the input `{}` to text.",
                        shortened(cell),
                        input.name
                    ));
                }
                number => number.map(|number| Value::from(number).into()),
            },
            _ => None,
        }
        .ok_or_else(|| wrong(value, "a number", "Write a number such as 3 or 0.5", input)),
        DataType::Boolean => match (value, cell.map(str::to_ascii_lowercase).as_deref()) {
            (Value::Bool(_), _) => Some(value.clone().into()),
            (_, Some("true" | "yes" | "1")) => Some(Value::Bool(true).into()),
            (_, Some("false" | "no" | "0")) => Some(Value::Bool(false).into()),
            _ => None,
        }
        .ok_or_else(|| wrong(value, "true or false", "Write true or false", input)),
    }
}

fn number(text: &str) -> Option<Number> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(whole.into());
    }
    // Rust also parses `inf` and `nan`, which are not JSON numbers.
    let number = text.parse::<f64>().ok()?;
    Number::from_f64(number)
}

/// Returns whether a number cannot be represented exactly, such as an id of 20 digits or more.
fn is_inexact(text: &str) -> bool {
    exact_numbers::fate(text.trim_start_matches('+')) != exact_numbers::Fate::Kept
}

fn json(text: &str, input: &InputColumn) -> Result<Value, String> {
    super::strict::from_slice(text.as_bytes()).map_err(|error| {
        format!(
            "`{}` is not JSON: {}, at character {}. Write JSON, with double quotes around text, or change the data type of the input `{}`.",
            shortened(text),
            error.message,
            error.column,
            input.name
        )
    })
}

/// Converts to text. Numbers and booleans use their JSON form, and a list of messages becomes the text of the conversation.
fn text(value: &Value, input: &InputColumn) -> Result<Converted, String> {
    match value {
        Value::String(text) => Ok(Value::String(text.clone()).into()),
        Value::Number(_) | Value::Bool(_) => Ok(Value::String(value.to_string()).into()),
        Value::Array(items) => {
            let messages: Option<Vec<(&str, String)>> = items.iter().map(message).collect();
            match messages.as_deref() {
                Some([(_, only)]) => Ok(Value::String(only.clone()).into()),
                Some(several) if !several.is_empty() => {
                    let joined: Vec<String> = several
                        .iter()
                        .map(|(role, text)| format!("{role}: {text}"))
                        .collect();
                    Ok(Converted {
                        value: Some(Value::String(joined.join("\n\n"))),
                        is_conversation: true,
                    })
                }
                _ => Err(no_text(value, input)),
            }
        }
        _ => Err(no_text(value, input)),
    }
}

fn no_text(value: &Value, input: &InputColumn) -> String {
    wrong(value, "text", "Write text", input)
}

/// Returns the role and text of a chat message. Its content is a string or a list of parts that contain text. Returns `None`
/// for any other value.
fn message(value: &Value) -> Option<(&str, String)> {
    let role = value.get("role")?.as_str()?;
    let text = match value.get("content")? {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let parts: Option<Vec<&str>> = parts
                .iter()
                .map(|part| part.get("text").and_then(Value::as_str))
                .collect();
            parts?.join("\n")
        }
        _ => return None,
    };
    Some((role, text))
}

fn wrong(value: &Value, wanted: &str, remedy: &str, input: &InputColumn) -> String {
    let found = match value {
        Value::String(text) => format!("`{}`", shortened(text)),
        Value::Array(_) => "A list".to_owned(),
        Value::Object(_) => "An object".to_owned(),
        other => format!("`{other}`"),
    };
    format!(
        "{found} is not {wanted}. {remedy}, or change the data type of the input `{}`.",
        input.name
    )
}

fn shortened(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
