//! Marks runs whose program exited unexpectedly. They are stored as running, but no program holds their lock.

use loopwright_engine::{
    RunStatus, Usage,
    host::Models as _,
    journal::{JournalError, RunFilter, Select},
};
use loopwright_model::{Flow, file};

use crate::{
    catch_up::catch_up, env::Env, error::ApiError, model_nodes::request_of, models::provider_set,
    run_lock::RunLock,
};

/// Returns the usage of a call that was cut off when the program exited, or `None` if the node makes no calls.
fn cut_off_call(env: &Env, flow: &Flow, id: &str) -> Option<Usage> {
    let node = flow.node(id)?;
    let kind = env.kinds().specs().of(node)?;
    if !kind.calls_model(&node.data) {
        return None;
    }
    let quote = provider_set(env).map(|providers| providers.quote(&request_of(node, kind)));
    let is_free = quote.is_ok_and(|quote| quote.microusd == Some(0));
    Some(Usage::cut_off_call(is_free))
}

/// Marks as interrupted all runs that are stored as running although no program leads them.
///
/// # Errors
/// Returns an error if the store cannot be read or written.
pub fn mark_interrupted(env: &Env) -> Result<(), ApiError> {
    if env.is_shared() {
        // In a shared store, a worker resumes lost runs.
        return Ok(());
    }
    let running = RunFilter {
        statuses: vec![RunStatus::Running],
        ..RunFilter::default()
    };
    for (header, _) in env.journal().find(&running, usize::MAX, 0)? {
        if header.damage.is_some() || env.is_led(&header.run_id) {
            continue;
        }
        // The run may have been resumed or may have ended since it was listed.
        if let Some(marked) = RunLock::while_free(env.data_dir(), &header.run_id, || {
            mark_as_interrupted(env, &header.run_id)
        }) {
            marked?;
        }
    }
    Ok(())
}

fn mark_as_interrupted(env: &Env, run_id: &str) -> Result<(), ApiError> {
    let (whole, mut state) = match env.journal().run(run_id) {
        Ok(run) => run,
        Err(JournalError::NoRun(_) | JournalError::DamagedRun { .. }) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    if state.status != RunStatus::Running {
        return Ok(());
    }
    // A run with unreadable records is still listed; opening it reports the error.
    if let Ok(records) = env.journal().read(run_id, Select::All) {
        let flow = file::read_value(whole.document).ok();
        catch_up(&mut state, &records, |node| {
            cut_off_call(env, flow.as_ref()?, node)
        });
    }
    state.status = RunStatus::Interrupted;
    match env.journal().set_state(run_id, &state) {
        // The run is listed as interrupted even if this cannot be written.
        Ok(())
        | Err(JournalError::ReadOnly(_) | JournalError::Full | JournalError::DamagedRun { .. }) => {
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}
