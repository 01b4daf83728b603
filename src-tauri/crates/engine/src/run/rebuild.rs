//! Rebuilding a run from its journal by the code that ran it.
//!
//! The core is a function of what it is told, and that is in the journal: it is told again in the order of the records. What
//! it then says must be what is written there. Recovery, replay and fork all read a journal through this.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, VecDeque},
    sync::Arc,
};

use loopwright_model::graph::NodeIx;
use serde_json::{Map, Value};

use super::{
    Effect, Input, Run, Ticket,
    compare::{diverged, same, same_kind},
    hold::TimerName,
    plans::Plans,
    recover::OpenVisit,
};
use crate::{
    journal::{self, COMPAT, Entry, Fact, Record, StopReason, told_in_1},
    kind::Answer,
    outcome::{NodeError, Outcome, Usage},
    plan::Plan,
};

/// A run that is being rebuilt.
pub(crate) struct Rebuild {
    pub(crate) run: Run,
    pub(crate) visits: BTreeMap<Ticket, OpenVisit>,
    pub(crate) by_path: HashMap<String, Ticket>,
    pub(crate) timers: BTreeMap<Ticket, OpenSince>,
    /// What the core said and no record was compared with yet.
    pub(crate) said: VecDeque<(String, Option<NodeIx>, Entry)>,
    /// The run's own time of the present step.
    pub(crate) at: i64,
    pub(crate) last_at: i64,
    pub(crate) stood_still: i64,
    /// How often the run had been taken up.
    session: u32,
    /// The number of the next call that asks.
    pub(crate) next_call: u64,
    compat: u32,
    plans: VecDeque<Arc<Plan>>,
}

pub(crate) struct OpenSince {
    pub(crate) after_ms: u64,
    pub(crate) armed: i64,
    pub(crate) limit: bool,
}

/// What a record of an input tells.
pub(crate) struct Told<'r> {
    pub(crate) input: Cow<'r, journal::Input>,
    /// What the timer that rang was for.
    pub(crate) timer: Option<TimerName>,
}

impl Rebuild {
    /// A run that stands before its start. The places of all forks among `records` are held, each until its own.
    pub(crate) fn new(plans: &Plans, inputs: Map<String, Value>, records: &[Record]) -> Self {
        let mut run = Run::new(Arc::clone(plans.first()), inputs);
        for record in records {
            if let Entry::Input(journal::Input::Forked { at, beyond, .. }) = &record.entry {
                run.hold(at, *beyond);
            }
        }
        let began = records.first().map_or(0, |record| record.at);
        Self {
            run,
            visits: BTreeMap::new(),
            by_path: HashMap::new(),
            timers: BTreeMap::new(),
            said: VecDeque::new(),
            at: began,
            last_at: began,
            stood_still: 0,
            session: 0,
            next_call: 0,
            compat: COMPAT,
            plans: plans.iter().skip(1).cloned().collect(),
        }
    }

