//! Runs that the window prepares: a person reviews them, and then they are started or refused.

use std::sync::Arc;

use loopwright_model::Problem;
use loopwright_runs::{
    ApiError, CostEstimate, ProblemInfo, RunRequest, StartOptions, Started, TrustList,
    approve_prepared, most_it_can_cost, needs, prepare_run, refuse_prepared, start_prepared_as,
};
use serde::Serialize;
use specta::Type;

use crate::app::App;

/// The data about a run that a person reviews before the run starts.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Preparation {
    /// The id that the run will have.
    pub id: String,
    /// The problems of the flow, and what this computer lacks to run it.
    pub problems: Vec<ProblemInfo>,
    pub runnable: bool,
    pub most_it_can_cost: CostEstimate,
    /// The resources outside the program that the flow would use; null if the flow cannot run.
    pub needs: Option<TrustList>,
}

/// Prepares a run for the window, and stores it until the window starts or refuses it by its id.
///
/// # Errors
/// See [`prepare_run`]; also [`Code::InvalidArgument`] if an input is invalid, and an error if the model settings cannot be read.
pub fn prepare_for_window(app: &App, request: RunRequest) -> Result<Preparation, ApiError> {
    let prepared = prepare_run(app.env(), request)?;
    let runnable = !prepared.flow.problems.iter().any(Problem::is_error);
    if runnable {
        prepared.check()?;
    }
    let most_it_can_cost = most_it_can_cost(app.env(), &prepared)?;
    let needs = match runnable {
        true => Some(needs(app.env(), &prepared)?),
        false => None,
    };
    let problems = prepared.problems();
    Ok(Preparation {
        id: app.prepared_runs().keep(prepared),
        problems,
        runnable,
        most_it_can_cost,
        needs,
    })
}

/// Starts the run that [`prepare_for_window`] prepared, under the id that it returned.
///
/// # Errors
/// [`Code::NotFound`] if the run has started or was dropped; see also [`start_prepared`].
pub fn start_prepared_by_id(
    app: &Arc<App>,
    id: &str,
    options: StartOptions,
) -> Result<Started, ApiError> {
    let prepared = app.prepared_runs().take(id)?;
    start_prepared_as(app.env(), id.to_owned(), prepared, options)
}

/// Approves items for the flow of a prepared run, like [`approve`].
///
/// # Errors
/// [`Code::NotFound`] if the run is no longer prepared; see also [`approve`].
pub fn approve_prepared_by_id(
    app: &App,
    id: &str,
    shown: &str,
    items: &[String],
) -> Result<(), ApiError> {
    app.prepared_runs().read(id, |prepared| {
        approve_prepared(app.env(), prepared, shown, items)
    })
}

/// Records that the person did not approve what a prepared run would use, and drops the prepared run. Returns the id of a run
/// that is recorded as failed without any step.
///
/// # Errors
/// [`Code::NotFound`] if the run is no longer prepared; another error if the store cannot be written.
pub fn refuse_prepared_by_id(app: &App, id: &str) -> Result<String, ApiError> {
    refuse_prepared(app.env(), &app.prepared_runs().take(id)?)
}
