//! What holds of every run that was resumed, also where a limit, a failure or a stop may now decide otherwise than it did.

use std::collections::BTreeSet;

use loopwright_engine::{
    Entry, Record,
    budget::{Fit, Limits},
    event::{RunStatus, project},
    journal::{Completed, Fact, Failed, Input, StopReason},
    plan::{Plan, Repeat, Work},
};
use loopwright_model::EffectClass;

use crate::{Done, sound::sound};

/// Checks `done`, which continued behind `kept` and made `calls` calls of models; says what is not so.
///
/// Nothing that was recorded is lost or done again, everything that began has ended, the sums agree, no more calls were made
/// than executions that may make one, and no budget was overspent.
pub fn holds(plan: &Plan, kept: &[Record], done: Done, calls: usize) -> Result<Done, String> {
    if done.records.get(..kept.len()) != Some(kept) {
        return Err("what was recorded did not stay".to_owned());
    }
    let (before, after) = done.records.split_at(kept.len());
    begins_nothing_again(before, after)?;
    let may = attempts(plan, before, after);
    if calls > may {
        return Err(format!("{calls} calls were made, and {may} attempts"));
    }
    if !reliable(&done.records) {
        // A server that takes more than was reserved for a call breaks a budget, which is said; nothing more is called then.
        stops_calling(&done.records)?;
    } else {
        budgets_hold(plan, &done.records)?;
    }
    if let Some(reason) = before.iter().rev().find_map(stop)
        && !ended_by(&done, reason)
    {
        return Err(format!(
            "it was stopped ({reason:?}) and came to {:?}",
            done.state
        ));
    }
    let events = done
        .records
        .iter()
        .filter_map(|record| project("run", record))
        .collect();
    let done = Done { events, ..done };
    sound(plan, &done)?;
    Ok(done)
}

fn stop(record: &Record) -> Option<StopReason> {
    match record.entry {
        Entry::Input(Input::StopRequested { reason }) => Some(reason),
        _ => None,
    }
}

fn ended_by(done: &Done, reason: StopReason) -> bool {
    let code = match reason {
        StopReason::Cancelled => return done.state.status == RunStatus::Cancelled,
        StopReason::Timeout => "timeout",
        StopReason::BudgetExceeded => "budget_exceeded",
    };
    let error = done.state.error.as_ref();
    error.is_some_and(|error| error.code == code)
}

/// What was settled is not started again, but inside a subflow that is tried again.
fn begins_nothing_again(before: &[Record], after: &[Record]) -> Result<(), String> {
    let mut settled: BTreeSet<&str> = BTreeSet::new();
    for (at, record) in before.iter().chain(after).enumerate() {
        match &record.entry {
            Entry::Input(Input::ExecutionCompleted(_))
            | Entry::Fact(Fact::NodeCompleted(_))
            | Entry::Input(Input::ExecutionFailed(_))
            | Entry::Fact(Fact::NodeFailed(_))
            | Entry::Fact(Fact::NodeSkipped { .. }) => {
                settled.insert(&record.path);
            }
            Entry::Input(Input::ExecutionRetried(_)) | Entry::Fact(Fact::NodeRetried(_)) => {
                let inside = format!("{}/", record.path);
                settled.retain(|path| !path.starts_with(&inside));
            }
            Entry::Fact(Fact::NodeStarted { .. })
                if at >= before.len() && settled.contains(&*record.path) =>
            {
                return Err(format!("{} was over and started again", record.path));
            }
            _ => {}
        }
    }
    Ok(())
}

