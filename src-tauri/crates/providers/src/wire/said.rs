//! Prepares the message of a refusal for searching, by removing the parts of the request that the server quotes.

use serde_json::Value;

use super::reported::squeezed;

/// The text of a server's refusal, prepared for the search for field names.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// The message in lower case, without the parts of the request that a validator quotes.
    pub(super) words: String,
    /// The letters and digits of `words` alone, because servers write `response_format`, `responseFormat` and “response
    /// format”.
    squeezed: String,
    /// The field that the server explicitly names as the cause.
    pub(super) param: String,
}

/// Fields of an error that repeat the request or the model's answer.
const QUOTES: [&str; 9] = [
    "input",
    "request",
    "body",
    "prompt",
    "messages",
    "failed_generation",
    "flagged_input",
    "ctx",
    "url",
];

/// The maximum number of bytes of a refusal that are searched.
const SEARCHED: usize = 16 << 10;

impl Said {
    pub(super) fn of(body: &str) -> Self {
        let mut words = String::new();
        let mut param = String::new();
        match serde_json::from_str::<Value>(body) {
            Ok(value) => {
                let error = value.get(0).unwrap_or(&value);
                let named = [&error["error"]["param"], &error["param"]];
                param = named
                    .iter()
                    .find_map(|param| param.as_str())
                    .unwrap_or_default()
                    .to_lowercase();
                collect(&value, &mut words, 0);
            }
            // A web page comes from a gateway, so it says nothing about the request.
            Err(_) if body.trim_start().starts_with('<') => {}
            Err(_) => words = body.to_owned(),
        }
        if words.len() > SEARCHED {
            let end = (0..=SEARCHED).rev().find(|at| words.is_char_boundary(*at));
            words.truncate(end.unwrap_or(0));
        }
        let words = without_quotes(&words).to_lowercase();
        Self {
            squeezed: squeezed(&words),
            words,
            param,
        }
    }

    pub(super) fn has(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.words.contains(word))
    }

    pub(super) fn names(&self, names: &[&str]) -> bool {
        names
            .iter()
            .any(|name| self.squeezed.contains(name) || squeezed(&self.param) == *name)
    }

    /// Returns whether the message says that something is not supported, rather than that something went wrong.
    pub(super) fn refuses(&self) -> bool {
        self.has(&[
            "support",
            "not permitted",
            "not allowed",
            "not enabled",
            "not available",
            "not implemented",
            "not valid",
            "is unavailable",
            "unknown",
            "unrecognized",
            "unexpected",
            "invalid",
            "extra",
            "must",
            "should be",
            "expected",
            "literal_error",
            "validation",
            "disabled",
            "cannot",
            "can't",
            "could not",
            "unable",
            "failed to",
            "no such",
            "only ",
            "too many states",
            "not a valid",
            "not compatible",
            "deprecated",
        ])
    }
}

/// Appends the strings in an error to `into`, except those that quote the request.
fn collect(value: &Value, into: &mut String, depth: usize) {
    if depth > 8 || into.len() > SEARCHED {
        return;
    }
    match value {
        Value::String(text) => {
            // Gateways put the whole body of another server into a string.
            let inner = text.trim_start().starts_with(['{', '[']);
            match inner.then(|| serde_json::from_str::<Value>(text)) {
                Some(Ok(inner)) => collect(&inner, into, depth + 1),
                _ => {
                    into.push_str(text);
                    into.push('\n');
                }
            }
        }
        // A location, such as `["body", "messages", 0, "role"]`.
        Value::Array(items)
            if items
                .iter()
                .all(|item| item.is_string() || item.is_number()) =>
        {
            let parts: Vec<_> = items
                .iter()
                .map(|part| {
                    part.as_str()
                        .map_or_else(|| part.to_string(), str::to_owned)
                })
                .collect();
            into.push_str(&parts.join("."));
            into.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, into, depth + 1)),
        Value::Object(fields) => {
            for (name, value) in fields {
                if !QUOTES.contains(&name.as_str()) {
                    collect(value, into, depth + 1);
                }
            }
        }
        _ => {}
    }
}

/// Returns the message of a validator with Python-style findings, without the input that it repeats.
fn without_quotes(words: &str) -> String {
    if !words.contains("'loc':") {
        return words.to_owned();
    }
    let mut out = String::new();
    let mut rest = words;
    while let Some(at) = rest.find("'input':") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        // Skip to the next finding.
        rest = match rest.find("'loc':") {
            Some(next) => &rest[next..],
            None => "",
        };
    }
    out.push_str(rest);
    out
}
