//! Refused permissions. The items that runs were refused are stored, so that the user can allow them for the next run. If a
//! whole run was refused, it is stored as a failed run without steps.

use std::sync::Arc;

use loopwright_driver::EventSink;
use loopwright_engine::{
    Event, EventBody, NodeError, RunStatus,
    journal::{RunHeader, RunSetup},
    session::closing::{Ending, not_begun},
    trust::Verdict,
};
use loopwright_model::file;
use serde_json::{Value, json};

use super::{
    allow::not_approved,
    dto::{NeedInfo, NeedState, TrustList},
};
use crate::{
    clock::new_id,
    env::Env,
    error::ApiError,
    prepared_run::{PreparedFlow, PreparedRun},
    trust::{change, grants, needs},
};

/// Returns a sink that forwards events to `events` and stores the items that the run is refused, so that the user can allow
/// them for the next run.
pub(crate) fn recording_refusals(env: &Arc<Env>, flow: String, events: EventSink) -> EventSink {
    let env = Arc::clone(env);
    Arc::new(move |event: &Event| {
        events(event);
        if let EventBody::Trust(note) = &event.body
            && note.verdict == Verdict::Refused
            && env.pending_refusals().add(&flow, &note.items)
        {
            let env = Arc::clone(&env);
            // Writing happens on another thread, because an event listener must not wait for a disk.
            let handle = env.runtime().clone();
            handle.spawn_blocking(move || keep_refusals(&env));
        }
    })
}

/// Writes all pending refusals to the file of approvals. This is called before a run ends, so that no refusal is lost if the
/// program exits.
pub(crate) fn keep_refusals(env: &Env) {
    let refusals = env.pending_refusals();
    let _writing = refusals.writing();
    let pending = refusals.take();
    if pending.is_empty() {
        return;
    }
    let kept = change(env, |approvals| {
        for (flow, items) in pending {
            approvals
                .flows
                .entry(flow)
                .or_default()
                .wanted
                .extend(items);
        }
    });
    if let Err(error) = kept {
        tracing::warn!(
            "The list of resources that a run was refused could not be saved, so they are not offered for approval: {error}"
        );
    }
}

/// Records a run that failed before it began, because its permissions were refused or nobody could grant them. Returns the
/// id of the run.
///
/// # Errors
/// Returns an error if the document is not a flow, or if the store cannot be written.
pub fn refuse_run(env: &Env, document: Value, path: Option<&str>) -> Result<String, ApiError> {
    let name = file::read_value(document.clone())?.name.unwrap_or_default();
    let list = grants(env, document.clone(), path)?;
    keep_refusal(env, &list, name, document, path)
}

/// Records a refusal like [`refuse_run`], for a prepared run.
///
/// # Errors
/// Returns an error if the store cannot be written.
pub fn refuse_prepared(env: &Env, prepared: &PreparedRun) -> Result<String, ApiError> {
    let list = needs(env, prepared)?;
    let PreparedFlow {
        flow,
        document,
        path,
        ..
    } = &prepared.flow;
    let name = flow.name.clone().unwrap_or_default();
    keep_refusal(env, &list, name, document.clone(), path.as_deref())
}

fn keep_refusal(
    env: &Env,
    list: &TrustList,
    name: String,
    document: Value,
    path: Option<&str>,
) -> Result<String, ApiError> {
    let lacks: Vec<&NeedInfo> = list
        .needs
        .iter()
        .filter(|need| need.state == NeedState::New)
        .collect();
    let items = lacks.iter().map(|need| need.item.clone()).collect();
    let now = env.now();
    let header = RunHeader {
        run_id: new_id(),
        flow: name.clone(),
        flow_path: path.map(str::to_owned),
        document,
        inputs: json!({}),
        started_at: now,
        setup: RunSetup::default(),
    };
    let error = NodeError::new("not_approved", not_approved(&lacks));
    let Ending { records, state } = not_begun(name, items, RunStatus::Failed, error, now);
    env.journal().add(&header, &records, &state)?;
    Ok(header.run_id)
}
