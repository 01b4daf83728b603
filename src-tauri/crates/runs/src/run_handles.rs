//! The runs that this process leads, with the handles that stop and pause them.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use loopwright_driver::{AnswerReceipt, PauseSwitch};
use loopwright_engine::{Answer, CancellationToken};
use tokio::sync::watch;

/// The runs of this process, keyed by id.
pub(crate) struct Running {
    runs: Mutex<HashMap<String, RunHandle>>,
    /// The number of runs that are not merely waiting.
    active: watch::Sender<usize>,
}

impl Default for Running {
    fn default() -> Self {
        Self {
            runs: Mutex::default(),
            active: watch::Sender::new(0),
        }
    }
}

/// The tokens and switches with which this process controls a run that it drives.
pub(crate) struct RunHandle {
    pub(crate) cancel: CancellationToken,
    /// The token that detaches the run: nothing more is recorded, and the run can be resumed.
    pub(crate) detach: CancellationToken,
    pub(crate) pause: PauseSwitch,
    /// Whether the run is doing work, not merely waiting for a person or a timer.
    pub(crate) is_active: bool,
}

impl Running {
    fn with<T>(&self, f: impl FnOnce(&mut HashMap<String, RunHandle>) -> T) -> T {
        f(&mut self.runs.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the set of runs, and then publishes the number of active ones.
    fn change(&self, f: impl FnOnce(&mut HashMap<String, RunHandle>)) {
        self.with(|runs| {
            f(runs);
            let count = runs.values().filter(|run| run.is_active).count();
            // The lock is still held, so numbers are published in the order of the changes.
            self.active
                .send_if_modified(|known| std::mem::replace(known, count) != count);
        });
    }

    pub(crate) fn insert(&self, run_id: String, handle: RunHandle) {
        self.change(|runs| drop(runs.insert(run_id, handle)));
    }

    pub(crate) fn remove(&self, run_id: &str) {
        self.change(|runs| drop(runs.remove(run_id)));
    }

    /// Sets whether a run is active. A run that this process no longer leads stays inactive.
    pub(crate) fn set_active(&self, run_id: &str, active: bool) {
        self.change(|runs| {
            if let Some(handle) = runs.get_mut(run_id) {
                handle.is_active = active;
            }
        });
    }

    /// Returns a receiver of the number of active runs, which reports each change.
    pub(crate) fn active(&self) -> watch::Receiver<usize> {
        self.active.subscribe()
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

    /// Makes one call of a run now for each quota that the run waits for. Returns `false` if this process does not lead the
    /// run.
    pub(crate) fn try_now(&self, run_id: &str) -> bool {
        self.with(|runs| {
            let handle = runs.get(run_id);
            handle.is_some_and(|handle| {
                handle.pause.try_now();
                true
            })
        })
    }

    /// Passes a person's answer to the question of the step at `path` to a run. Returns the receipt of the answer, or `None` if
    /// this process does not lead the run.
    pub(crate) fn answer(&self, run_id: &str, path: &str, answer: Answer) -> Option<AnswerReceipt> {
        self.with(|runs| {
            let handle = runs.get(run_id)?;
            Some(handle.pause.answer(path.to_owned(), answer))
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

    /// Waits until this process leads no runs, but no longer than `patience`.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn handle() -> RunHandle {
        RunHandle {
            cancel: CancellationToken::new(),
            detach: CancellationToken::new(),
            pause: PauseSwitch::default(),
            is_active: true,
        }
    }

    #[test]
    fn only_runs_that_do_something_are_active() {
        let running = Running::default();
        let mut active = running.active();
        let mut count = move || {
            let changed = active.has_changed().unwrap();
            (changed, *active.borrow_and_update())
        };
        running.insert("a".to_owned(), handle());
        running.insert("b".to_owned(), handle());
        assert_eq!(count(), (true, 2));
        running.set_active("a", false);
        running.set_active("a", false);
        assert_eq!(count(), (true, 1));
        running.set_active("a", false);
        assert_eq!(count(), (false, 1));
        running.set_active("a", true);
        running.remove("a");
        running.remove("b");
        assert_eq!(count(), (true, 0));
        running.set_active("a", true);
        assert_eq!(count(), (false, 0));
    }
}
