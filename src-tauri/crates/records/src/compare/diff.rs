//! Computes the differences between two values. Short text is compared word by word, and any other value line by line.

use std::time::Duration;

use serde_json::Value;
use similar::{Algorithm, ChangeTag, TextDiff};

use super::dto::{DiffKind, DiffPart};

/// The total length of both values, in bytes, above which they are compared line by line.
const BY_LINES: usize = 40_000;
/// The time limit of a comparison. If it is reached, the text that has not been compared yet counts as replaced.
const DIFF_TIMEOUT: Duration = Duration::from_millis(300);

/// Splits two values into pieces that are in both, only in the first, or only in the second. Text is compared directly, and
/// other values are compared as JSON.
pub(super) fn parts(a: &Value, b: &Value) -> Vec<DiffPart> {
    let by_lines = !(a.is_string() || a.is_null()) || !(b.is_string() || b.is_null());
    texts(&text(a), &text(b), by_lines)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => format!("{other:#}"),
    }
}

pub(super) fn texts(a: &str, b: &str, by_lines: bool) -> Vec<DiffPart> {
    let mut config = TextDiff::configure();
    config.algorithm(Algorithm::Patience).timeout(DIFF_TIMEOUT);
    let diff = if by_lines || a.len() + b.len() > BY_LINES {
        config.diff_lines(a, b)
    } else {
        config.diff_words(a, b)
    };
    let mut parts: Vec<DiffPart> = Vec::new();
    for change in diff.iter_all_changes() {
        let kind = match change.tag() {
            ChangeTag::Equal => DiffKind::Same,
            ChangeTag::Delete => DiffKind::Removed,
            ChangeTag::Insert => DiffKind::Added,
        };
        match parts.last_mut() {
            Some(last) if last.kind == kind => last.text.push_str(change.value()),
            _ => parts.push(DiffPart {
                kind,
                text: change.value().to_owned(),
            }),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(parts: &[DiffPart]) -> String {
        parts
            .iter()
            .map(|part| match part.kind {
                DiffKind::Same => part.text.clone(),
                DiffKind::Removed => format!("[-{}-]", part.text),
                DiffKind::Added => format!("{{+{}+}}", part.text),
            })
            .collect()
    }

    #[test]
    fn texts_differ_by_words_and_values_by_lines() {
        let parts_of = |a: Value, b: Value| shown(&parts(&a, &b));
        assert_eq!(
            parts_of(json!("a good day"), json!("a bad day")),
            "a [-good-]{+bad+} day"
        );
        assert_eq!(parts_of(json!("same"), json!("same")), "same");
        assert_eq!(parts_of(Value::Null, json!("new")), "{+new+}");
        assert_eq!(
            parts_of(json!({ "a": 1, "b": 2 }), json!({ "a": 1, "b": 3 })),
            "{\n  \"a\": 1,\n[-  \"b\": 2\n-]{+  \"b\": 3\n+}}"
        );
    }

    #[test]
    fn what_is_put_together_again_is_what_was_compared() {
        let long = |word: &str| format!("{word} word ").repeat(20_000);
        for (a, b) in [
            ("", ""),
            ("x", ""),
            ("a\r\nb", "b\n"),
            (&*long("one"), &*long("two")),
        ] {
            let parts = texts(a, b, false);
            let side = |not: DiffKind| -> String {
                let kept = parts.iter().filter(|part| part.kind != not);
                kept.map(|part| part.text.as_str()).collect()
            };
            assert_eq!(side(DiffKind::Added), a);
            assert_eq!(side(DiffKind::Removed), b);
        }
    }
}
