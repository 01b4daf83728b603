//! The fields that any node can have for calls that fail, hang or are interrupted: `timeout`, `retry` and `whenInterrupted`.

use loopwright_model::{EffectClass, Node, duration::MAX_MS, retry::complete, value::whole};
use serde_json::{Map, Value};

use crate::{
    duration::{in_seconds, millis},
    outcome::NodeError,
};

/// How to handle a call that a crash interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenInterrupted {
    Repeat,
    Ask,
    Fail,
}

/// The retry policy of a node: which failures are followed by another attempt, how often, and after which pause.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    pub count: u32,
    pub exponential: bool,
    pub interval_ms: u64,
    pub min_ms: u64,
    pub max_ms: u64,
    /// The longest pause that a server may request, in milliseconds. If it requests a longer pause, the node is not retried.
    pub max_asked_ms: u64,
    /// The fraction of the pause, 0..=1, by which the actual pause may be longer or shorter.
    pub jitter: f64,
    /// The fraction of a requested pause by which the actual pause may be longer.
    pub asked_jitter: f64,
    /// The errors to retry: `timeout`, `network`, `5xx` or single status codes. An empty list means the first three and `429`.
    pub on: Vec<String>,
    /// The restrictions of a policy that comes only from the workflow; `None` for a node's own policy.
    pub inherited: Option<Inherited>,
}

/// The restrictions of a policy that comes only from the workflow. Such a policy never covers permanent failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inherited {
    /// Whether the policy covers failures after which something outside the run may have changed.
    pub uncertain: bool,
}

/// The errors to retry if the policy does not list any.
const TRANSIENT: [&str; 4] = ["timeout", "429", "5xx", "network"];

/// The default jitter, as a fraction of the pause. It keeps runs that failed together from retrying together.
const JITTER: f64 = 0.2;

/// The minimum jitter that is added to a requested pause, as a fraction of that pause.
const ASKED_JITTER: f64 = 0.1;

/// The default limit of a pause that the policy itself computes, in milliseconds.
const MAX_PAUSE_MS: u64 = 3_600_000;

/// The default limit of a pause that a server requests, in milliseconds.
const MAX_ASKED_MS: u64 = 60_000;

impl Retry {
    /// The longest pause that a server may request, in milliseconds, unless a policy says otherwise.
    pub const LONGEST_ASKED_MS: u64 = MAX_ASKED_MS;

    /// Returns whether a failure should be retried. A failure is not retried if the server requests a longer pause than the
    /// policy allows, because an attempt before the end of that pause would be refused again.
    pub fn covers(&self, error: &NodeError) -> bool {
        self.is_worth_it(error) && !self.is_asked_for_longer(error)
    }

    /// Returns whether the server requests a longer pause than the policy allows.
    fn is_asked_for_longer(&self, error: &NodeError) -> bool {
        let asked = error.retry_after_ms();
        asked.is_some_and(|asked| asked > self.max_asked_ms)
    }

    /// Returns a message if the length of the requested pause is the only reason why the failure is not retried, otherwise
    /// `None`.
    pub fn why_not(&self, error: &NodeError) -> Option<String> {
        if !self.is_worth_it(error) || !self.is_asked_for_longer(error) {
            return None;
        }
        Some(format!(
            "The step was not retried: the requested pause of {} is longer than the {} that the retry policy allows. Run the \
             flow again after that pause, or raise `maxInterval` of `retry`.",
            in_seconds(error.retry_after_ms().unwrap_or(0)),
            in_seconds(self.max_asked_ms)
        ))
    }

    /// Returns whether the policy covers the failure, regardless of the requested pause.
    fn is_worth_it(&self, error: &NodeError) -> bool {
        if error.is_final() {
            return false;
        }
        if let Some(inherited) = self.inherited
            && (error.is_lasting() || (error.is_uncertain() && !inherited.uncertain))
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
        // HTTP failures have codes such as `http_503`.
        let Some(status) = error.code.strip_prefix("http_") else {
            return false;
        };
        wanted(status) || (status.len() == 3 && status.starts_with('5') && wanted("5xx"))
    }

    /// Returns the pause as [`Self::pause`] does, but at least the pause that the server requests. Jitter only lengthens a
    /// requested pause, so that calls that were refused together are not repeated together.
    pub fn pause_after(&self, error: &NodeError, attempt: u32, spread: f64) -> u64 {
        let own = self.pause(attempt, spread);
        let Some(asked) = error.retry_after_ms() else {
            return own;
        };
        let later = (asked as f64 * self.asked_jitter * spread) as u64;
        own.max(asked.saturating_add(later))
    }

