//! Rebuilds a run from its journal, with the code that also runs it live.
//!
//! The core is a function of its inputs, and the journal contains these inputs. A rebuild passes them to the core in the order
//! of the records. The core must then emit the recorded facts. Recovery, replay and fork all read a journal in this way.

use std::{borrow::Cow, collections::VecDeque, ops::ControlFlow, sync::Arc};

use loopwright_model::graph::NodeIx;
use serde_json::{Map, Value};

use super::{
    Effect, Input, Run, Ticket,
    breakpoints::{self, TimerName},
    compare::{diverged, same, same_kind},
    core_input::{ReplayedInput, core_input},
    open::Open,
    plans::Plans,
};
use crate::{
    journal::{self, COMPAT, Entry, Record, Retried, effective, input_of_compat_1, known_compat},
    outcome::{NodeError, Usage},
    plan::Plan,
};

/// A run that is being rebuilt.
pub(crate) struct Rebuild {
    pub(crate) run: Run,
    pub(crate) open: Open,
    /// Emitted entries that have not been compared with a record yet.
    pub(crate) emitted: VecDeque<(String, Option<NodeIx>, Entry)>,
    /// The run's own time in the current step, in milliseconds since the Unix epoch.
    pub(crate) at: i64,
    pub(crate) last_at: i64,
    pub(crate) suspended_ms: i64,
    compat: u32,
    plans: VecDeque<Arc<Plan>>,
    /// The number of leading records that were written in another store.
    imported: u64,
}

/// The records from which a run is rebuilt.
pub(crate) struct RecordSource<'r> {
    pub(crate) plans: &'r Plans,
    pub(crate) inputs: &'r Map<String, Value>,
    /// All records of the run.
    pub(crate) records: &'r [Record],
    /// Whether the run is about to continue. In that case, a stop at the run's budget is undone if no other record follows it.
    pub(crate) reopened: bool,
    /// Whether emitted entries must equal the records in every value, or only in kind.
    pub(crate) exact: bool,
    /// The number of leading records that were written in another store.
    pub(crate) imported: u64,
}

/// Rebuilds a run record by record. Calls `each` after every record, until `each` returns [`ControlFlow::Break`].
///
/// # Errors
/// `journal_diverged` if the records differ from what the flow produces.
pub(crate) fn rebuild<'r>(
    from: &RecordSource<'r>,
    mut each: impl FnMut(&Rebuild, &'r Record, Option<ReplayedInput<'r>>) -> ControlFlow<()>,
) -> Result<Rebuild, NodeError> {
    let mut rebuild = Rebuild::new(from.plans, from.inputs.clone(), from.records);
    rebuild.imported = from.imported;
    for record in effective(from.records, from.reopened) {
        let replayed = rebuild.step_over(record, from.exact)?;
        if each(&rebuild, record, replayed).is_break() {
            break;
        }
    }
    Ok(rebuild)
}

impl Rebuild {
    /// Creates a run that has not started. For each fork in `records`, it has a breakpoint at the place of the fork until the
    /// fork is applied.
    pub(crate) fn new(plans: &Plans, inputs: Map<String, Value>, records: &[Record]) -> Self {
        let mut run = Run::new(Arc::clone(plans.first()), inputs);
        for record in records {
            if let Entry::Input(journal::Input::Forked { at, beyond, .. }) = &record.entry {
                run.breakpoints.add(&run.tree.plan, at, *beyond);
            }
        }
        let began = records.first().map_or(0, |record| record.at);
        Self {
            run,
            open: Open::default(),
            emitted: VecDeque::new(),
            at: began,
            last_at: began,
            suspended_ms: 0,
            compat: COMPAT,
            imported: 0,
            plans: plans.iter().skip(1).cloned().collect(),
        }
    }

    /// Adds a breakpoint at the place of a fork. `beyond` is true if the place is the iteration after the last one of a loop.
    /// Breakpoints must be added before the run starts.
    pub(crate) fn add_breakpoint(&mut self, path: &str, beyond: bool) {
        let plan = &self.run.tree.plan;
        self.run.breakpoints.add(plan, path, beyond);
    }

