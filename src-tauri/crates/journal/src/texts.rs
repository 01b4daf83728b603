//! What a search looks through: the texts of a run, cut to a length, and the words that are looked for.

use loopwright_engine::journal::{RunState, SEARCHED, SHORT_WORD};
use serde_json::Value;

/// Name, id and what came in.
pub(crate) fn of_beginning(flow: &str, run_id: &str, inputs: &Value) -> String {
    let mut text = format!("{flow}\n{run_id}");
    collect(inputs, &mut SEARCHED.clone(), &mut text);
    text
}

/// What came out, and the error; `None` while there is neither.
pub(crate) fn of_end(state: &RunState) -> Option<String> {
    if state.outputs.is_none() && state.error.is_none() {
        return None;
    }
    let mut text = String::new();
    if let Some(error) = &state.error {
        text.push_str(&error.message);
    }
    if let Some(outputs) = &state.outputs {
        collect(outputs, &mut SEARCHED.clone(), &mut text);
    }
    Some(text)
}

/// Appends the texts and numbers in a value, a line each, until `left` characters are used up.
fn collect(value: &Value, left: &mut usize, into: &mut String) {
    match value {
        _ if *left == 0 => {}
        Value::String(text) => add(text, left, into),
        Value::Number(number) => add(&number.to_string(), left, into),
        Value::Array(items) => items.iter().for_each(|item| collect(item, left, into)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, left, into)),
        Value::Bool(_) | Value::Null => {}
    }
}

fn add(text: &str, left: &mut usize, into: &mut String) {
    into.push('\n');
    let from = into.len();
    into.extend(text.chars().take(*left));
    *left -= into[from..].chars().count();
}

/// The words of a search: those that the index of texts can find, or, where there is none of them, those that are too
/// short for it.
pub(crate) fn words(search: &str) -> (Vec<&str>, Vec<&str>) {
    let (long, short): (Vec<_>, Vec<_>) = search
        .split_whitespace()
        .partition(|word| word.chars().count() >= SHORT_WORD);
    if long.is_empty() {
        (long, short)
    } else {
        (long, Vec::new())
    }
}
