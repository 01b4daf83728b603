//! Parses text into values. The size, the depth, the number of values and the expansion of aliases are limited, and duplicate
//! keys are rejected.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use loopwright_model::json::{self, Limits, Strict};
use serde::de::{Deserialize, DeserializeSeed, Deserializer};
use serde_json::Value;

use crate::{error::ImportError, format::Source};

/// The maximum size of the text that is parsed, in bytes: the same as for a flow file.
pub(crate) const MAX_BYTES: usize = loopwright_model::file::MAX_BYTES;
/// The maximum number of values in a JSON text: scalars, lists and objects.
const MAX_VALUES: usize = 200_000;
/// The maximum number of values in a YAML text. It is lower because the YAML parser is about ten times slower.
const MAX_YAML_VALUES: usize = 40_000;
/// The maximum size, in bytes, of text that begins like JSON and is still parsed as YAML. It is low because the YAML parser is
/// slow.
const SHORT: usize = 256 * 1024;
/// The maximum number of documents of one YAML text.
const MAX_DOCUMENTS: usize = 64;
/// The deepest nesting of lists and objects.
const MAX_DEPTH: usize = 100;

/// Parses `text` as JSON or, if that fails, as YAML. Text that is neither is not yet an error: a format may still recognise it.
///
/// # Errors
/// Returns an error if the text is too large or empty, or begins like JSON or YAML and cannot be parsed.
pub(crate) fn source(text: &str) -> Result<Source<'_>, ImportError> {
    if text.len() > MAX_BYTES {
        return Err(ImportError::unreadable(
            "file",
            format!(
                "it is {} MB, but the limit is {} MB. Check that the file is a workflow",
                text.len().div_ceil(1024 * 1024),
                MAX_BYTES / (1024 * 1024)
            ),
        ));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(ImportError::unreadable("file", "it is empty"));
    }
    let mut source = Source {
        text,
        json: None,
        yaml: Vec::new(),
        broken: None,
        is_prose: false,
    };
    if !text.trim_start().starts_with(['{', '[']) {
        source.yaml = yaml(text)?;
        return Ok(source);
    }
    match json::read_within(text, &limits()) {
        Ok(value) => source.json = Some(value),
        Err(error) => {
            let place = format!("line {}, column {}", error.line, error.column);
            let is_comment = !error.is_json && is_comment(text, error.line, error.column);
            let message = remedied(&error.message, is_comment);
            // YAML can begin with a brace too, so only text that neither parser accepts is an error.
            let documents = (!error.is_json && text.len() <= SHORT).then(|| yaml(text));
            let Some(Ok(documents)) = documents else {
                return Err(ImportError::unreadable(place, message));
            };
            source.yaml = documents;
            source.broken = Some((place, message));
        }
    }
    Ok(source)
}

fn limits() -> Limits {
    Limits {
        values: MAX_VALUES,
        depth: MAX_DEPTH,
        ..Limits::default()
    }
}

pub(crate) fn yaml(text: &str) -> Result<Vec<Value>, ImportError> {
    let budget = serde_saphyr::budget! {
        max_depth: MAX_DEPTH,
        max_nodes: MAX_YAML_VALUES,
        max_events: 2 * MAX_YAML_VALUES,
        max_documents: MAX_DOCUMENTS,
        max_aliases: 10_000,
        max_anchors: 10_000,
    };
    let options = serde_saphyr::options! {
        budget: budget,
        with_snippet: false,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
    };
    READ.with_borrow_mut(|read| *read = (text.as_ptr().addr(), text.into()));
    serde_saphyr::from_multiple_with_options::<Plain>(text, options)
        .map(|documents| documents.into_iter().map(|plain| plain.0).collect())
        .map_err(|error| {
            let place = error.location().map_or_else(
                || "file".to_owned(),
                |at| format!("line {}, column {}", at.line(), at.column()),
            );
            let words = error.to_string();
            if words.contains("documents") && words.contains("budget breached") {
                return ImportError::unreadable(place, format!("it contains more than {MAX_DOCUMENTS} documents. Put each into a separate file"));
            }
            if words.contains("budget breached") {
                let bounds = format!(
                    "it is nested too deeply, or it has more than {MAX_YAML_VALUES} values, including repeats through aliases. Make it smaller"
                );
                return ImportError::unreadable(place, bounds);
            }
            let words = first_line(&words);
            // The message already begins with the place.
            let words = words.split(" at line ").next().unwrap_or_default().to_owned();
            if let Some(key) = words.strip_prefix("duplicate mapping key: ") {
                let key = key.split(',').next().unwrap_or_default();
                return ImportError::unreadable(place, json::repeated_key(key));
            }
            let first = text.trim_start();
            let comment = ["//", "/*"].iter().any(|open| first.starts_with(open));
            let place = if comment { "line 1".to_owned() } else { place };
            ImportError::unreadable(place, remedied(&words, comment))
        })
}

