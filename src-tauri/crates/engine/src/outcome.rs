//! The result of a node's execution: values by handle, usage and a trace for the inspector; or an error.

use std::{borrow::Cow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::{quota::Quota, redact::without_user_info};

/// The tokens, calls and cost of one call, or of several calls together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    pub calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// The cost, in whole micro-dollars, of the calls whose price is known.
    pub cost_microusd: u64,
    /// The number of calls whose price is unknown. The cost is then a lower bound.
    pub unpriced_calls: u64,
    /// The input tokens that the provider had cached.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// The output tokens that the model spent on reasoning and did not return.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
    /// The number of calls that were cut off. Their usage is unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut_off_calls: u32,
    /// The input tokens of the call with the longest prompt; 0 if no call reported them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub longest_prompt: u32,
}

fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}

impl Usage {
    /// Adds another usage. Instead of overflowing, a sum stays at the maximum, because values from outside must not stop a run.
    pub fn add(&mut self, other: &Usage) {
        self.each(other, u64::saturating_add);
        self.cut_off_calls = self.cut_off_calls.saturating_add(other.cut_off_calls);
        self.longest_prompt = self.longest_prompt.max(other.longest_prompt);
    }

    /// Returns this usage minus `part`. The longest prompt is kept unless no calls remain, because it is not known which call
    /// had it.
    pub fn without(mut self, part: &Usage) -> Self {
        self.each(part, u64::saturating_sub);
        self.cut_off_calls = self.cut_off_calls.saturating_sub(part.cut_off_calls);
        if self.calls == 0 {
            self.longest_prompt = 0;
        }
        self
    }

    fn each(&mut self, other: &Usage, combine: fn(u64, u64) -> u64) {
        for (count, with) in [
            (&mut self.calls, other.calls),
            (&mut self.input_tokens, other.input_tokens),
            (&mut self.output_tokens, other.output_tokens),
            (&mut self.cost_microusd, other.cost_microusd),
            (&mut self.unpriced_calls, other.unpriced_calls),
            (&mut self.cached_tokens, other.cached_tokens),
            (&mut self.reasoning_tokens, other.reasoning_tokens),
        ] {
            *count = combine(*count, with);
        }
    }

    /// Returns the sum of input and output tokens.
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Returns whether nothing was used.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the usage of one call whose tokens and cost are unknown.
    pub fn unknown_call() -> Self {
        Self {
            calls: 1,
            unpriced_calls: 1,
            ..Self::default()
        }
    }

    /// Returns the usage of one call that was cut off. `is_free` is true if the call costs nothing, regardless of its usage.
    pub fn cut_off_call(is_free: bool) -> Self {
        Self {
            unpriced_calls: u64::from(!is_free),
            cut_off_calls: 1,
            ..Self::unknown_call()
        }
    }

    /// Returns the cost in dollars, or `None` if the price of any call is unknown.
    pub fn cost_usd(&self) -> Option<f64> {
        (self.unpriced_calls == 0).then_some(self.cost_microusd as f64 / 1e6)
    }
}

/// Usage as events and `--json` show it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename = "Usage")]
pub struct UsageView {
    pub calls: u32,
    pub input_tokens: u32,
    pub output_tokens: u32,
    pub cost_usd: Option<f64>,
    /// The number of calls that were cut off. Their usage is unknown, and so is their cost unless the model is free.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut_off_calls: u32,
    /// The input tokens of the call with the longest prompt; 0 if no call reported them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub longest_prompt: u32,
}

impl From<&Usage> for UsageView {
    fn from(usage: &Usage) -> Self {
        Self {
            calls: u32::try_from(usage.calls).unwrap_or(u32::MAX),
            input_tokens: u32::try_from(usage.input_tokens).unwrap_or(u32::MAX),
            output_tokens: u32::try_from(usage.output_tokens).unwrap_or(u32::MAX),
            cost_usd: usage.cost_usd(),
            cut_off_calls: usage.cut_off_calls,
            longest_prompt: usage.longest_prompt,
        }
    }
}

