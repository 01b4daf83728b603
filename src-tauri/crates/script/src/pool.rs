//! A pool of workers. Workers are started on demand and reused. A worker is killed if its script runs too long or is no longer
//! needed.

use std::{
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, mpsc::RecvTimeoutError},
    time::Duration,
};

use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    Call, Failure, Limits, MAX_SOURCE, Outcome, Unavailable, WorkerCommand,
    limits::{too_deep, too_long},
    program,
    wire::{Answer, Request, Response},
    worker::{Ended, Worker},
};

/// A worker is reused only if it needs less memory than this, in bytes.
const REUSED_BELOW: usize = 160 * 1024 * 1024;
/// The maximum size in bytes of the parts of a response other than the result and the logs, such as a failure message.
const ENVELOPE: usize = 64 * 1024;
/// The time limit for reading a script. Reading takes milliseconds, but a computer may be busy.
const READS_WITHIN: Duration = Duration::from_secs(20);
/// The maximum size in bytes of the answer to a request to read a script. In the worst case, each character of the script is
/// a name, which is returned with its places.
const MOST_READ: usize = 64 * 1024 * 1024;

/// A pool of workers that run scripts. All clones share the same workers.
#[derive(Clone)]
pub struct Pool(Arc<Shared>);

struct Shared {
    /// The command that starts a worker, or `None` for the `loopwright-scripts` that belongs to this program.
    command: Option<WorkerCommand>,
    idle: Mutex<Vec<Worker>>,
    /// Limits the number of scripts that run at once. More scripts would only share the CPU cores, and each script may use
    /// memory up to its limit.
    places: Arc<Semaphore>,
    /// The maximum number of idle workers: one for each script that runs at once, and one for reading.
    most_idle: usize,
    /// A lock that is held while a script is read, so that only one script is read at a time.
    reading: Mutex<()>,
}

static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::new(None));

/// The reason why a worker did not answer.
pub(crate) enum Unanswered {
    Unavailable(Unavailable),
    Ended(Ended),
    Time,
}

impl Pool {
    /// Returns the pool that this process shares. Its workers run the `loopwright-scripts` next to this program.
    pub fn shared() -> Self {
        POOL.clone()
    }

    /// Creates a pool whose workers are started with `command`.
    pub fn with_command(command: WorkerCommand) -> Self {
        Self::new(Some(command))
    }

    fn new(command: Option<WorkerCommand>) -> Self {
        let places = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self(Arc::new(Shared {
            command,
            idle: Mutex::default(),
            places: Arc::new(Semaphore::new(places)),
            most_idle: places + 1,
            reading: Mutex::default(),
        }))
    }

    /// Checks, without starting a worker, whether workers can be started.
    ///
    /// # Errors
    /// Returns the reason why workers cannot be started.
    pub fn check(&self) -> Result<(), Unavailable> {
        match self.0.command {
            Some(_) => Ok(()),
            None => program::find().map(|_| ()),
        }
    }

    /// Returns the number of scripts that could start now without waiting for another one to finish.
    pub fn available(&self) -> usize {
        self.0.places.available_permits()
    }

    /// Runs a script and returns its outcome. If the workers' program is being built, waits for the build first. Dropping the
    /// future stops the script. Needs a Tokio runtime with timers.
    pub async fn run(&self, call: Call) -> Outcome {
        let mut call = call;
        let limits = Limits {
            memory: call.limits.memory.min(Limits::MAX.memory),
            time: call.limits.time.min(Limits::MAX.time),
            result: call.limits.result.min(Limits::MAX.result),
        };
        call.limits = limits;
        if call.source.len() > MAX_SOURCE {
            return Outcome::failed(too_long(&call.source).into());
        }
        if let Some(failure) = too_deep(&call.values) {
            return Outcome::failed(failure);
        }
        if !call.values.contains_key("inputs") && call.source.contains("inputs") {
            let all = call.values.clone();
            call.values.insert("inputs".to_owned(), Value::Object(all));
        }
        let Some(_place) = self.place().await else {
            return Outcome::failed(ending());
        };
        let message = Request::Run(call).to_bytes();
        if message.len() > limits.memory {
            return Outcome::failed(Failure::memory(limits));
        }
        self.in_worker(Arc::new(message), limits).await
    }

