//! Commands for the open files of this window and its drafts.

use loopwright_runs::ApiError;
use serde_json::Value;

use crate::{app::App, dto::SessionState, window_session::version_on_disk};

/// Returns the files that were open when the last window closed, and the drafts that this window and earlier ones left behind.
pub fn session(app: &App) -> Result<SessionState, ApiError> {
    app.with_session(|session| Ok(session.state()))
}

/// Saves the list of open files, in the order of their tabs.
pub fn keep_tabs(app: &App, files: Vec<String>, active: Option<String>) -> Result<(), ApiError> {
    app.with_session(|session| session.keep_tabs(files, active))
}

/// Saves an unsaved document, so that it survives the end of this program. `version` is the version of the file on which the
/// document is based.
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

/// Removes a draft that was saved or discarded.
pub fn drop_draft(app: &App, id: &str) -> Result<(), ApiError> {
    app.with_session(|session| session.drop_draft(id))
}

/// Returns the version of a file on disk, or `None` if it is gone.
pub fn file_version(path: &str) -> Option<String> {
    version_on_disk(path)
}
