//! The session of a window: its open files and its drafts of unsaved changes. If a window is killed, the next window takes over
//! its session.
//!
//! Each window has its own folder under `sessions`, with a file that is locked while the window is open. If the lock of a folder
//! is free, its window is no longer open. Every file is written atomically.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use loopwright_engine::event::timestamp;
use loopwright_model::{file::MAX_BYTES, named_file};
use loopwright_runs::{ApiError, Code, files, load_json, new_id, paths, save_json};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dto::{Draft, SessionState};

const LOCK: &str = "lock";
const TABS: &str = "tabs.json";
const DRAFT: &str = "draft-";
const JSON: &str = ".json";

/// The open files, in the order of their tabs.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Tabs {
    files: Vec<String>,
    active: Option<String>,
}

/// A draft in its stored form.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    path: Option<String>,
    /// The version of the file that the draft is based on; `None` if the draft has no file.
    version: Option<String>,
    kept_at: i64,
    document: Value,
}

/// This window's own folder. The lock on the folder is released when this value is dropped or the process exits.
#[derive(Debug)]
pub(crate) struct WindowSession {
    folder: PathBuf,
    _lock: File,
}

impl WindowSession {
    /// Creates a folder for this window, and takes over the drafts and the last open files of windows that are no longer open.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created or locked.
    pub(crate) fn open(data_dir: &Path) -> Result<Self, ApiError> {
        let folder = paths::sessions(data_dir).join(new_id());
        fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
        let lock = locked(&folder)
            .map_err(|error| cannot_write(&folder, &error))?
            .ok_or_else(|| cannot_write(&folder, &"its lock is held by another program"))?;
        let session = Self {
            folder,
            _lock: lock,
        };
        session.take_over(data_dir);
        Ok(session)
    }

    /// Moves the drafts of windows that are no longer open into this window's folder, and copies the newest of their
    /// lists of open files. A folder whose drafts cannot be moved is kept for a later window.
    fn take_over(&self, data_dir: &Path) {
        let mut newest: Option<(SystemTime, PathBuf)> = None;
        let mut emptied = Vec::new();
        let earlier = paths::earlier_sessions(data_dir);
        let mut all = folders(&paths::sessions(data_dir));
        all.extend(folders(&earlier));
        for folder in all.into_iter().filter(|path| *path != self.folder) {
            let Ok(Some(lock)) = locked(&folder) else {
                continue;
            };
            let moved = entries(&folder)
                .iter()
                .filter_map(|path| Some((path, draft_id(path)?)))
                .all(|(path, id)| fs::rename(path, self.free_draft(&id)).is_ok());
            let tabs = folder.join(TABS);
            if let Ok(at) = fs::metadata(&tabs).and_then(|about| about.modified())
                && newest.as_ref().is_none_or(|(time, _)| at > *time)
            {
                newest = Some((at, tabs));
            }
            if moved {
                emptied.push((folder, lock));
            }
        }
        if let Some((_, tabs)) = newest
            && let Err(error) = fs::copy(tabs, self.folder.join(TABS))
        {
            tracing::warn!("The list of open files from the last session cannot be read: {error}");
        }
        // The other folders are removed only after all drafts have been moved, so that a crash in between loses nothing.
        for (folder, lock) in emptied {
            drop(lock);
            if let Err(error) = fs::remove_dir_all(&folder) {
                tracing::warn!(
                    "The session folder {} cannot be removed: {error}",
                    folder.display()
                );
            }
        }
        // This fails if the folder is not empty, because a window of an earlier version is open.
        let _ = fs::remove_dir(&earlier);
    }

    /// Returns the path of a new file for a draft of another session. If this session already has a draft with the same id, the
    /// new draft gets another id.
    fn free_draft(&self, id: &str) -> PathBuf {
        let named = |name: &str| self.folder.join(format!("{DRAFT}{name}{JSON}"));
        std::iter::once(named(id))
            .chain((2_u32..).map(|number| named(&format!("{id}-{number}"))))
            .find(|path| !path.exists())
            .unwrap_or_else(|| named(&new_id()))
    }

