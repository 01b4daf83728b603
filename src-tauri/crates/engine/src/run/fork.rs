//! Fork: creates the first records of a new run from the journal of another run. The new run continues from a place where
//! something is changed.
//!
//! The *place* is the node or iteration at which the run is forked. A step depends on the place if the core cannot reach the
//! step while a breakpoint is at the place. The dependent steps are everything that follows the place by wires, the evaluation
//! of its iteration, all later iterations, and the end of its list. Every other recorded outcome is kept, with its recorded
//! time: everything before the place, other items of a list, and parallel branches.

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
    answer::Expiry,
    journal::{self, Entry, Fact, Override, Record, used},
    kind::NodeInput,
    outcome::{NodeError, Usage},
};

/// The place at which a run is forked, and the change there.
#[derive(Debug, Clone)]
pub struct Place {
    /// The run that is forked.
    pub parent: String,
    /// The path of the place, such as `refine[3]/draft`, `refine[3]` or `draft`.
    pub at: String,
    /// Whether the place is the iteration after the last one of a loop.
    pub beyond: bool,
    /// The replacement of the input or the outcome at the place; `None` if nothing is replaced.
    pub given: Option<Override>,
    /// The time of the fork, in milliseconds since the Unix epoch.
    pub now: i64,
}

/// The first records of a forked run, with their usage.
#[derive(Debug)]
pub struct Begun {
    /// The records, numbered from 0. The last one is the fork.
    pub records: Vec<Record>,
    /// The usage of the records.
    pub usage: Usage,
}

/// Returns the first records of a run that is forked at `place`. `records` are all records of the parent. `before` contains the
/// plans of the parent. `after` contains the plans of the new run, one more than `before`.
///
/// # Errors
/// `journal_diverged` if the records do not match their flow; `not_reached` if the new run does not reach the place.
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
            // A failure ended a scope around the place of the fork. The next attempt omits that failure.
            Attempt::Lost(failed) if left_out.insert(failed.clone()) => {}
            Attempt::Lost(_) | Attempt::NotReached => {
                return Err(not_reached(before, after, place));
            }
        }
    }
}

/// Returns the error for a fork whose place is not reached. A new node before the place can be the cause, because it has no
/// recorded outcome.
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
        "a change, or a step before that place, makes the run take a different branch".to_owned()
    } else {
        format!(
            "the changes make the run take a different branch, or need a new node before that place ({})",
            fresh.join(", ")
        )
    };
    NodeError::new(
        "not_reached",
        format!(
            "With the recorded results, the flow no longer reaches `{}`: {why}. Fork at an earlier place, or start a new run.",
            place.at
        ),
    )
}

enum Attempt {
    Begun(Begun),
    /// The failure of the node at this path ended a scope around the place of the fork.
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
        opening: HashMap::new(),
        later: HashMap::new(),
        at: began,
        now: place.now,
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
        let is_stopped = new.rebuild.is_stopped_before(&place.at);
        if new.rebuild.run.status().is_some() || (reached && !is_stopped) {
            missed = Some(match failed {
                true => Attempt::Lost(record.path.clone()),
                false => Attempt::NotReached,
            });
            return ControlFlow::Break(());
        }
        reached |= is_stopped;
        ControlFlow::Continue(())
    })?;
    if let Some(missed) = missed {
        return Ok(missed);
    }
    if !reached {
        return Ok(Attempt::NotReached);
    }
    let usage = used(&new.records);
    // The clock may have been set back, but time must not run backwards.
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
    // The core emits the entries after the fork again when the run is resumed.
    new.records.truncate(kept + 1);
    Ok(Attempt::Begun(Begun {
        records: new.records,
        usage,
    }))
}

/// The new run while records of its parent are copied.
struct Beginning {
    rebuild: Rebuild,
    records: Vec<Record>,
    /// The inputs of the parent's executions, by path.
    started: HashMap<String, NodeInput>,
    /// The kinds and requests of the parent's resources, by the path of the loop.
    opening: HashMap<String, (Arc<str>, Arc<Value>)>,
    /// The inputs about executions and resources that are not open in the new run yet, by path.
    later: HashMap<String, VecDeque<Record>>,
    at: i64,
    /// The time of the fork, in milliseconds since the Unix epoch.
    now: i64,
}

