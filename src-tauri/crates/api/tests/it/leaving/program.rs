//! A program of a schedule: an app on its own runtime, which ends as a window, a command or a killed process would.

use std::{
    fs::File,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::FutureExt as _;
use loopwright_api::{Answer, App, ApprovalPolicy, RunStatus};
use loopwright_driver::EventSink;
use loopwright_providers::{Keys, keys::MemoryKeys};
use loopwright_runs as runs;
use loopwright_runs::{ApiError, Code, ResumeOptions, RunOptions, RunOutcome, Settings, paths};
use serde_json::Value;
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinHandle,
};

use super::{flows::QUESTION, watch::Watch};
use crate::server::options;

/// The maximum time for which the window and the commands wait for their runs when they end. See `closing.rs` of the shell.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// The maximum time until the threads of a runtime have ended.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Window,
    /// A program without a window, which ends after its runs: a command, or a program whose window was closed.
    Background,
}

/// The last action of a program before it is killed. The program has written that a run starts or continues, but has
/// not recorded any step yet.
pub enum Last {
    Nothing,
    Start(Value),
    /// The name and the id of a run, and the answer to its question.
    Resume(String, String, Option<bool>),
}

/// Returns a runtime with one worker thread, which executes tasks even while no thread blocks on the runtime.
pub fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

type Task = JoinHandle<Result<RunOutcome, ApiError>>;

pub struct Program {
    pub number: usize,
    pub kind: Kind,
    app: Arc<App>,
    /// The runtime; `None` once the program has ended.
    runtime: Option<Runtime>,
    watch: Arc<Watch>,
    /// The runs that the program started or resumed itself.
    led: Mutex<Vec<Task>>,
    /// The runs that the program follows, with the numbers of the records that it received.
    followed: Vec<(Task, Arc<Mutex<Vec<u32>>>)>,
}

impl Program {
    pub fn open(
        number: usize,
        kind: Kind,
        folder: &Path,
        server: &str,
        watch: &Arc<Watch>,
    ) -> Self {
        let runtime = runtime();
        let keys = Keys::of(MemoryKeys::default());
        let app = App::open_with(folder, runtime.handle().clone(), keys).unwrap();
        app.env().set_settings(Settings {
            provider: "openai".to_owned(),
            // The server knows the program by its address.
            openai_base_url: Some(format!("{server}/{number}/v1")),
            retry_calls: false,
            ..Settings::default()
        });
        Self {
            number,
            kind,
            app,
            runtime: Some(runtime),
            watch: Arc::clone(watch),
            led: Mutex::default(),
            followed: Vec::new(),
        }
    }

    pub fn env(&self) -> &Arc<runs::Env> {
        self.app.env()
    }

    /// Returns the ids of the runs that the program leads.
    pub fn leads(&self) -> Vec<String> {
        runs::running_ids(self.env())
    }

    /// Starts a run of a flow, and returns its id.
    pub fn start(&self, document: Value) -> Result<String, ApiError> {
        let name = document["name"].as_str().unwrap();
        let events = self.watch.sink(name, self.number);
        let started = runs::start_run(
            self.env(),
            RunOptions {
                events,
                ..options(document)
            },
        )?;
        self.led.lock().unwrap().push(started.finished);
        Ok(started.run_id)
    }

    /// Resumes a run, or answers its question with `approved`.
    pub fn resume(&self, name: &str, run_id: &str, approved: Option<bool>) -> Result<(), ApiError> {
        let answer = |approved| Answer {
            approved,
            ..Answer::default()
        };
        let started = runs::resume_run(
            self.env(),
            ResumeOptions {
                run_id: run_id.to_owned(),
                answer: approved.map(|approved| (QUESTION.to_owned(), answer(approved))),
                budget: None,
                approve: ApprovalPolicy::Ask,
                events: self.watch.sink(name, self.number),
            },
        )?;
        self.led.lock().unwrap().push(started.finished);
        Ok(())
    }

    /// Follows a run that any program leads.
    pub fn follow(&mut self, run_id: &str) {
        let numbers: Arc<Mutex<Vec<u32>>> = Arc::default();
        let seen = Arc::clone(&numbers);
        let events: EventSink = Arc::new(move |event| seen.lock().unwrap().push(event.seq));
        let followed = runs::follow_run(self.env(), run_id, 0, events).unwrap();
        self.followed.push((followed.finished, numbers));
    }

