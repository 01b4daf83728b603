//! What recorded runs cost, by time, flow, node and model. When a store writes records, it adds their charges to its totals, so
//! the totals remain when runs are deleted.
//!
//! A charge is made when usage is final: when an attempt failed or was parked and another follows, when an execution ended or
//! was cut off, and when a run resumes after its program ended during calls. So a repeated call is charged each time it is
//! made. Records that a fork keeps from its parent and imported records make no charges, because they were charged elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    journal::{Entry, Fact, Input, Parked, Record, Retried},
    outcome::Usage,
};

/// The length of a time slot, in milliseconds: 15 minutes. In every time zone in use, days begin at the start of a slot.
pub const SLOT_MS: i64 = 15 * 60_000;

/// Returns the start of the slot that contains a time. Both are in milliseconds since the Unix epoch, UTC.
pub fn slot_of(at: i64) -> i64 {
    at.div_euclid(SLOT_MS).saturating_mul(SLOT_MS)
}

/// The usage of one run's calls at one node, with one model, in one time slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    /// The start of the time slot, in milliseconds since the Unix epoch, UTC.
    pub slot: i64,
    /// The ids of the subflows and loops around the node and its own id, as in `refine/draft`.
    pub node: String,
    /// The model with its provider, or the agent; empty if it is not recorded.
    pub model: String,
    pub usage: Usage,
}

/// The total of the charges at one node, with one model, in one time slot. It is the total of one run, or of all deleted runs
/// of a flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostRow {
    /// The id of the run; `None` for deleted runs, and for costs that belong to no run.
    pub run_id: Option<String>,
    /// The name of the flow.
    pub flow: String,
    /// The path of the flow's file; `None` if the flow has no file.
    pub flow_path: Option<String>,
    /// The name of the schedule that started the run; `None` if no schedule started it.
    pub schedule: Option<String>,
    pub charge: Charge,
}

/// The costs recorded in a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Costs {
    pub rows: Vec<CostRow>,
    /// The number of runs that the totals do not include yet. An older program wrote these runs, and they cannot be counted
    /// because the store is read-only.
    pub uncounted_runs: u64,
}

/// The known usage of an execution that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OpenCost {
    /// The usage of the failed attempts, which has already been charged. The result of the execution includes it again.
    #[serde(skip_serializing_if = "Usage::is_none")]
    pub retried: Usage,
    /// The usage of the attempt in progress, as last recorded. It is not charged yet.
    #[serde(skip_serializing_if = "Usage::is_none")]
    pub under_way: Usage,
    /// The start of the time slot in which `under_way` was recorded, in milliseconds since the Unix epoch, UTC.
    pub slot: i64,
    /// The model of the last recorded call; `None` if no call named its model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl OpenCost {
    /// Returns the charge for the attempt in progress of the execution at `path`, as if it were cut off now. `None` if the
    /// attempt used nothing.
    pub fn charge(&self, path: &str) -> Option<Charge> {
        (!self.under_way.is_none()).then(|| Charge {
            slot: self.slot,
            node: place(path),
            model: self.model.clone().unwrap_or_default(),
            usage: self.under_way,
        })
    }
}

/// Turns the records of one run into charges, in the order of the records.
#[derive(Debug, Clone, Default)]
pub struct RunCosts {
    /// The number of leading records that make no charges.
    taken_over: u64,
    open: BTreeMap<String, OpenCost>,
    /// The paths whose entry in `open` changed.
    changed: BTreeSet<String>,
}

impl RunCosts {
    /// Creates the state before a run's first record. `taken_over` is the number of leading records that make no charges.
    pub fn new(taken_over: u64) -> Self {
        Self::from_parts(taken_over, BTreeMap::new())
    }

    /// Restores a state from the number of leading records that make no charges, and from the open costs by path.
    pub fn from_parts(taken_over: u64, open: BTreeMap<String, OpenCost>) -> Self {
        Self {
            taken_over,
            open,
            changed: BTreeSet::new(),
        }
    }

    /// Returns whether the execution at this path has costs that are not settled.
    pub fn is_open(&self, path: &str) -> bool {
        self.open.contains_key(path)
    }

    /// Returns the charges for the attempts in progress, as if all were cut off now. If the program that led the run has
    /// ended, these charges may be the only record of these calls.
    pub fn open_charges(&self) -> impl Iterator<Item = Charge> {
        self.open
            .iter()
            .filter_map(|(path, open)| open.charge(path))
    }

    /// Returns the paths whose open costs changed since the last call, each with its current open costs, or `None` if its costs
    /// are settled.
    pub fn take_changes(&mut self) -> Vec<(String, Option<OpenCost>)> {
        std::mem::take(&mut self.changed)
            .into_iter()
            .map(|path| {
                let open = self.open.get(&path).cloned();
                (path, open)
            })
            .collect()
    }

