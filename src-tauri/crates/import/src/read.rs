//! Text to values, once, within bounds: size, depth, number of values, aliases that multiply, keys that stand twice.
//!
//! Both readers are the libraries'; what is added here is that JSON refuses a repeated key too and counts what it makes.

use std::{
    cell::{Cell, RefCell},
    fmt,
    rc::Rc,
};

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Number, Value};

use loopwright_model::json;

use crate::{ImportError, Source};

/// The largest text that is read, in bytes: what a flow file may have.
pub(crate) const MAX_BYTES: usize = loopwright_model::file::MAX_BYTES;
/// Values of one text: scalars, lists and objects.
const MAX_VALUES: usize = 200_000;
/// The same of a YAML text, whose reader takes some ten times as long.
const MAX_YAML_VALUES: usize = 40_000;
/// Bytes up to which a text that begins with a brace and is no JSON is tried as YAML, whose reader is slower.
const SHORT: usize = 256 * 1024;
/// Documents of one YAML text.
const MAX_DOCUMENTS: usize = 64;
/// How deeply lists and objects may be nested.
const MAX_DEPTH: usize = 100;

/// Reads a text as JSON, else as YAML. A text that is neither is no error yet: a format may know it all the same.
///
/// # Errors
/// When it is too large, or begins as JSON or YAML does and cannot be read as that.
pub(crate) fn source(text: &str) -> Result<Source<'_>, ImportError> {
    if text.len() > MAX_BYTES {
        return Err(unreadable(
            "file",
            format!(
                "it has {} MB, and at most {} MB are read. Is it really a workflow?",
                text.len().div_ceil(1024 * 1024),
                MAX_BYTES / (1024 * 1024)
            ),
        ));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(unreadable("file", "it is empty"));
    }
    let is_json = text.trim_start().starts_with(['{', '[']);
    if is_json {
        match read_json(text) {
            Ok(value) => {
                json::check_numbers(text).map_err(|error| {
                    let place = format!("line {}, column {}", error.line, error.column);
                    unreadable(place, error.message)
                })?;
                return Ok(Source {
                    text,
                    json: Some(value),
                    yaml: Vec::new(),
                    broken: None,
                });
            }
            // Braces begin YAML as well, which says more when it is meant: only what is wrong in both is an error.
            Err(error) if text.len() > SHORT => return Err(error),
            Err(error) => {
                let Ok(documents) = yaml(text) else {
                    return Err(error);
                };
                let broken = match error {
                    ImportError::Unreadable { place, message } => Some((place, message)),
                    _ => None,
                };
                return Ok(Source {
                    text,
                    json: None,
                    yaml: documents,
                    broken,
                });
            }
        }
    }
    Ok(Source {
        text,
        json: None,
        yaml: yaml(text)?,
        broken: None,
    })
}

fn unreadable(place: impl Into<String>, message: impl Into<String>) -> ImportError {
    ImportError::Unreadable {
        place: place.into(),
        message: message.into(),
    }
}

fn read_json(text: &str) -> Result<Value, ImportError> {
    let failed = |error: serde_json::Error| {
        let words = error.to_string();
        let words = match words.find(" at line ") {
            Some(end) => words[..end].to_owned(),
            None => words,
        };
        let words = remedied(&words, is_comment(text, error.line(), error.column()));
        unreadable(
            format!("line {}, column {}", error.line(), error.column()),
            words,
        )
    };
    let count = Cell::new(0);
    let mut reader = serde_json::Deserializer::from_str(text);
    let seed = Seed {
        count: &count,
        depth: 0,
    };
    let value = seed.deserialize(&mut reader).map_err(failed)?;
    reader.end().map_err(failed)?;
    Ok(value)
}

fn yaml(text: &str) -> Result<Vec<Value>, ImportError> {
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
                return unreadable(place, format!("it holds more than {MAX_DOCUMENTS} documents. Put each into a file of its own"));
            }
            if words.contains("budget breached") {
                let bounds = format!(
                    "it is nested too deeply or holds too much: at most {MAX_YAML_VALUES} values are read, those that aliases repeat included"
                );
                return unreadable(place, bounds);
            }
            let words = first_line(&words);
            // The place stands in front already.
            let words = words.split(" at line ").next().unwrap_or_default().to_owned();
            if let Some(key) = words.strip_prefix("duplicate mapping key: ") {
                let key = key.split(',').next().unwrap_or_default();
                return unreadable(
                    place,
                    format!("the key “{key}” stands twice in one object; keep one of them"),
                );
            }
            let first = text.trim_start();
            let comment = ["//", "/*"].iter().any(|open| first.starts_with(open));
            let place = if comment { "line 1".to_owned() } else { place };
            unreadable(place, remedied(&words, comment))
        })
}

thread_local! {
    /// The YAML that this thread reads, and where it begins in memory: a value that is borrowed from it is found there again.
    static READ: RefCell<(usize, Rc<str>)> = RefCell::new((0, "".into()));
}

