//! What this window has open, and its drafts.

use serde_json::Value;

use crate::{app::App, dto::SessionState, error::ApiError, window_session::version_on_disk};

impl App {
    /// The files that were open last, and the drafts that this window and those before it have left.
    pub fn session(&self) -> Result<SessionState, ApiError> {
        self.with_session(|session| Ok(session.state()))
    }

    /// Remembers which files are open, in the order of their tabs.
    pub fn keep_tabs(&self, files: Vec<String>, active: Option<String>) -> Result<(), ApiError> {
        self.with_session(|session| session.keep_tabs(files, active))
    }

    /// Keeps a document that is not saved, so that it outlives this program. `version`: of the file that it was made from.
    pub fn keep_draft(
        &self,
        id: &str,
        path: Option<String>,
        version: Option<String>,
        document: Value,
    ) -> Result<(), ApiError> {
        let now = (self.clock())();
        self.with_session(|session| session.keep_draft(id, path, version, document, now))
    }

    /// Forgets a draft: it was saved, or given up.
    pub fn drop_draft(&self, id: &str) -> Result<(), ApiError> {
        self.with_session(|session| session.drop_draft(id))
    }

    /// The version of a file as it is on the disk now; `None` where it is gone.
    pub fn file_version(&self, path: &str) -> Option<String> {
        version_on_disk(path)
    }
}
