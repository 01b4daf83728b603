//! `loopwright store`, `worker`, `submit`, `batches`, and `runs` of a shared store.

use std::{fs, io::Write as _, path::Path, sync::Arc, time::Duration};

use loopwright_api::{Allow, Answer, ApiError, App, Code, RunStatus, apply_edit};
use loopwright_cluster::{
    Approvals, Batch, BatchCounts, Connection, Control, GraphileQueue, Job, NewBatch, NewRun,
    PgStore, Queue, WorkerOptions, run_id,
};
use loopwright_engine::journal::{COMPAT, Journal as _};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use tracing_subscriber::{Layer as _, layer::SubscriberExt as _, util::SubscriberInitExt as _};

use crate::{
    again::edits,
    args::{ApproveArg, RunsCommand},
    cluster_args::{BatchesArgs, BatchesCommand, StoreCommand, SubmitArgs, WorkerArgs},
    input,
    interrupts::Interrupts,
    out::{errln, outln},
    render::{dollars, print_json},
    run::read_flow,
    status,
};

const PLACES: u32 = 32;
const PATIENCE: Duration = Duration::from_secs(60);
const DRAIN: Duration = Duration::from_secs(10);

/// How long a worker may be silent before its runs are taken over, unless it is set.
pub(crate) const TAKEOVER_AFTER: Duration = Duration::from_secs(30);

/// Runs that are stored and enqueued at once.
const CHUNK: usize = 1_000;

/// How often a batch that is waited for is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// The settings of a worker in a file. What the command line says goes before them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WorkerFile {
    name: Option<String>,
    places: Option<u32>,
    patience: Option<String>,
    takeover_after: Option<String>,
    drain: Option<String>,
    /// As `--allow` writes it.
    allow: Vec<String>,
}

fn refused(message: impl Into<String>) -> ApiError {
    ApiError::new(Code::InvalidArgument, message)
}

fn queue_failed(error: &loopwright_cluster::QueueError) -> ApiError {
    ApiError::new(Code::Io, error.to_string())
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
                "{name} {text}: write a time from 100ms to 24h, such as 30s or 2m."
            ))
        })
}

fn open(url: &str) -> Result<Arc<PgStore>, ApiError> {
    Ok(Arc::new(PgStore::open(&Connection::new(url))?))
}

fn queue(url: &str) -> Result<GraphileQueue, ApiError> {
    GraphileQueue::new(url).map_err(|error| queue_failed(&error))
}

fn jobs(runs: impl IntoIterator<Item = String>) -> Vec<Job> {
    runs.into_iter()
        .map(|run_id| Job {
            run_id,
            compat: COMPAT,
        })
        .collect()
}

pub(crate) async fn store(command: &StoreCommand, as_json: bool) -> Result<u8, ApiError> {
    match command {
        StoreCommand::Init { url } | StoreCommand::Upgrade { url } => {
            PgStore::init(&Connection::new(url))?;
            queue(url)?
                .set_up()
                .await
                .map_err(|error| queue_failed(&error))?;
            match as_json {
                true => print_json(&json!({ "ready": true })),
                false => {
                    outln!("The store is ready. Start workers with: loopwright worker --store URL")
                }
            }
        }
        StoreCommand::Check { url } => {
            let store = open(url)?;
            let size = store.size()?;
            let workers = store.workers()?;
            if as_json {
                let workers: Vec<Value> = workers
                    .iter()
                    .map(|worker| {
                        json!({
                            "name": worker.name, "places": worker.places, "runs": worker.runs,
                            "compat": worker.compat, "silentSeconds": worker.silent_s,
                        })
                    })
                    .collect();
                print_json(
                    &json!({ "runs": size.runs, "bytes": size.on_disk, "workers": workers }),
                );
                return Ok(status::COMPLETED);
            }
            outln!("{} runs, {} MB.", size.runs, size.on_disk / 1_000_000);
            if workers.is_empty() {
                outln!("No worker serves it. Start one with: loopwright worker --store URL");
            }
            for worker in workers {
                outln!(
                    "{}: {} of {} places taken, heard of {} s ago",
                    worker.name,
                    worker.runs,
                    worker.places,
                    worker.silent_s
                );
            }
        }
    }
    Ok(status::COMPLETED)
}