/// The exchange with a model or tool, for the inspector. It never contains a key.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trace {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Value>,
    /// The model with its provider, such as `builtin/reviser` or `openai/gpt-4.1`. `None` if no model was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The result of tests, or of another check of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
pub struct Checked {
    pub ok: bool,
    /// The number of passed tests; `None` if the program does not report it.
    pub passed: Option<u32>,
    /// The number of failed tests or of problems; `None` if the program does not report it.
    pub failed: Option<u32>,
}

impl fmt::Display for Checked {
    /// Formats the result as `passed: 14 tests` or `failed: 3 of 14 tests`. If only the failures are counted, formats it as
    /// `failed: 3 problems`. Without counts, writes only the verdict.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: u32, what: &str| match count {
            1 => format!("1 {what}"),
            count => format!("{count} {what}s"),
        };
        let verdict = if self.ok { "passed" } else { "failed" };
        match (self.ok, self.passed, self.failed) {
            (true, Some(passed), _) => write!(f, "{verdict}: {}", counted(passed, "test")),
            (false, Some(passed), Some(failed @ 1..)) => {
                let all = passed.saturating_add(failed);
                write!(f, "{verdict}: {failed} of {}", counted(all, "test"))
            }
            (false, None, Some(failed @ 1..)) => {
                write!(f, "{verdict}: {}", counted(failed, "problem"))
            }
            _ => f.write_str(verdict),
        }
    }
}

/// The result of a node that completed. Outcomes are copied often, so parts that few nodes have are boxed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// The value of `<id>.output`.
    pub value: Arc<Value>,
    /// The values by output handle. An edge from a handle without a value is dead. Kinds that do not branch list all their
    /// handles.
    pub handles: Vec<(String, Arc<Value>)>,
    /// The output handle that a branching node chose; `None` for other nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Usage::is_none")]
    pub usage: Usage,
    /// For a subflow, the total usage of the nodes inside it; `None` for other nodes. A run's totals exclude this usage,
    /// because each of these nodes is already counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<Box<Usage>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Box<Trace>>,
    /// The result of the tests, if the node ran tests or another check of a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Checked>,
    /// The warnings about an execution that did not fail, each as a code and a message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<(String, String)>,
    /// Whether the node was not executed because a person fixed its value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The value that the next executions of the node in this loop receive (see `NodeInput::memory`); `None` if they receive
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<Arc<Value>>,
}

/// The result of an execution. Both variants are pointers, so that a result is cheap to pass on.
pub type Settled = Result<Arc<Outcome>, Box<NodeError>>;

/// Converts the result of a node to a [`Settled`] result, which is cheap to pass on.
///
/// # Errors
/// Returns the error of `result`.
pub fn settled(result: Result<Outcome, NodeError>) -> Settled {
    result.map(Arc::new).map_err(Box::new)
}

impl Outcome {
    /// Creates an outcome with one value at one handle.
    pub fn single(handle: &str, value: impl Into<Arc<Value>>) -> Self {
        let value = value.into();
        let handles = vec![(handle.to_owned(), Arc::clone(&value))];
        Self::of(value, handles, None)
    }

    /// Creates the outcome of a branching node. `value` is its `<id>.output`; `carried` is the value at the handle `branch`.
    pub fn branch(
        branch: &str,
        value: impl Into<Arc<Value>>,
        carried: impl Into<Arc<Value>>,
    ) -> Self {
        let handles = vec![(branch.to_owned(), carried.into())];
        Self::of(value.into(), handles, Some(branch.to_owned()))
    }

