//! What a node's execution gives: values by handle, usage, a trace for the inspector; or an error.

use std::{borrow::Cow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::redact::without_user_info;

/// Tokens, calls and money of one call or a sum of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    pub calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Whole micro-dollars of the calls whose price is known.
    pub cost_microusd: u64,
    /// Calls whose price is not known, so that the cost is a lower bound.
    pub unpriced_calls: u64,
    /// Those of the input that the provider had cached.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// Those of the output that the model thought with and did not say.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
    /// Calls that were cut off: no more is known of them than that they were made.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut_off_calls: u64,
}

fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}

impl Usage {
    /// Adds what was used besides. A sum that no count holds stays at the largest that one does: what comes from outside must
    /// not stop a run.
    pub fn add(&mut self, other: &Usage) {
        self.each(other, u64::saturating_add);
    }

    /// What was used besides this part of it.
    pub fn without(mut self, part: &Usage) -> Self {
        self.each(part, u64::saturating_sub);
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
            (&mut self.cut_off_calls, other.cut_off_calls),
        ] {
            *count = combine(*count, with);
        }
    }

    /// Tokens in and out.
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Nothing was used.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// One call of which no more is known than that it was made.
    pub fn unknown_call() -> Self {
        Self {
            calls: 1,
            unpriced_calls: 1,
            ..Self::default()
        }
    }

    /// One call that was cut off. `is_free`: it costs nothing, whatever it used.
    pub fn cut_off_call(is_free: bool) -> Self {
        Self {
            unpriced_calls: u64::from(!is_free),
            cut_off_calls: 1,
            ..Self::unknown_call()
        }
    }

    /// Dollars, or `None` when a call's price is unknown.
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
    /// Those of the calls that were cut off. What they used is not known, nor what they cost unless the model is free.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut_off_calls: u32,
}

impl From<&Usage> for UsageView {
    fn from(usage: &Usage) -> Self {
        Self {
            calls: u32::try_from(usage.calls).unwrap_or(u32::MAX),
            input_tokens: u32::try_from(usage.input_tokens).unwrap_or(u32::MAX),
            output_tokens: u32::try_from(usage.output_tokens).unwrap_or(u32::MAX),
            cost_usd: usage.cost_usd(),
            cut_off_calls: u32::try_from(usage.cut_off_calls).unwrap_or(u32::MAX),
        }
    }
}

/// What was sent and what came back, for the inspector. Never holds a key.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trace {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Value>,
    /// `builtin/reviser`, `openai/gpt-4.1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// What tests, or another check of a program, came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
pub struct Checked {
    pub ok: bool,
    /// How many tests passed; `None` where the program does not say.
    pub passed: Option<u32>,
    /// How many failed, or how many problems there are; `None` where the program does not say.
    pub failed: Option<u32>,
}

impl fmt::Display for Checked {
    /// `passed: 14 tests`, `failed: 3 of 14 tests`; without counts the verdict alone.
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

/// The values a finished node offers. It is handed on often: what few nodes have is apart.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// What `<id>.output` is.
    pub value: Arc<Value>,
    /// Values by output handle. An edge from a handle that is not here is dead; a plain kind lists all of its handles.
    pub handles: Vec<(String, Arc<Value>)>,
    /// The output handle a branching node chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Usage::is_none")]
    pub usage: Usage,
    /// Of a subflow: what the nodes inside it spent, each of which counts for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<Box<Usage>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Box<Trace>>,
    /// Of a node that ran tests: how many passed and failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Checked>,
    /// Things worth saying that are no failure: (code, message).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<(String, String)>,
    /// The node was not executed: a person fixed its value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// What the next executions of the node in the loop around are given back (see `NodeInput::memory`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<Arc<Value>>,
}

/// What an execution came to, as it is handed on: small, whatever it holds.
pub type Settled = Result<Arc<Outcome>, Box<NodeError>>;

/// Makes what a node gave ready to be handed on.
pub fn settled(result: Result<Outcome, NodeError>) -> Settled {
    result.map(Arc::new).map_err(Box::new)
}

impl Outcome {
    /// One value at one handle.
    pub fn single(handle: &str, value: impl Into<Arc<Value>>) -> Self {
        let value = value.into();
        let handles = vec![(handle.to_owned(), Arc::clone(&value))];
        Self::of(value, handles, None)
    }

    /// A branching node's outcome: `value` is what `<id>.output` is, `carried` goes along `branch`.
    pub fn branch(
        branch: &str,
        value: impl Into<Arc<Value>>,
        carried: impl Into<Arc<Value>>,
    ) -> Self {
        let handles = vec![(branch.to_owned(), carried.into())];
        Self::of(value.into(), handles, Some(branch.to_owned()))
    }

    /// Each field is named: the default makes a value, which would be dropped again.
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

    /// Why a branching node took its branch, if its value says so.
    pub fn reason(&self) -> Option<&str> {
        self.branch.as_ref()?;
        let reason = self.value.get("reason")?.as_str()?.trim();
        (!reason.is_empty()).then_some(reason)
    }

