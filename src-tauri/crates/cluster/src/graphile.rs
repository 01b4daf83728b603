//! The queue of [`graphile_worker`], in the same PostgreSQL database as the runs. Its tables are in the schema
//! `loopwright_queue`.

use std::{future::Future, pin::Pin, time::Duration};

use async_trait::async_trait;
use graphile_worker::{
    Database, IntoTaskHandlerResult, JobKeyMode, JobSpec, JobSpecBuilder, RawJobSpec, TaskHandler,
    WorkerContext, WorkerOptions, WorkerRecoveryConfig, WorkerUtils,
    tokio_postgres::TokioPostgresDatabase,
};
use serde::{Deserialize, Serialize};

use crate::queue::{Advance, Job, Queue, QueueError, Serving};

const SCHEMA: &str = "loopwright_queue";
const TASK: &str = "advance";

/// The interval at which the queue is polled for due jobs.
const POLL: Duration = Duration::from_millis(100);

/// The delay after a server failure before the queue takes jobs again.
const AGAIN: Duration = Duration::from_millis(500);

/// The time without a heartbeat after which a worker no longer counts as active.
const HEARD_OF: Duration = Duration::from_secs(60);

/// How long the queue waits for its jobs after it stops taking new ones. The time can be short: a worker that stops
/// waits for its runs itself, and after a server failure the runs continue without the queue.
const GRACE: Duration = Duration::from_secs(1);

/// The number of connections of a worker's queue, in addition to those of the store.
const CONNECTIONS: usize = 6;

/// The payload of a job.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct AdvanceRun {
    run: String,
}

#[derive(Clone)]
struct Handler(Advance);

impl std::fmt::Debug for Handler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Handler")
    }
}

impl TaskHandler for AdvanceRun {
    const IDENTIFIER: &'static str = TASK;

    async fn run(self, context: WorkerContext) -> impl IntoTaskHandlerResult {
        if let Some(Handler(advance)) = context.get_ext::<Handler>().cloned() {
            // The run has a separate task. If the server fails, the queue drops this job, but the task continues the run and
            // then releases it.
            let _ = tokio::spawn(advance(self.run)).await;
        }
        Ok::<(), String>(())
    }
}

/// A queue in a PostgreSQL database.
pub struct GraphileQueue {
    database: Database,
    utils: WorkerUtils,
}

fn failed(error: impl std::fmt::Display) -> QueueError {
    QueueError(error.to_string())
}

fn key(run_id: &str) -> String {
    format!("run:{run_id}")
}

fn flag(compat: u32) -> String {
    format!("compat-{compat}")
}

fn spec(job: &Job) -> JobSpecBuilder {
    JobSpecBuilder::new()
        .job_key(key(&job.run_id))
        .job_key_mode(JobKeyMode::Replace)
        // A job fails only if its worker cannot reach the store, so it is retried until that succeeds.
        .max_attempts(i16::MAX)
        .flags(vec![flag(job.compat)])
}

impl GraphileQueue {
    /// Opens the queue at an address. The connection is made on first use.
    ///
    /// # Errors
    /// Returns an error if the address is invalid.
    pub fn new(url: &str) -> Result<Self, QueueError> {
        let database: Database = TokioPostgresDatabase::from_url(url, CONNECTIONS)
            .map_err(failed)?
            .into();
        let utils = WorkerUtils::new(database.clone(), SCHEMA.to_owned());
        Ok(Self { database, utils })
    }

    /// Creates the queue's tables, or upgrades them.
    ///
    /// # Errors
    /// Returns an error if the server does not answer, or the database user may not create tables.
    pub async fn set_up(&self) -> Result<(), QueueError> {
        self.utils.migrate().await.map_err(failed)
    }
}

#[async_trait]
impl Queue for GraphileQueue {
    async fn enqueue(&self, jobs: &[Job]) -> Result<(), QueueError> {
        let raw: Vec<RawJobSpec> = jobs
            .iter()
            .map(|job| RawJobSpec {
                identifier: TASK.to_owned(),
                payload: serde_json::json!({ "run": job.run_id }),
                spec: spec(job).build(),
            })
            .collect();
        self.utils.add_raw_jobs(&raw).await.map_err(failed)?;
        Ok(())
    }

    async fn later(&self, job: &Job, after: Duration) -> Result<(), QueueError> {
        let spec: JobSpec = spec(job)
            .run_at(std::time::SystemTime::now() + after)
            .build();
        let payload = serde_json::json!({ "run": job.run_id });
        self.utils
            .add_raw_job(TASK, payload, spec)
            .await
            .map_err(failed)?;
        Ok(())
    }

    async fn serve(
        &self,
        serving: Serving,
        advance: Advance,
        mut stop: Pin<Box<dyn Future<Output = ()> + Send>>,
    ) -> Result<(), QueueError> {
        let recovery = WorkerRecoveryConfig {
            heartbeat_interval: serving.threshold / 4,
            sweep_interval: serving.threshold / 4,
            sweep_threshold: serving.threshold,
            recovery_delay: Duration::ZERO,
            enabled: true,
            ..WorkerRecoveryConfig::default()
        };
        loop {
            let (ended, ending) = tokio::sync::oneshot::channel::<()>();
            let options = WorkerOptions::default()
                .schema(SCHEMA.to_owned())
                .database(self.database.clone())
                .concurrency(serving.places)
                .poll_interval(POLL)
                .job_flag_allowlist([flag(serving.compat)])
                .worker_recovery(recovery.clone())
                .listen_os_shutdown_signals(false)
                .shutdown_grace_period(GRACE)
                .shutdown_signal(async move {
                    let _ = ending.await;
                })
                .add_extension(Handler(advance.clone()))
                .define_job::<AdvanceRun>();
            let serve = async {
                let worker = options.init().await.map_err(failed)?;
                worker.run().await.map_err(failed)
            };
            let mut serve = Box::pin(serve);
            tokio::select! {
                done = &mut serve => match done {
                    Ok(()) => {}
                    Err(error) => tracing::warn!("{error}"),
                },
                () = &mut stop => {
                    let _ = ended.send(());
                    // The error is not returned, because a worker must be able to stop while its server is down.
                    if let Err(error) = serve.await {
                        tracing::warn!("{error}");
                    }
                    return Ok(());
                }
            }
            // The server failed. Runs in progress continue, and the queue takes jobs again when the server is back.
            tokio::select! {
                () = tokio::time::sleep(AGAIN) => {}
                () = &mut stop => return Ok(()),
            }
        }
    }

    async fn forget(&self, run_id: &str) -> Result<(), QueueError> {
        self.utils.remove_job(&key(run_id)).await.map_err(failed)
    }

    async fn alive(&self) -> Result<usize, QueueError> {
        Ok(self
            .utils
            .list_active_workers(HEARD_OF)
            .await
            .map_err(failed)?
            .len())
    }
}
