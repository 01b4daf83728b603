//! The data folder is its owner's alone: what it holds are prompts, outputs, approvals.

use std::{ffi::OsStr, fs, path::Path};

/// What this program makes in its data folder; a name stands for all that begin with it.
const OURS: [&str; 14] = [
    "runs.db",
    "settings.",
    "prices.",
    "trust.",
    "trusted",
    "mcp.",
    "models.",
    "recent.",
    "saving.lock",
    "desks",
    "sessions",
    "running",
    "search",
    "sample-collection",
];

/// Takes the rights of others from what this program has made in its data folder, and from the folder itself where it holds
/// nothing else: a folder that a person chose may be shared on purpose for what else is in it.
pub(crate) fn tighten(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut all_ours = true;
    for entry in entries.flatten() {
        if is_ours(&entry.file_name()) {
            close(&entry.path());
        } else {
            all_ours = false;
        }
    }
    if all_ours {
        close(folder);
    }
}

fn is_ours(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    // Files are written under another name first.
    let name = name.strip_prefix('.').unwrap_or(&name);
    OURS.iter().any(|ours| name.starts_with(ours))
}

/// Leaves the owner's rights as they are. Where that is not allowed, it stays open.
#[cfg(unix)]
pub(crate) fn close(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    if let Ok(found) = fs::symlink_metadata(path)
        && !found.is_symlink()
        && found.permissions().mode() & 0o077 != 0
    {
        let mode = found.permissions().mode() & 0o7700;
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode));
    }
}

#[cfg(not(unix))]
pub(crate) fn close(_: &Path) {}
