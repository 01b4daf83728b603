//! Replays runs: feeds a run's journal to the engine's core again, without using the network or keys.

use loopwright_engine::{
    Event, RunStatus, Warning,
    event::project,
    journal::{Entry, Fact, Select},
    outcome::UsageView,
    run::replay::replay,
    session::closing::never_began,
};
use serde::Serialize;
use serde_json::Value;
use specta::Type;
use specta_typescript::Any;

use crate::{
    clock::clip,
    env::Env,
    error::{ApiError, Code},
    prepare::{StoredRun, stored_run},
    running::RunFailureInfo,
};

/// The result of a replay that matched the recorded run.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Replayed {
    /// The number of compared records, all of them equal.
    pub records: u32,
    /// The number of compared records that are shown as events.
    pub events: u32,
    /// The status of the run. For a run that is not over, it is `interrupted`, or `waiting` if the run waits for a person.
    pub status: RunStatus,
    /// The outputs by name; null if the run has none.
    #[specta(type = Any)]
    pub outputs: Value,
    pub usage: UsageView,
    pub duration_ms: Option<u32>,
    pub warnings: Vec<Warning>,
    pub error: Option<RunFailureInfo>,
}

/// Replays a recorded run from its journal. Every effect gets its recorded result, and none is performed. `events` receives
/// each event with its recorded time.
///
/// # Errors
/// [`Code::Diverged`] if a record differs from what this program now produces for the flow; the message describes the first
/// such record. [`Code::NotFound`] if the run does not exist.
pub fn replay_run(
    env: &Env,
    run_id: &str,
    mut events: impl FnMut(&Event),
) -> Result<Replayed, ApiError> {
    let journal = env.journal();
    let (header, state) = journal.run(run_id)?;
    let StoredRun { plans, inputs, .. } = stored_run(&header, env.kinds())?;
    let records = journal.read(run_id, Select::All)?;
    let mut count = 0;
    let mut heard = |event: &Event| {
        count += 1;
        events(event);
    };
    if never_began(&records) {
        records
            .iter()
            .filter_map(|record| project(run_id, record))
            .for_each(|event| heard(&event));
    } else {
        replay(&plans, run_id, inputs, &records, heard)
            .map_err(|error| ApiError::new(Code::Diverged, error.message))?;
    }
    let mut replayed = Replayed {
        records: u32::try_from(records.len()).unwrap_or(u32::MAX),
        events: count,
        status: match state.status {
            RunStatus::Waiting => RunStatus::Waiting,
            _ => RunStatus::Interrupted,
        },
        outputs: Value::Null,
        usage: UsageView::from(&state.usage),
        duration_ms: None,
        warnings: state.warnings,
        error: None,
    };
    // The replay has produced every record, so the last record is also the result of the replay.
    match records.last() {
        Some(last) => match &last.entry {
            Entry::Fact(Fact::RunCompleted {
                outputs,
                duration_ms,
                usage,
                warnings,
            }) => {
                replayed.status = RunStatus::Completed;
                replayed.outputs = outputs.to_object();
                replayed.duration_ms = Some(clip(*duration_ms));
                replayed.usage = UsageView::from(&**usage);
                replayed.warnings.clone_from(warnings);
            }
            Entry::Fact(Fact::RunFailed {
                status,
                error,
                duration_ms,
                usage,
                warnings,
            }) => {
                replayed.status = *status;
                replayed.duration_ms = Some(clip(*duration_ms));
                replayed.usage = UsageView::from(&**usage);
                replayed.warnings.clone_from(warnings);
                replayed.error = Some(RunFailureInfo {
                    code: error.code.clone(),
                    node: last.node_id.as_deref().map(str::to_owned),
                    message: error.message.clone(),
                });
            }
            _ => {}
        },
        None => replayed.status = state.status,
    }
    Ok(replayed)
}
