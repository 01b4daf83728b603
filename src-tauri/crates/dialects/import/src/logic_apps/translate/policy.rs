//! Translates retry policies: the `retry` of an action, Azure's `retryPolicy`, and the source's default.

use serde_json::{Map, Value, json};

use super::{Action, loops::fixed};
use crate::logic_apps::{duration, expression::Dialect};

/// The failures that are retried if a policy names no failures.
const RETRIED: [&str; 5] = ["timeout", "network", "408", "429", "5xx"];

/// Returns a node's `retry` and the report message. An action without a policy has the default policy in Logic Apps, and
/// none in Loom (`None`). Fails if the policy is invalid.
pub(super) fn retry(
    action: Action<'_>,
    dialect: Dialect,
) -> Result<Option<(Value, String)>, String> {
    match action.first_of(&["retryPolicy", "retry"]) {
        Some(Value::Object(policy)) => read(policy, dialect).map(Some),
        Some(Value::Null) | None if dialect == Dialect::Azure => Ok(Some((
            json!({ "type": "exponential", "count": 4, "interval": "PT7S", "minInterval": "PT5S", "maxInterval": "PT45S",
                "on": RETRIED }),
            "four retries with increasing pauses, the default policy of Logic Apps".to_owned(),
        ))),
        Some(Value::Null) | None => Ok(None),
        Some(_) => Err("its retry policy must be an object".to_owned()),
    }
}

/// Converts a retry policy to a node's `retry` and the report message. Where the policy sets no value, the source's defaults
/// apply: 3 retries, an interval of PT5S, at most PT1M, at least PT1S. Fails if the policy is invalid.
pub(super) fn read(
    policy: &Map<String, Value>,
    dialect: Dialect,
) -> Result<(Value, String), String> {
    let kind = policy.get("type").and_then(Value::as_str);
    let kind = kind.unwrap_or("exponential").to_ascii_lowercase();
    let kind = match kind.as_str() {
        "none" => return Ok((json!({ "type": "none" }), "no retries".to_owned())),
        "fixed" => "fixed",
        "exponential" | "default" => "exponential",
        other => {
            return Err(format!(
                "there is no retry policy “{other}”; the policies are none, fixed and exponential"
            ));
        }
    };
    let count = match policy.get("count") {
        None => 3.0,
        Some(count) => fixed(count)
            .filter(|count| (0.0..=1000.0).contains(count) && count.fract() == 0.0)
            .ok_or_else(|| {
                format!(
                    "the count of a retry policy must be a whole number from 0 to 1000, not {count}"
                )
            })?,
    };
    let time = |names: &[&str], default: &str| match names.iter().find_map(|name| policy.get(*name))
    {
        None => Ok(default.to_owned()),
        Some(value) => duration::pause(value),
    };
    let interval = time(&["interval", "delay"], "PT5S")?;
    let mut retry = json!({ "type": kind, "count": count as u64, "interval": interval });
    if kind == "exponential" {
        retry["maxInterval"] = json!(time(&["maxInterval", "maximumInterval"], "PT1M")?);
        retry["minInterval"] = json!(time(&["minInterval", "minimumInterval"], "PT1S")?);
        retry["jitter"] = json!(0.1);
    }
    let written = |on: &Value| match on {
        Value::Number(code) => json!(code.to_string()),
        other => other.clone(),
    };
    retry["on"] = match policy.get("on").and_then(Value::as_array) {
        Some(on) => on.iter().map(written).collect(),
        None => json!(RETRIED),
    };
    let shown = match dialect {
        Dialect::Loom => {
            "as in the file; by default 3 retries, a first pause of PT5S, pauses from PT1S to PT1M, and a jitter of 10%"
        }
        Dialect::Azure => "as in the file",
    };
    Ok((retry, format!("the node's own retry, {shown}")))
}
