//! Recovery: a run is rebuilt from its journal, and what it had open is handed on.

use std::{collections::VecDeque, ops::ControlFlow};

use loopwright_model::graph::NodeIx;
use serde_json::{Map, Value};

pub use super::open::{OpenExecution, OpenTimer};
use super::{
    Run,
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
    /// What the core emits beyond the journal's end: to be written before anything is done.
    pub unwritten: VecDeque<(String, Option<NodeIx>, Entry)>,
    /// Time of the last record, milliseconds since the Unix epoch.
    pub last_at: i64,
    /// How much of the time until then nothing ran, in milliseconds.
    pub suspended_ms: i64,
    /// The number of the next call that asks.
    pub next_call: u64,
}

/// Feeds `records`, all of a run's from the first on, to a fresh run. `reopened`: a run that was stopped at its budget is
/// taken back to before it was stopped.
///
/// # Errors
/// `journal_diverged` when the records are not what this flow gives: the flow or the program has changed.
pub fn recover(
    plans: &Plans,
    inputs: Map<String, Value>,
    records: &[Record],
    reopened: bool,
) -> Result<Recovered, NodeError> {
    let from = RecordSource {
        plans,
        inputs: &inputs,
        records,
        reopened,
        exact: false,
    };
    let mut rebuild = rebuild(&from, |_, _, _| ControlFlow::Continue(()))?;
    if records.is_empty() {
        rebuild.step(super::Input::Start);
    }
    for (path, _, entry) in &rebuild.emitted {
        rebuild.open.is_unwritten(path, entry);
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
