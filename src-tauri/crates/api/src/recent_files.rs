//! Opens and saves flow files, and maintains the list of recent files.

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use loopwright_engine::event::timestamp;
use loopwright_records::runs;
use loopwright_runs::{ApiError, Env, OpenedFlow, SavedFlow, files, load_json, paths, save_json};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dto::{LastRun, RecentFile};

/// The maximum number of files in the list of recent files.
const RECENT: usize = 20;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct RecentEntry {
    path: String,
    opened_at: i64,
}

/// Returns a warning if the list of recent files is damaged and has therefore been reset. Returns `None` if the list is
/// intact.
pub(crate) fn damage(data_dir: &Path) -> Option<String> {
    load(data_dir).1
}

/// Reads the list of recent files. If the file is damaged, renames it and returns an empty list with a warning.
fn load(data_dir: &Path) -> (Vec<RecentEntry>, Option<String>) {
    load_json(&paths::recent(data_dir))
}

/// Held during an update of the list of recent files, so that no file is lost if several are opened at the same time.
static RECENT_LIST: Mutex<()> = Mutex::new(());

fn hold_recent() -> MutexGuard<'static, ()> {
    // The lock guards no data that a panic could leave inconsistent.
    RECENT_LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Moves a file to the top of the list of recent files, or adds it there. Returns a warning if the list was damaged,
/// otherwise `None`.
fn remember(data_dir: &Path, path: &str, now: i64) -> Result<Option<String>, ApiError> {
    let _held = hold_recent();
    let (mut entries, damaged) = load(data_dir);
    entries.retain(|entry| entry.path != path);
    entries.insert(
        0,
        RecentEntry {
            path: path.to_owned(),
            opened_at: now,
        },
    );
    entries.truncate(RECENT);
    save_json(&paths::recent(data_dir), &entries)?;
    Ok(damaged)
}

pub fn open_flow(env: &Env, path: &str) -> Result<OpenedFlow, ApiError> {
    let mut opened = files::read_flow(path)?;
    // If the list cannot be updated, the flow is opened anyway.
    match remember(env.data_dir(), &opened.path, env.now()) {
        Ok(damaged) => opened.notes.extend(damaged),
        Err(error) => opened.notes.push(error.message),
    }
    Ok(opened)
}

pub fn save_flow(
    env: &Env,
    path: &str,
    document: &Value,
    expected_version: Option<&str>,
) -> Result<SavedFlow, ApiError> {
    let saved = {
        // The lock is held from the version check to the write, so that no other window saves in between.
        let _alone = files::alone(env.data_dir());
        files::save(path, document, expected_version)?
    };
    // The flow is saved, so a problem with the list is only logged. It is reported the next time a flow is opened.
    match remember(env.data_dir(), &saved.path, env.now()) {
        Ok(None) => {}
        Ok(Some(words)) => tracing::warn!("{words}"),
        Err(error) => tracing::warn!("{}", error.message),
    }
    Ok(saved)
}

pub fn recent_files(env: &Env) -> Result<Vec<RecentFile>, ApiError> {
    let runs = runs(env, 200, 0)?;
    Ok(load(env.data_dir())
        .0
        .into_iter()
        .map(|entry| {
            let last = runs
                .iter()
                .find(|run| run.flow_path.as_deref() == Some(entry.path.as_str()));
            RecentFile {
                name: Path::new(&entry.path).file_name().map_or_else(
                    || entry.path.clone(),
                    |name| name.to_string_lossy().into_owned(),
                ),
                opened_at: timestamp(entry.opened_at),
                last_run: last.map(|run| LastRun {
                    status: run.status,
                    exit_reason: run.exit_reason,
                    iterations: run.iterations,
                    at: run.started_at.clone(),
                }),
                missing: !Path::new(&entry.path).exists(),
                path: entry.path,
            }
        })
        .collect())
}

pub fn forget_recent(env: &Env, path: &str) -> Result<(), ApiError> {
    let _held = hold_recent();
    let (mut entries, _) = load(env.data_dir());
    entries.retain(|entry| entry.path != path);
    save_json(&paths::recent(env.data_dir()), &entries)
}
