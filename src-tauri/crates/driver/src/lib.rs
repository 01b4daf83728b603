//! The driver: executes the commands of a run's session on tokio. A run reaches the clock, the journal and the outside world
//! only through the driver.
//!
//! Architecture Invariant: the driver decides nothing about a run, except how many records it writes together and how many
//! inputs it processes together.

mod asleep;
mod pausing;
mod timers;

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, AtomicU32, Ordering},
    },
    task::Poll,
    thread,
    time::Duration,
};

use futures::{
    StreamExt as _,
    future::{BoxFuture, FutureExt as _},
    stream::FuturesUnordered,
};
use loopwright_engine::{
    ApprovalPolicy, CancellationToken, Event, EventBody, NodeError, Outcome, RunStatus,
    event::{project, timestamp},
    host::{Services, Streamed, TokenSink},
    journal::{Entry, Input, Journal, JournalError, Record, RunParked, RunState, Select},
    plan::Plan,
    run::Plans,
    session::{
        Begun, Command, Ended, Execution, Progress, Recorded, Resumption, Session, SessionInput,
        Timer, World,
    },
    trust::Note,
};
use loopwright_model::meter;
use serde_json::{Map, Value};

pub use asleep::{ActivitySink, SleepMeter};
pub use pausing::{AnswerReceipt, PauseSwitch};
use timers::Timers;

/// The number of records at which a batch is written if nothing forces an earlier write.
const MAX_BATCH: usize = 256;

/// The maximum number of finished executions whose results are written together. A higher number would save little, and would
/// delay the nodes that follow the first of these executions.
const MAX_TOGETHER: usize = 8;

/// The maximum time that a note of a running node waits to be written together with another record. The intent of the node is
/// already on disk, so the note is not urgent.
const NOTES: Duration = Duration::from_millis(5);

/// The number of inputs after which the driver polls the timers and the user's requests again.
const MAX_STEPS: usize = 256;
/// The amount of work on inputs after which the driver polls the timers and the user's requests again.
const MAX_WORK: u64 = 20_000 * meter::STEP;

/// A clock that returns the time in milliseconds since the Unix epoch. The host provides it, so that tests can simulate a run's
/// time.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// A function that receives the events of a run in order, as they happen. The driver calls it from its own task, so it must not
/// block.
pub type EventSink = Arc<dyn Fn(&Event) + Send + Sync>;

/// Recorded results of node executions. A node whose execution has a recorded result is not executed.
pub trait Answers: Send + Sync {
    /// Returns the recorded result of this execution, or `None` if the node must be executed.
    fn answer(&self, execution: &Execution) -> Option<Result<Outcome, NodeError>>;

    /// Returns whether the pauses of the run are skipped. A run whose results are all recorded calls no other program, so it
    /// needs no pauses.
    fn skips_pauses(&self) -> bool {
        false
    }
}

/// The services and settings that a run needs from its host.
#[derive(Clone)]
pub struct Host {
    pub services: Services,
    pub journal: Arc<dyn Journal>,
    pub clock: Clock,
    /// The receiver of events. If it is `None`, the driver creates no events.
    pub events: Option<EventSink>,
    /// The token that cancels the run. The run then ends as `cancelled`.
    pub cancel: CancellationToken,
    /// The switch that pauses the run. The run is then suspended as `paused`.
    pub pause: PauseSwitch,
    pub approve: ApprovalPolicy,
    /// The time that a person has to answer a question about a tool call. When it is over, the call is refused. `None` if such
    /// a question waits forever.
    pub time_to_allow: Option<Duration>,
    /// The source of recorded results for executions; `None` if every node is executed.
    pub answers: Option<Arc<dyn Answers>>,
    /// The maximum wait for a timer during which the run stays in memory. A run that waits only for timers that fire later is
    /// suspended. If the value is `None`, the run is never suspended for a timer.
    pub lets_sleep: Option<Duration>,
    /// The meter of the computer's sleep, or `None` if sleep is not detected. `clock` must not advance during sleep that the
    /// meter reports.
    pub sleep: Option<Arc<dyn SleepMeter>>,
    /// The function to call when the run becomes active, and when it starts to only wait; `None` if nobody needs to know.
    pub activity: Option<ActivitySink>,
}

impl Host {
    fn world(&self) -> World {
        World {
            services: self.services.clone(),
            approve: self.approve,
            time_to_allow_ms: self
                .time_to_allow
                .map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        }
    }
}

