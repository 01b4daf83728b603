//! Finds the JSON values in an answer, which may also contain prose, code fences and other brackets.
//!
//! Values are slices of the text, unchanged. The caller decides how strictly to parse them.

use std::{fmt, ops::Range};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::{
    marks::fences,
    syntax::{Scan, container, scalar},
};

/// The maximum number of different values that are collected. Text with this many values counts as unclear.
const MOST: usize = 16;

/// The JSON values in text, without duplicates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values<'a> {
    pub values: Vec<&'a str>,
    /// Lists such as `[1]`. In prose, they are often references to notes rather than values.
    pub asides: Vec<&'a str>,
}

/// The reason why the text has no single value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unclear {
    /// The text has no value.
    None,
    /// The text has several different values.
    Several,
}

impl fmt::Display for Unclear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "it contains no JSON value",
            Self::Several => "it contains several different JSON values",
        })
    }
}

impl<'a> Values<'a> {
    /// Returns the only value.
    ///
    /// # Errors
    /// [`Unclear`] if the text has no value, or several.
    pub fn one(&self) -> Result<&'a str, Unclear> {
        match *self.values.as_slice() {
            [] => Err(Unclear::None),
            [value] => Ok(value),
            _ => Err(Unclear::Several),
        }
    }

    /// Returns the only value for which `fits` is true. If `fits` is true for no value, returns the only value of the text.
    ///
    /// # Errors
    /// [`Unclear`] if several values fit, if none fits and the text does not have exactly one value, or if the text has 16
    /// values or more.
    pub fn one_that(&self, mut fits: impl FnMut(&str) -> bool) -> Result<&'a str, Unclear> {
        if self.values.len() >= MOST {
            return Err(Unclear::Several);
        }
        let all = self.values.iter().chain(&self.asides);
        let fitting: Vec<&'a str> = all.copied().filter(|value| fits(value)).collect();
        match *fitting.as_slice() {
            [] => self.one(),
            [value] => Ok(value),
            _ => Err(Unclear::Several),
        }
    }
}

/// Finds the JSON values in text from which the reasoning has been removed.
pub fn values(text: &str) -> Values<'_> {
    let bare = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if is_value(bare) {
        return Values {
            values: vec![bare],
            asides: Vec::new(),
        };
    }
    let fences = fences(bare);
    if let [fence] = fences.as_slice()
        && fence.place == (0..bare.len())
        && is_value(fence.body.trim())
    {
        return Values {
            values: vec![fence.body.trim()],
            asides: Vec::new(),
        };
    }
    let mut values = Distinct::default();
    let mut asides = Distinct::default();
    let mut alone = Distinct::default();
    for span in spans(bare) {
        let value = &bare[span.clone()];
        if !is_aside(value) {
            values.add(value);
        } else if stands_alone(bare, &span) {
            alone.add(value);
        } else {
            asides.add(value);
        }
    }
    if values.0.is_empty() {
        // A block marked as JSON may consist of a number or a string.
        let mut scalars = Distinct::default();
        for fence in &fences {
            let body = fence.body.trim();
            if fence.info.to_ascii_lowercase().starts_with("json") && is_value(body) {
                scalars.add(body);
            }
        }
        values = if scalars.0.is_empty() { alone } else { scalars };
    } else {
        for (value, text) in alone.0 {
            asides.insert(value, text);
        }
    }
    Values {
        values: values.texts(),
        asides: asides.texts(),
    }
}

/// The different values in text, each as it is written at its first occurrence.
#[derive(Default)]
struct Distinct<'a>(Vec<(Value, &'a str)>);

impl<'a> Distinct<'a> {
    fn add(&mut self, text: &'a str) {
        if self.0.len() < MOST
            && !self.0.iter().any(|(_, written)| *written == text)
            && let Ok(value) = serde_json::from_str(text)
        {
            self.insert(value, text);
        }
    }

    fn insert(&mut self, value: Value, text: &'a str) {
        // Parsing drops repeated keys and long digits, so such values are the same only if their text is also the same.
        let is_known = self.0.iter().any(|(known, written)| {
            *known == value && (*written == text || (is_plain(written) && is_plain(text)))
        });
        if self.0.len() < MOST && !is_known {
            self.0.push((value, text));
        }
    }

    fn texts(self) -> Vec<&'a str> {
        self.0.into_iter().map(|(_, text)| text).collect()
    }
}

/// Returns whether every number in `text` is short enough to be parsed exactly.
fn is_plain(text: &str) -> bool {
    let mut digits = 0;
    text.bytes().all(|byte| {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        digits < 16
    })
}

/// Returns whether a value is an empty object, or a list that contains nothing but whole numbers: `[1]`, `[2, 3]`, `[ ]`,
/// `{}`.
fn is_aside(value: &str) -> bool {
    let inner = value.trim_start_matches('[').trim_end_matches(']');
    let nested = value.len() - value.trim_start_matches('[').len();
    inner
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b',' || byte.is_ascii_whitespace())
        && (nested < 2 || !inner.contains(','))
        || value[1..value.len() - 1].trim().is_empty()
}

/// Returns whether a list of numbers can be an answer: it is on its own lines, or it has several numbers and follows a
/// colon.
fn stands_alone(text: &str, span: &Range<usize>) -> bool {
    let (before, behind) = (&text[..span.start], &text[span.end..]);
    let start = before.trim_end_matches([' ', '\t', '>', '*', '`']);
    let starts = start.is_empty() || start.ends_with(['\n', '\r']);
    let end = behind.trim_start_matches([' ', '\t', '*', '`']);
    let ends = end.is_empty() || end.starts_with(['\n', '\r']);
    let listed = before
        .trim_end_matches([' ', '\t', '*', '`', '\n', '\r'])
        .ends_with(':')
        && text[span.clone()].contains(',');
    (starts && ends) || listed
}

