//! The environment of runs: the journal, kinds, settings, keys and the runs of this process.

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
use loopwright_workspaces::{Person, Workspaces};
use tokio::{runtime::Handle, sync::watch};

use crate::{
    asked_windows::AskedWindows,
    clock::{self, now},
    error::ApiError,
    pending_refusals::PendingRefusals,
    run_handles::Running,
    run_lock::RunLock,
    settings::Settings,
    workers::SharedStore,
};

/// The environment of the runs of one data folder or one shared store. A process has exactly one environment for each data
/// folder or store, shared in an `Arc`.
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
    /// The ids of the last runs that this process led, newest last. Older ones are dropped.
    led: Mutex<VecDeque<String>>,
    /// Whether the user has been warned that the history limit is too small.
    has_said_limit: AtomicBool,
    keys: Keys,
    local_servers: LocalServers,
    /// The shared store; `None` for this computer's own store.
    shared: Option<SharedStore>,
    workspaces: Workspaces,
    asked_windows: AskedWindows,
}

impl Env {
    /// Creates an environment. `notices` are messages that are shown when the program starts.
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
            local_servers: LocalServers::system(),
            shared: None,
            workspaces: Workspaces::new(data_dir, &Person::here()),
            asked_windows: AskedWindows::default(),
            runtime,
            clock: Arc::new(now),
            notices: Mutex::new(notices),
            led: Mutex::default(),
            has_said_limit: AtomicBool::new(false),
        }
    }

    /// Returns the same environment with the store that `shared` describes, and with a clock that follows the clock of that
    /// store.
    pub(crate) fn sharing(self, shared: SharedStore) -> Self {
        let ahead = shared.ahead_ms;
        Self {
            clock: Arc::new(move || now().saturating_add(ahead)),
            shared: Some(shared),
            ..self
        }
    }

    /// Returns the same environment with other node kinds, for tests that count operations on a flow.
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

    /// Closes the store before the program exits. A copy of the store's single file is then a complete backup.
    pub fn close(&self) {
        if let Err(error) = self.journal.finish() {
            tracing::debug!("The run store could not be closed cleanly: {error}");
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

    /// Returns the workspaces of the runs that this process leads.
    pub fn workspaces(&self) -> &Workspaces {
        &self.workspaces
    }

    pub(crate) fn asked_windows(&self) -> &AskedWindows {
        &self.asked_windows
    }

    pub fn local_servers(&self) -> &LocalServers {
        &self.local_servers
    }

    pub fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Returns the current time of the clock that runs use: milliseconds since the Unix epoch, UTC.
    pub fn now(&self) -> i64 {
        (self.clock)()
    }

    /// Returns a clock for one run.
    pub fn steady_clock(&self) -> Clock {
        clock::steady(self.shared.as_ref().map_or(0, |shared| shared.ahead_ms))
    }

    pub fn shared_store(&self) -> Option<&SharedStore> {
        self.shared.as_ref()
    }

    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Returns the permissions of runs on this machine if the store is shared, or `None` for this computer's own store.
    pub fn may_use(&self) -> Option<&Grants> {
        Some(&self.shared.as_ref()?.may_use)
    }

    /// Returns the name of a run's flow; `None` if the run cannot be read.
    pub fn flow_name(&self, run_id: &str) -> Option<String> {
        let (header, _) = self.journal.run(run_id).ok()?;
        Some(header.flow)
    }

    /// Returns the number of active runs of this process, as a channel that reports each change. A run is not active while
    /// it only waits for a person, or for a timer that fires in more than a minute.
    pub fn active_runs(&self) -> watch::Receiver<usize> {
        self.running.active()
    }

    pub(crate) fn running(&self) -> &Running {
        &self.running
    }

    pub(crate) fn pending_refusals(&self) -> &PendingRefusals {
        &self.pending_refusals
    }

    /// Locks a run. This lock is required to change or continue a run.
    ///
    /// # Errors
    /// [`Code::NotFound`] if the run does not exist; [`Code::Busy`] if this or another program already holds the lock.
    pub(crate) fn lock_run(&self, run_id: &str) -> Result<RunLock, ApiError> {
        // The lock file is named after the run, so the run must exist first.
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

    /// Returns whether any program, including this one, leads the run.
    pub fn is_led(&self, run_id: &str) -> bool {
        match &self.shared {
            Some(shared) => (shared.has_leader)(run_id),
            None => RunLock::is_held(&self.data_dir, run_id),
        }
    }

    /// Returns the ids of the last runs that this process led, newest last. Older ones are dropped.
    pub(crate) fn led(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.led.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns `true` on the first call only, because the user is warned once that the history limit is too small.
    pub(crate) fn is_limit_news(&self) -> bool {
        !self.has_said_limit.swap(true, Ordering::Relaxed)
    }

    /// Returns and removes the messages to show to the user: those from the start of the program, and those that were added
    /// since, for example about damaged files.
    pub fn notices(&self) -> Vec<String> {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut notices)
    }

    /// Adds a message to those that [`Env::notices`] returns next.
    pub fn give_notice(&self, words: String) {
        tracing::warn!("{words}");
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        notices.push(words);
    }
}