/// How a run ended, or the state in which it was suspended: `waiting` if a person must answer before anything can continue,
/// `paused` if a person paused it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    pub status: RunStatus,
    pub state: RunState,
    /// The time after which the suspended run must be resumed. `None` unless the run waits only for a timer.
    pub wakes_in: Option<Duration>,
}

/// The reason why a run could not be resumed.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Refused(#[from] NodeError),
}

/// Runs `plan` until the run ends or is suspended. The run must already exist in the journal.
///
/// # Errors
/// Returns an error if the journal cannot be written. The run then stops at once. Only nodes whose start is in the journal can
/// have had an effect.
pub async fn drive(
    plan: Arc<Plan>,
    run_id: &str,
    inputs: Map<String, Value>,
    host: &Host,
) -> Result<Finished, JournalError> {
    drive_with(plan, run_id, inputs, Vec::new(), host).await
}

/// Runs `plan` like [`drive`], and records notes about what was approved for the run. The notes are on disk before any node
/// affects the outside world.
///
/// # Errors
/// Returns the errors of [`drive`].
pub async fn drive_with(
    plan: Arc<Plan>,
    run_id: &str,
    inputs: Map<String, Value>,
    notes: Vec<Note>,
    host: &Host,
) -> Result<Finished, JournalError> {
    let mut commands = Vec::new();
    let wall = (host.clock)();
    let session = Session::start(
        Arc::clone(&plan),
        run_id,
        inputs,
        host.world(),
        notes,
        wall,
        &mut commands,
    );
    let mut driver = Driver::new(session, plan, run_id, host);
    driver.perform(&mut commands)?;
    driver.tell_ready()?;
    driver.drive().await
}

/// Resumes a run where its journal ends. No recorded execution is repeated. `how` contains what a person adds, such as an
/// answer to a waiting node execution.
///
/// # Errors
/// `journal_diverged` if the flow no longer produces the recorded records; `not_waiting` if nothing waits at the answer's path;
/// [`ResumeError::Journal`] if the journal cannot be read or written.
pub async fn resume(
    plans: impl Into<Plans>,
    run_id: &str,
    inputs: Map<String, Value>,
    how: Resumption,
    host: &Host,
) -> Result<Finished, ResumeError> {
    let (plans, mut commands) = (plans.into(), Vec::new());
    let records = host.journal.read(run_id, Select::All)?;
    let recorded = Recorded {
        plans: &plans,
        run_id,
        inputs,
        records: &records,
    };
    let wall = (host.clock)();
    let session = Session::resume(recorded, how, host.world(), wall, &mut commands)?;
    drop(records);
    let mut driver = Driver::new(session, Arc::clone(plans.last()), run_id, host);
    driver.perform(&mut commands)?;
    driver.tell_ready()?;
    // The records are written before the run's row, because the row must never be ahead of them. The new row shows other
    // programs at once that the run continues.
    driver.flush()?;
    host.journal.set_state(run_id, &driver.session.state())?;
    Ok(driver.drive().await?)
}

/// Ends a suspended run as stopped. No node is started.
///
/// # Errors
/// `journal_diverged` if the flow no longer produces the recorded records; [`ResumeError::Journal`] if the journal cannot be
/// read or written.
pub fn end(
    plans: &Plans,
    run_id: &str,
    inputs: Map<String, Value>,
    host: &Host,
) -> Result<Finished, ResumeError> {
    let mut commands = Vec::new();
    let records = host.journal.read(run_id, Select::All)?;
    let recorded = Recorded {
        plans,
        run_id,
        inputs,
        records: &records,
    };
    let session = Session::end(recorded, host.world(), (host.clock)(), &mut commands)?;
    let mut driver = Driver::new(session, Arc::clone(plans.last()), run_id, host);
    driver.perform(&mut commands)?;
    if let Progress::Over(_) = driver.session.progress() {
        return Ok(driver.close()?);
    }
    // The driver must first close the resources, which is asynchronous. This function is synchronous, and its caller may be a
    // task of a runtime, where blocking on a future would panic. So the driver runs on a separate thread.
    let closed = thread::scope(|scope| scope.spawn(|| block_on(driver.drive())).join());
    let closed = closed.map_err(|_| "the resources of the run could not be closed".to_owned());
    Ok(closed
        .and_then(|closed| closed)
        .map_err(JournalError::Write)??)
}

/// Runs a future to completion on this thread. Fails if no runtime can be created.
fn block_on<T>(future: impl Future<Output = T>) -> Result<T, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("the resources of the run cannot be closed: {error}"))?;
    Ok(runtime.block_on(future))
}