/// Returns whether `text` is one JSON value and nothing else.
pub fn is_value(text: &str) -> bool {
    match text.bytes().next() {
        Some(b'{' | b'[') => {
            matches!(container(text.as_bytes(), 0), Scan::Whole(end) if end == text.len())
        }
        Some(_) => scalar(text.as_bytes(), 0) == Some(text.len()),
        None => false,
    }
}

/// Returns the byte ranges of the outermost lists and objects in `text`, in order.
///
/// A broken value is skipped together with everything in it, because part of a broken value is not the answer.
pub fn spans(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut ends: Option<Ends> = None;
    let mut at = 0;
    while let Some(offset) = bytes[at..]
        .iter()
        .position(|byte| matches!(byte, b'{' | b'['))
    {
        let start = at + offset;
        if bytes[start] == b'[' && is_index(text, start) {
            at = start + 1;
            continue;
        }
        match container(bytes, start) {
            Scan::Whole(end) => {
                if !is_link(bytes, start, end) {
                    found.push(start..end);
                }
                at = end;
            }
            Scan::Words => {
                let ends = ends.get_or_insert_with(|| Ends::of(bytes));
                at = match ends.end(start) {
                    Some(end) if ends.is_notation(bytes, start, end) => end + 1,
                    _ => start + 1,
                };
            }
            Scan::Broken { at: from, depth } => at = behind_broken(bytes, from, depth),
        }
    }
    found
}

/// The positions of each opening bracket and its closing one. A bracket of one kind also closes a bracket of another kind.
/// Quotation marks are ignored, because they are unreliable in a broken value.
struct Ends(Vec<(usize, usize)>);

impl Ends {
    fn of(bytes: &[u8]) -> Self {
        let mut open = Vec::new();
        let mut pairs = Vec::new();
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                b'{' | b'[' => open.push(at),
                b'}' | b']' => pairs.extend(open.pop().map(|start| (start, at))),
                _ => {}
            }
        }
        pairs.sort_unstable();
        Self(pairs)
    }

    fn end(&self, start: usize) -> Option<usize> {
        let index = self.0.binary_search_by_key(&start, |pair| pair.0).ok()?;
        Some(self.0[index].1)
    }

    /// Returns whether the list or object between the brackets at `start` and `end` uses a notation other than JSON,
    /// although it contains JSON: `[True, {"a": 1}]`, `{title = "x", o = {"a": 1}}`, or a comment before the first value.
    /// Such JSON is only a part of the value.
    fn is_notation(&self, bytes: &[u8], start: usize, end: usize) -> bool {
        let is_object = bytes[start] == b'{';
        let mut from = start + 1;
        let mut index = self.0.partition_point(|pair| pair.0 <= start);
        while let Some((inner, inner_end)) = self.0.get(index).copied()
            && inner < end
        {
            let before = bytes[from..inner].trim_ascii_end();
            let behind = bytes[inner_end + 1..end].trim_ascii_start();
            let is_named = is_object && matches!(before.last(), Some(b':' | b'=' | b'>'));
            let is_item = before.ends_with(b",") || behind.starts_with(b",");
            let is_noted = before.trim_ascii_start().starts_with(b"//")
                || before.trim_ascii_start().starts_with(b"/*")
                || before.trim_ascii_start().starts_with(b"#");
            if is_named || is_item || is_noted {
                return true;
            }
            from = inner_end + 1;
            index = self.0.partition_point(|pair| pair.0 <= inner_end);
        }
        false
    }
}

/// Returns whether a bracket is an index, as in `names[0]` and `data["title"]`. In `Output[{"a": 1}]`, the bracket is not an
/// index but begins a list.
fn is_index(text: &str, start: usize) -> bool {
    let follows_word = text[..start]
        .chars()
        .next_back()
        .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ')' | ']'));
    follows_word && !text[start + 1..].trim_ascii_start().starts_with('{')
}

/// Returns whether a list is a link: `[1](https://…)`, `[1]: https://…`.
fn is_link(bytes: &[u8], start: usize, end: usize) -> bool {
    bytes[start] == b'['
        && (bytes.get(end) == Some(&b'(')
            || (bytes.get(end) == Some(&b':')
                && !bytes[start..end].contains(&b'"')
                && !bytes[start..end].contains(&b'{')))
}

/// Returns the first position after a broken value. Only brackets are counted, because quotation marks are unreliable in a
/// broken value.
fn behind_broken(bytes: &[u8], from: usize, depth: usize) -> usize {
    let mut depth = depth;
    for (offset, byte) in bytes[from..].iter().enumerate() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return from + offset + 1;
                }
            }
            _ => {}
        }
    }
    bytes.len()
}

/// Parses a value. Returns `None` if the text is not a value, or if one of its objects repeats a key.
pub(crate) fn parse(text: &str) -> Option<Value> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Once.deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    Some(value)
}

/// Deserializes a value and rejects objects that repeat a key.
#[derive(Clone, Copy)]
struct Once;

impl<'de> DeserializeSeed<'de> for Once {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let value = fields.next_value_seed(self)?;
            if map.insert(name, value).is_some() {
                return Err(A::Error::custom("a key appears twice"));
            }
        }
        Ok(Value::Object(map))
    }
}
