//! Removes runs and limits the size of the history. If the history exceeds the limit, the oldest runs that are over, seen and not
//! starred are removed.

use std::collections::HashSet;

use loopwright_engine::{
    RunStatus,
    event::timestamp,
    journal::{Journal, JournalError, RunFilter},
};

use crate::{
    env::Env,
    error::{ApiError, Code},
};

/// The number of runs that are listed at once when old runs are removed.
const MAX_BATCH: usize = 100;

/// The number of runs that this process led last and that the limit never removes. The user may still be viewing them.
const KEPT: usize = 20;

/// Deletes the oldest runs until the size of the store is within the limit in the settings. Only runs that are over,
/// seen and not starred are deleted, and none of those that this process led last. If the other runs together exceed
/// the limit, no run is deleted. Returns the number of deleted runs. A notice says what was done. Does nothing in a
/// shared store.
///
/// Call this when a run ends or is imported, not when the limit is set: while a person types `500`, the limit is briefly 5.
///
/// # Errors
/// Returns an error if the store cannot be read or written.
pub fn apply_history_limit(env: &Env) -> Result<u32, ApiError> {
    if env.is_shared() {
        // In a shared store, only a person deletes runs: others may still need them.
        return Ok(0);
    }
    let Some(limit_mb) = env.settings().history_limit_mb else {
        return Ok(0);
    };
    let limit = u64::from(limit_mb) * 1_000_000;
    let journal = env.journal();
    if journal.size()?.used <= limit {
        return Ok(0);
    }
    let kept: HashSet<String> = env.led().iter().cloned().collect();
    if let Some(largest) = too_large(&*journal, &kept, limit)? {
        if env.is_limit_news() {
            let (run_id, size) = largest;
            env.give_notice(format!(
                "Past runs exceed their limit of {limit_mb} MB (historyLimitMb): run {run_id} takes {} MB, but it is kept because it is starred, recent or not viewed yet. Nothing was removed. Raise the limit in Settings, or delete runs.",
                size / 1_000_000
            ));
        }
        return Ok(0);
    }
    let (gone, newest) = remove_oldest(env, &kept, limit)?;
    if gone > 0 {
        match journal.compact() {
            // If another program is writing, the space is freed at a later time.
            Ok(()) | Err(JournalError::Busy(_)) => {}
            Err(error) => return Err(error.into()),
        }
        env.give_notice(format!(
            "To keep past runs within {limit_mb} MB (historyLimitMb), {} deleted: {}.",
            if gone == 1 {
                "1 run was".to_owned()
            } else {
                format!("{gone} runs were")
            },
            if gone == 1 {
                format!("it was started {newest}")
            } else {
                format!("the newest of them was started {newest}")
            }
        ));
    }
    Ok(gone)
}

/// Deletes the oldest runs that are over, seen, not starred and not in `kept`, until the store takes at most `limit`
/// bytes. Returns the number of deleted runs and the start time of the newest of them.
fn remove_oldest(env: &Env, kept: &HashSet<String>, limit: u64) -> Result<(u32, String), ApiError> {
    let journal = env.journal();
    let seen = RunFilter {
        starred: Some(false),
        ..over(Some(true))
    };
    let (mut gone, mut newest) = (0, i64::MIN);
    // The number of listed runs that are not deleted. The next listing skips them.
    let mut passed = 0;
    'more: loop {
        let count = usize::try_from(journal.tally(&seen)?.runs).unwrap_or(usize::MAX);
        let left = count.saturating_sub(passed);
        let batch = left.min(MAX_BATCH);
        let oldest = journal.find(&seen, batch, left - batch)?;
        if oldest.is_empty() {
            break;
        }
        for (header, _) in oldest.iter().rev() {
            if journal.size()?.used <= limit {
                break 'more;
            }
            if kept.contains(&header.run_id) || header.damage.is_some() {
                passed += 1;
                continue;
            }
            // A run that another program uses or has deleted is skipped.
            match delete_run(env, &header.run_id) {
                Ok(()) => {
                    gone += 1;
                    newest = newest.max(header.started_at);
                }
                Err(error) => {
                    tracing::debug!("Run {} was not removed: {error}", header.run_id);
                    passed += 1;
                }
            }
        }
    }
    Ok((gone, timestamp(newest)))
}

pub fn delete_run(env: &Env, run_id: &str) -> Result<(), ApiError> {
    // The lock is held until the run is deleted, so that no program resumes it in the meantime. The id of a damaged run may
    // not be a valid lock name.
    let _lock = match uuid::Uuid::parse_str(run_id) {
        Ok(_)
            if !env
                .journal()
                .missing()
                .iter()
                .any(|run| run.run_id == run_id) =>
        {
            Some(env.lock_run(run_id)?)
        }
        _ => None,
    };
    if env.is_shared() && env.is_led(run_id) {
        return Err(ApiError::new(
            Code::Busy,
            format!("A worker is executing run {run_id}. Stop the run first."),
        ));
    }
    Ok(env.journal().delete(run_id)?)
}

/// Records that a person has seen the result of a run that is over. The run may be removed from then on.
pub fn mark_seen(env: &Env, run_id: &str, status: RunStatus) {
    if !status.is_over() {
        return;
    }
    // If this cannot be recorded, the only effect is that the run is kept longer.
    if let Err(error) = env.journal().mark_seen(run_id) {
        tracing::debug!("Run {run_id} could not be marked as viewed: {error}");
    }
}

/// Adds the run to those that this process led last.
pub(crate) fn remember_led(env: &Env, run_id: &str) {
    let mut led = env.led();
    led.retain(|id| id != run_id);
    led.push_back(run_id.to_owned());
    if led.len() > KEPT {
        led.pop_front();
    }
}

fn over(seen: Option<bool>) -> RunFilter {
    RunFilter {
        statuses: vec![
            RunStatus::Completed,
            RunStatus::Failed,
            RunStatus::Cancelled,
        ],
        seen,
        ..RunFilter::default()
    }
}

/// If the runs that must be kept exceed the limit together, returns the largest of them and its size in bytes: removing
/// all other runs would not be enough. Otherwise returns `None`.
fn too_large(
    journal: &dyn Journal,
    kept: &HashSet<String>,
    limit: u64,
) -> Result<Option<(String, u64)>, ApiError> {
    let unseen = journal.find(&over(Some(false)), usize::MAX, 0)?;
    let starred = RunFilter {
        starred: Some(true),
        ..over(None)
    };
    let starred = journal.find(&starred, usize::MAX, 0)?;
    let ids: HashSet<&String> = unseen
        .iter()
        .chain(&starred)
        .map(|(header, _)| &header.run_id)
        .chain(kept)
        .collect();
    let (mut all, mut largest) = (0_u64, None);
    for run_id in ids {
        // A deleted run takes no space.
        let size = journal.run_size(run_id).unwrap_or(0);
        all = all.saturating_add(size);
        if largest.as_ref().is_none_or(|(_, most)| size > *most) {
            largest = Some((run_id.clone(), size));
        }
    }
    Ok(largest.filter(|_| all > limit))
}
