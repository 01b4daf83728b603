//! The built-in corrector turns almost-JSON into JSON and repairs it according to its schema, one kind of mistake per call.
//!
//! Mistakes are repaired in the order in which they can be detected: fields can be checked only if the text parses, and the
//! bounds of a field only if its type is correct. Each call repairs the first kind of mistake that it finds.

mod constant;
mod mend;

use std::sync::LazyLock;

use constant::constant;
use jsonc_parser::{ParseOptions, parse_to_serde_value};
use loopwright_engine::{
    NodeError,
    host::{ModelReply, ModelRequest, ResponseFormat},
};
use regex::Regex;
use serde_json::{Value, json};

use super::{
    answer::{Answer, required_text},
    pattern::pattern,
    prompt,
};

pub(crate) fn answer(request: &ModelRequest) -> Answer {
    let written = prompt::below(&request.prompt, "JSON").unwrap_or(&request.prompt);
    required_text(
        written,
        "The built-in corrector received no JSON. Write the JSON in its prompt, below a line `JSON:`.",
    )?;
    let schema = schema(request)?;
    let (value, what) = match serde_json::from_str(written) {
        Ok(value) => mend::one_kind(value, &schema),
        Err(strict) => {
            let value = leniently(written).ok_or_else(|| {
                let why = format!(
                    "The built-in corrector cannot repair this JSON ({strict}). Correct it by hand, or set up a model provider."
                );
                NodeError::new("builtin_cannot", why)
            })?;
            (value, Some("syntax"))
        }
    };
    let limits = "The built-in corrector found nothing to repair in this JSON. It cannot invent missing values.";
    let warning = what
        .is_none()
        .then(|| ("builtin_limits".to_owned(), limits.to_owned()));
    Ok(ModelReply {
        text: value.to_string(),
        raw: Some(json!({ "mended": what, "value": value.clone() })),
        json: Some(value),
        warnings: warning.into_iter().collect(),
        ..ModelReply::default()
    })
}

/// Returns the schema that the answer must match: the one in the prompt, otherwise the response schema of the request.
/// Without either, returns a schema that accepts any value. Fails if the schema in the prompt is not JSON.
fn schema(request: &ModelRequest) -> Result<Value, NodeError> {
    if let Some(written) = prompt::below(&request.prompt, "SCHEMA") {
        return serde_json::from_str(prompt::unfenced(written)).map_err(|error| {
            let why = format!(
                "The text below `SCHEMA:` in the corrector's prompt is not valid JSON: {error}."
            );
            NodeError::new("bad_schema", why)
        });
    }
    Ok(match &request.response_format {
        ResponseFormat::Schema(schema) => schema.clone(),
        ResponseFormat::Text | ResponseFormat::Json => json!({}),
    })
}

/// A pattern that matches a string, a comment, a number, a word, or any other single character.
static PIECES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?s)"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|//[^\n]*|/\*.*?(?:\*/|$)|[\d.][\w.]*|[\p{Alphabetic}_$][\w$-]*|."#,
    )
});

/// The maximum nesting of brackets. The JSON parser is recursive.
const MAX_DEPTH: usize = 100;

/// The marker that ends the code within prose, even if the code is unfinished.
const FENCE: &str = "```";

/// Parses text that was meant to be JSON. Returns `None` if the text contains no object or list, or if it cannot be parsed.
fn leniently(written: &str) -> Option<Value> {
    let start = written.find(['{', '['])?;
    let text = closed(&written[start..])?;
    // The options accept every deviation from JSON except numbers that JSON does not have.
    let options = ParseOptions {
        allow_non_finite_numbers: false,
        ..ParseOptions::default()
    };
    parse_to_serde_value::<Value>(&text, &options).ok()
}

/// Returns the first value in `text`, with its constants written as in JSON and its open brackets closed. Returns `None` if
/// the value is nested too deeply.
fn closed(text: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut out = String::with_capacity(text.len());
    for piece in PIECES.find_iter(text) {
        let (word, after) = (piece.as_str(), text[piece.end()..].trim_start());
        match word {
            "{" => open.push("}"),
            "[" => open.push("]"),
            "}" | "]" if open.last() == Some(&word) => {
                open.pop();
            }
            // A closing bracket without an opening one is dropped.
            "}" | "]" => continue,
            _ => {}
        }
        if open.len() > MAX_DEPTH {
            return None;
        }
        if text[piece.start()..].starts_with(FENCE) {
            break;
        }
        out.push_str(&match word.chars().next() {
            Some(first) if is_name(first) && !after.starts_with(':') => constant(word),
            Some(quote @ ('"' | '\'')) if unfinished(word, quote) => format!("{word}{quote}"),
            _ => word.to_owned(),
        });
        if open.is_empty() {
            return Some(out);
        }
    }
    let kept = out.trim_end().trim_end_matches([',', ':']).len();
    out.truncate(kept);
    out.extend(open.into_iter().rev());
    Some(out)
}

fn is_name(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$')
}

