//! Recovery: a run is rebuilt from its journal, and what it had open is handed on.

use std::collections::VecDeque;

use loopwright_model::graph::NodeIx;
use serde_json::{Map, Value};

use super::{Run, Ticket, plans::Plans, rebuild::Rebuild};
use crate::{
    journal::{Entry, Fact, Record, standing},
    kind::{Answer, NodeInput},
    outcome::{NodeError, Usage},
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
    /// What they used.
    pub spent: Usage,
    /// It waited for room in a budget, so that it had not made the call that it asked for.
    pub blocked: bool,
    /// It had made a call.
    pub(super) called: bool,
    /// How often the run had been taken up when the visit was last under way.
    pub(super) session: u32,
}

impl OpenVisit {
    pub(super) fn forget_calls(&mut self) {
        self.blocked = false;
        self.called = false;
    }

    /// A person has been asked and has not answered.
    pub fn waits(&self) -> bool {
        self.asked && self.answer.is_none()
    }

    /// It was under way and had not come to do anything yet.
    pub fn is_unspent(&self) -> bool {
        self.blocked && !self.called
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
    pub run: Run,
    pub visits: Vec<OpenVisit>,
    pub timers: Vec<OpenTimer>,
    /// What the core says beyond the journal's end: to be written before anything is done.
    pub unwritten: VecDeque<(String, Option<NodeIx>, Entry)>,
    /// Time of the last record, milliseconds since the Unix epoch.
    pub last_at: i64,
    /// How much of the time until then nothing ran, in milliseconds.
    pub stood_still: i64,
    /// The number of the next call that asks.
    pub next_call: u64,
}

impl Recovered {
    /// How long nothing ran until the last record, and when that was written.
    pub fn standing(&self) -> (i64, i64) {
        (self.stood_still, self.last_at)
    }
}

/// Feeds `records`, all of a run's from the first on, to a fresh run. `reopened`: a run that was stopped at its budget is
/// taken back to before it was stopped.
///
/// # Errors
/// `journal_diverged` when the records are not what this flow gives: the flow or the program has changed.
pub fn recover(
    plans: &Plans,
    inputs: Map<String, Value>,
    records: &[Record],
    reopened: bool,
) -> Result<Recovered, NodeError> {
    let mut rebuild = Rebuild::new(plans, inputs, records);
    if records.is_empty() {
        rebuild.step(super::Input::Start);
    }
    for record in standing(records, reopened) {
        rebuild.take(record, false)?;
    }
    for (path, _, entry) in &rebuild.said {
        let ticket = rebuild.by_path.get(path);
        if let (Entry::Fact(Fact::NodeStarted { .. }), Some(visit)) = (
            entry,
            ticket.and_then(|ticket| rebuild.visits.get_mut(ticket)),
        ) {
            visit.begun = false;
        }
    }
    let at = rebuild.at;
    rebuild.run.taken_up();
    Ok(Recovered {
        next_call: rebuild.next_call,
        visits: rebuild.visits.into_values().collect(),
        timers: rebuild
            .timers
            .into_iter()
            .map(|(ticket, timer)| OpenTimer {
                ticket,
                left_ms: timer
                    .after_ms
                    .saturating_sub(u64::try_from(at.saturating_sub(timer.armed)).unwrap_or(0)),
                limit: timer.limit,
            })
            .collect(),
        run: rebuild.run,
        unwritten: rebuild.said,
        last_at: rebuild.last_at,
        stood_still: rebuild.stood_still,
    })
}
