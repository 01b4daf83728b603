//! Rebuilding a run from its journal by the code that ran it.
//!
//! The core is a function of its inputs, and every input is in the journal: outcomes of visits, answers, timers, the request
//! to stop, forks. They are fed again in the order of the records; what the core then says must be what is written there.
//! Recovery, replay and fork all read a journal through this.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::Arc,
};

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::{Effect, Input, Run, Ticket, hold::TimerName, recover::OpenVisit};
use crate::{
    event::Warning,
    journal::{Entry, Record},
    kind::Answer,
    outcome::{NodeError, Outcome, Usage},
    plan::Plan,
};

/// The plans of a run in the order in which they hold: one, and one more for every fork.
#[derive(Clone)]
pub struct Plans {
    first: Arc<Plan>,
    later: Vec<Arc<Plan>>,
}

impl From<Arc<Plan>> for Plans {
    fn from(first: Arc<Plan>) -> Self {
        Self {
            first,
            later: Vec::new(),
        }
    }
}

impl Plans {
    /// Adds what a fork goes on with.
    pub fn then(mut self, plan: Arc<Plan>) -> Self {
        self.later.push(plan);
        self
    }

    /// The plan that the run began with.
    pub fn first(&self) -> &Arc<Plan> {
        &self.first
    }

    /// The plan that holds at the end.
    pub fn last(&self) -> &Arc<Plan> {
        self.later.last().unwrap_or(&self.first)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Plan>> {
        std::iter::once(&self.first).chain(&self.later)
    }
}

/// What a record tells.
pub(crate) enum Told {
    /// What the core says, given what it was told before.
    Said,
    /// A visit ended.
    Visited(Result<Outcome, NodeError>),
    /// A visit asks a person.
    Waits {
        message: String,
        value: Arc<Value>,
    },
    /// The person's answer: nothing for the core, which hears of what comes of it.
    Answered(Answer),
    /// An attempt failed.
    Retried,
    /// What a visit under way has sent.
    Sent,
    /// A warning of the driver's own.
    Warned(Warning),
    Rang(TimerName),
    /// The run was stopped from outside.
    Stopped,
    /// It was taken up again.
    Resumed,
    Forked,
    /// A note about trust.
    Noted,
    /// A call asked or ended, or the run was given another budget, held or let go on: inputs of this run alone.
    Governed,
}

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
    started: bool,
    plans: VecDeque<Arc<Plan>>,
}

pub(crate) struct OpenSince {
    pub(crate) after_ms: u64,
    pub(crate) armed: i64,
    pub(crate) limit: bool,
}

