//! `loopwright store`, `worker`, `submit`, `batches`, and `runs` with a shared store.

use std::{fs, path::Path, sync::Arc, time::Duration};

use loopwright_api as api;
use loopwright_api::{Answer, App, ApprovalPolicy, BatchView};
use loopwright_cluster::{
    Client, Connection, GraphileQueue, PgStore, Queue, Submission, TAKEOVER_AFTER, WorkerOptions,
};
use loopwright_engine::{journal::COMPAT, trust::for_shell};
use loopwright_experiments as experiments;
use loopwright_runs as runs;
use loopwright_runs::{ApiError, Code, NewBudget, ResumeOptions, apply_edit};
use serde::Deserialize;
use serde_json::json;
use tracing_subscriber::{Layer as _, layer::SubscriberExt as _, util::SubscriberInitExt as _};

use crate::{
    args::{ForkArgs, RunsCommand},
    assignments::parse_edits,
    cluster_args::{BatchesArgs, BatchesCommand, StoreCommand, SubmitArgs, WorkerArgs},
    input,
    interrupts::Interrupts,
    named::{find_run, read_flow},
    out::{errln, outln},
    render::{counted, dollars, print_json},
    replay_and_fork::fork_options,
    status,
};

const PLACES: u32 = 32;
/// The maximum value of the option `--places`.
const MAX_PLACES: u32 = 1024;
/// The maximum size of a password file, in bytes.
const MAX_PASSWORD_FILE: u64 = 64 << 10;
/// The maximum size of a worker's settings file, in bytes.
const MAX_WORKER_FILE: u64 = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(60);
const DRAIN: Duration = Duration::from_secs(10);

/// The interval at which `--wait` reads the state of a batch.
const POLL: Duration = Duration::from_millis(500);

/// The settings file of a worker. Options on the command line take precedence.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WorkerFile {
    name: Option<String>,
    places: Option<u32>,
    patience: Option<String>,
    takeover_after: Option<String>,
    drain: Option<String>,
    /// The permissions of runs, in the syntax of `--allow`.
    allow: Vec<String>,
}

fn refused(message: impl Into<String>) -> ApiError {
    ApiError::new(Code::InvalidArgument, message)
}

fn time(name: &str, given: Option<&str>, default: Duration) -> Result<Duration, ApiError> {
    let Some(text) = given else {
        return Ok(default);
    };
    text.parse::<jiff::SignedDuration>()
        .ok()
        .and_then(|time| Duration::try_from(time).ok())
        .filter(|time| *time >= Duration::from_millis(100) && *time <= Duration::from_secs(86_400))
        .ok_or_else(|| {
            refused(format!(
                "{name} {text} is not valid. Write a time from 100ms to 24h, such as 30s or 2m."
            ))
        })
}

/// Connects to a store by its name or address.
///
/// # Errors
/// Returns an error if no store has this name, or if the store does not answer.
pub(crate) fn open(app: &App, store: &str) -> Result<Client, ApiError> {
    let url = api::store_address(app.env(), store)?;
    Client::open(
        &url,
        app.env().data_dir(),
        tokio::runtime::Handle::current(),
    )
}

