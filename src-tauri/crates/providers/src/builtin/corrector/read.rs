//! Reads what is nearly JSON: around it prose or a fence, in it comments, single quotes, bare names, commas too many or
//! too few, Python's and JavaScript's names of constants, brackets that were never closed.

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::Value;

use super::labels;

/// The JSON that was meant; `None` when nothing here looks like an object or a list.
pub(super) fn leniently(written: &str) -> Option<Value> {
    let inside = fenced(written).unwrap_or(written);
    let start = inside.find(['{', '['])?;
    let text = closed(&constants(&inside[start..]))?;
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

/// What stands in a Markdown fence within prose.
fn fenced(written: &str) -> Option<&str> {
    let (_, rest) = written.split_once("```")?;
    let (inside, _) = rest.split_once("```").unwrap_or((rest, ""));
    let (first, body) = inside.split_once('\n')?;
    Some(if first.trim().chars().all(char::is_alphanumeric) {
        body
    } else {
        labels::unfenced(inside)
    })
}

/// Walks over `text`, strings and comments apart: `outside` gets each piece of the rest and writes what shall stand there.
fn outside_of_strings(text: &str, mut outside: impl FnMut(&str, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest
            .char_indices()
            .find(|&(at, c)| {
                matches!(c, '"' | '\'')
                    || rest[at..].starts_with("//")
                    || rest[at..].starts_with("/*")
            })
            .map_or(rest.len(), |(at, _)| at);
        outside(&rest[..end], &mut out);
        rest = &rest[end..];
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if let Some(quote) = rest.chars().next() {
            let mut escaped = false;
            rest.char_indices()
                .skip(1)
                .find(|&(_, c)| {
                    let ends = c == quote && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                })
                .map_or(rest.len(), |(at, _)| at + 1)
        } else {
            0
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out
}

/// Words that mean a constant elsewhere, as JSON writes them; other bare words as texts.
fn constants(text: &str) -> String {
    outside_of_strings(text, |piece, out| {
        let mut rest = piece;
        while let Some(at) = rest.find(|c: char| c.is_alphabetic() || c == '_' || c == '$') {
            let word_end = rest[at..]
                .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '-')))
                .map_or(rest.len(), |end| at + end);
            let (word, after) = (&rest[at..word_end], rest[word_end..].trim_start());
            out.push_str(&rest[..at]);
            let in_a_number = rest[..at].ends_with(|c: char| c.is_ascii_digit() || c == '.');
            let name = after.starts_with(':');
            out.push_str(&match word {
                _ if name || in_a_number => word.to_owned(),
                "true" | "false" | "null" => word.to_owned(),
                "True" | "TRUE" | "yes" | "Yes" => "true".to_owned(),
                "False" | "FALSE" | "no" | "No" => "false".to_owned(),
                "None" | "undefined" | "NULL" | "nil" | "NaN" | "Infinity" => "null".to_owned(),
                word => Value::from(word).to_string(),
            });
            rest = &rest[word_end..];
        }
        out.push_str(rest);
    })
}

/// How deeply brackets may be nested: what reads them recurses.
const MAX_DEPTH: usize = 100;

/// With what was left open closed, and without what comes behind the end; `None` when it is nested too deeply.
fn closed(text: &str) -> Option<String> {
    let mut open: Vec<char> = Vec::new();
    let mut ended = false;
    let mut deepest = 0;
    let mut out = outside_of_strings(text, |piece, out| {
        for c in piece.chars() {
            if ended {
                break;
            }
            match c {
                '{' => open.push('}'),
                '[' => open.push(']'),
                '}' | ']' if open.last() == Some(&c) => {
                    open.pop();
                    ended = open.is_empty();
                }
                // A bracket that closes nothing.
                '}' | ']' => continue,
                _ => {}
            }
            deepest = deepest.max(open.len());
            out.push(c);
        }
    });
    if deepest > MAX_DEPTH {
        return None;
    }
    if ended && let Some(end) = end_of_first(&out) {
        out.truncate(end);
        return Some(out);
    }
    if unfinished_string(&out) {
        out.push('"');
    }
    let kept = out.trim_end().trim_end_matches([',', ':']).len();
    out.truncate(kept);
    out.extend(open.into_iter().rev());
    Some(out)
}

/// Whether the last string of `text` has no end.
fn unfinished_string(text: &str) -> bool {
    let mut quote = None;
    let mut escaped = false;
    for c in text.chars() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            None if c == '"' => quote = Some(c),
            _ => {}
        }
    }
    quote.is_some()
}

/// Where the first value of `text` ends.
fn end_of_first(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    let mut end = None;
    outside_of_strings(text, |piece, out| {
        at = out.len();
        for (offset, c) in piece.char_indices() {
            match c {
                '{' | '[' => depth += 1,
                '}' | ']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && end.is_none() {
                        end = Some(at + offset + 1);
                    }
                }
                _ => {}
            }
        }
        out.push_str(piece);
    });
    end
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
