//! Access to a shared store for the command line and the window: its runs, its batches, and the controls for both.

use std::{fs, io::Write, path::Path, sync::Arc};

use loopwright_api::{App, ApprovalPolicy, BatchView, RunStatus, StoreCheck, WorkerView};
use loopwright_engine::journal::{COMPAT, Journal as _, RunHeader};
use loopwright_engine::trust::Grants;
use loopwright_runs::{ApiError, Code, Control, PreparedFlow, Workers, is_asked};
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;

use crate::{
    batches::Batch,
    graphile::GraphileQueue,
    queue::{Job, Queue, QueueError},
    store::{Connection, PgStore},
    submit::{NewBatch, NewRun, run_id},
    worker::TAKEOVER_AFTER,
};

/// The number of runs that are stored and enqueued together.
const CHUNK: usize = 1_000;

/// A connection to a shared store.
pub struct Client {
    app: Arc<App>,
    hands: Arc<Hands>,
}

/// A shared store, with the queue that hands its runs to workers.
struct Hands {
    store: Arc<PgStore>,
    queue: Arc<dyn Queue>,
}

/// A batch to submit.
pub struct Submission<'a> {
    pub name: &'a str,
    pub flow: &'a PreparedFlow,
    /// For each run, its line in the data file, counted from 1, and its inputs by name.
    pub runs: Vec<(u32, Map<String, Value>)>,
    /// The maximum cost of all runs together, in micro-dollars. `None` for no limit.
    pub limit_microusd: Option<u64>,
    pub approve: ApprovalPolicy,
}

impl From<QueueError> for ApiError {
    fn from(error: QueueError) -> Self {
        Self::new(Code::Io, error.to_string())
    }
}

fn refused(message: impl Into<String>) -> ApiError {
    ApiError::new(Code::InvalidArgument, message)
}

/// Creates the tables of a store, or upgrades older ones.
///
/// # Errors
/// Returns an error if the server does not answer, or the database user may not create tables.
pub async fn set_up(url: &str) -> Result<(), ApiError> {
    PgStore::init(&Connection::new(url))?;
    Ok(GraphileQueue::new(url)?.set_up().await?)
}

impl Client {
    /// Connects to a store. The program's own settings are read from `data_dir`.
    ///
    /// # Errors
    /// Returns an error if the store does not answer, has no tables, or has tables of an older version.
    pub fn open(url: &str, data_dir: &Path, runtime: Handle) -> Result<Self, ApiError> {
        let store = Arc::new(PgStore::open(&Connection::new(url))?);
        // Workers execute the runs, so the runs need no access to this computer.
        let may_use = Grants::default();
        let hands = Arc::new(Hands {
            store: Arc::clone(&store),
            queue: Arc::new(GraphileQueue::new(url)?),
        });
        let workers = Some(Arc::clone(&hands) as Arc<dyn Workers>);
        let app = crate::worker::open(data_dir, runtime, &store, TAKEOVER_AFTER, may_use, workers)?;
        Ok(Self { app, hands })
    }

    /// Returns the app for the store's runs. The app reads them as it reads the runs on this computer. It passes
    /// requests to workers.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Returns the size of the store and the list of its workers.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
    pub fn check(&self) -> Result<StoreCheck, ApiError> {
        let size = self.hands.store.size()?;
        let small = |number: i64| u32::try_from(number).unwrap_or(0);
        let workers = self.hands.store.workers()?;
        Ok(StoreCheck {
            runs: clip(size.runs),
            bytes: size.on_disk,
            workers: workers
                .into_iter()
                .map(|worker| WorkerView {
                    places: small(worker.places),
                    runs: small(worker.runs),
                    compat: small(worker.compat),
                    silent_seconds: small(worker.silent_s),
                    name: worker.name,
                })
                .collect(),
        })
    }

