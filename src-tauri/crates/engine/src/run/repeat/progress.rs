//! Detects loops whose iterations no longer change anything.
//!
//! Each iteration leaves a signal: the failures that its checks reported, and the state of the loop's resource. If a loop
//! has neither, its result is the signal. An iteration made no progress if it has the same failures as the iteration before,
//! or the same state. A loop also makes no progress if its iterations repeat in a cycle.

use std::{collections::VecDeque, fmt, sync::Arc};

use serde_json::{Map, Value};

/// The maximum length, in iterations, of a cycle that is detected.
const LONGEST_CIRCLE: usize = 4;

/// The data of an iteration that is compared with that of other iterations to detect a lack of progress.
#[derive(Debug, Clone, Default)]
pub(in crate::run) struct Signal {
    /// The distinct failures of the checks, sorted, without line numbers, because every edit changes these. `None` if no check
    /// reported a failure.
    failures: Option<Vec<String>>,
    /// The data of the loop's resource that templates can read, and the names of the fields of its state. `None` if the loop
    /// has no resource.
    state: Option<(Map<String, Value>, Vec<String>)>,
    result: Arc<Value>,
}

impl Signal {
    /// Returns the signal of an iteration with this result. `failures` contains the list of failures of each check.
    pub(super) fn new<'v>(
        result: Arc<Value>,
        failures: impl IntoIterator<Item = &'v Value>,
    ) -> Self {
        let mut all: Vec<String> = failures
            .into_iter()
            .filter_map(Value::as_array)
            .flatten()
            .map(|failure| match failure {
                Value::Object(fields) => {
                    let fields = fields.iter().filter(|(name, _)| *name != "line");
                    Value::Object(
                        fields
                            .map(|(name, value)| (name.clone(), value.clone()))
                            .collect(),
                    )
                    .to_string()
                }
                other => other.to_string(),
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        Self {
            failures: (!all.is_empty()).then_some(all),
            state: None,
            result,
        }
    }

    /// Adds the loop's resource: the data that templates can read, and the names of the fields of its recorded state.
    pub(super) fn with_resource(mut self, view: Map<String, Value>, names: Vec<String>) -> Self {
        self.state = Some((view, names));
        self
    }

    fn has_same_failures(&self, earlier: &Self) -> bool {
        self.failures.is_some() && self.failures == earlier.failures
    }

    fn has_same_state(&self, earlier: &Self) -> bool {
        let (Some((view, names)), Some((before, _))) = (&self.state, &earlier.state) else {
            return false;
        };
        names.iter().all(|name| view.get(name) == before.get(name))
    }

    fn has_same_result(&self, earlier: &Self) -> bool {
        let is_bare = |signal: &Self| signal.failures.is_none() && signal.state.is_none();
        is_bare(self) && is_bare(earlier) && self.result == earlier.result
    }

    /// Returns what is unchanged since the iteration `before`, or `None` if there was progress.
    fn unchanged_since(&self, before: &Self) -> Option<Unchanged> {
        if self.has_same_failures(before) {
            Some(Unchanged::Failures)
        } else if self.has_same_state(before) {
            Some(Unchanged::State)
        } else {
            self.has_same_result(before).then_some(Unchanged::Result)
        }
    }
}

/// The data that did not change from one iteration to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unchanged {
    Failures,
    State,
    Result,
}

impl Unchanged {
    /// Returns the name of the unchanged data, for messages.
    fn name(self) -> &'static str {
        match self {
            Self::Failures => "failures",
            Self::State => "files",
            Self::Result => "result",
        }
    }
}

/// The reason why a loop makes no progress. Iterations are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stuck {
    /// Nothing changed from iteration `from` to iteration `to`.
    Unchanged { what: Unchanged, from: u32, to: u32 },
    /// Iteration `to` had the same data of the kind `what` as iteration `from`, and other iterations ran between them.
    Circle { what: Unchanged, from: u32, to: u32 },
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unchanged { what, from, to } => write!(
                f,
                "its {} did not change from iteration {from} to iteration {to}",
                what.name()
            ),
            Self::Circle { what, from, to } => write!(
                f,
                "iteration {to} had the same {} as iteration {from}",
                what.name()
            ),
        }
    }
}

