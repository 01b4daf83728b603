//! Opens the environment of runs, on a data folder or on a store that programs on several machines share.

use std::{path::Path, sync::Arc};

use loopwright_journal::{MemoryJournal, SqliteJournal};
use loopwright_providers::Keys;
use tokio::runtime::Handle;

use crate::{
    env::Env, error::ApiError, mcp, paths, private, settings, trust, workers::SharedStore,
};

impl Env {
    /// Opens the store and the settings in `data_dir`. `runtime` drives the runs. `more` contains further messages to show
    /// at the start.
    ///
    /// # Errors
    /// Returns an error if the store cannot be opened.
    pub fn open(
        data_dir: &Path,
        runtime: Handle,
        keys: Keys,
        more: impl IntoIterator<Item = String>,
    ) -> Result<Arc<Self>, ApiError> {
        let opened = SqliteJournal::open(&paths::store(data_dir))?;
        private::tighten(data_dir);
        let (settings, damaged) = settings::load(data_dir);
        let of_store = opened.notice.iter().flat_map(|lines| lines.lines());
        let notices = of_store
            .map(str::to_owned)
            .chain(damaged)
            .chain(trust::damage(data_dir))
            .chain(mcp::damage(data_dir))
            .chain(more)
            .collect();
        let journal = Arc::new(opened.journal);
        let env = Self::new(data_dir, runtime, keys, journal, settings, notices);
        Ok(Arc::new(env))
    }

    /// Opens an environment that only reads the settings, for work on flows. Its store is in memory, so a run in this
    /// environment would be lost when the program exits.
    pub fn open_without_runs(data_dir: &Path, runtime: Handle) -> Arc<Self> {
        let (settings, damaged) = settings::load(data_dir);
        let journal = Arc::new(MemoryJournal::new());
        let notices = damaged.into_iter().collect();
        let env = Self::new(
            data_dir,
            runtime,
            Keys::system(),
            journal,
            settings,
            notices,
        );
        Arc::new(env)
    }

    /// Opens an environment on a shared store, with the settings in `data_dir`.
    pub fn open_shared(data_dir: &Path, runtime: Handle, shared: SharedStore) -> Arc<Self> {
        let (settings, damaged) = settings::load(data_dir);
        let journal = Arc::clone(&shared.journal);
        let notices = damaged.into_iter().collect();
        let env = Self::new(
            data_dir,
            runtime,
            Keys::system(),
            journal,
            settings,
            notices,
        );
        Arc::new(env.sharing(shared))
    }
}
