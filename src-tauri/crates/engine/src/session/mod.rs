//! The interface between a run and its host: the host reports events and times to a [`Session`], and executes the commands that
//! the session returns.
//!
//! The session decides everything about a run except the flow itself: record numbers and times, the run's row, attempts and
//! retries, timeouts, the budget gate, and resuming. A host provides the clock, the journal, timers and an executor, and
//! decides nothing. The crate `driver` is the host for tokio.
//!
//! Architecture Invariant: no clock, no I/O, no runtime. The record in a command is on disk before the host polls anything that
//! a later command starts.

mod allowed_calls;
mod answering;
mod asking;
mod attempt;
mod attempts;
pub mod closing;
mod ended;
mod execution;
mod expiry;
mod gate;
mod message;
mod operations;
mod permit;
mod quota_gates;
mod quotas;
mod resources;
mod resume;

use std::{collections::BTreeMap, sync::Arc};

use futures::{StreamExt as _, channel::mpsc, future::BoxFuture};
use loopwright_model::{EffectClass, graph::NodeIx};
use serde_json::{Map, Value};

use crate::{
    host::Services,
    journal::{self, Entry, Record, RunState},
    kind::ApprovalPolicy,
    plan::Plan,
    run::{Effect, Input, Run, Ticket},
    status::RunStatus,
    tickets::Tickets,
    trust::Note,
    warning::Warning,
};
use allowed_calls::AllowedCalls;
use asking::Asking;
use attempt::Attempt;

pub use asking::{AcceptedAnswer, AnswerRequest};
pub use ended::Ended;
pub use execution::{Begun, Execution};
pub use message::{CallPermit, SessionMessage};
use message::{Message, Requested};
use operations::Operations;
pub use permit::{PermittedWork, UnboundedWork};
use quota_gates::Quotas;
pub use resume::{Recorded, Resumption};

/// An event that the host passes to the session.
#[derive(Debug)]
pub enum SessionInput {
    /// Work finished: an execution, or an operation on a resource.
    Ended(Ended),
    /// A timer fired.
    Fired(Timer),
    /// An execution sent a message, which [`Session::next_message`] returned.
    Message(SessionMessage),
    /// A person pauses the run. Running steps finish, and no new step starts.
    Pause,
    /// A person continues the run.
    Continue,
    /// A person stops the run.
    Cancel,
    /// A person no longer waits for the call at this path. The call is made again.
    AskAgain(String),
    /// A person answers the question of an execution while the run is in progress.
    Answer(AnswerRequest),
    /// A person no longer waits for quotas. For each quota that the run waits for, one parked call is made again.
    TryNow,
    /// The computer slept. The host passes this event before any event that happened after the sleep.
    Slept(Slept),
}

/// A period for which the computer slept while a run was active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slept {
    /// The duration in milliseconds.
    pub ms: u64,
    /// A sentence for people that says when the computer slept.
    pub message: String,
}

/// A command to the host. Commands are executed in order.
pub enum Command {
    /// Write this record, then publish it.
    Write(Record),
    /// Begin this execution once the records of all earlier commands are written.
    Execute(Box<Execution>),
    /// Give this permit once the records of all earlier commands are written.
    PermitCall(CallPermit),
    /// Confirm this answer once the records of all earlier commands are written.
    ConfirmAnswer(AcceptedAnswer),
    /// Once the records of all earlier commands are written, poll this future, which opens or closes a resource. Report its
    /// end.
    UseResource(BoxFuture<'static, Ended>),
    /// Report the timer as fired after this many milliseconds. If the timer is already running, restart it.
    Start { timer: Timer, after_ms: u64 },
    /// Stop the timer.
    Stop { timer: Timer },
    /// Make the timer fire this many milliseconds earlier, or immediately if less time than that is left.
    Hasten { timer: Timer, by_ms: u64 },
}

/// A timer of a run. A host reports a timer before work that finished at the same moment, so that nothing starts after a limit.
/// The exception is [`Timer::Attempt`], which is reported after such work, so that work that finished just in time counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// The run's own time limit. If several timers fire together, this one is reported first.
    Deadline,
    /// The time limit of a loop, an iteration or a subflow, or the pause between iterations.
    Flow(Ticket),
    /// The time limit of an attempt.
    Attempt(Ticket),
    /// The pause before another attempt.
    Retry(Ticket),
    /// The wait for a quota, or the time between two executions that continue after the wait. The number identifies the quota
    /// in the session.
    Quota(usize),
    /// The time until the question of an execution expires.
    Question(Ticket),
}