pub(crate) async fn worker(args: &WorkerArgs, data_dir: &Path) -> Result<u8, ApiError> {
    let file = match &args.config {
        None => WorkerFile::default(),
        Some(path) => {
            let text = fs::read_to_string(path).map_err(|error| {
                ApiError::new(Code::NotFound, format!("{path} cannot be read: {error}."))
            })?;
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
    let places = args.places.or(file.places).unwrap_or(PLACES).max(1) as usize;
    let options = WorkerOptions {
        name: args.name.clone().or(file.name).unwrap_or_else(host_name),
        places,
        takeover_after,
        drain,
        allow: crate::trust::allow(&file.allow)?,
        data_dir: data_dir.to_owned(),
    };
    let url = &args.store.store;
    let connection = Connection {
        url: url.clone(),
        patience,
        connections: (places / 2).clamp(4, 16),
    };
    // A worker has no window: what it notes goes to standard error, with the time.
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
    let queue: Arc<dyn Queue> = Arc::new(queue(url)?);
    errln!(
        "{} serves {} places. Ctrl-C ends it.",
        options.name,
        options.places
    );
    loopwright_cluster::serve(store, queue, options, async move {
        interrupts.more_than(0).await;
        errln!("It takes no more runs, and ends when those that go on have ended or were left to others.");
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
    for edit in edits(&args.sets)? {
        apply_edit(&mut document, &edit)?;
    }
    let flow = app.prepare_flow(document, opened.path(), args.budget_usd_run)?;
    if args
        .budget_usd
        .is_some_and(|usd| !usd.is_finite() || usd < 0.0)
    {
        return Err(refused(
            "The budget must be an amount of dollars, 0 or more.",
        ));
    }
    if args.budget_usd.is_some() && flow.microusd_run.is_none() {
        return Err(refused(
            "With --budget-usd each run needs a budget of its own: give --budget-usd-run, or set the flow's budget.",
        ));
    }
    let read = app.read_inputs(&flow, &args.inputs)?;
    for note in &read.notes {
        errln!("{note}");
    }
    rejects(args, &read.rejected)?;
    let url = &args.store.store;
    let (store, queue) = (open(url)?, queue(url)?);
    let name = args.batch.clone().unwrap_or_else(|| {
        Path::new(&args.inputs).file_name().map_or_else(
            || "batch".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        )
    });
    let now = loopwright_api::now();
    let approve = approvals(args.approve);
    let batch = store.create_batch(&NewBatch {
        name: name.clone(),
        created_at: now,
        flow: flow.name.clone(),
        limit_microusd: args.budget_usd.map(|usd| (usd * 1e6).round() as u64),
        microusd_run: flow.microusd_run,
    })?;
    let (mut added, total) = (0, read.runs.len());
    let mut lines = read.runs.into_iter();
    loop {
        let chunk: Vec<NewRun> = lines
            .by_ref()
            .take(CHUNK)
            .map(|(line, inputs)| {
                let line = u64::from(line);
                let id = run_id(&name, line, &Value::Object(inputs.clone()), 0);
                NewRun {
                    line,
                    header: flow.header(id, inputs, now),
                }
            })
            .collect();
        if chunk.is_empty() {
            break;
        }
        added += store.add_runs(batch, &chunk, approve)?;
        // Also those that were stored before: a break may have come before they were enqueued.
        let ids = chunk.into_iter().map(|run| run.header.run_id);
        queue
            .enqueue(&jobs(ids))
            .await
            .map_err(|error| queue_failed(&error))?;
    }
    errln!("Batch `{name}`: {added} of {total} runs are new.");
    if args.wait {
        return wait(&store, &name, as_json).await;
    }
    if as_json {
        print_json(
            &json!({ "batch": name, "runs": total, "added": added, "rejected": read.rejected.len() }),
        );
    }
    Ok(status::COMPLETED)
}

/// Lines that cannot run keep the batch from being submitted, unless somebody wants them in a file.
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
            "{}, line {line}: {why}{more} Nothing was submitted. Mend the lines, or submit the others with --rejects FILE.",
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
        "{} lines are no inputs of the flow; see {path}.",
        rejected.len()
    );
    Ok(())
}

fn approvals(arg: ApproveArg) -> Approvals {
    match arg {
        ApproveArg::Ask => Approvals::Ask,
        ApproveArg::All => Approvals::All,
        ApproveArg::None => Approvals::None,
    }
}

async fn wait(store: &PgStore, name: &str, as_json: bool) -> Result<u8, ApiError> {
    let mut interrupts = Interrupts::listen();
    loop {
        let batch = store.batch(name)?;
        let BatchCounts {
            queued, running, ..
        } = batch.counts;
        if queued == 0 && running == 0 {
            show(&batch, as_json);
            let BatchCounts {
                suspended,
                failed,
                cancelled,
                ..
            } = batch.counts;
            return Ok(match (failed + cancelled, suspended) {
                (0, 0) => status::COMPLETED,
                (0, _) => status::WAITING,
                _ => status::FAILED,
            });
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = interrupts.more_than(0) => {
                errln!("The batch goes on. See it with: loopwright batches --store URL show {name}");
                return Ok(status::CANCELLED);
            }
        }
    }
}

fn batch_json(batch: &Batch) -> Value {
    let counts = batch.counts;
    json!({
        "name": batch.name, "flow": batch.flow, "createdAt": batch.created_at, "stopped": batch.stopped,
        "runs": counts.runs, "queued": counts.queued, "running": counts.running, "suspended": counts.suspended,
        "completed": counts.completed, "failed": counts.failed, "cancelled": counts.cancelled,
        "costUsd": batch.cost_microusd as f64 / 1e6,
        "budgetUsd": batch.limit_microusd.map(|limit| limit as f64 / 1e6),
    })
}

fn show(batch: &Batch, as_json: bool) {
    if as_json {
        return print_json(&batch_json(batch));
    }
    let counts = batch.counts;
    let parts = [
        (counts.queued, "queued"),
        (counts.running, "running"),
        (counts.suspended, "waiting or paused"),
        (counts.completed, "completed"),
        (counts.failed, "failed"),
        (counts.cancelled, "cancelled"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let of = batch
        .limit_microusd
        .map(|limit| format!(" of {}", dollars(limit as f64 / 1e6)))
        .unwrap_or_default();
    outln!(
        "{}: {} runs of {}: {}. Cost {}{of}.",
        batch.name,
        counts.runs,
        batch.flow,
        parts.join(", "),
        dollars(batch.cost_microusd as f64 / 1e6)
    );
}

pub(crate) async fn batches(args: &BatchesArgs, as_json: bool) -> Result<u8, ApiError> {
    let url = &args.store.store;
    let store = open(url)?;
    match &args.command {
        BatchesCommand::List => {
            let all = store.batches()?;
            match as_json {
                true => print_json(&all.iter().map(batch_json).collect::<Vec<_>>()),
                false => all.iter().for_each(|batch| show(batch, false)),
            }
        }
        BatchesCommand::Show { batch } => show(&store.batch(batch)?, as_json),
        BatchesCommand::Outputs { batch, output } => {
            store.batch(batch)?;
            write_outputs(&store, batch, output.as_deref())?;
        }
        BatchesCommand::Stop { batch } => {
            let open = store.stop_batch(batch)?;
            let count = open.len();
            queue(url)?
                .enqueue(&jobs(open))
                .await
                .map_err(|error| queue_failed(&error))?;
            errln!("{count} runs of `{batch}` are being stopped.");
        }
        BatchesCommand::Retry { batch, failed: _ } => {
            let fresh = store.retry_failed(batch, loopwright_api::now())?;
            let count = fresh.len();
            queue(url)?
                .enqueue(&jobs(fresh))
                .await
                .map_err(|error| queue_failed(&error))?;
            errln!("{count} runs of `{batch}` are run again.");
        }
        BatchesCommand::Delete { batch } => {
            let gone = store.delete_batch(batch)?;
            store.compact()?;
            errln!("Deleted `{batch}` with {gone} runs.");
        }
    }
    Ok(status::COMPLETED)
}

/// A line for each run: its line in the inputs, its id, how it ended, and its outputs or its error.
fn write_outputs(store: &PgStore, batch: &str, path: Option<&str>) -> Result<(), ApiError> {
    let failed = |error: std::io::Error| {
        let to = path.unwrap_or("Standard output");
        ApiError::new(Code::Io, format!("{to} cannot be written: {error}."))
    };
    let mut file = path
        .map(|path| fs::File::create(path).map(std::io::BufWriter::new))
        .transpose()
        .map_err(failed)?;
    let mut after = 0;
    loop {
        let lines = store.batch_lines(batch, after)?;
        let Some(last) = lines.last() else {
            break;
        };
        after = last.line;
        for line in &lines {
            let mut object = Map::new();
            object.insert("line".to_owned(), json!(line.line));
            object.insert("run".to_owned(), json!(line.run_id));
            object.insert("status".to_owned(), json!(line.state.status));
            if let Some(outputs) = &line.state.outputs {
                object.insert("outputs".to_owned(), outputs.to_object());
            }
            if let Some(error) = &line.state.error {
                object.insert("error".to_owned(), json!(error.message));
            }
            let text = Value::Object(object).to_string();
            match &mut file {
                Some(file) => writeln!(file, "{text}").map_err(failed)?,
                None => outln!("{text}"),
            }
        }
    }
    if let Some(mut file) = file {
        file.flush().map_err(failed)?;
    }
    Ok(())
}

/// Opens the runs of a shared store, to be read as those of this computer.
pub(crate) fn open_runs(
    data_dir: &Path,
    runtime: tokio::runtime::Handle,
    url: &str,
) -> Result<Arc<App>, ApiError> {
    let store = open(url)?;
    Ok(loopwright_cluster::open(
        data_dir,
        runtime,
        &store,
        TAKEOVER_AFTER,
        Allow::default(),
    )?)
}

/// Asks something of a run that a worker leads, or takes up for it.
pub(crate) async fn ask(url: &str, run: &str, command: &RunsCommand) -> Result<u8, ApiError> {
    let store = open(url)?;
    let control = match command {
        RunsCommand::Answer {
            at,
            approve,
            value,
            comment,
            ..
        } => Control::Answer {
            path: at.clone(),
            answer: Answer {
                approved: *approve,
                value: value.as_deref().map(input::value).transpose()?,
                comment: comment.clone(),
            },
        },
        RunsCommand::Resume {
            budget_usd,
            budget_tokens,
            ..
        } => Control::Resume {
            usd: *budget_usd,
            tokens: *budget_tokens,
        },
        RunsCommand::Pause { .. } => Control::Pause,
        _ => Control::Stop,
    };
    let (_, state) = store.run(run)?;
    if state.status.is_over() {
        return Err(refused(format!(
            "Run {run} is over. `runs show` prints it."
        )));
    }
    if matches!(control, Control::Answer { .. }) && state.status != RunStatus::Waiting {
        return Err(refused(format!("Run {run} does not wait for an answer.")));
    }
    store.ask(run, &control)?;
    queue(url)?
        .enqueue(&jobs([run.to_owned()]))
        .await
        .map_err(|error| queue_failed(&error))?;
    errln!("A worker acts on it. See it with: loopwright runs --store URL show {run}");
    Ok(status::COMPLETED)
}
