//! Recovery: a run is rebuilt from its journal by the code that ran it.
//!
//! The core is a function of its inputs, and every input is in the journal: outcomes of visits, answers, timers, the request
//! to stop. They are fed again in the order of the records; what the core then says must be what is written there.

use std::collections::{BTreeMap, HashMap, VecDeque};

use loopwright_model::graph::NodeIx;

use super::{Effect, Input, Run, Ticket};
use crate::{
    journal::{Entry, Record},
    kind::{Answer, NodeInput},
    outcome::NodeError,
};

/// A visit whose intent is recorded and whose outcome is not.
pub struct OpenVisit {
    pub ticket: Ticket,
    pub node: NodeIx,
    pub path: String,
    pub input: NodeInput,
    /// It had asked a person.
    pub asked: bool,
    /// The answer, where it was recorded.
    pub answer: Option<Answer>,
    /// It had been under way in an earlier session than the one in which it asked. Where the policy is to ask whether a call
    /// is made again, that was the question, and not one of the node's own.
    pub cut_off: bool,
    /// Its intent is recorded; else nothing of it was done yet.
    pub begun: bool,
    /// Attempts that failed and were to be followed by another.
    pub failed: u32,
    /// How often the run had been taken up when the visit was last under way.
    session: u32,
}

impl OpenVisit {
    /// A person has been asked and has not answered.
    pub fn waits(&self) -> bool {
        self.asked && self.answer.is_none()
    }
}

/// A timer that had not rung.
pub struct OpenTimer {
    pub ticket: Ticket,
    /// What was left of it when the last record was written, in milliseconds.
    pub left_ms: u64,
    pub limit: bool,
}

/// What a rebuilt run still has open.
pub struct Recovered {
    pub visits: Vec<OpenVisit>,
    pub timers: Vec<OpenTimer>,
    /// What the core says beyond the journal's end: to be written before anything is done.
    pub unwritten: VecDeque<(String, Option<NodeIx>, Entry)>,
    /// Time of the last record, milliseconds since the Unix epoch.
    pub last_at: i64,
    /// How much of the time until then nothing ran, in milliseconds.
    pub stood_still: i64,
}

/// Feeds `records`, all of a run's from the first on, to a fresh `run`.
///
/// # Errors
/// `journal_diverged` when the records are not what this flow gives: the flow or the program has changed.
pub fn recover(run: &mut Run, records: &[Record]) -> Result<Recovered, NodeError> {
    let mut replay = Replay {
        visits: BTreeMap::new(),
        by_path: HashMap::new(),
        timers: BTreeMap::new(),
        produced: VecDeque::new(),
        at: records.first().map_or(0, |record| record.at),
        session: 0,
    };
    let mut last_at = replay.at;
    let mut stood_still = 0;
    replay.step(run, Input::Start);
    for record in records {
        if record.entry == Entry::RunResumed {
            // A clock that was set back in between did not make time go back.
            stood_still += (record.at - last_at).max(0);
            replay.session += 1;
            run.set_stood_still(stood_still);
        }
        last_at = record.at;
        replay.at = record.at - stood_still;
        if record.entry == Entry::RunResumed {
            continue;
        }
        if let Entry::NodeRetried { attempt, .. } = record.entry {
            replay.retried(&record.path, attempt);
            continue;
        }
        if replay.produced.is_empty() && !replay.cause(run, record)? {
            // Answers and the driver's own warnings are not said by the core.
            continue;
        }
        match replay.produced.pop_front() {
            Some((path, _, entry)) if path == record.path && same_kind(&entry, &record.entry) => {
                replay.begun(record);
            }
            said => return Err(diverged(record, said.map(|(path, _, _)| path))),
        }
    }
    for (path, _, entry) in &replay.produced {
        let ticket = replay.by_path.get(path);
        if let (Entry::NodeStarted { .. }, Some(visit)) = (
            entry,
            ticket.and_then(|ticket| replay.visits.get_mut(ticket)),
        ) {
            visit.begun = false;
        }
    }
    let at = replay.at;
    Ok(Recovered {
        visits: replay.visits.into_values().collect(),
        timers: replay
            .timers
            .into_iter()
            .map(|(ticket, (after, armed, limit))| OpenTimer {
                ticket,
                left_ms: after.saturating_sub(u64::try_from(at - armed).unwrap_or(0)),
                limit,
            })
            .collect(),
        unwritten: replay.produced,
        last_at,
        stood_still,
    })
}

