//! The default retry policy of model calls, for nodes and workflows that set no policy.

use serde_json::{Map, Value, json};

use crate::document::Flow;
pub use crate::document::RETRY;

/// Returns the default policy: three retries, after pauses of about 2, 4 and 8 seconds. If a server asks for a pause of at most
/// a minute, the retry waits that long.
pub fn usual_retry() -> Value {
    json!({
        "type": "exponential", "count": 3, "interval": "PT2S", "maxInterval": "PT1M",
        "on": ["timeout", "network", "truncated", "408", "429", "5xx"]
    })
}

/// Describes a policy in words, such as `up to 3 times, after growing pauses`. Returns `None` if the policy never retries.
pub fn retry_words(policy: &Map<String, Value>) -> Option<String> {
    let kind = policy.get("type").and_then(Value::as_str);
    let count = policy
        .get("count")
        .and_then(crate::value::whole)
        .unwrap_or(3);
    if kind == Some("none") || count == 0 {
        return None;
    }
    let times = match count {
        1 => "once".to_owned(),
        count => format!("up to {count} times"),
    };
    let pauses = match kind {
        Some("exponential") => ", after growing pauses",
        _ => "",
    };
    Some(format!("{times}{pauses}"))
}

/// Returns `policy` with missing fields taken from `usual`.
pub fn complete(policy: &Map<String, Value>, usual: &Map<String, Value>) -> Map<String, Value> {
    let mut complete = usual.clone();
    let said = policy.iter().filter(|(_, value)| !value.is_null());
    complete.extend(said.map(|(field, value)| (field.clone(), value.clone())));
    complete
}

impl Flow {
    /// Writes the retry policy of model calls into the workflow's settings, with missing fields taken from `usual`. Without
    /// `usual`, the workflow is unchanged. Returns whether anything was written.
    pub fn write_retry(&mut self, usual: Option<&Map<String, Value>>) -> bool {
        let own = self.settings.as_ref().and_then(|all| all.get(RETRY));
        let policy = match (own, usual) {
            (Some(Value::Object(own)), Some(usual)) => complete(own, usual),
            (None | Some(Value::Null), Some(usual)) => usual.clone(),
            _ => return false,
        };
        let settings = self.settings.get_or_insert_default();
        settings.insert(RETRY.to_owned(), Value::Object(policy));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workflow_keeps_its_own_policy() {
        let written = |settings: Value| {
            let flow = json!({ "settings": settings, "nodes": [] });
            let mut flow: Flow = serde_json::from_value(flow).unwrap();
            let usual = usual_retry();
            assert!(flow.write_retry(usual.as_object()));
            Value::Object(flow.settings().retry.unwrap())
        };
        assert_eq!(written(Value::Null), usual_retry());
        assert_eq!(written(json!({ "retry": null })), usual_retry());
        assert_eq!(
            written(json!({ "retry": { "type": "none" } }))["type"],
            "none"
        );
        let more = written(json!({ "retry": { "count": 9, "on": ["429"] } }));
        assert_eq!(
            (&more["count"], &more["on"], &more["interval"]),
            (&json!(9), &json!(["429"]), &json!("PT2S"))
        );
    }

    #[test]
    fn a_policy_has_words() {
        let words = |policy: Value| retry_words(policy.as_object().unwrap());
        assert_eq!(
            words(usual_retry()).unwrap(),
            "up to 3 times, after growing pauses"
        );
        assert_eq!(
            words(json!({ "type": "fixed", "count": 1 })).unwrap(),
            "once"
        );
        assert_eq!(words(json!({ "type": "none" })), None);
        assert_eq!(words(json!({ "count": 0 })), None);
    }
}
