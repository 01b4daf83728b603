//! Checks properties of every resumed run. They hold even if a limit, a failure or a stop leads to a different result after the
//! resume.

use std::collections::BTreeSet;

use loopwright_engine::{
    RunStatus,
    budget::{Fit, Limits},
    event::project,
    journal::{Completed, Entry, Fact, Failed, Input, Record, StopReason},
    plan::{Plan, Repeat, Work},
};
use loopwright_model::EffectClass;

use crate::{Done, sound::sound};

/// Checks a run `done` that continued after the records `kept` and made `calls` model calls.
///
/// No record is lost or repeated, everything that started has ended, the sums agree, there were no more calls than attempts, and
/// no budget was exceeded.
///
/// # Errors
/// Returns a description of the first violation.
pub fn holds(plan: &Plan, kept: &[Record], done: Done, calls: usize) -> Result<Done, String> {
    if done.records.get(..kept.len()) != Some(kept) {
        return Err("records from before the resumption changed or are missing".to_owned());
    }
    let (before, after) = done.records.split_at(kept.len());
    begins_nothing_again(before, after)?;
    let may = attempts(plan, before, after);
    if calls > may {
        return Err(format!(
            "{calls} calls were made, but only {may} attempts were recorded"
        ));
    }
    if !reliable(&done.records) {
        // A call that uses more than its reservation exceeds the budget. The run reports the excess and makes no further call.
        stops_calling(&done.records)?;
    } else {
        budgets_hold(plan, &done.records)?;
    }
    if let Some(reason) = before.iter().rev().find_map(stop)
        && !ended_by(&done, reason)
    {
        return Err(format!(
            "the run was stopped ({reason:?}) but ended as {:?}",
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

/// Checks that no settled node starts again, except within a retried subflow.
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
                return Err(format!("{} had ended, but started again", record.path));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the number of attempts of impure nodes that were in progress in `before` or started in `after`.
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
                | Entry::Input(Input::ExecutionRetried(_) | Input::ExecutionUnparked)
                | Entry::Fact(Fact::NodeRetried(_))
        )
    };
    open.len() + after.iter().filter(calls).filter(begun).count()
}

/// Returns whether every call stayed within its reservation.
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
        Some(record) => Err(format!(
            "{} made a call after the budget was exceeded",
            record.path
        )),
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

/// Checks that spent and reserved amounts together never exceed the run's budget, and that the usage of a loop's iterations
/// never exceeds the loop's budget. The last turn of an agent may exceed a budget. In a run with agents, only the records
/// that permit calls are checked.
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
            "{microusd} micro-dollars and {tokens} tokens exceed {limits:?}"
        ));
    }
    Ok(())
}

/// Returns the budget of the loop at `path`, or no limits if there is no loop.
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
