//! A worker process, and a thread that communicates with it.

use std::{
    io::{self, Read as _},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    time::Duration,
};

use crate::{
    Failure, Limits, Unavailable, WorkerCommand,
    wire::{self, GREETING, Response},
};

/// The time limit for starting a worker.
const STARTS_WITHIN: Duration = Duration::from_secs(20);
/// The maximum number of bytes that are read from the error output of a worker that has exited.
const LAST_WORDS: u64 = 4096;

/// A worker process. Dropping this value kills the process.
pub(crate) struct Worker {
    jobs: mpsc::Sender<Job>,
    process: Arc<Mutex<Process>>,
}

struct Job {
    message: Arc<Vec<u8>>,
    /// The maximum size of the response, in bytes.
    limit: usize,
    reply: mpsc::Sender<Result<Response, Ended>>,
}

enum Process {
    Starting,
    Runs(Child),
    Unwanted,
}

/// How a worker exited without an answer.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The worker exited before it received the script.
    Idle,
    /// The worker exited with this error output and this exit status.
    Died(String, String),
}

/// The reason why a worker exited.
pub(crate) enum Death {
    Memory,
    Stack,
    /// The exit status and the error output of the worker, for the error message.
    Other(String, String),
}

impl Ended {
    pub(crate) fn death(self) -> Death {
        match self {
            Self::Died(words, _)
                if words.contains("memory allocation of") || words.contains("out of memory") =>
            {
                Death::Memory
            }
            Self::Died(words, _) if words.contains("overflowed its stack") => Death::Stack,
            Self::Died(words, status) => {
                let last = words.trim().lines().next_back().unwrap_or_default();
                let says = match last {
                    "" => String::new(),
                    last => format!(" The last output of the process: {last}"),
                };
                Death::Other(format!("ended without a result ({status})."), says)
            }
            Self::Idle => {
                Death::Other("ended before the script started.".to_owned(), String::new())
            }
        }
    }

    /// Converts the exit of a worker to the failure of the script that it ran.
    pub(crate) fn failure(self, limits: Limits) -> Failure {
        if matches!(self, Self::Idle) {
            return Failure::new(
                "script_worker",
                "The process that runs scripts ended before the script started.",
            );
        }
        match self.death() {
            Death::Memory => Failure::memory(limits),
            Death::Stack => Failure::new(
                "script_limit",
                "The script is nested too deeply, or calls itself too often. Reduce its nesting, or use a loop instead.",
            ),
            Death::Other(how, says) => Failure::new(
                "script_limit",
                format!(
                    "The process that ran the script {how} If this happens again, make the script process less data at a time.{says}"
                ),
            ),
        }
    }
}

fn lock(process: &Mutex<Process>) -> MutexGuard<'_, Process> {
    process.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker {
    /// Starts a worker and waits until it is ready.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started or has another version.
    pub(crate) fn start(command: &WorkerCommand) -> Result<Self, Unavailable> {
        let unstarted = |error: io::Error| Unavailable::Unstarted(error.to_string());
        let (jobs, asked) = mpsc::channel();
        let process = Arc::new(Mutex::new(Process::Starting));
        let worker = Self {
            jobs,
            process: process.clone(),
        };
        let (ready, is_ready) = mpsc::channel();
        let own = command.clone();
        // A worker is killed when the thread that started it ends. Therefore, the thread that communicates with the worker
        // also starts it.
        std::thread::Builder::new()
            .name("script worker".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || attend(&own, &process, &asked, &ready))
            .map_err(unstarted)?;
        match is_ready.recv_timeout(STARTS_WITHIN) {
            Ok(Ok(())) => Ok(worker),
            Ok(Err(error)) if error.kind() == io::ErrorKind::InvalidData => {
                Err(Unavailable::OtherVersion(command.program.clone()))
            }
            Ok(Err(error)) => {
                let why = error.to_string();
                let why = why.trim().lines().next_back().unwrap_or_default();
                Err(Unavailable::Unstarted(match why {
                    "" => "it ended immediately".to_owned(),
                    why => why.trim_end_matches('.').to_owned(),
                }))
            }
            Err(_) => Err(unstarted(io::ErrorKind::TimedOut.into())),
        }
    }

    /// Sends a request with an answer of at most `limit` bytes. The returned channel receives the answer. If the channel
    /// closes without an answer, the worker had already exited.
    pub(crate) fn ask(
        &self,
        message: Arc<Vec<u8>>,
        limit: usize,
    ) -> mpsc::Receiver<Result<Response, Ended>> {
        let (reply, answer) = mpsc::channel();
        let job = Job {
            message,
            limit,
            reply,
        };
        let _ = self.jobs.send(job);
        answer
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

/// Starts a worker and communicates with it until it exits or is no longer needed.
fn attend(
    command: &WorkerCommand,
    process: &Mutex<Process>,
    asked: &mpsc::Receiver<Job>,
    ready: &mpsc::Sender<io::Result<()>>,
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
                match greeted(&mut stdout) {
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                        Err(io::Error::other(last_words(stderr)))
                    }
                    greeted => greeted.map(|()| (stdin, stdout, stderr)),
                }
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
                // A worker that closed its output is about to exit. Any other worker is killed.
                let status = match &mut *lock(process) {
                    Process::Runs(child) => {
                        let _ = child.kill();
                        child
                            .wait()
                            .map_or_else(|error| error.to_string(), |status| status.to_string())
                    }
                    _ => "it was ended".to_owned(),
                };
                let _ = job.reply.send(Err(Ended::Died(last_words(stderr), status)));
                return;
            }
        };
        let continues = answer.is_ok();
        let _ = job.reply.send(answer);
        if !continues {
            return;
        }
    }
}

/// Returns the last error output of a worker that has exited.
fn last_words(stderr: ChildStderr) -> String {
    let mut words = Vec::new();
    let _ = stderr.take(LAST_WORDS).read_to_end(&mut words);
    String::from_utf8_lossy(&words).into_owned()
}

/// Reads the first line of a worker.
///
/// # Errors
/// Returns `InvalidData` if the line is not [`GREETING`], or another error if the line cannot be read.
fn greeted(stdout: &mut ChildStdout) -> io::Result<()> {
    let mut line = Vec::new();
    // The line is read byte by byte, because the bytes after it belong to the answers.
    while line.last() != Some(&b'\n') && line.len() < 2 * GREETING.len() {
        let mut byte = [0];
        stdout.read_exact(&mut byte)?;
        line.extend(byte);
    }
    if line == GREETING.as_bytes() {
        Ok(())
    } else {
        Err(io::ErrorKind::InvalidData.into())
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
    // The system would search `PATH` for a name without a folder.
    if !command.program.is_absolute() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut process = Command::new(&command.program);
    process
        .args(&command.args)
        .env_clear()
        // A fixed time zone needs no files.
        .env("TZ", "UTC0")
        // If the allocator reserved more, the reserve would count as memory that the script uses.
        .env("MIMALLOC_ARENA_RESERVE", "16MiB")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        // Ctrl-C in the terminal must reach only Loopwright, which then ends its workers itself.
        process.process_group(0);
    }
    process.spawn()
}
