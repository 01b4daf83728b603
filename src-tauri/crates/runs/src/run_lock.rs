//! The lock of a run. Programs that share a data folder use it to tell runs in progress from lost ones.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
};

use crate::{
    error::{ApiError, Code},
    paths,
};

/// The lock of a run in progress. The lock is released when this value is dropped.
pub struct RunLock {
    path: PathBuf,
    file: Option<File>,
}

impl RunLock {
    /// Locks a run.
    ///
    /// # Errors
    /// [`Code::Busy`] if any program, including this one, already holds the lock; [`Code::Io`] if the lock file cannot
    /// be written.
    pub fn take(data_dir: &Path, run_id: &str) -> Result<Self, ApiError> {
        let folder = paths::running(data_dir);
        let path = folder.join(run_id);
        let failed = |error: &dyn std::fmt::Display| {
            ApiError::new(
                Code::Io,
                format!("{} cannot be written: {error}", path.display()),
            )
        };
        fs::create_dir_all(&folder).map_err(|error| failed(&error))?;
        let _gate = gate(&folder).map_err(|error| failed(&error))?;
        let file = writable(&path).map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self {
                path,
                file: Some(file),
            }),
            Err(TryLockError::WouldBlock) => Err(ApiError::new(
                Code::Busy,
                format!(
                    "Run {run_id} is running, here or in another program. Wait until it ends or is suspended, or stop it with `loopwright runs stop {run_id}`."
                ),
            )),
            Err(TryLockError::Error(error)) => Err(failed(&error)),
        }
    }

    /// Returns whether any program holds the lock of `run_id`.
    pub fn is_held(data_dir: &Path, run_id: &str) -> bool {
        let folder = paths::running(data_dir);
        // The test takes the lock briefly. Without the gate, `take` in another program could fail during that time.
        let _gate = gate(&folder);
        is_locked(&folder.join(run_id))
    }

    /// Calls `work` while no program runs `run_id`, and returns its result. Returns `None` if a program runs it, or if the
    /// gate cannot be locked. The run's own lock is not taken. Other programs wait at the gate, so none mistakes the run for
    /// one in progress.
    pub fn while_free<T>(data_dir: &Path, run_id: &str, work: impl FnOnce() -> T) -> Option<T> {
        let folder = paths::running(data_dir);
        fs::create_dir_all(&folder).ok()?;
        let _gate = gate(&folder).ok()?;
        (!is_locked(&folder.join(run_id))).then(work)
    }
}

fn is_locked(path: &Path) -> bool {
    File::open(path)
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

impl Drop for RunLock {
    fn drop(&mut self) {
        let _gate = self.path.parent().map(gate);
        // If the lock file cannot be removed, it remains without a lock, so the run correctly counts as lost.
        let _ = fs::remove_file(&self.path);
        drop(self.file.take());
    }
}

/// Returns the gate: a lock that is held while a run's lock is taken, tested or released. Without it, a program could open a
/// lock file that another program is removing, and hold a lock that no other program sees.
fn gate(folder: &Path) -> std::io::Result<File> {
    let file = writable(&folder.join(".gate"))?;
    file.lock()?;
    Ok(file)
}

fn writable(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
}