    /// Returns the pause after failed attempt `attempt` (from 1), in milliseconds. `spread`, in 0..1, is the position of the
    /// pause within the jitter.
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
        // A number without a unit is in seconds.
        Some(other) => match other.as_f64().filter(|seconds| *seconds >= 0.0) {
            Some(seconds) => Ok(Some(((seconds * 1000.0) as u64).min(MAX_MS))),
            None => Err(invalid(node, "timeout", "write a duration such as PT30S.")),
        },
    }
}

/// Returns the maximum number of attempts under the node's own policy. Attempts under the workflow's policy are not counted,
/// because most of them follow a refusal, which costs nothing.
pub fn attempts(node: &Node) -> u32 {
    let own = own(node).cloned();
    let retry = own.and_then(|own| read(node, &own).ok().flatten());
    retry.map_or(1, |retry| retry.count.saturating_add(1))
}

fn own(node: &Node) -> Option<&Map<String, Value>> {
    node.data.get("retry").and_then(Value::as_object)
}

/// The workflow's policy, for a node that inherits it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inherits<'a> {
    pub(super) workflow: &'a Map<String, Value>,
    /// Whether the node itself calls a model. Any other node may run a program, which may have changed anything before it was
    /// cut off.
    pub(super) asks_model: bool,
}

/// Reads the retry policy of a node. `inherits` is the workflow's policy, or `None` if the node does not inherit it. The
/// workflow's policy provides the fields that the node's own `retry` omits. Returns `None` if the node has no policy. Fails if
/// the policy is invalid.
pub(super) fn retry(
    node: &Node,
    effect: EffectClass,
    inherits: Option<Inherits<'_>>,
) -> Result<Option<Retry>, NodeError> {
    let Some(inherits) = inherits else {
        return own(node).map_or(Ok(None), |own| read(node, own));
    };
    if let Some(own) = own(node) {
        return read(node, &complete(own, inherits.workflow));
    }
    let Some(mut retry) = read(node, inherits.workflow)? else {
        return Ok(None);
    };
    if !inherits.asks_model {
        if retry.on.is_empty() {
            retry.on = TRANSIENT.map(str::to_owned).to_vec();
        }
        retry
            .on
            .retain(|on| !matches!(on.as_str(), "timeout" | "truncated"));
        if retry.on.is_empty() {
            return Ok(None);
        }
    }
    retry.inherited = Some(Inherited {
        uncertain: effect != EffectClass::Writes,
    });
    Ok(Some(retry))
}

