//! Starting runs, following them and stopping them.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use loopwright_engine::{
    Answer, Approve, Entry, KindSet, NodeError, Record,
    budget::{Limits, dollars},
    driver::{
        EventSink, Finished, Host, PauseSwitch, ResumeError, Resumption, drive_with, end,
        resume_with,
    },
    event::{Event, EventBody, RunStatus, Warning, timestamp},
    host::Services,
    journal::{Earlier, RunFailure, RunHeader, RunSetup, RunState, Select},
    outcome::UsageView,
    plan::{self, Focus, Plan},
    run::rebuild::Plans,
    trust::Grants,
};
use loopwright_model::{Flow, Node, Problem, Shape, file, subflow::Linked, validate::validate};
use serde_json::{Map, Value};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    analysis::problem_info,
    app::App,
    dto::{CostEstimate, ProblemInfo},
    error::{ApiError, Code},
    estimate::estimate,
    paths,
    progress::time_run,
    subflows,
};

/// What a run is started with.
pub struct RunOptions {
    pub document: Value,
    pub flow_path: Option<String>,
    /// By input name.
    pub inputs: Map<String, Value>,
    /// How approvals are settled.
    pub approve: Approve,
    /// Values that stand for what nodes would give, by node, and the node that the run goes as far as.
    pub focus: Focus,
    /// Called for every event, in order; must not block.
    pub events: EventSink,
}

/// What a run is taken up with.
pub struct ResumeOptions {
    pub run_id: String,
    /// For the visit at this path, which waits for it.
    pub answer: Option<(String, Answer)>,
    /// Another budget for the run. One that was stopped at its own goes on where it stood.
    pub budget: Option<NewBudget>,
    pub approve: Approve,
    pub events: EventSink,
}

/// A budget in the place of a run's present one; what is not given stays as it was.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NewBudget {
    pub usd: Option<f64>,
    pub tokens: Option<u64>,
}

impl NewBudget {
    /// Checks it against what the run has spent.
    fn limits(self, run_id: &str, state: &RunState) -> Result<Limits, ApiError> {
        if self.usd.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
            return Err(ApiError::new(
                Code::InvalidArgument,
                "A budget is an amount of dollars, 0 or more.",
            ));
        }
        let limits = Limits::new(self.usd, self.tokens);
        let spent = state.budget.unwrap_or_default();
        let too_small = |limit: Option<u64>, spent: u64| limit.is_some_and(|limit| limit < spent);
        let has_spent = if too_small(limits.microusd, spent.spent_microusd) {
            dollars(spent.spent_microusd)
        } else if too_small(limits.tokens, spent.spent_tokens) {
            format!("{} tokens", spent.spent_tokens)
        } else {
            return Ok(limits);
        };
        Err(ApiError::new(
            Code::InvalidArgument,
            format!("Run {run_id} has spent {has_spent} already. Give it a budget above that."),
        ))
    }
}

/// A run that has begun.
pub struct Started {
    pub run_id: String,
    pub cancel: CancellationToken,
    pub finished: JoinHandle<Result<RunOutcome, ApiError>>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    pub run_id: String,
    pub status: RunStatus,
    pub state: RunState,
}

/// Runs of this process, by id.
#[derive(Default)]
pub(crate) struct Running(Mutex<HashMap<String, Reins>>);

/// What a run of this process is led by.
pub(crate) struct Reins {
    cancel: CancellationToken,
    pause: PauseSwitch,
}

impl Running {
    fn with<T>(&self, f: impl FnOnce(&mut HashMap<String, Reins>) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn stop(&self, run_id: &str) -> bool {
        self.with(|runs| {
            runs.get(run_id).is_some_and(|reins| {
                reins.cancel.cancel();
                true
            })
        })
    }

    /// Holds a run, or lets it go on. `false`: no run of this process.
    pub(crate) fn hold(&self, run_id: &str, paused: bool) -> bool {
        self.with(|runs| {
            runs.get(run_id).is_some_and(|reins| {
                if paused {
                    reins.pause.pause();
                } else {
                    reins.pause.go_on();
                }
                true
            })
        })
    }

    pub(crate) fn stop_all(&self) {
        self.with(|runs| runs.values().for_each(|reins| reins.cancel.cancel()));
    }

    pub(crate) fn count(&self) -> usize {
        self.with(|runs| runs.len())
    }
}

impl App {
    /// Checks, plans and starts a run. Nothing is written when the flow has errors.
    ///
    /// # Errors
    /// [`Code::NotApproved`] where the flow would use what the person has not approved.
    pub fn start_run(self: &Arc<Self>, options: RunOptions) -> Result<Started, ApiError> {
        self.start_run_with(options, Grants::default())
    }