/// The signals of the most recent iterations.
#[derive(Debug, Default)]
pub(in crate::run) struct Progress {
    /// The most recent signals, newest last: enough to cover two cycles.
    signals: VecDeque<Signal>,
    /// The number of consecutive iterations without progress.
    rounds: u32,
    /// The number of iterations so far.
    iterations: u32,
}

impl Progress {
    /// Adds the signal of an iteration. If `most` iterations in a row changed nothing, or the iterations repeat in a cycle,
    /// returns the reason why the loop is stuck, otherwise `None`.
    pub(super) fn add(&mut self, signal: Signal, most: u32) -> Option<Stuck> {
        self.iterations += 1;
        let unchanged = self
            .signals
            .back()
            .and_then(|before| signal.unchanged_since(before));
        self.rounds = if unchanged.is_some() {
            self.rounds + 1
        } else {
            0
        };
        self.signals.push_back(signal);
        if self.signals.len() > 2 * LONGEST_CIRCLE {
            self.signals.pop_front();
        }
        let to = self.iterations;
        if let Some(what) = unchanged.filter(|_| self.rounds >= most) {
            let from = to - self.rounds;
            return Some(Stuck::Unchanged { what, from, to });
        }
        self.circle().map(|(what, length)| Stuck::Circle {
            what,
            from: to - u32::try_from(length).unwrap_or(0),
            to,
        })
    }

    /// Restarts the detection. Later iterations are not compared with earlier ones.
    pub(super) fn begin_again(&mut self) {
        self.signals.clear();
        self.rounds = 0;
    }

