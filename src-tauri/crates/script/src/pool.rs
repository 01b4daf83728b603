//! A pool of workers: started on demand, used again, and ended where a script runs for too long or is no longer wanted.

use std::{
    ffi::OsString,
    io::{self, Read as _},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Arc, LazyLock, Mutex, PoisonError, mpsc},
    time::Duration,
};

use serde_json::{Map, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::{
    Failure, Language, Limits, MAX_SOURCE, Outcome, Stop, reading_cache, value,
    wire::{self, Request, Response},
    worker,
};

/// How long a worker may take to start.
const STARTS_WITHIN: Duration = Duration::from_secs(20);
/// Bytes of memory that a worker may hold and still be used again.
const REUSED_BELOW: usize = 160 * 1024 * 1024;
/// Bytes of a response beside the result and the logs: a failure, lengths.
const ENVELOPE: usize = 64 * 1024;
/// Bytes that are kept of what a worker says when it ends.
const LAST_WORDS: u64 = 4096;
/// Stack of a thread that runs a script in this process.
const STACK: usize = 64 * 1024 * 1024;

/// How a worker is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCommand {
    pub program: PathBuf,
    /// Of a `main` that calls [`crate::serve_if_asked`], the first must be `script-worker`.
    pub args: Vec<OsString>,
}

impl WorkerCommand {
    /// This very executable, also where its file was replaced or deleted since.
    ///
    /// # Errors
    /// Where the system does not say which one it is.
    pub fn own() -> io::Result<Self> {
        let program = if cfg!(target_os = "linux") {
            PathBuf::from("/proc/self/exe")
        } else {
            std::env::current_exe()?
        };
        Ok(Self {
            program,
            args: vec![worker::ARGUMENT.into()],
        })
    }
}

/// A script to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub language: Language,
    pub source: String,
    /// Its variables. Where there is no `inputs` among them, that is all of them.
    pub values: Map<String, Value>,
    /// Larger ones than [`Limits::MAX`] are as that.
    pub limits: Limits,
}

/// Runs scripts in workers. Clones are the same pool.
#[derive(Clone)]
pub struct Pool(Arc<Shared>);

struct Shared {
    /// `None`: this executable where it serves, else this process.
    command: Option<WorkerCommand>,
    idle: Mutex<Vec<Worker>>,
    /// Scripts that run at once: more would only share the processors, and each may fill its memory.
    places: Arc<Semaphore>,
}

static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::new(None));

impl Pool {
    /// The pool of this process. Its workers are this executable where its `main` called [`crate::serve_if_asked`]; in others,
    /// such as tests, it runs scripts in this process, where an abort in an interpreter ends all of it.
    pub fn shared() -> Self {
        POOL.clone()
    }

    /// A pool whose workers are started as `command` says.
    pub fn with_command(command: WorkerCommand) -> Self {
        Self::new(Some(command))
    }

    fn new(command: Option<WorkerCommand>) -> Self {
        let places = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self(Arc::new(Shared {
            command,
            idle: Mutex::default(),
            places: Arc::new(Semaphore::new(places)),
        }))
    }

    /// How many scripts could be started now without waiting for another.
    pub fn available(&self) -> usize {
        self.0.places.available_permits()
    }

    /// Runs a script and waits for it. To drop what this returns ends the script. It needs a Tokio runtime with timers.
    pub async fn run(&self, call: Call) -> Outcome {
        let Call {
            language,
            source,
            mut values,
            limits,
        } = call;
        let limits = Limits {
            memory: limits.memory.min(Limits::MAX.memory),
            time: limits.time.min(Limits::MAX.time),
            result: limits.result.min(Limits::MAX.result),
        };
        if source.len() > MAX_SOURCE {
            return Outcome::failed(reading_cache::too_long(&source).into());
        }
        if let Some(failure) = value::too_deep(&values) {
            return Outcome::failed(failure);
        }
        if !values.contains_key("inputs") && source.contains("inputs") {
            let all = values.clone();
            values.insert("inputs".to_owned(), Value::Object(all));
        }
        let Some(place) = self.place().await else {
            return Outcome::failed(Failure::new("cancelled", "The program is ending."));
        };
        let request = Request {
            language,
            source,
            values,
            limits,
        };
        let command = match &self.0.command {
            Some(command) => Ok(command.clone()),
            None if worker::is_available() => WorkerCommand::own(),
            None => return here(request, place).await,
        };
        match command {
            Ok(command) => self.in_worker(&command, &request).await,
            Err(error) => Outcome::failed(unstarted(&error)),
        }
    }

