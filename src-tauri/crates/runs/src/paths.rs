//! Where the program keeps its data.

use std::path::{Path, PathBuf};

/// `LOOPWRIGHT_DATA_DIR`, else the platform's data folder.
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

/// The store with its companions.
pub fn store_files(data_dir: &Path) -> [PathBuf; 3] {
    ["runs.db", "runs.db-wal", "runs.db-shm"].map(|name| data_dir.join(name))
}

pub fn settings(data_dir: &Path) -> PathBuf {
    data_dir.join("settings.json")
}

/// Prices of the person's own.
pub fn prices(data_dir: &Path) -> PathBuf {
    data_dir.join("prices.json")
}

/// What each flow may use of the world.
pub fn trust(data_dir: &Path) -> PathBuf {
    data_dir.join("trust.json")
}

/// What MCP servers said of their tools.
pub fn mcp(data_dir: &Path) -> PathBuf {
    data_dir.join("mcp.json")
}

/// Models as their servers listed them.
pub fn models(data_dir: &Path) -> PathBuf {
    data_dir.join("models.json")
}

pub fn recent(data_dir: &Path) -> PathBuf {
    data_dir.join("recent.json")
}

/// The lock of whoever saves a flow.
pub fn saving(data_dir: &Path) -> PathBuf {
    data_dir.join("saving.lock")
}

/// What each window has open, and its drafts.
pub fn sessions(data_dir: &Path) -> PathBuf {
    data_dir.join("sessions")
}

/// Where earlier versions kept them. A window of such a version may be open.
pub fn earlier_sessions(data_dir: &Path) -> PathBuf {
    data_dir.join("desks")
}

/// Lock files of runs under way.
pub fn running(data_dir: &Path) -> PathBuf {
    data_dir.join("running")
}
