//! Runs that the window has prepared but not started, because a person is still reviewing their cost and what they use.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use loopwright_runs::{ApiError, Code, PreparedRun, new_id};

/// The maximum number of prepared runs. If there are more, the oldest is dropped. A window asks about one run at a
/// time.
const MAX_PREPARED: usize = 8;

/// The prepared runs with their future ids, oldest first.
#[derive(Default)]
pub(crate) struct PreparedRuns(Mutex<VecDeque<(String, PreparedRun)>>);

impl PreparedRuns {
    /// Stores a run and returns its id.
    pub(crate) fn keep(&self, prepared: PreparedRun) -> String {
        let id = new_id();
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if runs.len() == MAX_PREPARED {
            runs.pop_front();
        }
        runs.push_back((id.clone(), prepared));
        id
    }

    pub(crate) fn take(&self, id: &str) -> Result<PreparedRun, ApiError> {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = runs.iter().position(|(known, _)| known == id);
        let found = at.and_then(|at| runs.remove(at));
        found.map(|(_, prepared)| prepared).ok_or_else(gone)
    }

    pub(crate) fn read<T>(
        &self,
        id: &str,
        read: impl FnOnce(&PreparedRun) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = runs.iter().find(|(known, _)| known == id);
        read(&found.ok_or_else(gone)?.1)
    }
}

fn gone() -> ApiError {
    ApiError::new(
        Code::NotFound,
        "The preparation of this run has expired. Press Run again.",
    )
}
