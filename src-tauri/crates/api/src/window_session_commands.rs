//! What this window has open, and its drafts.

use loopwright_runs::ApiError;
use serde_json::Value;

use crate::{app::App, dto::SessionState, window_session::version_on_disk};

/// The files that were open last, and the drafts that this window and those before it have left.
pub fn session(app: &App) -> Result<SessionState, ApiError> {
    app.with_session(|session| Ok(session.state()))
}

/// Remembers which files are open, in the order of their tabs.
pub fn keep_tabs(app: &App, files: Vec<String>, active: Option<String>) -> Result<(), ApiError> {
    app.with_session(|session| session.keep_tabs(files, active))
}

/// Keeps a document that is not saved, so that it outlives this program. `version`: of the file that it was made from.
pub fn keep_draft(
    app: &App,
    id: &str,
    path: Option<String>,
    version: Option<String>,
    document: Value,
) -> Result<(), ApiError> {
    let now = app.env().now();
    app.with_session(|session| session.keep_draft(id, path, version, document, now))
}

/// Forgets a draft: it was saved, or given up.
pub fn drop_draft(app: &App, id: &str) -> Result<(), ApiError> {
    app.with_session(|session| session.drop_draft(id))
}

/// The version of a file as it is on the disk now; `None` where it is gone.
pub fn file_version(path: &str) -> Option<String> {
    version_on_disk(path)
}