fn unfinished(word: &str, quote: char) -> bool {
    word.len() == 1 || !word.ends_with(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema_of_a_booking() -> Value {
        json!({
            "type": "object",
            "properties": {
                "guest": { "type": "string", "minLength": 1 },
                "nights": { "type": "integer", "minimum": 1, "maximum": 14 },
                "room": { "enum": ["single", "double", "suite"] },
                "breakfast": { "type": "boolean" },
                "extras": { "type": "array", "items": { "type": "string" }, "maxItems": 3 },
                "currency": { "type": "string", "default": "EUR" },
                "address": { "type": "object", "properties": { "zip": { "type": "string" } }, "additionalProperties": false }
            },
            "required": ["guest", "nights", "room", "breakfast", "currency"],
            "additionalProperties": false
        })
    }

    fn corrected(written: &str) -> (Value, Vec<String>) {
        let mut written = written.to_owned();
        let mut kinds = Vec::new();
        for _ in 0..12 {
            let request = ModelRequest {
                prompt: format!(
                    "Mend it.\n\nJSON SCHEMA:\n{}\n\nJSON:\n{written}",
                    schema_of_a_booking()
                ),
                ..ModelRequest::default()
            };
            let reply = answer(&request).unwrap_or_else(|error| panic!("{written}: {error}"));
            let value = reply.json.unwrap();
            let raw = reply.raw.unwrap();
            let Some(kind) = raw["mended"].as_str() else {
                assert_eq!(reply.warnings[0].0, "builtin_limits");
                return (value, kinds);
            };
            kinds.push(kind.to_owned());
            written = value.to_string();
        }
        panic!("it never comes to rest: {kinds:?}");
    }

    #[test]
    fn one_kind_is_mended_at_a_reading() {
        let (value, kinds) = corrected(
            "Sure! Here it is:\n```json\n{guest: 'Ana \"B\"', \"Nights\": \"30\", // long\n room: \"Duoble\", breakfast: yes, extras: \"towels, crib\", address: {zip: 1050, town: 'X'}, note: None,}\n```",
        );
        assert_eq!(
            value,
            json!({ "guest": "Ana \"B\"", "nights": 14, "room": "double", "breakfast": true, "extras": ["towels", "crib"],
                "address": { "zip": "1050" }, "currency": "EUR" })
        );
        assert_eq!(
            kinds,
            [
                "syntax",
                "names",
                "types",
                "choices",
                "bounds",
                "fields that the schema does not have",
                "fields with a default"
            ]
        );
    }

    #[test]
    fn what_is_right_is_left_alone() {
        let right = json!({ "guest": "Bo", "nights": 2, "room": "suite", "breakfast": false, "currency": "EUR" });
        assert_eq!(corrected(&right.to_string()), (right, Vec::new()));
        // A missing value is not invented.
        let (value, _) = corrected("{\"nights\": 2, \"room\": \"suite\", \"breakfast\": \"no\"}");
        assert!(value.get("guest").is_none());
    }

    #[test]
    fn what_is_no_json_at_all_is_refused() {
        for written in [
            "There is no booking today.",
            "12:30",
            "{",
            "[[[[",
            "{\"a\": }}}",
        ] {
            let request = ModelRequest {
                prompt: format!("JSON:\n{written}"),
                ..ModelRequest::default()
            };
            match answer(&request) {
                Ok(reply) => assert!(reply.json.is_some()),
                Err(error) => assert_eq!(error.code, "builtin_cannot", "{written}"),
            }
        }
    }

    #[test]
    fn what_was_meant_is_read() {
        for (written, expected) in [
            (
                "{a: 1, 'b': 'two', \"c\": [1, 2, ], }",
                json!({ "a": 1, "b": "two", "c": [1, 2] }),
            ),
            (
                "{\"a\": True, \"b\": None, \"c\": nope}",
                json!({ "a": true, "b": null, "c": "nope" }),
            ),
            ("Here: {\"a\": 1} and that is all}", json!({ "a": 1 })),
            ("```json\n{\"a\": 1}\n```", json!({ "a": 1 })),
            ("Of course.\n```\n[1, 2\n```\nDone.", json!([1, 2])),
            (
                "{\"a\": {\"b\": [1, {\"c\": \"d\"",
                json!({ "a": { "b": [1, { "c": "d" }] } }),
            ),
            (
                "{\"a\": \"cut off in the mid",
                json!({ "a": "cut off in the mid" }),
            ),
            (
                "{\"a\": 1, // one\n /* two */ \"b\": 2}",
                json!({ "a": 1, "b": 2 }),
            ),
            ("{\"a\": 1 \"b\": 2}", json!({ "a": 1, "b": 2 })),
            (
                "{\"text\": \"it's {not} [an] end, // no comment\"}",
                json!({ "text": "it's {not} [an] end, // no comment" }),
            ),
            (
                "{\"a\": 1e3, \"b\": -0.5}",
                json!({ "a": 1000.0, "b": -0.5 }),
            ),
        ] {
            let read = leniently(written).unwrap_or_else(|| panic!("{written}"));
            assert_eq!(
                read.to_string().replace("1e3", "1000.0"),
                expected.to_string(),
                "{written}"
            );
        }
        assert_eq!(leniently("no brackets here"), None);
        for odd in [
            "{",
            "[",
            "{]",
            "}{",
            "{\"",
            "[\\",
            "{'a",
            "/*",
            "{/*",
            "{a:}",
            "{\"a\":\"\\",
        ] {
            let _ = leniently(odd);
        }
        let deep = "[".repeat(20_000);
        let _ = leniently(&deep);
    }
}
