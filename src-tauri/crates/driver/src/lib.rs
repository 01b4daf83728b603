//! The driver: performs what the core of a run asks for, on tokio. Only here does a run meet the clock, the journal and the
//! world.
//!
//! Architecture Invariant: the driver decides nothing that the journal does not tell.

mod attempts;
mod door;
mod pausing;
mod take_up;
mod visits;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    task::Poll,
    time::Duration,
};

use futures::{
    StreamExt as _,
    future::{BoxFuture, FutureExt as _},
    stream::FuturesUnordered,
};
use loopwright_model::{graph::NodeIx, meter};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use loopwright_engine::{
    CancellationToken,
    calls::Calls,
    compute,
    event::{Event, EventBody, RunStatus, project, timestamp},
    host::{Services, TokenSink},
    journal::{self, Entry, Journal, JournalError, Record, RunState},
    kind::{Answer, Approve, Execute, NodeContext, NodeInput, Step},
    outcome::{NodeError, Outcome, Usage},
    plan::{Plan, Work},
    run::{Effect, Input, Run, Ticket},
    trust::Note,
};

use attempts::{Attempts, with_spent};
use door::VisitMessage;
pub use pausing::PauseSwitch;
pub use take_up::{ResumeError, Resumption, end, resume, resume_with};
use visits::Running;

/// How many records are gathered before they are written, where nothing forces it earlier.
const BATCH: usize = 256;

/// How many visits that have ended are written at once. More would save little, and the first of them waits for the last before
/// what follows it begins.
const TOGETHER: usize = 8;

/// How many inputs are fed, and how much is computed in place for them, before the clock and the person are listened to
/// again.
const SLICE: usize = 256;
const SLICE_WORK: u64 = 20_000 * meter::STEP;

/// Milliseconds since the Unix epoch. Passed in, so that a run can be simulated.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Receives events as they happen. Called in order, from the driver's task; must not block.
pub type EventSink = Arc<dyn Fn(&Event) + Send + Sync>;

/// What a run needs of its host.
#[derive(Clone)]
pub struct Host {
    pub services: Services,
    pub journal: Arc<dyn Journal>,
    pub clock: Clock,
    pub events: EventSink,
    /// Ends the run as `cancelled`.
    pub cancel: CancellationToken,
    /// Holds the run; it then rests as `paused`.
    pub pause: PauseSwitch,
    pub approve: Approve,
}

/// How a run ended, or where it stands: `waiting` when a person must answer before anything can go on, `paused` when a
/// person holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    pub status: RunStatus,
    pub state: RunState,
}

/// Runs `plan` until it ends or waits. The run must have been created in the journal. An error means that the journal failed:
/// the run stops at once, and nothing that was not written has been acted on.
pub async fn drive(
    plan: Arc<Plan>,
    run_id: &str,
    inputs: Map<String, Value>,
    host: &Host,
) -> Result<Finished, JournalError> {
    drive_with(plan, run_id, inputs, Vec::new(), host).await
}

/// As [`drive`], with what was approved for the run. It is on disk before any visit touches the world.
///
/// # Errors
/// As [`drive`].
pub async fn drive_with(
    plan: Arc<Plan>,
    run_id: &str,
    inputs: Map<String, Value>,
    notes: Vec<Note>,
    host: &Host,
) -> Result<Finished, JournalError> {
    let timeout = run_timeout(&plan);
    let mut driver = Driver::new(plan, run_id, inputs, host);
    driver.notes = notes;
    if timeout == Some(0) {
        // Over before anything could run in it, however fast that is.
        driver.ready.extend([Input::Start, Input::Deadline]);
        driver.work()?;
    } else {
        driver.feed(Input::Start)?;
    }
    driver.drive(timeout).await
}

fn run_timeout(plan: &Plan) -> Option<u64> {
    plan.settings
        .timeout
        .as_deref()
        .and_then(|text| loopwright_engine::duration::millis(text).ok())
}

