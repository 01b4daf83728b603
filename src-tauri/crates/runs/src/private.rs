//! File permissions of the data folder. Only its owner may read it, because it contains prompts, outputs and approvals.

use std::{ffi::OsStr, fs, path::Path};

/// The name prefixes of everything that this program creates in its data folder.
const OURS: [&str; 17] = [
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
    "requests",
    "quotas",
    "schedules",
    "search",
    "sample-collection",
];

/// Removes the permissions of other users from everything that this program created in its data folder. The folder itself is
/// included only if it contains nothing else: the user may have chosen an existing folder that other users need to read.
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
    // Files are first written under a name that begins with a dot.
    let name = name.strip_prefix('.').unwrap_or(&name);
    OURS.iter().any(|ours| name.starts_with(ours))
}

/// Removes the permissions of other users and keeps the owner's. If that fails, the file is unchanged.
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
