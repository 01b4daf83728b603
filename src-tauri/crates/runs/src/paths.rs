//! The paths of the program's data.

use std::path::{Path, PathBuf};

/// Returns the folder in `LOOPWRIGHT_DATA_DIR`, or else the platform's data folder.
pub fn default_data_dir() -> PathBuf {
    match std::env::var_os("LOOPWRIGHT_DATA_DIR") {
        Some(folder) if !folder.is_empty() => {
            let folder = PathBuf::from(folder);
            std::path::absolute(&folder).unwrap_or(folder)
        }
        _ => dirs::data_dir()
            .unwrap_or_else(|| PathBuf::from("."))
            .join("loopwright"),
    }
}

pub fn store(data_dir: &Path) -> PathBuf {
    data_dir.join("runs.db")
}

/// Returns the paths of the store and its companion files.
pub fn store_files(data_dir: &Path) -> [PathBuf; 3] {
    ["runs.db", "runs.db-wal", "runs.db-shm"].map(|name| data_dir.join(name))
}

pub fn settings(data_dir: &Path) -> PathBuf {
    data_dir.join("settings.json")
}

/// Returns the path of the file with the user's own prices.
pub fn prices(data_dir: &Path) -> PathBuf {
    data_dir.join("prices.json")
}

/// Returns the path of the file with the permissions of each flow.
pub fn trust(data_dir: &Path) -> PathBuf {
    data_dir.join("trust.json")
}

/// Returns the path of the file with the tools that MCP servers listed.
pub fn mcp(data_dir: &Path) -> PathBuf {
    data_dir.join("mcp.json")
}

/// Returns the path of the file with the models that servers listed.
pub fn models(data_dir: &Path) -> PathBuf {
    data_dir.join("models.json")
}

pub fn recent(data_dir: &Path) -> PathBuf {
    data_dir.join("recent.json")
}

/// Returns the path of the folder with a file for each run that was interrupted because its program had to end.
pub fn left_runs(data_dir: &Path) -> PathBuf {
    data_dir.join("left-runs")
}

/// Returns the path of the lock file for saving flows.
pub fn saving(data_dir: &Path) -> PathBuf {
    data_dir.join("saving.lock")
}

/// Returns the path of the folder with the open flows and drafts of each window.
pub fn sessions(data_dir: &Path) -> PathBuf {
    data_dir.join("sessions")
}

/// Returns the path of the folder in which earlier versions stored sessions. Windows of this version take over the drafts and tabs in it.
pub fn earlier_sessions(data_dir: &Path) -> PathBuf {
    data_dir.join("desks")
}

/// Returns the path of the folder with the lock files of runs in progress.
pub fn running(data_dir: &Path) -> PathBuf {
    data_dir.join("running")
}

/// Returns the path of the folder with the schedules and their firings.
pub fn schedules(data_dir: &Path) -> PathBuf {
    data_dir.join("schedules")
}

/// Returns the path of the folder with the states of quotas that runs share.
pub fn quotas(data_dir: &Path) -> PathBuf {
    data_dir.join("quotas")
}

/// Returns the path of the folder with the requests to the programs that lead runs.
pub fn requests(data_dir: &Path) -> PathBuf {
    data_dir.join("requests")
}
