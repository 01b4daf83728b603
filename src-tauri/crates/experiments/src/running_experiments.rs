//! The experiments that this process is running, and the store of all experiments.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use loopwright_engine::CancellationToken;
use loopwright_journal::ExperimentStore;
use loopwright_runs::{ApiError, Env};

/// The experiments that one program runs in one [`Env`]. The program shares this value in an `Arc`.
pub struct Experiments {
    env: Arc<Env>,
    store: Mutex<Option<Arc<ExperimentStore>>>,
    /// The running experiments of this process, by id.
    running: Mutex<HashMap<String, CancellationToken>>,
}

impl Experiments {
    pub fn new(env: Arc<Env>) -> Self {
        Self {
            env,
            store: Mutex::new(None),
            running: Mutex::default(),
        }
    }

    /// Returns the environment of the experiments' runs.
    pub fn env(&self) -> &Arc<Env> {
        &self.env
    }

    /// Returns the store in `file`, which is opened on first use. Fails if it cannot be opened.
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

    /// Stops an experiment. Returns `false` if it is not running in this process.
    pub(super) fn stop(&self, id: &str) -> bool {
        self.running().get(id).is_some_and(|cancel| {
            cancel.cancel();
            true
        })
    }
}
