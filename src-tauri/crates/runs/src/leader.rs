//! The operations on runs: start, resume, answer, fork, pause, stop, follow. How each is carried out depends on the leader of
//! the store's runs. Only this module distinguishes the leaders.

use std::sync::Arc;

use loopwright_driver::{AnswerReceipt, EventSink};
use loopwright_engine::{Answer, trust::Grants};

use crate::{
    answering::{Answered, answer_here},
    by_workers::{ask_to_resume, follow, watch},
    clock::new_id,
    env::Env,
    error::{ApiError, Code},
    forking::{ForkOptions, fork_here, write_fork},
    launch::Started,
    prepare::prepare_run,
    prepared_run::PreparedRun,
    resuming::{ResumeOptions, resume_here},
    running::{
        RunOptions, StartOptions, ask_again_here, pause_here, start_here, stop_here, try_now_here,
    },
    workers::{Control, Workers},
};

/// The leader of a store's runs.
pub enum Leader<'e> {
    /// This program leads the runs.
    Here,
    /// The workers of a shared store. They receive requests, and a run's progress is read from the store.
    Workers(&'e Arc<dyn Workers>),
}

impl Env {
    /// Returns the leader of the runs in this environment's store.
    pub fn leader(&self) -> Leader<'_> {
        match self
            .shared_store()
            .and_then(|shared| shared.workers.as_ref())
        {
            Some(workers) => Leader::Workers(workers),
            None => Leader::Here,
        }
    }
}

/// Prepares and starts a run. If the flow has errors, nothing is written.
///
/// # Errors
/// [`Code::InvalidFlow`] with the first problem if the flow cannot run; [`Code::InvalidArgument`] if an input is invalid;
/// [`Code::NotApproved`] if the flow needs permissions that the user has not approved.
pub fn start_run(env: &Arc<Env>, options: RunOptions) -> Result<Started, ApiError> {
    start_run_with(env, options, Grants::default())
}

/// Starts a run as [`start_run`] does, with additional grants for this run alone.
///
/// # Errors
/// See [`start_run`].
pub fn start_run_with(
    env: &Arc<Env>,
    options: RunOptions,
    allow: Grants,
) -> Result<Started, ApiError> {
    let (request, start) = options.split(allow);
    start_prepared(env, prepare_run(env, request)?, start)
}

/// Starts a prepared run. Nothing is read, validated or planned again.
///
/// # Errors
/// Returns the errors of [`PreparedRun::check`]; [`Code::NotApproved`] if the flow needs permissions that the user has not
/// approved.
pub fn start_prepared(
    env: &Arc<Env>,
    prepared: PreparedRun,
    options: StartOptions,
) -> Result<Started, ApiError> {
    start_prepared_as(env, new_id(), prepared, options)
}

/// Starts a prepared run as [`start_prepared`] does, under an id that the caller has created and may already have recorded.
///
/// # Errors
/// See [`start_prepared`].
pub fn start_prepared_as(
    env: &Arc<Env>,
    run_id: String,
    prepared: PreparedRun,
    options: StartOptions,
) -> Result<Started, ApiError> {
    match env.leader() {
        Leader::Here => start_here(env, run_id, prepared, options),
        Leader::Workers(workers) => {
            // The workers decide about permissions. The files next to the flow do not exist on their computers.
            let (mut header, _) = prepared.into_header(&run_id, env.now(), options.allow)?;
            header.flow_path = None;
            workers.start(&header, options.approve)?;
            Ok(watch(env, run_id, 0, false, options.events, stop_run))
        }
    }
}

/// Resumes a run that was interrupted or paused, or one that its budget stopped and that now gets a larger budget.
///
/// # Errors
/// [`Code::InvalidArgument`] if the run is over or waits for an answer; [`Code::NotApproved`] if it needs permissions that
/// the user has not approved; [`Code::Busy`] if another program leads it.
pub fn resume_run(env: &Arc<Env>, options: ResumeOptions) -> Result<Started, ApiError> {
    match env.leader() {
        Leader::Here => resume_here(env, options, false),
        Leader::Workers(workers) => ask_to_resume(env, workers, options, stop_run),
    }
}

/// Resumes a run as [`resume_run`] does, after the run lost its leader or slept until a timer. The time since its last
/// record counts towards the run's time.
///
/// # Errors
/// See [`resume_run`].
pub fn take_over_run(env: &Arc<Env>, options: ResumeOptions) -> Result<Started, ApiError> {
    match env.leader() {
        Leader::Here => resume_here(env, options, true),
        Leader::Workers(workers) => ask_to_resume(env, workers, options, stop_run),
    }
}