/// Whether `value` stands in the text that is read without quotes around it.
fn is_bare(value: &str) -> bool {
    READ.with_borrow(|(begins, text)| {
        value
            .as_ptr()
            .addr()
            .checked_sub(*begins)
            .is_some_and(|at| {
                text.get(at..).is_some_and(|rest| rest.starts_with(value))
                    && !text[..at].ends_with(['"', '\''])
            })
    })
}

/// What a bare word is that the reader takes for a text: files of agents and workflows are written for readers of YAML 1.1 such
/// as PyYAML, for which `yes` is a flag, `010` is eight and `1:30` is ninety. `y` and `n` are texts there, as they are here.
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

/// What the readers say, and what to do about it where they do not say that.
const REMEDIES: [(&str, &str); 14] = [
    (
        "recursive references",
        "an alias stands within what it repeats. Write out what is meant",
    ),
    (
        "unknown anchor",
        "an alias (`*name`) repeats what no anchor (`&name`) before it names. Name it there, or write it out",
    ),
    (
        "non-finite",
        "a number is infinite or none at all; write a finite one",
    ),
    (
        "number out of range",
        "a number is larger than any that a file can hold; write a smaller one",
    ),
    (
        "trailing comma",
        "a comma stands before a closing bracket. Remove it",
    ),
    (
        "trailing characters",
        "more stands behind the end of the document. Keep one document in the file",
    ),
    (
        "EOF while parsing",
        "the text ends in the middle. Is the file whole?",
    ),
    (
        "control character",
        "a text has a control character in it. Write it as an escape, such as \\u0000 or \\n",
    ),
    (
        "`\\u{0}'",
        "there is a null character, which no text has. Is it a text file in UTF-8?",
    ),
    (
        "found a tab",
        "a tab stands where the indentation is. Indent with spaces",
    ),
    (
        "tabs disallowed",
        "a tab stands where the indentation is. Indent with spaces",
    ),
    (
        "hex escape",
        "a \\u escape is not whole: it wants four digits, and a pair where the first begins with d8 to db",
    ),
    (
        "key must be a string",
        "the name of a field must be in double quotes",
    ),
    (
        "expected value",
        "a value is missing or not one of JSON: texts stand in double quotes; numbers, true, false and null stand alone",
    ),
];

fn remedied(words: &str, comment: bool) -> String {
    if comment {
        return "JSON has no comments. Remove what begins with // or /*".to_owned();
    }
    if words.contains("recursion limit") {
        return format!("it is nested more than {MAX_DEPTH} deep. Make it flatter");
    }
    let known = REMEDIES.iter().find(|(part, _)| words.contains(part));
    known.map_or_else(|| words.to_owned(), |(_, remedy)| (*remedy).to_owned())
}

/// Whether a comment as JavaScript has it stands at this place, counted from 1.
fn is_comment(text: &str, line: usize, column: usize) -> bool {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    [column.saturating_sub(2), column.saturating_sub(1)]
        .into_iter()
        .filter_map(|from| line.as_bytes().get(from..))
        .any(|rest| rest.starts_with(b"//") || rest.starts_with(b"/*"))
}

/// A message without what the library shows around it.
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

/// One document; see [`Seed`].
struct Plain(Value);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let count = Cell::new(0);
        Seed {
            count: &count,
            depth: 0,
        }
        .deserialize(deserializer)
        .map(Self)
    }
}

/// Makes a value, and refuses repeated keys, too many values and too deep a nesting while it does.
#[derive(Clone, Copy)]
struct Seed<'c> {
    count: &'c Cell<usize>,
    depth: usize,
}

impl Seed<'_> {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth >= MAX_DEPTH {
            return Err(E::custom(format_args!(
                "it is nested more than {MAX_DEPTH} deep"
            )));
        }
        Ok(Self {
            depth: self.depth + 1,
            ..self
        })
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.count.set(self.count.get() + 1);
        if self.count.get() > MAX_VALUES {
            return Err(D::Error::custom(format_args!(
                "it holds more than {MAX_VALUES} values"
            )));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(
            Number::from_i128(value)
                .map_or_else(|| Value::String(value.to_string()), Value::Number),
        )
    }
    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(
            Number::from_u128(value)
                .map_or_else(|| Value::String(value.to_string()), Value::Number),
        )
    }
    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom(format_args!("{value} is no number of JSON")))
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }
    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Value, E> {
        Ok(if is_bare(value) {
            bare(value)
        } else {
            Value::String(value.to_owned())
        })
    }
    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }
    fn visit_bytes<E>(self, value: &[u8]) -> Result<Value, E> {
        Ok(Value::String(String::from_utf8_lossy(value).into_owned()))
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.deeper::<A::Error>()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let inner = self.deeper::<A::Error>()?;
        let mut map = Map::new();
        while let Some(key) = fields.next_key_seed(inner)? {
            let name = match key {
                Value::String(name) => name,
                Value::Array(_) | Value::Object(_) => {
                    return Err(A::Error::custom("a key must be a text, a number or a flag"));
                }
                other => other.to_string(),
            };
            if map.contains_key(&name) {
                let shown: String = name.chars().take(60).collect();
                return Err(A::Error::custom(format_args!(
                    "the key “{shown}” stands twice in one object; keep one of them"
                )));
            }
            let value = fields.next_value_seed(inner)?;
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}
