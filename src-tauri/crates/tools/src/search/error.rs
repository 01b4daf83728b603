//! The errors of a search.

use std::path::Path;

use loopwright_engine::NodeError;
use thiserror::Error;

/// The reason why a search failed. Messages say what to do.
#[derive(Debug, Error)]
pub(crate) enum SearchError {
    #[error("search.documents has no query. Wire its input, or set `query`.")]
    NoQuery,
    #[error("`{name}` of search.documents must be {expected}, not {found}.")]
    BadArgument {
        name: &'static str,
        expected: &'static str,
        found: String,
    },
    #[error(
        "The documents folder {0} does not exist or is not a folder. Choose another one in Settings, or correct `folder`."
    )]
    NoFolder(String),
    #[error(
        "The documents folder {folder} cannot be read: {message}. Check its permissions, or choose another folder in Settings."
    )]
    Unreadable { folder: String, message: String },
    #[error(
        "The folder {folder} contains nothing that can be searched ({skipped}). Searchable files are {kinds}."
    )]
    NoDocuments {
        folder: String,
        skipped: String,
        kinds: String,
    },
    #[error(
        "Another Loopwright process is building the index of {0}, and no finished index exists yet. Try again in a moment."
    )]
    Busy(String),
    #[error("The search was cancelled.")]
    Cancelled,
    #[error(
        "The search index in {path} cannot be used: {message}. The index is only a cache: delete it and search again."
    )]
    Index { path: String, message: String },
}

impl From<SearchError> for NodeError {
    fn from(error: SearchError) -> Self {
        let code = match &error {
            SearchError::NoQuery | SearchError::BadArgument { .. } => "tool_bad_arguments",
            SearchError::NoFolder(_) => "folder_not_found",
            SearchError::Unreadable { .. } => "folder_unreadable",
            SearchError::NoDocuments { .. } => "no_documents",
            SearchError::Busy(_) => "search_index_busy",
            SearchError::Cancelled => "cancelled",
            SearchError::Index { .. } => "search_index_failed",
        };
        Self::new(code, error.to_string())
    }
}

/// Returns an error that names the folder.
pub(crate) fn unreadable(folder: &Path, error: impl std::fmt::Display) -> SearchError {
    SearchError::Unreadable {
        folder: folder.display().to_string(),
        message: error.to_string(),
    }
}
