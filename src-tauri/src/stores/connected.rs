//! Connections to shared stores. Each is made when it is first needed, and another one where the address of a name has changed.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use loopwright_api as api;
use loopwright_api::{App, BatchView, StoreCheck};
use loopwright_cluster::Client;
use loopwright_runs::ApiError;
use tauri::async_runtime;

#[derive(Default)]
pub(crate) struct Stores {
    /// By address.
    clients: Mutex<HashMap<String, Arc<Client>>>,
}

impl Stores {
    fn client(&self, local: &Arc<App>, store: &str) -> Result<Arc<Client>, ApiError> {
        let url = api::store_address(local.env(), store)?;
        let known = |clients: &HashMap<String, Arc<Client>>| clients.get(&url).map(Arc::clone);
        if let Some(client) = known(&self.clients.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(client);
        }
        // Not under the lock: a store that does not answer must not hold up the others.
        let runtime = async_runtime::handle().inner().clone();
        let client = Arc::new(Client::open(&url, local.env().data_dir(), runtime)?);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(clients.entry(url).or_insert(client)))
    }

    /// The runs of a store; `None`: of this computer.
    ///
    /// # Errors
    /// When the store does not answer, or has no name in the settings.
    pub(crate) fn app(&self, local: &Arc<App>, store: Option<&str>) -> Result<Arc<App>, ApiError> {
        match store {
            None => Ok(Arc::clone(local)),
            Some(store) => Ok(Arc::clone(self.client(local, store)?.app())),
        }
    }

    pub(crate) fn check(&self, local: &Arc<App>, store: &str) -> Result<StoreCheck, ApiError> {
        self.client(local, store)?.check()
    }

    pub(crate) fn batches(
        &self,
        local: &Arc<App>,
        store: &str,
    ) -> Result<Vec<BatchView>, ApiError> {
        self.client(local, store)?.batches()
    }

    pub(crate) fn stop_batch(
        &self,
        local: &Arc<App>,
        store: &str,
        batch: &str,
    ) -> Result<usize, ApiError> {
        self.client(local, store)?.stop_batch(batch)
    }

    pub(crate) fn retry_batch(
        &self,
        local: &Arc<App>,
        store: &str,
        batch: &str,
    ) -> Result<usize, ApiError> {
        self.client(local, store)?.retry_failed(batch)
    }

    pub(crate) fn delete_batch(
        &self,
        local: &Arc<App>,
        store: &str,
        batch: &str,
    ) -> Result<u64, ApiError> {
        self.client(local, store)?.delete_batch(batch)
    }

    pub(crate) fn save_outputs(
        &self,
        local: &Arc<App>,
        store: &str,
        batch: &str,
        path: &str,
    ) -> Result<(), ApiError> {
        self.client(local, store)?.write_outputs(batch, path)
    }
}
