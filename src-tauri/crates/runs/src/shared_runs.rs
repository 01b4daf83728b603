//! Runs in a store that programs on several machines share. This program prepares them; a free worker executes them.

use std::sync::Arc;

use loopwright_driver::EventSink;
use loopwright_engine::{
    ApprovalPolicy, NodeError, RunStatus,
    journal::{RunHeader, Select},
    plan::Focus,
    session::closing::{Ending, not_begun},
};
use serde_json::Value;

use crate::{
    env::Env,
    error::{ApiError, Code},
    flow_identity::identity,
    launch::{Launch, Started, Work, admit, launch},
    new_budget::NewBudget,
    prepare::{StoredRun, prepare_flow, stored_run},
    prepared_run::PreparedFlow,
    resuming::end_suspended,
};

/// Prepares a flow whose runs workers lead. `usd` is the budget of each run, in dollars. It replaces the flow's own budget.
///
/// # Errors
/// [`Code::InvalidFlow`] with the first problem if the flow cannot run; [`Code::InvalidArgument`] if the budget is invalid.
pub fn prepare_batch(
    env: &Env,
    document: Value,
    path: Option<&str>,
    usd: Option<f64>,
) -> Result<PreparedFlow, ApiError> {
    let budget = NewBudget { usd, tokens: None };
    let path = path.map(str::to_owned);
    let prepared = prepare_flow(env, document, path, Focus::default(), budget)?;
    prepared.plan()?;
    Ok(prepared)
}

/// Leads a run that another program has stored and that has no records yet.
///
/// # Errors
/// [`Code::NotApproved`] if the flow needs permissions that this machine does not grant; an error if this program
/// cannot plan the flow. In both cases the run has ended with this error. [`Code::Busy`] if another program leads the
/// run.
pub fn start_stored(
    env: &Arc<Env>,
    run_id: &str,
    approve: ApprovalPolicy,
    events: EventSink,
) -> Result<Started, ApiError> {
    let lock = env.lock_run(run_id)?;
    let (header, _) = env.journal().run(run_id)?;
    let StoredRun {
        flow,
        plans,
        inputs,
    } = stored_run(&header, env.kinds()).inspect_err(|error| end_refused(env, &header, error))?;
    let path = header.flow_path.as_deref();
    let identity = identity(path, &flow);
    let admitted =
        admit(env, &flow, path, identity, &header.setup.allowed).inspect_err(|error| {
            if error.code == Code::NotApproved {
                end_refused(env, &header, error);
            }
        })?;
    let plan = Arc::clone(plans.last());
    Ok(launch(
        env,
        Launch {
            run_id: run_id.to_owned(),
            lock,
            admitted,
            work: Work::Begin { plan, inputs },
            approve,
            events,
        },
    ))
}

/// Returns whether a run has records.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub fn has_begun(env: &Env, run_id: &str) -> Result<bool, ApiError> {
    Ok(!env.journal().read(run_id, Select::Path(""))?.is_empty())
}

/// Marks a run as stopped. The run must be suspended or must not have begun.
///
/// # Errors
/// Returns an error if the store cannot be written.
pub fn end_stored(env: &Env, run_id: &str) -> Result<(), ApiError> {
    if has_begun(env, run_id)? {
        return end_suspended(env, run_id);
    }
    let (header, _) = env.journal().run(run_id)?;
    let error = NodeError::cancelled("The run was stopped before it began.");
    end_unbegun(env, &header, RunStatus::Cancelled, error)
}

/// Records that a stored run was refused.
fn end_refused(env: &Env, header: &RunHeader, error: &ApiError) {
    let error = NodeError::new(word(error.code), error.message.clone());
    if let Err(error) = end_unbegun(env, header, RunStatus::Failed, error) {
        tracing::warn!(
            "Run {} was refused, and its failure could not be saved: {error}",
            header.run_id
        );
    }
}

/// Marks a stored run that has not begun as failed. `code` and `message` are the error.
///
/// # Errors
/// Returns an error if the store cannot be written.
pub fn fail_stored(env: &Env, run_id: &str, code: &str, message: String) -> Result<(), ApiError> {
    let (header, _) = env.journal().run(run_id)?;
    end_unbegun(
        env,
        &header,
        RunStatus::Failed,
        NodeError::new(code, message),
    )
}

fn end_unbegun(
    env: &Env,
    header: &RunHeader,
    status: RunStatus,
    error: NodeError,
) -> Result<(), ApiError> {
    let now = env.now();
    let Ending { records, state } = not_begun(header.flow.clone(), Vec::new(), status, error, now);
    env.journal().append(&header.run_id, &records)?;
    Ok(env.journal().set_state(&header.run_id, &state)?)
}

/// Returns the code as it is written in JSON, such as `not_approved`.
fn word(code: Code) -> String {
    serde_json::to_value(code)
        .ok()
        .and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default()
}
