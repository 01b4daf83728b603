//! `loopwright run`: reads a flow and its inputs, runs it, and prints the result.

use std::{
    io::{self, IsTerminal as _},
    sync::Arc,
};

use loopwright_api::{Answer, App, ApprovalPolicy, Focus, RunStatus};
use loopwright_engine::ErrorClass;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{
    Answered, ApiError, Code, NewBudget, OpenedFlow, ResumeOptions, RunOutcome, RunRequest,
    StartOptions, Started, apply_edit,
};
use serde_json::{Map, Value};

use crate::{
    approve_arg::ApproveArg,
    args::RunArgs,
    assignments::{parse_edits, parse_pins, split_assignment},
    detach::Job,
    follow::{follow, settled, sink},
    how_to_continue::say_how_to_continue,
    input,
    interrupts::Interrupts,
    named::read_flow,
    out::{errln, outln},
    progress::Progress,
    question::{ask_person, can_ask},
    render::{counted, estimate},
    run_result::{
        detail_json, exit_status, mark_run_seen, print_outputs, result_json, status_code,
    },
    show, status,
    unattended::{NotifyArg, Telling},
};

pub(crate) async fn run(app: &Arc<App>, args: &RunArgs, json: bool) -> Result<u8, ApiError> {
    let request = request(app, read_flow(app, &args.flow)?, args)?;
    let progress = Arc::new(Progress::new(
        args.events,
        io::stderr().is_terminal() && !args.events,
        Telling::new(app, args.notify, None),
    ));
    let job = args
        .detach
        .then(|| Job::of(&request, args.approve, args.unattended, args.notify));
    let prepared = runs::prepare_run(app.env(), request)?;
    // The run is checked before any question, so that nobody is asked about a run that cannot start.
    prepared.check()?;
    let empty = runs::empty_texts(app.env(), &prepared);
    let tells_cost = io::stderr().is_terminal();
    if !args.events && (tells_cost || !empty.is_empty()) {
        let most = runs::most_it_can_cost(app.env(), &prepared)?;
        // An empty input is worth a warning only if the run makes model calls, which cost money.
        if most.max_calls != Some(0) {
            for name in empty {
                errln!("The input `{name}` is empty. Set it with --input {name}=TEXT.");
            }
            if tells_cost {
                errln!("The run makes {}.", estimate(&most));
                if let Some(forecast) =
                    loopwright_records::forecast_cost(app.env(), &prepared, &most)?
                {
                    errln!(
                        "Forecast from {} with these settings: {}.",
                        counted(forecast.runs, "run", "runs"),
                        forecast.words
                    );
                }
            }
        }
    }
    if can_ask() {
        // A person who is asked to approve a run should know that it cannot succeed.
        for problem in prepared.problems() {
            if problem.code == "agent_missing" {
                errln!("Warning: {}", problem.message);
            }
        }
    }
    let allow = crate::trust::ask(app, &prepared, crate::trust::allow(&args.allow)?)?;
    if let Some(job) = job {
        return job.start(app, allow, json).await;
    }
    let options = StartOptions {
        allow,
        approve: args.approve.into(),
        events: sink(&progress),
    };
    let interrupts = Interrupts::listen();
    let started = runs::start_prepared(app.env(), prepared, options)?;
    finish(app, started, progress, args.approve, json, interrupts).await
}

/// Returns the request for a run of a flow that the options describe.
///
/// # Errors
/// Returns an error if an option is invalid, or if an input cannot be read.
pub(crate) fn request(
    app: &App,
    opened: OpenedFlow,
    args: &RunArgs,
) -> Result<RunRequest, ApiError> {
    let flow_path = opened.path().map(str::to_owned);
    let mut document = opened.document;
    let inputs = inputs(&document, args)?;
    let edits = parse_edits(&args.sets)?;
    // Nodes in linked files are a part of the document only after linking, so they can be changed only then.
    if edits.iter().any(|edit| edit.node.contains('/')) {
        document = runs::link(app.env(), document, flow_path.as_deref())?;
    }
    for edit in edits {
        apply_edit(&mut document, &edit)?;
    }
    Ok(RunRequest {
        document,
        flow_path,
        inputs,
        focus: read_focus(args)?,
        budget: NewBudget {
            usd: args.budget_usd,
            tokens: None,
        },
    })
}

