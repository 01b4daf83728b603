//! Converts rows in the formats of other programs: their columns are moved to the top level.

use serde_json::{Map, Value};

use super::{notes::Notes, promptfoo, shaped_row::ShapedRow};

/// Returns the cases of a row. A column `vars` or `item` stays unchanged if the flow itself reads it. `is_wanted`
/// returns whether the flow reads a column.
///
/// - promptfoo: the variables in `vars` become columns.
/// - OpenAI evals: the fields of `item` become columns.
///
/// Inspect samples and the `input` and `ideal` of OpenAI evals already have their columns at the top level.
pub(crate) fn shape(
    mut row: Map<String, Value>,
    line: u32,
    is_wanted: impl Fn(&str) -> bool,
    notes: &mut Notes,
) -> Vec<ShapedRow> {
    if row.get("vars").is_some_and(Value::is_object) && !is_wanted("vars") {
        return promptfoo::test(row, line, notes);
    }
    if row.get("item").is_some_and(Value::is_object) && !is_wanted("item") {
        if let Some(Value::Object(mut item)) = row.shift_remove("item") {
            for (name, value) in row {
                if !item.contains_key(&name) {
                    item.insert(name, value);
                }
            }
            return vec![ShapedRow::plain(item)];
        }
        return Vec::new();
    }
    if row.keys().any(|name| promptfoo::is_column(name)) {
        return vec![promptfoo::columns(row, line, notes)];
    }
    vec![ShapedRow::plain(row)]
}
