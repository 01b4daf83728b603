//! Fork: from a run's journal, the beginning of another that goes on from a place with something changed.
//!
//! What depends on the place is what the core cannot come to while the place is held: everything behind it by wires, the
//! verdict on its iteration and all later iterations, the end of its list. Every recorded outcome that is come to all the
//! same is kept, with its time: all before the place, other items of a list, branches beside it.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use serde_json::{Map, Value};

use super::{
    Input, Run,
    hold::TimerName,
    rebuild::{Plans, Rebuild, Told, hold_places},
};
use crate::{
    journal::{Entry, Given, Record, standing, used},
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
    pub given: Option<Given>,
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
    let mut parent_run = Run::new(Arc::clone(before.first()), inputs.clone());
    hold_places(&mut parent_run, records);
    let mut parent = Rebuild::new(parent_run, before.iter().skip(1).cloned(), began);
    let mut run = Run::new(Arc::clone(after.first()), inputs.clone());
    hold_places(&mut run, records);
    run.hold(&place.at, place.beyond);
    let mut new = Beginning {
        rebuild: Rebuild::new(run, after.iter().skip(1).cloned(), began),
        records: Vec::new(),
        started: HashMap::new(),
        later: HashMap::new(),
        at: began,
    };
    let mut reached = false;
    for record in standing(records, false) {
        let told = parent.take(record, false)?;
        let over_budget = parent.run.loops_over_budget();
        if matches!(record.entry, Entry::NodeStarted { .. })
            && let Some(visit) = parent
                .open(&record.path)
                .and_then(|ticket| parent.visits.get(&ticket))
        {
            new.started.insert(record.path.clone(), visit.input.clone());
        }
        new.at = record.at;
        let failed = matches!(told, Told::Visited(Err(_)));
        match told {
            Told::Said if record.seq == 0 => new.step(|rebuild| rebuild.step(super::Input::Start)),
            // What is kept has been paid for; what is made again asks anew.
            Told::Said | Told::Stopped | Told::Governed | Told::Noted => {}
            Told::Rang(name) => {
                if !name.depends_on(&place.at) && !new.rebuild.run.times_a_reader(&name) {
                    let open = new.rebuild.timers.keys().copied();
                    let ticket = open
                        .into_iter()
                        .find(|ticket| new.rebuild.run.timer_name(*ticket).as_ref() == Some(&name));
                    if let Some(ticket) = ticket {
                        new.step(|rebuild| rebuild.rang(ticket));
                    }
                }
            }
            Told::Resumed => {
                new.rebuild.pause(record.at);
                new.aside(record);
            }
            Told::Forked => {
                let mut entry = record.entry.clone();
                if let Entry::Forked { at, given, .. } = &mut entry
                    && (*at == place.at || !new.rebuild.run.stands_before(at))
                {
                    // What was put there depends on the new place.
                    *given = None;
                }
                new.rebuild.pause(record.at);
                new.step(|rebuild| {
                    rebuild.forked(&entry);
                });
            }
            Told::Warned(warning) => {
                if new.rebuild.run.add_warning(warning) {
                    new.aside(record);
                }
            }
            told @ (Told::Visited(_)
            | Told::Waits { .. }
            | Told::Answered(_)
            | Told::Retried
            | Told::Sent) => {
                if !left_out.contains(&record.path) || !failed {
                    new.tell(record, told);
                }
            }
        }
        // What is kept asks for no call, so that no budget would end its loop again.
        for path in over_budget {
            let end = TimerName::LoopLimit(path.clone());
            if !end.depends_on(&place.at) && !new.rebuild.run.times_a_reader(&end) {
                new.step(|rebuild| rebuild.step(Input::LoopOverBudget { path }));
            }
        }
        let stands = new.rebuild.run.stands_before(&place.at);
        if new.rebuild.run.status().is_some() || (reached && !stands) {
            return Ok(if failed {
                Attempt::Lost(record.path.clone())
            } else {
                Attempt::NotReached
            });
        }
        reached |= stands;
    }
    if !reached {
        return Ok(Attempt::NotReached);
    }
    let usage = used(&new.records);
    // A clock that was set back does not make time go back.
    new.at = place.now.max(new.rebuild.last_at);
    new.rebuild.pause(new.at);
    let entry = Entry::Forked {
        parent: place.parent.clone(),
        at: place.at.clone(),
        beyond: place.beyond,
        given: place.given.clone(),
    };
    let kept = new.records.len();
    new.step(|rebuild| {
        rebuild.forked(&entry);
    });
    // What the core says behind it is said again when the run is taken up.
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
    /// What the parent's visits began with, by path.
    started: HashMap<String, NodeInput>,
    /// What came of visits that are not open here yet, by path.
    later: HashMap<String, VecDeque<(Record, Told)>>,
    at: i64,
}