/// A timer that is running.
#[derive(Debug, Clone, Copy)]
struct RunningTimer {
    /// Whether the timer is a time limit, which the run does not wait for.
    limits: bool,
    /// The run's own time at which the timer fires, in milliseconds since the Unix epoch.
    due: i64,
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Something is in progress that the host will report.
    Running,
    /// The run waits for an answer (`waiting`), or for a person to continue it (`paused`).
    Suspended(RunStatus),
    Over(RunStatus),
    /// An impossible state: nothing is in progress, and the run waits for nothing.
    Stuck,
}

/// The session of one run. It leads the run until the run ends or is suspended.
pub struct Session {
    run: Run,
    plan: Arc<Plan>,
    run_id: String,
    services: Arc<Services>,
    approve: ApprovalPolicy,
    /// The number of the next record.
    seq: u64,
    state: RunState,
    attempts: Tickets<Attempt>,
    operations: Operations,
    timers: BTreeMap<Timer, RunningTimer>,
    /// The held time limits of loops, iterations and subflows, each with its remaining time in milliseconds.
    held: BTreeMap<Ticket, u64>,
    /// The remaining time of the run's own time limit, in milliseconds, while the limit is held; otherwise `None`.
    held_deadline: Option<u64>,
    quotas: Quotas,
    /// The executions that wait for the answer to a question.
    asking: BTreeMap<Ticket, Asking>,
    /// The time that a person has to answer a question about a tool call, in milliseconds; `None` if it is not limited.
    time_to_allow_ms: Option<u64>,
    /// The sender that executions receive for their messages.
    messages: mpsc::UnboundedSender<Message>,
    inbox: mpsc::UnboundedReceiver<Message>,
    /// Calls that wait for a permit or are in progress, by number.
    calls: BTreeMap<u64, Requested>,
    next_call: u64,
    /// Approvals to write when the run begins or resumes, before anything is executed.
    notes: Vec<Note>,
    allowed_calls: AllowedCalls,
    /// The total time for which nothing ran, in milliseconds.
    suspended_ms: i64,
    /// The run's own time at the current step, in milliseconds since the Unix epoch: the clock minus the suspended time.
    now: i64,
    effects: Vec<Effect>,
}

/// What a host provides to a run: its services, and how questions to a person are answered.
#[derive(Debug, Clone)]
pub struct World {
    pub services: Services,
    pub approve: ApprovalPolicy,
    /// The time that a person has to answer a question about a tool call, in milliseconds. When it is over, the call is
    /// refused. `None` if such a question waits forever.
    pub time_to_allow_ms: Option<u64>,
}

impl Drop for Session {
    fn drop(&mut self) {
        // Nothing awaits the attempts in progress any longer, so they are cancelled.
        for attempt in self.attempts.values() {
            attempt.cancel.cancel();
        }
    }
}

impl Session {
    fn new(plan: Arc<Plan>, run_id: &str, inputs: Map<String, Value>, world: World) -> Self {
        let (messages, inbox) = mpsc::unbounded();
        let quotas = Quotas::new(&*world.services.models, plan.quota_wait_ms());
        Self {
            run: Run::new(Arc::clone(&plan), inputs),
            plan,
            run_id: run_id.to_owned(),
            services: Arc::new(world.services),
            approve: world.approve,
            seq: 0,
            state: RunState::default(),
            attempts: Tickets::default(),
            operations: Operations::default(),
            timers: BTreeMap::new(),
            held: BTreeMap::new(),
            held_deadline: None,
            quotas,
            asking: BTreeMap::new(),
            time_to_allow_ms: world.time_to_allow_ms,
            messages,
            inbox,
            calls: BTreeMap::new(),
            next_call: 0,
            notes: Vec::new(),
            allowed_calls: AllowedCalls::default(),
            suspended_ms: 0,
            now: 0,
            effects: Vec::new(),
        }
    }

