//! The built-in corrector: makes JSON of what is nearly JSON, and mends it by its schema, one kind of mistake at a reading.
//!
//! One kind at a time, as a person would: what does not parse says nothing of its fields, and a field of the wrong type
//! nothing of its bounds. Each reading begins with the first kind that changes anything.

mod mend;
mod read;

use loopwright_engine::{
    NodeError,
    host::{ModelReply, ModelRequest, ResponseFormat},
};
use serde_json::{Value, json};

use super::{
    labels,
    reply::{Answer, required_text},
};

pub(crate) fn answer(request: &ModelRequest) -> Answer {
    let written = labels::last(&request.prompt, "JSON").unwrap_or(&request.prompt);
    required_text(
        written,
        "Built-in corrector was given no JSON: put it below a line `JSON:` of its prompt.",
    )?;
    let schema = schema(request)?;
    let (value, what) = match serde_json::from_str(written) {
        Ok(value) => mend::one_kind(value, &schema),
        Err(strict) => {
            let value = read::leniently(written).ok_or_else(|| {
                let why = format!(
                    "Built-in corrector cannot make JSON of this ({strict}). Mend it by hand, or set up a model provider."
                );
                NodeError::new("builtin_cannot", why)
            })?;
            (value, Some("syntax"))
        }
    };
    let mut warnings = Vec::new();
    if what.is_none() {
        warnings.push((
            "builtin_limits".to_owned(),
            "Built-in corrector found nothing in this JSON that it could mend: a value that is missing cannot be invented.".to_owned(),
        ));
    }
    Ok(ModelReply {
        text: value.to_string(),
        raw: Some(json!({ "mended": what, "value": value.clone() })),
        json: Some(value),
        warnings,
        ..ModelReply::default()
    })
}

/// The schema that the answer must fit: the prompt's, else the one that the answer is asked in.
fn schema(request: &ModelRequest) -> Result<Value, NodeError> {
    if let Some(written) = labels::last(&request.prompt, "SCHEMA") {
        return serde_json::from_str(labels::unfenced(written)).map_err(|error| {
            NodeError::new(
                "bad_schema",
                format!(
                    "What stands below `SCHEMA:` in the corrector's prompt is no JSON: {error}."
                ),
            )
        });
    }
    Ok(match &request.response_format {
        ResponseFormat::Schema(schema) => schema.clone(),
        ResponseFormat::Text | ResponseFormat::Json => json!({}),
    })
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
        // A value that nobody gave is not invented.
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
}
