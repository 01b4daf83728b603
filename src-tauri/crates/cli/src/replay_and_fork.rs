//! `runs replay` and `runs fork`: replays past runs, or starts new runs from a step or iteration of past runs.

use std::{io::IsTerminal as _, sync::Arc};

use loopwright_api::{App, Event};
use loopwright_engine::ErrorClass;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{ApiError, ForkOptions, Replayed};
use serde_json::{Value, json};

use crate::{
    args::ForkArgs,
    assignments::{parse_edits, parse_pins},
    eval,
    follow::sink,
    input,
    interrupts::Interrupts,
    named::{find_run, read_flow},
    out::{errln, outln},
    progress::Progress,
    render::counted,
    run::finish,
    run_result::{add_waiting_and_budget, loops_json, mark_run_seen, print_values, status_code},
    unattended::Telling,
};

/// Replays a run and returns its exit status.
///
/// # Errors
/// Returns an error if the run does not exist, or if a record differs from the replay.
pub(crate) fn replay(app: &App, run: &str, events: bool, json: bool) -> Result<u8, ApiError> {
    let run_id = find_run(app, run)?;
    let replayed = runs::replay_run(app.env(), &run_id, |event| {
        if events && let Ok(line) = serde_json::to_string(event) {
            outln!("{line}");
        }
    })?;
    if json {
        outln!("{}", replayed_json(app, &run_id, &replayed)?);
    } else {
        if let Some(error) = &replayed.error {
            errln!("{}", error.message);
        }
        for warning in &replayed.warnings {
            errln!("Warning: {}", warning.message);
        }
        errln!(
            "Replayed: {}, {}, all as recorded.",
            counted(replayed.records, "record", "records"),
            counted(replayed.events, "event", "events")
        );
        print_values(&replayed.outputs);
    }
    mark_run_seen(app, &run_id, replayed.status);
    let error = replayed.error.as_ref();
    let class = error.map(|error| ErrorClass::of(&error.code));
    Ok(status_code(replayed.status, class))
}

/// Returns the object that `run --json` printed when the run was executed.
fn replayed_json(app: &App, run_id: &str, replayed: &Replayed) -> Result<Value, ApiError> {
    let usage = &replayed.usage;
    let mut object = json!({
        "runId": run_id,
        "status": replayed.status,
        "outputs": if replayed.outputs.is_null() { json!({}) } else { replayed.outputs.clone() },
        // The replay has verified every record, so the loops can be read from the records.
        "loops": loops_json(app, run_id)?,
        "usage": {
            "calls": usage.calls, "inputTokens": usage.input_tokens,
            "outputTokens": usage.output_tokens, "costUsd": usage.cost_usd,
        },
        "warnings": replayed.warnings,
        "error": replayed.error.as_ref().map(|error| json!({
            "code": error.code, "node": error.node, "message": error.message,
        })),
        "replayed": { "records": replayed.records, "events": replayed.events },
    });
    // Open questions and the budget are also read from the records.
    let detail = records::run_detail(app.env(), run_id)?;
    let status = detail.summary.status;
    add_waiting_and_budget(&mut object, app, run_id, status, detail.budget.as_ref())?;
    Ok(object)
}

/// Forks a run and follows the new one to its end.
///
/// # Errors
/// Returns an error if the options are invalid, or if the new run cannot start or stops unexpectedly.
pub(crate) async fn fork(app: &Arc<App>, args: &ForkArgs, json: bool) -> Result<u8, ApiError> {
    if let Some(experiment) = &args.experiment {
        return eval::fork(app, args, experiment, json).await;
    }
    let progress = Arc::new(Progress::new(
        args.events,
        std::io::stderr().is_terminal() && !args.events,
        Telling::new(app, args.notify, None),
    ));
    let options = fork_options(app, args, sink(&progress))?;
    let interrupts = Interrupts::listen();
    let started = runs::fork_run_with(app.env(), options, crate::trust::allow(&args.allow)?)?;
    if !json && !args.events {
        errln!("Forked as {}", started.run_id);
    }
    finish(app, started, progress, args.approve, json, interrupts).await
}

/// Returns the options of a fork from the command line.
///
/// # Errors
/// Returns an error if the run does not exist, or if an option is invalid.
pub(crate) fn fork_options(
    app: &App,
    args: &ForkArgs,
    events: Arc<dyn Fn(&Event) + Send + Sync>,
) -> Result<ForkOptions, ApiError> {
    let run_id = find_run(app, args.run.as_deref().unwrap_or_default())?;
    let value = args.value.as_deref().map(input::value).transpose()?;
    let document = match &args.flow {
        None => None,
        Some(flow) => Some(read_flow(app, flow)?.document),
    };
    Ok(ForkOptions {
        run_id,
        at: args.at.clone(),
        document,
        edits: parse_edits(&args.sets)?,
        value,
        budget_usd: args.budget_usd,
        pins: if args.pins.is_empty() {
            None
        } else {
            Some(parse_pins(&args.pins)?)
        },
        until: args.to.clone(),
        approve: args.approve.into(),
        events,
    })
}