/// What an effect under way comes to.
enum Ended {
    Visited(Ticket, Result<Outcome, NodeError>),
    /// What a visit came to without the world, in a computation that took longer.
    Computed(Ticket, NodeIx, Step),
    /// The pause before another attempt is over.
    TryAgain(Ticket),
    Rang(Ticket),
    Gone,
}

impl Ended {
    fn ticket(&self) -> Option<Ticket> {
        match *self {
            Self::Visited(ticket, _)
            | Self::Computed(ticket, ..)
            | Self::TryAgain(ticket)
            | Self::Rang(ticket) => Some(ticket),
            Self::Gone => None,
        }
    }
}

struct Driver<'a> {
    run: Run,
    plan: Arc<Plan>,
    run_id: String,
    host: &'a Host,
    seq: u64,
    batch: Vec<Record>,
    under_way: FuturesUnordered<BoxFuture<'static, Ended>>,
    /// What was started, and is under way once its intent is on disk. Never contended; other tasks may look at this one.
    started: Mutex<Vec<BoxFuture<'static, Ended>>>,
    /// Inputs for the core that are known already: what pure nodes answered.
    ready: VecDeque<Input>,
    cancels: BTreeMap<Ticket, CancellationToken>,
    attempts: BTreeMap<Ticket, Attempts>,
    /// What visits under way have sent.
    calls: BTreeMap<Ticket, Calls>,
    /// Calls ask here before they are made, where a budget is set.
    door: mpsc::UnboundedSender<VisitMessage>,
    messages: mpsc::UnboundedReceiver<VisitMessage>,
    /// Calls that wait for their answer, by number.
    answers: BTreeMap<u64, oneshot::Sender<Result<u64, NodeError>>>,
    next_call: u64,
    /// The number of the record that was told last.
    published: Arc<AtomicU32>,
    /// What was approved when the run begins or is taken up, until it is written: before anything is visited.
    notes: Vec<Note>,
    /// Limits among `under_way`: they are not what a run waits for.
    limits: BTreeSet<Ticket>,
    /// Time that the clock shows and the run did not spend, in milliseconds.
    stood_still: i64,
    /// The run's own time at the present step.
    now: i64,
    state: RunState,
}

impl<'a> Driver<'a> {
    fn new(plan: Arc<Plan>, run_id: &str, inputs: Map<String, Value>, host: &'a Host) -> Self {
        let (door, messages) = mpsc::unbounded_channel();
        Self {
            door,
            messages,
            answers: BTreeMap::new(),
            next_call: 0,
            published: Arc::default(),
            notes: Vec::new(),
            run: Run::new(Arc::clone(&plan), inputs),
            plan,
            run_id: run_id.to_owned(),
            host,
            seq: 0,
            batch: Vec::new(),
            under_way: FuturesUnordered::new(),
            started: Mutex::default(),
            ready: VecDeque::new(),
            cancels: BTreeMap::new(),
            attempts: BTreeMap::new(),
            calls: BTreeMap::new(),
            limits: BTreeSet::new(),
            stood_still: 0,
            now: 0,
            state: RunState::default(),
        }
    }

