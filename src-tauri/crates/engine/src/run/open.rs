//! The open executions and timers of a run that is being rebuilt.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::{Effect, Ticket};
use crate::{
    answer::{Answer, Expiry},
    budget::Fit,
    journal::{Entry, Fact, Parked, Record, Retried},
    kind::NodeInput,
    outcome::Usage,
    question::Question,
};

/// An execution whose intent is recorded but whose outcome is not.
pub struct OpenExecution {
    pub ticket: Ticket,
    pub node: NodeIx,
    pub path: String,
    pub input: NodeInput,
    /// Whether the execution has asked a person a question.
    pub asked: bool,
    /// The recorded answer, if any.
    pub answer: Option<Answer>,
    /// The value as a person edited it in an earlier answer; `None` if no answer edited it. The interrupted call used this
    /// value.
    pub edited: Option<Value>,
    /// Whether the execution began in an earlier session than its question. If repeating a call requires a person's consent,
    /// the question is then about the repetition and not the node's own question.
    pub cut_off: bool,
    /// Whether the intent is recorded. If not, the execution has done nothing yet.
    pub begun: bool,
    /// The number of failed attempts for which another attempt was scheduled.
    pub failed: u32,
    /// The usage of the failed attempts.
    pub spent: Usage,
    /// The error codes of the failed attempts, in order.
    pub codes: Vec<String>,
    /// The end of the pause before the next attempt, in milliseconds since the Unix epoch. No attempt is in progress before
    /// that time. `None` if there is no pause.
    pub again_at: Option<i64>,
    /// The last wait of the execution for a quota, if it had to wait for one.
    pub parked: Option<Parked>,
    /// Whether the execution currently waits for that quota, with no attempt in progress.
    pub is_parked: bool,
    /// Whether the execution was waiting for a budget, so that the requested call had not been made.
    pub blocked: bool,
    /// Whether the answer was recorded in another store. Such an answer is only part of the history and grants nothing here.
    pub answered_elsewhere: bool,
    /// The question and its value, if they were written in another store. They cannot be trusted.
    pub imported_question: Option<(Question, Arc<Value>)>,
    /// When and how the question expires; `None` if it waits forever. A question that was written in another store does not
    /// expire here, because that store chose the answer that would be used then.
    pub expires: Option<Expiry>,
    /// Whether the execution's record, which was written in another store, has a different input than the execution itself.
    misstated: bool,
    /// Whether the execution has made a call.
    called: bool,
    /// The session in which the execution was last in progress.
    session: u32,
}

impl OpenExecution {
    fn forget_calls(&mut self) {
        self.blocked = false;
        self.called = false;
    }

    /// Returns whether a person was asked and has not answered yet.
    pub fn waits(&self) -> bool {
        self.asked && self.answer.is_none()
    }

    /// Returns whether the execution waits for a budget and has made no call yet.
    pub fn is_unspent(&self) -> bool {
        self.blocked && !self.called
    }
}

/// A timer that has not fired.
pub struct OpenTimer {
    pub ticket: Ticket,
    /// The time that was left when the last record was written, in milliseconds.
    pub left_ms: u64,
    /// Whether the timer is a time limit, which the run does not wait for.
    pub limit: bool,
    /// Whether the timer is held, because an execution inside the time limit is parked.
    pub is_held: bool,
}

impl OpenTimer {
    /// Returns the time that is left at the run's own time `now`, in milliseconds. `armed` is the time at which the timer was
    /// started or released.
    fn left_at(&self, armed: i64, now: i64) -> u64 {
        if self.is_held {
            return self.left_ms;
        }
        let spent = u64::try_from(now.saturating_sub(armed)).unwrap_or(0);
        self.left_ms.saturating_sub(spent)
    }
}

/// Executions that have not finished and timers that have not fired.
#[derive(Default)]
pub(crate) struct Open {
    executions: BTreeMap<Ticket, OpenExecution>,
    by_path: HashMap<String, Ticket>,
    /// The timers, each with the run's own time at which it was started or last released.
    timers: BTreeMap<Ticket, (OpenTimer, i64)>,
    /// The current session: the number of times the run was resumed, forked or taken over.
    session: u32,
    next_call: u64,
    /// Whether the next records were written in another store.
    importing: bool,
}

impl Open {
    /// Returns the ticket of the open execution at this path, or `None` if there is none.
    pub(crate) fn at(&self, path: &str) -> Option<Ticket> {
        let ticket = self.by_path.get(path)?;
        self.executions.contains_key(ticket).then_some(*ticket)
    }