    /// Does what a window does when it starts: if `wanted` is true, resumes the runs that were in progress when their
    /// program was asked to end. Returns the names of the flows whose runs continue.
    pub fn continue_left(&self, wanted: bool) -> Vec<String> {
        let flows: Mutex<Vec<String>> = Mutex::default();
        let receiver = |flow: &str| {
            flows.lock().unwrap().push(flow.to_owned());
            self.watch.sink(flow, self.number)
        };
        runs::resume_left_runs(self.env(), wanted, &receiver).unwrap();
        let (watch, number) = (Arc::clone(&self.watch), self.number);
        runs::resume_expired_runs(self.env(), move |flow| watch.sink(flow, number));
        flows.into_inner().unwrap()
    }

    /// Ends as the program does after its window is closed, or after its last run: runs that it still leads are stopped.
    pub fn exit(self) {
        self.block_on(runs::stop_all(self.env(), CLOSE_TIMEOUT));
        self.close();
    }

    /// Ends as the program does when it receives SIGTERM.
    pub fn terminate(self) {
        runs::note_left_runs(self.env());
        self.block_on(runs::detach_all(self.env(), CLOSE_TIMEOUT));
        self.close();
    }

    fn close(mut self) {
        let leads = self.leads();
        if !leads.is_empty() {
            self.watch
                .wrong(format!("program {} still leads {leads:?}", self.number));
        }
        self.env().close();
        self.check_tasks();
        self.shut_down();
    }

    /// Kills the program between two of its writes. With `is_leaving`, it had just noted its runs because it was asked
    /// to end. Returns the id of the run that it was starting; `None` if it was not starting a run.
    ///
    /// The tasks of its runtime are dropped where they wait, so they write nothing more to the store. They also remove
    /// the lock files of their runs, which a killed process does not, so the files are written again, without a lock.
    /// This differs from a killed process in two ways: a write to the store is never cut off, and the locks are
    /// released one by one.
    pub fn kill(mut self, is_leaving: bool, last: Last) -> Option<String> {
        if is_leaving {
            runs::note_left_runs(self.env());
        }
        let mut led = self.leads();
        self.shut_down();
        self.check_tasks();
        // What is started on a runtime that has ended is dropped at once.
        let started = match last {
            Last::Nothing => None,
            Last::Start(document) => Some(self.start(document).unwrap()),
            Last::Resume(name, run_id, answer) => {
                // The run may have been resumed meanwhile.
                let _ = self.resume(&name, &run_id, answer);
                led.push(run_id);
                None
            }
        };
        led.extend(started.clone());
        for run_id in led {
            let file = paths::running(self.env().data_dir()).join(run_id);
            let mut options = File::options();
            options.create(true).truncate(false).write(true);
            options.open(file).unwrap();
        }
        started
    }

    fn shut_down(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        }
        self.watch.has_ended(self.number);
    }

    fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.as_ref().unwrap().block_on(work)
    }

    /// Checks the tasks that have ended. A run ends, is suspended or is detached; nothing else may end its task.
    fn check_tasks(&mut self) {
        let number = self.number;
        for led in self.led.get_mut().unwrap().drain(..) {
            match led.now_or_never() {
                None | Some(Ok(Ok(_))) => {}
                Some(Ok(Err(error))) if error.code == Code::Busy => {}
                Some(Err(error)) if error.is_cancelled() => {}
                Some(ended) => self.watch.wrong(format!(
                    "a run ended unexpectedly in program {number}: {ended:?}"
                )),
            }
        }
        for (followed, numbers) in self.followed.drain(..) {
            match followed.now_or_never() {
                None => {}
                Some(Ok(Ok(outcome))) if outcome.status != RunStatus::Running => {}
                Some(Err(error)) if error.is_cancelled() => {}
                Some(ended) => self.watch.wrong(format!(
                    "program {number} could not follow a run: {ended:?}"
                )),
            }
            let numbers = numbers.lock().unwrap();
            if !numbers.is_sorted_by(|one, next| one < next) {
                let what = format!("program {number} received records twice: {numbers:?}");
                self.watch.wrong(what);
            }
        }
    }
}