    /// Waits for a place. `None`: the program ends.
    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        let place = Arc::clone(&self.0.places).acquire_owned();
        if self.0.command.is_some() || worker::is_available() {
            return place.await.ok();
        }
        // A script of this process that nobody waits for any more may hold the place for a moment. As in `here`, a runtime whose
        // clock stands still in a test must not take the wait for a pause.
        let runtime = tokio::runtime::Handle::current();
        tokio::task::spawn_blocking(move || runtime.block_on(place))
            .await
            .ok()?
            .ok()
    }

    async fn in_worker(&self, command: &WorkerCommand, request: &Request) -> Outcome {
        let limits = request.limits;
        let message = request.to_bytes();
        if message.len() > limits.memory {
            return Outcome::failed(Failure::memory(limits));
        }
        let message = Arc::new(message);
        loop {
            let idle = self.idle().pop();
            let is_fresh = idle.is_none();
            let worker = match idle {
                Some(worker) => worker,
                None => match Worker::start(command).await {
                    Ok(worker) => worker,
                    Err(error) => return Outcome::failed(unstarted(&error)),
                },
            };
            // The worker itself ends a script in time wherever its interpreter looks at the clock.
            let grace = (limits.time / 4).clamp(Duration::from_millis(25), Duration::from_secs(1));
            let ended = worker.ask(message.clone(), 2 * limits.result + ENVELOPE);
            match tokio::time::timeout(limits.time + grace, ended).await {
                Ok(Ok(response)) => {
                    if response.held < REUSED_BELOW {
                        self.idle().push(worker);
                    }
                    return response.outcome;
                }
                // One that ended while it was idle has not begun with the script.
                Ok(Err(Ended::Idle)) if !is_fresh => {}
                Ok(Err(ended)) => return Outcome::failed(ended.failure(limits)),
                Err(_) => return Outcome::failed(Failure::time(limits)),
            }
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Worker>> {
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

fn unstarted(error: &io::Error) -> Failure {
    Failure::new(
        "script_worker",
        format!("The process that runs scripts could not be started: {error}."),
    )
}

/// Runs a script in this process, on a thread of its own.
async fn here(request: Request, place: OwnedSemaphorePermit) -> Outcome {
    struct StopOnDrop(Stop);
    impl Drop for StopOnDrop {
        fn drop(&mut self) {
            self.0.stop();
        }
    }
    let stop = Stop::default();
    let guard = StopOnDrop(stop.clone());
    let (reply, ended) = oneshot::channel();
    let thread = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            let outcome = crate::run_here(
                request.language,
                &request.source,
                &request.values,
                request.limits,
                &stop,
            );
            drop(place);
            let _ = reply.send(outcome);
        });
    let outcome = match thread {
        // Waited for as work: a runtime whose clock stands still in a test must not take it for a pause.
        Ok(_) => tokio::task::spawn_blocking(move || ended.blocking_recv())
            .await
            .ok()
            .and_then(Result::ok)
            .unwrap_or_else(|| {
                Outcome::failed(Failure::new(
                    "script_failed",
                    "The script broke off. This is a defect of the program.",
                ))
            }),
        Err(error) => Outcome::failed(unstarted(&error)),
    };
    drop(guard);
    outcome
}

/// A worker process, with a thread that talks to it. Dropping it ends the process.
struct Worker {
    jobs: mpsc::Sender<Job>,
    process: Arc<Mutex<Process>>,
}

struct Job {
    message: Arc<Vec<u8>>,
    /// Bytes of the response.
    limit: usize,
    reply: oneshot::Sender<Result<Response, Ended>>,
}

enum Process {
    Starting,
    Runs(Child),
    Unwanted,
}

/// How a worker ended without an answer.
enum Ended {
    /// Before it was given the script.
    Idle,
    /// With what it said last, and how it exited.
    Died(String, String),
}

impl Ended {
    fn failure(self, limits: Limits) -> Failure {
        match self {
            Self::Died(words, _)
                if words.contains("memory allocation of") || words.contains("out of memory") =>
            {
                Failure::memory(limits)
            }
            Self::Died(words, _) if words.contains("overflowed its stack") => Failure::new(
                "script_limit",
                "The script is nested or calls itself too deeply.",
            ),
            Self::Died(words, status) => {
                let last = words.trim().lines().next_back().unwrap_or_default();
                let says = match last {
                    "" => String::new(),
                    last => format!(" Its last words: {last}"),
                };
                Failure::new(
                    "script_limit",
                    format!(
                        "The process that ran the script ended without a result ({status}). If it happens again, let the script do less at once.{says}"
                    ),
                )
            }
            Self::Idle => Failure::new(
                "script_worker",
                "The process that runs scripts ended before the script began.",
            ),
        }
    }
}

fn lock(process: &Mutex<Process>) -> std::sync::MutexGuard<'_, Process> {
    process.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker {
    async fn start(command: &WorkerCommand) -> io::Result<Self> {
        let (jobs, asked) = mpsc::channel();
        let process = Arc::new(Mutex::new(Process::Starting));
        let worker = Self {
            jobs,
            process: process.clone(),
        };
        let (ready, is_ready) = oneshot::channel();
        let command = command.clone();
        // The process ends with the thread that started it, so that it is this thread that does.
        std::thread::Builder::new()
            .name("script worker".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || attend(&command, &process, &asked, ready))?;
        match tokio::time::timeout(STARTS_WITHIN, is_ready).await {
            Ok(Ok(Ok(()))) => Ok(worker),
            Ok(Ok(Err(error))) => Err(error),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    async fn ask(&self, message: Arc<Vec<u8>>, limit: usize) -> Result<Response, Ended> {
        let (reply, answer) = oneshot::channel();
        let job = Job {
            message,
            limit,
            reply,
        };
        self.jobs.send(job).map_err(|_| Ended::Idle)?;
        answer.await.unwrap_or(Err(Ended::Idle))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Process::Runs(mut child) =
            std::mem::replace(&mut *lock(&self.process), Process::Unwanted)
        {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Starts a worker and talks to it until it ends or nobody wants it any more.
fn attend(
    command: &WorkerCommand,
    process: &Mutex<Process>,
    asked: &mpsc::Receiver<Job>,
    ready: oneshot::Sender<io::Result<()>>,
) {
    let started = spawn(command).and_then(|mut child| {
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut process = lock(process);
        match *process {
            Process::Unwanted => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            _ => *process = Process::Runs(child),
        }
        match pipes {
            (Some(stdin), Some(mut stdout), Some(stderr)) => {
                drop(process);
                let mut magic = [0; wire::MAGIC.len()];
                stdout.read_exact(&mut magic)?;
                if magic != *wire::MAGIC {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                Ok((stdin, stdout, stderr))
            }
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    });
    let (mut stdin, mut stdout, stderr) = match started {
        Ok(pipes) => {
            let _ = ready.send(Ok(()));
            pipes
        }
        Err(error) => {
            let _ = ready.send(Err(error));
            return;
        }
    };
    while let Ok(job) = asked.recv() {
        let answer = exchange(&mut stdin, &mut stdout, &job);
        let answer = match answer {
            Ok(response) => Ok(response),
            Err(Exchange::Unsent) => Err(Ended::Idle),
            Err(Exchange::Unanswered) => {
                // Its end is not far where it closed its output; where it did not, it is ended.
                let status = match &mut *lock(process) {
                    Process::Runs(child) => {
                        let _ = child.kill();
                        child
                            .wait()
                            .map_or_else(|error| error.to_string(), |status| status.to_string())
                    }
                    _ => "it was ended".to_owned(),
                };
                let mut words = Vec::new();
                let _ = stderr.take(LAST_WORDS).read_to_end(&mut words);
                let words = String::from_utf8_lossy(&words).into_owned();
                let _ = job.reply.send(Err(Ended::Died(words, status)));
                return;
            }
        };
        let goes_on = answer.is_ok();
        let _ = job.reply.send(answer);
        if !goes_on {
            return;
        }
    }
}

enum Exchange {
    Unsent,
    Unanswered,
}

fn exchange(
    stdin: &mut ChildStdin,
    stdout: &mut ChildStdout,
    job: &Job,
) -> Result<Response, Exchange> {
    wire::send(&mut *stdin, &job.message).map_err(|_| Exchange::Unsent)?;
    match wire::receive(&mut *stdout, job.limit) {
        Ok(Some(message)) => Response::from_bytes(&message).map_err(|_| Exchange::Unanswered),
        Ok(None) | Err(_) => Err(Exchange::Unanswered),
    }
}

fn spawn(command: &WorkerCommand) -> io::Result<Child> {
    let mut process = Command::new(&command.program);
    process
        .args(&command.args)
        .env_clear()
        // The same everywhere, and without looking for files.
        .env("TZ", "UTC0")
        // What is reserved at once would count as used.
        .env("MIMALLOC_ARENA_RESERVE", "16MiB")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        process.arg0("loopwright");
        // Ctrl-C on the terminal is for Loopwright, which then ends its workers itself.
        process.process_group(0);
    }
    process.spawn()
}
