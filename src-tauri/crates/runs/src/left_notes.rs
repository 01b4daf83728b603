//! Notes about runs that were in progress when their program had to exit. Each note is an empty file named after the
//! run's id, so several programs can write notes at the same time.

use std::{fs, io, path::Path};

use crate::paths;

/// Writes the note about a run. If that fails, the run is not resumed automatically.
pub(crate) fn note(data_dir: &Path, run_id: &str) {
    let folder = paths::left_runs(data_dir);
    let noted = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(run_id), ""));
    if let Err(error) = noted {
        tracing::warn!("Run {run_id} will not be resumed automatically: {error}");
    }
}

/// Removes the note about a run, because a program leads the run again. If that program is killed, the run must not be
/// resumed automatically.
pub(crate) fn forget(data_dir: &Path, run_id: &str) {
    let note = paths::left_runs(data_dir).join(run_id);
    if let Err(error) = fs::remove_file(note)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!("The note about run {run_id} cannot be removed: {error}");
    }
}

/// Returns the ids of the noted runs, and removes the notes. A run whose note another program removed first is left out.
pub(crate) fn take(data_dir: &Path) -> Vec<String> {
    let folder = paths::left_runs(data_dir);
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
