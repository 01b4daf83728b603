//! Checks a value against a kind's schema. Each problem is reported in plain words, with a remedy and the nearest valid value.
//!
//! The schemas are this program's own and use only a few JSON Schema keywords. The messages of a general validator would
//! mention schemas instead of fields.

use serde_json::{Number, Value, json};

use crate::{duration, value::describe};
use loopwright_template::suggest::nearest;

/// One problem found in a checked value.
#[derive(Debug, PartialEq)]
pub(super) struct Finding {
    pub(super) code: &'static str,
    /// The path of the invalid part within the checked value, such as `limits.timeout` or `variables[0].name`.
    pub(super) field: String,
    /// The end of a sentence that begins with the field and the node: "`field` of "X" …".
    pub(super) message: String,
    pub(super) warning: bool,
    /// A valid value that is close to the invalid one. `None` if no valid value is close.
    pub(super) instead: Option<Value>,
}

/// Adds every problem of `value` to `findings`. Null counts as absent.
pub(super) fn check(value: &Value, schema: &Value, field: &str, findings: &mut Vec<Finding>) {
    if value.is_null() || schema == &Value::Bool(true) {
        return;
    }
    if let Some(choices) = schema
        .get("anyOf")
        .or_else(|| schema.get("oneOf"))
        .and_then(Value::as_array)
    {
        return any_of(value, choices, field, findings);
    }
    let mut report = |code, message: String, instead| {
        findings.push(Finding {
            code,
            field: field.to_owned(),
            message,
            warning: false,
            instead,
        });
    };
    if let Some(names) = schema.get("enum").and_then(Value::as_array) {
        if !names.contains(value) {
            let known: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            let near = value
                .as_str()
                .and_then(|name| nearest(name, known.iter().copied()));
            let list = known
                .iter()
                .map(|name| format!("\"{name}\""))
                .collect::<Vec<_>>()
                .join(", ");
            let hint = near
                .map(|near| format!(" Did you mean \"{near}\"?"))
                .unwrap_or_default();
            let message = format!("is {}; it must be one of {list}.{hint}", shown(value));
            report("bad_field", message, near.map(|near| json!(near)));
        }
        return;
    }
    if schema.get("x-format").and_then(Value::as_str) == Some("duration") {
        return a_duration(value, field, findings);
    }
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is_of(value, name)) {
        let wanted = types
            .iter()
            .map(|name| in_words(name))
            .collect::<Vec<_>>()
            .join(" or ");
        report(
            "bad_field",
            format!("is {}; it must be {wanted}.", shown(value)),
            None,
        );
        return;
    }
    if let (Some(known), Some(name)) = (schema.get("x-known"), value.as_str()) {
        let known = known.as_array().into_iter().flatten();
        let known: Vec<&str> = known.filter_map(Value::as_str).collect();
        let near = (!known.contains(&name))
            .then(|| nearest(name, known))
            .flatten();
        if let Some(near) = near {
            findings.push(Finding {
                code: "bad_field",
                field: field.to_owned(),
                message: format!(
                    "is \"{name}\", which isn't a known name. Did you mean \"{near}\"?"
                ),
                warning: true,
                instead: None,
            });
        }
        return;
    }
    if let Some(number) = value.as_f64() {
        range(value, number, schema, field, findings);
    }
    if let (Some(items), Some(schema)) = (value.as_array(), schema.get("items")) {
        for (index, item) in items.iter().enumerate() {
            check(item, schema, &format!("{field}[{index}]"), findings);
        }
    }
    if let Some(object) = value.as_object() {
        fields(object, schema, field, findings);
    }
}

fn fields(
    object: &serde_json::Map<String, Value>,
    schema: &Value,
    field: &str,
    findings: &mut Vec<Finding>,
) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    for (name, value) in object {
        let path = format!("{field}.{name}");
        match properties.get(name) {
            Some(schema) => check(value, schema, &path, findings),
            None => findings.push(unknown(name, path, properties.keys().map(String::as_str))),
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if object.get(name).is_none_or(Value::is_null) {
            findings.push(Finding {
                code: "missing_field",
                field: format!("{field}.{name}"),
                message: "is missing. Fill it in.".to_owned(),
                warning: false,
                instead: None,
            });
        }
    }
}

/// Returns a warning about a field that nothing reads. The field remains in the document.
pub(super) fn unknown<'n>(
    name: &str,
    field: String,
    known: impl IntoIterator<Item = &'n str>,
) -> Finding {
    let hint = match nearest(name, known) {
        Some(near) => format!(" Did you mean `{near}`?"),
        None => " It is kept but has no effect.".to_owned(),
    };
    Finding {
        code: "unknown_field",
        field,
        message: format!("isn't a known field.{hint}"),
        warning: true,
        instead: None,
    }
}

fn any_of(value: &Value, choices: &[Value], field: &str, findings: &mut Vec<Finding>) {
    let mut attempts: Vec<(bool, Vec<Finding>)> = Vec::new();
    for choice in choices {
        let mut found = Vec::new();
        check(value, choice, field, &mut found);
        if found.iter().all(|finding| finding.warning) {
            findings.extend(found);
            return;
        }
        let type_fits = choice
            .get("type")
            .and_then(Value::as_str)
            .is_some_and(|name| is_of(value, name));
        attempts.push((type_fits, found));
    }
    // The intended alternative is probably the one that accepts the value's type.
    if let Some(position) = attempts.iter().position(|(fits, _)| *fits) {
        findings.append(&mut attempts[position].1);
        return;
    }
    let wanted: Vec<&str> = choices
        .iter()
        .filter_map(|choice| choice.get("type").and_then(Value::as_str))
        .map(in_words)
        .collect();
    findings.push(Finding {
        code: "bad_field",
        field: field.to_owned(),
        message: format!("is {}; it must be {}.", shown(value), wanted.join(" or ")),
        warning: false,
        instead: None,
    });
}

