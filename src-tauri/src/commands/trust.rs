//! What flows may use of the world: asked, approved, refused and taken back.

use loopwright_runs as runs;
use loopwright_runs::{ApiError, TrustList, TrustedFlow};

use super::{Document, Shared};

/// What a flow would use of the world, and what of it is approved. A flow with `missing` above 0 does not run before it is.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn grants(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
) -> Result<TrustList, ApiError> {
    runs::grants(app.env(), document.0, path)
}

/// Approves `items` for a flow from now on. `digest`: of the list that the person saw.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn approve_grants(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
    digest: &str,
    items: Vec<String>,
) -> Result<TrustList, ApiError> {
    runs::approve(app.env(), document.0, path, digest, &items)
}

/// Writes down that the person refused what a flow would use: a run that failed before anything happened. Gives its id.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn refuse_grants(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
) -> Result<String, ApiError> {
    runs::refuse_run(app.env(), document.0, path)
}

/// Flows that may use something.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn trusted_flows(app: Shared<'_>) -> Result<Vec<TrustedFlow>, ApiError> {
    Ok(runs::trusted_flows(app.env()))
}

/// Takes back what a flow may use: `item`, or all of it.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn revoke_grants(
    app: Shared<'_>,
    flow: &str,
    item: Option<&str>,
) -> Result<(), ApiError> {
    runs::revoke(app.env(), flow, item)
}
