//! Commands for the resources that flows may use: listing, approving, refusing and revoking.

use loopwright_runs as runs;
use loopwright_runs::{ApiError, TrustList, TrustedFlow};

use super::{Document, Shared};

/// Returns the resources that a flow would use, and which of them are approved. A flow runs only if `missing` is 0.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn grants(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
) -> Result<TrustList, ApiError> {
    runs::grants(app.env(), document.0, path)
}

/// Approves `items` for a flow permanently. `digest` identifies the list that the user saw.
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

/// Records that the user did not approve what a flow would use. Returns the id of a run that is recorded as failed without
/// any step.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn refuse_grants(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
) -> Result<String, ApiError> {
    runs::refuse_run(app.env(), document.0, path)
}

/// Returns the flows that have approvals.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn trusted_flows(app: Shared<'_>) -> Result<Vec<TrustedFlow>, ApiError> {
    Ok(runs::trusted_flows(app.env()))
}

/// Revokes the approval of `item` for a flow. If `item` is `null`, revokes all approvals of the flow.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn revoke_grants(
    app: Shared<'_>,
    flow: &str,
    item: Option<&str>,
) -> Result<(), ApiError> {
    runs::revoke(app.env(), flow, item)
}
