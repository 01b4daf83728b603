//! Removing runs, and how much history is kept: beyond the limit the oldest runs go that are over, whose results somebody has seen, and that are not starred.

use std::collections::HashSet;

use loopwright_engine::{
    event::{RunStatus, timestamp},
    journal::{Journal, JournalError, RunFilter},
};

use crate::{
    env::Env,
    error::{ApiError, Code},
};

/// How many runs are looked at when runs are removed.
const MAX_BATCH: usize = 100;

/// How many of the runs that this process has led last are not removed by it: somebody may be looking at them.
const KEPT: usize = 20;

/// Deletes the oldest runs until the store keeps within the limit that the settings give: those that are over, and whose
/// results somebody has been given. Gives how many went; what went, and what could not, is a notice. Happens where a run ends or
/// is imported, and not where the limit is set: a number that is being typed is smaller at first.
pub fn apply_history_limit(env: &Env) -> Result<u32, ApiError> {
    if env.is_shared() {
        // What others may still look at goes when somebody deletes it.
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
                "Past runs take more than the {limit_mb} MB that they may (historyLimitMb): run {run_id}, which is starred or was not looked at yet, \
                 takes {} MB of it. Nothing was removed. Raise the limit in Settings, or delete runs.",
                size / 1_000_000
            ));
        }
        return Ok(0);
    }
    let (gone, newest) = remove_oldest(env, &kept, limit)?;
    if gone > 0 {
        match journal.compact() {
            // Another program writes; the pages are given back another time.
            Ok(()) | Err(JournalError::Busy(_)) => {}
            Err(error) => return Err(error.into()),
        }
        env.give_notice(format!(
            "To keep within {limit_mb} MB (historyLimitMb), {} removed from the past runs: {}.",
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

/// How many went, and when the newest of them was started.
fn remove_oldest(env: &Env, kept: &HashSet<String>, limit: u64) -> Result<(u32, String), ApiError> {
    let journal = env.journal();
    let seen = RunFilter {
        starred: Some(false),
        ..over(Some(true))
    };
    let (mut gone, mut newest) = (0, i64::MIN);
    // Those that stay are passed over.
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
            // One that another program is just looking after, or has deleted, is left to it.
            match delete_run(env, &header.run_id) {
                Ok(()) => {
                    gone += 1;
                    newest = newest.max(header.started_at);
                }
                Err(error) => {
                    tracing::debug!("{} stays: {error}", header.run_id);
                    passed += 1;
                }
            }
        }
    }
    Ok((gone, timestamp(newest)))
}

pub fn delete_run(env: &Env, run_id: &str) -> Result<(), ApiError> {
    // Locked until it is gone, so that nobody resumes it in between. The id of a damaged run may name no lock.
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
            format!("Run {run_id} is led by a worker. Stop it first."),
        ));
    }
    Ok(env.journal().delete(run_id)?)
}

/// Notes that somebody has been given the result of a run that is over: from now on it may be removed to make room.
pub fn mark_seen(env: &Env, run_id: &str, status: RunStatus) {
    if !status.is_over() {
        return;
    }
    // Where it cannot be noted the run is only kept for longer.
    if let Err(error) = env.journal().mark_seen(run_id) {
        tracing::debug!("{run_id} counts as unseen: {error}");
    }
}

/// Keeps the run in mind as one of this process.
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

/// Where what has to be kept takes more than the limit by itself, the largest of it: then nothing would be gained by removing the rest.
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
        // One that was deleted takes nothing.
        let size = journal.run_size(run_id).unwrap_or(0);
        all = all.saturating_add(size);
        if largest.as_ref().is_none_or(|(_, most)| size > *most) {
            largest = Some((run_id.clone(), size));
        }
    }
    Ok(largest.filter(|_| all > limit))
}
