//! A run that has not started: its inputs, and its flow after linking, validation and planning.

use loopwright_engine::{
    journal::{RunHeader, RunSetup},
    plan::{Focus, Plan},
    trust::Grants,
};
use loopwright_model::{Flow, Problem, retry::retry_words};
use serde_json::{Map, Value};

use crate::{document_edits::set_budget, error::ApiError, new_budget::NewBudget};

/// A flow to be run, with everything that the run needs.
#[derive(Default)]
pub struct RunRequest {
    pub document: Value,
    /// The path of the flow's file. `None` if the flow was never saved.
    pub flow_path: Option<String>,
    /// The inputs, by name.
    pub inputs: Map<String, Value>,
    /// The pinned values of nodes, which replace computed ones, and the node at which the run ends.
    pub focus: Focus,
    /// The budget of the run. If it sets no amount in dollars, the flow's budget applies, or else the budget from the settings.
    pub budget: NewBudget,
}

/// A flow that was linked, validated and planned. Cloning it does not plan it again.
#[derive(Clone)]
pub struct PreparedFlow {
    /// The flow. The flows in other files to which it refers are inline.
    pub flow: Flow,
    /// The flow as JSON, with the flows in other files inline. This document is stored with the run, and the run never
    /// reads those files.
    pub document: Value,
    pub path: Option<String>,
    /// The identity under which approvals are stored for the flow.
    pub identity: String,
    pub focus: Focus,
    pub problems: Vec<Problem>,
    /// The plan, or the error that explains why the flow cannot run.
    pub plan: Result<Plan, ApiError>,
}

/// A run that has not started.
pub struct PreparedRun {
    pub flow: PreparedFlow,
    pub inputs: Map<String, Value>,
    /// The error that prevents the run with these inputs; `None` if they are valid.
    pub input_error: Option<ApiError>,
    /// The name of the schedule that starts the run; `None` if no schedule does.
    pub schedule: Option<String>,
}

impl PreparedRun {
    /// Returns a description of how often a failed model call is repeated if its node sets no retries. `None` if such calls
    /// are not repeated.
    pub fn retries(&self) -> Option<String> {
        retry_words(&self.flow.flow.settings().retry?)
    }
}

impl PreparedFlow {
    /// Returns the flow's plan.
    ///
    /// # Errors
    /// Returns the first problem of the flow if the flow cannot run.
    pub fn plan(&self) -> Result<&Plan, ApiError> {
        self.plan.as_ref().map_err(Clone::clone)
    }

    /// Returns the same flow with another budget. Limits that `budget` does not set are unchanged.
    ///
    /// # Errors
    /// [`crate::Code::InvalidArgument`] for an invalid amount of dollars.
    pub fn with_budget(mut self, budget: NewBudget) -> Result<Self, ApiError> {
        set_budget(&mut self.flow, &mut self.document, budget)?;
        if let Ok(plan) = &mut self.plan {
            let settings = self.flow.settings();
            plan.settings.budget_usd = settings.budget_usd;
            plan.settings.budget_tokens = settings.budget_tokens;
        }
        Ok(self)
    }

    /// Returns the document that is stored with each run, with referenced files inline.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Returns the name of the flow, as the list of runs shows it; empty if the flow cannot run.
    pub fn name(&self) -> &str {
        self.plan.as_ref().map_or("", |plan| plan.name.as_str())
    }

    /// Returns how many micro-dollars a run may spend; `None` if neither the flow nor the request sets a budget.
    pub fn microusd_run(&self) -> Option<u64> {
        let usd = self.flow.settings().budget_usd?;
        Some((usd * 1e6).round() as u64)
    }

    /// Returns the header of a run that another program leads. It has no path, because the files next to the flow do not exist on
    /// that program's machine.
    pub fn header(&self, run_id: String, inputs: Map<String, Value>, started_at: i64) -> RunHeader {
        RunHeader {
            run_id,
            flow: self.name().to_owned(),
            flow_path: None,
            document: self.document.clone(),
            inputs: Value::Object(inputs),
            started_at,
            setup: RunSetup::default(),
        }
    }
}

impl PreparedRun {
    /// Checks that the run can start, without checking its permissions.
    ///
    /// # Errors
    /// [`crate::Code::InvalidFlow`] with the first problem if the flow cannot run; [`crate::Code::InvalidArgument`] if an input
    /// is invalid.
    pub fn check(&self) -> Result<(), ApiError> {
        self.flow.plan()?;
        match &self.input_error {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Returns the header of the run, and its plan.
    pub(crate) fn into_header(
        self,
        run_id: &str,
        started_at: i64,
        allowed: Grants,
    ) -> Result<(RunHeader, Plan), ApiError> {
        self.check()?;
        let PreparedFlow {
            document,
            path,
            focus,
            plan,
            ..
        } = self.flow;
        let plan = plan?;
        let header = RunHeader {
            run_id: run_id.to_owned(),
            flow: plan.name.clone(),
            flow_path: path,
            document,
            inputs: Value::Object(self.inputs),
            started_at,
            setup: RunSetup {
                pins: focus.pins,
                until: focus.until,
                origin: None,
                allowed,
                imported_records: 0,
                schedule: self.schedule,
            },
        };
        Ok((header, plan))
    }
}
