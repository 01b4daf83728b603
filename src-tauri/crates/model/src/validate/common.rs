//! The fields that the `data` of every node may have.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::{
    kind::{EffectClass, KindSpec, Repetition, Shape},
    retry::usual_retry,
};

/// The JSON Schema of the fields that the `data` of every node may have, with titles and help texts for the forms.
pub(super) static FIELDS: LazyLock<Value> = LazyLock::new(|| {
    let duration = |description: &str| json!({ "type": "string", "x-format": "duration", "description": description });
    let retries = json!({ "field": "type", "in": ["fixed", "exponential"] });
    let retried = |mut schema: Value| {
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("x-show-if".to_owned(), retries.clone());
        }
        schema
    };
    json!({
        "type": "object",
        "properties": {
            "label": { "type": "string" },
            "disabled": {
                "type": "boolean", "default": false, "x-group": "Node", "title": "Bypass this node",
                "description": "The node's main input goes straight to its main output."
            },
            "imported": true,
            "timeout": {
                "type": "string", "x-format": "duration", "x-group": "Calls that fail", "title": "Timeout",
                "description": "Cancel each attempt after this time."
            },
            "retry": {
                "type": "object", "x-group": "Calls that fail", "title": "Retry",
                "description": "Whether a failed call is repeated.",
                "properties": {
                    "type": {
                        "type": "string", "enum": ["none", "fixed", "exponential"], "default": "none", "title": "Pause",
                        "description": "How long to wait before the next attempt.",
                        "x-enum-help": {
                            "none": "Fail the node on the first failed call.",
                            "fixed": "Wait the same time before each attempt.",
                            "exponential": "Double the pause before each further attempt."
                        }
                    },
                    "count": retried(json!({
                        "type": "integer", "minimum": 0, "maximum": 1000, "default": 3, "title": "Retries",
                        "description": "The maximum number of retries."
                    })),
                    "interval": retried(json!({
                        "type": "string", "x-format": "duration", "default": "PT1S", "title": "First pause",
                        "description": "The pause before the first retry."
                    })),
                    "maxInterval": {
                        "type": "string", "x-format": "duration", "default": "PT1H", "title": "Longest pause",
                        "description": "The maximum pause. If a server asks for a longer pause, the call isn't repeated. If this field is empty, a server can ask for at most one minute.",
                        "x-show-if": { "field": "type", "in": ["fixed", "exponential"] }
                    },
                    "minInterval": retried(duration("The minimum pause, even with jitter.")),
                    "jitter": retried(json!({
                        "type": "number", "minimum": 0, "maximum": 1, "default": 0.2,
                        "description": "The random share of the pause, from 0 to 1. It prevents runs that failed at the same time from retrying at the same time."
                    })),
                    "on": retried(json!({
                        "type": "array", "items": { "type": ["string", "integer"], "minimum": 100, "maximum": 599, "x-known": ["timeout", "network", "truncated", "5xx"] },
                        "x-widget": "names", "title": "Retry on", "default": ["timeout", "network", "429", "5xx"],
                        "description": "The failures to retry: timeout, network (no connection), truncated (an incomplete \
                                        answer), 5xx, or a status code such as 429."
                    }))
                }
            },
            "whenInterrupted": {
                "type": "string", "enum": ["repeat", "ask", "fail"], "x-group": "Calls that fail",
                "title": "After a crash", "description": "What to do with a call that was interrupted by a crash.",
                "x-enum-help": {
                    "repeat": "Repeat the call.",
                    "ask": "Wait until a person decides whether to repeat the call.",
                    "fail": "Fail the node."
                }
            }
        }
    })
});

/// Returns whether the form of this kind offers to bypass the node. A bypassed loop skips its body and passes its input to its
/// end's output.
fn is_bypass_offered(kind: &dyn KindSpec) -> bool {
    let repeats = matches!(
        kind.shape(),
        Shape::ScopeStart {
            repeats: Repetition::Loop,
            ..
        }
    );
    kind.can_bypass() || repeats
}

/// Returns the common properties that the form of this kind has in addition to the kind's own. These are the common fields that
/// have an effect on nodes of this kind, except the label.
pub fn common_fields(kind: &dyn KindSpec) -> Map<String, Value> {
    let mut fields = Map::new();
    let Some(Value::Object(all)) = FIELDS.get("properties") else {
        return fields;
    };
    let names: [(&str, bool); 4] = [
        ("disabled", is_bypass_offered(kind)),
        ("timeout", kind.touches_world()),
        ("retry", kind.touches_world()),
        ("whenInterrupted", kind.touches_world()),
    ];
    for (name, applies) in names {
        if let Some(schema) = all.get(name).filter(|_| applies) {
            let mut schema = schema.clone();
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("x-common".to_owned(), json!(true));
            }
            fields.insert(name.to_owned(), schema);
        }
    }
    if let Some(Value::Object(after_crash)) = fields.get_mut("whenInterrupted") {
        let usual = match kind.effect(&kind.defaults()) {
            EffectClass::Writes => "ask",
            EffectClass::Pure | EffectClass::Reads => "repeat",
        };
        after_crash.insert("default".to_owned(), json!(usual));
    }
    if let Some(retry) = fields
        .get_mut("retry")
        .filter(|_| kind.may_retry_by_default())
    {
        retry["description"] = json!(
            "Whether a failed call is repeated. Empty fields take their values from Workflow settings. The default is 3 retries with increasing pauses."
        );
        let usual = usual_retry();
        for (name, value) in usual.as_object().into_iter().flatten() {
            retry["properties"][name]["default"] = value.clone();
        }
    }
    fields
}
