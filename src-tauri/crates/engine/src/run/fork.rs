//! Fork: from a run's journal, the beginning of another that continues from a place with something changed.
//!
//! A step depends on the place if the core cannot reach it while a breakpoint is there: everything behind it by wires, the
//! evaluation of its iteration and all later iterations, the end of its list. Every recorded outcome that the core reaches all the
//! same is kept, with its time: all before the place, other items of a list, branches beside it.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    ops::ControlFlow,
    sync::Arc,
};

use serde_json::{Map, Value};

use super::{
    Input,
    breakpoints::TimerName,
    core_input::ReplayedInput,
    plans::Plans,
    rebuild::{self, Rebuild, RecordSource},
};
use crate::{
    journal::{self, Entry, Fact, Override, Record, used},
    kind::NodeInput,
    outcome::{NodeError, Usage},
};

/// Where a run is forked.
#[derive(Debug, Clone)]
pub struct Place {
    /// The run that is forked.
    pub parent: String,
    /// `refine[3]/draft`, `refine[3]`, `draft`
    pub at: String,
    /// The place is the iteration behind a loop's last one.
    pub beyond: bool,
    /// What stands there instead of what would come about.
    pub given: Option<Override>,
    /// Milliseconds since the Unix epoch.
    pub now: i64,
}

/// How a forked run begins.
#[derive(Debug)]
pub struct Begun {
    /// Numbered from 0; the last one is the fork.
    pub records: Vec<Record>,
    /// What they have used.
    pub usage: Usage,
}

/// Makes the beginning of a run that is forked from `records`, all of a run's, at `place`. `before` are that run's plans,
/// `after` the new one's: one more.
///
/// # Errors
/// `journal_diverged` when the records do not fit their flow; `not_reached` when the place is not come to again.
pub fn fork(
    before: &Plans,
    after: &Plans,
    inputs: &Map<String, Value>,
    records: &[Record],
    place: &Place,
) -> Result<Begun, NodeError> {
    let mut left_out = BTreeSet::new();
    loop {
        match attempt(before, after, inputs, records, place, &left_out)? {
            Attempt::Begun(begun) => return Ok(begun),
            // A failure that ended what the place lies in is tried again.
            Attempt::Lost(failed) if left_out.insert(failed.clone()) => {}
            Attempt::Lost(_) | Attempt::NotReached => {
                return Err(not_reached(before, after, place));
            }
        }
    }
}

/// What is kept before a place was recorded, so that nothing new can stand there.
fn not_reached(before: &Plans, after: &Plans, place: &Place) -> NodeError {
    let plan = |plans: &Plans| Arc::clone(plans.last());
    let (old, new) = (plan(before), plan(after));
    let known: BTreeSet<&str> = old.nodes.iter().map(|node| &*node.place).collect();
    let fresh: Vec<String> = new
        .nodes
        .iter()
        .filter(|node| !known.contains(&*node.place))
        .map(|node| format!("\"{}\"", node.title))
        .collect();
    let why = if fresh.is_empty() {
        "what was changed, or something before the place, leads elsewhere".to_owned()
    } else {
        format!(
            "what was changed leads elsewhere, or needs what is new before the place ({})",
            fresh.join(", ")
        )
    };
    NodeError::new(
        "not_reached",
        format!(
            "The flow does not come to `{}` any more with what was recorded: {why}. Fork at an earlier place, or start a new run.",
            place.at
        ),
    )
}

enum Attempt {
    Begun(Begun),
    /// The failure of the node at this path ended what the place lies in.
    Lost(String),
    NotReached,
}

