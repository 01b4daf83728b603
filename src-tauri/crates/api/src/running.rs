//! Starting runs, following them and stopping them.

use std::{
    collections::HashMap,
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use loopwright_engine::{
    Answer, Approve, KindSet,
    driver::{EventSink, Finished, Host, ResumeError, drive, resume},
    event::{Event, EventBody, RunStatus, Warning, timestamp},
    journal::{RunHeader, RunState},
    outcome::UsageView,
    plan::{self, Plan},
};
use loopwright_model::{Flow, Problem, Shape, file, validate::validate};
use serde_json::{Map, Value};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    analysis::problem_info,
    app::App,
    dto::ProblemInfo,
    error::{ApiError, Code},
    paths,
};

/// What a run is started with.
pub struct RunOptions {
    pub document: Value,
    pub flow_path: Option<String>,
    /// By input name.
    pub inputs: Map<String, Value>,
    /// How approvals are settled.
    pub approve: Approve,
    /// Called for every event, in order; must not block.
    pub events: EventSink,
}

/// What a run is taken up with.
pub struct ResumeOptions {
    pub run_id: String,
    /// For the visit at this path, which waits for it.
    pub answer: Option<(String, Answer)>,
    pub approve: Approve,
    pub events: EventSink,
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
pub(crate) struct Running(Mutex<HashMap<String, CancellationToken>>);

impl Running {
    fn with<T>(&self, f: impl FnOnce(&mut HashMap<String, CancellationToken>) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn stop(&self, run_id: &str) -> bool {
        self.with(|runs| {
            runs.get(run_id).is_some_and(|token| {
                token.cancel();
                true
            })
        })
    }

    pub(crate) fn stop_all(&self) {
        self.with(|runs| runs.values().for_each(CancellationToken::cancel));
    }

    pub(crate) fn count(&self) -> usize {
        self.with(|runs| runs.len())
    }
}

impl App {
    /// Checks, plans and starts a run. Nothing is written when the flow has errors.
    pub fn start_run(self: &Arc<Self>, options: RunOptions) -> Result<Started, ApiError> {
        let flow = file::read_value(options.document.clone())?;
        let kinds = self.kinds();
        let problems = validate(&flow, kinds.specs());
        refuse(&problems)?;
        let inputs = check_inputs(&flow, kinds, options.inputs)?;
        let plan = planned(&flow, kinds, &problems)?;
        let run_id = uuid::Uuid::now_v7().to_string();
        let lock = RunLock::take(self.data_dir(), &run_id)?;
        self.journal().create(&RunHeader {
            run_id: run_id.clone(),
            flow: plan.name.clone(),
            flow_path: options.flow_path,
            document: options.document,
            inputs: Value::Object(inputs.clone()),
            started_at: (self.clock())(),
        })?;
        self.go(
            run_id,
            lock,
            options.approve,
            options.events,
            move |id, host| async move { Ok(drive(Arc::new(plan), &id, inputs, &host).await?) },
        )
    }

    /// Takes a run up again that was interrupted, or that waits for the answer given here. A run that is over is refused.
    pub fn resume_run(self: &Arc<Self>, options: ResumeOptions) -> Result<Started, ApiError> {
        let run_id = options.run_id;
        let lock = RunLock::take(self.data_dir(), &run_id)?;
        let (header, mut state) = self.journal().run(&run_id)?;
        match (state.status, &options.answer) {
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
        let flow = file::read_value(header.document)?;
        let problems = validate(&flow, self.kinds().specs());
        let plan = planned(&flow, self.kinds(), &problems)?;
        let inputs = match header.inputs {
            Value::Object(inputs) => inputs,
            _ => Map::new(),
        };
        let before = state.clone();
        state.status = RunStatus::Running;
        self.journal().set_state(&run_id, &state)?;
        let answer = options.answer;
        let journal = self.journal();
        self.go(
            run_id,
            lock,
            options.approve,
            options.events,
            move |id, host| async move {
                match resume(Arc::new(plan), &id, inputs, answer, &host).await {
                    Ok(finished) => Ok(finished),
                    Err(ResumeError::Journal(error)) => Err(error.into()),
                    Err(ResumeError::Refused(error)) => {
                        // Nothing was done, so the run stands where it stood.
                        journal.set_state(&id, &before)?;
                        Err(ApiError::new(Code::InvalidArgument, error.message))
                    }
                }
            },
        )
    }

    /// Runs `work` on the runtime, known by the run's id until it ends.
    fn go<F>(
        self: &Arc<Self>,
        run_id: String,
        lock: RunLock,
        approve: Approve,
        events: EventSink,
        work: impl FnOnce(String, Host) -> F + Send + 'static,
    ) -> Result<Started, ApiError>
    where
        F: Future<Output = Result<Finished, ApiError>> + Send,
    {
        let cancel = CancellationToken::new();
        let host = Host {
            services: self.services()?,
            journal: self.journal(),
            clock: self.clock(),
            events: Arc::clone(&events),
            cancel: cancel.clone(),
            approve,
        };
        self.running()
            .with(|runs| runs.insert(run_id.clone(), cancel.clone()));
        let app = Arc::clone(self);
        let id = run_id.clone();
        let finished = self.runtime().spawn(async move {
            let result = work(id.clone(), host).await;
            app.running().with(|runs| runs.remove(&id));
            drop(lock);
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
        Ok(Started {
            run_id,
            cancel,
            finished,
        })
    }

    /// Problems of a flow, for `validate`.
    pub fn validate(&self, document: &Value) -> Result<Vec<ProblemInfo>, ApiError> {
        let flow = file::read_value(document.clone())?;
        Ok(validate(&flow, self.kinds().specs())
            .iter()
            .map(problem_info)
            .collect())
    }
}

/// Plans a flow; what validation warned of is repeated on its runs.
fn planned(flow: &Flow, kinds: &KindSet, problems: &[Problem]) -> Result<Plan, ApiError> {
    let mut plan =
        plan::plan(flow, kinds).map_err(|error| ApiError::new(Code::InvalidFlow, error.message))?;
    plan.warnings = problems
        .iter()
        .filter(|problem| !problem.is_error())
        .map(|problem| Warning {
            code: problem.code.to_owned(),
            node: problem.node.clone(),
            message: problem.message.clone(),
        })
        .collect();
    Ok(plan)
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
        count => format!(" And {} more.", count - 1),
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
        .map(|node| {
            node.text("name")
                .filter(|name| !name.is_empty())
                .unwrap_or(&node.id)
        })
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
    _file: File,
}

impl RunLock {
    fn take(data_dir: &Path, run_id: &str) -> Result<Self, ApiError> {
        let folder = paths::running(data_dir);
        let path = folder.join(run_id);
        let failed = |error: &dyn std::fmt::Display| {
            ApiError::new(
                Code::Io,
                format!("{} cannot be written: {error}", path.display()),
            )
        };
        fs::create_dir_all(&folder).map_err(|error| failed(&error))?;
        let file = File::create(&path).map_err(|error| failed(&error))?;
        file.try_lock().map_err(|error| failed(&error))?;
        Ok(Self { path, _file: file })
    }

    /// Whether some program is running `run_id` now.
    pub(crate) fn is_held(data_dir: &Path, run_id: &str) -> bool {
        let path = paths::running(data_dir).join(run_id);
        match File::open(&path) {
            Err(_) => false,
            Ok(file) => matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)),
        }
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // A file that stays behind is not locked and so counts as lost, which is what it then is.
        let _ = fs::remove_file(&self.path);
    }
}