fn range(value: &Value, number: f64, schema: &Value, field: &str, findings: &mut Vec<Finding>) {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let (low, high) = (bound("minimum"), bound("maximum"));
    let nearest = match (low, high) {
        (Some(low), _) if number < low => low,
        (_, Some(high)) if number > high => high,
        _ => return,
    };
    let words = match (low, high) {
        (Some(low), Some(high)) => format!("between {low} and {high}"),
        (Some(low), None) => format!("at least {low}"),
        (None, Some(high)) => format!("at most {high}"),
        (None, None) => return,
    };
    let instead = if nearest.fract() == 0.0 {
        json!(nearest as i64)
    } else {
        Number::from_f64(nearest).map_or(Value::Null, Value::Number)
    };
    let clamped = schema.get("x-clamped").and_then(Value::as_bool) == Some(true);
    findings.push(Finding {
        code: if clamped { "clamped" } else { "out_of_range" },
        field: field.to_owned(),
        message: if clamped {
            format!("is {value}, and is treated as {instead}. It must be {words}.")
        } else {
            format!("is {value}; it must be {words}.")
        },
        warning: clamped,
        instead: Some(instead),
    });
}

fn a_duration(value: &Value, field: &str, findings: &mut Vec<Finding>) {
    let (message, warning, instead) = match value {
        Value::String(text) => match duration::millis(text) {
            Ok(_) => return,
            Err(why) => (format!("is invalid: {why}"), false, None),
        },
        Value::Number(seconds) => {
            let iso = format!("PT{seconds}S");
            let readable = duration::millis(&iso).is_ok();
            (
                format!(
                    "is the number {seconds}. It must be a duration with a unit, such as \"{iso}\". A number without a unit has no effect."
                ),
                readable,
                readable.then(|| json!(iso)),
            )
        }
        other => (
            format!(
                "is {}; it must be a duration such as \"PT30S\".",
                shown(other)
            ),
            false,
            None,
        ),
    };
    findings.push(Finding {
        code: "bad_duration",
        field: field.to_owned(),
        message,
        warning,
        instead,
    });
}

fn is_of(value: &Value, type_name: &str) -> bool {
    match type_name {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

fn in_words(type_name: &str) -> &'static str {
    match type_name {
        "string" => "text",
        "boolean" => "true or false",
        "number" => "a number",
        "integer" => "a whole number",
        "array" => "a list",
        _ => "an object",
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) | Value::Null => describe(value).to_owned(),
        Value::String(_) => crate::value::preview(&json!(value.to_string()), 60),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(value: Value, schema: Value) -> Vec<String> {
        let mut findings = Vec::new();
        check(&value, &schema, "field", &mut findings);
        findings
            .into_iter()
            .map(|finding| format!("{} {}", finding.field, finding.message))
            .collect()
    }

    #[test]
    fn types_ranges_and_names_are_in_plain_words() {
        assert_eq!(
            found(json!("three"), json!({ "type": "integer" })),
            ["field is \"three\"; it must be a whole number."]
        );
        assert_eq!(
            found(json!(2.5), json!({ "type": "integer" })),
            ["field is 2.5; it must be a whole number."]
        );
        assert!(found(json!(2.0), json!({ "type": "integer" })).is_empty());
        assert_eq!(
            found(
                json!(3),
                json!({ "type": "number", "minimum": 0, "maximum": 2 })
            ),
            ["field is 3; it must be between 0 and 2."]
        );
        assert_eq!(
            found(
                json!("evaluater"),
                json!({ "enum": ["evaluator", "condition"] })
            ),
            [
                "field is \"evaluater\"; it must be one of \"evaluator\", \"condition\". Did you mean \"evaluator\"?"
            ]
        );
        assert!(found(Value::Null, json!({ "type": "string" })).is_empty());
    }

    #[test]
    fn parts_of_lists_and_objects_are_named_by_path() {
        let schema = json!({ "type": "array", "items": {
            "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"]
        } });
        assert_eq!(
            found(json!([{ "name": 1 }, { "nmae": "x" }]), schema),
            [
                "field[0].name is 1; it must be text.",
                "field[1].nmae isn't a known field. Did you mean `name`?",
                "field[1].name is missing. Fill it in.",
            ]
        );
    }

    #[test]
    fn of_several_forms_the_one_of_the_same_type_is_meant() {
        let schema = json!({ "anyOf": [{ "type": "string", "enum": ["text", "json"] }, { "type": "object" }] });
        assert!(found(json!("json"), schema.clone()).is_empty());
        assert!(found(json!({ "type": "object" }), schema.clone()).is_empty());
        assert_eq!(
            found(json!("jsn"), schema.clone()),
            ["field is \"jsn\"; it must be one of \"text\", \"json\". Did you mean \"json\"?"]
        );
        assert_eq!(
            found(json!(1), schema),
            ["field is 1; it must be text or an object."]
        );
    }

    #[test]
    fn durations_are_read_and_bare_seconds_are_told_their_unit() {
        let schema = json!({ "type": "string", "x-format": "duration" });
        assert!(found(json!("PT5M"), schema.clone()).is_empty());
        let mut findings = Vec::new();
        check(&json!(15), &schema, "timeout", &mut findings);
        assert_eq!(findings[0].instead, Some(json!("PT15S")));
        assert!(findings[0].warning);
        assert!(found(json!("5 minutes"), schema)[0].contains("ISO 8601"));
    }
}
