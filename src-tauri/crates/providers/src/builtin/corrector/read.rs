//! Reads what is nearly JSON: around it prose or a fence, in it comments, single quotes, bare names, commas too many or
//! too few, Python's and JavaScript's names of constants, brackets that were never closed.

use std::sync::LazyLock;

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use regex::Regex;
use serde_json::Value;

/// Strings, comments, numbers and words; any other character stands for itself.
static PIECES: LazyLock<Regex> = LazyLock::new(|| {
    let pieces = r#"(?s)"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|//[^\n]*|/\*.*?(?:\*/|$)|[\d.][\w.]*|[\p{Alphabetic}_$][\w$-]*|."#;
    Regex::new(pieces).unwrap_or_else(|error| panic!("{error}"))
});

/// How deeply brackets may be nested: what reads them recurses.
const MAX_DEPTH: usize = 100;

/// What ends the code within prose, also where the code is not finished.
const FENCE: &str = "```";

/// The JSON that was meant; `None` when nothing here looks like an object or a list.
pub(super) fn leniently(written: &str) -> Option<Value> {
    let start = written.find(['{', '['])?;
    let text = closed(&written[start..])?;
    let options = ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: true,
        allow_trailing_commas: true,
        allow_missing_commas: true,
        allow_single_quoted_strings: true,
        allow_hexadecimal_numbers: true,
        allow_unary_plus_numbers: true,
        allow_bare_decimal_point_numbers: true,
        allow_extended_string_escapes: true,
        allow_non_finite_numbers: false,
    };
    parse_to_serde_value::<Value>(&text, &options).ok()
}

/// The first value of `text`, with its constants as JSON writes them and what was left open closed; `None` when it is nested too deeply.
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
            // A bracket that closes nothing.
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

/// A bare word: a constant as JSON writes it, else a text.
pub(super) fn constant(word: &str) -> String {
    let json = match word {
        "true" | "True" | "TRUE" | "yes" | "Yes" => "true",
        "false" | "False" | "FALSE" | "no" | "No" => "false",
        "null" | "None" | "undefined" | "NULL" | "nil" | "NaN" | "Infinity" => "null",
        word => return Value::from(word).to_string(),
    };
    json.to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
