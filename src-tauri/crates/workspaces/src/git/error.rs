//! The reasons why a git command failed.

use std::{io, path::PathBuf, time::Duration};

use super::Output;

/// The maximum length of a message of git that is quoted in an error message.
const LONGEST: usize = 600;

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error(
        "git was not found. Install git 2.38 or later, and make sure that its folder is in PATH."
    )]
    NotFound,
    #[error("{path} is git {version}. A workspace needs git 2.38 or later. Install a newer git, or put the folder of a newer git first in PATH.", path = .path.display())]
    TooOld { path: PathBuf, version: String },
    #[error("`{command}` could not be started: {error}. Check that git is installed correctly.")]
    NotStarted { command: String, error: io::Error },
    #[error("`{command}` in {folder} did not finish within {seconds} seconds and was stopped. Check that the disk and other programs that use this repository respond.", folder = .folder.display(), seconds = .limit.as_secs())]
    TimedOut {
        command: String,
        folder: PathBuf,
        limit: Duration,
    },
    #[error("`{command}` in {folder} failed: {message}", folder = .folder.display())]
    Failed {
        command: String,
        folder: PathBuf,
        message: String,
    },
    #[error("`{command}` printed unexpected output: {what}")]
    Unreadable { command: &'static str, what: String },
}

impl GitError {
    pub(crate) fn failed(command: String, folder: PathBuf, output: &Output) -> Self {
        Self::Failed {
            command,
            folder,
            message: said(output),
        }
    }

    /// Returns whether git failed with a message that contains this text.
    pub(crate) fn mentions(&self, words: &str) -> bool {
        matches!(self, Self::Failed { message, .. } if message.contains(words))
    }
}

/// Returns git's message about its failure, truncated at [`LONGEST`].
pub(crate) fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let mut message = text.trim().to_owned();
    if message.is_empty() {
        message = match output.code {
            Some(code) => format!("status {code}, without a message"),
            None => "it was killed by a signal".to_owned(),
        };
    }
    if let Some((end, _)) = message.char_indices().nth(LONGEST) {
        message.truncate(end);
        message.push('…');
    }
    message
}