    /// Stores the runs of a batch and hands them to workers. Runs that already exist with the same batch name, line and
    /// inputs are unchanged. Returns the number of new runs.
    ///
    /// # Errors
    /// Returns an error if a batch with this name has a different flow or budget, an input is too large, or the store does
    /// not answer.
    pub fn submit(&self, batch: Submission<'_>) -> Result<usize, ApiError> {
        let now = loopwright_runs::now();
        let key = self.hands.store.create_batch(&NewBatch {
            name: batch.name.to_owned(),
            created_at: now,
            flow: batch.flow.name().to_owned(),
            document: batch.flow.document().clone(),
            limit_microusd: batch.limit_microusd,
            microusd_run: batch.flow.microusd_run(),
        })?;
        let (mut added, mut lines) = (0, batch.runs.into_iter());
        loop {
            let chunk: Vec<NewRun> = lines
                .by_ref()
                .take(CHUNK)
                .map(|(line, inputs)| {
                    let line = u64::from(line);
                    let id = run_id(batch.name, line, &Value::Object(inputs.clone()), 0);
                    NewRun {
                        line,
                        header: batch.flow.header(id, inputs, now),
                    }
                })
                .collect();
            if chunk.is_empty() {
                return Ok(added);
            }
            added += self.hands.store.add_runs(key, &chunk, batch.approve)?;
            // Runs that already existed are enqueued too, because an earlier call may have failed before it enqueued them.
            let jobs: Vec<Job> = chunk
                .into_iter()
                .map(|run| Job {
                    run_id: run.header.run_id,
                    compat: COMPAT,
                })
                .collect();
            self.hands.enqueue(jobs)?;
        }
    }

    /// Returns the batches, newest first.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
    pub fn batches(&self) -> Result<Vec<BatchView>, ApiError> {
        Ok(self.hands.store.batches()?.iter().map(view).collect())
    }

    /// Returns a batch by its name.
    ///
    /// # Errors
    /// Returns an error if no batch has this name. The message names existing batches.
    pub fn batch(&self, name: &str) -> Result<BatchView, ApiError> {
        Ok(view(&self.hands.store.batch(name)?))
    }

    /// Requests that all unfinished runs of a batch stop. Returns the number of these runs.
    ///
    /// # Errors
    /// Returns the errors of [`Self::batch`].
    pub fn stop_batch(&self, name: &str) -> Result<usize, ApiError> {
        let jobs = self.hands.store.stop_batch(name)?;
        let count = jobs.len();
        self.hands.enqueue(jobs)?;
        Ok(count)
    }

    /// Runs the failed and stopped runs of a batch again, as new runs with the same inputs. Returns the number of runs handed
    /// to workers.
    ///
    /// # Errors
    /// Returns the errors of [`Self::batch`].
    pub fn retry_failed(&self, name: &str) -> Result<usize, ApiError> {
        let jobs = self
            .hands
            .store
            .retry_failed(name, loopwright_runs::now())?;
        let count = jobs.len();
        self.hands.enqueue(jobs)?;
        Ok(count)
    }

    /// Deletes a batch with all its runs. Returns the number of deleted runs.
    ///
    /// # Errors
    /// Returns the errors of [`Self::batch`].
    pub fn delete_batch(&self, name: &str) -> Result<u64, ApiError> {
        let gone = self.hands.store.delete_batch(name)?;
        self.hands.store.compact()?;
        Ok(gone)
    }

    /// Passes the results of a batch to `write` as lines of JSON, in the order of the inputs. Each result has the line number
    /// of its inputs, the run id, the status, and the outputs or the error.
    ///
    /// # Errors
    /// Returns the errors of [`Self::batch`], and any error that `write` returns.
    pub fn each_output(
        &self,
        name: &str,
        mut write: impl FnMut(&str) -> Result<(), ApiError>,
    ) -> Result<(), ApiError> {
        self.hands.store.batch(name)?;
        let mut after = 0;
        loop {
            let lines = self.hands.store.batch_lines(name, after)?;
            let Some(last) = lines.last() else {
                return Ok(());
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
                write(&Value::Object(object).to_string())?;
            }
        }
    }