struct Driver<'a> {
    session: Session,
    plan: Arc<Plan>,
    run_id: String,
    host: &'a Host,
    batch: Vec<Record>,
    under_way: FuturesUnordered<BoxFuture<'static, Ended>>,
    /// Executions to start once their intents are on disk. The lock is never contended; it only makes the driver `Sync`.
    begun: Mutex<Vec<BoxFuture<'static, Ended>>>,
    /// Inputs that have not been passed to the session yet, such as the results of pure nodes.
    ready: VecDeque<SessionInput>,
    timers: Timers,
    /// The timers for the time limits of attempts.
    attempts: Timers,
    /// The quota that the run waits for according to its row in the journal; `None` if the row names no quota.
    parked: Option<RunParked>,
    /// The sequence number of the last published record.
    published: Arc<AtomicU32>,
    /// The total time that the computer slept, in milliseconds. The wall clock is ahead of the host's clock by this amount.
    slept_ms: Arc<AtomicI64>,
    /// The value that the activity sink received last; `None` before the first call.
    is_active: Option<bool>,
}

impl<'a> Driver<'a> {
    fn new(session: Session, plan: Arc<Plan>, run_id: &str, host: &'a Host) -> Self {
        Self {
            session,
            plan,
            run_id: run_id.to_owned(),
            host,
            batch: Vec::new(),
            under_way: FuturesUnordered::new(),
            begun: Mutex::default(),
            ready: VecDeque::new(),
            timers: Timers::default(),
            attempts: Timers::default(),
            parked: None,
            published: Arc::default(),
            slept_ms: Arc::default(),
            is_active: None,
        }
    }