    /// Starts a run of `plan` with `inputs` at `wall` (milliseconds since the Unix epoch). `notes` are the run's approvals.
    /// They are on disk before the run has any side effect.
    pub fn start(
        plan: Arc<Plan>,
        run_id: &str,
        inputs: Map<String, Value>,
        world: World,
        notes: Vec<Note>,
        wall: i64,
        commands: &mut Vec<Command>,
    ) -> Self {
        let timeout = plan.timeout_ms();
        let mut session = Self::new(plan, run_id, inputs, world);
        session.notes = notes;
        session.now = wall;
        session.feed(Input::Start, commands);
        session.limit(timeout, commands);
        session
    }

    /// Starts the timer of the run's remaining time. If no time is left, the run ends immediately.
    fn limit(&mut self, left_ms: Option<u64>, commands: &mut Vec<Command>) {
        match left_ms {
            _ if self.run.status().is_some() => {}
            Some(0) => self.feed(Input::Deadline, commands),
            Some(left_ms) => self.start_timer(Timer::Deadline, left_ms, true, commands),
            None => {}
        }
    }

    /// Handles an event at the wall-clock time `wall`, and appends the resulting commands to `commands`.
    pub fn step(&mut self, wall: i64, told: SessionInput, commands: &mut Vec<Command>) {
        if let SessionInput::Slept(slept) = &told {
            let slept = i64::try_from(slept.ms).unwrap_or(i64::MAX);
            self.suspended_ms = self.suspended_ms.saturating_add(slept);
            self.run.set_suspended_ms(self.suspended_ms);
        }
        self.now = wall.saturating_sub(self.suspended_ms);
        match told {
            SessionInput::Ended(ended) => {
                // The messages about an execution's calls come before the execution's end.
                self.take_messages(commands);
                self.ended(ended, commands);
            }
            SessionInput::Message(said) => {
                self.take(said.0, commands);
                // Calls that begin together are written together.
                self.take_messages(commands);
            }
            SessionInput::Fired(timer) => {
                if self.timers.remove(&timer).is_some() {
                    self.fired(timer, commands);
                }
            }
            SessionInput::Pause => self.feed(Input::Pause, commands),
            SessionInput::Continue => self.feed(Input::Continue, commands),
            SessionInput::Cancel => self.feed(Input::Cancel, commands),
            SessionInput::AskAgain(path) => self.ask_once_more(&path, commands),
            SessionInput::Answer(request) => self.answered(request, commands),
            SessionInput::TryNow => self.try_quotas(commands),
            SessionInput::Slept(slept) => self.slept(slept, commands),
        }
        self.serve_gates(commands);
        if self.run.is_over_budget() && self.run.status().is_none() && self.is_idle() {
            self.feed(Input::OverBudget, commands);
        }
    }

    /// Records that the computer slept. Sleep does not count towards time limits, while pauses end at the planned time of day.
    fn slept(&mut self, slept: Slept, commands: &mut Vec<Command>) {
        if self.run.status().is_some() {
            return;
        }
        let Slept { ms, message } = slept;
        let warning = Warning {
            code: "computer_slept".to_owned(),
            node: None,
            message,
        };
        self.run.add_warning(warning.clone());
        let entry = journal::Input::ComputerSlept {
            ms,
            warning: Box::new(warning),
        };
        self.record(String::new(), None, entry, commands);
        let earlier = i64::try_from(ms).unwrap_or(i64::MAX);
        for (&timer, running) in &mut self.timers {
            // A wait for a quota and the time for an answer end at a time of day, too.
            if !running.limits || matches!(timer, Timer::Quota(_) | Timer::Question(_)) {
                running.due = running.due.saturating_sub(earlier).max(self.now);
                commands.push(Command::Hasten { timer, by_ms: ms });
            }
        }
        for attempt in self.attempts.values_mut() {
            attempt.has_slept = true;
        }
    }

