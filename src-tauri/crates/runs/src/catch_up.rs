//! Completes the stored state of a run whose program exited before it could write that state: the usage, the budget and the
//! iterations are computed from the records.

use std::collections::BTreeMap;

use loopwright_engine::{
    RunStatus, Usage,
    budget::BudgetState,
    journal::{Entry, Fact, Input, Record, RunState, effective, used},
};

/// Updates the state of a run whose program exited before it could write that state. `cut_off` receives the id of a
/// node. It returns the usage of an unfinished call of that node, or `None` if the node makes no calls.
pub(crate) fn catch_up(
    state: &mut RunState,
    records: &[Record],
    cut_off: impl Fn(&str) -> Option<Usage>,
) {
    let standing = effective(records, false);
    state.usage = used(standing.iter().copied());
    state.usage.add(&used_unfinished(&standing, cut_off));
    state.budget = budget_standing(&standing).or(state.budget);
    state.iterations = finished_iterations(&standing).or(state.iterations);
}

/// An execution that has started but has not finished.
#[derive(Default)]
struct Unfinished<'r> {
    /// The node's id if the node is in the run's own flow. `None` inside a subflow, because ids there are unique only within
    /// the subflow.
    node: Option<&'r str>,
    /// The usage of attempts that failed.
    spent: Usage,
    /// The recorded usage of calls that have not finished.
    sent: Usage,
    /// Whether the execution is waiting for a person or for its next attempt.
    is_waiting: bool,
}

/// Returns the usage of executions that were cut off when their program exited. For each, this is the usage of its
/// failed attempts and the recorded usage of its unfinished calls. If no such call is recorded and the execution was
/// not waiting, the usage of one call is added if the node makes calls.
fn used_unfinished(records: &[&Record], cut_off: impl Fn(&str) -> Option<Usage>) -> Usage {
    let mut open: BTreeMap<&str, Unfinished<'_>> = BTreeMap::new();
    for record in records {
        let path = record.path.as_str();
        if record.entry.completed().is_some() || record.entry.failed().is_some() {
            open.remove(path);
            continue;
        }
        if let Entry::Fact(Fact::NodeStarted { .. }) = &record.entry {
            let node = record.node_id.as_deref().filter(|_| !is_in_subflow(path));
            let begun = Unfinished {
                node,
                ..Unfinished::default()
            };
            open.insert(path, begun);
            continue;
        }
        let Some(execution) = open.get_mut(path) else {
            continue;
        };
        match &record.entry {
            Entry::Input(Input::CallsUnderWay { usage, .. }) => execution.sent = *usage,
            Entry::Input(Input::ExecutionRetried(retried)) => {
                execution.spent.add(&retried.error.usage);
                execution.sent = Usage::default();
                execution.is_waiting = true;
            }
            Entry::Input(Input::ExecutionParked(parked)) => {
                execution.spent.add(&parked.error.usage);
                execution.sent = Usage::default();
                execution.is_waiting = true;
            }
            Entry::Input(Input::NodeWaiting { .. }) => execution.is_waiting = true,
            Entry::Input(Input::NodeAnswered { .. } | Input::ExecutionUnparked) => {
                execution.is_waiting = false;
            }
            _ => {}
        }
    }
    let mut sum = Usage::default();
    for execution in open.values() {
        sum.add(&execution.spent);
        let may_have_sent = execution.sent.is_none() && !execution.is_waiting;
        match execution.node.filter(|_| may_have_sent).and_then(&cut_off) {
            Some(call) => sum.add(&call),
            None => sum.add(&execution.sent),
        }
    }
    sum
}

/// Returns whether a path lies inside a subflow. An enclosing path without the number of an iteration or item is the path of
/// a subflow.
fn is_in_subflow(path: &str) -> bool {
    let around = path.rsplit_once('/').map_or("", |(around, _)| around);
    !around.is_empty() && around.split('/').any(|part| !part.ends_with(']'))
}

/// Returns the number of finished iterations of the run's first loop, or `None` if no loop began.
fn finished_iterations(records: &[&Record]) -> Option<u32> {
    let mut first: Option<(&str, u32)> = None;
    for record in records {
        match (&record.entry, &mut first) {
            (
                Entry::Fact(Fact::NodeStarted {
                    max_iterations: Some(_),
                    ..
                }),
                None,
            ) => first = Some((&record.path, 0)),
            (Entry::Fact(Fact::IterationCompleted { status, .. }), Some((path, finished)))
                if record.path == *path && *status == RunStatus::Completed =>
            {
                *finished += 1;
            }
            _ => {}
        }
    }
    first.map(|(_, finished)| finished)
}

/// Returns the last recorded budget state of a run, or `None` if no state was recorded.
pub fn budget_standing(records: &[&Record]) -> Option<BudgetState> {
    let mut last: Option<BudgetState> = None;
    for record in records {
        if let Some(state) = record.entry.budget() {
            last = Some(*state);
        } else if let Entry::Input(Input::BudgetSet { limits }) = &record.entry {
            let state = last.get_or_insert_default();
            state.limits = limits.or(state.limits);
        }
    }
    last
}
