//! Runs that the window prepares. A person reviews each one, and then it is started or refused.

use std::sync::Arc;

use loopwright_model::Problem;
use loopwright_runs::{
    ApiError, CostEstimate, ProblemInfo, RunRequest, StartOptions, Started, TrustList,
    approve_prepared, most_it_can_cost, needs, prepare_run, refuse_prepared, start_prepared_as,
};
use serde::Serialize;
use specta::Type;

use crate::app::App;

/// What a person reviews before a run starts.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Preparation {
    /// The id that the run will have.
    pub id: String,
    /// The problems in the flow, and what this computer lacks to run it.
    pub problems: Vec<ProblemInfo>,
    pub runnable: bool,
    pub most_it_can_cost: CostEstimate,
    /// The resources outside the program that the flow would use; null if the flow cannot run.
    pub needs: Option<TrustList>,
}

/// Prepares a run for the window, and stores it until the window starts or refuses it by its id.
///
/// # Errors
/// Returns the errors of [`prepare_run`], [`Code::InvalidArgument`] if an input is invalid, and an error if the model
/// settings cannot be read.
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
/// [`Code::NotFound`] if the run has already started or was dropped, and the errors of [`start_prepared`].
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
/// [`Code::NotFound`] if the run is no longer prepared, and the errors of [`approve`].
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

/// Drops a prepared run, because the user did not approve what it would use. The refusal is recorded as a failed run
/// without steps. Returns the id of that run.
///
/// # Errors
/// [`Code::NotFound`] if the run is no longer prepared; another error if the store cannot be written.
pub fn refuse_prepared_by_id(app: &App, id: &str) -> Result<String, ApiError> {
    refuse_prepared(app.env(), &app.prepared_runs().take(id)?)
}
