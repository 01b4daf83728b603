//! Runs in a store that programs on several machines share: prepared here, driven wherever a worker is free.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use loopwright_driver::EventSink;
use loopwright_engine::{
    ApprovalPolicy, NodeError,
    event::RunStatus,
    journal::{RunHeader, Select},
    plan::Focus,
};
use loopwright_evaluation::file::DataSource;
use serde_json::{Map, Value};

use crate::{
    app::App,
    error::{ApiError, Code},
    flow_identity::identity,
    launch::{Launch, Work},
    new_budget::NewBudget,
    prepare::{StoredRun, check_inputs, stored_run},
    prepared_run::PreparedFlow,
    running::Started,
    trust::not_begun,
};

/// What a data set gives of runs.
pub struct NewRuns {
    /// The line of each, from 1, and its inputs by name.
    pub runs: Vec<(u32, Map<String, Value>)>,
    /// Lines that are no inputs of the flow, with the reason.
    pub rejected: Vec<(u32, String)>,
    pub notes: Vec<String>,
}

impl App {
    /// Prepares a flow whose runs are driven elsewhere. `usd`: what each of them may spend, instead of the flow's own budget.
    ///
    /// # Errors
    /// [`Code::InvalidFlow`] with the first problem; [`Code::InvalidArgument`] for the budget.
    pub fn prepare_batch(
        &self,
        document: Value,
        path: Option<&str>,
        usd: Option<f64>,
    ) -> Result<PreparedFlow, ApiError> {
        let budget = NewBudget { usd, tokens: None };
        let path = path.map(str::to_owned);
        let prepared = self.prepare_flow(document, path, Focus::default(), budget)?;
        prepared.plan()?;
        Ok(prepared)
    }

    /// Reads the inputs of runs from a data set, and checks each line before anything is stored.
    ///
    /// # Errors
    /// [`Code::NotFound`] and [`Code::Io`] for the file; [`Code::InvalidArgument`] where nothing of it can be read.
    pub fn read_inputs(&self, flow: &PreparedFlow, data: &str) -> Result<NewRuns, ApiError> {
        let source = DataSource {
            file: data.to_owned(),
            id: None,
            inputs: BTreeMap::new(),
            expected: None,
        };
        let set = self.cases(Path::new(""), &source, flow.document())?;
        let plan = flow.plan()?;
        let mut rejected: Vec<(u32, String)> = set
            .rejected
            .into_iter()
            .map(|row| (row.line, row.message))
            .collect();
        let mut runs = Vec::with_capacity(set.cases.len());
        for case in set.cases {
            match check_inputs(&flow.flow, plan, self.kinds(), &case.inputs) {
                Ok(()) => runs.push((case.line, case.inputs)),
                Err(error) => rejected.push((case.line, error.message)),
            }
        }
        rejected.sort_by_key(|(line, _)| *line);
        Ok(NewRuns {
            runs,
            rejected,
            notes: set.notes,
        })
    }

    /// Leads a run that was stored by somebody else and has not begun.
    ///
    /// # Errors
    /// [`Code::NotApproved`] where its flow would use what this machine does not allow: it has then ended, and says so.
    pub fn start_stored(
        self: &Arc<Self>,
        run_id: &str,
        approve: ApprovalPolicy,
        events: EventSink,
    ) -> Result<Started, ApiError> {
        let lock = self.lock_run(run_id)?;
        let (header, _) = self.journal().run(run_id)?;
        let StoredRun {
            flow,
            plans,
            inputs,
        } = stored_run(&header, self.kinds())
            .inspect_err(|error| self.end_refused(&header, error))?;
        let path = header.flow_path.as_deref();
        let identity = identity(path, &flow);
        let admitted = self
            .admit(&flow, path, identity, &header.setup.allowed)
            .inspect_err(|error| {
                if error.code == Code::NotApproved {
                    self.end_refused(&header, error);
                }
            })?;
        let plan = Arc::clone(plans.last());
        Ok(self.launch(Launch {
            run_id: run_id.to_owned(),
            lock,
            admitted,
            work: Work::Begin { plan, inputs },
            approve,
            events,
        }))
    }

    /// Whether a run has records.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn has_begun(&self, run_id: &str) -> Result<bool, ApiError> {
        Ok(!self.journal().read(run_id, Select::Path(""))?.is_empty())
    }

    /// Ends a run that is suspended, or that has not begun, as one that was stopped.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn end_stored(&self, run_id: &str) -> Result<(), ApiError> {
        if self.has_begun(run_id)? {
            return self.end_suspended(run_id);
        }
        let (header, _) = self.journal().run(run_id)?;
        let error = NodeError::cancelled("The run was stopped before it began.");
        self.end_unbegun(&header, RunStatus::Cancelled, error)
    }

    /// Writes down that a stored run was not begun.
    fn end_refused(&self, header: &RunHeader, error: &ApiError) {
        let error = NodeError::new(word(error.code), error.message.clone());
        if let Err(error) = self.end_unbegun(header, RunStatus::Failed, error) {
            tracing::warn!(
                "The refusal of {} could not be kept: {error}",
                header.run_id
            );
        }
    }

    /// Ends a stored run that has not begun as failed, for a reason that lies outside of it.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn fail_stored(&self, run_id: &str, code: &str, message: String) -> Result<(), ApiError> {
        let (header, _) = self.journal().run(run_id)?;
        self.end_unbegun(&header, RunStatus::Failed, NodeError::new(code, message))
    }

    fn end_unbegun(
        &self,
        header: &RunHeader,
        status: RunStatus,
        error: NodeError,
    ) -> Result<(), ApiError> {
        let now = (self.clock())();
        let (records, state) = not_begun(header.flow.clone(), Vec::new(), status, error, now);
        self.journal().append(&header.run_id, &records)?;
        Ok(self.journal().set_state(&header.run_id, &state)?)
    }
}

/// A code as events and exit statuses write it.
fn word(code: Code) -> String {
    serde_json::to_value(code)
        .ok()
        .and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default()
}