pub(crate) async fn store(
    app: &App,
    command: &StoreCommand,
    as_json: bool,
) -> Result<u8, ApiError> {
    match command {
        StoreCommand::Init { store } | StoreCommand::Upgrade { store } => {
            loopwright_cluster::set_up(&api::store_address(app.env(), store)?).await?;
            match as_json {
                true => print_json(&json!({ "ready": true })),
                false => {
                    outln!("The store is ready. Start workers with: loopwright worker --store URL")
                }
            }
        }
        StoreCommand::Check { store } => {
            let found = open(app, store)?.check()?;
            if as_json {
                print_json(&json!(found));
                return Ok(status::COMPLETED);
            }
            outln!(
                "{}, {} MB.",
                counted(found.runs, "run", "runs"),
                found.bytes / 1_000_000
            );
            if found.workers.is_empty() {
                outln!(
                    "No worker serves this store. Start one with: loopwright worker --store URL"
                );
            }
            for worker in found.workers {
                let of = match worker.compat == COMPAT {
                    true => String::new(),
                    false => format!(
                        ", incompatible version (compatibility number {}, this program has {COMPAT})",
                        worker.compat
                    ),
                };
                outln!(
                    "{}: {} of {} taken, last seen {} s ago{of}",
                    worker.name,
                    worker.runs,
                    counted(worker.places, "place", "places"),
                    worker.silent_seconds
                );
            }
        }
        StoreCommand::Add {
            name,
            url,
            password_file,
        } => {
            let password = match password_file {
                None => None,
                Some(file) => {
                    let text = input::text(file, MAX_PASSWORD_FILE)?;
                    Some(text.lines().next().unwrap_or_default().to_owned())
                        .filter(|password| !password.is_empty())
                }
            };
            if password_file.is_some() && password.is_none() {
                return Err(refused(
                    "The first line of --password-file is empty. Write the password on that line.",
                ));
            }
            let added = api::add_store_with(app.env(), name, url, password.as_deref())?;
            match as_json {
                true => print_json(&json!(added)),
                false => outln!(
                    "Added {name} ({}). Check it with: loopwright store check {name}",
                    added.url
                ),
            }
        }
        StoreCommand::Remove { name } => {
            api::remove_store(app.env(), name)?;
            errln!("Removed {name}. Its runs are still in the store.");
        }
        StoreCommand::List => {
            let stores = api::stores(app.env());
            match as_json {
                true => print_json(&json!(stores)),
                false if stores.is_empty() => {
                    outln!(
                        "No store has been added yet. Add one with: loopwright store add NAME URL"
                    );
                }
                false => stores
                    .iter()
                    .for_each(|store| outln!("{}: {}", store.name, store.url)),
            }
        }
    }
    Ok(status::COMPLETED)
}

pub(crate) async fn worker(app: &App, args: &WorkerArgs) -> Result<u8, ApiError> {
    let file = match &args.config {
        None => WorkerFile::default(),
        Some(path) => {
            let text = input::text(path, MAX_WORKER_FILE)?;
            toml::from_str(&text).map_err(|error| refused(format!("{path}: {error}")))?
        }
    };
    let takeover_after = time(
        "--takeover-after",
        args.takeover_after
            .as_deref()
            .or(file.takeover_after.as_deref()),
        TAKEOVER_AFTER,
    )?;
    let patience = time(
        "--patience",
        args.patience.as_deref().or(file.patience.as_deref()),
        PATIENCE,
    )?;
    let drain = time(
        "--drain",
        args.drain.as_deref().or(file.drain.as_deref()),
        DRAIN,
    )?;
    let places = args.places.or(file.places).unwrap_or(PLACES);
    if !(1..=MAX_PLACES).contains(&places) {
        return Err(refused(format!(
            "{places} is not a valid number of places. Give a number from 1 to {MAX_PLACES}, in --places or in the worker's file."
        )));
    }
    let places = places as usize;
    let options = WorkerOptions {
        name: args.name.clone().or(file.name).unwrap_or_else(host_name),
        places,
        takeover_after,
        drain,
        allow: crate::trust::allow(&file.allow)?,
        compat: COMPAT,
        data_dir: app.env().data_dir().to_owned(),
    };
    let url = api::store_address(app.env(), &args.store.store)?;
    let connection = Connection {
        url: url.clone(),
        patience,
        connections: (places / 2).clamp(4, 16),
    };
    // A worker has no window, so its log is written to standard error, with timestamps.
    let shown = tracing_subscriber::filter::Targets::new()
        .with_default(tracing::Level::WARN)
        .with_target("loopwright", tracing::Level::INFO);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_target(false);
    let _ = tracing_subscriber::registry()
        .with(lines.with_filter(shown))
        .try_init();
    let mut interrupts = Interrupts::listen();
    let store = Arc::new(PgStore::open(&connection)?);
    let queue: Arc<dyn Queue> = Arc::new(GraphileQueue::new(&url)?);
    errln!(
        "{} is running with {}. Press Ctrl-C to stop it.",
        options.name,
        counted(options.places, "place", "places")
    );
    loopwright_cluster::serve(store, queue, options, async move {
        interrupts.more_than(0).await;
        errln!("The worker accepts no more runs. It exits when its current runs have ended or other workers have taken them over.");
    })
    .await?;
    Ok(status::COMPLETED)
}

fn host_name() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname")
        .map(|name| name.trim().to_owned())
        .ok()
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "worker".to_owned())
}

