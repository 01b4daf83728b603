//! Parses the JSON of servers leniently: unused fields may have any type, and null counts as a missing field.
//!
//! Numbers that cannot be represented exactly are preserved: [`parse`] marks them, and [`written`] restores them.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::Value;

use loopwright_model::exact_numbers::{numbers, rewritten};

use super::{format::Wrong, halves};

/// The first character of a string that represents a number. It is a private-use character, which does not occur in answers.
const MARK: char = '\u{f8ff}';

/// Parses an event or a body. Surrogate halves are marked, and the caller must join them in the resulting strings.
///
/// # Errors
/// [`Wrong::Malformed`] if the text is not JSON.
pub(crate) fn parse(text: &str) -> Result<Value, Wrong> {
    let halves = halves::marked(text);
    let text = halves.as_deref().unwrap_or(text);
    let marked = rewritten(text, |number, _, into| {
        into.push('"');
        into.push(MARK);
        into.push_str(number);
        into.push('"');
    });
    let read = match marked {
        None => serde_json::from_str(text),
        // The text must be JSON before its numbers are marked: quoting them could make invalid JSON valid.
        Some(marked) => serde_json::from_str::<IgnoredAny>(text)
            .and_then(|_| serde_json::from_str(&marked.text)),
    };
    read.map_err(|error| Wrong::Malformed(format!("its answer is not JSON ({error})")))
}

/// Returns a value as text, in the form that the server wrote.
pub(crate) fn written(value: &Value) -> String {
    let text = value.to_string();
    let begin = format!("\"{MARK}");
    if !text.contains(&begin) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(&begin) {
        let behind = &rest[at + begin.len()..];
        let number = numbers(behind)
            .next()
            .filter(|(from, number)| *from == 0 && behind[number.len()..].starts_with('"'));
        out.push_str(&rest[..at]);
        match number {
            Some((_, number)) => {
                out.push_str(number);
                rest = &behind[number.len() + 1..];
            }
            None => {
                out.push_str(&begin);
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Returns the first of these fields that exists and is not null; null if there is none.
pub(crate) fn field<'v>(value: &'v Value, names: &[&str]) -> &'v Value {
    names
        .iter()
        .map(|name| &value[*name])
        .find(|value| !value.is_null())
        .unwrap_or(&Value::Null)
}

/// Returns the first of these fields that is a non-empty string; `None` if none of them is.
pub(crate) fn text<'v>(value: &'v Value, names: &[&str]) -> Option<&'v str> {
    names
        .iter()
        .filter_map(|name| value[*name].as_str())
        .find(|text| !text.is_empty())
}

/// Returns the first non-empty string as [`text`] does, for a field that holds a single word. The words `null` and `none`,
/// which some servers write for null, count as missing.
pub(crate) fn word<'v>(value: &'v Value, names: &[&str]) -> Option<&'v str> {
    text(value, names).filter(|word| !matches!(word.trim(), "" | "null" | "none" | "None"))
}

/// Returns the index of a list item; `None` if the value does not represent a number. `0`, `0.0` and `"0"` have the same
/// meaning.
pub(crate) fn index(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        number => number
            .as_u64()
            .or_else(|| number.as_f64().map(|number| number as u64)),
    }
}

/// Returns the items of a list. Null is an empty list.
///
/// # Errors
/// [`Wrong::Malformed`] if the field is neither a list nor null.
pub(crate) fn list<'v>(value: &'v Value, name: &str) -> Result<&'v [Value], Wrong> {
    match &value[name] {
        Value::Null => Ok(&[]),
        Value::Array(items) => Ok(items),
        other => Err(Wrong::Malformed(format!(
            "`{name}` is not a list: {}",
            written(other)
        ))),
    }
}

/// Returns whether a value has content, that is, whether it is not null, false, zero or empty.
pub(crate) fn says(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) => true,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// The content of a message.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Content {
    pub(crate) text: String,
    /// The model's reasoning, which precedes the text.
    pub(crate) thoughts: String,
    pub(crate) refusal: String,
    /// The name of the tool that the message calls; `None` if it calls none.
    pub(crate) tool: Option<String>,
}

