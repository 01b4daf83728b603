//! `loopwright run`: reads the flow and its inputs, runs it, prints what came out.

use std::{
    io::{self, IsTerminal as _, Read as _, Write as _},
    sync::Arc,
};

use loopwright_api::{ApiError, App, Code, OpenedFlow, RunOptions, RunOutcome, RunStatus};
use serde_json::{Map, Value, json};

use crate::out::outln;
use crate::{
    args::{Approve, RunArgs},
    progress::Progress,
    status,
};

pub(crate) async fn run(app: &Arc<App>, args: &RunArgs, json: bool) -> Result<u8, ApiError> {
    let opened = read_flow(app, &args.flow)?;
    let mut document = opened.document;
    let inputs = inputs(&document, args)?;
    for set in &args.sets {
        apply_set(&mut document, set)?;
    }
    if let Some(usd) = args.budget_usd {
        set_budget(&mut document, usd)?;
    }
    let approve_tools = approve(args.approve, &document);
    let progress = Arc::new(Progress::new(
        args.events,
        io::stderr().is_terminal() && !args.events,
    ));
    let events = {
        let progress = Arc::clone(&progress);
        Arc::new(move |event: &loopwright_api::Event| progress.event(event))
    };
    let started = app.start_run(RunOptions {
        document,
        flow_path: (!opened.path.is_empty()).then_some(opened.path),
        inputs,
        approve_tools,
        events,
    })?;
    let cancel = started.cancel.clone();
    let listener = tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            eprintln!("Stopping. Press Ctrl-C again to stop at once.");
            cancel.cancel();
            if tokio::signal::ctrl_c().await.is_ok() {
                std::process::exit(i32::from(status::CANCELLED));
            }
        }
    });
    let outcome = started
        .finished
        .await
        .map_err(|error| ApiError::new(Code::Internal, format!("The run broke off: {error}")))??;
    listener.abort();
    progress.finish();
    if json {
        outln!("{}", result_json(app, &outcome)?);
    } else {
        print_outputs(&outcome);
    }
    Ok(exit_status(&outcome))
}

/// A flow by path, from standard input (`-`), or a bundled one by name.
pub(crate) fn read_flow(app: &App, flow: &str) -> Result<OpenedFlow, ApiError> {
    let unnamed = |document| OpenedFlow {
        path: String::new(),
        document,
        version: String::new(),
        notes: Vec::new(),
    };
    if flow == "-" {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map_err(|error| {
            ApiError::new(Code::Io, format!("Standard input cannot be read: {error}"))
        })?;
        let document = serde_json::from_str(&text).map_err(|error| {
            ApiError::new(
                Code::InvalidFlow,
                format!("Standard input is not valid JSON: {error}"),
            )
        })?;
        return Ok(unnamed(document));
    }
    match app.read_flow(flow) {
        Err(error) if error.code == Code::NotFound && !flow.contains(['/', '\\', '.']) => {
            app.template(flow).map(|template| unnamed(template.document)).map_err(|_| {
                ApiError::new(
                    Code::NotFound,
                    format!("There is no file `{flow}`, and no template of that name. `loopwright templates` lists them."),
                )
            })
        }
        other => other,
    }
}

fn inputs(document: &Value, args: &RunArgs) -> Result<Map<String, Value>, ApiError> {
    let mut inputs = Map::new();
    for given in &args.inputs {
        let (name, value) = split(given, "--input", "NAME=VALUE")?;
        inputs.insert(name.to_owned(), parse_input(document, name, value)?);
    }
    for given in &args.input_files {
        let (name, path) = split(given, "--input-file", "NAME=PATH")?;
        let text = std::fs::read_to_string(path).map_err(|error| {
            ApiError::new(
                Code::InvalidArgument,
                format!("{path} cannot be read: {error}"),
            )
        })?;
        inputs.insert(name.to_owned(), parse_input(document, name, &text)?);
    }
    Ok(inputs)
}

fn split<'a>(given: &'a str, option: &str, form: &str) -> Result<(&'a str, &'a str), ApiError> {
    given.split_once('=').ok_or_else(|| {
        ApiError::new(
            Code::InvalidArgument,
            format!("{option} {given}: write it as {form}."),
        )
    })
}