fn attempt(
    before: &Plans,
    after: &Plans,
    inputs: &Map<String, Value>,
    records: &[Record],
    place: &Place,
    left_out: &BTreeSet<String>,
) -> Result<Attempt, NodeError> {
    let began = records.first().map_or(place.now, |record| record.at);
    let mut rebuild = Rebuild::new(after, inputs.clone(), records);
    rebuild.add_breakpoint(&place.at, place.beyond);
    let mut new = Beginning {
        rebuild,
        records: Vec::new(),
        started: HashMap::new(),
        later: HashMap::new(),
        at: began,
    };
    let from = RecordSource {
        plans: before,
        inputs,
        records,
        reopened: false,
        exact: false,
        imported: 0,
    };
    let (mut reached, mut missed) = (false, None);
    rebuild::rebuild(&from, |parent, record, replayed| {
        let failed = replayed
            .as_ref()
            .is_some_and(|replayed| matches!(*replayed.input, journal::Input::ExecutionFailed(_)));
        new.follow(parent, record, replayed, &place.at, left_out);
        let stands = new.rebuild.is_stopped_before(&place.at);
        if new.rebuild.run.status().is_some() || (reached && !stands) {
            missed = Some(match failed {
                true => Attempt::Lost(record.path.clone()),
                false => Attempt::NotReached,
            });
            return ControlFlow::Break(());
        }
        reached |= stands;
        ControlFlow::Continue(())
    })?;
    if let Some(missed) = missed {
        return Ok(missed);
    }
    if !reached {
        return Ok(Attempt::NotReached);
    }
    let usage = used(&new.records);
    // A clock that was set back does not make time go back.
    new.at = place.now.max(new.rebuild.last_at);
    new.rebuild.pause(new.at);
    let input = journal::Input::Forked {
        parent: place.parent.clone(),
        at: place.at.clone(),
        beyond: place.beyond,
        given: place.given.clone(),
    };
    let kept = new.records.len();
    new.step(|rebuild| rebuild.fork(&input));
    // What the core says behind it is said again when the run is resumed.
    new.records.truncate(kept + 1);
    Ok(Attempt::Begun(Begun {
        records: new.records,
        usage,
    }))
}

/// The beginning of the new run.
struct Beginning {
    rebuild: Rebuild,
    records: Vec<Record>,
    /// What the parent's executions began with, by path.
    started: HashMap<String, NodeInput>,
    /// What came of executions that are not open here yet, by path.
    later: HashMap<String, VecDeque<Record>>,
    at: i64,
}

impl Beginning {
    /// Takes over what `parent` came to by a record, as far as it does not depend on the place.
    fn follow(
        &mut self,
        parent: &Rebuild,
        record: &Record,
        replayed: Option<ReplayedInput<'_>>,
        place: &str,
        left_out: &BTreeSet<String>,
    ) {
        if matches!(record.entry, Entry::Fact(Fact::NodeStarted { .. }))
            && let Some(execution) = parent.open.execution(&record.path)
        {
            let input = execution.input.clone();
            self.started.insert(record.path.clone(), input);
        }
        self.at = record.at;
        if let Some(replayed) = replayed {
            self.copy_input(record, replayed, place, left_out);
        }
        // What is kept asks for no call, so that no budget would end its loop again.
        for path in &parent.run.budgets.loops_over {
            let end = TimerName::LoopLimit(path.clone());
            if !end.depends_on(place) && !self.rebuild.times_a_reader(&end) {
                self.step(|rebuild| rebuild.step(Input::LoopOverBudget { path: path.clone() }));
            }
        }
    }

    /// Takes over an input of the parent, if it does not depend on the place.
    fn copy_input(
        &mut self,
        record: &Record,
        replayed: ReplayedInput<'_>,
        place: &str,
        left_out: &BTreeSet<String>,
    ) {
        use journal::Input as Written;
        let ReplayedInput { input, timer } = replayed;
        let path = record.path.as_str();
        let record = || Record {
            entry: Entry::Input(input.clone().into_owned()),
            ..record.clone()
        };
        match &*input {
            Written::RunStarted { .. } => self.step(|rebuild| rebuild.step(Input::Start)),
            Written::TimerFired { .. } => {
                if let Some(name) = timer
                    && !name.depends_on(place)
                    && !self.rebuild.times_a_reader(&name)
                {
                    let mut open = self.rebuild.open.timers().into_iter();
                    let rebuild = &self.rebuild;
                    let ticket =
                        open.find(|ticket| rebuild.timer_name(*ticket).as_ref() == Some(&name));
                    if let Some(ticket) = ticket {
                        self.step(|rebuild| rebuild.step(Input::TimerFired { ticket }));
                    }
                }
            }
            Written::RunResumed => {
                self.rebuild.pause(self.at);
                self.copy_record(record());
            }
            Written::RunTakenOver => {
                self.rebuild.open.pause();
                self.copy_record(record());
            }
            Written::Forked { at, .. } => {
                let mut input = input.clone().into_owned();
                if let Written::Forked { given, .. } = &mut input
                    && (at == place || !self.rebuild.is_stopped_before(at))
                {
                    // What was put there depends on the new place.
                    *given = None;
                }
                self.rebuild.pause(self.at);
                self.step(|rebuild| rebuild.fork(&input));
            }
            Written::HostWarned { warning } => {
                if self.rebuild.run.add_warning((**warning).clone()) {
                    self.copy_record(record());
                }
            }
            Written::ExecutionFailed(_) if left_out.contains(path) => {}
            Written::ExecutionCompleted(_)
            | Written::ExecutionFailed(_)
            | Written::NodeWaiting { .. }
            | Written::NodeAnswered { .. }
            | Written::ExecutionRetried(_)
            | Written::CallsUnderWay { .. } => self.queue_result(record()),
            // What is kept has been paid for; what is made again asks again.
            Written::StopRequested { .. }
            | Written::CallRequested { .. }
            | Written::CallSettled { .. }
            | Written::BudgetSet { .. }
            | Written::LoopOverBudget
            | Written::RunPaused
            | Written::RunContinued
            | Written::Noted { .. } => {}
        }
    }

