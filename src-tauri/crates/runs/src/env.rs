//! What every run works with: the journal, the kinds, the settings, the keys, the runs of this process.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use loopwright_driver::Clock;
use loopwright_engine::{
    KindSet,
    journal::{Journal, JournalError},
    trust::Grants,
};
use loopwright_providers::{Keys, LocalServers};
use tokio::runtime::Handle;

use crate::{
    clock::{self, now},
    error::ApiError,
    pending_refusals::PendingRefusals,
    run_handles::Running,
    run_lock::RunLock,
    settings::Settings,
    workers::SharedStore,
};

/// What runs of one data folder, or of one shared store, work with. A process has one of each; it is shared in an `Arc`.
pub struct Env {
    data_dir: PathBuf,
    journal: Arc<dyn Journal>,
    kinds: KindSet,
    settings: Mutex<Settings>,
    running: Running,
    pending_refusals: PendingRefusals,
    runtime: Handle,
    clock: Clock,
    notices: Mutex<Vec<String>>,
    /// Runs that this process has led, the newest last.
    led: Mutex<VecDeque<String>>,
    /// That the limit of the history is too small has been said.
    has_said_limit: AtomicBool,
    keys: Keys,
    local_servers: LocalServers,
    /// `None`: the store is this computer's own.
    shared: Option<SharedStore>,
}

impl Env {
    /// `notices`: what there is to tell the person of how the program started.
    pub(crate) fn new(
        data_dir: &Path,
        runtime: Handle,
        keys: Keys,
        journal: Arc<dyn Journal>,
        settings: Settings,
        notices: Vec<String>,
    ) -> Self {
        Self {
            data_dir: data_dir.to_path_buf(),
            journal,
            kinds: loopwright_nodes::all(),
            settings: Mutex::new(settings),
            running: Running::default(),
            pending_refusals: PendingRefusals::default(),
            keys,
            local_servers: LocalServers::default(),
            shared: None,
            runtime,
            clock: Arc::new(now),
            notices: Mutex::new(notices),
            led: Mutex::default(),
            has_said_limit: AtomicBool::new(false),
        }
    }

    /// The same, on the store that `shared` describes and by its clock.
    pub(crate) fn sharing(self, shared: SharedStore) -> Self {
        let ahead = shared.ahead_ms;
        Self {
            clock: Arc::new(move || now().saturating_add(ahead)),
            shared: Some(shared),
            ..self
        }
    }

    /// The same with other kinds, for tests that count what is done with a flow.
    #[cfg(test)]
    pub fn with_kinds(self, kinds: KindSet) -> Self {
        Self { kinds, ..self }
    }

    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    pub fn journal(&self) -> Arc<dyn Journal> {
        Arc::clone(&self.journal)
    }

    /// Called before the program ends: from then on the one file of the store is a whole backup of it.
    pub fn close(&self) {
        if let Err(error) = self.journal.finish() {
            tracing::debug!("The run store was left as it is: {error}");
        }
    }

    pub fn kinds(&self) -> &KindSet {
        &self.kinds
    }

    pub fn settings(&self) -> Settings {
        self.settings
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub fn set_settings(&self, new: Settings) {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = new;
    }

    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    pub fn local_servers(&self) -> &LocalServers {
        &self.local_servers
    }

    pub fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// The time by the clock of runs: milliseconds since the Unix epoch, UTC.
    pub fn now(&self) -> i64 {
        (self.clock)()
    }

    /// A clock for one run.
    pub fn steady_clock(&self) -> Clock {
        clock::steady(self.shared.as_ref().map_or(0, |shared| shared.ahead_ms))
    }

    pub fn shared_store(&self) -> Option<&SharedStore> {
        self.shared.as_ref()
    }

    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// What runs may use here, where the store is shared.
    pub fn may_use(&self) -> Option<&Grants> {
        Some(&self.shared.as_ref()?.may_use)
    }

    pub(crate) fn running(&self) -> &Running {
        &self.running
    }

    pub(crate) fn pending_refusals(&self) -> &PendingRefusals {
        &self.pending_refusals
    }

    /// Takes a run for this process alone: who changes it, or continues it, holds this.
    ///
    /// # Errors
    /// [`Code::NotFound`] for a run that is not there; [`Code::Busy`] where another program, or another part of this one, holds it.
    pub(crate) fn lock_run(&self, run_id: &str) -> Result<RunLock, ApiError> {
        // The lock's name is the run's, so a run by that name must be there.
        let is_there = self
            .journal
            .ids(run_id, usize::MAX)?
            .iter()
            .any(|id| id == run_id);
        if !is_there {
            return Err(JournalError::NoRun(run_id.to_owned()).into());
        }
        RunLock::take(&self.data_dir, run_id)
    }

    /// Whether some program, this one included, continues a run.
    pub fn is_led(&self, run_id: &str) -> bool {
        match &self.shared {
            Some(shared) => (shared.has_leader)(run_id),
            None => RunLock::is_held(&self.data_dir, run_id),
        }
    }

    /// Runs that this process has led, the newest last.
    pub(crate) fn led(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.led.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is the first time that the limit of the history is found to be too small.
    pub(crate) fn is_limit_news(&self) -> bool {
        !self.has_said_limit.swap(true, Ordering::Relaxed)
    }

    /// Takes what there is to tell the person: how the program started, and what was set aside since.
    pub fn notices(&self) -> Vec<String> {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut notices)
    }

    /// Something to tell the person when they are next told something.
    pub fn give_notice(&self, words: String) {
        tracing::warn!("{words}");
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        notices.push(words);
    }
}
