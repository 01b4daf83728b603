//! Reads evaluation files, with errors that state the remedy.

use serde_json::Value;

use super::{places, problems::newer, scorers};
use crate::{
    data,
    file::Evaluation,
    nearest::{did_you_mean, list},
};

/// The reason why text is not a valid evaluation file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Line {line}, column {column}: {message}")]
pub struct FileError {
    /// The number of the line with the problem, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The problem, the field that contains it, and the remedy.
    pub message: String,
}

/// Reads an evaluation file. [`super::evaluation`] checks whether its content makes sense.
///
/// # Errors
/// Returns the first problem: invalid JSON, a newer version, or a field that is missing, unknown or of the wrong type.
pub fn read(text: &str) -> Result<Evaluation, FileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = data::strict_json(text).map_err(|error| {
        let at = places::offset(text, error.line, error.column.saturating_sub(1));
        let (line, column) = places::line_and_column(text, at);
        let message = broken(text, at, &error.message);
        FileError {
            line,
            column,
            message,
        }
    })?;
    let all = places::find(text);
    let at = |path: &str, message: String| {
        // Falls back to the nearest enclosing value that exists.
        let mut path = path;
        let start = loop {
            match all.iter().find(|place| place.path == path) {
                Some(place) => break place.start,
                None => path = path.rfind(['.', '[']).map_or("", |end| &path[..end]),
            }
            if path.is_empty() {
                break all.first().map_or(0, |place| place.start);
            }
        };
        let (line, column) = places::line_and_column(text, start);
        FileError {
            line,
            column,
            message,
        }
    };
    if let Some(message) = value
        .get("schemaVersion")
        .and_then(Value::as_u64)
        .and_then(newer)
    {
        return Err(at("schemaVersion", message));
    }
    if let Some(Value::Array(scorers)) = value.get("scorers") {
        for (number, scorer) in scorers.iter().enumerate() {
            if let Some(problem) = scorers::check_form(number, scorer) {
                let message = format!("{}: {}", problem.place, problem.message);
                return Err(at(&problem.place, message));
            }
        }
    }
    serde_json::from_str(text).map_err(|error| {
        let offset = places::offset(text, error.line(), error.column());
        // serde reports the error at the byte before an unexpected list or object.
        let place = all
            .iter()
            .find(|place| place.value.start == offset && offset > 0)
            .or_else(|| places::around(&all, offset));
        let path = place.map_or("", |place| place.path.as_str());
        let words = error.to_string();
        let suffix = format!(" at line {} column {}", error.line(), error.column());
        let words = words.strip_suffix(&suffix).unwrap_or(&words);
        match name_in(words, "unknown field") {
            Some(name) => {
                let path_of_name = if path.is_empty() {
                    name.to_owned()
                } else {
                    format!("{path}.{name}")
                };
                at(&path_of_name, explain(words, path))
            }
            None => at(path, explain(words, path)),
        }
    })
}

/// Returns the message for text that is not JSON.
fn broken(text: &str, at: usize, words: &str) -> String {
    if text.trim().is_empty() {
        return "The file is empty. Write an evaluation, which begins with { \"schemaVersion\": 1, \"name\": … }.".to_owned();
    }
    let from = at.saturating_sub(1);
    let is_comment = |from: usize| {
        let rest = text.as_bytes().get(from..).unwrap_or_default();
        rest.starts_with(b"//") || rest.starts_with(b"/*")
    };
    let message = match words {
        _ if is_comment(from) || is_comment(at) => {
            "JSON has no comments. Remove what begins with // or /*."
        }
        "trailing comma" => "A comma has nothing after it. Remove the comma.",
        "trailing characters" => {
            "The file has more text after the end of the evaluation. Remove what follows the last bracket."
        }
        "key must be a string" => "A field name must be in double quotes. Add the quotes.",
        _ if words.starts_with("EOF while parsing") => {
            "The file ends before the evaluation is complete. Restore what is missing, or close its brackets and quotes."
        }
        _ if words.starts_with("expected `,`") => {
            "A comma or a closing bracket is missing here. Add it."
        }
        "expected `:`" => "A colon is missing after the name of a field. Add it.",
        "expected value" => "A value is missing here, or is not JSON. Put text in double quotes.",
        _ => return format!("The file is not valid JSON: {words}. Correct it."),
    };
    message.to_owned()
}

/// Extracts the quoted name from a message such as "missing field `name`". Returns `None` if the message contains no such
/// name.
fn name_in<'a>(words: &'a str, before: &str) -> Option<&'a str> {
    let rest = words.strip_prefix(before)?.trim_start().strip_prefix('`')?;
    rest.split_once('`').map(|(name, _)| name)
}

/// Rewrites a message of `serde` in terms of the evaluation file. `path` is the path of the field; it is empty for the whole
/// file.
fn explain(words: &str, path: &str) -> String {
    let place = if path.is_empty() {
        "The file".to_owned()
    } else {
        format!("`{path}`")
    };
    if let Some(name) = name_in(words, "unknown field") {
        let (_, known) = words.split_once(", expected ").unwrap_or_default();
        // Every second part of the message is a name in backticks.
        let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        return format!(
            "{place} has no field `{name}`.{} Its fields are {}.",
            did_you_mean(name, known.iter().copied()),
            list(known.iter().copied())
        );
    }
    if let Some(name) = name_in(words, "missing field") {
        return format!("{place} has no `{name}`. Add it.");
    }
    let wrong = ["invalid type: ", "invalid value: ", "invalid length "];
    if let Some(rest) = wrong.iter().find_map(|start| words.strip_prefix(start))
        && let Some((found, expected)) = rest.split_once(", expected ")
    {
        let wanted = match expected {
            "u32" | "u64" | "usize" => "a whole number from 0",
            "f64" => "a number",
            "a string" => "text in double quotes",
            "a boolean" => "true or false",
            "a sequence" => "a list",
            "an array of length 2" => "a list of two numbers",
            _ if expected == "a map" || expected.starts_with("struct ") => "an object",
            other => other,
        };
        let found = match found {
            "null" => "null".to_owned(),
            "map" => "an object".to_owned(),
            "sequence" => "a list".to_owned(),
            _ if words.starts_with("invalid length") => format!("a list of {found}"),
            other => other
                .replacen("string ", "the text ", 1)
                .replacen("integer ", "", 1)
                .replacen("floating point ", "", 1)
                .replacen("boolean ", "", 1),
        };
        return format!("{place} is {found}, but must be {wanted}.");
    }
    format!("{place} is invalid: {words}. Correct it.")
}