impl Rebuild {
    /// `run` stands before its start; `began` is the time of the first record.
    pub(crate) fn new(run: Run, later: impl IntoIterator<Item = Arc<Plan>>, began: i64) -> Self {
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
            started: false,
            plans: later.into_iter().collect(),
        }
    }

    /// Feeds one more record. `exact`: what the core says must be the record to the last value, else of its kind.
    ///
    /// # Errors
    /// `journal_diverged` when it is not what the flow gives.
    pub(crate) fn take(&mut self, record: &Record, exact: bool) -> Result<Told, NodeError> {
        match record.entry {
            Entry::RunResumed => {
                self.pause(record.at);
                self.now(record.at);
                self.visits.values_mut().for_each(OpenVisit::forget_calls);
                self.run.taken_up();
                return Ok(Told::Resumed);
            }
            Entry::Forked { .. } => self.pause(record.at),
            Entry::Noted { .. } => {
                self.now(record.at);
                return Ok(Told::Noted);
            }
            Entry::CallsUnderWay { usage } => {
                self.now(record.at);
                self.sent(&record.path, &usage);
                return Ok(Told::Sent);
            }
            _ => {}
        }
        self.now(record.at);
        // A visit is tried again by the driver, a subflow by the core.
        let is_said = matches!(self.said.front(), Some((_, _, Entry::NodeRetried { .. })));
        if let Entry::NodeRetried { attempt, error, .. } = &record.entry
            && !is_said
        {
            self.retried(&record.path, *attempt, &error.usage);
            return Ok(Told::Retried);
        }
        let told = if self.said.is_empty() {
            self.cause(record)?
        } else {
            Told::Said
        };
        if matches!(told, Told::Answered(_) | Told::Warned(_)) {
            return Ok(told);
        }
        match self.said.pop_front() {
            Some((path, node, entry))
                if path == record.path
                    && if exact {
                        same(&entry, &record.entry)
                            && self.id(node, &path) == record.node_id.as_deref()
                    } else {
                        same_kind(&entry, &record.entry)
                    } =>
            {
                self.begun(record);
                self.asked(record);
                Ok(told)
            }
            said => Err(diverged(
                record,
                said.map(|(path, _, entry)| (path, entry)),
                exact,
            )),
        }
    }

    fn id(&self, node: Option<NodeIx>, path: &str) -> Option<&str> {
        node.map(|node| self.run.plan.name_on_record(node, path))
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
    pub(crate) fn forked(&mut self, entry: &Entry) -> Option<()> {
        let Entry::Forked {
            parent,
            at,
            beyond,
            given,
        } = entry
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

    /// Feeds the input that `record` tells of.
    fn cause(&mut self, record: &Record) -> Result<Told, NodeError> {
        let open = self.open(&record.path);
        Ok(match (&record.entry, open) {
            (Entry::RunStarted { .. }, _) if !self.started => {
                self.started = true;
                self.step(Input::Start);
                Told::Said
            }
            (Entry::NodeCompleted { outcome, .. }, Some(ticket)) => {
                self.visited(ticket, Ok(outcome.clone()));
                Told::Visited(Ok(outcome.clone()))
            }
            (Entry::NodeFailed { error, .. }, Some(ticket)) => {
                self.visited(ticket, Err(error.clone()));
                Told::Visited(Err(error.clone()))
            }
            (Entry::NodeWaiting { message, value }, Some(ticket)) => {
                self.waits(ticket, message.clone(), Arc::clone(value));
                Told::Waits {
                    message: message.clone(),
                    value: Arc::clone(value),
                }
            }
            (Entry::NodeAnswered { answer }, Some(ticket)) => {
                self.answered(ticket, answer.clone());
                Told::Answered(answer.clone())
            }
            (Entry::TimerRang { ticket }, _) => {
                let ticket = Ticket(*ticket);
                let Some(name) = self.run.timer_name(ticket) else {
                    return Err(diverged(record, None, false));
                };
                self.rang(ticket);
                Told::Rang(name)
            }
            (Entry::StopRequested { code }, _) => {
                self.step(match code.as_str() {
                    "timeout" => Input::Deadline,
                    "budget_exceeded" => Input::OverBudget,
                    _ => Input::Cancel,
                });
                Told::Stopped
            }
            (
                Entry::CallReserved { asked, .. }
                | Entry::CallWaits { asked, .. }
                | Entry::CallRefused { asked, .. },
                Some(ticket),
            ) => {
                let asked = asked.clone();
                self.step(Input::Asks { ticket, asked });
                Told::Governed
            }
            (
                &Entry::CallSettled {
                    call, usage, known, ..
                },
                _,
            ) => {
                self.step(Input::Settled { call, usage, known });
                Told::Governed
            }
            (&Entry::BudgetSet { limits }, _) => {
                self.step(Input::Budget(limits));
                Told::Governed
            }
            (Entry::LoopOverBudget, _) => {
                let path = record.path.clone();
                self.step(Input::LoopOverBudget { path });
                Told::Governed
            }
            (Entry::RunPaused, _) => {
                self.step(Input::Pause);
                Told::Governed
            }
            (Entry::RunContinued, _) => {
                self.step(Input::Continue);
                Told::Governed
            }
            (Entry::Warned { warning }, _) => {
                self.run.add_warning(warning.clone());
                Told::Warned(warning.clone())
            }
            (entry @ Entry::Forked { .. }, _) => {
                self.forked(entry)
                    .ok_or_else(|| diverged(record, None, false))?;
                Told::Forked
            }
            _ => return Err(diverged(record, None, false)),
        })
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

    /// What a visit has of calls, where a budget is set.
    fn asked(&mut self, record: &Record) {
        let (asked, waits) = match &record.entry {
            Entry::CallReserved { asked, .. } => (asked, false),
            Entry::CallWaits { asked, .. } | Entry::CallRefused { asked, .. } => (asked, true),
            _ => return,
        };
        self.next_call = self.next_call.max(asked.call.saturating_add(1));
        let ticket = self.by_path.get(&record.path);
        if let Some(visit) = ticket.and_then(|ticket| self.visits.get_mut(ticket)) {
            visit.blocked = waits;
            visit.called |= !waits;
        }
    }

    /// A visit begins with its intent, which may have been written when the run was taken up.
    fn begun(&mut self, record: &Record) {
        if let Entry::NodeStarted { .. } = record.entry
            && let Some(ticket) = self.by_path.get(&record.path)
            && let Some(visit) = self.visits.get_mut(ticket)
        {
            visit.session = self.session;
        }
    }
}

/// Holds the places of all forks among `records`, each until its own.
pub(crate) fn hold_places(run: &mut Run, records: &[Record]) {
    for record in records {
        if let Entry::Forked { at, beyond, .. } = &record.entry {
            run.hold(at, *beyond);
        }
    }
}

/// Equal, but for what a computed fraction loses in the last place on its way through JSON.
fn same(said: &Entry, written: &Entry) -> bool {
    let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * a.abs().max(1.0),
        (a, b) => a == b,
    };
    let mut said = said.clone();
    if let (
        Entry::IterationCompleted {
            similarity, score, ..
        },
        Entry::IterationCompleted {
            similarity: written_similarity,
            score: written_score,
            ..
        },
    ) = (&mut said, written)
        && close(*similarity, *written_similarity)
        && close(*score, *written_score)
    {
        *similarity = *written_similarity;
        *score = *written_score;
    }
    said == *written
}

fn same_kind(a: &Entry, b: &Entry) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}

fn diverged(record: &Record, said: Option<(String, Entry)>, exact: bool) -> NodeError {
    let place = |path: &str| {
        if path.is_empty() {
            "the run itself".to_owned()
        } else {
            format!("`{path}`")
        }
    };
    let said = match said {
        None => ", which nothing in its flow leads to".to_owned(),
        Some((path, entry)) if exact && path == record.path && same_kind(&entry, &record.entry) => {
            format!(
                ": written is {}, and the flow now gives {}",
                short(&record.entry),
                short(&entry)
            )
        }
        Some((path, entry)) => format!(
            ": written is {}, and the flow now gives {} of {}",
            short(&record.entry),
            short(&entry),
            place(&path)
        ),
    };
    NodeError::new(
        "journal_diverged",
        format!(
            "The journal is not what this program makes of its flow, from record {} ({}) on{said}. The flow or the program has changed since. The run can still be read; start a new one.",
            record.seq,
            place(&record.path)
        ),
    )
}

/// A record's content in few words.
fn short(entry: &Entry) -> String {
    let text = serde_json::to_string(entry).unwrap_or_default();
    let cut: String = text.chars().take(200).collect();
    if cut.len() < text.len() {
        format!("{cut}…")
    } else {
        cut
    }
}