impl Beginning {
    /// Steps the core, and tells it what came of the visits that this opened.
    fn step(&mut self, input: impl FnOnce(&mut Rebuild)) {
        let opened = self.say(input);
        self.catch_up(opened);
    }

    /// Steps the core and writes down what it says; the paths of the visits that it opened.
    fn say(&mut self, input: impl FnOnce(&mut Rebuild)) -> Vec<String> {
        self.rebuild.now(self.at);
        input(&mut self.rebuild);
        let mut opened = Vec::new();
        while let Some((path, node, entry)) = self.rebuild.said.pop_front() {
            if matches!(entry, Entry::NodeStarted { .. }) {
                opened.push(path.clone());
            }
            let plan = &self.rebuild.run.plan;
            let node_id = node.map(|node| plan.name_on_record(node, &path).to_owned());
            self.push(path, node_id, entry);
        }
        opened
    }

    fn push(&mut self, path: String, node_id: Option<String>, entry: Entry) {
        self.records.push(Record {
            seq: self.records.len() as u64,
            at: self.at,
            path,
            node_id,
            entry,
        });
    }

    /// Takes over a record that the core does not say.
    fn aside(&mut self, record: &Record) {
        self.push(
            record.path.clone(),
            record.node_id.clone(),
            record.entry.clone(),
        );
    }

    /// Tells what came of a visit, at once or when it is open.
    fn tell(&mut self, record: &Record, told: Told) {
        let queue = self.later.entry(record.path.clone()).or_default();
        queue.push_back((record.clone(), told));
        self.catch_up(vec![record.path.clone()]);
    }

    /// Tells what came of the visits at `paths`, and of those that this opens, before the next: as deep as a run is long, so
    /// with a list instead of recursion.
    fn catch_up(&mut self, mut paths: Vec<String>) {
        paths.reverse();
        while let Some(path) = paths.pop() {
            if let Some(opened) = self.tell_next(&path) {
                paths.push(path);
                paths.extend(opened.into_iter().rev());
            }
        }
    }

    /// Tells the next that came of the visit at `path`; the visits that this opened, or nothing if there was none to tell.
    fn tell_next(&mut self, path: &str) -> Option<Vec<String>> {
        let ticket = self.rebuild.open(path)?;
        // What came of other values is not what comes of these.
        let visit = self.rebuild.visits.get(&ticket)?;
        if self.started.get(path) != Some(&visit.input) {
            return None;
        }
        let (record, told) = self.later.get_mut(path).and_then(VecDeque::pop_front)?;
        match told {
            Told::Visited(result) => {
                return Some(self.say(|rebuild| rebuild.visited(ticket, result)));
            }
            Told::Waits { message, value } => {
                return Some(self.say(|rebuild| rebuild.waits(ticket, message, value)));
            }
            Told::Answered(answer) => {
                self.rebuild.now(self.at);
                self.rebuild.answered(ticket, answer);
                self.aside(&record);
            }
            Told::Retried => {
                if let Entry::NodeRetried { attempt, error, .. } = &record.entry {
                    self.rebuild.retried(path, *attempt, &error.usage);
                }
                self.aside(&record);
            }
            Told::Sent => {
                if let Entry::CallsUnderWay { usage } = &record.entry {
                    self.rebuild.sent(path, usage);
                }
                self.aside(&record);
            }
            _ => return None,
        }
        Some(Vec::new())
    }
}