    /// Returns the current session. Each draft includes the current content of its file on disk.
    pub(crate) fn state(&self) -> SessionState {
        let (tabs, damaged): (Tabs, _) = load_json(&self.folder.join(TABS));
        let mut notes: Vec<String> = damaged.into_iter().collect();
        let mut drafts: Vec<Draft> = Vec::new();
        for path in entries(&self.folder) {
            let Some(id) = draft_id(&path) else { continue };
            let (kept, damaged): (Option<Kept>, _) = load_json(&path);
            notes.extend(damaged);
            drafts.extend(kept.map(|kept| shown(id, kept)));
        }
        drafts.sort_by(|a, b| b.kept_at.cmp(&a.kept_at));
        SessionState {
            files: tabs.files,
            active: tabs.active,
            drafts,
            notes,
        }
    }

    pub(crate) fn keep_tabs(
        &self,
        files: Vec<String>,
        active: Option<String>,
    ) -> Result<(), ApiError> {
        save_json(&self.folder.join(TABS), &Tabs { files, active })
    }

    /// Writes a draft, replacing the one with the same id.
    ///
    /// # Errors
    /// Returns an error if the id is not a valid draft id, or if the draft cannot be written.
    pub(crate) fn keep_draft(
        &self,
        id: &str,
        path: Option<String>,
        version: Option<String>,
        document: Value,
        now: i64,
    ) -> Result<(), ApiError> {
        let kept = Kept {
            path,
            version,
            kept_at: now,
            document,
        };
        save_json(&self.draft_file(id)?, &kept)
    }

    pub(crate) fn drop_draft(&self, id: &str) -> Result<(), ApiError> {
        let path = self.draft_file(id)?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(ApiError::new(
                Code::Io,
                format!(
                    "The draft {} cannot be removed: {error}. Delete the file yourself.",
                    path.display()
                ),
            )),
            _ => Ok(()),
        }
    }

    fn draft_file(&self, id: &str) -> Result<PathBuf, ApiError> {
        let fits = (1..=64).contains(&id.len())
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if fits {
            Ok(self.folder.join(format!("{DRAFT}{id}{JSON}")))
        } else {
            Err(ApiError::new(
                Code::InvalidArgument,
                format!(
                    "\"{id}\" is not a valid draft id. An id has at most 64 letters, digits and hyphens."
                ),
            ))
        }
    }
}

fn shown(id: String, kept: Kept) -> Draft {
    let on_disk = kept
        .path
        .as_deref()
        .and_then(|path| files::read_flow(path).ok());
    let (saved, saved_version) = on_disk.map_or((None, None), |opened| {
        (Some(opened.document), Some(opened.version))
    });
    Draft {
        id,
        path: kept.path,
        version: kept.version,
        kept_at: timestamp(kept.kept_at),
        document: kept.document,
        saved,
        saved_version,
    }
}

/// Returns the version of the file on disk, or `None` if the file does not exist or cannot be read.
pub fn file_version(path: &str) -> Option<String> {
    let bytes = named_file::read(&files::absolute(path), MAX_BYTES as u64).ok()?;
    Some(files::version(std::str::from_utf8(&bytes).ok()?))
}

/// Returns the id of the draft in a file, or `None` if the file is not a draft.
fn draft_id(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let id = name.strip_prefix(DRAFT)?.strip_suffix(JSON)?;
    // A damaged draft, renamed to `draft-x.damaged-1.json`, is no longer a draft.
    (!id.contains('.')).then(|| id.to_owned())
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(list) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = list.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn folders(all: &Path) -> Vec<PathBuf> {
    entries(all)
        .into_iter()
        .filter(|path| path.is_dir())
        .collect()
}

/// Locks a session and returns the locked file, or `None` if a running window holds the lock.
fn locked(folder: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join(LOCK))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

fn cannot_write(path: &Path, error: &dyn std::fmt::Display) -> ApiError {
    ApiError::new(
        Code::Io,
        format!(
            "{} cannot be written: {error}. Until this is fixed, unsaved changes are not kept as drafts.",
            path.display()
        ),
    )
}