pub(crate) async fn submit(
    app: &Arc<App>,
    args: &SubmitArgs,
    as_json: bool,
) -> Result<u8, ApiError> {
    let opened = read_flow(app, &args.flow)?;
    let mut document = opened.document.clone();
    for edit in parse_edits(&args.sets)? {
        apply_edit(&mut document, &edit)?;
    }
    let flow = runs::prepare_batch(app.env(), document, opened.path(), args.budget_usd_run)?;
    if args
        .budget_usd
        .is_some_and(|usd| !usd.is_finite() || usd < 0.0)
    {
        return Err(refused("The budget must be 0 dollars or more."));
    }
    if args.budget_usd.is_some() && flow.microusd_run().is_none() {
        return Err(refused(
            "With --budget-usd, each run needs its own budget. Give --budget-usd-run, or set the flow's budget.",
        ));
    }
    let read = experiments::read_inputs(app.env(), &flow, &args.inputs)?;
    for note in &read.notes {
        errln!("{note}");
    }
    rejects(args, &read.rejected)?;
    let client = open(app, &args.store.store)?;
    let name = args.batch.clone().unwrap_or_else(|| {
        Path::new(&args.inputs).file_name().map_or_else(
            || "batch".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        )
    });
    let total = read.runs.len();
    let batch = Submission {
        name: &name,
        flow: &flow,
        runs: read.runs,
        limit_microusd: args.budget_usd.map(|usd| (usd * 1e6).round() as u64),
        approve: args.approve.into(),
    };
    let added = client.submit(batch)?;
    errln!("Batch `{name}`: {added} of {total} runs are new.");
    if args.wait {
        return wait(&client, &name, as_json).await;
    }
    if as_json {
        print_json(
            &json!({ "batch": name, "runs": total, "added": added, "rejected": read.rejected.len() }),
        );
    }
    Ok(status::COMPLETED)
}

/// Writes rejected lines to the `--rejects` file. Without that option, a rejected line is an error and nothing is submitted.
fn rejects(args: &SubmitArgs, rejected: &[(u32, String)]) -> Result<(), ApiError> {
    let Some((line, why)) = rejected.first() else {
        return Ok(());
    };
    let Some(path) = &args.rejects else {
        let more = match rejected.len() {
            1 => String::new(),
            count => format!(" And {} more.", count - 1),
        };
        return Err(refused(format!(
            "{}, line {line}: {why}{more} Nothing was submitted. Correct the rejected lines, or add --rejects FILE to submit only the other lines.",
            args.inputs
        )));
    };
    let lines: String = rejected
        .iter()
        .map(|(line, why)| format!("{}\n", json!({ "line": line, "message": why })))
        .collect();
    fs::write(path, lines)
        .map_err(|error| ApiError::new(Code::Io, format!("{path} cannot be written: {error}.")))?;
    errln!(
        "{} the flow's inputs; see {path}.",
        counted(rejected.len(), "line does not match", "lines do not match")
    );
    Ok(())
}

async fn wait(client: &Client, name: &str, as_json: bool) -> Result<u8, ApiError> {
    let mut interrupts = Interrupts::listen();
    loop {
        let batch = client.batch(name)?;
        if batch.queued == 0 && batch.running == 0 {
            show(&batch, as_json);
            return Ok(match (batch.failed + batch.cancelled, batch.suspended) {
                (0, 0) => status::COMPLETED,
                (0, _) => status::WAITING,
                _ => status::FAILED,
            });
        }
        tokio::select! {
            () = tokio::time::sleep(POLL) => {}
            () = interrupts.more_than(0) => {
                errln!("The batch continues. See it with: loopwright batches --store URL show {}", for_shell(name));
                return Ok(status::CANCELLED);
            }
        }
    }
}

