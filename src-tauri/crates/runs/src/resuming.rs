//! Resumes runs that are suspended or interrupted, and stops those that must not continue.

use std::sync::Arc;

use loopwright_driver::{EventSink, ResumeError, end};
use loopwright_engine::session::Resumption;
use loopwright_engine::{
    Answer, ApprovalPolicy, RunStatus,
    budget::Limits,
    journal::{RunState, Select},
    session::closing::{Ending, stopped},
    trust::Grants,
};

use crate::{
    env::Env,
    error::{ApiError, Code},
    flow_identity::identity,
    launch::{Launch, Started, Work, admit, host, launch},
    new_budget::NewBudget,
    prepare::{StoredRun, stored_run},
    services::services,
    time_to_answer::time_to_answer,
};

/// The options of a resumption.
pub struct ResumeOptions {
    pub run_id: String,
    /// The path of an execution that waits for a person, and the answer; `None` to resume without an answer.
    pub answer: Option<(String, Answer)>,
    /// A new budget for the run; `None` to keep its budget. A run that was stopped by its budget continues where it
    /// stopped.
    pub budget: Option<NewBudget>,
    pub approve: ApprovalPolicy,
    pub events: EventSink,
}

/// Resumes a run, which this program then leads. If `taken_over` is true, the time since its last record counts towards the
/// run's time.
pub(crate) fn resume_here(
    env: &Arc<Env>,
    options: ResumeOptions,
    taken_over: bool,
) -> Result<Started, ApiError> {
    let run_id = options.run_id;
    let lock = env.lock_run(&run_id)?;
    let (header, mut state) = env.journal().run(&run_id)?;
    let mut budget = options
        .budget
        .map(|budget| budget.limits(&run_id, &state))
        .transpose()?;
    if state.over_budget && state.over_spending_limit {
        // The run does not need a larger budget itself. Its next call checks the enclosing budget again.
        budget = budget.or(Some(Limits::default()));
    }
    match (state.status, &options.answer) {
        (RunStatus::Failed, None) if state.over_budget => {
            if budget.is_none() {
                return Err(ApiError::new(
                    Code::InvalidArgument,
                    format!(
                        "Run {run_id} was stopped because its budget was used up. To continue, raise the budget: `runs resume {run_id} --budget-usd X`."
                    ),
                ));
            }
        }
        (RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled, _) => {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!("Run {run_id} is over. `runs show` prints it; `run` starts a new one."),
            ));
        }
        // A question that has expired is answered when the run is resumed.
        (RunStatus::Waiting, None)
            if time_to_answer(&state, env.now()) != Some(std::time::Duration::ZERO) =>
        {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!(
                    "Run {run_id} is waiting for an answer. Answer the question with `runs answer`."
                ),
            ));
        }
        _ => {}
    }
    // The run keeps the flow that it began with, even if the file has changed since.
    let StoredRun {
        flow,
        plans,
        inputs,
    } = stored_run(&header, env.kinds())?;
    let was_forked = header.setup.origin.is_some();
    if was_forked && env.journal().read(&run_id, Select::Path(""))?.is_empty() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "Run {run_id} was interrupted before it copied anything from the run that it was forked from. Fork the original run again."
            ),
        ));
    }
    let path = header.flow_path.as_deref();
    let admitted = admit(
        env,
        &flow,
        path,
        identity(path, &flow),
        &header.setup.allowed,
    )?;
    let before = Box::new(state.clone());
    state.status = RunStatus::Running;
    state.error = None;
    state.over_budget = false;
    state.over_spending_limit = false;
    env.journal().set_state(&run_id, &state)?;
    let how = Resumption {
        answer: options.answer,
        budget,
        taken_over,
        imported_records: header.setup.imported_records,
        ..Resumption::default()
    };
    Ok(launch(
        env,
        Launch {
            run_id,
            lock,
            admitted,
            work: Work::Continue {
                plans,
                inputs,
                how,
                before: Some(before),
            },
            approve: options.approve,
            events: options.events,
        },
    ))
}

/// Stops a suspended run. Its last record is the same as that of a run that was stopped while it was executing.
pub(crate) fn end_suspended(env: &Env, run_id: &str) -> Result<(), ApiError> {
    let _lock = env.lock_run(run_id)?;
    let (header, state) = env.journal().run(run_id)?;
    if !matches!(
        state.status,
        RunStatus::Running | RunStatus::Paused | RunStatus::Waiting | RunStatus::Interrupted
    ) {
        return Ok(());
    }
    if let Ok(StoredRun {
        flow,
        plans,
        inputs,
    }) = stored_run(&header, env.kinds())
        && let Ok(services) = services(env, &flow, None, Grants::default())
    {
        let host = host(env, services, ApprovalPolicy::None, Arc::new(|_| {}));
        match end(&plans, run_id, inputs, &host) {
            Ok(_) => return Ok(()),
            Err(ResumeError::Journal(error)) => return Err(error.into()),
            Err(ResumeError::Refused(_)) => {}
        }
    }
    end_unreadable(env, run_id, state)
}

/// Ends a run that this program cannot rebuild, so that it is no longer offered for resumption.
fn end_unreadable(env: &Env, run_id: &str, state: RunState) -> Result<(), ApiError> {
    let journal = env.journal();
    let Ending { records, state } = stopped(&journal.read(run_id, Select::All)?, state, env.now());
    journal.append(run_id, &records)?;
    Ok(journal.set_state(run_id, &state)?)
}
