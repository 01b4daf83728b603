//! Budgets: the limits, the amounts spent, and the amounts reserved for calls in progress. Amounts are in whole
//! micro-dollars and in tokens.

use serde::{Deserialize, Serialize};

use crate::{host::Quote, outcome::Usage};

/// The maximum amounts that a run or a loop may spend. `None` means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Limits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub microusd: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

impl Limits {
    /// Creates limits from the budget fields of a flow or a loop. `usd` is in dollars and is rounded down to whole
    /// micro-dollars.
    pub fn new(usd: Option<f64>, tokens: Option<u64>) -> Self {
        Self {
            microusd: usd.map(microusd),
            tokens,
        }
    }

    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Returns these limits, with each missing limit taken from `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            microusd: self.microusd.or(other.microusd),
            tokens: self.tokens.or(other.tokens),
        }
    }
}

/// Converts dollars, as entered by a person, to micro-dollars. Rounds down. A negative amount becomes 0.
pub fn microusd(usd: f64) -> u64 {
    // Decimal fractions have no exact binary form: 0.07 × 10⁶ is slightly less than 70000. So a small amount is added before
    // rounding down.
    (usd.max(0.0) * 1e6 + 1e-6).floor() as u64
}

/// Formats micro-dollars as dollars, for users, such as `$0.05` or `$0.00125`.
pub fn dollars(microusd: u64) -> String {
    let text = format!("{}.{:06}", microusd / 1_000_000, microusd % 1_000_000);
    let shortest = text.len() - 4;
    let end = text.trim_end_matches('0').len().max(shortest);
    format!("${}", &text[..end])
}

/// A request to make a call, with the maximum cost and the maximum number of tokens of the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRequest {
    /// The call's number within the run, from 0.
    pub call: u64,
    /// The model with its provider, such as `openai/gpt-4.1`.
    pub model: String,
    /// The maximum cost in micro-dollars; `None` if the model's price is unknown, or if nothing limits the length of its
    /// answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub microusd: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Whether nothing limits the usage of the call, as for a turn of an agent. Such a call requests one micro-dollar and one
    /// token, so it may begin while any of the budget is left. Its actual usage is charged when it finishes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unbounded: bool,
}

impl CallRequest {
    /// Creates a request for work whose usage has no upper bound.
    pub(crate) fn unbounded(call: u64, name: String) -> Self {
        Self {
            call,
            model: name,
            microusd: Some(1),
            tokens: Some(1),
            unbounded: true,
        }
    }
}

/// The amounts that must be known before a call is made, because a budget that applies to the call limits them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QuoteNeeds {
    /// Whether a budget in dollars applies to the call. Its maximum cost must then be known.
    pub money: bool,
    /// Whether a budget in tokens applies to the call. Its maximum number of tokens must then be known.
    pub tokens: bool,
}

impl QuoteNeeds {
    /// Checks whether the quote of a call has every amount that these budgets need. If one is missing, returns an error code
    /// and a message with a remedy, otherwise `None`. `title` is the title of the node that makes the call.
    pub fn lacks(self, title: &str, quote: &Quote) -> Option<(&'static str, String)> {
        if self.money && !quote.priced {
            return Some((
                "price_unknown",
                format!(
                    "a budget in dollars is set, and the price of {} is not known. Enter its price in Settings, choose a model \
                     whose price is known (`loopwright models` lists them), or remove the budget.",
                    quote.model
                ),
            ));
        }
        let unbounded =
            (self.money && quote.microusd.is_none()) || (self.tokens && quote.tokens().is_none());
        unbounded.then(|| {
            (
                "max_tokens_missing",
                format!(
                    "a budget is set, and nothing bounds how long the answer of {} can be. Set Max tokens of \"{title}\", or \
                     remove the budget.",
                    quote.model
                ),
            )
        })
    }
}

/// The used, reserved and permitted amounts of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BudgetState {
    /// The micro-dollars used by finished calls. A call whose outcome is unknown counts as its full reservation.
    pub spent_microusd: u64,
    pub spent_tokens: u64,
    /// The micro-dollars reserved for calls in progress.
    pub reserved_microusd: u64,
    pub reserved_tokens: u64,
    pub limits: Limits,
}

/// Whether a call fits into a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    Now,
    /// The call may fit later, if other calls use less than their reservations.
    Later,
    Never,
}

/// The state of one budget, and whether its reservations are reliable.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BudgetLedger {
    pub(crate) state: BudgetState,
    /// Whether a call cost more than was reserved for it. Reservations are then no longer reliable.
    pub(crate) breached: bool,
}

impl BudgetLedger {
    pub(crate) fn new(limits: Limits) -> Self {
        let mut ledger = Self::default();
        ledger.state.limits = limits;
        ledger
    }

    /// Raises the spent amounts to at least `used`, the usage of the run or loop before the budget was set. Reservations count
    /// as reliable again.
    pub(crate) fn begin_with(&mut self, used: &Usage) {
        let s = &mut self.state;
        s.spent_microusd = s.spent_microusd.max(used.cost_microusd);
        s.spent_tokens = s.spent_tokens.max(used.tokens());
        self.breached = false;
    }

    pub(crate) fn fit(&self, asked: &CallRequest) -> Fit {
        if self.breached && !self.state.limits.is_none() {
            return Fit::Never;
        }
        let one = |limit: Option<u64>, spent: u64, reserved: u64, most: Option<u64>| {
            let Some(limit) = limit else { return Fit::Now };
            // If the maximum of the call is unknown, the call never counts as fitting.
            let Some(needed) = most.and_then(|most| spent.checked_add(most)) else {
                return Fit::Never;
            };
            if needed > limit {
                Fit::Never
            } else if needed.saturating_add(reserved) > limit {
                Fit::Later
            } else {
                Fit::Now
            }
        };
        let s = &self.state;
        let money = one(
            s.limits.microusd,
            s.spent_microusd,
            s.reserved_microusd,
            asked.microusd,
        );
        let tokens = one(
            s.limits.tokens,
            s.spent_tokens,
            s.reserved_tokens,
            asked.tokens,
        );
        money.max(tokens)
    }

    pub(crate) fn reserve(&mut self, asked: &CallRequest) {
        let s = &mut self.state;
        s.reserved_microusd = s
            .reserved_microusd
            .saturating_add(asked.microusd.unwrap_or(0));
        s.reserved_tokens = s.reserved_tokens.saturating_add(asked.tokens.unwrap_or(0));
    }

    /// Charges an amount for which nothing was reserved.
    pub(crate) fn charge(&mut self, microusd: u64, tokens: u64) {
        let s = &mut self.state;
        s.spent_microusd = s.spent_microusd.saturating_add(microusd);
        s.spent_tokens = s.spent_tokens.saturating_add(tokens);
    }

    /// Replaces a reservation with the amount that was spent.
    pub(crate) fn settle(&mut self, asked: &CallRequest, microusd: u64, tokens: u64) {
        let s = &mut self.state;
        s.reserved_microusd = s
            .reserved_microusd
            .saturating_sub(asked.microusd.unwrap_or(0));
        s.reserved_tokens = s.reserved_tokens.saturating_sub(asked.tokens.unwrap_or(0));
        self.charge(microusd, tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_cut_to_whole_micro_dollars() {
        assert_eq!(microusd(0.07), 70_000);
        assert_eq!(microusd(0.000_000_9), 0);
        assert_eq!(microusd(0.25), 250_000);
        assert_eq!(microusd(-1.0), 0);
        assert_eq!(dollars(70_000), "$0.07");
        assert_eq!(dollars(1_250), "$0.00125");
        assert_eq!(dollars(12_000_000), "$12.00");
    }

    #[test]
    fn what_is_promised_to_others_may_come_back() {
        let asked = |microusd| CallRequest {
            call: 0,
            model: String::new(),
            microusd,
            tokens: Some(10),
            unbounded: false,
        };
        let mut ledger = BudgetLedger::new(Limits::new(Some(0.000_1), None));
        assert_eq!(ledger.fit(&asked(Some(60))), Fit::Now);
        ledger.reserve(&asked(Some(60)));
        assert_eq!(ledger.fit(&asked(Some(60))), Fit::Later);
        assert_eq!(ledger.fit(&asked(Some(101))), Fit::Never);
        assert_eq!(ledger.fit(&asked(None)), Fit::Never);
        ledger.settle(&asked(Some(60)), 41, 3);
        assert_eq!(ledger.fit(&asked(Some(60))), Fit::Never);
        assert_eq!(ledger.fit(&asked(Some(59))), Fit::Now);
        assert_eq!(
            (ledger.state.spent_microusd, ledger.state.spent_tokens),
            (41, 3)
        );
    }

    #[test]
    fn what_has_no_bound_begins_while_anything_is_left() {
        let turn = || CallRequest::unbounded(0, "turn".to_owned());
        let mut ledger = BudgetLedger::new(Limits::new(Some(0.000_1), Some(50)));
        assert_eq!(ledger.fit(&turn()), Fit::Now);
        ledger.reserve(&turn());
        ledger.settle(&turn(), 99, 49);
        assert_eq!(ledger.fit(&turn()), Fit::Now);
        ledger.charge(1, 0);
        assert_eq!(ledger.fit(&turn()), Fit::Never);
        assert_eq!(ledger.state.reserved_microusd, 0);
        let mut ledger = BudgetLedger::new(Limits::new(None, Some(50)));
        ledger.charge(u64::MAX, 50);
        assert_eq!(ledger.fit(&turn()), Fit::Never);
    }
}