    async fn drive(&mut self, timeout: Option<u64>) -> Result<Finished, JournalError> {
        let deadline = async {
            match timeout {
                Some(timeout) => tokio::time::sleep(Duration::from_millis(timeout)).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(deadline);
        let cancel = self.host.cancel.clone();
        let mut changes = self.host.pause.changes();
        while self.run.status().is_none() {
            if self.ready.is_empty() && self.run.is_at_rest() && !cancel.is_cancelled() {
                if self.run.is_paused() {
                    return self.rest(RunStatus::Paused);
                }
                self.feed(Input::OverBudget)?;
                continue;
            }
            let waits_for_others = !self.ready.is_empty() || self.going() > self.limits.len();
            // Who stops a run just as it comes to rest means it to end.
            if !waits_for_others && self.run.is_asking() && !cancel.is_cancelled() {
                return self.rest(RunStatus::Waiting);
            }
            if self.going() == 0 && self.ready.is_empty() && !cancel.is_cancelled() {
                // Cannot happen: a run that waits for nothing is finished. Said, rather than hanging.
                return Err(JournalError::Write(
                    "the run has nothing left to wait for".to_owned(),
                ));
            }
            // What is under way is polled below, and touches the world there: the intents of all that was started are on disk.
            self.flush()?;
            if !cancel.is_cancelled() {
                self.set_off().await;
            }
            let ended = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    self.ready.push_front(Input::Cancel);
                    self.work()?;
                    continue;
                }
                () = &mut deadline => {
                    self.ready.push_front(Input::Deadline);
                    self.work()?;
                    continue;
                }
                Ok(()) = changes.changed() => {
                    let paused = *changes.borrow_and_update();
                    self.feed(if paused { Input::Pause } else { Input::Continue })?;
                    continue;
                }
                Some(message) = self.messages.recv() => {
                    self.look_at_the_clock();
                    self.take_message(message)?;
                    // Calls that begin together are written together.
                    self.hear()?;
                    continue;
                }
                ended = self.under_way.next(), if !self.under_way.is_empty() => ended,
                () = std::future::ready(()), if !self.ready.is_empty() => {
                    self.work()?;
                    // Timers ring only while this task does not run.
                    tokio::task::yield_now().await;
                    continue;
                }
            };
            let ended = self.with_others(ended);
            // What is recorded without the core, such as a failed attempt, happens now as well.
            self.look_at_the_clock();
            // A call has ended by the time that its visit has.
            self.hear()?;
            for ended in ended {
                self.ended(ended)?;
            }
        }
        self.flush()?;
        self.close(self.run.status().unwrap_or(RunStatus::Failed))
    }

    fn started(&mut self) -> &mut Vec<BoxFuture<'static, Ended>> {
        self.started
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// How much was started and has not ended.
    fn going(&mut self) -> usize {
        self.started().len() + self.under_way.len()
    }

    /// Polls once what was started: behind all that has ended by now, its call would begin later than it can.
    async fn set_off(&mut self) {
        if self.started().is_empty() {
            return;
        }
        std::future::poll_fn(|context| {
            for mut future in std::mem::take(self.started()) {
                self.under_way.push(match future.poll_unpin(context) {
                    Poll::Ready(ended) => std::future::ready(ended).boxed(),
                    Poll::Pending => future,
                });
            }
            Poll::Ready(())
        })
        .await;
    }

    /// All that has ended by now, in order: it is written at once, and so is what it lets begin.
    fn with_others(&mut self, first: Option<Ended>) -> Vec<Ended> {
        let mut all: Vec<Ended> = first.into_iter().collect();
        // Nothing is started meanwhile, and what was started before is on disk.
        while all.len() < TOGETHER
            && let Some(Some(ended)) = self.under_way.next().now_or_never()
        {
            all.push(ended);
        }
        all
    }

    fn ended(&mut self, ended: Ended) -> Result<(), JournalError> {
        // What ended at the same moment may have cancelled it.
        if ended
            .ticket()
            .is_some_and(|ticket| !self.cancels.contains_key(&ticket))
        {
            return Ok(());
        }
        match ended {
            Ended::Visited(ticket, result) => self.visited(ticket, result),
            Ended::Computed(ticket, node, step) => {
                self.cancels.remove(&ticket);
                self.calls.remove(&ticket);
                let plan = Arc::clone(&self.plan);
                match self.decided(ticket, &plan.nodes[node].title, step) {
                    Some(input) => self.feed(input),
                    None => Ok(()),
                }
            }
            Ended::TryAgain(ticket) => self.try_again(ticket),
            Ended::Rang(ticket) => {
                self.cancels.remove(&ticket);
                self.limits.remove(&ticket);
                self.feed(Input::Rang { ticket })
            }
            Ended::Gone => Ok(()),
        }
    }

