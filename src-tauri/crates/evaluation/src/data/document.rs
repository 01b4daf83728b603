//! Reads files that must be in memory as a whole: JSON objects and YAML.

use std::io::{BufRead, Read};

use serde_json::{Map, Value};

use super::{error::DataError, limits::Limits, mapping::Mapper, strict};

/// The fields in which a JSON object may contain its list of cases.
const LISTS: [&str; 6] = ["tests", "samples", "cases", "data", "rows", "examples"];
/// The maximum nesting of YAML.
const MAX_YAML_DEPTH: usize = 100;
/// The maximum number of values in a YAML file.
const MAX_YAML_VALUES: usize = 2_000_000;

/// Reads a JSON object that contains a list of cases, such as a promptfoo configuration.
///
/// # Errors
/// Returns an error if the file is too large, is not valid JSON, or contains no list of cases.
pub(crate) fn read_json(
    reader: &mut impl BufRead,
    mapper: &mut Mapper<'_>,
    limits: Limits,
) -> Result<(), DataError> {
    let text = text(reader, limits)?;
    let value = strict::from_slice(text.as_bytes()).map_err(|error| {
        DataError::at(
            u32::try_from(error.line).unwrap_or(u32::MAX),
            format!(
                "The file is not valid JSON: {}, at character {} of the line. Correct it.",
                error.message, error.column
            ),
        )
    })?;
    add(value, mapper)
}

/// Reads a YAML file: a list of cases, a list of promptfoo tests, or a promptfoo configuration.
///
/// # Errors
/// Returns an error if the file is too large, is not valid YAML, or contains no list of cases.
pub(crate) fn read_yaml(
    reader: &mut impl BufRead,
    mapper: &mut Mapper<'_>,
    limits: Limits,
) -> Result<(), DataError> {
    let text = text(reader, limits)?;
    let budget = serde_saphyr::budget! {
        max_depth: MAX_YAML_DEPTH,
        max_nodes: MAX_YAML_VALUES,
        max_events: 2 * MAX_YAML_VALUES,
        max_total_scalar_bytes: limits.document_bytes,
    };
    let options = serde_saphyr::options! {
        budget: budget,
        with_snippet: false,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
    };
    let read = serde_saphyr::from_str_with_options::<strict::Strict>(&text, options);
    let value = read.map_err(|error| {
        let line = error
            .location()
            .map(|at| u32::try_from(at.line()).unwrap_or(u32::MAX));
        let words = error.to_string();
        // The YAML library repeats the position and appends more lines.
        let words = words.lines().next().unwrap_or_default();
        let words = words.split(" at line ").next().unwrap_or_default();
        DataError {
            line,
            ..DataError::new(format!("The file is not valid YAML: {words}. Correct it."))
        }
    })?;
    add(value.0, mapper)
}

fn text(reader: &mut impl BufRead, limits: Limits) -> Result<String, DataError> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limits.document_bytes)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    let read = reader.take(most).read_to_end(&mut bytes);
    read.map_err(|error| DataError::io(&error))?;
    if bytes.len() > limits.document_bytes {
        return Err(DataError::new(format!(
            "The file is larger than {} MB, the limit for this format. Write it as JSONL, which is read as a stream.",
            limits.document_bytes / (1024 * 1024)
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let lines = before.iter().filter(|byte| **byte == b'\n').count();
        DataError::at(
            u32::try_from(lines + 1).unwrap_or(u32::MAX),
            "The line is not in UTF-8. Save the file in UTF-8.",
        )
    })
}

fn add(value: Value, mapper: &mut Mapper<'_>) -> Result<(), DataError> {
    mapper.count_items();
    let CaseList {
        items,
        is_promptfoo,
        default,
    } = match value {
        Value::Array(items) => CaseList {
            items,
            is_promptfoo: false,
            default: None,
        },
        Value::Object(object) => from_object(object, mapper)?,
        _ => return Err(no_list()),
    };
    for (number, item) in (1_u32..).zip(items) {
        match item {
            Value::Object(mut row) => {
                if is_promptfoo {
                    row.entry("vars")
                        .or_insert_with(|| Value::Object(Map::new()));
                    if let Some(default) = &default {
                        merge(&mut row, default);
                    }
                }
                mapper.add(number, row)?;
            }
            Value::String(path) if is_promptfoo => mapper.reject(
                number,
                None,
                format!(
                    "The tests in `{path}` are not read. To use them, name that file in `data.file`."
                ),
            ),
            _ => mapper.reject(
                number,
                None,
                "The item is not an object. Write a name and a value for each column.",
            ),
        }
    }
    Ok(())
}

/// A list of cases, as found in a document.
struct CaseList {
    items: Vec<Value>,
    /// Whether the list is the `tests` of a promptfoo configuration.
    is_promptfoo: bool,
    /// The configuration's `defaultTest`, whose fields every test inherits; `None` if there is no such object.
    default: Option<Map<String, Value>>,
}

fn from_object(
    mut object: Map<String, Value>,
    mapper: &mut Mapper<'_>,
) -> Result<CaseList, DataError> {
    for name in LISTS {
        match object.shift_remove(name) {
            Some(Value::Array(items)) => {
                let is_promptfoo = name == "tests";
                if is_promptfoo && object.contains_key("scenarios") {
                    mapper.note(
                        "The `scenarios` of the file are not read. List their tests in `tests`.",
                    );
                }
                let default = match object.shift_remove("defaultTest") {
                    Some(Value::Object(default)) if is_promptfoo => Some(default),
                    Some(Value::String(path)) if is_promptfoo => {
                        mapper.note(format!(
                            "`defaultTest` names the file `{path}`, which is not read. Replace the path with the content of that file."
                        ));
                        None
                    }
                    _ => None,
                };
                return Ok(CaseList {
                    items,
                    is_promptfoo,
                    default,
                });
            }
            Some(Value::String(path)) if name == "tests" => {
                return Err(DataError::new(format!(
                    "The tests are in another file, `{path}`. Name that file in `data.file`."
                ))
                .of_column("tests"));
            }
            _ => {}
        }
    }
    Err(no_list())
}

fn no_list() -> DataError {
    DataError::new(
        "The file has no list of cases. Write a list of objects, or an object with such a list in `tests`, `samples`, `cases`, `data`, \
         `rows` or `examples`.",
    )
}

/// Merges the `defaultTest` of a configuration into a test: adds the default's assertions, and each of its variables and fields
/// that the test lacks.
fn merge(row: &mut Map<String, Value>, default: &Map<String, Value>) {
    for (name, value) in default {
        match (row.get_mut(name), value) {
            (Some(Value::Object(own)), Value::Object(more)) => {
                for (name, value) in more {
                    if !own.contains_key(name) {
                        own.insert(name.clone(), value.clone());
                    }
                }
            }
            (Some(Value::Array(own)), Value::Array(more)) if name == "assert" => {
                own.splice(0..0, more.iter().cloned());
            }
            (Some(_), _) => {}
            (None, _) => {
                row.insert(name.clone(), value.clone());
            }
        }
    }
}
