//! The fields every node may have about calls that fail, hang or are cut off: `timeout`, `retry`, `whenInterrupted`.

use loopwright_model::{EffectClass, Node, duration::MAX_MS, value::whole};
use serde_json::Value;

use crate::{duration::millis, outcome::NodeError};

/// What is done about a call that a crash cut off in the middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenInterrupted {
    Repeat,
    Ask,
    Fail,
}

/// Attempts after the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    pub count: u32,
    pub exponential: bool,
    pub interval_ms: u64,
    pub min_ms: u64,
    pub max_ms: u64,
    /// A fraction of the pause, 0..=1, by which it may be longer or shorter.
    pub jitter: f64,
    /// What is tried again: `timeout`, `network`, `5xx`, single status codes. Empty: the first three and `429`.
    pub on: Vec<String>,
}

/// What is tried again where the policy does not say.
const TRANSIENT: [&str; 4] = ["timeout", "429", "5xx", "network"];

/// How much of a pause that the other side asks for may be added to it where the policy does not say.
const JITTER: f64 = 0.1;

impl Retry {
    /// Whether a failure is worth another attempt. One that the other side wants later than the longest pause is not:
    /// sooner would be refused again, and nobody asked to wait so long.
    pub fn covers(&self, error: &NodeError) -> bool {
        if error
            .retry_after_ms()
            .is_some_and(|asked| asked > self.max_ms)
        {
            return false;
        }
        let wanted = |name: &str| {
            if self.on.is_empty() {
                TRANSIENT.contains(&name)
            } else {
                self.on.iter().any(|on| on == name)
            }
        };
        if wanted(&error.code) {
            return true;
        }
        // HTTP failures carry their status as `http_503`.
        let Some(status) = error.code.strip_prefix("http_") else {
            return false;
        };
        wanted(status) || (status.len() == 3 && status.starts_with('5') && wanted("5xx"))
    }

    /// As [`Self::pause`], and never shorter than the other side asked for. What it asks for is made longer by the jitter
    /// alone, so that those who were refused together do not come back together.
    pub fn pause_after(&self, error: &NodeError, attempt: u32, spread: f64) -> u64 {
        let own = self.pause(attempt, spread);
        let Some(asked) = error.retry_after_ms() else {
            return own;
        };
        let later = (asked as f64 * self.jitter.max(JITTER) * spread) as u64;
        own.max(asked.saturating_add(later))
    }

    /// The pause after failed attempt `attempt` (from 1), in milliseconds. `spread` in 0..1 places it within the jitter.
    pub fn pause(&self, attempt: u32, spread: f64) -> u64 {
        let doublings = attempt.saturating_sub(1).min(62);
        let base = if self.exponential {
            self.interval_ms.saturating_mul(1 << doublings)
        } else {
            self.interval_ms
        };
        let factor = 1.0 + self.jitter * (2.0 * spread - 1.0);
        ((base as f64 * factor) as u64).clamp(self.min_ms, self.max_ms.max(self.min_ms))
    }
}

fn invalid(node: &Node, field: &str, why: &str) -> NodeError {
    NodeError::new(
        "invalid_field",
        format!("{field} of \"{}\": {why}", node.title()),
    )
}

pub(super) fn timeout(node: &Node) -> Result<Option<u64>, NodeError> {
    match node.data.get("timeout") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => millis(text)
            .map(Some)
            .map_err(|error| invalid(node, "timeout", &error.message)),
        // Another format of this family writes seconds.
        Some(other) => match other.as_f64().filter(|seconds| *seconds >= 0.0) {
            Some(seconds) => Ok(Some(((seconds * 1000.0) as u64).min(MAX_MS))),
            None => Err(invalid(node, "timeout", "write a duration such as PT30S.")),
        },
    }
}

/// How often a node is tried at most.
pub fn attempts(node: &Node) -> u32 {
    let retry = retry(node).ok().flatten();
    retry.map_or(1, |retry| retry.count.saturating_add(1))
}

