//! Replay: a run is made again from its journal. Every effect is answered from there, none is performed, and what the core
//! says must be what is written, to the last value.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    Run,
    rebuild::{Plans, Rebuild, hold_places},
};
use crate::{
    event::{Event, project},
    journal::{Record, standing},
    outcome::NodeError,
};

/// Replays `records`, all of a run's, and gives `event` each event as the core says it now, with the recorded times.
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
    let mut run = Run::new(Arc::clone(plans.first()), inputs);
    hold_places(&mut run, records);
    let began = records.first().map_or(0, |record| record.at);
    let mut rebuild = Rebuild::new(run, plans.iter().skip(1).cloned(), began);
    for record in standing(records, false) {
        // Equal to what the core says, or the journal would not fit.
        rebuild.take(record, true)?;
        if let Some(said) = project(run_id, record) {
            event(&said);
        }
    }
    Ok(())
}