    fn fired(&mut self, timer: Timer, commands: &mut Vec<Command>) {
        match timer {
            Timer::Deadline => self.feed(Input::Deadline, commands),
            Timer::Flow(ticket) => self.feed(Input::TimerFired { ticket }, commands),
            Timer::Attempt(ticket) => {
                self.take_messages(commands);
                self.timed_out(ticket, commands);
            }
            Timer::Retry(ticket) => self.try_again(ticket, commands),
            Timer::Quota(number) => self.quota_timer_fired(number, commands),
            Timer::Question(ticket) => self.question_timer_fired(ticket, commands),
        }
    }

    pub fn progress(&self) -> Progress {
        if let Some(status) = self.run.status() {
            return Progress::Over(status);
        }
        if self.operations.is_busy() {
            return Progress::Running;
        }
        if self.run.is_paused() && self.is_idle() {
            return Progress::Suspended(RunStatus::Paused);
        }
        if !self.attempts.is_empty() || self.timers.values().any(|timer| !timer.limits) {
            return Progress::Running;
        }
        if self.run.is_asking() {
            return Progress::Suspended(RunStatus::Waiting);
        }
        Progress::Stuck
    }

    /// Returns whether the run is halted and no execution is working.
    fn is_idle(&self) -> bool {
        // An execution with an attempt continues, even if it once asked a question.
        self.run
            .is_idle(|ticket| self.attempts.get(ticket).is_some())
    }

    /// Returns whether the run only waits for a timer between iterations or for quotas. If so, the program that leads the run
    /// may release the run until the timer fires or a quota resets.
    pub fn sleeps(&self) -> bool {
        self.progress() == Progress::Running
            && self
                .attempts
                .values()
                .all(|attempt| attempt.parked.is_some())
            && !self.operations.is_busy()
            && !self.run.is_asking()
            && self
                .timers
                .iter()
                .all(|(timer, running)| running.limits || matches!(timer, Timer::Flow(_)))
    }

    /// Returns the run's current row.
    pub fn state(&self) -> RunState {
        let status = match self.progress() {
            Progress::Over(status) | Progress::Suspended(status) => status,
            Progress::Running | Progress::Stuck => RunStatus::Running,
        };
        RunState {
            status,
            warnings: self.run.warnings().to_vec(),
            budget: self.run.budget(),
            over_budget: status == RunStatus::Failed && self.run.is_over_budget(),
            parked: self.parked().filter(|_| self.run.status().is_none()),
            expires_at: self.next_expiry().filter(|_| self.run.status().is_none()),
            ..self.state.clone()
        }
    }

    /// Waits for the next message of an execution, to be passed to [`Session::step`]. Never returns `None` while the run is in
    /// progress.
    pub async fn next_message(&mut self) -> Option<SessionMessage> {
        self.inbox.next().await.map(SessionMessage)
    }

    /// Passes an input to the core and turns the resulting effects into commands.
    fn feed(&mut self, input: Input, commands: &mut Vec<Command>) {
        self.record_sent(commands);
        let mut effects = std::mem::take(&mut self.effects);
        self.run.step(self.now, input, &mut effects);
        for effect in effects.drain(..) {
            self.perform(effect, commands);
        }
        self.effects = effects;
        self.hold_deadline(commands);
    }