    /// Creates an outcome without usage, trace or warnings. Every field is set explicitly, because the default would allocate a
    /// value that is then dropped.
    fn of(value: Arc<Value>, handles: Vec<(String, Arc<Value>)>, branch: Option<String>) -> Self {
        Self {
            value,
            handles,
            branch,
            usage: Usage::default(),
            inside: None,
            trace: None,
            checked: None,
            warnings: Vec::new(),
            pinned: false,
            remember: None,
        }
    }

    /// Returns the reason why a branching node took its branch; `None` if the node's value contains no reason.
    pub fn reason(&self) -> Option<&str> {
        self.branch.as_ref()?;
        let reason = self.value.get("reason")?.as_str()?.trim();
        (!reason.is_empty()).then_some(reason)
    }

    /// Returns the usage of the node or, for a subflow, of the nodes inside it.
    pub fn spent(&self) -> &Usage {
        self.inside.as_deref().unwrap_or(&self.usage)
    }

    pub fn with(mut self, handle: &str, value: impl Into<Arc<Value>>) -> Self {
        self.handles.push((handle.to_owned(), value.into()));
        self
    }

    pub fn handle(&self, name: &str) -> Option<&Arc<Value>> {
        self.handles
            .iter()
            .find(|(handle, _)| handle == name)
            .map(|(_, value)| value)
    }
}

/// The reason why a node failed: a stable code that callers may match on, and a message for people.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct NodeError {
    pub code: String,
    pub message: String,
    /// The usage up to the failure.
    #[serde(default, skip_serializing_if = "Usage::is_none")]
    pub usage: Usage,
    /// Details that only few errors have; `None` for most errors. They are boxed so that results stay small.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Box<Beside>>,
}

/// Details that some errors have besides their message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Beside {
    /// The text that had arrived before the failure, if there was any. It is never a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// The pause that the server asks for, in milliseconds; `None` if it asks for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Whether the request was sent and its result is unknown. The server may have executed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// Whether the failure is permanent although its code usually means a transient failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lasting: bool,
    /// The quota that the refused call counts against; `None` if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<Quota>,
    /// Whether the quota of a longer period, such as a day, is used up. Such a quota resets without action by a person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub used_up: bool,
    /// The model that was called, with its provider, if the failed attempt has usage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The classes of errors that the engine handles specially. All other errors form one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// The work was stopped from outside.
    Cancelled,
    Timeout,
    BudgetExceeded,
    /// A needed permission was not granted.
    NotApproved,
    /// The run reached a placeholder.
    NotTranslated,
    /// A journal differs from what its flow produces.
    Diverged,
    Other,
}

impl ErrorClass {
    /// Returns the class of an error code.
    pub fn of(code: &str) -> Self {
        match code {
            "cancelled" => Self::Cancelled,
            "timeout" => Self::Timeout,
            "budget_exceeded" => Self::BudgetExceeded,
            "not_approved" => Self::NotApproved,
            NOT_TRANSLATED => Self::NotTranslated,
            "journal_diverged" => Self::Diverged,
            _ => Self::Other,
        }
    }
}

/// The error code of a call that is not sent because its quota is known to be used up.
pub(crate) const QUOTA_CLOSED: &str = "quota_closed";

/// The error code of a run that reaches a placeholder, which is an imported step that was not translated.
pub const NOT_TRANSLATED: &str = "not_translated";

fn shown(message: String) -> String {
    match without_user_info(&message) {
        Cow::Borrowed(_) => message,
        Cow::Owned(shown) => shown,
    }
}

