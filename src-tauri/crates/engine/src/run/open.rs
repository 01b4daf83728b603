//! The open executions and timers of a run that is being rebuilt.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::{Effect, Ticket};
use crate::{
    answer::Answer,
    budget::Fit,
    journal::{Entry, Fact, Record, Retried},
    kind::NodeInput,
    outcome::Usage,
    question::Question,
};

/// An execution whose intent is recorded and whose outcome is not.
pub struct OpenExecution {
    pub ticket: Ticket,
    pub node: NodeIx,
    pub path: String,
    pub input: NodeInput,
    /// The execution had asked a person.
    pub asked: bool,
    /// The answer, where it was recorded.
    pub answer: Option<Answer>,
    /// The value of an earlier question as a person edited it: the call under way uses it.
    pub edited: Option<Value>,
    /// The execution began in an earlier session than the one in which it asked. Where the policy is to ask whether a call is
    /// repeated, the question was that one, and not one of the node's own.
    pub cut_off: bool,
    /// Its intent is recorded; otherwise nothing of it was done yet.
    pub begun: bool,
    /// Attempts that failed and that another was to follow.
    pub failed: u32,
    /// What the failed attempts used.
    pub spent: Usage,
    /// The error code of each failed attempt.
    pub codes: Vec<String>,
    /// When the pause before the next attempt is over, in milliseconds since the Unix epoch; until then no attempt is under way.
    pub again_at: Option<i64>,
    /// The execution waited for room in a budget: it had not made the call that it asked for.
    pub blocked: bool,
    /// The answer was given in another store. It is history and grants nothing here.
    pub answered_elsewhere: bool,
    /// The question, where it was written in another store. What it says may be wrong.
    pub imported_question: Option<(Question, Arc<Value>)>,
    /// Its record, from another store, has another input than the execution.
    misstated: bool,
    /// The execution had made a call.
    called: bool,
    /// How often the run had been resumed when the execution was last under way.
    session: u32,
}

impl OpenExecution {
    fn forget_calls(&mut self) {
        self.blocked = false;
        self.called = false;
    }

    /// Whether a person was asked and has not answered.
    pub fn waits(&self) -> bool {
        self.asked && self.answer.is_none()
    }

    /// Whether the execution was under way and had done nothing yet.
    pub fn is_unspent(&self) -> bool {
        self.blocked && !self.called
    }
}

/// A timer that had not fired.
pub struct OpenTimer {
    pub ticket: Ticket,
    /// What was left of it when the last record was written, in milliseconds.
    pub left_ms: u64,
    pub limit: bool,
}

/// Executions that have not ended and timers that have not fired.
#[derive(Default)]
pub(crate) struct Open {
    executions: BTreeMap<Ticket, OpenExecution>,
    by_path: HashMap<String, Ticket>,
    /// With the run's own time at which each started.
    timers: BTreeMap<Ticket, (OpenTimer, i64)>,
    /// How often the run had been resumed.
    session: u32,
    next_call: u64,
    /// The next records were written in another store.
    importing: bool,
}

impl Open {
    /// The execution that is open at this path.
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

    /// The number of the next call that asks.
    pub(crate) fn next_call(&self) -> u64 {
        self.next_call
    }

    /// Adds what the core asked to be done at its time `now`.
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
                    blocked: false,
                    answered_elsewhere: false,
                    imported_question: None,
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
                };
                self.timers.insert(ticket, (timer, now));
            }
            Effect::Cancel { ticket } => self.close(ticket),
            Effect::Call { .. } | Effect::Finished { .. } | Effect::Record { .. } => {}
        }
    }

    /// An execution or a timer is over.
    pub(crate) fn close(&mut self, ticket: Ticket) {
        self.executions.remove(&ticket);
        self.timers.remove(&ticket);
    }

    /// The run was suspended and is resumed. What a fork left open begins then.
    pub(crate) fn pause(&mut self) {
        self.session += 1;
        for execution in self.executions.values_mut() {
            execution.begun = true;
        }
    }

    /// A fork takes over what is open; nothing of it was done in the fork yet.
    pub(crate) fn take_over(&mut self) {
        for execution in self
            .executions
            .values_mut()
            .filter(|execution| !execution.waits())
        {
            execution.begun = false;
            execution.session = self.session + 1;
        }
    }

    /// Sets whether the next records were written in another store.
    pub(crate) fn imports(&mut self, importing: bool) {
        self.importing = importing;
    }

    /// The record of the execution at this path, from another store, has another input than the execution.
    pub(crate) fn misstated(&mut self, path: &str) {
        if let Some(execution) = self.execution_mut(path) {
            execution.misstated = true;
        }
    }

    /// Whether `record` is the start of an open execution and has another input. A question would show it.
    pub(crate) fn is_misstated(&self, record: &Record) -> bool {
        matches!(record.entry, Entry::Fact(Fact::NodeStarted { .. }))
            && self
                .execution(&record.path)
                .is_some_and(|execution| execution.misstated)
    }

    /// An execution asks a person.
    pub(crate) fn waits(&mut self, ticket: Ticket, question: &Question, value: &Arc<Value>) {
        let importing = self.importing;
        if let Some(execution) = self.executions.get_mut(&ticket) {
            // A node asks in the session that executes it; only the driver asks about an execution of an earlier one. A question
            // that is repeated keeps its meaning.
            if !execution.waits() {
                execution.cut_off = self.session > execution.session;
            }
            execution.asked = true;
            execution.answer = None;
            execution.answered_elsewhere = false;
            execution.imported_question = importing.then(|| (question.clone(), Arc::clone(value)));
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

    /// An attempt of the execution at this path failed, and another follows.
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

    /// An execution asks for a call.
    pub(crate) fn asked(&mut self, path: &str, call: u64, fits: Fit) {
        self.next_call = self.next_call.max(call.saturating_add(1));
        if let Some(execution) = self.execution_mut(path) {
            execution.again_at = None;
            execution.blocked = fits != Fit::Now;
            execution.called |= fits == Fit::Now;
        }
    }

    /// Nobody knows what became of the calls that were under way.
    pub(crate) fn forget_calls(&mut self) {
        self.executions
            .values_mut()
            .for_each(OpenExecution::forget_calls);
    }

    /// Takes note of a fact about the execution at this path.
    pub(crate) fn note_fact(&mut self, path: &str, entry: &Entry) {
        let session = self.session;
        let Some(execution) = self.execution_mut(path) else {
            return;
        };
        match entry {
            // The intent may have been written when the run was resumed.
            Entry::Fact(Fact::NodeStarted { .. }) => execution.session = session,
            Entry::Fact(Fact::CallReserved { .. }) => {
                execution.blocked = false;
                execution.called = true;
            }
            _ => {}
        }
    }

    /// What the core emitted for this path is not recorded.
    pub(crate) fn is_unwritten(&mut self, path: &str, entry: &Entry) {
        if let Entry::Fact(Fact::NodeStarted { .. }) = entry
            && let Some(execution) = self.execution_mut(path)
        {
            execution.begun = false;
        }
    }

    /// The executions, and the timers with the time left of each at the run's time `now`.
    pub(crate) fn into_parts(self, now: i64) -> (Vec<OpenExecution>, Vec<OpenTimer>) {
        let left = |(timer, armed): (OpenTimer, i64)| {
            let spent = u64::try_from(now.saturating_sub(armed)).unwrap_or(0);
            OpenTimer {
                left_ms: timer.left_ms.saturating_sub(spent),
                ..timer
            }
        };
        let timers = self.timers.into_values().map(left).collect();
        (self.executions.into_values().collect(), timers)
    }
}
