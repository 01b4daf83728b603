//! `loopwright runs`: lists, continues, compares and saves runs.

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

use loopwright_api::{Answer, App};
use loopwright_engine::{RunStatus, trust::for_shell};
use loopwright_experiments as experiments;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{ApiError, Code, NewBudget};
use serde_json::json;

use crate::{
    args::{ListArgs, RunsCommand},
    compare, input, list,
    named::find_run,
    out::errln,
    question,
    render::{self, word},
    replay_and_fork, run, show, status,
};

/// The maximum time to wait until the program that executes a run has carried out a request.
const PATIENCE: Duration = Duration::from_secs(20);
/// The interval at which the run's lock is checked during this wait.
const LOOK: Duration = Duration::from_millis(100);

/// Performs a subcommand. `is_shared` is true if the runs are in a shared store.
///
/// # Errors
/// Returns the error of the subcommand.
pub(crate) async fn perform(
    app: &Arc<App>,
    command: &RunsCommand,
    is_shared: bool,
    json: bool,
) -> Result<u8, ApiError> {
    match command {
        RunsCommand::Answer {
            run,
            at,
            approve,
            reject: _,
            value,
            comment,
            for_this_run,
            notify,
            unattended: _,
        } => {
            let run = find_run(app, run)?;
            let answer = Answer {
                approved: *approve,
                value: value.as_deref().map(input::value).transpose()?,
                comment: comment.clone(),
                scope: question::answer_scope(*for_this_run),
                ..Answer::default()
            };
            return run::answer(app, run, at, answer, *notify, json).await;
        }
        RunsCommand::Resume {
            run,
            budget_usd,
            budget_tokens,
            approve,
            notify,
            unattended: _,
        } => {
            let run = find_run(app, run)?;
            let budget = NewBudget {
                usd: *budget_usd,
                tokens: *budget_tokens,
            };
            return run::resume(app, run, budget, *approve, *notify, json).await;
        }
        RunsCommand::Watch { run, events } => {
            return run::watch(app, &find_run(app, run)?, *events, json).await;
        }
        RunsCommand::Replay { run, events } => {
            return replay_and_fork::replay(app, run, *events, json);
        }
        RunsCommand::Fork(args) => return replay_and_fork::fork(app, args, json).await,
        RunsCommand::List(args) => list_runs(app, args, is_shared, json)?,
        RunsCommand::Show { run, iteration } => {
            show::run(app, &find_run(app, run)?, iteration.as_deref(), json)?;
        }
        RunsCommand::Compare { a, b, at } => compare_runs(app, a, b, at.as_deref(), json)?,
        RunsCommand::Stop { run } => stop(app, run).await?,
        RunsCommand::Pause { run } => pause(app, run).await?,
        RunsCommand::TryNow { run } => {
            let run = find_run(app, run)?;
            runs::try_now(app.env(), &run)?;
            errln!(
                "Run {run} will now make one call for each quota that it waits for. Follow it: loopwright runs watch {run}"
            );
        }
        RunsCommand::Keep { run, file } => keep(app, run, file).await?,
        RunsCommand::Export { run, output, force } => {
            list::export(app, run, output.as_deref(), *force, json)?;
        }
        RunsCommand::Import { file } => list::import(app, file, json)?,
        RunsCommand::Rename { run, name } => {
            records::rename_run(app.env(), &records::run_id(app.env(), run)?, name)?;
        }
        RunsCommand::Star { runs, remove } => star(app, runs, !remove)?,
        RunsCommand::Delete { runs } => delete(app, runs, json)?,
    }
    Ok(status::COMPLETED)
}

fn list_runs(app: &App, args: &ListArgs, is_shared: bool, json: bool) -> Result<(), ApiError> {
    if args.batch.is_some() && !is_shared {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "--batch needs --store: only shared stores have batches.",
        ));
    }
    list::list(app, args, json)
}

fn compare_runs(app: &App, a: &str, b: &str, at: Option<&str>, json: bool) -> Result<(), ApiError> {
    let (a, b) = (find_run(app, a)?, find_run(app, b)?);
    match at {
        None => compare::compare(app, &a, &b, json),
        Some(path) => compare::step(app, &a, &b, path, json),
    }
}

async fn stop(app: &App, run: &str) -> Result<(), ApiError> {
    let run = find_run(app, run)?;
    let status = records::run_detail(app.env(), &run)?.summary.status;
    if matches!(
        status,
        RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled
    ) {
        errln!(
            "Run {run} has already ended. Its status is {}.",
            word(&status)
        );
        return Ok(());
    }
    runs::stop_run(app.env(), &run)?;
    until_left(app, &run, "stop").await?;
    errln!("Stopped {run}.");
    Ok(())
}

async fn pause(app: &App, run: &str) -> Result<(), ApiError> {
    let run = find_run(app, run)?;
    runs::pause_run(app.env(), &run)?;
    until_left(app, &run, "pause").await?;
    let status = records::run_detail(app.env(), &run)?.summary.status;
    match status {
        RunStatus::Paused => errln!("Paused {run}. Continue: loopwright runs resume {run}"),
        other => errln!("Run {run} was not paused. Its status is {}.", word(&other)),
    }
    Ok(())
}

/// Waits until the program that executes a run has carried out a request.
///
/// # Errors
/// [`Code::Busy`] if it takes longer than [`PATIENCE`]. The request remains.
async fn until_left(app: &App, run: &str, what: &str) -> Result<(), ApiError> {
    let ends = Instant::now() + PATIENCE;
    while app.env().is_led(run) {
        if Instant::now() > ends {
            return Err(ApiError::new(
                Code::Busy,
                format!(
                    "The program that executes run {run} was asked to {what} it, but has not done so yet. Steps in progress may take longer. \
                     Check again with: loopwright runs show {run}"
                ),
            ));
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// Saves a run as a test.
async fn keep(app: &App, run: &str, file: &str) -> Result<(), ApiError> {
    let run = find_run(app, run)?;
    let file = if file.ends_with(experiments::TEST_ENDING) {
        file.to_owned()
    } else {
        format!("{file}{}", experiments::TEST_ENDING)
    };
    experiments::keep_test(app.env(), &run, &file).await?;
    errln!(
        "Wrote {file}. Run it with: loopwright test {}",
        for_shell(&file)
    );
    Ok(())
}

fn star(app: &App, runs: &[String], starred: bool) -> Result<(), ApiError> {
    // All ids are looked up before the first run is changed, so that nothing changes if one of them is unknown.
    let runs: Vec<String> = runs
        .iter()
        .map(|run| records::run_id(app.env(), run))
        .collect::<Result<_, _>>()?;
    for run in &runs {
        records::star_run(app.env(), run, starred)?;
    }
    Ok(())
}

fn delete(app: &App, runs: &[String], json: bool) -> Result<(), ApiError> {
    // All ids are looked up before the first run is deleted, so that `last` means the same run if it is named twice.
    let (missing, runs): (Vec<_>, Vec<_>) = runs.iter().partition(|run| *run == "missing");
    let runs: BTreeSet<String> = runs
        .into_iter()
        .map(|run| records::run_id(app.env(), run))
        .collect::<Result<_, _>>()?;
    if !missing.is_empty() {
        let count = records::forget_missing(app.env())?;
        let gone = render::counted(count, "missing run was", "missing runs were");
        errln!("{gone} forgotten.");
    }
    for run in &runs {
        runs::delete_run(app.env(), run)?;
        errln!("Deleted {run}.");
    }
    if json {
        render::print_json(&json!({ "deleted": runs }));
    }
    Ok(())
}