fn show(batch: &BatchView, as_json: bool) {
    if as_json {
        return print_json(&json!(batch));
    }
    let parts = [
        (batch.queued, "queued"),
        (batch.running, "running"),
        (batch.suspended, "waiting or paused"),
        (batch.completed, "completed"),
        (batch.failed, "failed"),
        (batch.cancelled, "cancelled"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let of = batch
        .budget_usd
        .map(|limit| format!(" of {}", dollars(limit)))
        .unwrap_or_default();
    outln!(
        "{}: {} of {}: {}. Cost {}{of}.",
        batch.name,
        counted(batch.runs, "run", "runs"),
        batch.flow,
        parts.join(", "),
        dollars(batch.cost_usd)
    );
}

pub(crate) fn batches(app: &App, args: &BatchesArgs, as_json: bool) -> Result<u8, ApiError> {
    let client = open(app, &args.store.store)?;
    match &args.command {
        BatchesCommand::List => {
            let all = client.batches()?;
            match as_json {
                true => print_json(&json!(all)),
                false => all.iter().for_each(|batch| show(batch, false)),
            }
        }
        BatchesCommand::Show { batch } => show(&client.batch(batch)?, as_json),
        BatchesCommand::Outputs { batch, output } => match output {
            Some(path) => client.write_outputs(batch, path)?,
            None => client.each_output(batch, |line| {
                outln!("{line}");
                Ok(())
            })?,
        },
        BatchesCommand::Stop { batch } => {
            let count = client.stop_batch(batch)?;
            errln!("Stopping {} of `{batch}`.", counted(count, "run", "runs"));
        }
        BatchesCommand::Retry { batch, failed: _ } => {
            let count = client.retry_failed(batch)?;
            let runs = counted(count, "run", "runs");
            errln!("{runs} of `{batch}` will run again.");
        }
        BatchesCommand::Delete { batch } => {
            let gone = client.delete_batch(batch)?;
            errln!("Deleted `{batch}` with {}.", counted(gone, "run", "runs"));
        }
    }
    Ok(status::COMPLETED)
}

/// Sends a command that changes a run to a worker. Returns the exit status, or `None` if the command changes no run.
///
/// # Errors
/// Returns an error if the run does not exist, or if its state does not permit the command.
pub(crate) fn change_run(
    client: &Client,
    command: &RunsCommand,
    as_json: bool,
) -> Result<Option<u8>, ApiError> {
    match command {
        RunsCommand::Answer { run, .. }
        | RunsCommand::Resume { run, .. }
        | RunsCommand::Stop { run }
        | RunsCommand::Pause { run }
        | RunsCommand::TryNow { run } => {
            let run = find_run(client.app(), run)?;
            ask(client, &run, command).map(Some)
        }
        RunsCommand::Fork(args) if args.experiment.is_none() => {
            fork(client, args, as_json).map(Some)
        }
        _ => Ok(None),
    }
}

fn fork(client: &Client, args: &ForkArgs, as_json: bool) -> Result<u8, ApiError> {
    if !args.allow.is_empty() {
        return Err(refused(
            "In a shared store, the worker's configuration file determines what a fork may use. Leave out --allow.",
        ));
    }
    let options = fork_options(client.app(), args, Arc::new(|_| {}))?;
    let run = runs::fork_run(client.app().env(), options)?.run_id;
    match as_json {
        true => print_json(&json!({ "run": run })),
        false => errln!("Forked as {run}. A worker will continue it."),
    }
    Ok(status::COMPLETED)
}

/// Sends a request about a run, and returns the exit status without waiting for a worker to act on the request.
fn ask(client: &Client, run: &str, command: &RunsCommand) -> Result<u8, ApiError> {
    let env = client.app().env();
    let resuming = |budget| ResumeOptions {
        run_id: run.to_owned(),
        answer: None,
        budget,
        approve: ApprovalPolicy::Ask,
        events: Arc::new(|_| {}),
    };
    match command {
        RunsCommand::Answer {
            at,
            approve,
            value,
            comment,
            for_this_run,
            ..
        } => {
            let answer = Answer {
                approved: *approve,
                value: value.as_deref().map(input::value).transpose()?,
                comment: comment.clone(),
                scope: crate::question::answer_scope(*for_this_run),
                ..Answer::default()
            };
            runs::answer_run(env, at.clone(), answer, resuming(None))?;
        }
        RunsCommand::Resume {
            budget_usd,
            budget_tokens,
            ..
        } => {
            let budget = NewBudget {
                usd: *budget_usd,
                tokens: *budget_tokens,
            };
            runs::resume_run(env, resuming(Some(budget)))?;
        }
        RunsCommand::Pause { .. } => runs::pause_run(env, run)?,
        RunsCommand::TryNow { .. } => runs::try_now(env, run)?,
        _ => runs::stop_run(env, run)?,
    }
    errln!(
        "A worker will carry out the request. See the run with: loopwright runs --store URL show {run}"
    );
    Ok(status::COMPLETED)
}
