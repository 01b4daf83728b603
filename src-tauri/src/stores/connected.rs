//! Connections to shared stores. A connection is opened when it is first needed, and reopened if the address of its store
//! changes.

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
    /// The clients, keyed by the addresses of the stores.
    clients: Mutex<HashMap<String, Arc<Client>>>,
}

impl Stores {
    fn client(&self, local: &Arc<App>, store: &str) -> Result<Arc<Client>, ApiError> {
        let url = api::store_address(local.env(), store)?;
        let known = |clients: &HashMap<String, Arc<Client>>| clients.get(&url).map(Arc::clone);
        if let Some(client) = known(&self.clients.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(client);
        }
        // The lock is not held while a store is opened, so that a store that does not answer does not delay the others.
        let runtime = async_runtime::handle().inner().clone();
        let client = Arc::new(Client::open(&url, local.env().data_dir(), runtime)?);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(clients.entry(url).or_insert(client)))
    }

    /// Returns the app with the runs of a store, or `local` if `store` is `None`.
    ///
    /// # Errors
    /// Returns an error if the store does not answer, or if the settings name no such store.
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