/// Returns the part of the flow to run, according to `--pin` and `--to`.
fn read_focus(args: &RunArgs) -> Result<Focus, ApiError> {
    Ok(Focus {
        pins: parse_pins(&args.pins)?,
        until: args.to.clone(),
    })
}

/// Answers a question of a run. If the run was suspended, it continues here, and its result is printed at its end. If other
/// steps of the run are in progress in another program, that program continues with the answer. Returns the exit status.
///
/// # Errors
/// Returns an error if the step at `at` does not wait for an answer, or if the run cannot continue.
pub(crate) async fn answer(
    app: &Arc<App>,
    run_id: String,
    at: &str,
    answer: Answer,
    notify: NotifyArg,
    json: bool,
) -> Result<u8, ApiError> {
    let progress = Arc::new(progress_of_old_run(app, &run_id, notify));
    let interrupts = Interrupts::listen();
    let answered = runs::answer_run(
        app.env(),
        at.to_owned(),
        answer,
        ResumeOptions {
            run_id: run_id.clone(),
            answer: None,
            budget: None,
            approve: ApprovalPolicy::Ask,
            events: sink(&progress),
        },
    )?;
    match answered {
        Answered::Resumed(started) => {
            finish(app, started, progress, ApproveArg::Ask, json, interrupts).await
        }
        Answered::Accepted => {
            if json {
                let detail = records::run_detail(app.env(), &run_id)?;
                outln!("{}", detail_json(app, &detail)?);
            }
            errln!(
                "The answer was accepted. The run continues in the program that executes it. Follow the run: loopwright runs watch {run_id}"
            );
            Ok(status::COMPLETED)
        }
    }
}

/// Continues a run that was interrupted or paused, or that was stopped by its budget and now gets a larger one. If the
/// run waits for an answer, `approve` or the person at the terminal gives it. An expired question is answered by its
/// own expiry rule.
///
/// If the run is over, its result is printed. Returns the exit status.
///
/// # Errors
/// Returns an error if the run cannot be resumed, or stops unexpectedly.
pub(crate) async fn resume(
    app: &Arc<App>,
    run_id: String,
    budget: NewBudget,
    approve: ApproveArg,
    notify: NotifyArg,
    json: bool,
) -> Result<u8, ApiError> {
    let detail = records::run_detail(app.env(), &run_id)?;
    let status = detail.summary.status;
    let interrupts = Interrupts::listen();
    let budget = (budget != NewBudget::default()).then_some(budget);
    let answer = match status {
        RunStatus::Waiting => match settled(app, &run_id, approve)? {
            None if can_ask() && approve == ApproveArg::Ask => {
                ask_person(app, &run_id, &interrupts).await?
            }
            answer => answer,
        },
        _ => None,
    };
    let has_room = budget.is_some() || detail.over_spending_limit;
    let (_, state) = app.env().journal().run(&run_id)?;
    let has_expired =
        runs::time_to_answer(&state, app.env().now()) == Some(std::time::Duration::ZERO);
    let continues = (detail.over_budget && has_room) || answer.is_some() || has_expired;
    if !continues
        && matches!(
            status,
            RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled | RunStatus::Waiting
        )
    {
        let code = detail.error.as_ref().map(|error| error.code.clone());
        if json {
            outln!("{}", detail_json(app, &detail)?);
        } else {
            show::run(app, &run_id, None, false)?;
        }
        mark_run_seen(app, &run_id, status);
        if budget.is_some() {
            errln!("The run was not stopped by its own budget, so a larger budget has no effect.");
        }
        return Ok(status_code(status, code.as_deref().map(ErrorClass::of)));
    }
    let progress = Arc::new(progress_of_old_run(app, &run_id, notify));
    let started = runs::resume_run(
        app.env(),
        ResumeOptions {
            run_id,
            answer,
            budget,
            approve: approve.into(),
            events: sink(&progress),
        },
    )?;
    finish(app, started, progress, approve, json, interrupts).await
}

