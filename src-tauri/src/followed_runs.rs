//! The runs that the page follows while other programs execute them. When the page no longer shows such a run, the program
//! stops reading the run's events.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::task::AbortHandle;

/// The task that follows each run, keyed by the id that the page uses for the run.
#[derive(Default)]
pub(crate) struct FollowedRuns(Mutex<HashMap<String, AbortHandle>>);

impl FollowedRuns {
    fn open(&self) -> MutexGuard<'_, HashMap<String, AbortHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers the task that follows a run. An earlier task for this run is aborted.
    pub(crate) fn begin(&self, run_id: &str, task: AbortHandle) {
        let mut open = self.open();
        open.retain(|_, other| !other.is_finished());
        if let Some(before) = open.insert(run_id.to_owned(), task) {
            before.abort();
        }
    }

    /// Stops following a run. The run itself continues.
    pub(crate) fn end(&self, run_id: &str) {
        if let Some(task) = self.open().remove(run_id) {
            task.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    #[test]
    fn a_run_is_followed_once_until_it_is_left() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let followed = FollowedRuns::default();
            let follow = |run_id: &str| {
                let task = tokio::spawn(pending::<()>());
                followed.begin(run_id, task.abort_handle());
                task
            };
            let (first, other) = (follow("work/a"), follow("work/b"));
            let second = follow("work/a");
            assert!(first.await.is_err_and(|error| error.is_cancelled()));
            assert!(!second.is_finished());
            followed.end("work/a");
            followed.end("work/a");
            assert!(second.await.is_err_and(|error| error.is_cancelled()));
            assert!(!other.is_finished());
            // A finished task is removed.
            let over = tokio::spawn(async {});
            followed.begin("work/c", over.abort_handle());
            over.await.expect("no panic");
            followed.begin("work/b", other.abort_handle());
            assert!(!followed.open().contains_key("work/c"));
        });
    }
}