    /// Writes the lines of [`Self::each_output`] to a file.
    ///
    /// # Errors
    /// Returns the errors of [`Self::each_output`], and [`Code::Io`] if the file cannot be written.
    pub fn write_outputs(&self, name: &str, path: &str) -> Result<(), ApiError> {
        let failed = |error: std::io::Error| {
            ApiError::new(Code::Io, format!("{path} cannot be written: {error}."))
        };
        let mut file = std::io::BufWriter::new(fs::File::create(path).map_err(failed)?);
        self.each_output(name, |line| writeln!(file, "{line}").map_err(failed))?;
        file.flush().map_err(failed)
    }
}

impl Hands {
    fn enqueue(&self, jobs: Vec<Job>) -> Result<(), ApiError> {
        let queue = Arc::clone(&self.queue);
        self.store
            .block_on(async move { queue.enqueue(&jobs).await })
            .unwrap_or_else(|| Err(QueueError("the store was closed".to_owned())))?;
        Ok(())
    }
}

impl Workers for Hands {
    fn start(&self, header: &RunHeader, approve: ApprovalPolicy) -> Result<(), ApiError> {
        self.store.add_run(header, approve)?;
        self.enqueue(vec![Job {
            run_id: header.run_id.clone(),
            compat: COMPAT,
        }])
    }

    fn hand_over(&self, run_id: &str) -> Result<(), ApiError> {
        self.store.release(run_id, Vec::new(), None)?;
        self.enqueue(vec![Job {
            run_id: run_id.to_owned(),
            compat: COMPAT,
        }])
    }

    fn ask(&self, run_id: &str, control: &Control) -> Result<(), ApiError> {
        let (_, state) = self.store.run(run_id)?;
        let (usd, tokens) = match control {
            Control::Resume { usd, tokens } => (*usd, *tokens),
            _ => (None, None),
        };
        let gets_more = usd.is_some() || tokens.is_some();
        if state.status.is_over() && !(state.over_budget && gets_more) {
            // A request to stop a run that is already over succeeds and does nothing.
            if *control == Control::Stop {
                return Ok(());
            }
            let what = match state.over_budget {
                true => format!(
                    "was stopped because its budget was used up. To continue, raise the budget: `runs resume {run_id} --budget-usd X`."
                ),
                false => "has already ended. Show it with `runs show {run_id}`.".to_owned(),
            };
            return Err(refused(format!("Run {run_id} {what}")));
        }
        if let Control::Answer { path, .. } = control
            && state.status != RunStatus::Waiting
            && !(state.status == RunStatus::Running && is_asked(&*self.store, run_id, path)?)
        {
            return Err(refused(format!(
                "Run {run_id} is not waiting for an answer at `{path}`. Show its steps with `runs show {run_id}`."
            )));
        }
        if usd.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
            return Err(refused("The budget must be 0 dollars or more."));
        }
        let spent = state.budget.unwrap_or_default();
        if usd.is_some_and(|usd| usd * 1e6 < spent.spent_microusd as f64)
            || tokens.is_some_and(|tokens| tokens < spent.spent_tokens)
        {
            return Err(refused(format!(
                "Run {run_id} has already spent more than this budget. Set a larger budget."
            )));
        }
        let Some(job) = self.store.ask(run_id, control)? else {
            return Err(refused(format!(
                "This step of run {run_id} has already been answered. A worker will act on that answer soon."
            )));
        };
        // The request has already been stored. If this job is lost, a worker finds the request within its takeover time.
        if let Err(error) = self.enqueue(vec![job]) {
            tracing::warn!("{error}");
        }
        Ok(())
    }
}

fn clip(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn view(batch: &Batch) -> BatchView {
    let counts = batch.counts;
    BatchView {
        name: batch.name.clone(),
        flow: batch.flow.clone(),
        created_at: batch.created_at,
        stopped: batch.stopped,
        runs: clip(counts.runs),
        queued: clip(counts.queued),
        running: clip(counts.running),
        suspended: clip(counts.suspended),
        completed: clip(counts.completed),
        failed: clip(counts.failed),
        cancelled: clip(counts.cancelled),
        cost_usd: batch.cost_microusd as f64 / 1e6,
        budget_usd: batch.limit_microusd.map(|limit| limit as f64 / 1e6),
    }
}
