//! The runs that this process leads, with the handles that stop and pause them.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use loopwright_driver::PauseSwitch;
use loopwright_engine::CancellationToken;

/// The runs of this process, keyed by id.
#[derive(Default)]
pub(crate) struct Running(Mutex<HashMap<String, RunHandle>>);

/// The tokens and switches with which this process controls a run that it drives.
pub(crate) struct RunHandle {
    pub(crate) cancel: CancellationToken,
    /// The token that detaches the run: nothing more is recorded, and the run can be resumed.
    pub(crate) detach: CancellationToken,
    pub(crate) pause: PauseSwitch,
}

impl Running {
    fn with<T>(&self, f: impl FnOnce(&mut HashMap<String, RunHandle>) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn insert(&self, run_id: String, handle: RunHandle) {
        self.with(|runs| runs.insert(run_id, handle));
    }

    pub(crate) fn remove(&self, run_id: &str) {
        self.with(|runs| runs.remove(run_id));
    }

    pub(crate) fn stop(&self, run_id: &str) -> bool {
        self.with(|runs| {
            runs.get(run_id).is_some_and(|handle| {
                handle.cancel.cancel();
                true
            })
        })
    }

    /// Pauses a run, or lets it continue. Returns `false` if this process does not lead the run.
    pub(crate) fn set_paused(&self, run_id: &str, paused: bool) -> bool {
        self.with(|runs| {
            runs.get(run_id).is_some_and(|handle| {
                if paused {
                    handle.pause.pause();
                } else {
                    handle.pause.unpause();
                }
                true
            })
        })
    }

    /// Makes the node at a path repeat its call. Returns `false` if this process does not lead the run.
    pub(crate) fn ask_again(&self, run_id: &str, path: &str) -> bool {
        self.with(|runs| {
            let handle = runs.get(run_id);
            handle.is_some_and(|handle| {
                handle.pause.ask_again(path.to_owned());
                true
            })
        })
    }

    pub(crate) fn stop_all(&self) {
        self.with(|runs| runs.values().for_each(|handle| handle.cancel.cancel()));
    }

    pub(crate) fn detach_all(&self) {
        self.with(|runs| runs.values().for_each(|handle| handle.detach.cancel()));
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        self.with(|runs| runs.keys().cloned().collect())
    }

    /// Waits until this process executes no run any more, for at most `patience`.
    pub(crate) async fn none_left(&self, patience: Duration) {
        let waiting = async {
            while self.with(|runs| !runs.is_empty()) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        // Runs that remain are marked as interrupted at the next start.
        let _ = tokio::time::timeout(patience, waiting).await;
    }
}
