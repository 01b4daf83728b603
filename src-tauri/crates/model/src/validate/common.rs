//! The fields that every node's `data` may have.

use std::sync::LazyLock;

use serde_json::{Value, json};

/// Their JSON Schema, as a kind's.
pub(super) static FIELDS: LazyLock<Value> = LazyLock::new(|| {
    let duration = json!({ "type": "string", "x-format": "duration" });
    json!({
        "type": "object",
        "properties": {
            "label": { "type": "string" },
            "disabled": { "type": "boolean" },
            "imported": true,
            "timeout": duration,
            "retry": {
                "type": "object",
                "properties": {
                    "type": { "type": "string", "enum": ["none", "fixed", "exponential"] },
                    "count": { "type": "integer", "minimum": 0, "maximum": 1000 },
                    "interval": duration,
                    "maxInterval": duration,
                    "minInterval": duration,
                    "jitter": { "type": "number", "minimum": 0, "maximum": 1 },
                    "on": { "type": "array", "items": { "anyOf": [{ "type": "string" }, { "type": "integer" }] } }
                }
            },
            "whenInterrupted": { "type": "string", "enum": ["repeat", "ask", "fail"] }
        }
    })
});
