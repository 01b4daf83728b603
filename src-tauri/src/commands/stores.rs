//! Commands for shared stores and the batches in them.

use loopwright_api as api;
use loopwright_api::{BatchView, StoreCheck};
use loopwright_runs::{ApiError, NamedStore};

use super::{Shared, SharedStores};

/// Returns the shared stores that the settings name.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn stores(app: Shared<'_>) -> Vec<NamedStore> {
    api::stores(app.env())
}

/// Adds a named store. A password in the address goes to the system's keychain.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn add_store(app: Shared<'_>, name: &str, url: &str) -> Result<NamedStore, ApiError> {
    api::add_store(app.env(), name, url)
}

/// Removes a store and its password from the settings. The runs remain in the store.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn remove_store(app: Shared<'_>, name: &str) -> Result<(), ApiError> {
    api::remove_store(app.env(), name)
}

/// Returns the size of a store and the list of its workers.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn check_store(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    name: &str,
) -> Result<StoreCheck, ApiError> {
    stores.check(&app, name)
}

/// Returns the batches of a store, newest first.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn batches(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    store: &str,
) -> Result<Vec<BatchView>, ApiError> {
    stores.batches(&app, store)
}

/// Asks all unfinished runs of a batch to stop. Returns their number.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn stop_batch(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    store: &str,
    batch: &str,
) -> Result<u32, ApiError> {
    count(stores.stop_batch(&app, store, batch))
}

/// Starts the failed and stopped runs of a batch again, as new runs with the same inputs. Returns their number.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn retry_batch(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    store: &str,
    batch: &str,
) -> Result<u32, ApiError> {
    count(stores.retry_batch(&app, store, batch))
}

fn count(runs: Result<usize, ApiError>) -> Result<u32, ApiError> {
    Ok(u32::try_from(runs?).unwrap_or(u32::MAX))
}

/// Deletes a batch with its runs.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn delete_batch(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    store: &str,
    batch: &str,
) -> Result<(), ApiError> {
    stores.delete_batch(&app, store, batch).map(drop)
}

/// Writes the outputs of a batch to a file as JSONL, in the order of the batch's inputs.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_batch_outputs(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    store: &str,
    batch: &str,
    path: &str,
) -> Result<(), ApiError> {
    stores.save_outputs(&app, store, batch, path)
}
