//! Recovery: a run is rebuilt from its journal, together with what it had open.

use std::{collections::VecDeque, ops::ControlFlow};

use loopwright_model::graph::NodeIx;
use serde_json::{Map, Value};

pub use super::open::{OpenExecution, OpenTimer};
use super::{
    Run,
    compare::diverged,
    plans::Plans,
    rebuild::{RecordSource, rebuild},
};
use crate::{
    journal::{Entry, Record},
    outcome::NodeError,
};

/// What a rebuilt run still has open.
pub struct Recovered {
    pub run: Run,
    pub executions: Vec<OpenExecution>,
    pub timers: Vec<OpenTimer>,
    /// What the core emits beyond the journal's end. It must be recorded before anything is done.
    pub unwritten: VecDeque<(String, Option<NodeIx>, Entry)>,
    /// Time of the last record, milliseconds since the Unix epoch.
    pub last_at: i64,
    /// How much of the time until then nothing ran, in milliseconds.
    pub suspended_ms: i64,
    /// The number of the next call that asks.
    pub next_call: u64,
}

/// Feeds all records of a run to a new one. `reopened`: the stop of a run at its budget is undone.
///
/// # Errors
/// `journal_diverged` when the records are not what this flow gives: the flow or the program has changed.
pub fn recover(
    plans: &Plans,
    inputs: Map<String, Value>,
    records: &[Record],
    reopened: bool,
) -> Result<Recovered, NodeError> {
    recover_imported(plans, inputs, records, reopened, 0)
}

/// As [`recover`], of a run whose first `imported` records were written in another store.
///
/// # Errors
/// As [`recover`]; also where the record of an open execution has another input, because a question would show that.
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
    let next_call = rebuild.open.next_call();
    let (executions, timers) = rebuild.open.into_parts(at);
    Ok(Recovered {
        next_call,
        executions,
        timers,
        run: rebuild.run,
        unwritten: rebuild.emitted,
        last_at: rebuild.last_at,
        suspended_ms: rebuild.suspended_ms,
    })
}
