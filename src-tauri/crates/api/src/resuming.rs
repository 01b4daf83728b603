//! Resuming runs that are suspended or were interrupted, and ending those that must not continue.

use std::sync::Arc;

use loopwright_driver::{EventSink, ResumeError, Resumption, end};
use loopwright_engine::{
    Answer, ApprovalPolicy, Entry, NodeError, Record,
    event::RunStatus,
    journal::{Fact, Input, JournalError, RunFailure, RunState, Select, StopReason},
    trust::Grants,
};

use crate::{
    app::App,
    error::{ApiError, Code},
    flow_identity::identity,
    launch::{Launch, Work},
    new_budget::NewBudget,
    prepare::{StoredRun, stored_run},
    progress::time_run,
    run_lock::RunLock,
    running::Started,
};

/// What a run is resumed with.
pub struct ResumeOptions {
    pub run_id: String,
    /// For the execution at this path, which waits for it.
    pub answer: Option<(String, Answer)>,
    /// Another budget for the run. One that was stopped at its own continues where it stood.
    pub budget: Option<NewBudget>,
    pub approve: ApprovalPolicy,
    pub events: EventSink,
}

impl App {
    /// Resumes a run that was interrupted, or that waits for the answer given here. A run that is over is refused.
    pub fn resume_run(self: &Arc<Self>, options: ResumeOptions) -> Result<Started, ApiError> {
        self.resume(options, false)
    }

    /// As [`App::resume_run`], of a run whose time continued since its last record: it lost whoever led it, or slept until a timer.
    ///
    /// # Errors
    /// As [`App::resume_run`].
    pub fn take_over_run(self: &Arc<Self>, options: ResumeOptions) -> Result<Started, ApiError> {
        self.resume(options, true)
    }

    fn resume(
        self: &Arc<Self>,
        options: ResumeOptions,
        taken_over: bool,
    ) -> Result<Started, ApiError> {
        let run_id = options.run_id;
        if let Some(workers) = self.workers() {
            let workers = Arc::clone(workers);
            let (answer, budget) = (options.answer, options.budget);
            return self.ask_to_resume(&workers, run_id, answer, budget, options.events);
        }
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
                            "Run {run_id} was stopped at its budget. Give it a larger one to continue: `runs resume {run_id} --budget-usd X`."
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
        let StoredRun {
            flow,
            plans,
            inputs,
        } = stored_run(&header, self.kinds())?;
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
        let admitted = self.admit(&flow, path, identity(path, &flow), &header.setup.allowed)?;
        let before = Box::new(state.clone());
        state.status = RunStatus::Running;
        state.error = None;
        state.over_budget = false;
        self.journal().set_state(&run_id, &state)?;
        let how = Resumption {
            answer: options.answer,
            budget,
            taken_over,
            imported_records: header.setup.imported_records,
            ..Resumption::default()
        };
        Ok(self.launch(Launch {
            run_id,
            lock,
            admitted,
            work: Work::Continue {
                plans,
                inputs,
                how,
                before: Some(before),
            },
            approve: options.approve,
            events: options.events,
        }))
    }

    /// Takes the run for this process alone: who changes it, or continues it, holds this.
    pub(crate) fn lock_run(&self, run_id: &str) -> Result<RunLock, ApiError> {
        // The lock's name is the run's, so a run by that name must be there.
        if !self
            .journal()
            .ids(run_id, usize::MAX)?
            .iter()
            .any(|id| id == run_id)
        {
            return Err(JournalError::NoRun(run_id.to_owned()).into());
        }
        RunLock::take(self.data_dir(), run_id)
    }

    /// Ends a suspended run. Its last record says so, as that of a run that was stopped while it ran.
    pub(crate) fn end_suspended(&self, run_id: &str) -> Result<(), ApiError> {
        let _lock = self.lock_run(run_id)?;
        let (header, state) = self.journal().run(run_id)?;
        if !matches!(
            state.status,
            RunStatus::Running | RunStatus::Paused | RunStatus::Waiting | RunStatus::Interrupted
        ) {
            return Ok(());
        }
        if let Ok(StoredRun {
            flow,
            plans,
            inputs,
        }) = stored_run(&header, self.kinds())
            && let Ok(services) = self.services(&flow, None, Grants::default())
        {
            let host = self.host(services, ApprovalPolicy::None, Arc::new(|_| {}));
            match end(&plans, run_id, inputs, &host) {
                Ok(_) => return Ok(()),
                Err(ResumeError::Journal(error)) => return Err(error.into()),
                Err(ResumeError::Refused(_)) => {}
            }
        }
        self.end_by_hand(run_id, state)
    }

    /// Ends a run that this program cannot rebuild, because its flow's kinds or the program have changed since: it can be
    /// read and not resumed, and must not be offered for ever.
    fn end_by_hand(&self, run_id: &str, mut state: RunState) -> Result<(), ApiError> {
        let journal = self.journal();
        let records = journal.read(run_id, Select::All)?;
        let last = records.last();
        let error = NodeError::cancelled("The run was stopped.");
        let duration_ms = time_run(&records);
        let entries = [
            Entry::Input(Input::StopRequested {
                reason: StopReason::Cancelled,
            }),
            Entry::Fact(Fact::RunFailed {
                status: RunStatus::Cancelled,
                error: Box::new(error.clone()),
                duration_ms,
                usage: Box::new(state.usage),
                warnings: state.warnings.clone(),
            }),
        ];
        let at = (self.clock())();
        let next = last.map_or(0, |record| record.seq.saturating_add(1));
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
}
