//! Checks the properties of every run: its records have no gaps, its events match the records, everything that started has ended,
//! and its sums agree.

// A check reads better within the match arm than as its guard.
#![allow(clippy::collapsible_match)]

use std::collections::{BTreeMap, BTreeSet};

use loopwright_engine::{
    Event, RunStatus,
    event::project,
    journal::{Completed, Entry, Fact, Input, Record},
    plan::{Plan, Work},
};

use crate::{Done, sums, trace::ending};

/// Checks all properties.
///
/// # Errors
/// Returns a description of the first violation.
pub fn sound(plan: &Plan, done: &Done) -> Result<(), String> {
    for (index, record) in done.records.iter().enumerate() {
        if record.seq != index as u64 {
            return Err(format!("record {index} has the number {}", record.seq));
        }
    }
    let projected: Vec<Event> = done
        .records
        .iter()
        .filter_map(|record| project("run", record))
        .collect();
    if projected != done.events {
        return Err("the events differ from those of the records".to_owned());
    }
    if done.state.status != RunStatus::Waiting {
        ended(&done.records)?;
    }
    whole(plan, &done.records)?;
    waits(&done.records)?;
    sums::agree(&done.records)
}

/// Checks that every started node ended once, and that nothing follows the end of the run.
///
/// # Errors
/// Returns a description of the first violation.
pub fn ended(records: &[Record]) -> Result<(), String> {
    let mut open: BTreeMap<&str, i32> = BTreeMap::new();
    for record in records {
        match &record.entry {
            Entry::Fact(Fact::NodeStarted { .. }) => *open.entry(&record.path).or_default() += 1,
            Entry::Input(Input::ExecutionCompleted(_))
            | Entry::Fact(Fact::NodeCompleted(_))
            | Entry::Input(Input::ExecutionFailed(_))
            | Entry::Fact(Fact::NodeFailed(_)) => {
                *open.entry(&record.path).or_default() -= 1;
            }
            _ => {}
        }
    }
    if let Some((path, count)) = open.into_iter().find(|(_, count)| *count != 0) {
        return Err(format!(
            "{path} did not end as often as it started (difference {count})"
        ));
    }
    match records.last().map(|record| &record.entry) {
        Some(Entry::Fact(Fact::RunCompleted { .. }) | Entry::Fact(Fact::RunFailed { .. })) => {
            Ok(())
        }
        other => Err(format!("the last record is {other:?}")),
    }
}

/// Checks that no parked execution is released before its quota resets, and that only parked executions are released.
fn waits(records: &[Record]) -> Result<(), String> {
    let mut parked: BTreeMap<&str, i64> = BTreeMap::new();
    for record in records {
        match &record.entry {
            Entry::Input(Input::ExecutionParked(wait)) => {
                parked.insert(&record.path, wait.until);
            }
            Entry::Input(Input::ExecutionUnparked) => match parked.remove(&*record.path) {
                Some(until) if until <= record.at => {}
                Some(until) => {
                    let early = until - record.at;
                    return Err(format!(
                        "{} was released from its wait {early} ms early",
                        record.path
                    ));
                }
                None => return Err(format!("{} was not parked", record.path)),
            },
            _ => {}
        }
    }
    Ok(())
}

/// Checks that a completed iteration settled every node of its graph exactly once.
fn whole(plan: &Plan, records: &[Record]) -> Result<(), String> {
    let mut settled: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for record in records {
        let (scope, node) = record.path.rsplit_once('/').unwrap_or(("", &record.path));
        match &record.entry {
            // The nodes within a retried subflow run again, so their earlier ends do not count.
            Entry::Input(Input::ExecutionRetried(_)) | Entry::Fact(Fact::NodeRetried(_)) => {
                let inside = format!("{}/", record.path);
                settled.retain(|scope, _| !format!("{scope}/").starts_with(&inside));
            }
            Entry::Input(Input::ExecutionCompleted(_))
            | Entry::Fact(Fact::NodeCompleted(_))
            | Entry::Fact(Fact::NodeSkipped { .. }) => {
                if !settled.entry(scope).or_default().insert(node) {
                    return Err(format!("{} was settled twice", record.path));
                }
            }
            Entry::Fact(Fact::IterationCompleted {
                index,
                status: RunStatus::Completed,
                ..
            }) => {
                let path = format!("{}[{}]", record.path, index + 1);
                let start = plan.find(&record.path).map(|start| &plan.nodes[start].work);
                let graph = match start {
                    Some(Work::Scope { graph, .. }) => Some(*graph),
                    _ => None,
                };
                let members: BTreeSet<&str> = plan.graphs[graph.unwrap_or(0)]
                    .members
                    .iter()
                    .map(|&node| &*plan.nodes[node].id)
                    .collect();
                let done = settled.get(path.as_str()).cloned().unwrap_or_default();
                if done != members {
                    return Err(format!(
                        "{path} has the nodes {members:?}, but settled {done:?}"
                    ));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the parts of the result that do not depend on the order of completions.
pub fn summary(done: &Done) -> String {
    let mut state = done.state.clone();
    // These warnings appear only if a run was resumed during a call or the computer slept.
    state
        .warnings
        .retain(|warning| !matches!(warning.code.as_str(), "call_repeated" | "computer_slept"));
    // The warnings are in order of arrival.
    state
        .warnings
        .sort_by_cached_key(|warning| format!("{warning:?}"));
    let mut text = ending(&Done {
        state,
        records: Vec::new(),
        events: Vec::new(),
        took_ms: 0,
    });
    let mut paths: Vec<String> = done
        .records
        .iter()
        .filter_map(|record| match &record.entry {
            Entry::Input(Input::ExecutionCompleted(Completed { outcome, scope, .. }))
            | Entry::Fact(Fact::NodeCompleted(Completed { outcome, scope, .. })) => {
                let reason = scope.map(|scope| (scope.iterations, scope.exit_reason));
                Some(format!("{} = {} {reason:?}\n", record.path, outcome.value))
            }
            Entry::Fact(Fact::NodeSkipped { reason }) => {
                Some(format!("{} {reason}\n", record.path))
            }
            _ => None,
        })
        .collect();
    paths.sort();
    text.push_str(&paths.concat());
    text
}
