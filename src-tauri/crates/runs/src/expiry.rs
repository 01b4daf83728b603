//! Runs whose questions expire. A run that waits for a person has no leader, so some program must resume it when its
//! question expires. This is the program that started the run (if it is still running), the window, or a worker.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use loopwright_driver::EventSink;
use loopwright_engine::{ApprovalPolicy, RunStatus, journal::RunFilter};

use crate::{
    env::Env,
    error::{ApiError, Code},
    launch::Started,
    leader::resume_run,
    resuming::ResumeOptions,
    time_to_answer::time_to_answer,
};

/// The interval at which the program checks for expired questions.
const LOOK: Duration = Duration::from_secs(5);

/// Waits until the next question of a waiting run expires, and resumes the run. Returns `None` if the run no longer waits,
/// because somebody answered or stopped it, or if its questions never expire.
///
/// # Errors
/// Returns an error if the run cannot be read or resumed.
pub async fn resume_when_expired(
    env: &Arc<Env>,
    run_id: &str,
    approve: ApprovalPolicy,
    events: EventSink,
) -> Result<Option<Started>, ApiError> {
    loop {
        let (_, state) = env.journal().run(run_id)?;
        let Some(left) = time_to_answer(&state, env.now()) else {
            return Ok(None);
        };
        if !left.is_zero() {
            tokio::time::sleep(left.min(LOOK)).await;
            continue;
        }
        match resume_run(env, expired(run_id, approve, Arc::clone(&events))) {
            // Another program resumes the run.
            Err(error) if error.code == Code::Busy => tokio::time::sleep(LOOK).await,
            resumed => return resumed.map(Some),
        }
    }
}

/// Resumes every run whose question expires, as long as `env` exists. A program that stays open calls this once. `events` takes
/// the name of a run's flow and returns the receiver of the run's events.
pub fn resume_expired_runs(
    env: &Arc<Env>,
    events: impl Fn(&str) -> EventSink + Send + Sync + 'static,
) {
    if env.is_shared() {
        // In a shared store, a worker resumes them.
        return;
    }
    let (weak, events) = (Arc::downgrade(env), Arc::new(events));
    env.runtime().spawn(async move {
        while let Some(env) = Weak::upgrade(&weak) {
            let events = Arc::clone(&events);
            let looked = tokio::task::spawn_blocking(move || look(&env, &*events)).await;
            if let Ok(Err(error)) = looked {
                tracing::warn!("Expired questions could not be read: {error}");
            }
            tokio::time::sleep(LOOK).await;
        }
    });
}

/// Resumes the runs whose question has expired by now.
fn look(env: &Arc<Env>, events: &dyn Fn(&str) -> EventSink) -> Result<(), ApiError> {
    let waiting = RunFilter {
        statuses: vec![RunStatus::Waiting],
        ..RunFilter::default()
    };
    for (header, state) in env.journal().find(&waiting, usize::MAX, 0)? {
        if header.damage.is_some() || time_to_answer(&state, env.now()) != Some(Duration::ZERO) {
            continue;
        }
        let options = expired(&header.run_id, ApprovalPolicy::Ask, events(&header.flow));
        if let Err(error) = resume_run(env, options) {
            tracing::warn!(
                "The question of run {} expired, but the run could not be resumed: {error}",
                header.run_id
            );
        }
    }
    Ok(())
}

fn expired(run_id: &str, approve: ApprovalPolicy, events: EventSink) -> ResumeOptions {
    ResumeOptions {
        run_id: run_id.to_owned(),
        answer: None,
        budget: None,
        approve,
        events,
    }
}
