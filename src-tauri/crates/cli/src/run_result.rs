//! Prints a run that is over or waits for an answer, and determines the exit status.

use loopwright_api::{App, BudgetView, RunStatus, UsageView};
use loopwright_engine::ErrorClass;
use loopwright_records as records;
use loopwright_records::RunDetail;
use loopwright_runs as runs;
use loopwright_runs::{ApiError, RunOutcome};
use serde_json::{Value, json};

use crate::{
    out::{self, errln, outln},
    status,
};

/// Returns the object that `run --json` prints for a run that just ended.
///
/// # Errors
/// Returns an error if the run cannot be read.
pub(crate) fn result_json(app: &App, outcome: RunOutcome) -> Result<Value, ApiError> {
    let state = outcome.state;
    let error = state.error.map(|error| {
        json!({
            "code": error.code, "node": error.node, "message": error.message,
        })
    });
    let mut object = json!({
        "runId": outcome.run_id,
        "status": outcome.status,
        "outputs": {},
        "loops": loops_json(app, &outcome.run_id)?,
        "usage": usage_json(&UsageView::from(&state.usage)),
        "warnings": state.warnings,
        "error": error,
    });
    if let Some(outputs) = state.outputs {
        // Outputs may be large, so they are moved instead of copied.
        object["outputs"] = Value::from(outputs);
    }
    let budget = state.budget.as_ref().map(BudgetView::from);
    add_waiting_and_budget(
        &mut object,
        app,
        &outcome.run_id,
        outcome.status,
        budget.as_ref(),
    )?;
    Ok(object)
}

/// Returns an object with the loops and lists of a run, keyed by path. A loop with a workspace on this computer includes the
/// changes of its iterations. A loop that calls models includes the prompts of its iterations.
///
/// # Errors
/// Returns an error if the run cannot be read.
pub(crate) fn loops_json(app: &App, run_id: &str) -> Result<Value, ApiError> {
    let mut loops = records::run_loops(app.env(), run_id)?;
    for (path, files) in records::changed_files(app.env(), run_id)? {
        loops[path]["files"] = json!(files);
    }
    for (path, context) in records::loop_contexts(app.env(), run_id)? {
        loops[path]["context"] = json!(context);
    }
    Ok(loops)
}

/// Returns the usage in the form that `--json` prints.
pub(crate) fn usage_json(usage: &UsageView) -> Value {
    let mut object = json!({
        "calls": usage.calls, "inputTokens": usage.input_tokens,
        "outputTokens": usage.output_tokens, "costUsd": usage.cost_usd,
    });
    // The field is present only if calls were cut off.
    if usage.cut_off_calls > 0 {
        object["cutOffCalls"] = json!(usage.cut_off_calls);
    }
    object
}

/// Returns the object that `runs show --json` prints.
///
/// # Errors
/// Returns an error if the run cannot be read.
pub(crate) fn detail_json(app: &App, detail: &RunDetail) -> Result<Value, ApiError> {
    let run_id = &detail.summary.run_id;
    let mut object = json!({
        "runId": run_id,
        "status": detail.summary.status,
        "outputs": if detail.outputs.is_null() { json!({}) } else { detail.outputs.clone() },
        "loops": loops_json(app, run_id)?,
        "usage": usage_json(&detail.summary.usage),
        "warnings": detail.summary.warnings,
        "error": detail.error.as_ref().map(|error| json!({
            "code": error.code, "node": error.node, "message": error.message,
        })),
    });
    // Name and star are present only if a person set them.
    if let Some(name) = &detail.summary.name {
        object["name"] = json!(name);
    }
    if detail.summary.starred {
        object["starred"] = json!(true);
    }
    if let Some(schedule) = &detail.summary.schedule {
        object["schedule"] = json!(schedule);
    }
    if let Some(parked) = &detail.summary.parked {
        object["parked"] = json!(parked);
    }
    if let Some(at) = &detail.summary.expires_at {
        object["expiresAt"] = json!(at);
    }
    add_waiting_and_budget(
        &mut object,
        app,
        run_id,
        detail.summary.status,
        detail.budget.as_ref(),
    )?;
    Ok(object)
}

/// Adds the open questions of a waiting run as `waiting`, and the budget of a run that has one as `budget`.
///
/// # Errors
/// Returns an error if the open questions cannot be read.
pub(crate) fn add_waiting_and_budget(
    object: &mut Value,
    app: &App,
    run_id: &str,
    status: RunStatus,
    budget: Option<&BudgetView>,
) -> Result<(), ApiError> {
    if status == RunStatus::Waiting {
        object["waiting"] = Value::Array(read_questions(app, run_id)?);
    }
    if let Some(budget) = budget {
        object["budget"] = json!({
            "usd": budget.budget_usd, "spentUsd": budget.spent_usd, "reservedUsd": budget.reserved_usd,
            "tokens": budget.budget_tokens, "spentTokens": budget.spent_tokens, "reservedTokens": budget.reserved_tokens,
        });
    }
    Ok(())
}

/// Returns the open questions of a run as JSON objects, each with the path of its step, the question, the value that it is
/// about, and the tool call that it asks to approve, if any.
fn read_questions(app: &App, run_id: &str) -> Result<Vec<Value>, ApiError> {
    records::waiting(app.env(), run_id)?
        .into_iter()
        .map(|(path, question)| {
            let step = records::step_detail(app.env(), run_id, &path)?;
            Ok(json!({
                "path": path, "message": question.to_string(), "question": question, "value": step.output, "request": step.request,
            }))
        })
        .collect()
}

pub(crate) fn print_outputs(outcome: &RunOutcome) {
    if let Some(error) = &outcome.state.error {
        errln!("{}", error.message);
    }
    for warning in &outcome.state.warnings {
        errln!("Warning: {}", warning.message);
    }
    if let Some(outputs) = &outcome.state.outputs {
        let values = outputs.iter().map(|(name, value)| (name, &**value));
        print_named(&values.collect::<Vec<_>>());
    }
}

/// Prints outputs by name. A single output is printed without its name.
pub(crate) fn print_values(outputs: &Value) {
    if let Value::Object(outputs) = outputs {
        let values = outputs.iter().map(|(name, value)| (name.as_str(), value));
        print_named(&values.collect::<Vec<_>>());
    }
}

fn print_named(outputs: &[(&str, &Value)]) {
    for (name, value) in outputs {
        if outputs.len() > 1 {
            outln!("{name}:");
        }
        match value {
            Value::String(text) => out::text(text),
            other => out::text(&format!("{other:#}")),
        }
    }
}

pub(crate) fn exit_status(outcome: &RunOutcome) -> u8 {
    let error = outcome.state.error.as_ref();
    status_code(
        outcome.status,
        error.map(|error| ErrorClass::of(&error.code)),
    )
}

pub(crate) fn status_code(status: RunStatus, class: Option<ErrorClass>) -> u8 {
    match status {
        RunStatus::Completed => status::COMPLETED,
        RunStatus::Cancelled => status::CANCELLED,
        RunStatus::Waiting => status::WAITING,
        RunStatus::Failed if class == Some(ErrorClass::BudgetExceeded) => status::BUDGET,
        _ => status::FAILED,
    }
}

/// Marks a run as seen after its result was printed. If standard output could not be written, the run stays unseen.
pub(crate) fn mark_run_seen(app: &App, run_id: &str, status: RunStatus) {
    if out::is_whole() {
        runs::mark_seen(app.env(), run_id, status);
    }
}