    /// Takes the run's next record, and passes its charges to `charge`.
    pub fn take(&mut self, record: &Record, charge: &mut dyn FnMut(Charge)) {
        let is_own = record.seq >= self.taken_over;
        let slot = slot_of(record.at);
        let mut charge = |slot: i64, path: &str, model: Option<String>, usage: Usage| {
            if is_own && !usage.is_none() {
                charge(Charge {
                    slot,
                    node: place(path),
                    model: model.unwrap_or_default(),
                    usage,
                });
            }
        };
        let path = record.path.as_str();
        match &record.entry {
            // A retried subflow executes its nodes again from the beginning.
            Entry::Fact(Fact::NodeStarted { .. }) => self.close(path),
            Entry::Fact(Fact::RunCompleted { .. }) => {
                let open: Vec<String> = self.open.keys().cloned().collect();
                open.iter().for_each(|path| self.close(path));
            }
            Entry::Input(Input::CallsUnderWay { usage, model }) => {
                // Records of another run or store are not about calls of this run.
                if is_own {
                    let open = self.change(path);
                    open.under_way = *usage;
                    open.slot = slot;
                    open.model = model.clone().or(open.model.take());
                }
            }
            Entry::Input(
                Input::ExecutionRetried(Retried { error, .. })
                | Input::ExecutionParked(Parked { error, .. }),
            ) => {
                let used = error.usage;
                if !used.is_none() || self.is_open(path) {
                    let open = self.change(path);
                    open.under_way = Usage::default();
                    open.retried.add(&used);
                    let model = error.model().map(str::to_owned).or(open.model.clone());
                    charge(slot, path, model, used);
                }
            }
            // The program that led the run ended during these calls, so they are made again.
            Entry::Input(Input::RunResumed | Input::RunTakenOver) => {
                let open: Vec<String> = self.open.keys().cloned().collect();
                for path in open {
                    let open = self.change(&path);
                    let used = std::mem::take(&mut open.under_way);
                    let model = open.model.clone();
                    charge(open.slot, &path, model, used);
                }
            }
            entry => {
                // The usage of a loop, a list or a subflow is the sum of its nodes' usage, which is already counted.
                let completed = entry.completed().filter(|done| done.scope.is_none());
                let failed = entry.failed().filter(|failed| failed.scope.is_none());
                let (used, model) = match (completed, failed) {
                    (Some(done), _) => {
                        let trace = done.outcome.trace.as_deref();
                        let model = trace.and_then(|trace| trace.model.as_deref());
                        (&done.outcome.usage, model)
                    }
                    (_, Some(failed)) => (&failed.error.usage, failed.error.model()),
                    _ => return,
                };
                let model = || model.map(str::to_owned);
                if !self.is_open(path) {
                    if !used.is_none() {
                        charge(slot, path, model(), *used);
                    }
                    return;
                }
                // If a budget ended the run, the execution may still end later. Its result then includes the failed attempts
                // again, so they are kept here.
                let open = self.change(path);
                open.under_way = Usage::default();
                let used = used.without(&open.retried);
                let model = model().or(open.model.clone());
                charge(slot, path, model, used);
            }
        }
    }

    fn change(&mut self, path: &str) -> &mut OpenCost {
        self.changed.insert(path.to_owned());
        self.open.entry(path.to_owned()).or_default()
    }

    fn close(&mut self, path: &str) {
        if self.open.remove(path).is_some() {
            self.changed.insert(path.to_owned());
        }
    }
}