impl Content {
    /// Reads the content from a string, a list of parts, or a single value in place of a string.
    pub(crate) fn of(value: &Value) -> Self {
        let mut content = Self::default();
        content.add(value);
        content
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::Null => {}
            Value::String(text) => self.text.push_str(&plain(text)),
            Value::Array(parts) => parts.iter().for_each(|part| self.add_part(part)),
            Value::Object(fields) if fields.contains_key("type") || fields.contains_key("text") => {
                self.add_part(value);
            }
            other => self.text.push_str(&written(other)),
        }
    }

    fn add_part(&mut self, part: &Value) {
        let kind = text(part, &["type"]).unwrap_or_default().to_lowercase();
        let is = |words: &[&str]| words.iter().any(|word| kind.contains(word));
        match part {
            Value::String(text) => self.text.push_str(&plain(text)),
            Value::Object(_) if is(&["thinking", "reasoning", "thought"]) => {
                self.thoughts.push_str(&thoughts_of(part));
            }
            Value::Object(_) if is(&["refusal"]) => {
                let said = text(part, &["refusal", "text"]).unwrap_or_default();
                self.refusal.push_str(said);
            }
            Value::Object(_) if is(&["tool", "function"]) => {
                let name = text(part, &["name"]).or_else(|| text(&part["function"], &["name"]));
                self.tool = Some(name.unwrap_or_default().to_owned());
            }
            Value::Object(_) if kind.is_empty() || is(&["text"]) => {
                match field(part, &["text", "content", "value"]) {
                    Value::Object(text) => self.add(text.get("value").unwrap_or(&Value::Null)),
                    text => self.add(text),
                }
            }
            // Images, references and audio are ignored.
            _ => {}
        }
    }
}

/// Returns a string unchanged, or the digits of a marked number.
fn plain(text: &str) -> Cow<'_, str> {
    match text.strip_prefix(MARK) {
        Some(number) => Cow::Borrowed(number),
        None => Cow::Borrowed(text),
    }
}

/// Returns the text of a model's reasoning, in any of the shapes that servers use.
pub(crate) fn thoughts_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(thoughts_of).collect(),
        Value::Object(_) => thoughts_of(field(
            value,
            &["thinking", "reasoning", "text", "summary", "content"],
        )),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_survive_a_round() {
        let body =
            r#"{"a":123456789012345678901234,"b":[0.1234567890123456789012,1e400,7],"c":"x"}"#;
        let value = parse(body).unwrap();
        assert_eq!(written(&value), body);
        // A string that begins with the mark is still a string.
        let text = json!({ "a": format!("{MARK}no"), "b": format!("{MARK}\"7") });
        assert_eq!(written(&text), text.to_string());
        assert!(parse("{99999999999999999999: 1}").is_err());
    }

    #[test]
    fn content_is_a_text_in_any_of_its_shapes() {
        for (content, said) in [
            (json!("a"), "a"),
            (json!(null), ""),
            (json!(["a", { "type": "text", "text": "b" }, null, 7]), "ab"),
            (
                json!([{ "text": { "value": "a" } }, { "type": "output_text", "text": "b" }]),
                "ab",
            ),
            (
                json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] }, { "type": "text", "text": "a" }]),
                "a",
            ),
            (
                json!([{ "type": "image_url", "image_url": {} }, { "type": "reference", "text": null }]),
                "",
            ),
            (json!({ "title": "Tides" }), "{\"title\":\"Tides\"}"),
            (json!(42), "42"),
        ] {
            assert_eq!(Content::of(&content).text, said, "{content}");
        }
        let parts = json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] }, { "type": "refusal", "refusal": "no" },
            { "type": "tool_use", "name": "search" }]);
        let content = Content::of(&parts);
        assert_eq!(
            (
                content.thoughts.as_str(),
                content.refusal.as_str(),
                content.tool.as_deref()
            ),
            ("hm", "no", Some("search"))
        );
        assert_eq!(
            Content::of(&parse("123456789012345678901234").unwrap()).text,
            "123456789012345678901234"
        );
    }
}