    /// Takes one more record: the core is told an input, and a fact is compared with what it said. `exact`: that must be the
    /// record to the last value, else of its kind.
    ///
    /// # Errors
    /// `journal_diverged` when it is not what the flow gives.
    pub(crate) fn take<'r>(
        &mut self,
        record: &'r Record,
        exact: bool,
    ) -> Result<Option<Told<'r>>, NodeError> {
        let input = match &record.entry {
            Entry::Input(input) => Some(Cow::Borrowed(input)),
            // A run of compatibility 1 was told something wherever nothing that it said was left.
            Entry::Fact(fact) if self.compat == 1 && self.said.is_empty() => {
                told_in_1(fact).map(Cow::Owned)
            }
            Entry::Fact(_) => None,
        };
        let Some(input) = input else {
            self.now(record.at);
            self.compare(record, &record.entry, exact)?;
            self.begun(record);
            return Ok(None);
        };
        let timer = match *input {
            journal::Input::TimerRang { ticket } => self.run.timer_name(Ticket(ticket)),
            _ => None,
        };
        if self.tell(record, &input)? {
            match &input {
                Cow::Borrowed(_) => self.compare(record, &record.entry, exact)?,
                Cow::Owned(input) => {
                    self.compare(record, &Entry::Input(input.clone()), exact)?;
                }
            }
        }
        Ok(Some(Told { input, timer }))
    }

    /// Compares what the core says next with what is written.
    fn compare(&mut self, record: &Record, written: &Entry, exact: bool) -> Result<(), NodeError> {
        let said = self.said.pop_front();
        let fits = said.as_ref().is_some_and(|(path, node, entry)| {
            let id = node.map(|node| self.run.plan.name_on_record(node, path));
            *path == record.path
                && if exact {
                    same(entry, written) && id == record.node_id.as_deref()
                } else {
                    same_kind(entry, written)
                }
        });
        if fits {
            return Ok(());
        }
        Err(diverged(record, said.map(|(path, _, entry)| (path, entry))))
    }

    /// Tells the core an input. Returns whether the core writes it down itself; what it does not, the host does.
    fn tell(&mut self, record: &Record, input: &journal::Input) -> Result<bool, NodeError> {
        use journal::Input as Written;
        if matches!(input, Written::RunResumed | Written::Forked { .. }) {
            self.pause(record.at);
        }
        self.now(record.at);
        let open = self.open(&record.path);
        match (input, open) {
            (Written::RunStarted { compat, .. }, _) => {
                self.compat = *compat;
                self.step(Input::Start);
            }
            (Written::VisitCompleted(done), Some(ticket)) => {
                self.visited(ticket, Ok(done.outcome.clone()));
            }
            (Written::VisitFailed(failed), Some(ticket)) => {
                self.visited(ticket, Err(failed.error.clone()));
            }
            (Written::NodeWaiting { message, value }, Some(ticket)) => {
                self.waits(ticket, message.clone(), Arc::clone(value));
            }
            (Written::TimerRang { ticket }, _) => self.rang(Ticket(*ticket)),
            (Written::StopRequested { reason }, _) => self.step(match reason {
                StopReason::Cancelled => Input::Cancel,
                StopReason::Timeout => Input::Deadline,
                StopReason::BudgetExceeded => Input::OverBudget,
            }),
            (Written::CallAsked { asked, .. }, Some(ticket)) => {
                self.asked(ticket, asked.call);
                let asked = asked.clone();
                self.step(Input::Asks { ticket, asked });
            }
            (
                &Written::CallSettled {
                    call, usage, known, ..
                },
                _,
            ) => {
                self.step(Input::Settled { call, usage, known });
            }
            (&Written::BudgetSet { limits }, _) => self.step(Input::Budget(limits)),
            (Written::LoopOverBudget, _) => {
                let path = record.path.clone();
                self.step(Input::LoopOverBudget { path });
            }
            (Written::RunPaused, _) => self.step(Input::Pause),
            (Written::RunContinued, _) => self.step(Input::Continue),
            (Written::Forked { .. }, _) => {
                self.forked(input).ok_or_else(|| diverged(record, None))?
            }
            (Written::VisitRetried(retried), _) => {
                self.retried(&record.path, retried.attempt, &retried.error.usage);
                return Ok(false);
            }
            (Written::NodeAnswered { answer }, Some(ticket)) => {
                self.answered(ticket, answer.clone());
                return Ok(false);
            }
            (Written::CallsUnderWay { usage }, _) => {
                self.sent(&record.path, usage);
                return Ok(false);
            }
            (Written::RunResumed, _) => {
                self.visits.values_mut().for_each(OpenVisit::forget_calls);
                self.run.taken_up();
                return Ok(false);
            }
            (Written::HostWarned { warning }, _) => {
                self.run.add_warning(warning.clone());
                return Ok(false);
            }
            (Written::Noted { .. }, _) => return Ok(false),
            // Nothing is open at its path.
            (
                Written::VisitCompleted(_)
                | Written::VisitFailed(_)
                | Written::NodeWaiting { .. }
                | Written::NodeAnswered { .. }
                | Written::CallAsked { .. },
                None,
            ) => return Err(diverged(record, None)),
        }
        Ok(true)
    }

    /// The clock went on and the run did not.
    pub(crate) fn pause(&mut self, until: i64) {
        // A clock that was set back in between did not make time go back.
        let pause = until.saturating_sub(self.last_at).max(0);
        self.stood_still = self.stood_still.saturating_add(pause);
        self.last_at = until;
        self.session += 1;
        self.run.set_stood_still(self.stood_still);
        // What a fork left open begins when the run is taken up.
        for visit in self.visits.values_mut() {
            visit.begun = true;
        }
    }

    pub(crate) fn now(&mut self, at: i64) {
        self.last_at = at;
        self.at = at.saturating_sub(self.stood_still);
    }

    /// Steps the core, and keeps what it says and what it waits for.
    pub(crate) fn step(&mut self, input: Input) {
        let mut effects = Vec::new();
        let forked = matches!(input, Input::Forked { .. });
        self.run.step(self.at, input, &mut effects);
        for effect in effects {
            match effect {
                Effect::Record { path, node, entry } => self.said.push_back((path, node, entry)),
                Effect::Visit {
                    ticket,
                    node,
                    path,
                    input,
                } => {
                    self.by_path.insert(path.clone(), ticket);
                    self.visits.insert(
                        ticket,
                        OpenVisit {
                            ticket,
                            node,
                            path,
                            input,
                            asked: false,
                            answer: None,
                            cut_off: false,
                            begun: true,
                            failed: 0,
                            spent: Usage::default(),
                            blocked: false,
                            called: false,
                            session: self.session,
                        },
                    );
                }
                Effect::Timer {
                    ticket,
                    after_ms,
                    limit,
                } => {
                    let since = OpenSince {
                        after_ms,
                        armed: self.at,
                        limit,
                    };
                    self.timers.insert(ticket, since);
                }
                Effect::Cancel { ticket } => {
                    self.visits.remove(&ticket);
                    self.timers.remove(&ticket);
                }
                Effect::Call { .. } | Effect::Finished { .. } => {}
            }
        }
        if forked {
            // Nothing of it was done in this run yet.
            for visit in self.visits.values_mut().filter(|visit| !visit.waits()) {
                visit.begun = false;
                visit.session = self.session + 1;
            }
        }
    }

    /// The visit that is open at this path.
    pub(crate) fn open(&self, path: &str) -> Option<Ticket> {
        let ticket = self.by_path.get(path)?;
        self.visits.contains_key(ticket).then_some(*ticket)
    }

    pub(crate) fn visited(&mut self, ticket: Ticket, result: Result<Outcome, NodeError>) {
        self.visits.remove(&ticket);
        self.step(Input::Visited { ticket, result });
    }

    pub(crate) fn waits(&mut self, ticket: Ticket, message: String, value: Arc<Value>) {
        if let Some(visit) = self.visits.get_mut(&ticket) {
            visit.asked = true;
            visit.answer = None;
            // A node asks in the session that visits it; only the driver asks about a visit of an earlier one.
            visit.cut_off = self.session > visit.session;
        }
        self.step(Input::Waits {
            ticket,
            message,
            value,
        });
    }

    pub(crate) fn answered(&mut self, ticket: Ticket, answer: Answer) {
        if let Some(visit) = self.visits.get_mut(&ticket) {
            visit.answer = Some(answer);
            visit.session = self.session;
        }
    }

    pub(crate) fn rang(&mut self, ticket: Ticket) {
        self.timers.remove(&ticket);
        self.step(Input::Rang { ticket });
    }

    /// Goes over to the next plan.
    pub(crate) fn forked(&mut self, input: &journal::Input) -> Option<()> {
        let journal::Input::Forked {
            parent,
            at,
            beyond,
            given,
        } = input
        else {
            return None;
        };
        let plan = self.plans.pop_front()?;
        self.step(Input::Forked {
            parent: parent.clone(),
            at: at.clone(),
            beyond: *beyond,
            plan,
            given: given.clone(),
        });
        Some(())
    }

    /// An attempt of the visit at this path failed, and another follows.
    pub(crate) fn retried(&mut self, path: &str, attempt: u32, usage: &Usage) {
        let ticket = self.by_path.get(path);
        if let Some(visit) = ticket.and_then(|ticket| self.visits.get_mut(ticket)) {
            visit.failed = attempt;
            visit.spent.add(usage);
            visit.forget_calls();
            self.run.note_failed_attempt(visit.ticket, usage);
        }
    }

    /// What the visit at this path has sent so far.
    pub(crate) fn sent(&mut self, path: &str, usage: &Usage) {
        if let Some(ticket) = self.open(path) {
            self.run.note_sent(ticket, usage);
        }
    }

    /// A visit asks for a call.
    fn asked(&mut self, ticket: Ticket, call: u64) {
        self.next_call = self.next_call.max(call.saturating_add(1));
        if let Some(visit) = self.visits.get_mut(&ticket) {
            visit.blocked = true;
        }
    }

    /// A visit begins with its intent, which may have been written when the run was taken up.
    fn begun(&mut self, record: &Record) {
        if let Entry::Fact(Fact::NodeStarted { .. }) = record.entry
            && let Some(ticket) = self.by_path.get(&record.path)
            && let Some(visit) = self.visits.get_mut(ticket)
        {
            visit.session = self.session;
        }
    }
}
