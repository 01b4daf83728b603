//! Runs that were interrupted because their program had to end, such as when the user logged out. The next start of the
//! program can resume them automatically.

use std::sync::Arc;

use loopwright_driver::EventSink;
use loopwright_engine::{ApprovalPolicy, RunStatus, journal::RunFilter};

use crate::{
    env::Env, error::ApiError, interrupted::mark_interrupted, leader::resume_run, left_notes,
    resuming::ResumeOptions, running::running_ids,
};

/// Notes the runs that this program leads, so that [`resume_left_runs`] finds them. Call this before the program detaches the
/// runs.
pub fn note_left_runs(env: &Env) {
    if env.is_shared() {
        // In a shared store, a worker resumes them.
        return;
    }
    for run_id in running_ids(env) {
        left_notes::note(env.data_dir(), &run_id);
    }
}

/// Removes the notes of [`note_left_runs`]. If `resumes` is true, resumes the noted runs that are still interrupted. `events`
/// takes the name of a run's flow and returns the receiver of the run's events. A run that cannot be resumed stays interrupted.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub fn resume_left_runs(
    env: &Arc<Env>,
    resumes: bool,
    events: &dyn Fn(&str) -> EventSink,
) -> Result<(), ApiError> {
    let left = left_notes::take(env.data_dir());
    if !resumes || left.is_empty() {
        return Ok(());
    }
    mark_interrupted(env)?;
    let interrupted = RunFilter {
        statuses: vec![RunStatus::Interrupted],
        ..RunFilter::default()
    };
    for (header, _) in env.journal().find(&interrupted, usize::MAX, 0)? {
        if header.damage.is_some() || !left.contains(&header.run_id) {
            continue;
        }
        let options = ResumeOptions {
            run_id: header.run_id.clone(),
            answer: None,
            budget: None,
            approve: ApprovalPolicy::Ask,
            events: events(&header.flow),
        };
        if let Err(error) = resume_run(env, options) {
            tracing::warn!(
                "Run {} could not be resumed automatically: {error}",
                header.run_id
            );
        }
    }
    Ok(())
}