/// Returns a path without the numbers of iterations: `refine/draft` for `refine[2]/draft`.
pub fn place(path: &str) -> String {
    let mut place = String::with_capacity(path.len());
    let mut is_number = false;
    for char in path.chars() {
        match char {
            '[' => is_number = true,
            ']' => is_number = false,
            _ if is_number => {}
            _ => place.push(char),
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        journal::{Completed, Failed},
        outcome::{NodeError, Outcome, Trace},
        quota::Quota,
    };

    fn used(cost_microusd: u64) -> Usage {
        Usage {
            calls: 1,
            cost_microusd,
            ..Usage::default()
        }
    }

    fn completed(cost: u64) -> Entry {
        Entry::Input(Input::ExecutionCompleted(Completed {
            outcome: Arc::new(Outcome {
                usage: used(cost),
                trace: Some(Box::new(Trace {
                    model: Some("p/m".to_owned()),
                    ..Trace::default()
                })),
                ..Outcome::default()
            }),
            duration_ms: 0,
            scope: None,
            state: None,
        }))
    }

    fn retried(cost: u64) -> Entry {
        Entry::Input(Input::ExecutionRetried(Retried {
            attempt: 1,
            error: Box::new(NodeError::new("busy", "Busy.").having_spent(&used(cost))),
            after_ms: 0,
            attempts: None,
        }))
    }

    fn parked(cost: u64) -> Entry {
        Entry::Input(Input::ExecutionParked(Parked {
            error: Box::new(NodeError::new("http_429", "Full.").having_spent(&used(cost))),
            quota: Quota::default(),
            until: 0,
            since: 0,
            refusals: 1,
            sent: true,
        }))
    }

    fn cut_off(cost: u64) -> Entry {
        Entry::Fact(Fact::NodeFailed(Failed {
            error: Box::new(NodeError::cancelled("Stopped.").having_spent(&used(cost))),
            duration_ms: 0,
            scope: None,
            state: None,
        }))
    }

    fn started() -> Entry {
        Entry::Fact(Fact::NodeStarted {
            inputs: crate::journal::ByName::default(),
            primary: None,
            max_iterations: None,
        })
    }

    fn under_way(cost: u64) -> Entry {
        Entry::Input(Input::CallsUnderWay {
            usage: used(cost),
            model: Some("p/slow".to_owned()),
        })
    }

    fn charges(taken_over: u64, entries: Vec<Entry>) -> Vec<(String, u64)> {
        let mut costs = RunCosts::new(taken_over);
        let mut charges = Vec::new();
        for (seq, entry) in (0..).zip(entries) {
            let record = Record {
                seq,
                at: 0,
                path: "refine[2]/draft".to_owned(),
                node_id: None,
                entry,
            };
            costs.take(&record, &mut |charge| {
                assert_eq!((charge.slot, charge.node.as_str()), (0, "refine/draft"));
                charges.push((charge.model, charge.usage.cost_microusd));
            });
        }
        charges
    }

    fn of(model: &str, cost: u64) -> (String, u64) {
        (model.to_owned(), cost)
    }

    #[test]
    fn a_failed_attempt_is_charged_once() {
        let made = charges(0, vec![started(), retried(3), completed(3 + 4)]);
        assert_eq!(made, [of("", 3), of("p/m", 4)]);
        // The second execution at the same path starts without failed attempts.
        let made = charges(
            0,
            vec![started(), retried(3), completed(7), started(), completed(5)],
        );
        assert_eq!(made, [of("", 3), of("p/m", 4), of("p/m", 5)]);
        // An attempt that made several calls, of which the last was refused, is also charged.
        let made = charges(
            0,
            vec![started(), parked(2), retried(3), completed(2 + 3 + 4)],
        );
        assert_eq!(made, [of("", 2), of("", 3), of("p/m", 4)]);
    }

    #[test]
    fn what_a_stop_at_a_budget_cut_off_counts_besides_its_repetition() {
        let made = charges(
            0,
            vec![
                started(),
                retried(3),
                under_way(2),
                cut_off(3 + 2),
                Entry::Input(Input::RunResumed),
                completed(3 + 6),
            ],
        );
        assert_eq!(made, [of("", 3), of("p/slow", 2), of("p/m", 6)]);
    }

    #[test]
    fn calls_of_a_killed_program_are_charged_when_the_run_resumes() {
        let made = charges(
            0,
            vec![
                started(),
                under_way(2),
                under_way(5),
                Entry::Input(Input::RunTakenOver),
                completed(6),
            ],
        );
        assert_eq!(made, [of("p/slow", 5), of("p/m", 6)]);
    }

    #[test]
    fn calls_in_progress_can_be_charged_before_they_end() {
        let mut costs = RunCosts::default();
        let record = |seq, entry| Record {
            seq,
            at: SLOT_MS + 5,
            path: "draft".to_owned(),
            node_id: None,
            entry,
        };
        costs.take(&record(0, under_way(2)), &mut |_| panic!("not final"));
        let open: Vec<Charge> = costs.open_charges().collect();
        assert_eq!((open.len(), open[0].slot), (1, SLOT_MS));
        assert_eq!(open[0].usage, used(2));
        costs.take(&record(1, completed(3)), &mut |_| {});
        assert_eq!(costs.open_charges().count(), 0);
    }

    #[test]
    fn what_was_taken_over_is_not_charged_again() {
        let entries = vec![
            started(),
            retried(3),
            under_way(2),
            Entry::Input(Input::RunResumed),
            completed(3 + 6),
        ];
        assert_eq!(charges(3, entries), [of("p/m", 6)]);
    }

    #[test]
    fn slots_begin_before_their_times() {
        assert_eq!((slot_of(0), slot_of(-1)), (0, -SLOT_MS));
        assert_eq!(slot_of(SLOT_MS * 3 + 1), SLOT_MS * 3);
        assert_eq!(place("a[12]/b[3]/c"), "a/b/c");
    }
}