impl NodeError {
    /// Creates an error. User names and passwords in addresses are removed from the message.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: shown(message.into()),
            usage: Usage::default(),
            beside: None,
        }
    }

    /// Creates the error of work that was stopped from outside.
    pub fn cancelled(message: impl Into<String>) -> Self {
        Self::new("cancelled", message)
    }

    pub fn class(&self) -> ErrorClass {
        ErrorClass::of(&self.code)
    }

    /// Returns whether the failure ends the run wherever it happens, so that no retry, list, loop or subflow around the node
    /// catches it. What the failed node should have done is unknown, so no later result could be trusted.
    pub fn is_final(&self) -> bool {
        self.class() == ErrorClass::NotTranslated
    }

    /// Returns the text that had arrived before the failure, or `None` if none had. It is never a result.
    pub fn partial(&self) -> Option<&str> {
        self.beside.as_ref()?.partial.as_deref()
    }

    /// Returns the pause that the server asks for, in milliseconds, or `None` if it asks for none.
    pub fn retry_after_ms(&self) -> Option<u64> {
        self.beside.as_ref()?.retry_after_ms
    }

    /// Returns whether the request was sent and may have been executed.
    pub fn is_uncertain(&self) -> bool {
        self.beside.as_ref().is_some_and(|beside| beside.uncertain)
    }

    /// Returns whether the failure is permanent although its code usually means a transient failure.
    pub fn is_lasting(&self) -> bool {
        self.beside.as_ref().is_some_and(|beside| beside.lasting)
    }

    /// Returns the quota that the refused call counts against, or `None` if it is unknown.
    pub fn quota(&self) -> Option<&Quota> {
        self.beside.as_ref()?.quota.as_ref()
    }

    /// Returns whether the quota of a longer period, such as a day, is used up. Such a quota resets without action by a
    /// person.
    pub fn is_used_up(&self) -> bool {
        self.beside.as_ref().is_some_and(|beside| beside.used_up)
    }

    /// Returns the model that was called, with its provider, or `None` if it is not recorded.
    pub fn model(&self) -> Option<&str> {
        self.beside.as_ref()?.model.as_deref()
    }

    fn beside(&mut self) -> &mut Beside {
        self.beside.get_or_insert_default()
    }

    /// Adds the pause that the server asks for, in milliseconds. With `None`, the error is unchanged.
    #[must_use]
    pub fn asking_to_wait(mut self, millis: Option<u64>) -> Self {
        if millis.is_some() {
            self.beside().retry_after_ms = millis;
        }
        self
    }

    /// Marks the error as uncertain: the request was sent and may have been executed.
    #[must_use]
    pub fn after_sending(mut self) -> Self {
        self.beside().uncertain = true;
        self
    }

    /// Marks the error as permanent: the same call would fail again.
    #[must_use]
    pub fn lasting(mut self) -> Self {
        self.beside().lasting = true;
        self
    }

    /// Returns whether the other side refused the call, for example because a quota is used up.
    pub(crate) fn is_refusal(&self) -> bool {
        self.is_used_up() || matches!(&*self.code, "http_429" | "http_503" | "http_529")
    }

    /// Adds the quota that the refused call counts against. An error that is not a refusal, or that already has a quota, is
    /// unchanged.
    #[must_use]
    pub fn against(mut self, quota: Quota) -> Self {
        if self.is_refusal() {
            self.beside().quota.get_or_insert(quota);
        }
        self
    }

    /// Returns the error of a call that is not sent because its quota is known to be used up.
    pub(crate) fn quota_closed(quota: &Quota) -> Self {
        let message = format!(
            "{} was not called, because its quota is used up.",
            quota.name
        );
        let mut error = Self::new(QUOTA_CLOSED, message);
        error.beside().quota = Some(quota.clone());
        error
    }

    /// Returns the error without its quota.
    #[must_use]
    pub(crate) fn without_quota(mut self) -> Self {
        if let Some(beside) = &mut self.beside {
            beside.quota = None;
        }
        self
    }

    /// Adds the model that was called, with its provider. With `None`, the error is unchanged.
    #[must_use]
    pub fn of_model(mut self, model: Option<String>) -> Self {
        if model.is_some() {
            self.beside().model = model;
        }
        self
    }

    /// Marks the error as a refusal because the quota of a longer period is used up. Such a quota resets without action by a
    /// person.
    #[must_use]
    pub fn used_up(mut self) -> Self {
        self.beside().used_up = true;
        self
    }

    /// Adds the text that had arrived before the failure.
    #[must_use]
    pub fn with_partial(mut self, text: &str) -> Self {
        if !text.is_empty() {
            self.beside().partial = Some(text.to_owned());
        }
        self
    }

    /// Adds the usage up to the failure.
    #[must_use]
    pub fn having_spent(mut self, usage: &Usage) -> Self {
        self.usage.add(usage);
        self
    }

    /// Returns the error without its usage, model and partial text, for code that only reports the error.
    #[must_use]
    pub fn passed_on(self) -> Self {
        Self {
            usage: Usage::default(),
            beside: self.beside.map(|beside| {
                Box::new(Beside {
                    partial: None,
                    model: None,
                    ..*beside
                })
            }),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Checked, Usage, UsageView};

    #[test]
    fn a_check_is_reported_with_its_counts_if_known() {
        for (ok, passed, failed, text) in [
            (true, Some(14), Some(0), "passed: 14 tests"),
            (true, Some(1), Some(0), "passed: 1 test"),
            (true, None, Some(0), "passed"),
            (false, Some(11), Some(3), "failed: 3 of 14 tests"),
            (false, Some(0), Some(1), "failed: 1 of 1 test"),
            (false, None, Some(2), "failed: 2 problems"),
            (false, None, None, "failed"),
            // The program failed for another reason, although its tests passed.
            (false, Some(4), Some(0), "failed"),
        ] {
            assert_eq!(Checked { ok, passed, failed }.to_string(), text);
        }
    }

    #[test]
    fn a_sum_without_one_part_is_the_other() {
        let part = Usage {
            calls: 1,
            input_tokens: 2,
            output_tokens: 3,
            cost_microusd: 4,
            unpriced_calls: 5,
            cached_tokens: 6,
            reasoning_tokens: 7,
            cut_off_calls: 8,
            longest_prompt: 9,
        };
        let mut sum = part;
        sum.add(&part);
        assert_eq!(sum.without(&part), part);
        assert_eq!(part.without(&sum), Usage::default());
    }

    #[test]
    fn sums_stay_at_the_largest_count() {
        let most = Usage {
            calls: u64::MAX,
            input_tokens: u64::MAX,
            output_tokens: u64::MAX,
            cost_microusd: u64::MAX,
            unpriced_calls: u64::MAX,
            cached_tokens: u64::MAX,
            reasoning_tokens: u64::MAX,
            cut_off_calls: u32::MAX,
            longest_prompt: u32::MAX,
        };
        let mut usage = Usage::unknown_call();
        usage.add(&most);
        assert_eq!(usage, most);
        assert_eq!(usage.tokens(), u64::MAX);
    }

    #[test]
    fn the_longest_prompt_of_a_sum_is_that_of_one_call() {
        let call = |longest_prompt: u32| Usage {
            calls: 1,
            input_tokens: longest_prompt.into(),
            longest_prompt,
            ..Usage::default()
        };
        let mut sum = call(7);
        sum.add(&call(12));
        sum.add(&call(9));
        assert_eq!((sum.input_tokens, sum.longest_prompt), (28, 12));
        assert_eq!(sum.without(&call(9)).longest_prompt, 12);
        assert_eq!(UsageView::from(&sum).longest_prompt, 12);
    }

    #[test]
    fn a_usage_of_an_earlier_version_has_no_longest_prompt() {
        let earlier = r#"{"calls":1,"input_tokens":7,"output_tokens":2,"cost_microusd":0,"unpriced_calls":0}"#;
        let usage: Usage = serde_json::from_str(earlier).unwrap();
        assert_eq!((usage.calls, usage.longest_prompt), (1, 0));
        // Writing the usage gives the text that was read.
        assert_eq!(serde_json::to_string(&usage).unwrap(), earlier);
        let view = serde_json::to_value(UsageView::from(&usage)).unwrap();
        assert_eq!(view.get("longest_prompt"), None);
    }
}
