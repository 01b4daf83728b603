//! The text that a search reads, up to a maximum length, and the splitting of a search into words. All stores of runs search
//! the same text.

use loopwright_engine::journal::{RunState, SEARCHED, SHORT_WORD};
use serde_json::Value;

/// Returns the searchable text of a run's beginning: the flow's name, the run's id and the inputs, including defaults.
pub fn of_beginning(flow: &str, run_id: &str, inputs: &Value, document: &Value) -> String {
    let mut text = format!("{flow}\n{run_id}");
    let mut left = SEARCHED;
    collect(inputs, &mut left, &mut text);
    for default in defaults(document, inputs) {
        collect(default, &mut left, &mut text);
    }
    text
}

/// Returns the defaults of those inputs that were given no value.
fn defaults<'d>(document: &'d Value, inputs: &'d Value) -> impl Iterator<Item = &'d Value> {
    let nodes = document.get("nodes").and_then(Value::as_array);
    nodes.into_iter().flatten().filter_map(|node| {
        let data = node.get("data")?;
        let name = data.get("name")?.as_str()?;
        let is_open = node.get("type")? == "input" && inputs.get(name).is_none();
        is_open.then(|| data.get("default")).flatten()
    })
}

/// Returns the searchable text of the inputs, without defaults.
pub fn of_inputs(inputs: &Value) -> String {
    let mut text = String::new();
    collect(inputs, &mut SEARCHED.clone(), &mut text);
    text
}

/// Returns the searchable text of the outputs and the error, or `None` if the run has neither.
pub fn of_end(state: &RunState) -> Option<String> {
    if state.outputs.is_none() && state.error.is_none() {
        return None;
    }
    let mut text = String::new();
    if let Some(error) = &state.error {
        text.push_str(&error.message);
    }
    if let Some(outputs) = &state.outputs {
        let left = &mut SEARCHED.clone();
        (outputs.iter()).for_each(|(_, value)| collect(value, left, &mut text));
    }
    Some(text)
}

/// Appends the strings and numbers in a value, one per line, until `left` characters are used up.
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

/// Splits a search into words that the text index can find and words that are too short for it. Returns both lists.
pub fn words(search: &str) -> (Vec<&str>, Vec<&str>) {
    search
        .split_whitespace()
        .partition(|word| word.chars().count() >= SHORT_WORD)
}