pub(super) fn retry(node: &Node) -> Result<Option<Retry>, NodeError> {
    let Some(Value::Object(retry)) = node.data.get("retry") else {
        return Ok(None);
    };
    let kind = retry.get("type").and_then(Value::as_str).unwrap_or("fixed");
    if kind == "none" {
        return Ok(None);
    }
    let duration = |name: &str, default: u64| match retry.get(name).and_then(Value::as_str) {
        None => Ok(default),
        Some(text) => millis(text).map_err(|error| invalid(node, "retry", &error.message)),
    };
    Ok(Some(Retry {
        count: retry
            .get("count")
            .and_then(whole)
            .map_or(3, |count| u32::try_from(count).unwrap_or(u32::MAX)),
        exponential: kind == "exponential",
        interval_ms: duration("interval", 1_000)?,
        min_ms: duration("minInterval", 0)?,
        max_ms: duration("maxInterval", 3_600_000)?,
        jitter: retry
            .get("jitter")
            .and_then(Value::as_f64)
            .unwrap_or(0.0)
            .clamp(0.0, 1.0),
        on: retry
            .get("on")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|on| on.as_str().map_or_else(|| on.to_string(), str::to_owned))
            .collect(),
    }))
}

pub(super) fn when_interrupted(node: &Node, effect: EffectClass) -> WhenInterrupted {
    match (node.text("whenInterrupted"), effect) {
        (Some("repeat"), _) => WhenInterrupted::Repeat,
        (Some("ask"), _) => WhenInterrupted::Ask,
        (Some("fail"), _) => WhenInterrupted::Fail,
        (_, EffectClass::Writes) => WhenInterrupted::Ask,
        (_, EffectClass::Pure | EffectClass::Reads) => WhenInterrupted::Repeat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(json: Value) -> Retry {
        let node: Node = serde_json::from_value(
            serde_json::json!({ "id": "n", "type": "t", "data": { "retry": json } }),
        )
        .unwrap();
        retry(&node).unwrap().unwrap()
    }

    #[test]
    fn pauses_grow_and_are_bounded() {
        let retry = policy(serde_json::json!({
            "type": "exponential", "interval": "PT1S", "maxInterval": "PT5S", "jitter": 0.5
        }));
        assert_eq!(retry.pause(1, 0.5), 1_000);
        assert_eq!(retry.pause(3, 0.5), 4_000);
        assert_eq!(retry.pause(9, 0.5), 5_000);
        assert_eq!(retry.pause(1, 0.0), 500);
    }

    #[test]
    fn a_pause_that_was_asked_for_is_kept_at_least() {
        let retry = policy(serde_json::json!({ "type": "fixed", "interval": "PT1S" }));
        let error = NodeError::new("http_429", "");
        assert_eq!(retry.pause_after(&error, 1, 0.5), 1_000);
        let error = NodeError::new("http_429", "").asking_to_wait(Some(7_000));
        assert_eq!(retry.pause_after(&error, 1, 0.0), 7_000);
        assert_eq!(retry.pause_after(&error, 1, 1.0), 7_700);
        let error = NodeError::new("http_429", "").asking_to_wait(Some(10));
        assert_eq!(retry.pause_after(&error, 1, 0.5), 1_000);
        assert!(retry.covers(&error));
        let error = NodeError::new("http_429", "").asking_to_wait(Some(86_400_000));
        assert!(!retry.covers(&error));
    }

    #[test]
    fn only_what_the_policy_names_is_tried_again() {
        let any = policy(serde_json::json!({ "type": "fixed" }));
        assert!(any.covers(&NodeError::new("http_503", "")));
        assert!(any.covers(&NodeError::new("http_429", "")));
        assert!(any.covers(&NodeError::new("timeout", "")));
        assert!(!any.covers(&NodeError::new("http_401", "")));
        let one = policy(serde_json::json!({ "type": "fixed", "on": [404] }));
        assert!(one.covers(&NodeError::new("http_404", "")));
        assert!(!one.covers(&NodeError::new("timeout", "")));
    }
}