    async fn drive(mut self) -> Result<Finished, JournalError> {
        let cancel = self.host.cancel.clone();
        let mut changes = self.host.pause.changes();
        let (mut is_paused, mut is_cancelled) = (false, false);
        let mut looks = asleep::looks();
        loop {
            let may_end = self.ready.is_empty()
                && (is_cancelled || !cancel.is_cancelled())
                && !self.host.pause.has_answers();
            match self.session.progress() {
                Progress::Over(_) => break,
                // If a person stops a run or answers while the run is being suspended, the run must end or continue.
                Progress::Suspended(_) if may_end => break,
                Progress::Stuck if may_end => {
                    // A run that waits for nothing should be over, so this is a defect of this program. An error is better
                    // than waiting forever.
                    return Err(JournalError::Write(
                        "the run has not ended, but it is not waiting for anything. This is a bug in Loopwright"
                            .to_owned(),
                    ));
                }
                _ => {}
            }
            // The poll below lets running nodes affect the outside world, so the intents of all started executions must already
            // be on disk.
            if !self.has_only_notes() {
                self.flush()?;
            }
            self.store_parked()?;
            if may_end && let Some(wakes_in) = self.sleeps_for() {
                let finished = self.close()?;
                return Ok(Finished {
                    wakes_in: Some(wakes_in),
                    ..finished
                });
            }
            // Once the run is stopped, the driver only closes the run's resources.
            if is_cancelled || !cancel.is_cancelled() {
                self.set_off().await;
            }
            self.tell_activity();
            let answers = self.host.answers.as_ref();
            let skips = answers.is_some_and(|answers| answers.skips_pauses())
                && self.ready.is_empty()
                && self.under_way.is_empty();
            tokio::select! {
                biased;
                () = cancel.cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    self.ready.push_front(SessionInput::Cancel);
                    self.tell_ready()?;
                }
                Ok(()) = changes.changed() => {
                    let requests = self.host.pause.take();
                    for path in requests.again {
                        self.tell(SessionInput::AskAgain(path))?;
                    }
                    if requests.tries {
                        self.tell(SessionInput::TryNow)?;
                    }
                    for answer in requests.answers {
                        self.tell(SessionInput::Answer(answer))?;
                    }
                    if requests.is_paused != is_paused {
                        is_paused = requests.is_paused;
                        self.tell(if is_paused { SessionInput::Pause } else { SessionInput::Continue })?;
                    }
                }
                Some(said) = self.session.next_message() => self.tell(SessionInput::Message(said))?,
                timer = self.timers.next(skips) => self.tell(SessionInput::Fired(timer))?,
                Some(ended) = self.under_way.next(), if !self.under_way.is_empty() => {
                    for ended in self.with_others(ended) {
                        self.tell(SessionInput::Ended(ended))?;
                    }
                }
                timer = self.attempts.next(false) => self.tell(SessionInput::Fired(timer))?,
                () = async { tokio::time::sleep(NOTES).await }, if !self.batch.is_empty() => self.flush()?,
                _ = looks.tick(), if self.host.sleep.is_some() => self.tell_ready()?,
                () = std::future::ready(()), if !self.ready.is_empty() => {
                    self.tell_ready()?;
                    // The runtime's timers can fire only while this task has yielded.
                    tokio::task::yield_now().await;
                }
            }
        }
        self.close()
    }

    /// Updates the run's row if it does not name the quota that the run waits for. Lists of runs then show the wait.
    fn store_parked(&mut self) -> Result<(), JournalError> {
        let parked = self.session.parked();
        if parked == self.parked {
            return Ok(());
        }
        // The row must not be ahead of the records.
        self.flush()?;
        self.parked = parked;
        self.host
            .journal
            .set_state(&self.run_id, &self.session.state())
    }

    /// Returns the time until the next timer if the run is idle and may be suspended until then, otherwise `None`.
    fn sleeps_for(&mut self) -> Option<Duration> {
        let least = self.host.lets_sleep?;
        let is_idle = self.under_way.is_empty() && self.begun().is_empty();
        // A wait for a quota may be longer than its timer, which checks the clock in between.
        let timer = self
            .timers
            .until_next(|timer| !matches!(timer, Timer::Quota(_)));
        let quota = self.session.quota_left(self.wall());
        let quota = quota.map(Duration::from_millis);
        let wait = timer.into_iter().chain(quota).min()?;
        (is_idle && wait > least && self.session.sleeps()).then_some(wait)
    }

    /// Returns the wall-clock time in milliseconds since the Unix epoch.
    fn wall(&self) -> i64 {
        (self.host.clock)().saturating_add(self.slept_ms.load(Ordering::Relaxed))
    }

    /// Informs the session if the computer has slept.
    fn look_at_sleep(&mut self) -> Result<(), JournalError> {
        let meter = self.host.sleep.as_ref();
        let Some(slept) = meter.and_then(|meter| meter.slept()) else {
            return Ok(());
        };
        let ms = i64::try_from(slept.ms).unwrap_or(i64::MAX);
        self.slept_ms.fetch_add(ms, Ordering::Relaxed);
        let mut commands = Vec::new();
        self.session
            .step(self.wall(), SessionInput::Slept(slept), &mut commands);
        self.perform(&mut commands)
    }

    /// Informs the host when the run becomes active or starts to only wait.
    fn tell_activity(&mut self) {
        let Some(sink) = &self.host.activity else {
            return;
        };
        // The timer of a quota checks the clock every minute, so the end of the wait is used instead.
        let quota = self.session.parked().map(|parked| {
            let left = parked.until.saturating_sub(self.wall());
            Duration::from_millis(u64::try_from(left).unwrap_or(0))
        });
        let next = |timers: &Timers| {
            timers.until_next(|timer| !matches!(timer, Timer::Quota(_) | Timer::Question(_)))
        };
        let waits = self.ready.is_empty()
            && self.under_way.is_empty()
            && [next(&self.timers), next(&self.attempts), quota]
                .into_iter()
                .flatten()
                .all(|wait| wait > asleep::LONG_WAIT);
        if self.is_active != Some(!waits) {
            self.is_active = Some(!waits);
            sink(!waits);
        }
    }

    /// Passes the ready inputs to the session, a limited number at a time, so that time limits and the user's requests are
    /// processed promptly even after a long sequence of pure nodes.
    fn tell_ready(&mut self) -> Result<(), JournalError> {
        self.look_at_sleep()?;
        let (began, mut commands) = (meter::work(), Vec::new());
        for _ in 0..MAX_STEPS {
            if meter::work() - began > MAX_WORK {
                break;
            }
            let Some(told) = self.ready.pop_front() else {
                break;
            };
            self.session.step(self.wall(), told, &mut commands);
            self.perform(&mut commands)?;
        }
        Ok(())
    }

    fn tell(&mut self, told: SessionInput) -> Result<(), JournalError> {
        self.ready.push_back(told);
        self.tell_ready()
    }

    fn perform(&mut self, commands: &mut Vec<Command>) -> Result<(), JournalError> {
        for command in commands.drain(..) {
            match command {
                Command::Write(record) => {
                    self.batch.push(record);
                    if self.batch.len() >= MAX_BATCH {
                        self.flush()?;
                    }
                }
                Command::Execute(execution) => self.begin(execution),
                Command::PermitCall(permit) => {
                    self.flush()?;
                    permit.give();
                }
                Command::ConfirmAnswer(accepted) => {
                    self.flush()?;
                    accepted.confirm();
                }
                Command::UseResource(work) => self.begun().push(work),
                Command::Start { timer, after_ms } => self.timers(timer).start(timer, after_ms),
                Command::Stop { timer } => self.timers(timer).stop(timer),
                Command::Hasten { timer, by_ms } => self.timers(timer).hasten(timer, by_ms),
            }
        }
        Ok(())
    }

    fn timers(&mut self, timer: Timer) -> &mut Timers {
        match timer {
            Timer::Attempt(_) => &mut self.attempts,
            Timer::Deadline
            | Timer::Flow(_)
            | Timer::Retry(_)
            | Timer::Quota(_)
            | Timer::Question(_) => &mut self.timers,
        }
    }

    fn begin(&mut self, mut execution: Box<Execution>) {
        let known = self.host.answers.as_ref();
        if let Some(result) = known.and_then(|answers| answers.answer(&execution)) {
            self.ready
                .push_back(SessionInput::Ended(execution.answered(result)));
            return;
        }
        if execution.touches_the_world() {
            execution.context.tokens = self.tokens(&execution);
        }
        match execution.begin() {
            Begun::Ended(ended) => self.ready.push_back(SessionInput::Ended(ended)),
            Begun::UnderWay(future) => self.begun().push(future),
        }
    }

    fn begun(&mut self) -> &mut Vec<BoxFuture<'static, Ended>> {
        self.begun.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the batch contains only notes, on which nothing depends.
    fn has_only_notes(&self) -> bool {
        let is_note = |record: &Record| matches!(record.entry, Entry::Input(Input::Noted { .. }));
        self.batch.iter().all(is_note)
    }

    /// Polls each started execution once, so that its call is sent before the results that have already arrived are processed.
    async fn set_off(&mut self) {
        if self.begun().is_empty() {
            return;
        }
        std::future::poll_fn(|context| {
            for mut future in std::mem::take(self.begun()) {
                self.under_way.push(match future.poll_unpin(context) {
                    Poll::Ready(ended) => std::future::ready(ended).boxed(),
                    Poll::Pending => future,
                });
            }
            Poll::Ready(())
        })
        .await;
        // The connection's own task sends the request. That task must run before the next write blocks this thread.
        tokio::task::yield_now().await;
    }

    /// Returns `first` and the other executions that have ended by now, in order and at most [`MAX_TOGETHER`]. Their results,
    /// and the inputs that follow from them, are written together.
    fn with_others(&mut self, first: Ended) -> Vec<Ended> {
        let mut all = vec![first];
        // No execution is started in this loop, and the intents of all executions that were started earlier are on disk.
        while all.len() < MAX_TOGETHER
            && let Some(Some(ended)) = self.under_way.next().now_or_never()
        {
            all.push(ended);
        }
        all
    }

    fn tokens(&self, execution: &Execution) -> TokenSink {
        let Some(events) = self.host.events.clone() else {
            return TokenSink::default();
        };
        let (clock, slept_ms) = (Arc::clone(&self.host.clock), Arc::clone(&self.slept_ms));
        let run_id = self.run_id.clone();
        let (plan, node) = (Arc::clone(&self.plan), execution.node);
        let path = execution.context.path.clone();
        let published = Arc::clone(&self.published);
        TokenSink::of_all(move |said| {
            events(&Event {
                run_id: run_id.clone(),
                // A streaming event is not a record, so it carries the number of the last published record.
                seq: published.load(Ordering::Relaxed),
                at: timestamp(clock().saturating_add(slept_ms.load(Ordering::Relaxed))),
                node_id: Some(plan.nodes[node].id.to_string()),
                path: path.clone(),
                body: match said {
                    Streamed::Tokens(tokens) => EventBody::NodeStreaming {
                        tokens: tokens.to_owned(),
                    },
                    Streamed::Silence { for_ms, limit_ms } => {
                        EventBody::NodeSilent { for_ms, limit_ms }
                    }
                    Streamed::Working(progress) => EventBody::activity(progress, false),
                },
            });
        })
    }

    /// Writes the batch to the journal, and then publishes its records as events.
    fn flush(&mut self) -> Result<(), JournalError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.host.journal.append(&self.run_id, &self.batch)?;
        if let Some(events) = &self.host.events {
            let projected = |record| project(&self.run_id, record);
            for event in self.batch.iter().filter_map(projected) {
                self.published.store(event.seq, Ordering::Relaxed);
                events(&event);
            }
        }
        self.batch.clear();
        Ok(())
    }

    fn close(mut self) -> Result<Finished, JournalError> {
        self.flush()?;
        let state = self.session.state();
        self.host.journal.set_state(&self.run_id, &state)?;
        Ok(Finished {
            status: state.status,
            state,
            wakes_in: None,
        })
    }
}
