//! Replay: repeats a run from its journal. The journal answers every effect, so no effect is performed. The core must emit
//! entries that equal the records in every value.

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

/// Replays `records`, all records of a run. Calls `event` with each event that the core emits, with its recorded time.
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
        // The record equals what the core emitted; otherwise the replay would have failed as diverged.
        if let Some(said) = project(run_id, record) {
            event(&said);
        }
        ControlFlow::Continue(())
    })?;
    Ok(())
}