/// Text inputs are taken as they are; the others are JSON; a file is its path.
fn parse_input(document: &Value, name: &str, value: &str) -> Result<Value, ApiError> {
    let declared = document["nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|node| node["data"]["name"] == name || node["id"] == name)
        .find_map(|node| node["data"]["dataType"].as_str());
    match declared {
        Some("json" | "number" | "boolean") => serde_json::from_str(value).map_err(|error| {
            ApiError::new(
                Code::InvalidArgument,
                format!("The input `{name}` must be JSON and is not: {error}"),
            )
        }),
        _ => Ok(Value::String(value.to_owned())),
    }
}

fn apply_set(document: &mut Value, set: &str) -> Result<(), ApiError> {
    let (place, value) = split(set, "--set", "NODE.FIELD=JSON")?;
    let (node_id, field) = place.split_once('.').ok_or_else(|| {
        ApiError::new(
            Code::InvalidArgument,
            format!("--set {set}: write it as NODE.FIELD=JSON."),
        )
    })?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    let ids: Vec<String> = document["nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|node| node["id"].as_str().map(str::to_owned))
        .collect();
    let node = document["nodes"]
        .as_array_mut()
        .into_iter()
        .flatten()
        .find(|node| node["id"] == node_id)
        .ok_or_else(|| {
            ApiError::new(
                Code::InvalidArgument,
                format!(
                    "--set {set}: there is no node `{node_id}`. There are: {}.",
                    ids.join(", ")
                ),
            )
        })?;
    let mut at = &mut node["data"];
    for part in field.split('.') {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[part];
    }
    *at = value;
    Ok(())
}

fn set_budget(document: &mut Value, usd: f64) -> Result<(), ApiError> {
    if !usd.is_finite() || usd < 0.0 {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "--budget-usd must be an amount of dollars, 0 or more.",
        ));
    }
    if !document["settings"].is_object() {
        document["settings"] = json!({});
    }
    if !document["settings"]["budget"].is_object() {
        document["settings"]["budget"] = json!({});
    }
    document["settings"]["budget"]["usd"] = json!(usd);
    Ok(())
}

/// Whether tools that need it may be used. Asks on a terminal, once, before the run.
fn approve(approve: Approve, document: &Value) -> bool {
    let wanted: Vec<String> = document["nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|node| node["type"] == "tool" || node["type"] == "http_request")
        .filter(|node| {
            let tool = node["data"]["tool"].as_str().unwrap_or("http.request");
            match node["data"]["approval"].as_str() {
                Some(policy) => policy == "ask",
                None => tool != "search.documents" && tool != "script.lua",
            }
        })
        .map(|node| {
            node["data"]["tool"]
                .as_str()
                .unwrap_or("http.request")
                .to_owned()
        })
        .collect();
    match approve {
        Approve::All => true,
        Approve::None => false,
        Approve::Ask if wanted.is_empty() => false,
        Approve::Ask => {
            if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
                return false;
            }
            eprint!(
                "This flow uses {}. Allow it for this run? [y/N] ",
                wanted.join(", ")
            );
            let _ = io::stderr().flush();
            let mut answer = String::new();
            io::stdin().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
        }
    }
}

/// The object that `run --json` and `runs show --json` print.
pub(crate) fn result_json(app: &App, outcome: &RunOutcome) -> Result<Value, ApiError> {
    let detail = app.run_detail(&outcome.run_id)?;
    detail_json(app, &detail)
}

pub(crate) fn detail_json(
    app: &App,
    detail: &loopwright_api::RunDetail,
) -> Result<Value, ApiError> {
    let usage = &detail.summary.usage;
    Ok(json!({
        "runId": detail.summary.run_id,
        "status": detail.summary.status,
        "outputs": if detail.outputs.is_null() { json!({}) } else { detail.outputs.clone() },
        "loops": app.run_loops(&detail.summary.run_id)?,
        "usage": {
            "calls": usage.calls, "inputTokens": usage.input_tokens,
            "outputTokens": usage.output_tokens, "costUsd": usage.cost_usd,
        },
        "warnings": detail.summary.warnings,
        "error": detail.error.as_ref().map(|error| json!({
            "code": error.code, "node": error.node, "message": error.message,
        })),
    }))
}

fn print_outputs(outcome: &RunOutcome) {
    if let Some(error) = &outcome.state.error {
        eprintln!("{}", error.message);
    }
    for warning in &outcome.state.warnings {
        eprintln!("Warning: {}", warning.message);
    }
    let Some(Value::Object(outputs)) = &outcome.state.outputs else {
        return;
    };
    let several = outputs.len() > 1;
    for (name, value) in outputs {
        if several {
            outln!("{name}:");
        }
        match value {
            Value::String(text) => outln!("{text}"),
            other => outln!("{other:#}"),
        }
    }
}

pub(crate) fn exit_status(outcome: &RunOutcome) -> u8 {
    let code = outcome
        .state
        .error
        .as_ref()
        .map(|error| error.code.as_str());
    match outcome.status {
        RunStatus::Completed => status::COMPLETED,
        RunStatus::Cancelled => status::CANCELLED,
        RunStatus::Waiting => status::WAITING,
        RunStatus::Failed if code == Some("budget_exceeded") => status::BUDGET,
        RunStatus::Failed if code == Some("approval_required") => status::WAITING,
        _ => status::FAILED,
    }
}

/// A run by id, by the beginning of its id, or `last`.
pub(crate) fn find_run(app: &App, given: &str) -> Result<String, ApiError> {
    let runs = app.runs(10_000, 0)?;
    let found: Vec<_> = match given {
        "last" => runs.iter().take(1).collect(),
        _ => runs
            .iter()
            .filter(|run| run.run_id.starts_with(given))
            .collect(),
    };
    match found.as_slice() {
        [run] => Ok(run.run_id.clone()),
        [] if given == "last" => Err(ApiError::new(Code::NotFound, "There is no run yet.")),
        [] => Err(ApiError::new(
            Code::NotFound,
            format!("There is no run {given}. `loopwright runs list` shows them."),
        )),
        several => Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "{} runs begin with {given}. Give more of the id.",
                several.len()
            ),
        )),
    }
}