/// Creates the progress printer for a run that was started earlier.
fn progress_of_old_run(app: &App, run_id: &str, notify: NotifyArg) -> Progress {
    Progress::new(
        false,
        io::stderr().is_terminal(),
        Telling::new(app, notify, Some(run_id)),
    )
}

/// Follows a run to its end, asks its questions on the terminal, and prints the result.
///
/// # Errors
/// Returns an error if the run stops unexpectedly, or if its result cannot be read.
pub(crate) async fn finish(
    app: &Arc<App>,
    started: Started,
    progress: Arc<Progress>,
    approve: ApproveArg,
    json: bool,
    interrupts: Interrupts,
) -> Result<u8, ApiError> {
    let outcome = follow(app, started, &progress, approve, &interrupts).await?;
    print_outcome(app, outcome, json)
}

/// Prints the result of a run. Returns the exit status.
///
/// # Errors
/// Returns an error if the result cannot be read.
pub(crate) fn print_outcome(app: &App, outcome: RunOutcome, json: bool) -> Result<u8, ApiError> {
    let (run_id, status, code) = (
        outcome.run_id.clone(),
        outcome.status,
        exit_status(&outcome),
    );
    if json {
        outln!("{}", result_json(app, outcome)?);
    } else {
        print_outputs(&outcome);
        say_how_to_continue(app, &outcome)?;
    }
    mark_run_seen(app, &run_id, status);
    Ok(code)
}

/// Follows a run that another program leads, and prints its result. Ctrl-C stops following the run but does not stop the run.
///
/// # Errors
/// Returns an error if the run cannot be followed, or if its result cannot be read.
pub(crate) async fn watch(
    app: &Arc<App>,
    run_id: &str,
    events: bool,
    json: bool,
) -> Result<u8, ApiError> {
    let progress = Arc::new(Progress::new(
        events,
        io::stderr().is_terminal() && !events,
        Telling::none(),
    ));
    let mut interrupts = Interrupts::listen();
    let started = runs::follow_run(app.env(), run_id, 0, sink(&progress))?;
    let outcome = tokio::select! {
        outcome = started.finished => outcome.map_err(|error| {
            ApiError::new(Code::Internal, format!("The run cannot be followed: {error}"))
        })??,
        () = interrupts.more_than(0) => {
            progress.finish();
            errln!("The run continues. Follow it again: loopwright runs watch {run_id}");
            return Ok(status::COMPLETED);
        }
    };
    progress.finish();
    print_outcome(app, outcome, json)
}

fn inputs(document: &Value, args: &RunArgs) -> Result<Map<String, Value>, ApiError> {
    let mut inputs = Map::new();
    for given in &args.inputs {
        let (name, value) = split_assignment(given, "--input", "NAME=VALUE")?;
        inputs.insert(name.to_owned(), parse_input(document, name, value)?);
    }
    let mut stdin_is_read = args.flow == "-";
    for given in &args.input_files {
        let (name, path) = split_assignment(given, "--input-file", "NAME=PATH")?;
        if data_type(document, name) == Some("file") {
            inputs.insert(name.to_owned(), Value::String(path.to_owned()));
            continue;
        }
        if path == "-" && std::mem::replace(&mut stdin_is_read, true) {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!(
                    "--input-file {given}: standard input can be read only once, and another option already reads it."
                ),
            ));
        }
        let text = input::text(path, input::MAX_VALUE).map_err(|error| ApiError {
            code: Code::InvalidArgument,
            ..error
        })?;
        // Some editors start a file with a byte order mark, which is not part of the text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        inputs.insert(name.to_owned(), parse_input(document, name, text)?);
    }
    Ok(inputs)
}

/// Returns the data type that the input `name` declares, or `None` if it declares none.
fn data_type<'a>(document: &'a Value, name: &str) -> Option<&'a str> {
    document["nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|node| node["data"]["name"] == name || node["id"] == name)
        .find_map(|node| node["data"]["dataType"].as_str())
}

/// Parses the value of an input. Text and file paths are used unchanged; values of other types are parsed as JSON.
fn parse_input(document: &Value, name: &str, value: &str) -> Result<Value, ApiError> {
    match data_type(document, name) {
        Some("json" | "number" | "boolean") => input::json(value, &format!("The input `{name}`")),
        _ => Ok(Value::String(value.to_owned())),
    }
}
