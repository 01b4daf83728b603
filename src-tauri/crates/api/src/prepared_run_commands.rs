//! What the window does with a prepared run: it is kept while the person is asked, and then started or refused.

use std::sync::Arc;

use loopwright_model::Problem;
use serde::Serialize;
use specta::Type;

use crate::{
    app::App,
    dto::{CostEstimate, ProblemInfo},
    error::ApiError,
    prepared_run::RunRequest,
    running::{StartOptions, Started},
    trust::TrustList,
};

/// What to know of a run before it starts.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Preparation {
    /// The id that the run will have.
    pub id: String,
    /// Of the flow, and of this computer.
    pub problems: Vec<ProblemInfo>,
    pub runnable: bool,
    pub most_it_can_cost: CostEstimate,
    /// What the flow would use of the world; null where it is not runnable.
    pub needs: Option<TrustList>,
}

impl App {
    /// Prepares a run for the window, and keeps it until it is started by its id.
    ///
    /// # Errors
    /// As [`App::prepare_run`]; [`crate::Code::InvalidArgument`] for an input; where the settings of models cannot be read.
    pub fn prepare_for_window(&self, request: RunRequest) -> Result<Preparation, ApiError> {
        let prepared = self.prepare_run(request)?;
        let runnable = !prepared.flow.problems.iter().any(Problem::is_error);
        if runnable {
            prepared.check()?;
        }
        let most_it_can_cost = self.most_it_can_cost(&prepared)?;
        let needs = match runnable {
            true => Some(self.needs(&prepared)?),
            false => None,
        };
        let problems = prepared.problems();
        Ok(Preparation {
            id: self.prepared_runs().keep(prepared),
            problems,
            runnable,
            most_it_can_cost,
            needs,
        })
    }

    /// Starts the run that [`App::prepare_for_window`] prepared, under the id that it gave.
    ///
    /// # Errors
    /// [`crate::Code::NotFound`] where it has started or was dropped; else as [`App::start_prepared`].
    pub fn start_prepared_by_id(
        self: &Arc<Self>,
        id: &str,
        options: StartOptions,
    ) -> Result<Started, ApiError> {
        let prepared = self.prepared_runs().take(id)?;
        self.start_prepared_as(id.to_owned(), prepared, options)
    }

    /// Approves items for the flow of a prepared run, as [`App::approve`].
    ///
    /// # Errors
    /// As [`App::approve`]; [`crate::Code::NotFound`] where the run is no longer prepared.
    pub fn approve_prepared_by_id(
        &self,
        id: &str,
        shown: &str,
        items: &[String],
    ) -> Result<(), ApiError> {
        self.prepared_runs()
            .read(id, |prepared| self.approve_prepared(prepared, shown, items))
    }

    /// Writes down that the person refused what a prepared run would use, and drops it. Gives the id of the refused run.
    ///
    /// # Errors
    /// [`crate::Code::NotFound`] where the run is no longer prepared; when the store cannot be written.
    pub fn refuse_prepared_by_id(&self, id: &str) -> Result<String, ApiError> {
        self.refuse_prepared(&self.prepared_runs().take(id)?)
    }
}
