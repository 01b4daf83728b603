//! The paths of the program's data.

use std::path::{Path, PathBuf};

/// Returns `LOOPWRIGHT_DATA_DIR`, or else the platform's data folder.
pub fn default_data_dir() -> PathBuf {
    match std::env::var_os("LOOPWRIGHT_DATA_DIR") {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ => dirs::data_dir()
            .unwrap_or_else(|| PathBuf::from("."))
            .join("loopwright"),
    }
}

pub fn store(data_dir: &Path) -> PathBuf {
    data_dir.join("runs.db")
}

/// The store and its companion files.
pub fn store_files(data_dir: &Path) -> [PathBuf; 3] {
    ["runs.db", "runs.db-wal", "runs.db-shm"].map(|name| data_dir.join(name))
}

pub fn settings(data_dir: &Path) -> PathBuf {
    data_dir.join("settings.json")
}

/// The person's own prices.
pub fn prices(data_dir: &Path) -> PathBuf {
    data_dir.join("prices.json")
}

/// What each flow may use.
pub fn trust(data_dir: &Path) -> PathBuf {
    data_dir.join("trust.json")
}

/// The tools that MCP servers listed.
pub fn mcp(data_dir: &Path) -> PathBuf {
    data_dir.join("mcp.json")
}

/// The models that servers listed.
pub fn models(data_dir: &Path) -> PathBuf {
    data_dir.join("models.json")
}

pub fn recent(data_dir: &Path) -> PathBuf {
    data_dir.join("recent.json")
}

/// The lock for saving flows.
pub fn saving(data_dir: &Path) -> PathBuf {
    data_dir.join("saving.lock")
}

/// The open flows and drafts of each window.
pub fn sessions(data_dir: &Path) -> PathBuf {
    data_dir.join("sessions")
}

/// The folder of sessions in earlier versions. A window of such a version may be open.
pub fn earlier_sessions(data_dir: &Path) -> PathBuf {
    data_dir.join("desks")
}

/// Lock files of runs under way.
pub fn running(data_dir: &Path) -> PathBuf {
    data_dir.join("running")
}
