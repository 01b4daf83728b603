//! The one launch of runs that this program leads. It checks what the flow may use, then drives the run until it ends or is
//! suspended. New, resumed, forked and stored runs and kept tests differ in what is written before, and in their [`Work`].

use std::{sync::Arc, time::Duration};

use loopwright_driver::{
    EventSink, Finished, Host, PauseSwitch, ResumeError, Resumption, drive_with, resume,
};
use loopwright_engine::{
    ApprovalPolicy, CancellationToken,
    event::{Event, EventBody, RunStatus, timestamp},
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
    env::Env,
    error::{ApiError, Code},
    history_limit::{apply_history_limit, remember_led},
    run_handles::RunHandle,
    run_lock::RunLock,
    services::services,
    trust::{
        Trusted,
        refusals::{keep_refusals, recording_refusals},
        trusted,
    },
};

/// The shortest wait for which a run of a shared store gives up its slot.
const SHORTEST_SLEEP: Duration = Duration::from_secs(60);

/// A run that has begun.
pub struct Started {
    pub run_id: String,
    pub cancel: CancellationToken,
    pub finished: JoinHandle<Result<RunOutcome, ApiError>>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    pub run_id: String,
    pub status: RunStatus,
    pub state: RunState,
    /// The time until the run must be resumed, if it sleeps.
    pub wakes_in: Option<Duration>,
}

/// A flow that may run, with its services and the notes for its journal.
pub struct Admitted {
    /// The identity by which approvals know the flow.
    flow: String,
    pub services: Services,
    /// The notes to be recorded in the journal.
    pub notes: Vec<Note>,
}

/// The work to be driven.
pub enum Work {
    /// A run without records.
    Begin {
        plan: Arc<Plan>,
        inputs: Map<String, Value>,
    },
    /// A run that continues after its last record.
    Continue {
        plans: Plans,
        inputs: Map<String, Value>,
        how: Resumption,
        /// The state that the run returns to if it cannot be continued. Nothing has run by then.
        before: Option<Box<RunState>>,
    },
}

impl Work {
    /// Drives the run until it ends or is suspended. `notes` are recorded first.
    ///
    /// # Errors [`Code::InvalidArgument`] if the records do not fit, or an error of reading or writing the journal.
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

/// A run that is ready to be driven. Its header is written.
pub(crate) struct Launch {
    pub(crate) run_id: String,
    /// Held until the run ends or is suspended.
    pub(crate) lock: RunLock,
    pub(crate) admitted: Admitted,
    pub(crate) work: Work,
    /// The approval policy.
    pub(crate) approve: ApprovalPolicy,
    /// Receives every event, in order. It must not block.
    pub(crate) events: EventSink,
}

/// Returns what a run of `flow` may use. `allowed` is what the person allowed for this run alone.
///
/// # Errors [`Code::NotApproved`] if the flow would use what the person has not approved, or an error of the provider settings.
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

/// Leads a run until it ends or is suspended.
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
    let host = host(env, admitted.services, approve, events);
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
        answers: None,
        lets_sleep: env.is_shared().then_some(SHORTEST_SLEEP),
    }
}

/// Drives `work` on the runtime. The run is registered by its id until it ends.
fn spawn_run(
    env: &Arc<Env>,
    run_id: String,
    lock: RunLock,
    host: Host,
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
    };
    env.running().insert(run_id.clone(), handle);
    remember_led(env, &run_id);
    let runtime = env.runtime();
    let env = Arc::clone(env);
    let id = run_id.clone();
    let finished = runtime.spawn(async move {
        let result = tokio::select! {
            result = work.drive(&id, notes, &host) => result,
            () = detach.cancelled() => Err(ApiError::new(
                Code::Busy,
                "Loopwright was closed. What was done is kept, and the run can be resumed.",
            )),
        };
        let refusals = Arc::clone(&env);
        let kept = tokio::task::spawn_blocking(move || keep_refusals(&refusals));
        let _ = kept.await;
        env.running().remove(&id);
        drop(lock);
        // This run is unseen, so the limit does not remove it.
        if let Err(error) = apply_history_limit(&env) {
            tracing::warn!("Old runs could not be deleted: {error}");
        }
        match result {
            Ok(finished) => Ok(RunOutcome {
                run_id: id,
                status: finished.status,
                state: finished.state,
                wakes_in: finished.wakes_in,
            }),
            Err(error) => {
                // The run stopped where it was. Its listeners must learn of it.
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
