//! The flows of an experiment, each read, linked, validated and planned once for all of its runs.

use loopwright_engine::plan::Focus;
use loopwright_model::file;
use loopwright_runs::{
    ApiError, CostEstimate, Env, NewBudget, PreparedFlow, PreparedRun, most_it_can_cost_with,
    plan_flow, prepare_for_runs, with_inputs,
};
use serde_json::{Map, Value};

use crate::{collect::LoopShape, content::StoredVariant, estimate::with_empty};

/// A flow that is ready to run on cases.
pub(crate) struct Runnable {
    pub(crate) document: Value,
    /// The flow for estimates. It lacks the defaults from Settings that apply only to runs, such as the budget.
    plain: Result<PreparedFlow, ApiError>,
    /// The flow for runs. If it is an error, each run reports that error.
    flow: Result<PreparedFlow, ApiError>,
}

impl Runnable {
    pub(crate) fn new(env: &Env, stored: &StoredVariant) -> Self {
        let (document, path) = (&stored.document, &stored.flow_path);
        Self {
            plain: file::read_value(document.clone())
                .map_err(ApiError::from)
                .and_then(|flow| {
                    plan_flow(env, flow, document.clone(), path.clone(), Focus::default())
                }),
            flow: prepare_for_runs(
                env,
                document.clone(),
                path.clone(),
                Focus::default(),
                NewBudget::default(),
            ),
            document: document.clone(),
        }
    }

    /// Returns the loop that `perIteration` names.
    ///
    /// # Errors
    /// Returns the errors of [`LoopShape::of`], and the flow's own error if it cannot run.
    pub(crate) fn shape(&self, env: &Env, node: &str) -> Result<LoopShape, ApiError> {
        let flow = self.plain.as_ref().map_err(Clone::clone)?;
        LoopShape::of(&flow.flow, flow.plan()?, env.kinds().specs(), node)
    }

    /// Returns the maximum cost of a run on a case. If the flow has errors, its cost is unknown.
    ///
    /// # Errors
    /// Returns an error if the document is not a flow, or if the settings of models cannot be read.
    pub(crate) fn most(
        &self,
        env: &Env,
        inputs: &Map<String, Value>,
    ) -> Result<CostEstimate, ApiError> {
        let flow = self.plain.as_ref().map_err(Clone::clone)?;
        most_it_can_cost_with(env, flow, &with_empty(&self.document, inputs))
    }

    /// Prepares a run of the flow on a case.
    ///
    /// # Errors
    /// Returns an error if the flow cannot run.
    pub(crate) fn run(
        &self,
        env: &Env,
        inputs: Map<String, Value>,
        budget: NewBudget,
    ) -> Result<PreparedRun, ApiError> {
        let flow = self.flow.clone()?.with_budget(budget)?;
        Ok(with_inputs(env, flow, inputs))
    }
}
