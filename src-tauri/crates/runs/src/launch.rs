//! Launches the runs that this program leads: checks the permissions of the flow, then drives the run until it ends or is
//! suspended. All runs are launched here, whether they are new, resumed, forked, stored or kept tests. They differ in their
//! [`Work`] and in what is written before the launch.

use std::{sync::Arc, time::Duration};

use loopwright_driver::{EventSink, Finished, Host, PauseSwitch, ResumeError, drive_with, resume};
use loopwright_engine::session::Resumption;
use loopwright_engine::{
    ApprovalPolicy, CancellationToken, Event, EventBody, RunStatus,
    event::timestamp,
    host::Services,
    journal::RunState,
    outcome::UsageView,
    plan::Plan,
    run::Plans,
    trust::{Grants, Note},
};
use loopwright_model::Flow;
use serde_json::{Map, Value};
use tokio::task::JoinHandle;

use crate::{
    asleep::Meter,
    env::Env,
    error::{ApiError, Code},
    history_limit::{apply_history_limit, remember_led},
    left_notes, requests,
    run_handles::RunHandle,
    run_lock::RunLock,
    services::services,
    spending::{LimitedModels, lose_room},
    time_to_answer::time_to_answer,
    trust::{
        Trusted,
        refusals::{keep_refusals, recording_refusals},
        trusted,
    },
};

/// The minimum remaining time of a timer for which a run in a shared store is suspended. This frees the run's worker
/// for other runs.
const SHORTEST_SLEEP: Duration = Duration::from_secs(60);

/// A run that has started, with the token that stops it and the task that returns its outcome.
pub struct Started {
    pub run_id: String,
    pub cancel: CancellationToken,
    pub finished: JoinHandle<Result<RunOutcome, ApiError>>,
}

/// The state in which a run finished or was suspended.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    pub run_id: String,
    pub status: RunStatus,
    pub state: RunState,
    /// The time after which the run must be resumed. `None` unless the run is suspended until a timer fires, or until its question
    /// expires.
    pub wakes_in: Option<Duration>,
}

/// A flow that is permitted to run, with its services and the notes for its journal.
pub struct Admitted {
    /// The identity of the flow, under which its approvals are stored.
    flow: String,
    pub services: Services,
    /// The notes to be recorded in the journal.
    pub notes: Vec<Note>,
}

/// What to drive: a new run, or the continuation of a recorded one.
pub enum Work {
    /// A run that has no records yet.
    Begin {
        plan: Arc<Plan>,
        inputs: Map<String, Value>,
    },
    /// A run that continues after its last record.
    Continue {
        plans: Plans,
        inputs: Map<String, Value>,
        how: Resumption,
        /// The state to store again if the run cannot be continued. Nothing has been executed in that case. If it is `None`,
        /// the stored state is unchanged.
        before: Option<Box<RunState>>,
    },
}

impl Work {
    /// Drives the run until it ends or is suspended. `notes` are recorded first.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if the records do not fit the run, or an error if the journal cannot be read or written.
    pub async fn drive(
        self,
        run_id: &str,
        notes: Vec<Note>,
        host: &Host,
    ) -> Result<Finished, ApiError> {
        match self {
            Self::Begin { plan, inputs } => {
                Ok(drive_with(plan, run_id, inputs, notes, host).await?)
            }
            Self::Continue {
                plans,
                inputs,
                mut how,
                before,
            } => {
                how.notes = notes;
                match resume(plans, run_id, inputs, how, host).await {
                    Ok(finished) => Ok(finished),
                    Err(ResumeError::Journal(error)) => Err(error.into()),
                    Err(ResumeError::Refused(error)) => {
                        if let Some(before) = before {
                            host.journal.set_state(run_id, &before)?;
                        }
                        Err(ApiError::new(Code::InvalidArgument, error.message))
                    }
                }
            }
        }
    }
}

/// A run that is ready to be driven. Its header is already stored.
pub(crate) struct Launch {
    pub(crate) run_id: String,
    /// The lock of the run. It is held until the run ends or is suspended.
    pub(crate) lock: RunLock,
    pub(crate) admitted: Admitted,
    pub(crate) work: Work,
    /// How questions to a person are answered.
    pub(crate) approve: ApprovalPolicy,
    /// The function that receives every event, in order. It must not block.
    pub(crate) events: EventSink,
}

/// Checks the permissions of a run of `flow` and returns its services. `allowed` contains the permissions that the user gave
/// for this run only.
///
/// # Errors
/// [`Code::NotApproved`] if the flow needs permissions that the user has not approved, or an error if the provider settings
/// are invalid.
pub fn admit(
    env: &Env,
    flow: &Flow,
    path: Option<&str>,
    identity: String,
    allowed: &Grants,
) -> Result<Admitted, ApiError> {
    let Trusted {
        flow: identity,
        grants,
        notes,
    } = trusted(env, flow, path, identity, allowed)?;
    Ok(Admitted {
        flow: identity,
        services: services(env, flow, path, grants)?,
        notes,
    })
}