    /// As [`App::start_run`], with what is allowed for this run alone.
    ///
    /// # Errors
    /// As [`App::start_run`].
    pub fn start_run_with(
        self: &Arc<Self>,
        options: RunOptions,
        allow: Grants,
    ) -> Result<Started, ApiError> {
        let flow = file::read_value(options.document.clone())?;
        let mut document = options.document;
        self.with_budget(&flow, &mut document)?;
        let flow = file::read_value(document.clone())?;
        let known_as = Self::known_as(options.flow_path.as_deref(), &flow);
        let kinds = self.kinds();
        let path = options.flow_path.as_deref();
        let Checked {
            flow,
            document,
            plan,
        } = check(flow, document, path, kinds, &options.focus)?;
        let mut plan = plan;
        let warned = self.warn_of_sessions(&flow, path);
        plan.warnings.extend(warned.iter().map(warning));
        let inputs = check_inputs(&flow, kinds, options.inputs)?;
        let trusted = self
            .trusted(&flow, path, known_as, &allow)
            .inspect_err(|_| {
                if let Err(error) = self.refuse_run(document.clone(), path) {
                    tracing::warn!("The refusal could not be kept: {error}");
                }
            })?;
        let services = self.services(path, trusted.grants)?;
        let run_id = uuid::Uuid::now_v7().to_string();
        let lock = RunLock::take(self.data_dir(), &run_id)?;
        self.journal().create(&RunHeader {
            run_id: run_id.clone(),
            flow: plan.name.clone(),
            flow_path: options.flow_path,
            document,
            inputs: Value::Object(inputs.clone()),
            started_at: (self.clock())(),
            setup: RunSetup {
                pins: options.focus.pins,
                until: options.focus.until,
                origin: None,
                allowed: allow,
            },
        })?;
        let events = self.heeding(trusted.flow, options.events);
        let host = self.host(services, options.approve, events);
        let notes = trusted.notes;
        Ok(self.go(run_id, lock, host, move |id, host| async move {
            Ok(drive_with(Arc::new(plan), &id, inputs, notes, &host).await?)
        }))
    }

    /// A flow that says nothing of money gets the budget of the settings. It stands in the document that is kept with the run.
    fn with_budget(&self, flow: &Flow, document: &mut Value) -> Result<(), ApiError> {
        match self.settings().budget_usd {
            Some(usd) if flow.settings().budget_usd.is_none() => {
                crate::forking::set_budget(document, usd)
            }
            _ => Ok(()),
        }
    }