    pub(crate) fn execution(&self, path: &str) -> Option<&OpenExecution> {
        self.executions.get(self.by_path.get(path)?)
    }

    fn execution_mut(&mut self, path: &str) -> Option<&mut OpenExecution> {
        self.executions.get_mut(self.by_path.get(path)?)
    }

    pub(crate) fn timers(&self) -> Vec<Ticket> {
        self.timers.keys().copied().collect()
    }

    /// Returns the number of the next call request.
    pub(crate) fn next_call(&self) -> u64 {
        self.next_call
    }

    /// Adds an effect that the core emitted at the run's own time `now`.
    pub(crate) fn note(&mut self, effect: Effect, now: i64) {
        match effect {
            Effect::Execute {
                ticket,
                node,
                path,
                input,
            } => {
                self.by_path.insert(path.clone(), ticket);
                let execution = OpenExecution {
                    ticket,
                    node,
                    path,
                    input,
                    asked: false,
                    answer: None,
                    edited: None,
                    cut_off: false,
                    begun: true,
                    failed: 0,
                    spent: Usage::default(),
                    codes: Vec::new(),
                    again_at: None,
                    parked: None,
                    is_parked: false,
                    blocked: false,
                    answered_elsewhere: false,
                    imported_question: None,
                    expires: None,
                    misstated: false,
                    called: false,
                    session: self.session,
                };
                self.executions.insert(ticket, execution);
            }
            Effect::Timer {
                ticket,
                after_ms,
                limit,
            } => {
                let timer = OpenTimer {
                    ticket,
                    left_ms: after_ms,
                    limit,
                    is_held: false,
                };
                self.timers.insert(ticket, (timer, now));
            }
            Effect::HoldTimer { ticket } => {
                if let Some((timer, armed)) = self.timers.get_mut(&ticket) {
                    timer.left_ms = timer.left_at(*armed, now);
                    timer.is_held = true;
                }
            }
            Effect::ReleaseTimer { ticket } => {
                if let Some((timer, armed)) = self.timers.get_mut(&ticket) {
                    timer.is_held = false;
                    *armed = now;
                }
            }
            Effect::Cancel { ticket } => self.close(ticket),
            // The core itself knows which resources are open.
            Effect::OpenScope { .. } | Effect::CloseScope { .. } => {}
            Effect::Call { .. } | Effect::Finished { .. } | Effect::Record { .. } => {}
        }
    }

    /// Removes an execution or a timer that is over.
    pub(crate) fn close(&mut self, ticket: Ticket) {
        self.executions.remove(&ticket);
        self.timers.remove(&ticket);
    }

    /// Begins a new session when a suspended run is resumed. From then on, all open executions count as begun, including those
    /// that a fork left open.
    pub(crate) fn pause(&mut self) {
        self.session += 1;
        for execution in self.executions.values_mut() {
            execution.begun = true;
        }
    }

    /// Counts sleep of the computer, in milliseconds, towards pauses but not towards time limits. A pause ends at a time of
    /// day.
    pub(crate) fn sleep(&mut self, slept: i64) {
        for (timer, since) in self.timers.values_mut() {
            if !timer.limit {
                *since = since.saturating_sub(slept);
            }
        }
    }

    /// Marks the open executions as not begun when a fork takes them over. Executions that wait for an answer keep their state.
    pub(crate) fn take_over(&mut self) {
        for execution in self
            .executions
            .values_mut()
            .filter(|execution| !execution.waits())
        {
            execution.begun = false;
            execution.is_parked = false;
            execution.session = self.session + 1;
        }
    }

    /// Sets whether the next records were written in another store.
    pub(crate) fn imports(&mut self, importing: bool) {
        self.importing = importing;
    }

    /// Notes that an imported record of the execution at this path has a different input than the execution.
    pub(crate) fn misstated(&mut self, path: &str) {
        if let Some(execution) = self.execution_mut(path) {
            execution.misstated = true;
        }
    }

    /// Returns whether `record` is the start of an open execution, but has a different input than the execution. A question to
    /// a person would then show the wrong input.
    pub(crate) fn is_misstated(&self, record: &Record) -> bool {
        matches!(record.entry, Entry::Fact(Fact::NodeStarted { .. }))
            && self
                .execution(&record.path)
                .is_some_and(|execution| execution.misstated)
    }

