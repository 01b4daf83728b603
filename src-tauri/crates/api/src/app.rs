//! The program without a face: everything the window and the command line ask for, composed once.

use std::{
    collections::{BTreeMap, VecDeque},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use loopwright_driver::Clock;
use loopwright_engine::{
    KindSet,
    event::{Event, RunStatus, timestamp},
    host::{Services, ToolInfo, Tools},
    journal::Journal,
    trust::Grants,
};
use loopwright_journal::{MemoryJournal, SqliteJournal};
use loopwright_model::file;
use loopwright_providers::{Keys, LocalServers};
use loopwright_tools::{ToolSet, ToolSettings};
use serde_json::Value;
use tokio::runtime::Handle;

use crate::{
    analysis,
    clock::{self, now},
    desk::{self, Desk},
    dto::*,
    elsewhere::{Control, Workers},
    error::{ApiError, Code},
    evaluation::experiments::Experiments,
    exporting, files, history, importing, kinds,
    mcp::{self, AllTools},
    paths, prices, private,
    run_lock::RunLock,
    running::Running,
    secrets, settings, subflows, templates,
    trust,
};

/// Everything behind the commands. One per process; cheap to share in an `Arc`.
pub struct App {
    data_dir: PathBuf,
    journal: Arc<dyn Journal>,
    kinds: KindSet,
    settings: Mutex<Settings>,
    running: Running,
    runtime: Handle,
    clock: Clock,
    notices: Mutex<Vec<String>>,
    /// Runs that this process has led, the newest last.
    led: Mutex<VecDeque<String>>,
    /// That the room for past runs is too small has been said.
    said_too_small: AtomicBool,
    /// Opened by the first window command that needs it; the command line has none.
    desk: Mutex<Option<Desk>>,
    keys: Keys,
    local_servers: LocalServers,
    /// `None`: the store is this computer's own.
    shared: Option<SharedStore>,
    pub(crate) experiments: Experiments,
}

/// A store of runs that programs on several machines share.
pub struct SharedStore {
    pub journal: Arc<dyn Journal>,
    /// Whether a living worker leads a run.
    pub has_leader: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// What the runs that this program leads may use of the world, whatever was approved elsewhere.
    pub may_use: Grants,
    /// Who leads the runs, where this program does not.
    pub workers: Option<Arc<dyn Workers>>,
    /// Milliseconds by which the store's clock is ahead of this computer's. Runs go by the store's.
    pub ahead_ms: i64,
}

impl App {
    /// Works on the runs of a shared store, with the settings in `data_dir`.
    pub fn open_shared(data_dir: &Path, runtime: Handle, shared: SharedStore) -> Arc<Self> {
        let journal = Arc::clone(&shared.journal);
        let app = Self::composed(data_dir, runtime, Keys::system(), journal);
        let ahead = shared.ahead_ms;
        Arc::new(Self {
            clock: Arc::new(move || now().saturating_add(ahead)),
            shared: Some(shared),
            ..app
        })
    }

    /// What runs may use here, where the store is shared.
    pub(crate) fn may_use(&self) -> Option<&Grants> {
        Some(&self.shared.as_ref()?.may_use)
    }

    /// A clock for one run.
    pub(crate) fn steady_clock(&self) -> Clock {
        clock::steady(self.shared.as_ref().map_or(0, |shared| shared.ahead_ms))
    }

    pub(crate) fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    pub(crate) fn shared_store(&self) -> Option<&SharedStore> {
        self.shared.as_ref()
    }

    /// Whether some program, this one included, goes on with a run.
    pub(crate) fn is_led(&self, run_id: &str) -> bool {
        match &self.shared {
            Some(shared) => (shared.has_leader)(run_id),
            None => RunLock::is_held(&self.data_dir, run_id),
        }
    }

    /// Opens the store and settings in `data_dir`. `runtime` is where runs go on.
    pub fn open(data_dir: &Path, runtime: Handle) -> Result<Arc<Self>, ApiError> {
        Self::open_with(data_dir, runtime, Keys::system())
    }

    /// As [`Self::open`], with the keys of another store than the system's.
    pub fn open_with(data_dir: &Path, runtime: Handle, keys: Keys) -> Result<Arc<Self>, ApiError> {
        let opened = SqliteJournal::open(&paths::store(data_dir))?;
        private::tighten(data_dir);
        let journal = Arc::new(opened.journal);
        let app = Self::composed(data_dir, runtime, keys, journal);
        {
            let mut notices = app.notices.lock().unwrap_or_else(PoisonError::into_inner);
            let of_store = opened.notice.iter().flat_map(|lines| lines.lines());
            notices.splice(0..0, of_store.map(str::to_owned));
            notices.extend(trust::damage(data_dir));
            notices.extend(mcp::damage(data_dir));
            notices.extend(files::recent(data_dir).1);
        }
        Ok(Arc::new(app))
    }

    /// For work on flows alone: the settings are read, and nothing is written or looked for where runs are kept. A run of it
    /// would be forgotten with it.
    pub fn open_without_runs(data_dir: &Path, runtime: Handle) -> Arc<Self> {
        let journal = Arc::new(MemoryJournal::new());
        Arc::new(Self::composed(data_dir, runtime, Keys::system(), journal))
    }

    fn composed(data_dir: &Path, runtime: Handle, keys: Keys, journal: Arc<dyn Journal>) -> Self {
        let (settings, damaged) = settings::load(data_dir);
        Self {
            data_dir: data_dir.to_path_buf(),
            journal,
            kinds: loopwright_nodes::all(),
            settings: Mutex::new(settings),
            running: Running::default(),
            keys,
            local_servers: LocalServers::default(),
            shared: None,
            experiments: Experiments::default(),
            runtime,
            clock: Arc::new(now),
            notices: Mutex::new(damaged.into_iter().collect()),
            led: Mutex::default(),
            said_too_small: AtomicBool::new(false),
            desk: Mutex::new(None),
        }
    }

    /// Takes what there is to tell the person: how the program started, and what was set aside since.
    pub fn notices(&self) -> Vec<String> {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut notices)
    }

    /// Something to tell the person when they are next told something.
    pub(crate) fn give_notice(&self, words: String) {
        tracing::warn!("{words}");
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        notices.push(words);
    }

    /// Runs that this process has led, the newest last.
    pub(crate) fn led(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.led.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is the first time that the room for past runs is found to be too small.
    pub(crate) fn is_news_of_room(&self) -> bool {
        !self.said_too_small.swap(true, Ordering::Relaxed)
    }

    /// Notes that somebody has been given the result of a run that is over: from now on it may be removed to make room.
    pub fn mark_seen(&self, run_id: &str, status: RunStatus) {
        if !status.is_over() {
            return;
        }
        // Where it cannot be noted the run is only kept for longer.
        if let Err(error) = self.journal.mark_seen(run_id) {
            tracing::debug!("{run_id} counts as unseen: {error}");
        }
    }

    /// Called before the program ends: from then on the one file of the store is a whole backup of it.
    pub fn close(&self) {
        if let Err(error) = self.journal.finish() {
            tracing::debug!("The run store was left as it is: {error}");
        }
    }

    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    pub(crate) fn journal(&self) -> Arc<dyn Journal> {
        Arc::clone(&self.journal)
    }

    pub(crate) fn kinds(&self) -> &KindSet {
        &self.kinds
    }

    pub(crate) fn running(&self) -> &Running {
        &self.running
    }

    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    pub(crate) fn clock(&self) -> Clock {
        Arc::clone(&self.clock)
    }

    /// Models and tools as the settings are now, for a flow that may use what was granted.
    pub(crate) fn services(
        &self,
        flow_path: Option<&str>,
        grants: Grants,
    ) -> Result<Services, ApiError> {
        Ok(Services {
            models: Arc::new(self.provider_set()?),
            tools: self.tool_set(flow_path, grants),
        })
    }

    /// The tools as the settings are now. `flow_path`: the flow that uses them, whose folder its own paths start from.
    pub(crate) fn tool_set(&self, flow_path: Option<&str>, grants: Grants) -> Arc<dyn Tools> {
        let settings = self.settings();
        let secrets = secrets::lookup(self.keys());
        let mcp = self.mcp_tools(&grants, &secrets);
        let own = ToolSet::new(&ToolSettings {
            data_dir: self.data_dir.clone(),
            documents_folder: settings.documents_folder.map(PathBuf::from),
            grants,
            proxy: settings.proxy,
            web_search: settings.web_search.as_ref().map(WebSearch::of_tools),
            agents: settings.agents.iter().map(AgentRunner::runner).collect(),
            flow_folder: flow_path
                .and_then(|path| files::absolute(path).parent().map(Path::to_path_buf)),
            secrets: secrets.clone(),
        });
        Arc::new(AllTools { own, mcp, secrets })
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    pub(crate) fn local_servers(&self) -> &LocalServers {
        &self.local_servers
    }

    // ---- kinds, documents, templates

    pub fn kinds_reply(&self) -> KindsReply {
        let mut reply = kinds::reply(&self.kinds);
        let of_servers = kinds::mcp_presets(&self.tools());
        reply
            .presets
            .extend(kinds::with_handles(of_servers, &self.kinds));
        reply
    }

    /// `path`: the document's file, from which its references to other files start; `None` where it was never saved.
    pub fn analyze(&self, document: Value, path: Option<&str>) -> Result<Analysis, ApiError> {
        let flow = file::read_value(document)?;
        Ok(analysis::analyze(&flow, path, &self.kinds, |linked| {
            self.environment_problems(linked, path)
        }))
    }

    /// What the data of a document's nodes becomes when nodes get other ids (`names`, from old to new): what refers to them
    /// follows. A part of a flow will do, such as one that is pasted.
    ///
    /// # Errors
    /// `invalid_argument` when an old id is not there, or a new one is taken or no id.
    pub fn rename_nodes(
        &self,
        document: Value,
        names: &BTreeMap<String, String>,
    ) -> Result<RenamedData, ApiError> {
        let flow = file::read_value(document)?;
        let renamed = loopwright_model::validate::rename(&flow, self.kinds.specs(), names)
            .map_err(|error| ApiError::new(Code::InvalidArgument, error.to_string()))?;
        Ok(RenamedData {
            data: renamed.data,
            places: u32::try_from(renamed.places).unwrap_or(u32::MAX),
            unread: renamed
                .unread
                .into_iter()
                .map(|unread| UnreadField {
                    node: unread.node,
                    field: unread.field,
                    message: unread.message,
                })
                .collect(),
        })
    }

    /// The document with every flow that it refers to inline; a reference that fails stays as it is.
    pub fn link(&self, document: Value, path: Option<&str>) -> Result<Value, ApiError> {
        let flow = file::read_value(document)?;
        let linked = subflows::checked(&flow, path, self.kinds.specs());
        serde_json::to_value(linked.flow)
            .map_err(|error| ApiError::new(Code::Internal, error.to_string()))
    }

    pub fn templates(&self) -> Result<Vec<TemplateInfo>, ApiError> {
        templates::all(&self.kinds)
    }

    pub fn template(&self, id: &str) -> Result<TemplateInfo, ApiError> {
        templates::one(id, &self.kinds)
    }

    /// Writes a bundled template to `path`, which must not exist.
    pub fn copy_template(&self, id: &str, path: &str) -> Result<(), ApiError> {
        let info = self.template(id)?;
        let text = templates::text(&info.id).unwrap_or_default();
        files::write_new(path, text, "Choose a name that is free.")
    }

    // ---- files

    pub fn open_flow(&self, path: &str) -> Result<OpenedFlow, ApiError> {
        let mut opened = files::open(path)?;
        // The flow is open all the same.
        match files::remember(&self.data_dir, &opened.path, (self.clock)()) {
            Ok(damaged) => opened.notes.extend(damaged),
            Err(error) => opened.notes.push(error.message),
        }
        Ok(opened)
    }

    /// Reads a flow without remembering it among the recent ones.
    pub fn read_flow(&self, path: &str) -> Result<OpenedFlow, ApiError> {
        files::open(path)
    }

    pub fn save_flow(
        &self,
        path: &str,
        document: &Value,
        expected_version: Option<&str>,
    ) -> Result<SavedFlow, ApiError> {
        let saved = {
            // From looking at what is there to writing over it, no other window may save.
            let _alone = files::alone(&self.data_dir);
            files::save(path, document, expected_version)?
        };
        // The flow is saved, and must not be said not to be; the next opening says what is wrong with the list.
        match files::remember(&self.data_dir, &saved.path, (self.clock)()) {
            Ok(None) => {}
            Ok(Some(words)) => tracing::warn!("{words}"),
            Err(error) => tracing::warn!("{}", error.message),
        }
        Ok(saved)
    }

    /// The flow that `reference` names in the file `holder`, opened to be looked at and edited as a file of its own.
    pub fn read_subflow(&self, holder: &str, reference: &str) -> Result<OpenedFlow, ApiError> {
        subflows::read(holder, reference)
    }

    /// As [`App::read_subflow`], with a document that can stand inline in `holder`: its own references start there.
    pub fn inline_subflow(&self, holder: &str, reference: &str) -> Result<OpenedFlow, ApiError> {
        subflows::inline(holder, reference, self.kinds.specs())
    }

    /// Writes a flow that stands inline in the file `holder` to the new file that `reference` names there.
    pub fn save_subflow(
        &self,
        holder: &str,
        reference: &str,
        document: &Value,
    ) -> Result<SavedFlow, ApiError> {
        subflows::save(holder, reference, document, self.kinds.specs())
    }

    /// What a node in the file `holder` writes to refer to the file at `path`, which must lie in its folder or below.
    pub fn subflow_reference(&self, holder: &str, path: &str) -> Result<String, ApiError> {
        subflows::reference(holder, path)
    }

    pub fn recent_files(&self) -> Result<Vec<RecentFile>, ApiError> {
        let runs = self.runs(200, 0)?;
        Ok(files::recent(&self.data_dir)
            .0
            .into_iter()
            .map(|entry| {
                let last = runs
                    .iter()
                    .find(|run| run.flow_path.as_deref() == Some(entry.path.as_str()));
                RecentFile {
                    name: Path::new(&entry.path).file_name().map_or_else(
                        || entry.path.clone(),
                        |name| name.to_string_lossy().into_owned(),
                    ),
                    opened_at: timestamp(entry.opened_at),
                    last_run: last.map(|run| LastRun {
                        status: run.status,
                        exit_reason: run.exit_reason,
                        iterations: run.iterations,
                        at: run.started_at.clone(),
                    }),
                    missing: !Path::new(&entry.path).exists(),
                    path: entry.path,
                }
            })
            .collect())
    }

    // ---- the desk of this window

    /// Acts on this window's desk, which is set up when it is first asked for. One at a time: a draft is written whole.
    fn on_desk<T>(&self, act: impl FnOnce(&Desk) -> Result<T, ApiError>) -> Result<T, ApiError> {
        let mut desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = match desk.take() {
            Some(opened) => opened,
            None => Desk::open(&self.data_dir)?,
        };
        act(desk.insert(opened))
    }

    /// The files that were open last, and the drafts that this window and those before it have left.
    pub fn desk(&self) -> Result<DeskState, ApiError> {
        self.on_desk(|desk| Ok(desk.state()))
    }

    /// Remembers which files are open, in the order of their tabs.
    pub fn keep_tabs(&self, files: Vec<String>, active: Option<String>) -> Result<(), ApiError> {
        self.on_desk(|desk| desk.keep_tabs(files, active))
    }

    /// Keeps a document that is not saved, so that it outlives this program. `version`: of the file that it was made from.
    pub fn keep_draft(
        &self,
        id: &str,
        path: Option<String>,
        version: Option<String>,
        document: Value,
    ) -> Result<(), ApiError> {
        let now = (self.clock)();
        self.on_desk(|desk| desk.keep_draft(id, path, version, document, now))
    }

    /// Forgets a draft: it was saved, or given up.
    pub fn drop_draft(&self, id: &str) -> Result<(), ApiError> {
        self.on_desk(|desk| desk.drop_draft(id))
    }

    /// The version of a file as it is on the disk now; `None` where it is gone.
    pub fn file_version(&self, path: &str) -> Option<String> {
        desk::version_on_disk(path)
    }

    pub fn forget_recent(&self, path: &str) -> Result<(), ApiError> {
        files::forget(&self.data_dir, path)
    }

    /// Reads another system's file as a flow. Nothing is saved, and nothing of it is run.
    pub fn import_flow(
        &self,
        path: &str,
        options: importing::ImportOptions,
    ) -> Result<ImportedFlow, ApiError> {
        importing::of_file(path, options, &self.kinds)
    }

    /// As [`App::import_flow`], from a text; `name` is what the flow is called where it does not say so itself.
    pub fn import_flow_text(
        &self,
        text: &str,
        name: &str,
        options: importing::ImportOptions,
    ) -> Result<ImportedFlow, ApiError> {
        importing::of_text(text, name, options, &self.kinds)
    }

    /// Writes a flow as a LangGraph program in Python; `path` is where the flow stands, for the flows that it refers to.
    ///
    /// # Errors
    /// When the flow has errors, or something in it that the program could not do as it is done here.
    pub fn export_langgraph(
        &self,
        document: Value,
        path: Option<&str>,
    ) -> Result<exporting::ExportedProgram, ApiError> {
        exporting::as_langgraph(document, path, &self.kinds)
    }

    /// As [`Self::export_langgraph`], written to the file `target`, which ends in `.py`; gives what of the flow is not there or
    /// is otherwise.
    pub fn export_langgraph_to(
        &self,
        document: Value,
        path: Option<&str>,
        target: &str,
    ) -> Result<Vec<ImportEntry>, ApiError> {
        let exported = exporting::as_langgraph(document, path, &self.kinds)?;
        exporting::write_to(target, &exported.program)?;
        Ok(exported.entries)
    }

    // ---- runs

    pub fn stop_run(&self, run_id: &str) -> Result<(), ApiError> {
        if let Some(workers) = self.workers() {
            return workers.ask(run_id, &Control::Stop);
        }
        if self.running.stop(run_id) {
            return Ok(());
        }
        if self.is_led(run_id) {
            return Err(ApiError::new(
                Code::Busy,
                format!("Run {run_id} belongs to another program. Stop it there."),
            ));
        }
        // It rests in the journal, or was lost: from now on nobody takes it up again.
        self.end_resting(run_id)
    }

    /// Holds a run: what is under way ends, and nothing is started. It then rests as `paused` until it is resumed, also behind
    /// a restart.
    pub fn pause_run(&self, run_id: &str) -> Result<(), ApiError> {
        if let Some(workers) = self.workers() {
            return workers.ask(run_id, &Control::Pause);
        }
        if self.running.set_paused(run_id, true) {
            return Ok(());
        }
        let (_, state) = self.journal.run(run_id)?;
        if state.status == loopwright_engine::event::RunStatus::Paused {
            return Ok(());
        }
        let why = if self.is_led(run_id) {
            "belongs to another program. Pause it there."
        } else {
            "is not going on."
        };
        Err(ApiError::new(
            Code::InvalidArgument,
            format!("Run {run_id} {why}"),
        ))
    }

    /// Runs that this process leads.
    pub fn running_ids(&self) -> Vec<String> {
        self.running.ids()
    }

    /// Lets a run go on that was held and has not come to rest yet. `false`: it rests already, and is to be resumed.
    pub fn unhold_run(&self, run_id: &str) -> bool {
        self.running.set_paused(run_id, false)
    }

    /// Stops every run of this process, and waits until none is left or `patience` is over.
    pub async fn stop_all(&self, patience: std::time::Duration) {
        self.running.stop_all();
        self.running.none_left(patience).await;
    }

    /// Lets go of every run of this process where it stands, and waits for it as [`App::stop_all`]: what is under way is broken
    /// off, what was recorded is kept, and each is found as interrupted and can be resumed.
    pub async fn leave_all(&self, patience: std::time::Duration) {
        self.running.leave_all();
        self.running.none_left(patience).await;
    }

    /// The runs that this process leads and that have not come to rest, newest first.
    pub fn going_runs(&self) -> Result<Vec<RunSummary>, ApiError> {
        let mut runs = Vec::new();
        for run_id in self.running.ids() {
            let (header, state) = self.journal.run(&run_id)?;
            runs.push(history::summary(&header.brief(), &state));
        }
        runs.sort_by(|a, b| b.started_at.cmp(&a.started_at));
        Ok(runs)
    }

    pub fn run_detail(&self, run_id: &str) -> Result<RunDetail, ApiError> {
        history::detail(&*self.journal, run_id)
    }

    pub fn run_events(&self, run_id: &str) -> Result<Vec<Event>, ApiError> {
        history::events(&*self.journal, run_id)
    }

    pub fn step_detail(&self, run_id: &str, path: &str) -> Result<StepDetail, ApiError> {
        let mut step = history::step(&*self.journal, run_id, path)?;
        if step.status == StepStatus::Waiting {
            step.request = self.tool_request(run_id, &step)?;
        }
        Ok(step)
    }

    /// What a run waits for: paths and questions.
    pub fn waiting(&self, run_id: &str) -> Result<Vec<(String, String)>, ApiError> {
        history::waiting(&*self.journal, run_id)
    }

    /// The loops of a run by path, as `--json` prints them.
    pub fn run_loops(&self, run_id: &str) -> Result<Value, ApiError> {
        history::loops(&*self.journal, run_id)
    }

    pub fn delete_run(&self, run_id: &str) -> Result<(), ApiError> {
        // Held until it is gone, so that nobody takes it up in between. The id of a damaged run may name no lock.
        let _lock = match uuid::Uuid::parse_str(run_id) {
            Ok(_)
                if !self
                    .journal
                    .missing()
                    .iter()
                    .any(|run| run.run_id == run_id) =>
            {
                Some(self.lock_run(run_id)?)
            }
            _ => None,
        };
        if self.is_shared() && self.is_led(run_id) {
            return Err(ApiError::new(
                Code::Busy,
                format!("Run {run_id} is led by a worker. Stop it first."),
            ));
        }
        Ok(self.journal.delete(run_id)?)
    }

    // ---- settings, models, tools

    pub fn settings(&self) -> Settings {
        self.settings
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub fn save_settings(&self, new: Settings) -> Result<Settings, ApiError> {
        settings::save(&self.data_dir, &new)?;
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = new.clone();
        Ok(new)
    }

    /// What models cost, as far as it is known.
    pub fn prices(&self) -> Result<PriceList, ApiError> {
        prices::list(&self.data_dir)
    }

    /// Makes these the person's own prices, and gives all.
    pub fn save_prices(&self, own: Vec<PriceInfo>) -> Result<PriceList, ApiError> {
        let now = timestamp((self.clock)());
        prices::save(&self.data_dir, own, now.get(..10).unwrap_or_default())?;
        self.prices()
    }

    /// [`App::tools`], as the window sees them.
    pub fn tool_descriptions(&self) -> Vec<ToolDescription> {
        self.tools()
            .into_iter()
            .map(|tool| ToolDescription {
                name: tool.name,
                title: tool.title,
                summary: tool.summary,
                args: tool.args,
                unavailable: tool.unavailable,
            })
            .collect()
    }

    pub fn tools(&self) -> Vec<ToolInfo> {
        self.tool_set(None, Grants::default()).list()
    }
}