    /// Takes a run up again that was interrupted, or that waits for the answer given here. A run that is over is refused.
    pub fn resume_run(self: &Arc<Self>, options: ResumeOptions) -> Result<Started, ApiError> {
        let run_id = options.run_id;
        let lock = self.lock_run(&run_id)?;
        let (header, mut state) = self.journal().run(&run_id)?;
        let budget = options
            .budget
            .map(|budget| budget.limits(&run_id, &state))
            .transpose()?;
        match (state.status, &options.answer) {
            (RunStatus::Failed, None) if state.over_budget => {
                if budget.is_none() {
                    return Err(ApiError::new(
                        Code::InvalidArgument,
                        format!(
                            "Run {run_id} was stopped at its budget. Give it a larger one to go on: `runs resume {run_id} --budget-usd X`."
                        ),
                    ));
                }
            }
            (RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled, _) => {
                return Err(ApiError::new(
                    Code::InvalidArgument,
                    format!("Run {run_id} is over. `runs show` prints it; `run` starts a new one."),
                ));
            }
            (RunStatus::Waiting, None) => {
                return Err(ApiError::new(
                    Code::InvalidArgument,
                    format!("Run {run_id} waits for an answer. `runs answer` gives it."),
                ));
            }
            _ => {}
        }
        // The version that the run began with, whatever became of the file since.
        let (plans, inputs) = plans_of(&header, self.kinds())?;
        let was_forked = header.setup.origin.is_some();
        if was_forked && self.journal().read(&run_id, Select::Path(""))?.is_empty() {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!(
                    "Run {run_id} was cut off before anything was taken over from the run it was forked from. Fork that again."
                ),
            ));
        }
        let path = header.flow_path.as_deref();
        let flow = file::read_value(header.document.clone())?;
        let trusted = self.trusted(
            &flow,
            path,
            Self::known_as(path, &flow),
            &header.setup.allowed,
        )?;
        let services = self.services(path, trusted.grants)?;
        let before = state.clone();
        state.status = RunStatus::Running;
        state.error = None;
        state.over_budget = false;
        self.journal().set_state(&run_id, &state)?;
        let how = Resumption {
            answer: options.answer,
            budget,
            notes: trusted.notes,
        };
        let events = self.heeding(trusted.flow, options.events);
        let host = self.host(services, options.approve, events);
        Ok(self.go(run_id, lock, host, move |id, host| async move {
            match resume_with(plans, &id, inputs, how, &host).await {
                Ok(finished) => Ok(finished),
                Err(ResumeError::Journal(error)) => Err(error.into()),
                Err(ResumeError::Refused(error)) => {
                    // Nothing was done, so the run stands where it stood.
                    host.journal.set_state(&id, &before)?;
                    Err(ApiError::new(Code::InvalidArgument, error.message))
                }
            }
        }))
    }

    /// Takes the run for this process alone: who changes it, or goes on with it, holds this.
    pub(crate) fn lock_run(&self, run_id: &str) -> Result<RunLock, ApiError> {
        // The lock's name is the run's, so a run by that name must be there.
        self.journal().run(run_id)?;
        RunLock::take(self.data_dir(), run_id)
    }

    /// Ends a run that rests in the journal. Its record says so, as that of a run stopped on its way does.
    pub(crate) fn end_resting(&self, run_id: &str) -> Result<(), ApiError> {
        let _lock = self.lock_run(run_id)?;
        let (header, state) = self.journal().run(run_id)?;
        if !matches!(
            state.status,
            RunStatus::Running | RunStatus::Paused | RunStatus::Waiting | RunStatus::Interrupted
        ) {
            return Ok(());
        }
        if let Ok((plans, inputs)) = plans_of(&header, self.kinds())
            && let Ok(services) = self.services(None, Grants::default())
        {
            let host = self.host(services, Approve::None, Arc::new(|_| {}));
            match end(&plans, run_id, inputs, &host) {
                Ok(_) => return Ok(()),
                Err(ResumeError::Journal(error)) => return Err(error.into()),
                Err(ResumeError::Refused(_)) => {}
            }
        }
        self.end_by_hand(run_id, state)
    }

    /// Ends a run that this program cannot rebuild, because its flow's kinds or the program have changed since: it can be
    /// read and not taken up, and must not be offered for ever.
    fn end_by_hand(&self, run_id: &str, mut state: RunState) -> Result<(), ApiError> {
        let journal = self.journal();
        let records = journal.read(run_id, Select::All)?;
        let last = records.last();
        let error = NodeError::new("cancelled", "The run was stopped.");
        let duration_ms = time_run(&records);
        let entries = [
            Entry::StopRequested {
                code: error.code.clone(),
            },
            Entry::RunFailed {
                status: RunStatus::Cancelled,
                error: error.clone(),
                duration_ms,
                usage: state.usage,
                warnings: state.warnings.clone(),
            },
        ];
        let at = (self.clock())();
        let next = last.map_or(0, |record| record.seq + 1);
        let ending: Vec<Record> = (next..)
            .zip(entries)
            .map(|(seq, entry)| Record {
                seq,
                at,
                path: String::new(),
                node_id: None,
                entry,
            })
            .collect();
        journal.append(run_id, &ending)?;
        state.status = RunStatus::Cancelled;
        state.duration_ms = Some(duration_ms);
        state.error = Some(RunFailure {
            code: error.code,
            node: None,
            message: error.message,
        });
        Ok(journal.set_state(run_id, &state)?)
    }

    pub(crate) fn host(&self, services: Services, approve: Approve, events: EventSink) -> Host {
        Host {
            services,
            journal: self.journal(),
            clock: self.clock(),
            events,
            cancel: CancellationToken::new(),
            pause: PauseSwitch::default(),
            approve,
        }
    }

    /// Runs `work` on the runtime, known by the run's id until it ends.
    pub(crate) fn go<F>(
        self: &Arc<Self>,
        run_id: String,
        lock: RunLock,
        host: Host,
        work: impl FnOnce(String, Host) -> F + Send + 'static,
    ) -> Started
    where
        F: Future<Output = Result<Finished, ApiError>> + Send,
    {
        let cancel = host.cancel.clone();
        let events = Arc::clone(&host.events);
        let reins = Reins {
            cancel: cancel.clone(),
            pause: host.pause.clone(),
        };
        self.running()
            .with(|runs| runs.insert(run_id.clone(), reins));
        let app = Arc::clone(self);
        let id = run_id.clone();
        let finished = self.runtime().spawn(async move {
            let result = work(id.clone(), host).await;
            app.running().with(|runs| runs.remove(&id));
            drop(lock);
            if let Err(error) = app.make_room() {
                tracing::warn!("Past runs could not be thinned out: {error}");
            }
            match result {
                Ok(finished) => Ok(RunOutcome {
                    run_id: id,
                    status: finished.status,
                    state: finished.state,
                }),
                Err(error) => {
                    // The run stopped where it was: whoever watches must hear of it.
                    events(&Event {
                        run_id: id,
                        seq: u32::MAX,
                        at: timestamp((app.clock())()),
                        node_id: None,
                        path: String::new(),
                        body: EventBody::Failed {
                            status: RunStatus::Interrupted,
                            code: "interrupted".to_owned(),
                            message: error.to_string(),
                            duration_ms: 0,
                            usage: UsageView::default(),
                            warnings: Vec::new(),
                        },
                    });
                    Err(error)
                }
            }
        });
        Started {
            run_id,
            cancel,
            finished,
        }
    }

    /// The most that a run of a flow can cost, before it starts. `inputs` by name; those that are not given count with their
    /// defaults.
    pub fn estimate(
        &self,
        document: Value,
        path: Option<&str>,
        inputs: &Map<String, Value>,
    ) -> Result<CostEstimate, ApiError> {
        let flow = file::read_value(document)?;
        let Linked { flow, problems, .. } = subflows::checked(&flow, path, self.kinds().specs());
        if let Some(error) = problems.iter().find(|problem| problem.is_error()) {
            return Ok(CostEstimate {
                max_calls: None,
                max_usd: None,
                max_tokens: None,
                unknown: vec![format!("The flow has errors. {}", error.message)],
                note: "cost unknown".to_owned(),
            });
        }
        let plan = planned(&flow, self.kinds(), &problems, &Focus::default())?;
        let providers = self.provider_set()?;
        Ok(estimate(&flow, &plan, self.kinds(), &providers, inputs))
    }

    /// Problems of a flow, for `validate`. `path`: its file, from which its references to other files start.
    pub fn validate(
        &self,
        document: &Value,
        path: Option<&str>,
    ) -> Result<Vec<ProblemInfo>, ApiError> {
        let flow = file::read_value(document.clone())?;
        let linked = subflows::checked(&flow, path, self.kinds().specs());
        let sessions = self.warn_of_sessions(&linked.flow, path);
        Ok(linked
            .problems
            .iter()
            .chain(&sessions)
            .map(problem_info)
            .collect())
    }
}

