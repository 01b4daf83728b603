//! The state that the commands of one program share.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use loopwright_experiments::Experiments;
use loopwright_providers::Keys;
use loopwright_runs::{ApiError, Env, SharedStore};
use serde_json::Value;
use tokio::runtime::Handle;

use crate::{
    dto::SessionState, prepared_runs::PreparedRuns, recent_files, window_session::WindowSession,
};

/// The environment of runs and experiments, and the session of a window. A program has one app for each data folder or
/// shared store, shared in an `Arc`.
pub struct App {
    env: Arc<Env>,
    experiments: Arc<Experiments>,
    prepared_runs: PreparedRuns,
    /// The window's session, opened by the first command that needs it. A program without a window never opens one.
    session: Mutex<Option<WindowSession>>,
}

impl App {
    fn over(env: Arc<Env>) -> Arc<Self> {
        Arc::new(Self {
            experiments: Arc::new(Experiments::new(Arc::clone(&env))),
            env,
            prepared_runs: PreparedRuns::default(),
            session: Mutex::new(None),
        })
    }

    /// Opens the store and settings in `data_dir`. `runtime` drives the runs.
    ///
    /// # Errors
    /// Returns an error if the store cannot be opened.
    pub fn open(data_dir: &Path, runtime: Handle) -> Result<Arc<Self>, ApiError> {
        Self::open_with(data_dir, runtime, Keys::system())
    }

    /// Opens the store and settings like [`Self::open`], but takes keys from `keys` instead of the system's keychain.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn open_with(data_dir: &Path, runtime: Handle, keys: Keys) -> Result<Arc<Self>, ApiError> {
        let damaged = recent_files::damage(data_dir);
        Ok(Self::over(Env::open(data_dir, runtime, keys, damaged)?))
    }

    /// Opens an app for work on flows only. See [`Env::open_without_runs`].
    pub fn open_without_runs(data_dir: &Path, runtime: Handle) -> Arc<Self> {
        Self::over(Env::open_without_runs(data_dir, runtime))
    }

    /// Opens an app for the runs of a shared store, with the settings in `data_dir`.
    pub fn open_shared(data_dir: &Path, runtime: Handle, shared: SharedStore) -> Arc<Self> {
        Self::over(Env::open_shared(data_dir, runtime, shared))
    }

    /// Returns the environment of runs.
    pub fn env(&self) -> &Arc<Env> {
        &self.env
    }

    /// Returns the experiments of this program.
    pub fn experiments(&self) -> &Arc<Experiments> {
        &self.experiments
    }

    pub(crate) fn prepared_runs(&self) -> &PreparedRuns {
        &self.prepared_runs
    }

    /// Returns the files that were open when the last window closed, and the drafts of this window and of earlier ones.
    ///
    /// # Errors
    /// Returns an error if the session cannot be opened.
    pub fn session(&self) -> Result<SessionState, ApiError> {
        self.with_session(|session| Ok(session.state()))
    }

    /// Saves the list of open files, in the order of their tabs.
    ///
    /// # Errors
    /// Returns an error if the session cannot be opened or written.
    pub fn keep_tabs(&self, files: Vec<String>, active: Option<String>) -> Result<(), ApiError> {
        self.with_session(|session| session.keep_tabs(files, active))
    }

    /// Saves an unsaved document, so that it is not lost when the program exits. `version` is the version of the file on
    /// which the document is based.
    ///
    /// # Errors
    /// Returns an error if the id is not a valid draft id, or if the session cannot be opened or written.
    pub fn keep_draft(
        &self,
        id: &str,
        path: Option<String>,
        version: Option<String>,
        document: Value,
    ) -> Result<(), ApiError> {
        let now = self.env.now();
        self.with_session(|session| session.keep_draft(id, path, version, document, now))
    }

    /// Removes a draft that was saved or discarded.
    ///
    /// # Errors
    /// Returns an error if the id is not a valid draft id, or if the session cannot be opened or written.
    pub fn drop_draft(&self, id: &str) -> Result<(), ApiError> {
        self.with_session(|session| session.drop_draft(id))
    }

    /// Runs `act` on this window's session. The first call opens the session. A lock ensures that only one call at a time uses
    /// the session.
    fn with_session<T>(
        &self,
        act: impl FnOnce(&WindowSession) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = match session.take() {
            Some(opened) => opened,
            None => WindowSession::open(self.env.data_dir())?,
        };
        act(session.insert(opened))
    }
}
