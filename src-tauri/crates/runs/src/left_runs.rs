//! Runs that were interrupted because their program had to end, such as when the user logged out. The next start can
//! continue them by itself.

use std::{fs, io, sync::Arc};

use loopwright_driver::EventSink;
use loopwright_engine::{ApprovalPolicy, RunStatus, journal::RunFilter};

use crate::{
    env::Env, error::ApiError, interrupted::mark_interrupted, leader::resume_run, paths,
    resuming::ResumeOptions, running::running_ids,
};

/// Notes the runs that this program leads, so that [`resume_left_runs`] finds them. Called before the program detaches them.
pub fn note_left_runs(env: &Env) {
    if env.is_shared() {
        // In a shared store, a worker resumes them.
        return;
    }
    let folder = paths::left_runs(env.data_dir());
    for run_id in running_ids(env) {
        // One file for each run, because several programs may end at the same time.
        let noted = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(&run_id), ""));
        if let Err(error) = noted {
            tracing::warn!("Run {run_id} will not continue by itself: {error}");
        }
    }
}

/// Forgets the noted runs. If `resumes` is true, resumes those that are still interrupted. `events` returns the receiver of the
/// events of a run, from the name of its flow. A run that cannot be resumed stays interrupted.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub fn resume_left_runs(
    env: &Arc<Env>,
    resumes: bool,
    events: &dyn Fn(&str) -> EventSink,
) -> Result<(), ApiError> {
    let left = take_left(env);
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
            tracing::warn!("Run {} does not continue by itself: {error}", header.run_id);
        }
    }
    Ok(())
}

/// Forgets that a run was left, because a program leads it again. If that program is killed, the run must not continue by itself.
pub(crate) fn forget_left(env: &Env, run_id: &str) {
    let note = paths::left_runs(env.data_dir()).join(run_id);
    if let Err(error) = fs::remove_file(note)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!("The note about run {run_id} cannot be removed: {error}");
    }
}

/// Returns the ids of the noted runs, and removes the notes. A run whose note another program removed first is left out.
fn take_left(env: &Env) -> Vec<String> {
    let folder = paths::left_runs(env.data_dir());
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::warn!("{} cannot be read: {error}", folder.display());
            }
            return Vec::new();
        }
    };
    entries
        .filter_map(Result::ok)
        .filter(|entry| fs::remove_file(entry.path()).is_ok())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}
