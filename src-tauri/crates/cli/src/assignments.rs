//! Parses the options that assign a value: `--input NAME=VALUE`, `--set NODE.FIELD=JSON` and `--pin NODE=JSON`.

use loopwright_runs::{ApiError, Code, FieldEdit};
use serde_json::{Map, Value};

use crate::input;

/// Splits `LEFT=RIGHT` into its two sides. The error names `option` and the expected `form`.
pub(crate) fn split_assignment<'a>(
    given: &'a str,
    option: &str,
    form: &str,
) -> Result<(&'a str, &'a str), ApiError> {
    given.split_once('=').ok_or_else(|| {
        ApiError::new(
            Code::InvalidArgument,
            format!("{option} {given} is not valid. Write it as {form}."),
        )
    })
}

/// Parses `--pin NODE=JSON`.
///
/// # Errors
/// Returns an error if an option has another form, or if its value cannot be stored exactly.
pub(crate) fn parse_pins(given: &[String]) -> Result<Map<String, Value>, ApiError> {
    let pin = |given: &String| {
        let (node, value) = split_assignment(given, "--pin", "NODE=JSON")?;
        // As with --set, a value that is not JSON is text.
        let value = input::json_or_text(value, &format!("--pin {node}"))?;
        Ok((node.to_owned(), value))
    };
    given.iter().map(pin).collect()
}

/// Parses `--set NODE.FIELD=JSON`.
///
/// # Errors
/// Returns an error if an option has another form, or if its value cannot be stored exactly.
pub(crate) fn parse_edits(sets: &[String]) -> Result<Vec<FieldEdit>, ApiError> {
    let edit = |set: &String| {
        let (place, value) = split_assignment(set, "--set", "NODE.FIELD=JSON")?;
        let (node, field) = place.split_once('.').ok_or_else(|| {
            ApiError::new(
                Code::InvalidArgument,
                format!("--set {set} is not valid. Write it as NODE.FIELD=JSON."),
            )
        })?;
        Ok(FieldEdit {
            node: node.to_owned(),
            field: field.to_owned(),
            value: input::json_or_text(value, &format!("--set {place}"))?,
        })
    };
    sets.iter().map(edit).collect()
}