    fn perform(&mut self, effect: Effect, commands: &mut Vec<Command>) {
        match effect {
            Effect::Record { path, node, entry } => {
                let begins = matches!(entry, Entry::Input(journal::Input::RunStarted { .. }));
                self.record(path, node, entry, commands);
                if begins {
                    self.record_notes(commands);
                }
            }
            Effect::Execute {
                ticket,
                node,
                path,
                input,
            } => {
                let computes = self.plan.nodes[node].effect == EffectClass::Pure;
                let attempt = Attempt::new(node, path, computes);
                self.begin_in_resource(ticket, attempt, input, None, commands);
            }
            Effect::Call { call } => self.grant(call, commands),
            Effect::Timer {
                ticket,
                after_ms,
                limit,
            } => self.start_timer(Timer::Flow(ticket), after_ms, limit, commands),
            Effect::HoldTimer { ticket } => {
                if let Some(left_ms) = self.stop_limit(Timer::Flow(ticket), commands) {
                    self.held.insert(ticket, left_ms);
                }
            }
            Effect::ReleaseTimer { ticket } => {
                if let Some(left_ms) = self.held.remove(&ticket) {
                    self.start_timer(Timer::Flow(ticket), left_ms, true, commands);
                }
            }
            Effect::OpenScope { resource } => self.open_resource(resource, commands),
            Effect::CloseScope { resource } => self.close_resource(resource, commands),
            Effect::Cancel { ticket } => {
                self.operations.forget(ticket);
                self.forget_question(ticket, commands);
                self.held.remove(&ticket);
                self.stop_timer(Timer::Flow(ticket), commands);
                if let Some(attempt) = self.close(ticket, commands) {
                    attempt.cancel.cancel();
                    self.calls.retain(|_, (of, _)| *of != ticket);
                }
            }
            Effect::Finished { .. } => {}
        }
    }

    fn start_timer(
        &mut self,
        timer: Timer,
        after_ms: u64,
        limits: bool,
        commands: &mut Vec<Command>,
    ) {
        let after = i64::try_from(after_ms).unwrap_or(i64::MAX);
        let due = self.now.saturating_add(after);
        self.timers.insert(timer, RunningTimer { limits, due });
        commands.push(Command::Start { timer, after_ms });
    }

    fn stop_timer(&mut self, timer: Timer, commands: &mut Vec<Command>) {
        if self.timers.remove(&timer).is_some() {
            commands.push(Command::Stop { timer });
        }
    }

    /// Records the usage of the executions in progress and reports it to the core, because the next event may cut these
    /// executions off.
    fn record_sent(&mut self, commands: &mut Vec<Command>) {
        let sent: Vec<_> = self
            .attempts
            .iter()
            .filter_map(|(ticket, attempt)| {
                let usage = attempt.calls.news()?;
                Some((ticket, usage, attempt.calls.model()))
            })
            .collect();
        for (ticket, usage, model) in sent {
            if let Some((path, node)) = self.run.note_sent(ticket, &usage) {
                let entry = journal::Input::CallsUnderWay { usage, model };
                self.record(path, Some(node), entry, commands);
            }
        }
    }

    /// Writes a record with the next number.
    fn record(
        &mut self,
        path: String,
        node: Option<NodeIx>,
        entry: impl Into<Entry>,
        commands: &mut Vec<Command>,
    ) {
        let node_id = node.map(|node| Arc::clone(self.plan.name_on_record(node, &path)));
        let record = Record {
            seq: self.seq,
            at: self.now.saturating_add(self.suspended_ms),
            path,
            node_id,
            entry: entry.into(),
        };
        self.state.apply(&record);
        self.seq += 1;
        commands.push(Command::Write(record));
    }

    fn record_notes(&mut self, commands: &mut Vec<Command>) {
        for note in std::mem::take(&mut self.notes) {
            self.record(
                String::new(),
                None,
                journal::Input::Noted { note },
                commands,
            );
        }
    }

    /// Adds a warning of the session. Each occurrence is recorded, but the run lists the warning only once.
    fn warn(&mut self, node: NodeIx, code: &str, message: String, commands: &mut Vec<Command>) {
        let path = self.plan.nodes[node].place.to_string();
        let warning = Warning {
            code: code.to_owned(),
            node: Some(path.clone()),
            message,
        };
        self.run.add_warning(warning.clone());
        let entry = journal::Input::HostWarned {
            warning: Box::new(warning),
        };
        self.record(path, Some(node), entry, commands);
    }
}