    /// Waits until a script may run, and returns the permit to run it. Returns `None` if the program is exiting.
    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        let places = Arc::clone(&self.0.places);
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            return Some(place);
        }
        // The wait is a blocking task, so that a test runtime with a paused clock does not advance that clock.
        let runtime = tokio::runtime::Handle::current();
        let place = places.acquire_owned();
        tokio::task::spawn_blocking(move || runtime.block_on(place))
            .await
            .ok()?
            .ok()
    }

    async fn in_worker(&self, message: Arc<Vec<u8>>, limits: Limits) -> Outcome {
        // A worker's interpreter checks the clock and normally stops a script in time. The pool waits a little longer
        // before it kills the worker.
        let grace = (limits.time / 4).clamp(Duration::from_millis(25), Duration::from_secs(1));
        loop {
            let idle = self.idle().pop();
            let is_fresh = idle.is_none();
            let worker = match idle {
                Some(worker) => worker,
                None => match self.start().await {
                    Ok(worker) => worker,
                    Err(failure) => return Outcome::failed(failure),
                },
            };
            let answer = worker.ask(message.clone(), 2 * limits.result + ENVELOPE);
            // Waits on a thread with the system's clock, for the same reason as in `place`.
            let waited =
                tokio::task::spawn_blocking(move || answer.recv_timeout(limits.time + grace));
            let failure = match waited.await {
                Ok(Ok(Ok(Response {
                    answer: Answer::Ran(outcome),
                    held,
                }))) => {
                    self.give_back(worker, held);
                    return outcome;
                }
                // A worker that exited while it was idle has not started the script, so another worker runs it.
                Ok(Ok(Err(Ended::Idle)) | Err(RecvTimeoutError::Disconnected)) if !is_fresh => {
                    continue;
                }
                Ok(Ok(Err(ended))) => ended.failure(limits),
                Ok(Err(RecvTimeoutError::Timeout)) => Failure::time(limits),
                // The worker sent no answer, or the answer to another kind of request.
                Ok(Ok(Ok(_)) | Err(RecvTimeoutError::Disconnected)) => Ended::Idle.failure(limits),
                Err(_) => ending(),
            };
            return Outcome::failed(failure);
        }
    }

    async fn start(&self) -> Result<Worker, Failure> {
        let command = match &self.0.command {
            Some(command) => command.clone(),
            None => {
                program::until_built().await;
                WorkerCommand::of(program::find()?)
            }
        };
        let started = tokio::task::spawn_blocking(move || Worker::start(&command));
        Ok(started.await.map_err(|_| ending())??)
    }

    /// Asks a worker to read a script, and waits for the answer on the calling thread.
    ///
    /// # Errors
    /// Returns an error if no worker can be started, or if the worker does not answer.
    pub(crate) fn ask_to_read(&self, request: &Request) -> Result<Answer, Unanswered> {
        let _turn = self
            .0
            .reading
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let message = Arc::new(request.to_bytes());
        loop {
            let idle = self.idle().pop();
            let is_fresh = idle.is_none();
            let worker = match idle {
                Some(worker) => worker,
                None => self.start_now().map_err(Unanswered::Unavailable)?,
            };
            let answer = worker.ask(message.clone(), MOST_READ);
            match answer.recv_timeout(READS_WITHIN) {
                Ok(Ok(Response { answer, held })) => {
                    self.give_back(worker, held);
                    return Ok(answer);
                }
                Ok(Err(Ended::Idle)) | Err(RecvTimeoutError::Disconnected) if !is_fresh => {}
                Ok(Err(ended)) => return Err(Unanswered::Ended(ended)),
                Err(RecvTimeoutError::Disconnected) => return Err(Unanswered::Ended(Ended::Idle)),
                Err(RecvTimeoutError::Timeout) => return Err(Unanswered::Time),
            }
        }
    }

    fn start_now(&self) -> Result<Worker, Unavailable> {
        match &self.0.command {
            Some(command) => Worker::start(command),
            None => Worker::start(&WorkerCommand::of(program::find_for_reading()?)),
        }
    }

    /// Keeps a worker for the next script, unless it uses too much memory (`held`, in bytes) or enough workers are idle.
    fn give_back(&self, worker: Worker, held: usize) {
        let mut idle = self.idle();
        if held < REUSED_BELOW && idle.len() < self.0.most_idle {
            idle.push(worker);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.0.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool")
            .field("command", &self.0.command)
            .field("idle", &self.idle().len())
            .finish_non_exhaustive()
    }
}

fn ending() -> Failure {
    Failure::new("cancelled", "Loopwright is exiting.")
}
