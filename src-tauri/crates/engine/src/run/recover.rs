//! Recovery: rebuilds a run from its journal, together with its open executions and timers.

use std::{collections::VecDeque, ops::ControlFlow};

use loopwright_model::graph::NodeIx;
use serde_json::{Map, Value};

use super::{
    Run,
    compare::diverged,
    plans::Plans,
    rebuild::{RecordSource, rebuild},
};
pub use super::{
    loop_resource::OpenResource,
    open::{OpenExecution, OpenTimer},
};
use crate::{
    journal::{Entry, Record},
    outcome::NodeError,
};

/// A rebuilt run, with its open executions and timers.
pub struct Recovered {
    pub run: Run,
    pub executions: Vec<OpenExecution>,
    pub timers: Vec<OpenTimer>,
    pub resources: Vec<OpenResource>,
    /// Entries that the core emits beyond the end of the journal. They must be recorded before any effect is performed.
    pub unwritten: VecDeque<(String, Option<NodeIx>, Entry)>,
    /// The time of the last record, in milliseconds since the Unix epoch.
    pub last_at: i64,
    /// The total time for which the run was suspended before its last record, in milliseconds.
    pub suspended_ms: i64,
    /// The number of the next call request.
    pub next_call: u64,
}

/// Returns a run that is rebuilt from all of its records. If `reopened` is true, a stop of the run at its budget is undone.
///
/// # Errors
/// `journal_diverged` if the records differ from what this flow produces, because the flow or the program has changed.
pub fn recover(
    plans: &Plans,
    inputs: Map<String, Value>,
    records: &[Record],
    reopened: bool,
) -> Result<Recovered, NodeError> {
    recover_imported(plans, inputs, records, reopened, 0)
}

/// Recovers a run as [`recover`] does, but its first `imported` records were written in another store.
///
/// # Errors
/// Returns the errors of [`recover`]. With imported records, also `journal_diverged` in two cases: the record of an open
/// execution has a different input than the execution, or there is a plan that no fork uses. In the first case, a question to a
/// person would show the wrong input.
pub fn recover_imported(
    plans: &Plans,
    inputs: Map<String, Value>,
    records: &[Record],
    reopened: bool,
    imported: u64,
) -> Result<Recovered, NodeError> {
    let from = RecordSource {
        plans,
        inputs: &inputs,
        records,
        reopened,
        exact: false,
        imported,
    };
    let mut rebuild = rebuild(&from, |_, _, _| ControlFlow::Continue(()))?;
    if records.is_empty() {
        rebuild.step(super::Input::Start);
    }
    for (path, _, entry) in &rebuild.emitted {
        rebuild.open.is_unwritten(path, entry);
    }
    let wrong = |record: &&Record| {
        rebuild.open.is_misstated(record) || (rebuild.has_plans_left() && record.seq == 0)
    };
    if imported > 0
        && let Some(record) = records.iter().find(wrong)
    {
        return Err(diverged(record, None));
    }
    let at = rebuild.at;
    rebuild.run.resumed();
    rebuild.run.is_importing = false;
    let next_call = rebuild.open.next_call();
    let resources = rebuild.run.tree.resources(&rebuild.run.closings);
    let (executions, timers) = rebuild.open.into_parts(at);
    Ok(Recovered {
        next_call,
        executions,
        timers,
        resources,
        run: rebuild.run,
        unwritten: rebuild.emitted,
        last_at: rebuild.last_at,
        suspended_ms: rebuild.suspended_ms,
    })
}