    /// Nothing goes on before a person has answered, or wants it to: the run rests in the journal.
    fn rest(&mut self, status: RunStatus) -> Result<Finished, JournalError> {
        self.flush()?;
        for cancel in std::mem::take(&mut self.cancels).into_values() {
            cancel.cancel();
        }
        self.close(status)
    }

    fn close(&mut self, status: RunStatus) -> Result<Finished, JournalError> {
        self.state.status = status;
        self.state.warnings = self.run.warnings().to_vec();
        self.state.budget = self.run.budget();
        self.state.over_budget = status == RunStatus::Failed && self.run.is_over_budget();
        self.host.journal.set_state(&self.run_id, &self.state)?;
        Ok(Finished {
            status,
            state: self.state.clone(),
        })
    }

    /// Feeds the core one more input.
    fn feed(&mut self, input: Input) -> Result<(), JournalError> {
        self.ready.push_back(input);
        self.work()
    }

    /// Feeds what is ready, at most a slice of it: a long run of pure nodes must leave room for limits and for the person. What is
    /// gathered is written before anything that was started is polled.
    fn work(&mut self) -> Result<(), JournalError> {
        let mut effects = Vec::new();
        let began = meter::work();
        for _ in 0..SLICE {
            if meter::work() - began > SLICE_WORK {
                break;
            }
            let Some(input) = self.ready.pop_front() else {
                break;
            };
            self.look_at_the_clock();
            self.say_what_is_sent()?;
            self.run.step(self.now, input, &mut effects);
            for effect in effects.drain(..) {
                match effect {
                    Effect::Record { path, node, entry } => {
                        let begins =
                            matches!(entry, Entry::Input(journal::Input::RunStarted { .. }));
                        self.record(path, node, entry)?;
                        if begins {
                            let notes = std::mem::take(&mut self.notes);
                            self.note(notes)?;
                        }
                    }
                    Effect::Visit {
                        ticket,
                        node,
                        path,
                        input,
                    } => {
                        let answer = self.visit(ticket, node, path, input, None)?;
                        self.ready.extend(answer);
                    }
                    Effect::Call { call } => self.let_in(call)?,
                    Effect::Timer {
                        ticket,
                        after_ms,
                        limit,
                    } => self.timer(ticket, after_ms, limit),
                    Effect::Cancel { ticket } => {
                        self.attempts.remove(&ticket);
                        self.calls.remove(&ticket);
                        self.limits.remove(&ticket);
                        if let Some(token) = self.cancels.remove(&ticket) {
                            token.cancel();
                        }
                    }
                    Effect::Finished { .. } => {}
                }
            }
        }
        Ok(())
    }

    /// Tells the core what visits under way have sent, and writes it down: what happens next can cut them off.
    fn say_what_is_sent(&mut self) -> Result<(), JournalError> {
        let sent: Vec<_> = self
            .calls
            .iter()
            .filter_map(|(&ticket, calls)| Some((ticket, calls.news()?)))
            .collect();
        for (ticket, usage) in sent {
            if let Some((path, node)) = self.run.note_sent(ticket, &usage) {
                self.record(path, Some(node), journal::Input::CallsUnderWay { usage })?;
            }
        }
        Ok(())
    }

    fn look_at_the_clock(&mut self) {
        self.now = (self.host.clock)().saturating_sub(self.stood_still);
    }

    fn timer(&mut self, ticket: Ticket, after_ms: u64, limit: bool) {
        if limit {
            self.limits.insert(ticket);
        }
        self.wait(ticket, after_ms, Ended::Rang(ticket));
    }

    /// Lets `then` come after that many milliseconds, unless the ticket is cancelled before.
    fn wait(&mut self, ticket: Ticket, after_ms: u64, then: Ended) {
        let token = CancellationToken::new();
        self.cancels.insert(ticket, token.clone());
        self.started().push(
            async move {
                tokio::select! {
                    () = token.cancelled() => Ended::Gone,
                    () = tokio::time::sleep(Duration::from_millis(after_ms)) => then,
                }
            }
            .boxed(),
        );
    }