    /// Steps the core, and tells it what came of the executions that this opened.
    fn step(&mut self, input: impl FnOnce(&mut Rebuild)) {
        let opened = self.step_core(input);
        self.catch_up(opened);
    }

    /// Steps the core and writes down what it says; the paths of the executions that it opened.
    fn step_core(&mut self, input: impl FnOnce(&mut Rebuild)) -> Vec<String> {
        self.rebuild.now(self.at);
        input(&mut self.rebuild);
        let mut opened = Vec::new();
        while let Some((path, node, entry)) = self.rebuild.emitted.pop_front() {
            if matches!(entry, Entry::Fact(Fact::NodeStarted { .. })) {
                opened.push(path.clone());
            }
            let plan = &self.rebuild.run.tree.plan;
            let node_id = node.map(|node| plan.name_on_record(node, &path).to_owned());
            self.push(path, node_id, entry);
        }
        opened
    }

    fn push(&mut self, path: String, node_id: Option<Arc<str>>, entry: Entry) {
        self.records.push(Record {
            seq: self.records.len() as u64,
            at: self.at,
            path,
            node_id,
            entry,
        });
    }

    /// Takes over a record that the core does not write itself.
    fn copy_record(&mut self, record: Record) {
        self.push(record.path, record.node_id, record.entry);
    }

    /// Tells what came of an execution, at once or when it is open.
    fn queue_result(&mut self, record: Record) {
        let path = record.path.clone();
        self.later
            .entry(path.clone())
            .or_default()
            .push_back(record);
        self.catch_up(vec![path]);
    }

    /// Tells what came of the executions at `paths`, and of those that this opens, before the next: as deep as a run is long, so
    /// with a list instead of recursion.
    fn catch_up(&mut self, mut paths: Vec<String>) {
        paths.reverse();
        while let Some(path) = paths.pop() {
            if let Some(opened) = self.feed_next(&path) {
                paths.push(path);
                paths.extend(opened.into_iter().rev());
            }
        }
    }

    /// Tells the next that came of the execution at `path`; the executions that this opened, or nothing if there was none to tell.
    fn feed_next(&mut self, path: &str) -> Option<Vec<String>> {
        let ticket = self.rebuild.open.at(path)?;
        // What came of other values is not what comes of these.
        let execution = self.rebuild.open.execution(path)?;
        if self.started.get(path) != Some(&execution.input) {
            return None;
        }
        let record = self.later.get_mut(path).and_then(VecDeque::pop_front)?;
        let Entry::Input(input) = &record.entry else {
            return None;
        };
        match input {
            journal::Input::ExecutionCompleted(done) => {
                let result = Ok(done.outcome.clone());
                return Some(
                    self.step_core(|rebuild| rebuild.step(Input::NodeFinished { ticket, result })),
                );
            }
            journal::Input::ExecutionFailed(failed) => {
                let result = Err(failed.error.clone());
                return Some(
                    self.step_core(|rebuild| rebuild.step(Input::NodeFinished { ticket, result })),
                );
            }
            journal::Input::NodeWaiting { question, value } => {
                let (question, value) = (question.clone(), Arc::clone(value));
                return Some(self.step_core(|rebuild| {
                    rebuild.step(Input::NodeWaiting {
                        ticket,
                        question,
                        value,
                    })
                }));
            }
            journal::Input::NodeAnswered { answer } => {
                self.rebuild.now(self.at);
                self.rebuild.open.answered(ticket, (**answer).clone());
            }
            journal::Input::ExecutionRetried(retried) => {
                self.rebuild.retried(path, retried, record.at);
            }
            journal::Input::CallsUnderWay { usage } => self.rebuild.sent(path, usage),
            _ => return None,
        }
        self.copy_record(record);
        Some(Vec::new())
    }
}