struct Replay {
    visits: BTreeMap<Ticket, OpenVisit>,
    by_path: HashMap<String, Ticket>,
    timers: BTreeMap<Ticket, (u64, i64, bool)>,
    produced: VecDeque<(String, Option<NodeIx>, Entry)>,
    at: i64,
    /// How often the run had been taken up.
    session: u32,
}

impl Replay {
    fn step(&mut self, run: &mut Run, input: Input) {
        let mut effects = Vec::new();
        run.step(self.at, input, &mut effects);
        for effect in effects {
            match effect {
                Effect::Record { path, node, entry } => {
                    self.produced.push_back((path, node, entry))
                }
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
                            session: self.session,
                        },
                    );
                }
                Effect::Timer {
                    ticket,
                    after_ms,
                    limit,
                } => {
                    self.timers.insert(ticket, (after_ms, self.at, limit));
                }
                Effect::Cancel { ticket } => {
                    self.visits.remove(&ticket);
                    self.timers.remove(&ticket);
                }
                Effect::Finished { .. } => {}
            }
        }
    }

    /// Feeds the input that `record` tells of. `false`: the record is an input itself and nothing the core says.
    fn cause(&mut self, run: &mut Run, record: &Record) -> Result<bool, NodeError> {
        let ticket = self.by_path.get(&record.path).copied();
        let open = ticket.filter(|ticket| self.visits.contains_key(ticket));
        match (&record.entry, open) {
            (Entry::NodeCompleted { outcome, .. }, Some(ticket)) => {
                self.visits.remove(&ticket);
                self.step(
                    run,
                    Input::Visited {
                        ticket,
                        result: Ok(outcome.clone()),
                    },
                );
            }
            (Entry::NodeFailed { error, .. }, Some(ticket)) => {
                self.visits.remove(&ticket);
                self.step(
                    run,
                    Input::Visited {
                        ticket,
                        result: Err(error.clone()),
                    },
                );
            }
            (Entry::NodeWaiting { message, value }, Some(ticket)) => {
                if let Some(visit) = self.visits.get_mut(&ticket) {
                    visit.asked = true;
                    visit.answer = None;
                    // A node asks in the session that visits it; only the driver asks about a visit of an earlier one.
                    visit.cut_off = self.session > visit.session;
                }
                self.step(
                    run,
                    Input::Waits {
                        ticket,
                        message: message.clone(),
                        value: std::sync::Arc::clone(value),
                    },
                );
            }
            (Entry::NodeAnswered { answer }, Some(ticket)) => {
                if let Some(visit) = self.visits.get_mut(&ticket) {
                    visit.answer = Some(answer.clone());
                    visit.session = self.session;
                }
                return Ok(false);
            }
            (Entry::TimerRang { ticket }, _) => {
                let ticket = Ticket(*ticket);
                self.timers.remove(&ticket);
                self.step(run, Input::Rang { ticket });
            }
            (Entry::StopRequested { code }, _) => {
                let input = if code == "timeout" {
                    Input::Deadline
                } else {
                    Input::Cancel
                };
                self.step(run, input);
            }
            (Entry::Warned { warning }, _) => {
                run.add_warning(warning.clone());
                return Ok(false);
            }
            _ => return Err(diverged(record, None)),
        }
        Ok(true)
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

    fn retried(&mut self, path: &str, attempt: u32) {
        let ticket = self.by_path.get(path);
        if let Some(visit) = ticket.and_then(|ticket| self.visits.get_mut(ticket)) {
            visit.failed = attempt;
        }
    }
}

fn same_kind(a: &Entry, b: &Entry) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}

fn diverged(record: &Record, said: Option<String>) -> NodeError {
    let said = said.map_or_else(String::new, |path| {
        format!(", where the flow now gives `{path}`")
    });
    NodeError::new(
        "journal_diverged",
        format!(
            "The run cannot be taken up again: record {} (`{}`) is not what its flow gives{said}. It can still be read; start a new run.",
            record.seq, record.path
        ),
    )
}
