//! The usage and budgets of runs: a flow's own budget, and a share of an experiment's.

use loopwright_engine::{
    Usage,
    budget::Limits,
    journal::{Journal, JournalError, RunHeader, RunState, Select},
};
use loopwright_runs::NewBudget;
use serde_json::Value;

use super::budget::Amount;

/// Returns the budget that a flow sets for its own runs.
pub(super) fn own_limits(document: &Value) -> Limits {
    let budget = &document["settings"]["budget"];
    Limits::new(budget["usd"].as_f64(), budget["tokens"].as_u64())
}

/// Returns the budget with which a run is resumed: its usage so far plus its new share, but never more than its flow's own
/// budget. Returns `None` if the share sets no limit.
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

/// Returns whether `limits` are stricter than the limits in the flow's own budget.
pub(super) fn is_tighter(limits: Limits, own: Limits) -> bool {
    let smaller = |limit: Option<u64>, own: Option<u64>| {
        limit.is_some_and(|limit| own.is_none_or(|own| limit < own))
    };
    smaller(limits.microusd, own.microusd) || smaller(limits.tokens, own.tokens)
}

/// Returns a run and its current state. Unless the run is over, its state is computed from its records. If the program
/// was killed, the stored state may be older than the records and lack a call in progress.
///
/// # Errors
/// Returns the journal's error if the run's records cannot be read.
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

/// Returns the usage of a run: `reported` for calls that finished, plus the full reservation of each call whose outcome is
/// unknown.
pub(super) fn used_of(state: &RunState, reported: &Usage) -> Amount {
    let reported = Amount::from(reported);
    let Some(budget) = state.budget else {
        return reported;
    };
    // The budget of a fork includes the usage of the part that the fork keeps.
    let kept = Amount::from(&state.usage).less(reported);
    let promised = Amount {
        microusd: budget
            .spent_microusd
            .saturating_add(budget.reserved_microusd),
        tokens: budget.spent_tokens.saturating_add(budget.reserved_tokens),
    };
    reported.most(promised.less(kept))
}

/// Returns the stricter of two sets of limits, separately for each unit.
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

/// Returns the usage of the run itself. The part that a fork took over from its parent does not count.
pub(super) fn own_usage(header: &RunHeader, state: &RunState) -> Usage {
    match &header.setup.origin {
        Some(origin) => state.usage.without(&origin.kept),
        None => state.usage,
    }
}