    /// What the node spent, or those inside it.
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

/// Why a node failed: a stable code that a caller may branch on, and words for a person.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct NodeError {
    pub code: String,
    pub message: String,
    /// What was spent all the same.
    #[serde(default, skip_serializing_if = "Usage::is_none")]
    pub usage: Usage,
    /// What is known beyond that of few errors; apart, so that results stay small.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Box<Beside>>,
}

/// What is known of some errors beyond their words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Beside {
    /// The text that had come until it failed. Never a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// How long the other side asks to be left alone, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// What was asked for was sent, and nobody knows whether it was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// It does not pass by itself, although its code is one of those that usually do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lasting: bool,
}

/// The errors that this program itself branches on. All others are told apart by their codes alone, by whoever made them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// It was stopped from outside.
    Cancelled,
    Timeout,
    BudgetExceeded,
    /// What it would use of the world was not granted.
    NotApproved,
    /// A placeholder was reached.
    NotTranslated,
    /// A journal is not what its flow gives.
    Diverged,
    Other,
}

impl ErrorClass {
    /// The class of a code, as errors carry it.
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

/// The code of a placeholder that is reached: an imported step that has no counterpart here.
pub const NOT_TRANSLATED: &str = "not_translated";

fn shown(message: String) -> String {
    match without_user_info(&message) {
        Cow::Borrowed(_) => message,
        Cow::Owned(shown) => shown,
    }
}

impl NodeError {
    /// An error for people. Names and passwords in addresses are not shown.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: shown(message.into()),
            usage: Usage::default(),
            beside: None,
        }
    }

    /// The error of what was stopped from outside.
    pub fn cancelled(message: impl Into<String>) -> Self {
        Self::new("cancelled", message)
    }

    pub fn class(&self) -> ErrorClass {
        ErrorClass::of(&self.code)
    }

    /// Whether the failure ends the run wherever it happens: no retry, list, loop or subflow around the node catches it. What the
    /// flow says at this place is not known, so that no result that comes after it could be trusted.
    pub fn is_final(&self) -> bool {
        self.class() == ErrorClass::NotTranslated
    }

    /// The text that had come until it failed. Never a result.
    pub fn partial(&self) -> Option<&str> {
        self.beside.as_ref()?.partial.as_deref()
    }

    /// How long the other side asks to be left alone, in milliseconds.
    pub fn retry_after_ms(&self) -> Option<u64> {
        self.beside.as_ref()?.retry_after_ms
    }

    /// Whether what was asked for was sent, and nobody knows whether it was done.
    pub fn is_uncertain(&self) -> bool {
        self.beside.as_ref().is_some_and(|beside| beside.uncertain)
    }

    /// Whether it does not pass by itself, although its code is one of those that usually do.
    pub fn is_lasting(&self) -> bool {
        self.beside.as_ref().is_some_and(|beside| beside.lasting)
    }

    fn beside(&mut self) -> &mut Beside {
        self.beside.get_or_insert_default()
    }

    /// The error of one who asks to be left alone for so many milliseconds.
    #[must_use]
    pub fn asking_to_wait(mut self, millis: Option<u64>) -> Self {
        if millis.is_some() {
            self.beside().retry_after_ms = millis;
        }
        self
    }

    /// The error of something that was sent, and may have been done.
    #[must_use]
    pub fn after_sending(mut self) -> Self {
        self.beside().uncertain = true;
        self
    }

    /// The error of something that will not pass: the same call would fail again.
    #[must_use]
    pub fn lasting(mut self) -> Self {
        self.beside().lasting = true;
        self
    }

    /// The error with the text that had come until then.
    #[must_use]
    pub fn with_partial(mut self, text: &str) -> Self {
        if !text.is_empty() {
            self.beside().partial = Some(text.to_owned());
        }
        self
    }

    /// The error with what was spent until then.
    #[must_use]
    pub fn having_spent(mut self, usage: &Usage) -> Self {
        self.usage.add(usage);
        self
    }

    /// The error alone, for whoever only hears of it.
    #[must_use]
    pub fn passed_on(self) -> Self {
        Self {
            usage: Usage::default(),
            beside: self.beside.map(|beside| {
                Box::new(Beside {
                    partial: None,
                    ..*beside
                })
            }),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Checked, Usage};

    #[test]
    fn a_check_is_said_with_its_counts_where_they_are_known() {
        for (ok, passed, failed, text) in [
            (true, Some(14), Some(0), "passed: 14 tests"),
            (true, Some(1), Some(0), "passed: 1 test"),
            (true, None, Some(0), "passed"),
            (false, Some(11), Some(3), "failed: 3 of 14 tests"),
            (false, Some(0), Some(1), "failed: 1 of 1 test"),
            (false, None, Some(2), "failed: 2 problems"),
            (false, None, None, "failed"),
            // It failed otherwise: its tests passed.
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
            cut_off_calls: u64::MAX,
        };
        let mut usage = Usage::unknown_call();
        usage.add(&most);
        assert_eq!(usage, most);
        assert_eq!(usage.tokens(), u64::MAX);
    }
}