thread_local! {
    /// The YAML text that this thread parses, and its address in memory. [`is_bare`] uses the address to find a borrowed value in
    /// the text.
    static READ: RefCell<(usize, Rc<str>)> = RefCell::new((0, "".into()));
}

/// Returns whether `value` appears without quotes in the text being read.
fn is_bare(value: &str) -> bool {
    READ.with_borrow(|(begins, text)| {
        let at = value.as_ptr().addr().wrapping_sub(*begins);
        text.split_at_checked(at)
            .is_some_and(|(before, rest)| rest.starts_with(value) && !before.ends_with(['"', '\'']))
    })
}

/// Converts an unquoted word that the YAML parser reads as a string. Agent and workflow files are written for YAML 1.1 readers
/// such as PyYAML, where `yes` is a boolean, `010` is eight and `1:30` is ninety. `y` and `n` are strings in PyYAML, as they are
/// here.
fn bare(word: &str) -> Value {
    match word {
        "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Value::Bool(true),
        "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Value::Bool(false),
        _ => {}
    }
    let text = || Value::String(word.to_owned());
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, word.strip_prefix('+').unwrap_or(word)),
    };
    if !digits
        .bytes()
        .all(|b| b.is_ascii_digit() || b == b':' || b == b'_')
    {
        return text();
    }
    let digits = digits.replace('_', "");
    let whole = if digits.starts_with('0') && !digits.contains(':') {
        i64::from_str_radix(&digits, 8).ok()
    } else if digits.contains(':') && !digits.starts_with(['0', ':']) {
        digits
            .split(':')
            .enumerate()
            .try_fold(0_i64, |sum, (at, part)| {
                let part: i64 = part.parse().ok().filter(|part| at == 0 || *part < 60)?;
                sum.checked_mul(60)?.checked_add(part)
            })
    } else {
        None
    };
    whole.map_or_else(text, |whole| (sign * whole).into())
}

/// Parser messages, each with the remedy that the parser does not mention.
const REMEDIES: [(&str, &str); 14] = [
    (
        "recursive references",
        "an alias is inside the value that it repeats. Write the value out",
    ),
    (
        "unknown anchor",
        "an alias (`*name`) has no anchor (`&name`) before it. Add the anchor, or write the value out",
    ),
    (
        "non-finite",
        "a value is infinite or NaN. Write a finite number",
    ),
    (
        "number out of range",
        "a number is too large. Write a smaller number",
    ),
    (
        "trailing comma",
        "there is a comma before a closing bracket. Remove the comma",
    ),
    (
        "trailing characters",
        "there is more text after the end of the document. Keep one document in the file",
    ),
    (
        "EOF while parsing",
        "the file ends before its content is complete. Check that no part of the file is missing",
    ),
    (
        "control character",
        "a string contains a control character. Write it as an escape, such as \\u0000 or \\n",
    ),
    (
        "`\\u{0}'",
        "the file contains a null character. Save it as a text file in UTF-8",
    ),
    (
        "found a tab",
        "the indentation contains a tab. Indent with spaces",
    ),
    (
        "tabs disallowed",
        "the indentation contains a tab. Indent with spaces",
    ),
    (
        "hex escape",
        "a \\u escape is incomplete: it needs four digits, and a second escape if they begin with d8 to db",
    ),
    (
        "key must be a string",
        "the name of a field must be in double quotes",
    ),
    (
        "a value is expected here",
        "a value is missing or not valid JSON: strings are in double quotes; numbers, true, false and null are not",
    ),
];

fn remedied(words: &str, comment: bool) -> String {
    if comment {
        return "JSON has no comments. Remove what begins with // or /*".to_owned();
    }
    if words.contains("recursion limit") {
        return format!("it is nested more than {MAX_DEPTH} levels deep. Remove levels");
    }
    let known = REMEDIES.iter().find(|(part, _)| words.contains(part));
    known.map_or_else(|| words.to_owned(), |(_, remedy)| (*remedy).to_owned())
}

/// Returns whether a JavaScript comment begins at this place. Lines and columns count from 1.
fn is_comment(text: &str, line: usize, column: usize) -> bool {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    [column.saturating_sub(2), column.saturating_sub(1)]
        .into_iter()
        .filter_map(|from| line.as_bytes().get(from..))
        .any(|rest| rest.starts_with(b"//") || rest.starts_with(b"/*"))
}

/// Returns the first line of a parser's message, at most 300 characters. The other lines repeat the source.
fn first_line(words: &str) -> String {
    words
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("it cannot be read")
        .chars()
        .take(300)
        .collect()
}

/// A YAML document.
struct Plain(Value);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let limits = Limits {
            text: |text| match is_bare(text) {
                true => bare(text),
                false => Value::String(text.to_owned()),
            },
            ..limits()
        };
        Strict::new(&limits, &Cell::new(0))
            .deserialize(deserializer)
            .map(Self)
    }
}
