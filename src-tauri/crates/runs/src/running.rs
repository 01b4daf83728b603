//! Starts, pauses and stops runs that this program leads.

use std::{sync::Arc, time::Duration};

use loopwright_driver::EventSink;
use loopwright_engine::{ApprovalPolicy, RunStatus, plan::Focus, trust::Grants};
use serde::Serialize;
use serde_json::{Map, Value};
use specta::Type;

use crate::{
    env::Env,
    error::{ApiError, Code},
    launch::{Launch, Started, Work, admit, launch},
    new_budget::NewBudget,
    prepared_run::{PreparedFlow, PreparedRun, RunRequest},
    requests::{self, Request},
    resuming::end_suspended,
    run_lock::RunLock,
    trust::refusals::refuse_prepared,
};

/// The flow of a run, with its inputs, its pinned values and its receiver of events.
pub struct RunOptions {
    pub document: Value,
    pub flow_path: Option<String>,
    /// The inputs, by name.
    pub inputs: Map<String, Value>,
    /// How questions to a person are answered.
    pub approve: ApprovalPolicy,
    /// The pinned values of nodes, which replace computed ones, and the node at which the run ends.
    pub focus: Focus,
    /// The function that receives every event, in order. It must not block.
    pub events: EventSink,
}

/// The options for starting a prepared run.
pub struct StartOptions {
    /// Permissions of the run in addition to those that are approved for its flow.
    pub allow: Grants,
    /// How questions to a person are answered.
    pub approve: ApprovalPolicy,
    /// The function that receives every event, in order. It must not block.
    pub events: EventSink,
}

impl RunOptions {
    pub(crate) fn split(self, allow: Grants) -> (RunRequest, StartOptions) {
        let request = RunRequest {
            document: self.document,
            flow_path: self.flow_path,
            inputs: self.inputs,
            focus: self.focus,
            budget: NewBudget::default(),
        };
        let start = StartOptions {
            allow,
            approve: self.approve,
            events: self.events,
        };
        (request, start)
    }
}

/// The reason why a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct RunFailureInfo {
    pub code: String,
    pub node: Option<String>,
    pub message: String,
}

/// Starts a prepared run under the id `run_id`. This program leads it.
pub(crate) fn start_here(
    env: &Arc<Env>,
    run_id: String,
    prepared: PreparedRun,
    options: StartOptions,
) -> Result<Started, ApiError> {
    let StartOptions {
        allow,
        approve,
        events,
    } = options;
    prepared.check()?;
    let PreparedFlow {
        flow,
        path,
        identity,
        ..
    } = &prepared.flow;
    let path = path.as_deref();
    let admitted = admit(env, flow, path, identity.clone(), &allow).inspect_err(|error| {
        if error.code == Code::NotApproved
            && let Err(error) = refuse_prepared(env, &prepared)
        {
            tracing::warn!(
                "The resources that the flow was not allowed to use could not be recorded: {error}"
            );
        }
    })?;
    let lock = RunLock::take(env.data_dir(), &run_id)?;
    let (mut header, plan) = prepared.into_header(&run_id, env.now(), allow)?;
    env.journal().create(&header)?;
    // The inputs may be large, and the header is no longer needed.
    let inputs = match header.inputs.take() {
        Value::Object(inputs) => inputs,
        _ => Map::new(),
    };
    let plan = Arc::new(plan);
    Ok(launch(
        env,
        Launch {
            run_id,
            lock,
            admitted,
            work: Work::Begin { plan, inputs },
            approve,
            events,
        },
    ))
}

/// Stops a run in any status. The store of the run has no workers. If a program leads the run, that program is asked to stop it
/// and does so within a second.
pub(crate) fn stop_here(env: &Env, run_id: &str) -> Result<(), ApiError> {
    if env.running().stop(run_id) {
        return Ok(());
    }
    if env.is_led(run_id) {
        return requests::ask(env, run_id, &Request::Stop);
    }
    // The run is suspended, or its program was lost. From now on it cannot be resumed.
    end_suspended(env, run_id)
}

/// Pauses a run. If another program leads the run, that program is asked to pause it and does so within a second.
pub(crate) fn pause_here(env: &Env, run_id: &str) -> Result<(), ApiError> {
    if env.running().set_paused(run_id, true) {
        return Ok(());
    }
    let (_, state) = env.journal().run(run_id)?;
    if state.status == RunStatus::Paused {
        return Ok(());
    }
    if env.is_led(run_id) {
        return requests::ask(env, run_id, &Request::Pause);
    }
    Err(ApiError::new(
        Code::InvalidArgument,
        format!("Run {run_id} is not in progress, so it cannot be paused."),
    ))
}

/// Makes the node at `path` repeat its model call instead of waiting for the answer. Does nothing if the node has no call in
/// progress. If another program leads the run, that program is asked to repeat the call.
///
/// # Errors
/// [`Code::InvalidArgument`] if no program leads the run.
pub(crate) fn ask_again_here(env: &Env, run_id: &str, path: &str) -> Result<(), ApiError> {
    if env.running().ask_again(run_id, path) {
        return Ok(());
    }
    if env.is_led(run_id) {
        return requests::ask(env, run_id, &Request::AskAgain(path.to_owned()));
    }
    Err(ApiError::new(
        Code::InvalidArgument,
        format!("Run {run_id} is not in progress, so it has no call to repeat."),
    ))
}

/// Makes one call of a run now for each quota that the run waits for, instead of waiting for the quota. If another program
/// leads the run, that program is asked to do so.
///
/// # Errors
/// [`Code::InvalidArgument`] if no program leads the run, or if the run waits for no quota.
pub(crate) fn try_now_here(env: &Env, run_id: &str) -> Result<(), ApiError> {
    let (_, state) = env.journal().run(run_id)?;
    let is_led = env.is_led(run_id);
    if state.parked.is_none() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!("Run {run_id} is not waiting for a quota."),
        ));
    }
    if env.running().try_now(run_id) {
        return Ok(());
    }
    if is_led {
        return requests::ask(env, run_id, &Request::TryNow);
    }
    Err(ApiError::new(
        Code::InvalidArgument,
        format!(
            "Run {run_id} is not executing, so it is not waiting for a quota now. Resume it with `loopwright runs resume {run_id}`, then try again."
        ),
    ))
}

/// Continues a paused run that this process still drives. Returns `false` if the run is already suspended; it must then be
/// resumed.
pub fn unpause_run(env: &Env, run_id: &str) -> bool {
    env.running().set_paused(run_id, false)
}

/// Returns the ids of the runs that this process leads.
pub fn running_ids(env: &Env) -> Vec<String> {
    env.running().ids()
}

/// Stops every run of this process. Waits until all have stopped, but no longer than `patience`.
pub async fn stop_all(env: &Env, patience: Duration) {
    env.running().stop_all();
    env.running().none_left(patience).await;
}

/// Pauses every run of this process: steps in progress finish, and no new step starts.
pub fn pause_all(env: &Env) {
    for run_id in env.running().ids() {
        env.running().set_paused(&run_id, true);
    }
}

/// Waits until this process leads no run.
pub async fn all_over(env: &Env) {
    env.running().none_left(Duration::MAX).await;
}

/// Detaches every run of this process: steps in progress are cut off, but their records are kept. Waits until all are
/// detached, but no longer than `patience`. Each run is later marked as interrupted and can be resumed.
pub async fn detach_all(env: &Env, patience: Duration) {
    env.running().detach_all();
    env.running().none_left(patience).await;
}
