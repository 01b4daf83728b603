//! Replaces `connected.rs` if the program is built without shared stores.

use std::sync::Arc;

use loopwright_api::{App, BatchView, StoreCheck};
use loopwright_runs::{ApiError, Code};

#[derive(Default)]
pub(crate) struct Stores;

fn absent<T>() -> Result<T, ApiError> {
    Err(ApiError::new(
        Code::Unsupported,
        "This build of Loopwright does not include shared stores. Use a build that includes them.",
    ))
}

impl Stores {
    pub(crate) fn app(&self, local: &Arc<App>, store: Option<&str>) -> Result<Arc<App>, ApiError> {
        match store {
            None => Ok(Arc::clone(local)),
            Some(_) => absent(),
        }
    }

    pub(crate) fn check(&self, _local: &Arc<App>, _store: &str) -> Result<StoreCheck, ApiError> {
        absent()
    }

    pub(crate) fn batches(
        &self,
        _local: &Arc<App>,
        _store: &str,
    ) -> Result<Vec<BatchView>, ApiError> {
        absent()
    }

    pub(crate) fn stop_batch(
        &self,
        _local: &Arc<App>,
        _store: &str,
        _batch: &str,
    ) -> Result<usize, ApiError> {
        absent()
    }

    pub(crate) fn retry_batch(
        &self,
        _local: &Arc<App>,
        _store: &str,
        _batch: &str,
    ) -> Result<usize, ApiError> {
        absent()
    }

    pub(crate) fn delete_batch(
        &self,
        _local: &Arc<App>,
        _store: &str,
        _batch: &str,
    ) -> Result<u64, ApiError> {
        absent()
    }

    pub(crate) fn save_outputs(
        &self,
        _local: &Arc<App>,
        _store: &str,
        _batch: &str,
        _path: &str,
    ) -> Result<(), ApiError> {
        absent()
    }
}