/// A flow that can be run.
pub(crate) struct Checked {
    pub(crate) flow: Flow,
    /// With what other files held inline: it is kept with the run, which never looks at them again.
    pub(crate) document: Value,
    pub(crate) plan: Plan,
}

/// Checks and plans a flow that is about to run.
pub(crate) fn check(
    flow: Flow,
    document: Value,
    path: Option<&str>,
    kinds: &KindSet,
    focus: &Focus,
) -> Result<Checked, ApiError> {
    let Linked {
        flow,
        has_read,
        problems,
    } = subflows::checked(&flow, path, kinds.specs());
    refuse(&problems)?;
    let document = if has_read {
        serde_json::to_value(&flow)
            .map_err(|error| ApiError::new(Code::Internal, error.to_string()))?
    } else {
        document
    };
    let plan = planned(&flow, kinds, &problems, focus)?;
    Ok(Checked {
        flow,
        document,
        plan,
    })
}

/// The plans of a stored run, of every flow that it went by, and the inputs that it began with.
pub(crate) fn plans_of(
    header: &RunHeader,
    kinds: &KindSet,
) -> Result<(Plans, Map<String, Value>), ApiError> {
    let plan = |document: &Value, pins: &Map<String, Value>, until: &Option<String>| {
        let flow = file::read_value(document.clone())?;
        let problems = validate(&flow, kinds.specs());
        let focus = Focus {
            pins: pins.clone(),
            until: until.clone(),
        };
        planned(&flow, kinds, &problems, &focus).map(Arc::new)
    };
    let setup = &header.setup;
    let last = plan(&header.document, &setup.pins, &setup.until)?;
    let earlier: &[Earlier] = setup.origin.as_ref().map_or(&[], |origin| &origin.earlier);
    let mut all = Vec::with_capacity(earlier.len() + 1);
    for before in earlier {
        all.push(plan(&before.document, &before.pins, &before.until)?);
    }
    all.push(last);
    let mut all = all.into_iter();
    let Some(first) = all.next() else {
        return Err(ApiError::new(Code::Internal, "A run without a plan."));
    };
    let inputs = setup
        .origin
        .as_ref()
        .map_or(&header.inputs, |origin| &origin.inputs);
    let inputs = inputs.as_object().cloned().unwrap_or_default();
    Ok((all.fold(Plans::from(first), Plans::then), inputs))
}

