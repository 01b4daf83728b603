//! Everything behind the commands of one program.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use loopwright_experiments::Experiments;
use loopwright_providers::Keys;
use loopwright_runs::{ApiError, Env, SharedStore};
use tokio::runtime::Handle;

use crate::{prepared_runs::PreparedRuns, recent_files, window_session::WindowSession};

/// What runs and experiments work with, and what a window keeps beside them. One per data folder or shared store; it is shared in an `Arc`.
pub struct App {
    env: Arc<Env>,
    experiments: Arc<Experiments>,
    prepared_runs: PreparedRuns,
    /// Opened by the first window command that needs it; the command line has none.
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
    /// Where the store cannot be opened.
    pub fn open(data_dir: &Path, runtime: Handle) -> Result<Arc<Self>, ApiError> {
        Self::open_with(data_dir, runtime, Keys::system())
    }

    /// As [`Self::open`], with the keys of another store than the system's.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with(data_dir: &Path, runtime: Handle, keys: Keys) -> Result<Arc<Self>, ApiError> {
        let damaged = recent_files::damage(data_dir);
        Ok(Self::over(Env::open(data_dir, runtime, keys, damaged)?))
    }

    /// For work on flows alone, see [`Env::open_without_runs`].
    pub fn open_without_runs(data_dir: &Path, runtime: Handle) -> Arc<Self> {
        Self::over(Env::open_without_runs(data_dir, runtime))
    }

    /// Works on the runs of a shared store, with the settings in `data_dir`.
    pub fn open_shared(data_dir: &Path, runtime: Handle, shared: SharedStore) -> Arc<Self> {
        Self::over(Env::open_shared(data_dir, runtime, shared))
    }

    /// What runs work with.
    pub fn env(&self) -> &Arc<Env> {
        &self.env
    }

    /// The experiments of this program.
    pub fn experiments(&self) -> &Arc<Experiments> {
        &self.experiments
    }

    pub(crate) fn prepared_runs(&self) -> &PreparedRuns {
        &self.prepared_runs
    }

    /// Acts on this window's session, which is set up when it is first asked for. One at a time: a draft is written whole.
    pub(crate) fn with_session<T>(
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
