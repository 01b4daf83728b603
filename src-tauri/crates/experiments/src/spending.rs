//! What runs have used, and what they may use: their flows' own budgets and shares of an experiment's.

use loopwright_engine::{
    Usage,
    budget::Limits,
    journal::{Journal, JournalError, RunHeader, RunState, Select},
};
use loopwright_runs::NewBudget;
use serde_json::Value;

use super::budget::Amount;

/// The budget that a flow sets itself.
pub(super) fn own_limits(document: &Value) -> Limits {
    let budget = &document["settings"]["budget"];
    Limits::new(budget["usd"].as_f64(), budget["tokens"].as_u64())
}

/// The budget with which a run continues: what it has used and its new share together, and never more than its flow's own.
pub(super) fn budget_to_resume(state: &RunState, share: Limits, own: Limits) -> Option<NewBudget> {
    if share.is_none() {
        return None;
    }
    let stood = used_of(state, &state.usage);
    let limits = Limits {
        microusd: share
            .microusd
            .map(|share| share.saturating_add(stood.microusd)),
        tokens: share.tokens.map(|share| share.saturating_add(stood.tokens)),
    };
    let limits = within(limits, own);
    Some(NewBudget {
        usd: limits.microusd.map(|limit| limit as f64 / 1e6),
        tokens: limits.tokens,
    })
}

/// Whether limits are smaller than those of a flow itself.
pub(super) fn is_tighter(limits: Limits, own: Limits) -> bool {
    let smaller = |limit: Option<u64>, own: Option<u64>| {
        limit.is_some_and(|limit| own.is_none_or(|own| limit < own))
    };
    smaller(limits.microusd, own.microusd) || smaller(limits.tokens, own.tokens)
}

/// A run as its records say. The row of one that was killed may lag behind them, and miss a call that was under way.
///
/// # Errors
/// What the journal says.
pub(super) fn run_now(
    journal: &dyn Journal,
    run_id: &str,
) -> Result<(RunHeader, RunState), JournalError> {
    let (header, row) = journal.run(run_id)?;
    if row.status.is_over() {
        return Ok((header, row));
    }
    let mut state = RunState::default();
    journal.read_each(run_id, Select::All, &mut |record| state.apply(&record))?;
    Ok((
        header,
        RunState {
            status: row.status,
            ..state
        },
    ))
}

/// What a run has used: `told` of the calls that ended, and in full what was reserved for those whose end nobody knows.
pub(super) fn used_of(state: &RunState, told: &Usage) -> Amount {
    let told = Amount::from(told);
    let Some(budget) = state.budget else {
        return told;
    };
    // A fork's budget counts what it kept, too.
    let kept = Amount::from(&state.usage).less(told);
    let promised = Amount {
        microusd: budget
            .spent_microusd
            .saturating_add(budget.reserved_microusd),
        tokens: budget.spent_tokens.saturating_add(budget.reserved_tokens),
    };
    told.most(promised.less(kept))
}

/// The smaller of two limits.
pub(super) fn within(a: Limits, b: Limits) -> Limits {
    let least = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    Limits {
        microusd: least(a.microusd, b.microusd),
        tokens: least(a.tokens, b.tokens),
    }
}

/// What a run itself has used: a fork has not used what it kept.
pub(super) fn own_usage(header: &RunHeader, state: &RunState) -> Usage {
    match &header.setup.origin {
        Some(origin) => state.usage.without(&origin.kept),
        None => state.usage,
    }
}