    /// Notes that an execution has asked a person a question.
    pub(crate) fn waits(
        &mut self,
        ticket: Ticket,
        question: &Question,
        value: &Arc<Value>,
        expires: Option<&Expiry>,
    ) {
        let importing = self.importing;
        if let Some(execution) = self.executions.get_mut(&ticket) {
            // A node asks in the session in which it is executed. If the execution began in an earlier session, the driver asks
            // whether to repeat it. An open question that is asked again keeps its meaning.
            if !execution.waits() {
                execution.cut_off = self.session > execution.session;
            }
            execution.asked = true;
            execution.answer = None;
            execution.answered_elsewhere = false;
            execution.imported_question = importing.then(|| (question.clone(), Arc::clone(value)));
            execution.expires = expires.filter(|_| !importing).cloned();
            // An expired question never allows a call, even if the record says so.
            if let Some(expires) = &mut execution.expires
                && !matches!(question, Question::Approve { .. })
            {
                expires.answer.approved = false;
            }
        }
    }

    pub(crate) fn answered(&mut self, ticket: Ticket, answer: Answer) {
        let importing = self.importing;
        if let Some(execution) = self.executions.get_mut(&ticket) {
            execution.answered_elsewhere = importing;
            if answer.value.is_some() && !importing {
                execution.edited.clone_from(&answer.value);
            }
            execution.answer = Some(answer);
            execution.session = self.session;
        }
    }

    /// Notes that an attempt of the execution at this path failed and is retried. Returns the execution's ticket, or `None`
    /// if no execution at this path is open.
    pub(crate) fn retried(&mut self, path: &str, retried: &Retried, at: i64) -> Option<Ticket> {
        let execution = self.execution_mut(path)?;
        execution.failed = retried.attempt;
        execution.spent.add(&retried.error.usage);
        execution.codes.push(retried.error.code.clone());
        let after = i64::try_from(retried.after_ms).unwrap_or(i64::MAX);
        execution.again_at = Some(at.saturating_add(after));
        execution.forget_calls();
        Some(execution.ticket)
    }

    /// Notes that an execution waits for a quota.
    pub(crate) fn parks(&mut self, ticket: Ticket, parked: &Parked) {
        if let Some(execution) = self.executions.get_mut(&ticket) {
            execution.spent.add(&parked.error.usage);
            execution.parked = Some(parked.clone());
            execution.is_parked = true;
            execution.again_at = None;
            execution.forget_calls();
        }
    }

    /// Notes that the wait of an execution for a quota is over.
    pub(crate) fn unparks(&mut self, ticket: Ticket) {
        let session = self.session;
        if let Some(execution) = self.executions.get_mut(&ticket) {
            execution.is_parked = false;
            // The execution begins again in this session, so any question from now on is the node's own.
            execution.session = session;
        }
    }

    /// Notes that an execution has requested a call.
    pub(crate) fn asked(&mut self, path: &str, call: u64, fits: Fit) {
        self.next_call = self.next_call.max(call.saturating_add(1));
        if let Some(execution) = self.execution_mut(path) {
            execution.again_at = None;
            execution.blocked = fits != Fit::Now;
            execution.called |= fits == Fit::Now;
        }
    }

    /// Discards the calls of all executions, because their outcome is unknown after a resume.
    pub(crate) fn forget_calls(&mut self) {
        self.executions
            .values_mut()
            .for_each(OpenExecution::forget_calls);
    }

    /// Notes a fact about the execution at this path.
    pub(crate) fn note_fact(&mut self, path: &str, entry: &Entry) {
        let session = self.session;
        let Some(execution) = self.execution_mut(path) else {
            return;
        };
        match entry {
            // The intent may have been recorded when the run was resumed.
            Entry::Fact(Fact::NodeStarted { .. }) => execution.session = session,
            Entry::Fact(Fact::CallReserved { .. }) => {
                execution.blocked = false;
                execution.called = true;
            }
            _ => {}
        }
    }

    /// Notes that an entry that the core emitted for this path is not recorded. An execution without a recorded intent has not
    /// begun.
    pub(crate) fn is_unwritten(&mut self, path: &str, entry: &Entry) {
        if let Entry::Fact(Fact::NodeStarted { .. }) = entry
            && let Some(execution) = self.execution_mut(path)
        {
            execution.begun = false;
        }
    }

    /// Returns the executions and timers, with the time that each timer has left at the run's own time `now`.
    pub(crate) fn into_parts(self, now: i64) -> (Vec<OpenExecution>, Vec<OpenTimer>) {
        let left = |(timer, armed): (OpenTimer, i64)| OpenTimer {
            left_ms: timer.left_at(armed, now),
            ..timer
        };
        let timers = self.timers.into_values().map(left).collect();
        (self.executions.into_values().collect(), timers)
    }
}