    /// Returns what repeats in a cycle, and the length of the cycle in iterations, if the last iteration completed one;
    /// otherwise `None`. A repeated state or result completes a cycle immediately. Repeated failures with different files
    /// complete a cycle only after the whole cycle has run twice. Iterations that all equal each other are not a cycle.
    fn circle(&self) -> Option<(Unchanged, usize)> {
        let ago = |count: usize| self.signals.iter().rev().nth(count);
        let (last, before) = (ago(0)?, ago(1)?);
        (2..=LONGEST_CIRCLE).find_map(|length| {
            let earlier = ago(length)?;
            if last.has_same_state(earlier) && !last.has_same_state(before) {
                return Some((Unchanged::State, length));
            }
            if last.has_same_result(earlier) && !last.has_same_result(before) {
                return Some((Unchanged::Result, length));
            }
            let are_same = |one: usize, other: usize| match (ago(one), ago(other)) {
                (Some(one), Some(other)) => one.has_same_failures(other),
                _ => false,
            };
            let ran_twice = (0..length).all(|at| are_same(at, at + length));
            let stands_still = (1..length).all(|at| are_same(0, at));
            (ran_twice && !stands_still).then_some((Unchanged::Failures, length))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn failing(names: &[&str]) -> Signal {
        let failures: Vec<_> = names
            .iter()
            .map(|name| json!({ "name": name, "message": "no", "line": name.len() }))
            .collect();
        Signal::new(Arc::default(), [&json!(failures)])
    }

    fn files(tree: &str) -> Signal {
        failing(&[]).with_resource(
            Map::from_iter([
                ("tree".to_owned(), json!(tree)),
                ("path".to_owned(), json!("/w")),
            ]),
            vec!["tree".to_owned()],
        )
    }

    fn result(text: &str) -> Signal {
        Signal::new(Arc::new(json!(text)), [])
    }

    /// Returns the number of the iteration after which the loop is stuck and the reason, or `None` if it makes progress.
    fn stuck(signals: impl IntoIterator<Item = Signal>, most: u32) -> Option<(usize, String)> {
        let mut progress = Progress::default();
        signals.into_iter().enumerate().find_map(|(index, signal)| {
            let stuck = progress.add(signal, most)?;
            Some((index + 1, stuck.to_string()))
        })
    }

    #[test]
    fn the_same_failures_in_any_order_and_on_any_line_are_no_progress() {
        let moved = Signal::new(
            Arc::default(),
            [&json!([
                { "name": "b", "message": "no", "line": 40 },
                { "name": "a", "message": "no", "line": 41 },
                { "name": "a", "message": "no", "line": 42 }
            ])],
        );
        assert_eq!(
            stuck([failing(&["a", "b"]), moved], 1),
            Some((
                2,
                "its failures did not change from iteration 1 to iteration 2".to_owned()
            ))
        );
        let other_words = Signal::new(
            Arc::default(),
            [&json!([{ "name": "a", "message": "yes" }])],
        );
        assert_eq!(stuck([failing(&["a"]), other_words], 1), None);
    }

    #[test]
    fn an_iteration_with_progress_begins_the_count_again() {
        let one = || failing(&["a"]);
        let two = || failing(&["a", "b"]);
        assert_eq!(stuck([two(), two(), one(), one()], 2), None);
        let stuck = stuck([two(), two(), one(), one(), one()], 2).map(|(at, _)| at);
        assert_eq!(stuck, Some(5));
    }

    #[test]
    fn files_that_do_not_change_are_no_progress_however_the_failures_read() {
        let flaky = |seconds: &str| Signal {
            failures: Some(vec![seconds.to_owned()]),
            ..files("1")
        };
        assert_eq!(
            stuck([flaky("0.1 s"), flaky("0.2 s"), flaky("0.3 s")], 2),
            Some((
                3,
                "its files did not change from iteration 1 to iteration 3".to_owned()
            ))
        );
    }

    #[test]
    fn a_check_that_passes_does_not_stop_a_loop_whose_files_change() {
        assert_eq!(stuck(["1", "2", "3", "4", "5"].map(files), 1), None);
    }

    #[test]
    fn the_result_counts_only_if_there_is_nothing_else() {
        assert_eq!(
            stuck([result("a"), result("a")], 1).map(|(at, _)| at),
            Some(2)
        );
        assert_eq!(stuck([result("a"), result("b"), result("c")], 1), None);
        let (one, two) = (files("1"), files("2"));
        assert_eq!(stuck([one, two], 1), None);
    }

    #[test]
    fn a_state_that_comes_back_closes_a_circle_of_any_length_up_to_four() {
        for length in 2..=LONGEST_CIRCLE {
            let trees = (0..3 * length).map(|at| files(&(at % length).to_string()));
            assert_eq!(
                stuck(trees, 9),
                Some((
                    length + 1,
                    format!("iteration {} had the same files as iteration 1", length + 1)
                ))
            );
            let results = (0..3 * length).map(|at| result(&(at % length).to_string()));
            assert_eq!(stuck(results, 9).map(|(at, _)| at), Some(length + 1));
        }
        let five = (0..20).map(|at| files(&(at % 5).to_string()));
        assert_eq!(stuck(five, 9), None);
    }

    #[test]
    fn failures_that_come_back_close_a_circle_once_it_has_run_twice() {
        for length in 2..=LONGEST_CIRCLE {
            let signals = (0..3 * length).map(|at| Signal {
                state: files(&at.to_string()).state,
                ..failing(&[&(at % length).to_string()])
            });
            assert_eq!(stuck(signals, 9).map(|(at, _)| at), Some(2 * length));
        }
    }

    #[test]
    fn a_loop_that_stands_still_is_not_a_circle() {
        assert_eq!(stuck((0..8).map(|_| files("1")), 9), None);
        assert_eq!(stuck((0..8).map(|_| failing(&["a"])), 9), None);
    }
}