/// Answers the step at `path`, which is waiting for a person. The run continues with the answer, whether it was suspended or
/// other steps are in progress.
///
/// # Errors
/// Returns the errors of [`resume_run`]; [`Code::InvalidArgument`] if no step waits at `path`; [`Code::Busy`] if the program
/// that leads the run does not accept the answer in time.
pub fn answer_run(
    env: &Arc<Env>,
    path: String,
    answer: Answer,
    options: ResumeOptions,
) -> Result<Answered, ApiError> {
    match env.leader() {
        Leader::Here => answer_here(env, &path, &answer, &options),
        Leader::Workers(workers) => {
            let options = ResumeOptions {
                answer: Some((path, answer)),
                ..options
            };
            ask_to_resume(env, workers, options, stop_run).map(Answered::Resumed)
        }
    }
}

/// Passes an answer to a run that this process leads, without waiting for the result. Returns the receipt of the answer, or
/// `None` if this process does not lead the run.
pub fn answer_led_run(
    env: &Env,
    run_id: &str,
    path: &str,
    answer: Answer,
) -> Option<AnswerReceipt> {
    env.running().answer(run_id, path, answer)
}

/// Forks a run. The new run keeps every recorded outcome that does not depend on the place, and continues from there.
/// Recorded calls are not repeated.
///
/// # Errors
/// - [`Code::NotFound`] if the place is not in the run. The message lists similar places.
/// - [`Code::InvalidFlow`] if the edited flow cannot run.
/// - [`Code::Diverged`] if the journal no longer fits this program.
/// - [`Code::NotApproved`] if the new run needs permissions that the user has not approved.
pub fn fork_run(env: &Arc<Env>, options: ForkOptions) -> Result<Started, ApiError> {
    fork_run_with(env, options, Grants::default())
}

/// Forks a run as [`fork_run`] does, with additional grants for the new run alone.
///
/// # Errors
/// See [`fork_run`].
pub fn fork_run_with(
    env: &Arc<Env>,
    options: ForkOptions,
    allow: Grants,
) -> Result<Started, ApiError> {
    fork_run_as(env, new_id(), options, allow)
}

/// Forks a run as [`fork_run_with`] does, under an id that the caller has created and may already have recorded.
///
/// # Errors
/// See [`fork_run`].
pub fn fork_run_as(
    env: &Arc<Env>,
    run_id: String,
    options: ForkOptions,
    allow: Grants,
) -> Result<Started, ApiError> {
    match env.leader() {
        Leader::Here => fork_here(env, run_id, options, allow),
        Leader::Workers(workers) => {
            let events = Arc::clone(&options.events);
            write_fork(env, run_id.clone(), options, &allow)?;
            workers.hand_over(&run_id)?;
            Ok(watch(env, run_id, 0, true, events, stop_run))
        }
    }
}

/// Pauses a run: steps in progress finish, and no new step starts. The run is then suspended as `paused` until it is
/// resumed, even across restarts. If another program leads the run, that program pauses it within a second.
///
/// # Errors
/// [`Code::InvalidArgument`] if the run is not in progress.
pub fn pause_run(env: &Env, run_id: &str) -> Result<(), ApiError> {
    match env.leader() {
        Leader::Here => pause_here(env, run_id),
        Leader::Workers(workers) => workers.ask(run_id, &Control::Pause),
    }
}

/// Stops a run, even if it is suspended. Does nothing if the run is over. If another program leads the run, that
/// program stops it within a second.
///
/// # Errors
/// Returns an error if the store cannot be written.
pub fn stop_run(env: &Env, run_id: &str) -> Result<(), ApiError> {
    match env.leader() {
        Leader::Here => stop_here(env, run_id),
        Leader::Workers(workers) => workers.ask(run_id, &Control::Stop),
    }
}

/// Makes the node at `path` repeat its model call instead of waiting for the answer. Does nothing if the node has no call in
/// progress.
///
/// # Errors
/// [`Code::InvalidArgument`] if no program on this computer leads the run.
pub fn ask_again(env: &Env, run_id: &str, path: &str) -> Result<(), ApiError> {
    match env.leader() {
        Leader::Here => ask_again_here(env, run_id, path),
        Leader::Workers(_) => Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "Run {run_id} is executing on a worker, where a call cannot be repeated by hand. Wait for the answer, or stop the run."
            ),
        )),
    }
}

/// Makes one call now for each quota that a run waits for. If the call is answered, the other steps that wait for the
/// quota continue. If another program leads the run, that program makes the call within a second.
///
/// # Errors
/// [`Code::InvalidArgument`] if the run waits for no quota, or if no program on this computer leads it.
pub fn try_now(env: &Env, run_id: &str) -> Result<(), ApiError> {
    match env.leader() {
        Leader::Here => try_now_here(env, run_id),
        Leader::Workers(_) => Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "Run {run_id} is executing on a worker, where you cannot end the wait for a quota. Wait until the quota resets, or stop the run."
            ),
        )),
    }
}

/// Follows a run that another program leads: reports its events from record number `from` on, until the run ends or is
/// suspended.
///
/// # Errors
/// [`Code::NotFound`] if the run does not exist.
pub fn follow_run(
    env: &Arc<Env>,
    run_id: &str,
    from: u64,
    events: EventSink,
) -> Result<Started, ApiError> {
    follow(env, run_id, from, events, stop_run)
}
