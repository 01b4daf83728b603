//! Commands for the costs of runs.

use loopwright_records::{self as records, CostForecast, CostQuery, CostReport};
use loopwright_runs::{self as runs, ApiError, Period, RunRequest, SpendingLimit};

use super::{Document, Inputs, Shared};

/// Returns what the runs on this computer cost, including deleted runs. Days are those of this computer's time zone.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn costs(app: Shared<'_>, query: CostQuery) -> Result<CostReport, ApiError> {
    records::costs(app.env(), &query)
}

/// Forecasts the cost of a run of a flow that is being edited, from the recorded runs of this flow with the same settings.
/// Returns `null` if there are too few such runs.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn forecast_cost(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
    inputs: Inputs,
) -> Result<Option<CostForecast>, ApiError> {
    let request = RunRequest {
        document: document.0,
        flow_path: path.map(str::to_owned),
        inputs: inputs.0,
        ..RunRequest::default()
    };
    let prepared = runs::prepare_run(app.env(), request)?;
    let most = runs::most_it_can_cost(app.env(), &prepared)?;
    records::forecast_cost(app.env(), &prepared, &most)
}

/// Returns the budgets for a day, a week or a month.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn spending_limits(app: Shared<'_>) -> Result<Vec<SpendingLimit>, ApiError> {
    runs::spending_limits(app.env())
}

/// Sets a budget for a period, or removes it if `usd` is `null`. `flow` is a flow's name or file, or `null` for all flows.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn set_spending_limit(
    app: Shared<'_>,
    period: Period,
    flow: Option<&str>,
    usd: Option<f64>,
) -> Result<(), ApiError> {
    runs::set_spending_limit(app.env(), period, flow, usd)
}

/// Writes the lines of a cost report to a file, as CSV.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn export_costs(app: Shared<'_>, query: CostQuery, path: &str) -> Result<(), ApiError> {
    records::export_costs(app.env(), &query, path)
}
