//! Messages about budgets, for users.

use crate::{
    budget::{BudgetLedger, CallRequest, dollars},
    outcome::Usage,
};

/// Returns the reason why the next call of the node with this title does not fit into the run's budget.
pub(super) fn over_budget(ledger: &BudgetLedger, title: &str, asked: &CallRequest) -> String {
    let state = &ledger.state;
    if ledger.breached {
        return "The run was stopped at its budget: a call used more than it could by its price and maxTokens, so the budget \
                cannot be relied on. To continue anyway, resume the run with a larger budget."
            .to_owned();
    }
    let over = |limit: Option<u64>, spent: u64, most: Option<u64>| {
        limit.is_some_and(|limit| {
            most.and_then(|most| spent.checked_add(most))
                .is_none_or(|needed| needed > limit)
        })
    };
    let (spent, limit, most) = if over(state.limits.microusd, state.spent_microusd, asked.microusd)
    {
        (
            dollars(state.spent_microusd),
            dollars(state.limits.microusd.unwrap_or(0)),
            asked.microusd.map(dollars),
        )
    } else {
        (
            format!("{} tokens", state.spent_tokens),
            format!("{} tokens", state.limits.tokens.unwrap_or(0)),
            asked.tokens.map(|tokens| format!("{tokens} tokens")),
        )
    };
    if asked.unbounded {
        return format!(
            "The run's budget of {limit} is used up: {spent} are spent. \"{title}\" was not started. Resume the run with a \
             larger budget to continue."
        );
    }
    format!(
        "The run's budget of {limit} has no room for the next call of \"{title}\": {spent} are spent, and the call can take \
         up to {}. Resume the run with a larger budget to go on.",
        most.unwrap_or_else(|| "more than is known".to_owned())
    )
}

/// Returns the warning that a call used more than was reserved for it: in money if `dearer`, otherwise in tokens.
pub(super) fn over_reservation(
    title: &str,
    asked: &CallRequest,
    usage: &Usage,
    dearer: bool,
) -> String {
    let (used, most) = if dearer {
        (
            dollars(usage.cost_microusd),
            dollars(asked.microusd.unwrap_or(0)),
        )
    } else {
        (
            format!("{} tokens", usage.tokens()),
            format!("{} tokens", asked.tokens.unwrap_or(0)),
        )
    };
    format!(
        "A call of \"{title}\" ({}) took {used}, more than the {most} that were reserved for it: its server did not keep to \
         maxTokens, or its price is not what the table says. Nothing more is started under the budget.",
        asked.model
    )
}

/// Returns the warning that the cost of an agent's turn is unknown.
pub(super) fn price_unknown(title: &str) -> String {
    format!(
        "A budget in dollars is set, and a turn of \"{title}\" did not report its cost. The budget does not count it. Set a \
         budget in tokens or a limit of iterations too."
    )
}

/// Returns the warning that the tokens of an agent's turn are unknown.
pub(super) fn tokens_unknown(title: &str) -> String {
    format!(
        "A budget in tokens is set, and a turn of \"{title}\" did not report its tokens. The budget does not count it. \
         Set a limit of iterations too."
    )
}
