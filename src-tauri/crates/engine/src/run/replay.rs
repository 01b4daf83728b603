//! Replay: a run is repeated from its journal. Every effect is answered from there, none is performed, and what the core
//! emits must equal the records in every value.

use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::{
    plans::Plans,
    rebuild::{RecordSource, rebuild},
};
use crate::{
    event::{Event, project},
    journal::Record,
    outcome::NodeError,
};

/// Replays `records`, all records of a run, and calls `event` with each event as the core emits it now, with the recorded times.
///
/// # Errors
/// `journal_diverged`, with the first record that differs.
pub fn replay(
    plans: &Plans,
    run_id: &str,
    inputs: Map<String, Value>,
    records: &[Record],
    mut event: impl FnMut(&Event),
) -> Result<(), NodeError> {
    let from = RecordSource {
        plans,
        inputs: &inputs,
        records,
        reopened: false,
        exact: true,
        imported: 0,
    };
    rebuild(&from, |_, record, _| {
        // Equal to what the core emits, or the journal would have diverged.
        if let Some(said) = project(run_id, record) {
            event(&said);
        }
        ControlFlow::Continue(())
    })?;
    Ok(())
}
