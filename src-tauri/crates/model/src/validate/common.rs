//! The fields that every node's `data` may have.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::kind::{EffectClass, KindSpec, Repetition, Shape};

/// Their JSON Schema, as a kind's, with the forms' titles and help.
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
                "description": "Its main input goes straight to its main output."
            },
            "imported": true,
            "timeout": {
                "type": "string", "x-format": "duration", "x-group": "Calls that fail", "title": "Timeout",
                "description": "Each attempt is cancelled when this time has passed."
            },
            "retry": {
                "type": "object", "x-group": "Calls that fail", "title": "Retry",
                "description": "Whether a call that failed is made again.",
                "properties": {
                    "type": {
                        "type": "string", "enum": ["none", "fixed", "exponential"], "default": "none", "title": "Pause",
                        "description": "How long it waits before it tries again.",
                        "x-enum-help": {
                            "none": "A failed call fails the node.",
                            "fixed": "Waits as long before each attempt.",
                            "exponential": "Waits twice as long before each further attempt."
                        }
                    },
                    "count": retried(json!({
                        "type": "integer", "minimum": 0, "maximum": 1000, "default": 3, "title": "Retries",
                        "description": "Attempts after the first."
                    })),
                    "interval": retried(json!({
                        "type": "string", "x-format": "duration", "default": "PT1S", "title": "First pause",
                        "description": "Before the first retry."
                    })),
                    "maxInterval": {
                        "type": "string", "x-format": "duration", "default": "PT1H", "title": "Longest pause",
                        "description": "A growing pause ends here, and a server that asks for a longer one is not tried again. Where it is not given, a server may ask for a minute.",
                        "x-show-if": { "field": "type", "in": ["fixed", "exponential"] }
                    },
                    "minInterval": retried(duration("No pause is shorter, whatever the jitter.")),
                    "jitter": retried(json!({
                        "type": "number", "minimum": 0, "maximum": 1, "default": 0.2,
                        "description": "How much of the pause varies at random, 0 to 1, so that runs that failed together do not try again together."
                    })),
                    "on": retried(json!({
                        "type": "array", "items": { "type": ["string", "integer"], "minimum": 100, "maximum": 599, "x-known": ["timeout", "network", "5xx"] },
                        "x-widget": "names", "title": "Retry on", "default": ["timeout", "network", "429", "5xx"],
                        "description": "Which failures: timeout, network, 5xx, or a status code such as 429."
                    }))
                }
            },
            "whenInterrupted": {
                "type": "string", "enum": ["repeat", "ask", "fail"], "x-group": "Calls that fail",
                "title": "After a crash", "description": "What is done about a call that a crash cut off.",
                "x-enum-help": {
                    "repeat": "The call is made again.",
                    "ask": "The run waits until somebody says whether to make it again.",
                    "fail": "The node fails."
                }
            }
        }
    })
});

/// A node that can be bypassed, and a loop: its input goes to its end's output, and its body is left out.
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

/// The properties of those fields that do something for nodes of this kind, for its form. The label is not among them.
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
    fields
}