    /// Starts a visit; a pure node's answer comes back at once.
    fn visit(
        &mut self,
        ticket: Ticket,
        node: NodeIx,
        path: String,
        input: NodeInput,
        answer: Option<Answer>,
    ) -> Result<Option<Input>, JournalError> {
        let plan = Arc::clone(&self.plan);
        let planned = &plan.nodes[node];
        let Some(execute) = executable(&planned.work) else {
            let error = NodeError::new(
                "not_executable",
                format!("\"{}\" cannot be visited.", planned.title),
            );
            return Ok(Some(Input::Visited {
                ticket,
                result: Err(error),
            }));
        };
        if planned.retry.is_some() {
            self.attempts.entry(ticket).or_insert_with(|| Attempts {
                node,
                path: path.clone(),
                input: input.clone(),
                answer: answer.clone(),
                failed: 0,
                spent: Usage::default(),
            });
        }
        let (cancel, calls) = (CancellationToken::new(), Calls::default());
        let context = NodeContext {
            path: path.clone(),
            services: self.services(ticket, planned.timeout_ms),
            tokens: self.tokens(node, path.clone()),
            cancel: cancel.clone(),
            ledger: self.ledger(node, path),
            calls: calls.clone(),
            approve: self.host.approve,
            answer,
        };
        let running = match compute::in_place(|| execute.run(&input, &context)) {
            Some(Step::Pending(future)) => Running::World(future),
            Some(step) => return Ok(self.decided(ticket, &planned.title, step)),
            None => Running::Computation(input, context),
        };
        self.go_on_with(ticket, node, running, cancel, calls);
        Ok(None)
    }

    fn tokens(&self, node: NodeIx, path: String) -> TokenSink {
        let events = Arc::clone(&self.host.events);
        let clock = Arc::clone(&self.host.clock);
        let run_id = self.run_id.clone();
        let plan = Arc::clone(&self.plan);
        let published = Arc::clone(&self.published);
        TokenSink::new(move |tokens| {
            events(&Event {
                run_id: run_id.clone(),
                // It is no record: it stands behind the one that was told last.
                seq: published.load(Ordering::Relaxed),
                at: timestamp(clock()),
                node_id: Some(plan.nodes[node].id.to_string()),
                path: path.clone(),
                body: EventBody::NodeStreaming {
                    tokens: tokens.to_owned(),
                },
            });
        })
    }

    /// Numbers a record and keeps it for the next write. It is published once it is written.
    fn record(
        &mut self,
        path: String,
        node: Option<NodeIx>,
        entry: impl Into<Entry>,
    ) -> Result<(), JournalError> {
        let node_id = node.map(|node| self.plan.name_on_record(node, &path).to_owned());
        let record = Record {
            seq: self.seq,
            at: self.now.saturating_add(self.stood_still),
            path,
            node_id,
            entry: entry.into(),
        };
        self.state.apply(&record);
        self.seq += 1;
        self.batch.push(record);
        if self.batch.len() >= BATCH {
            self.flush()?;
        }
        Ok(())
    }

    fn note(&mut self, notes: Vec<Note>) -> Result<(), JournalError> {
        if notes.is_empty() {
            return Ok(());
        }
        for note in notes {
            self.record(String::new(), None, journal::Input::Noted { note })?;
        }
        self.flush()
    }

    /// Writes what was gathered, then publishes it.
    fn flush(&mut self) -> Result<(), JournalError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.host.journal.append(&self.run_id, &self.batch)?;
        for record in self.batch.drain(..) {
            if let Some(event) = project(&self.run_id, &record) {
                self.published.store(event.seq, Ordering::Relaxed);
                (self.host.events)(&event);
            }
        }
        Ok(())
    }
}

fn executable(work: &Work) -> Option<&dyn Execute> {
    match work {
        Work::Execute(execute) => Some(&**execute),
        Work::End {
            combine: Some(combine),
            ..
        } => Some(&**combine),
        _ => None,
    }
}
