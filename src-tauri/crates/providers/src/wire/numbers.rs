//! Warnings about numbers in an answer that could not be represented exactly.

use std::collections::HashSet;

use serde_json::Value;

use loopwright_model::exact_numbers::{Exact, Fate, fate, numbers};

/// Returns the code and message of a warning about the numbers of `json`, which was read from `text`; `None` if each is exact.
pub(super) fn inexact(json: &Value, text: &str) -> Option<(String, String)> {
    let mut written: Vec<(&str, Fate)> = numbers(text)
        .map(|(_, number)| (number, fate(number)))
        .filter(|(_, fate)| *fate != Fate::Kept)
        .collect();
    if written.is_empty() {
        return None;
    }
    // Only the numbers within the value count; the text around it may contain others.
    let mut doubles = HashSet::new();
    let mut texts = HashSet::new();
    collect(json, &mut doubles, &mut texts);
    written.retain(|(number, fate)| match fate {
        Fate::Lost => texts.contains(number),
        _ => number
            .parse::<f64>()
            .is_ok_and(|double| doubles.contains(&double.to_bits())),
    });
    let of = |wanted: Fate| {
        let of = written.iter().filter(|(_, fate)| *fate == wanted);
        of.map(|(number, _)| (*number).to_owned()).collect()
    };
    let exact = Exact {
        value: Value::Null,
        texts: of(Fate::Lost),
        rounded: of(Fate::Rounded),
    };
    exact.warning("The answer")
}

fn collect<'v>(value: &'v Value, doubles: &mut HashSet<u64>, texts: &mut HashSet<&'v str>) {
    match value {
        Value::Number(number) => doubles.extend(number.as_f64().map(f64::to_bits)),
        Value::String(text) => {
            texts.insert(text);
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, doubles, texts)),
        Value::Object(fields) => fields
            .values()
            .for_each(|value| collect(value, doubles, texts)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rounded_values_and_those_made_text_are_reported() {
        let said = |json: Value, text: &str| inexact(&json, text).map(|(_, words)| words);
        let rounded = said(
            json!({ "a": 0.123_456_789_012_345_68 }),
            "{\"a\": 0.1234567890123456789012}",
        );
        assert!(rounded.unwrap().contains("0.1234567890123456789012"));
        let text = said(json!(["99999999999999999999"]), "[99999999999999999999]");
        assert!(text.unwrap().contains("It is now text"));
        assert_eq!(
            said(json!({ "a": 1 }), "See 99999999999999999999: {\"a\": 1}"),
            None
        );
        assert_eq!(
            said(
                json!({ "a": "99999999999999999999" }),
                "{\"a\": \"99999999999999999999\"}"
            ),
            None
        );
        assert_eq!(said(json!([1.5, -0.0]), "[1.5, -0]"), None);
    }
}
