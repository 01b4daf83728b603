//! The experiments of this process, and the store that keeps them all.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use loopwright_engine::CancellationToken;
use loopwright_journal::ExperimentStore;

use crate::error::ApiError;

/// Experiments of this process, by id.
#[derive(Default)]
pub(crate) struct Experiments {
    store: Mutex<Option<Arc<ExperimentStore>>>,
    running: Mutex<HashMap<String, CancellationToken>>,
}

impl Experiments {
    /// The store in `file`, which is opened when it is first asked for.
    pub(super) fn store(&self, file: &Path) -> Result<Arc<ExperimentStore>, ApiError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = &*store {
            return Ok(Arc::clone(store));
        }
        let opened = Arc::new(ExperimentStore::open(file)?);
        *store = Some(Arc::clone(&opened));
        Ok(opened)
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn insert(&self, id: String, cancel: CancellationToken) {
        self.running().insert(id, cancel);
    }

    pub(super) fn remove(&self, id: &str) {
        self.running().remove(id);
    }

    /// Stops an experiment. `false`: none of this process.
    pub(super) fn stop(&self, id: &str) -> bool {
        self.running().get(id).is_some_and(|cancel| {
            cancel.cancel();
            true
        })
    }
}