/// How many attempts of executions that call somebody were under way in `before` or begun in `after`.
fn attempts(plan: &Plan, before: &[Record], after: &[Record]) -> usize {
    let calls = |record: &&Record| {
        plan.find(&record.path)
            .is_some_and(|node| plan.nodes[node].effect != EffectClass::Pure)
    };
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for record in before.iter().filter(calls) {
        match &record.entry {
            Entry::Fact(Fact::NodeStarted { .. }) => {
                open.insert(&record.path);
            }
            Entry::Input(Input::ExecutionCompleted(_))
            | Entry::Fact(Fact::NodeCompleted(_))
            | Entry::Input(Input::ExecutionFailed(_))
            | Entry::Fact(Fact::NodeFailed(_)) => {
                open.remove(&*record.path);
            }
            _ => {}
        }
    }
    let begun = |record: &&Record| {
        matches!(
            record.entry,
            Entry::Fact(Fact::NodeStarted { .. })
                | Entry::Input(Input::ExecutionRetried(_))
                | Entry::Fact(Fact::NodeRetried(_))
        )
    };
    open.len() + after.iter().filter(calls).filter(begun).count()
}

/// Whether every call kept to what was reserved for it.
fn reliable(records: &[Record]) -> bool {
    !records.iter().any(over_reservation)
}

fn over_reservation(record: &Record) -> bool {
    matches!(&record.entry, Entry::Fact(Fact::Warned { warning }) if warning.code == "call_over_reservation")
}

fn stops_calling(records: &[Record]) -> Result<(), String> {
    let mut behind = records
        .iter()
        .skip_while(|record| !over_reservation(record));
    match behind.find(|record| is_permitted(record)) {
        Some(record) => Err(format!("{} is called under a broken budget", record.path)),
        None => Ok(()),
    }
}

fn is_permitted(record: &Record) -> bool {
    matches!(
        record.entry,
        Entry::Fact(Fact::CallReserved { .. })
            | Entry::Input(Input::CallRequested { fits: Fit::Now, .. })
    )
}

/// What is spent and promised together never exceeds the run's budget, nor what its iterations used that of a loop. A turn of an agent
/// may, when it ends: then whatever is permitted fits.
fn budgets_hold(plan: &Plan, records: &[Record]) -> Result<(), String> {
    let has_turns = records.iter().any(|record| {
        matches!(&record.entry, Entry::Input(Input::CallRequested { asked, .. }) if asked.unbounded)
    });
    for record in records {
        if has_turns && !is_permitted(record) {
            continue;
        }
        if let Some(state) = record.entry.budget() {
            within(
                &state.limits,
                state.spent_microusd + state.reserved_microusd,
                state.spent_tokens + state.reserved_tokens,
            )
            .map_err(|why| format!("at {} in the run's budget: {why}", record.path))?;
        }
        let used = match &record.entry {
            Entry::Input(Input::ExecutionCompleted(Completed {
                outcome,
                scope: Some(_),
                ..
            }))
            | Entry::Fact(Fact::NodeCompleted(Completed {
                outcome,
                scope: Some(_),
                ..
            })) => outcome.usage,
            Entry::Input(Input::ExecutionFailed(Failed {
                error,
                scope: Some(_),
                ..
            }))
            | Entry::Fact(Fact::NodeFailed(Failed {
                error,
                scope: Some(_),
                ..
            })) => error.usage,
            _ => continue,
        };
        within(
            &loop_budget(plan, &record.path),
            used.cost_microusd,
            used.tokens(),
        )
        .map_err(|why| format!("in the budget of {}: {why}", record.path))?;
    }
    Ok(())
}

fn within(limits: &Limits, microusd: u64, tokens: u64) -> Result<(), String> {
    let over = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used > limit);
    if over(limits.microusd, microusd) || over(limits.tokens, tokens) {
        return Err(format!(
            "{microusd} micro-dollars and {tokens} tokens of {limits:?}"
        ));
    }
    Ok(())
}

/// The budget of the loop at `path`; none where there is no loop.
pub fn loop_budget(plan: &Plan, path: &str) -> Limits {
    let work = plan.find(path).map(|node| &plan.nodes[node].work);
    let Some(Work::Scope { graph, .. }) = work else {
        return Limits::default();
    };
    match &plan.graphs[*graph].repeat {
        Some(Repeat::Loop(config)) => config.budget,
        _ => Limits::default(),
    }
}