/// Plans a flow; what validation warned of is repeated on its runs.
fn planned(
    flow: &Flow,
    kinds: &KindSet,
    problems: &[Problem],
    focus: &Focus,
) -> Result<Plan, ApiError> {
    let mut plan =
        plan::plan(flow, kinds).map_err(|error| ApiError::new(Code::InvalidFlow, error.message))?;
    plan.focus(flow, kinds, focus)
        .map_err(|error| ApiError::new(Code::InvalidArgument, error.message))?;
    plan.warnings = problems
        .iter()
        .filter(|problem| !problem.is_error())
        // A loop says itself that it is clamped, when it begins.
        .filter(|problem| {
            problem.code != "clamped" || problem.place.as_deref() != Some("maxIterations")
        })
        .map(warning)
        .collect();
    Ok(plan)
}

fn warning(problem: &Problem) -> Warning {
    Warning {
        code: problem.code.to_owned(),
        node: problem.node.clone(),
        message: problem.message.clone(),
    }
}

fn refuse(problems: &[Problem]) -> Result<(), ApiError> {
    let errors: Vec<_> = problems
        .iter()
        .filter(|problem| problem.is_error())
        .collect();
    let Some(first) = errors.first() else {
        return Ok(());
    };
    let more = match errors.len() {
        1 => String::new(),
        count => format!(" And {} more; `loopwright validate` lists them.", count - 1),
    };
    Err(ApiError::new(
        Code::InvalidFlow,
        format!(
            "The flow has errors and was not run. {}{more}",
            first.message
        ),
    ))
}

/// Every given input must exist, and be of its type.
fn check_inputs(
    flow: &Flow,
    kinds: &KindSet,
    inputs: Map<String, Value>,
) -> Result<Map<String, Value>, ApiError> {
    let names: Vec<&str> = flow
        .nodes
        .iter()
        .filter(|node| kinds.specs().shape(node) == Shape::Input)
        .map(Node::boundary_name)
        .collect();
    for name in inputs.keys() {
        if !names.contains(&name.as_str()) {
            let known = if names.is_empty() {
                "This flow has no inputs.".to_owned()
            } else {
                format!("This flow has: {}.", names.join(", "))
            };
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!("There is no input `{name}`. {known}"),
            ));
        }
    }
    Ok(inputs)
}

/// Held while a run goes on, so that other programs can tell a living run from a lost one.
pub(crate) struct RunLock {
    path: PathBuf,
    file: Option<File>,
}

impl RunLock {
    /// # Errors
    /// [`Code::Busy`] when some program, this one included, holds it.
    pub(crate) fn take(data_dir: &Path, run_id: &str) -> Result<Self, ApiError> {
        let folder = paths::running(data_dir);
        let path = folder.join(run_id);
        let failed = |error: &dyn std::fmt::Display| {
            ApiError::new(
                Code::Io,
                format!("{} cannot be written: {error}", path.display()),
            )
        };
        fs::create_dir_all(&folder).map_err(|error| failed(&error))?;
        let _gate = gate(&folder).map_err(|error| failed(&error))?;
        let file = writable(&path).map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self {
                path,
                file: Some(file),
            }),
            Err(TryLockError::WouldBlock) => Err(ApiError::new(
                Code::Busy,
                format!(
                    "Run {run_id} is going on, here or in another program. Wait until it ends or waits, or stop it there."
                ),
            )),
            Err(TryLockError::Error(error)) => Err(failed(&error)),
        }
    }

    /// Whether some program is running `run_id` now.
    pub(crate) fn is_held(data_dir: &Path, run_id: &str) -> bool {
        let folder = paths::running(data_dir);
        // Without the gate the look is still right, and may only make somebody else's `take` fail.
        let _gate = gate(&folder);
        match File::open(folder.join(run_id)) {
            Err(_) => false,
            Ok(file) => matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)),
        }
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        let _gate = self.path.parent().map(gate);
        // A file that stays behind is not locked and so counts as lost, which is what it then is.
        let _ = fs::remove_file(&self.path);
        drop(self.file.take());
    }
}

/// Held for the moment in which a lock is taken, looked at or given back. Else one program could open a lock file that
/// another is just removing, and hold a lock that nobody else sees.
fn gate(folder: &Path) -> std::io::Result<File> {
    let file = writable(&folder.join(".gate"))?;
    file.lock()?;
    Ok(file)
}

fn writable(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
}