fn read(node: &Node, retry: &Map<String, Value>) -> Result<Option<Retry>, NodeError> {
    let kind = retry.get("type").and_then(Value::as_str).unwrap_or("fixed");
    if kind == "none" {
        return Ok(None);
    }
    let duration = |name: &str, default: u64| match retry.get(name).and_then(Value::as_str) {
        None => Ok(default),
        Some(text) => millis(text).map_err(|error| invalid(node, "retry", &error.message)),
    };
    let jitter = retry.get("jitter").and_then(Value::as_f64);
    let jitter = jitter.map(|jitter| jitter.clamp(0.0, 1.0));
    Ok(Some(Retry {
        count: retry
            .get("count")
            .and_then(whole)
            .map_or(3, |count| u32::try_from(count).unwrap_or(u32::MAX)),
        exponential: kind == "exponential",
        interval_ms: duration("interval", 1_000)?,
        min_ms: duration("minInterval", 0)?,
        max_ms: duration("maxInterval", MAX_PAUSE_MS)?,
        max_asked_ms: duration("maxInterval", MAX_ASKED_MS)?,
        jitter: jitter.unwrap_or(JITTER),
        asked_jitter: jitter.unwrap_or(0.0).max(ASKED_JITTER),
        on: retry
            .get("on")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|on| on.as_str().map_or_else(|| on.to_string(), str::to_owned))
            .collect(),
        inherited: None,
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
    use crate::outcome::NOT_TRANSLATED;

    fn policy(json: Value) -> Retry {
        let node: Node = serde_json::from_value(
            serde_json::json!({ "id": "n", "type": "t", "data": { "retry": json } }),
        )
        .unwrap();
        retry(&node, EffectClass::Reads, None).unwrap().unwrap()
    }

    fn of_workflow(own: Value, effect: EffectClass) -> Option<Retry> {
        let data = match own {
            Value::Null => serde_json::json!({}),
            own => serde_json::json!({ "retry": own }),
        };
        let node = serde_json::json!({ "id": "n", "type": "t", "data": data });
        let node: Node = serde_json::from_value(node).unwrap();
        let usual = loopwright_model::retry::usual_retry();
        let inherits = Inherits {
            workflow: usual.as_object().unwrap(),
            asks_model: effect == EffectClass::Reads,
        };
        retry(&node, effect, Some(inherits)).unwrap()
    }

    #[test]
    fn a_node_without_a_policy_has_that_of_its_workflow() {
        let retry = of_workflow(Value::Null, EffectClass::Reads).unwrap();
        assert_eq!(
            (retry.count, retry.pause(1, 0.5), retry.pause(3, 0.5)),
            (3, 2_000, 8_000)
        );
        for code in [
            "http_429",
            "http_500",
            "http_529",
            "http_408",
            "network",
            "timeout",
            "truncated",
        ] {
            assert!(retry.covers(&NodeError::new(code, "")), "{code}");
            assert!(
                retry.covers(&NodeError::new(code, "").after_sending()),
                "{code}"
            );
            assert!(!retry.covers(&NodeError::new(code, "").lasting()), "{code}");
        }
        for code in [
            "http_400",
            "http_401",
            "http_402",
            "http_403",
            "http_404",
            "insufficient_quota",
            "budget_exceeded",
            "cancelled",
            "answer_cut",
            "empty_answer",
            "refused",
            "content_filter",
            "context_overflow",
            "not_approved",
            "price_unknown",
        ] {
            assert!(!retry.covers(&NodeError::new(code, "")), "{code}");
        }
        let asks =
            |seconds: u64| NodeError::new("http_429", "").asking_to_wait(Some(seconds * 1000));
        assert!(retry.covers(&asks(60)) && !retry.covers(&asks(61)));
    }

    #[test]
    fn what_may_have_changed_something_is_not_done_again_by_the_workflows_policy() {
        let retry = of_workflow(Value::Null, EffectClass::Writes).unwrap();
        let error = NodeError::new("http_429", "");
        assert!(retry.covers(&error) && !retry.covers(&error.after_sending()));
        for code in ["timeout", "truncated"] {
            assert!(!retry.covers(&NodeError::new(code, "")), "{code}");
        }
    }

    #[test]
    fn what_a_node_leaves_out_is_the_workflows() {
        let more = of_workflow(
            serde_json::json!({ "count": 9, "interval": null }),
            EffectClass::Reads,
        )
        .unwrap();
        assert_eq!(
            (more.count, more.pause(1, 0.5), more.inherited),
            (9, 2_000, None)
        );
        assert!(more.covers(&NodeError::new("truncated", "")));
        assert_eq!(
            of_workflow(serde_json::json!({ "type": "none" }), EffectClass::Reads),
            None
        );
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
    fn pauses_vary_unless_the_policy_says_otherwise() {
        let retry = policy(serde_json::json!({ "type": "fixed", "interval": "PT1S" }));
        assert_eq!((retry.pause(1, 0.0), retry.pause(1, 0.5)), (800, 1_000));
        let retry = policy(serde_json::json!({ "type": "fixed", "jitter": 0 }));
        assert_eq!((retry.pause(1, 0.0), retry.pause(1, 0.9)), (1_000, 1_000));
    }

    #[test]
    fn a_pause_that_is_asked_for_has_a_longest_of_its_own() {
        let asks =
            |seconds: u64| NodeError::new("http_429", "").asking_to_wait(Some(seconds * 1000));
        let retry = policy(serde_json::json!({ "type": "exponential" }));
        assert!(retry.covers(&asks(60)) && !retry.covers(&asks(61)));
        assert_eq!(retry.why_not(&asks(60)), None);
        let said = retry.why_not(&asks(3599)).unwrap();
        assert!(
            said.contains("3599 s (59 min 59 s)")
                && said.contains("60 s")
                && said.contains("maxInterval")
        );
        let error = NodeError::new("http_401", "").asking_to_wait(Some(90_000));
        assert_eq!(retry.why_not(&error), None);
        let patient = policy(serde_json::json!({ "type": "exponential", "maxInterval": "PT1H" }));
        assert!(patient.covers(&asks(3599)) && !patient.covers(&asks(3601)));
        let short = policy(serde_json::json!({ "type": "fixed", "maxInterval": "PT5S" }));
        assert!(!short.covers(&asks(6)));
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
        // A placeholder fails on every attempt.
        let named = policy(serde_json::json!({ "type": "fixed", "on": ["not_translated"] }));
        assert!(!named.covers(&NodeError::new(NOT_TRANSLATED, "")));
        assert!(!one.covers(&NodeError::new("timeout", "")));
    }
}
