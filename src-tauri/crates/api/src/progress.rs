//! How far a run is that is not over: its open iterations, what was last read of their conditions, and for how long it has run.

use std::collections::{BTreeMap, HashMap};

use loopwright_engine::{
    Entry, Record, RunStatus,
    budget::BudgetState,
    event::{BudgetView, PREVIEW},
    journal::{Fact, Input, RunState, Select, effective, used},
    outcome::{Usage, UsageView},
};
use loopwright_model::value::preview;
use serde::Serialize;

use crate::{app::App, error::ApiError};

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunProgress {
    /// For how long it has run, in milliseconds, without the times in which nothing ran.
    pub elapsed_ms: u64,
    /// By calls that have ended.
    #[serde(skip)]
    pub usage: UsageView,
    /// How its budget stands; `None` where it has none, or nothing was reserved yet.
    #[serde(skip)]
    pub budget: Option<BudgetView>,
    /// Iterations and items that have begun and not ended, each after those around it.
    pub iterations: Vec<OpenIteration>,
}

/// An iteration, or an item, under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenIteration {
    /// Of its loop or list: `refine`, `outer[2]/inner`.
    pub path: String,
    /// From 1.
    pub iteration: u32,
    /// The loop's cap, or the number of items.
    pub of: Option<u32>,
    /// Whether the exit condition was met when it was last read; `None` where it was not read yet.
    pub condition: Option<bool>,
    /// The beginning of the last finished iteration's result.
    pub last_result: Option<String>,
}

impl App {
    /// How far a run is, also while another program continues it; `None` when it is over.
    pub fn run_progress(&self, run_id: &str) -> Result<Option<RunProgress>, ApiError> {
        let (_, state) = self.journal().run(run_id)?;
        if state.status.is_over() {
            return Ok(None);
        }
        let records = self.journal().read(run_id, Select::All)?;
        let mut elapsed_ms = time_run(&records);
        if let (RunStatus::Running, Some(last)) = (state.status, records.last()) {
            let since = (self.clock())().saturating_sub(last.at);
            elapsed_ms = elapsed_ms.saturating_add(u64::try_from(since).unwrap_or(0));
        }
        let standing = effective(&records, false);
        Ok(Some(RunProgress {
            elapsed_ms,
            usage: UsageView::from(&match state.status {
                // Its row has what was cut off as well.
                RunStatus::Interrupted => state.usage,
                _ => used(standing.iter().copied()),
            }),
            budget: budget(&standing).as_ref().map(BudgetView::from),
            iterations: open_iterations(&standing),
        }))
    }
}

/// For how long a run has run, in milliseconds, without the times in which nothing ran: as the engine counts.
pub(crate) fn time_run(records: &[Record]) -> u64 {
    records
        .windows(2)
        .filter(|pair| pair[1].entry != Entry::Input(Input::RunResumed))
        .map(|pair| u64::try_from(pair[1].at.saturating_sub(pair[0].at)).unwrap_or(0))
        .fold(0, u64::saturating_add)
}

/// Brings the row of a run up to date that was lost before it could do that itself. `cut_off` is what a call of the node with this id
/// comes to that was cut off, where the node makes one.
pub(crate) fn catch_up(
    state: &mut RunState,
    records: &[Record],
    cut_off: impl Fn(&str) -> Option<Usage>,
) {
    let standing = effective(records, false);
    state.usage = used(standing.iter().copied());
    state.usage.add(&used_unfinished(&standing, cut_off));
    state.budget = budget(&standing).or(state.budget);
    state.iterations = finished_iterations(&standing).or(state.iterations);
}

/// An execution that has no end.
#[derive(Default)]
struct Unfinished<'r> {
    /// Of a node of the flow itself: what is inside of a subflow has an id there.
    node: Option<&'r str>,
    /// By failed attempts.
    spent: Usage,
    /// What it had sent, where that is written.
    sent: Usage,
    /// It waits for a person, or for its next attempt.
    is_waiting: bool,
}

/// What the executions have used that the end of their program cut off: what they had sent, where that is written, else one call where
/// the node makes such.
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
            Entry::Input(Input::CallsUnderWay { usage }) => execution.sent = *usage,
            Entry::Input(Input::ExecutionRetried(retried)) => {
                execution.spent.add(&retried.error.usage);
                execution.sent = Usage::default();
                execution.is_waiting = true;
            }
            Entry::Input(Input::NodeWaiting { .. }) => execution.is_waiting = true,
            Entry::Input(Input::NodeAnswered { .. }) => execution.is_waiting = false,
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

/// Whether what stands at a path is inside of a subflow: all else around it has an iteration.
fn is_in_subflow(path: &str) -> bool {
    let around = path.rsplit_once('/').map_or("", |(around, _)| around);
    !around.is_empty() && around.split('/').any(|part| !part.ends_with(']'))
}

/// How many iterations of the run's first loop are finished; `None` where none began.
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

/// How the run's budget stands, as it was last written.
fn budget(records: &[&Record]) -> Option<BudgetState> {
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

fn open_iterations(records: &[&Record]) -> Vec<OpenIteration> {
    let mut open: BTreeMap<(&str, u32), (u64, Option<u32>)> = BTreeMap::new();
    let mut conditions: HashMap<&str, bool> = HashMap::new();
    let mut results: HashMap<&str, String> = HashMap::new();
    for record in records {
        let path = record.path.as_str();
        match &record.entry {
            Entry::Fact(Fact::IterationStarted { index, total, .. }) => {
                open.insert((path, *index), (record.seq, *total));
            }
            Entry::Fact(Fact::ConditionChecked { result, .. }) => {
                conditions.insert(path, *result);
            }
            Entry::Fact(Fact::IterationCompleted {
                index,
                result,
                status,
                ..
            }) => {
                open.remove(&(path, *index));
                if *status == RunStatus::Completed {
                    results.insert(path, preview(result, PREVIEW));
                }
            }
            Entry::Fact(Fact::NodeStarted { .. })
            | Entry::Input(Input::ExecutionCompleted(_))
            | Entry::Fact(Fact::NodeCompleted(_))
            | Entry::Input(Input::ExecutionFailed(_))
            | Entry::Fact(Fact::NodeFailed(_)) => {
                // It begins, or is over: what an earlier attempt at it left does not stand.
                open.retain(|(of, _), _| *of != path);
                conditions.remove(path);
                results.remove(path);
            }
            _ => {}
        }
    }
    let mut open: Vec<_> = open.into_iter().collect();
    // What is around something began before it.
    open.sort_by_key(|(_, (began, _))| *began);
    open.into_iter()
        .map(|((path, index), (_, of))| OpenIteration {
            path: path.to_owned(),
            iteration: index.saturating_add(1),
            of,
            condition: conditions.get(path).copied(),
            last_result: results.get(path).cloned(),
        })
        .collect()
}
