//! Finds the JSON in the output of an agent program.

use serde_json::Value;

/// Returns the JSON objects of an output in order, including those inside lists. The output may be one JSON value, JSON on
/// separate lines, or JSON mixed with text: some programs print notices before their JSON, and hooks may print after it.
pub(super) fn objects(output: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut add = |value: Value| match value {
        Value::Array(items) => found.extend(items.into_iter().filter(Value::is_object)),
        Value::Object(_) => found.push(value),
        _ => {}
    };
    match serde_json::from_str(output.trim()) {
        Ok(value) => add(value),
        Err(_) => events(output).for_each(&mut add),
    }
    if found.is_empty() {
        let places = loopwright_answers::json::spans(output).into_iter();
        for value in places.filter_map(|place| serde_json::from_str(&output[place]).ok()) {
            match value {
                Value::Array(items) => found.extend(items.into_iter().filter(Value::is_object)),
                value => found.push(value),
            }
        }
    }
    found
}

pub(super) fn events(output: &str) -> impl Iterator<Item = Value> {
    output
        .lines()
        .filter_map(|line| serde_json::from_str(line.trim().trim_start_matches('\u{feff}')).ok())
}