    /// Returns whether the run has reached the breakpoint at `path` and is stopped there.
    pub(crate) fn is_stopped_before(&self, path: &str) -> bool {
        self.run.breakpoints.is_stopped_before(&self.run.tree, path)
    }

    /// Returns whether a timer depends on a node that waits because it reads an input with a breakpoint.
    pub(crate) fn times_a_reader(&self, name: &TimerName) -> bool {
        self.run.breakpoints.times_a_reader(&self.run.tree, name)
    }

    /// Returns the purpose of the timer with this ticket, or `None` if there is no such timer.
    pub(crate) fn timer_name(&self, ticket: Ticket) -> Option<TimerName> {
        breakpoints::timer_name(&self.run.tree, self.run.out.pending.get(ticket)?)
    }

    /// Processes the next record: passes an input to the core, or compares a fact with what the core emitted. If `exact` is
    /// true, the two must be equal in every value, otherwise only in kind. Returns the input, or `None` for a fact.
    ///
    /// # Errors
    /// `journal_diverged` if the record differs from what the flow produces.
    fn step_over<'r>(
        &mut self,
        record: &'r Record,
        exact: bool,
    ) -> Result<Option<ReplayedInput<'r>>, NodeError> {
        self.open.imports(record.seq < self.imported);
        self.run.is_importing = record.seq < self.imported;
        let input = match &record.entry {
            Entry::Input(input) => Some(Cow::Borrowed(input)),
            // In a run of compatibility 1, a fact is an input if no emitted entry is left to compare.
            Entry::Fact(fact) if self.compat == 1 && self.emitted.is_empty() => {
                input_of_compat_1(fact).map(Cow::Owned)
            }
            Entry::Fact(_) => None,
        };
        let Some(input) = input else {
            self.now(record.at);
            self.compare(record, &record.entry, exact)?;
            self.open.note_fact(&record.path, &record.entry);
            return Ok(None);
        };
        let timer = match *input {
            journal::Input::TimerFired { ticket } => self.timer_name(Ticket(ticket)),
            _ => None,
        };
        if self.apply(record, &input)? {
            let written = match &input {
                Cow::Borrowed(_) => Cow::Borrowed(&record.entry),
                Cow::Owned(input) => Cow::Owned(Entry::Input(input.clone())),
            };
            self.compare(record, &written, exact)?;
        }
        Ok(Some(ReplayedInput { input, timer }))
    }

    /// Compares the next emitted entry with the recorded one. Fails if they differ.
    fn compare(&mut self, record: &Record, written: &Entry, exact: bool) -> Result<(), NodeError> {
        let emitted = self.emitted.pop_front();
        let fits = emitted.as_ref().is_some_and(|(path, node, entry)| {
            let id = node.map(|node| self.run.tree.plan.name_on_record(node, path));
            *path == record.path
                && if exact {
                    same(entry, written) && id == record.node_id.as_ref()
                } else {
                    same_kind(entry, written)
                }
        });
        if fits {
            if record.seq < self.imported
                && let Entry::Fact(journal::Fact::NodeStarted { .. }) = written
                && emitted.is_some_and(|(_, _, entry)| !same(&entry, written))
            {
                self.open.misstated(&record.path);
            }
            return Ok(());
        }
        Err(diverged(
            record,
            emitted.map(|(path, _, entry)| (path, entry)),
        ))
    }

    /// Passes an input to the core. Returns `true` if the core itself records the input, and `false` if the host does.
    fn apply(&mut self, record: &Record, input: &journal::Input) -> Result<bool, NodeError> {
        use journal::Input as Written;
        match input {
            Written::RunResumed | Written::Forked { .. } => self.pause(record.at),
            Written::RunTakenOver => self.open.pause(),
            Written::ComputerSlept { ms, .. } => self.sleep(*ms),
            _ => {}
        }
        self.now(record.at);
        let path = record.path.as_str();
        match input {
            Written::ExecutionRetried(retried) => {
                self.retried(path, retried, record.at);
            }
            Written::NodeAnswered { answer } => {
                let ticket = self.open.at(path).ok_or_else(|| diverged(record, None))?;
                self.open.answered(ticket, (**answer).clone());
            }
            Written::CallsUnderWay { usage, .. } => self.sent(path, usage),
            Written::RunResumed | Written::RunTakenOver => {
                self.open.forget_calls();
                self.run.resumed();
            }
            Written::HostWarned { warning } | Written::ComputerSlept { warning, .. } => {
                self.run.add_warning((**warning).clone());
            }
            Written::Noted { .. } | Written::AgentWorked(_) => {}
            written => {
                if let Written::RunStarted { compat, .. } = written {
                    self.compat = known_compat(*compat)?;
                    self.run.budgets.set_compat(self.compat);
                }
                if let Written::CallRequested { asked, fits, .. } = written {
                    self.open.asked(path, asked.call, *fits);
                }
                let replayed = core_input(written, path, self.open.at(path), &mut self.plans);
                self.step(replayed.ok_or_else(|| diverged(record, None))?);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Counts the time from the last record to `until` as suspended.
    pub(crate) fn pause(&mut self, until: i64) {
        // The clock may have been set back in between, but time must not run backwards.
        let pause = until.saturating_sub(self.last_at).max(0);
        self.suspended_ms = self.suspended_ms.saturating_add(pause);
        self.last_at = until;
        self.run.set_suspended_ms(self.suspended_ms);
        self.open.pause();
    }

    /// Counts the `ms` milliseconds before the next record as time for which the computer slept.
    pub(crate) fn sleep(&mut self, ms: u64) {
        let slept = i64::try_from(ms).unwrap_or(i64::MAX);
        self.suspended_ms = self.suspended_ms.saturating_add(slept);
        self.run.set_suspended_ms(self.suspended_ms);
        self.open.sleep(slept);
    }

    pub(crate) fn now(&mut self, at: i64) {
        self.last_at = at;
        self.at = at.saturating_sub(self.suspended_ms);
    }

    /// Steps the core. Stores the entries that it emits, and the executions and timers that it waits for.
    pub(crate) fn step(&mut self, input: Input) {
        match &input {
            Input::NodeFinished { ticket, .. } | Input::TimerFired { ticket } => {
                self.open.close(*ticket)
            }
            Input::NodeWaiting {
                ticket,
                question,
                value,
                expires,
            } => self
                .open
                .waits(*ticket, question, value, expires.as_deref()),
            Input::NodeParked { ticket, parked } => self.open.parks(*ticket, parked),
            Input::NodeUnparked { ticket } => self.open.unparks(*ticket),
            _ => {}
        }
        let forked = matches!(input, Input::Forked { .. });
        let mut effects = Vec::new();
        self.run.step(self.at, input, &mut effects);
        for effect in effects {
            match effect {
                Effect::Record { path, node, entry } => self.emitted.push_back((path, node, entry)),
                other => self.open.note(other, self.at),
            }
        }
        if forked {
            self.open.take_over();
        }
    }

    /// Returns whether there is a plan left that no fork in the records uses.
    pub(crate) fn has_plans_left(&self) -> bool {
        !self.plans.is_empty()
    }

    /// Switches to the next plan, if there is one.
    pub(crate) fn fork(&mut self, input: &journal::Input) {
        if let Some(input) = core_input(input, "", None, &mut self.plans) {
            self.step(input);
        }
    }

    /// Notes that an attempt of an execution failed and is retried.
    pub(crate) fn retried(&mut self, path: &str, retried: &Retried, at: i64) {
        if let Some(ticket) = self.open.retried(path, retried, at) {
            self.run.note_failed_attempt(ticket, &retried.error.usage);
        }
    }

    /// Sets the usage of the execution at this path so far.
    pub(crate) fn sent(&mut self, path: &str, usage: &Usage) {
        if let Some(ticket) = self.open.at(path) {
            self.run.note_sent(ticket, usage);
        }
    }
}
