//! The one launch of a run that this program leads. What its flow may use is checked, and the run is driven until it ends or is
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

/// A run of a shared store that waits for longer than this holds no place meanwhile.
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
    /// The run sleeps, and must be resumed after this time.
    pub wakes_in: Option<Duration>,
}

/// A flow that may run: what it is given, and what its run notes of that.
pub struct Admitted {
    /// How approvals know the flow.
    flow: String,
    pub services: Services,
    /// For the journal.
    pub notes: Vec<Note>,
}

/// What is driven.
pub enum Work {
    /// A run without records.
    Begin {
        plan: Arc<Plan>,
        inputs: Map<String, Value>,
    },
    /// A run from where its records end.
    Continue {
        plans: Plans,
        inputs: Map<String, Value>,
        how: Resumption,
        /// The state that the run goes back to where it cannot be continued. Nothing was done then.
        before: Option<Box<RunState>>,
    },
}

impl Work {
    /// Drives the run until it ends or is suspended. `notes` are recorded first.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] where the records do not fit; when the journal cannot be read or written.
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
    /// How approvals are settled.
    pub(crate) approve: ApprovalPolicy,
    /// Called for every event, in order; must not block.
    pub(crate) events: EventSink,
}

/// What a run of `flow` is given. `allowed`: what the person allowed for this run alone.
///
/// # Errors
/// [`Code::NotApproved`] where the flow would use what the person has not approved; when the settings of providers cannot be used.
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

/// What a run of this program works with.
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

/// Drives `work` on the runtime, known by the run's id until it ends.
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
        // Nobody has seen the result of this one yet, so that it stays.
        if let Err(error) = apply_history_limit(&env) {
            tracing::warn!("Past runs could not be thinned out: {error}");
        }
        match result {
            Ok(finished) => Ok(RunOutcome {
                run_id: id,
                status: finished.status,
                state: finished.state,
                wakes_in: finished.wakes_in,
            }),
            Err(error) => {
                // The run stopped where it was: whoever watches must learn of it.
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