impl Beginning {
    /// Applies a record of `parent` to the new run, unless the record depends on the place of the fork.
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
        if let Entry::Fact(Fact::ScopeOpening { kind, request }) = &record.entry {
            let request = (Arc::clone(kind), Arc::clone(request));
            self.opening.insert(record.path.clone(), request);
        }
        self.at = record.at;
        if let Some(replayed) = replayed {
            self.copy_input(record, replayed, place, left_out);
        }
        // Kept executions request no calls, so a budget would not end their loop again. The end is passed to the core as an
        // input instead.
        for path in &parent.run.budgets.loops_over {
            let end = TimerName::LoopLimit(path.clone());
            if !end.depends_on(place) && !self.rebuild.times_a_reader(&end) {
                self.step(|rebuild| rebuild.step(Input::LoopOverBudget { path: path.clone() }));
            }
        }
    }

    /// Copies an input of the parent, unless the input depends on the place of the fork.
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
            Written::ComputerSlept { ms, warning } => {
                self.rebuild.sleep(*ms);
                self.rebuild.run.add_warning((**warning).clone());
                self.copy_record(record());
            }
            Written::Forked { at, .. } => {
                let mut input = input.clone().into_owned();
                if let Written::Forked { given, .. } = &mut input
                    && (at == place || !self.rebuild.is_stopped_before(at))
                {
                    // The replacement value of the earlier fork depends on the new place, so it is dropped.
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
            Written::ScopeOpened(_) | Written::ScopeReopened(_) | Written::ScopeClosed(_) => {
                self.queue_result(record());
            }
            Written::ExecutionFailed(_) if left_out.contains(path) => {}
            Written::ExecutionCompleted(_)
            | Written::ExecutionFailed(_)
            | Written::NodeWaiting { .. }
            | Written::NodeAnswered { .. }
            | Written::ExecutionRetried(_)
            | Written::ExecutionParked(_)
            | Written::ExecutionUnparked
            | Written::AgentWorked(_)
            | Written::CallsUnderWay { .. } => self.queue_result(record()),
            // The calls of kept executions have already been charged, and repeated executions request their calls again.
            Written::StopRequested { .. }
            | Written::CallRequested { .. }
            | Written::SpendingRefused { .. }
            | Written::CallSettled { .. }
            | Written::BudgetSet { .. }
            | Written::LoopOverBudget
            | Written::RunPaused
            | Written::RunContinued
            | Written::Noted { .. } => {}
        }
    }

    /// Steps the core, and then passes it the results of the executions that the step opened.
    fn step(&mut self, input: impl FnOnce(&mut Rebuild)) {
        let opened = self.step_core(input);
        self.catch_up(opened);
    }

    /// Steps the core and records what the core emits. Returns the paths of the executions and resource requests that the step
    /// opened.
    fn step_core(&mut self, input: impl FnOnce(&mut Rebuild)) -> Vec<String> {
        self.rebuild.now(self.at);
        input(&mut self.rebuild);
        let mut opened = Vec::new();
        while let Some((path, node, entry)) = self.rebuild.emitted.pop_front() {
            if matches!(
                entry,
                Entry::Fact(
                    Fact::NodeStarted { .. } | Fact::ScopeOpening { .. } | Fact::ScopeClosing {}
                )
            ) {
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

    /// Copies a record that the core does not emit itself.
    fn copy_record(&mut self, record: Record) {
        self.push(record.path, record.node_id, record.entry);
    }

    /// Passes an input about an execution or a resource to the core, immediately or once the core waits for it.
    fn queue_result(&mut self, record: Record) {
        let path = record.path.clone();
        self.later
            .entry(path.clone())
            .or_default()
            .push_back(record);
        self.catch_up(vec![path]);
    }

    /// Passes the results of the executions at `paths` to the core. If a result opens further executions, their results come
    /// before the next path. The nesting can be as deep as the run is long, so this function uses a list instead of recursion.
    fn catch_up(&mut self, mut paths: Vec<String>) {
        paths.reverse();
        while let Some(path) = paths.pop() {
            if let Some(opened) = self.feed_next(&path) {
                paths.push(path);
                paths.extend(opened.into_iter().rev());
            }
        }
    }

    /// Passes the next answer about the resource of the loop at `path` to the core, if the core waits for it. Returns the paths
    /// of the executions and resource requests that the answer opened, or `None` if no answer was passed.
    fn feed_answer(&mut self, path: &str) -> Option<Vec<String>> {
        let (run, opening) = (&self.rebuild.run, self.opening.get(path));
        let queue = self.later.get_mut(path)?;
        let Entry::Input(input) = &queue.front()?.entry else {
            return None;
        };
        let own_path = || path.to_owned();
        let input = match input {
            // An answer is valid only for the same request.
            journal::Input::ScopeOpened(answer) => {
                let (kind, request) = opening?;
                run.tree
                    .opens(path, kind, request)
                    .then(|| Input::ScopeOpened {
                        path: own_path(),
                        answer: answer.clone(),
                    })
            }
            journal::Input::ScopeReopened(answer) => Some(Input::ScopeReopened {
                path: own_path(),
                answer: answer.clone(),
            }),
            journal::Input::ScopeClosed(answer) => {
                run.closings.has(path).then(|| Input::ScopeClosed {
                    path: own_path(),
                    answer: answer.clone(),
                })
            }
            _ => None,
        }?;
        queue.pop_front();
        Some(self.step_core(|rebuild| rebuild.step(input)))
    }

    /// Passes the next recorded input about the execution or resource at `path` to the core. Returns the paths of the
    /// executions and resource requests that the input opened, or `None` if no input can be passed now.
    fn feed_next(&mut self, path: &str) -> Option<Vec<String>> {
        if let Some(answered) = self.feed_answer(path) {
            return Some(answered);
        }
        let ticket = self.rebuild.open.at(path)?;
        // A recorded result is valid only for the same input.
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
                let (result, state) = (Ok(done.outcome.clone()), done.state.clone());
                let finished = Input::NodeFinished {
                    ticket,
                    result,
                    state,
                };
                return Some(self.step_core(|rebuild| rebuild.step(finished)));
            }
            journal::Input::ExecutionFailed(failed) => {
                let (result, state) = (Err(failed.error.clone()), failed.state.clone());
                let finished = Input::NodeFinished {
                    ticket,
                    result,
                    state,
                };
                return Some(self.step_core(|rebuild| rebuild.step(finished)));
            }
            journal::Input::NodeWaiting {
                question,
                value,
                expires,
            } => {
                let (question, value) = (question.clone(), Arc::clone(value));
                // In the new run, the person again has the full time to answer.
                let expires = expires.as_deref().map(|expires| {
                    let time = expires.at.saturating_sub(record.at);
                    Box::new(Expiry {
                        at: self.now.saturating_add(time),
                        answer: expires.answer.clone(),
                    })
                });
                return Some(self.step_core(|rebuild| {
                    rebuild.step(Input::NodeWaiting {
                        ticket,
                        question,
                        value,
                        expires,
                    })
                }));
            }
            journal::Input::ExecutionParked(parked) => {
                let parked = Box::new(parked.clone());
                let input = Input::NodeParked { ticket, parked };
                return Some(self.step_core(|rebuild| rebuild.step(input)));
            }
            journal::Input::ExecutionUnparked => {
                let input = Input::NodeUnparked { ticket };
                return Some(self.step_core(|rebuild| rebuild.step(input)));
            }
            journal::Input::NodeAnswered { answer } => {
                self.rebuild.now(self.at);
                self.rebuild.open.answered(ticket, (**answer).clone());
            }
            journal::Input::ExecutionRetried(retried) => {
                self.rebuild.retried(path, retried, record.at);
            }
            journal::Input::AgentWorked(_) => {}
            journal::Input::CallsUnderWay { usage, .. } => self.rebuild.sent(path, usage),
            _ => return None,
        }
        self.copy_record(record);
        Some(Vec::new())
    }
}