/// Starts to lead a run, and returns at once. The task in the result completes when the run ends or is suspended.
pub(crate) fn launch(env: &Arc<Env>, launch: Launch) -> Started {
    let Launch {
        run_id,
        lock,
        admitted,
        work,
        approve,
        events,
    } = launch;
    let events = recording_refusals(env, admitted.flow, events);
    if matches!(work, Work::Continue { .. }) {
        lose_room(env, &run_id);
        left_notes::forget(env.data_dir(), &run_id);
    }
    let services = Services {
        models: Arc::new(LimitedModels::new(env, &run_id, admitted.services.models)),
        ..admitted.services
    };
    let host = host(env, services, approve, events);
    let notes = admitted.notes;
    spawn_run(env, run_id, lock, host, work, notes)
}

/// Returns the host of a run that this program leads.
pub(crate) fn host(
    env: &Env,
    services: Services,
    approve: ApprovalPolicy,
    events: EventSink,
) -> Host {
    Host {
        services,
        journal: env.journal(),
        clock: env.steady_clock(),
        events: Some(events),
        cancel: CancellationToken::new(),
        pause: PauseSwitch::default(),
        approve,
        time_to_allow: time_to_allow(env),
        answers: None,
        lets_sleep: env.is_shared().then_some(SHORTEST_SLEEP),
        // A run of a shared store keeps the time of its store, and another worker may continue it during a sleep.
        sleep: (!env.is_shared()).then(|| Arc::new(Meter::new()) as _),
        activity: None,
    }
}

/// The maximum number of hours that a question about a tool call waits: ten years. A later time would not be a date.
const MOST_HOURS: f64 = 87_600.0;

/// Returns how long a question about a tool call waits for an answer; `None` if it waits forever. The user's settings do not
/// apply to runs in a shared store, whose questions others may answer.
fn time_to_allow(env: &Env) -> Option<Duration> {
    let hours = env.settings().refuse_calls_after_hours?.min(MOST_HOURS);
    (!env.is_shared()).then(|| Duration::try_from_secs_f64(hours * 3_600.0).ok())?
}

/// Drives `work` on the runtime. The run is registered by its id until it ends.
fn spawn_run(
    env: &Arc<Env>,
    run_id: String,
    lock: RunLock,
    mut host: Host,
    work: Work,
    notes: Vec<Note>,
) -> Started {
    let cancel = host.cancel.clone();
    let events = host.events.clone();
    let detach = CancellationToken::new();
    let handle = RunHandle {
        cancel: cancel.clone(),
        detach: detach.clone(),
        pause: host.pause.clone(),
        is_active: true,
    };
    env.running().insert(run_id.clone(), handle);
    remember_led(env, &run_id);
    let runtime = env.runtime();
    let env = Arc::clone(env);
    let id = run_id.clone();
    host.activity = Some({
        let (env, id) = (Arc::clone(&env), id.clone());
        Arc::new(move |active| env.running().set_active(&id, active))
    });
    let finished = runtime.spawn(async move {
        // Requests that were meant for an earlier leader do not apply.
        requests::forget(&env, &id);
        let result = tokio::select! {
            result = work.drive(&id, notes, &host) => result,
            // `serve` never completes.
            () = requests::serve(&env, &id) => return Err(ApiError::new(Code::Internal, "")),
            () = detach.cancelled() => Err(ApiError::new(
                Code::Busy,
                "Loopwright was closed. Finished work is kept, and the run can be resumed.",
            )),
        };
        let refusals = Arc::clone(&env);
        let kept = tokio::task::spawn_blocking(move || keep_refusals(&refusals));
        let _ = kept.await;
        env.running().remove(&id);
        requests::forget(&env, &id);
        env.workspaces().release(&id);
        drop(lock);
        // The run that has just ended is unseen, so the limit does not remove it.
        if let Err(error) = apply_history_limit(&env) {
            tracing::warn!("Old runs could not be deleted: {error}");
        }
        match result {
            Ok(finished) => Ok(RunOutcome {
                run_id: id,
                status: finished.status,
                wakes_in: finished
                    .wakes_in
                    .or_else(|| time_to_answer(&finished.state, env.now())),
                state: finished.state,
            }),
            Err(error) => {
                // The run stopped where it was, and its listeners must receive the error.
                if let Some(events) = events {
                    events(&Event {
                        run_id: id,
                        seq: u32::MAX,
                        at: timestamp(env.now()),
                        node_id: None,
                        path: String::new(),
                        body: EventBody::Failed {
                            status: RunStatus::Interrupted,
                            code: "interrupted".to_owned(),
                            message: error.to_string(),
                            duration_ms: 0,
                            usage: UsageView::default(),
                            warnings: Vec::new(),
                        },
                    });
                }
                Err(error)
            }
        }
    });
    Started {
        run_id,
        cancel,
        finished,
    }
}
