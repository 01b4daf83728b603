//! A run reconstructed from its records: its steps by path, its loops and lists with their iterations, its open questions, and
//! its budget.
//!
//! Everything that reads recorded runs uses this module, so that only one place interprets records.

use std::{collections::BTreeMap, sync::Arc};

use indexmap::IndexMap;
use loopwright_engine::{
    ErrorClass, Expiry, NodeError, Outcome, RunStatus, Usage,
    budget::BudgetState,
    event::PREVIEW,
    journal::{
        ByName, Completed, EffectiveRecords, Entry, Fact, Failed, Input, Journal, JournalError,
        Record, ScopeEnd, Select,
    },
    question::Question,
};
use loopwright_model::value::{is_longer, preview};
use serde_json::Value;

use crate::dto::StepStatus;

/// The values of a run that a tree keeps in memory. A long run can have many values, and a caller that only counts
/// iterations does not need them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// All values of the run.
    Whole,
    /// The full results of iterations, but no values of steps.
    Results,
    /// The results of iterations, shortened to this number of characters, but no values of steps.
    ShortResults(usize),
}

/// A run reconstructed from its records.
#[derive(Debug)]
pub struct RunTree {
    values: Values,
    /// The steps by path, in the order in which they began.
    steps: IndexMap<String, Step>,
    /// The last recorded state of the run's budget; `None` if none is recorded.
    pub budget: Option<BudgetState>,
    is_over: bool,
}

/// One execution of a node. The node can be a loop, a list or a subflow.
#[derive(Debug, Default)]
pub struct Step {
    pub node: String,
    pub status: StepStatus,
    /// The start in milliseconds since the Unix epoch, UTC. `None` if the step never began.
    pub started_at: Option<i64>,
    /// The values at the inputs, by handle.
    pub inputs: ByName,
    /// The name of the primary input; `None` if the step has no primary input.
    pub primary: Option<Arc<str>>,
    pub outcome: Option<Arc<Outcome>>,
    pub error: Option<Box<NodeError>>,
    /// The question, while the step waits for a person; otherwise `None`.
    pub waits: Option<Wait>,
    /// The value that a person was asked about; `None` if nobody was asked. It is kept after the answer.
    pub proposed: Option<Arc<Value>>,
    /// The reason why the step was skipped; `None` if it was not.
    pub skipped: Option<String>,
    /// The duration in milliseconds; `None` before the step ends.
    pub duration_ms: Option<u64>,
    /// The total usage of all executions. A retried subflow executes its steps again.
    pub usage: Usage,
    /// The iterations of a loop or a list; `None` for any other step.
    pub scope: Option<Scope>,
    /// The state of the loop's resource after this step, with the sequence number of the record that contains it.
    /// `None` if the step did not change a resource.
    pub state: Option<(u64, Arc<Value>)>,
}

/// A question that waits for a person.
#[derive(Debug, Clone)]
pub struct Wait {
    pub question: Question,
    /// The sequence number of the record with the question.
    pub seq: u64,
    /// The time of the record that asked the question, in milliseconds since the Unix epoch, UTC.
    pub at: i64,
    /// The time at which the question expires, and its answer then; `None` if it waits forever.
    pub expires: Option<Expiry>,
}

/// The state of a loop or a list.
#[derive(Debug, Default)]
pub struct Scope {
    /// The iterations by index, from 0. The items of a list may finish in any order.
    pub iterations: BTreeMap<u32, Iteration>,
    /// How the loop or list ended; `None` while it is running.
    pub end: Option<ScopeEnd>,
    /// Whether the exit condition was met at its last check; `None` before the first check.
    pub condition: Option<bool>,
    /// The value that the host returned when it opened the loop's resource; `None` before that, or if the loop has no
    /// resource.
    pub opened: Option<Arc<Value>>,
    /// The value that the host returned when it closed the resource; `None` before that.
    pub closed: Option<Arc<Value>>,
}

/// An iteration of a loop, or an item of a list.
#[derive(Debug, Default)]
pub struct Iteration {
    /// The sequence number of the record that began the iteration; 0 if unknown.
    pub began: u64,
    /// The loop's maximum number of iterations, or the list's number of items; `None` if it is unknown.
    pub total: Option<u32>,
    pub input: Option<Arc<Value>>,
    /// The end of the iteration; `None` if the iteration is in progress or was interrupted.
    pub end: Option<IterationEnd>,
}

/// The end of an iteration, with its result.
#[derive(Debug)]
pub struct IterationEnd {
    pub status: RunStatus,
    /// The time at which the iteration ended, in milliseconds since the Unix epoch, UTC.
    pub at: i64,
    /// The result. If `is_shortened` is true, only its start, as text.
    pub result: Arc<Value>,
    pub is_shortened: bool,
    pub reached_exit: bool,
    pub similarity: Option<f64>,
    pub condition: Option<bool>,
    pub score: Option<f64>,
    /// The duration of the iteration in milliseconds.
    pub duration_ms: u64,
    pub usage: Usage,
}

impl IterationEnd {
    pub fn is_completed(&self) -> bool {
        self.status == RunStatus::Completed
    }

    /// Returns the start of the result, at most `characters` characters.
    pub fn preview(&self, characters: usize) -> String {
        preview(&self.result, characters)
    }
}

impl Scope {
    /// Returns the completed iterations by index.
    pub fn completed(&self) -> impl Iterator<Item = (u32, &IterationEnd)> {
        self.iterations.iter().filter_map(|(index, iteration)| {
            let end = iteration.end.as_ref()?;
            end.is_completed().then_some((*index, end))
        })
    }

    /// Returns the number of iterations. While the loop or list is running, only the completed ones are counted.
    pub fn count(&self) -> u32 {
        self.end.map_or_else(
            || u32::try_from(self.completed().count()).unwrap_or(u32::MAX),
            |end| end.iterations,
        )
    }
}

impl Step {
    /// Returns whether the step is a loop or a list that has ended. The usage of such a step is the sum of the usage of its
    /// nodes.
    pub fn is_ended_scope(&self) -> bool {
        self.scope.as_ref().is_some_and(|scope| scope.end.is_some())
    }
}

impl RunTree {
    fn new(values: Values) -> Self {
        Self {
            values,
            steps: IndexMap::new(),
            budget: None,
            is_over: false,
        }
    }

    /// Reads a run, record by record.
    ///
    /// # Errors
    /// Returns an error if the journal cannot be read.
    pub fn read(
        journal: &dyn Journal,
        run_id: &str,
        select: Select<'_>,
        values: Values,
    ) -> Result<Self, JournalError> {
        let mut tree = Self::new(values);
        let mut effective = EffectiveRecords::default();
        journal.read_each(run_id, select, &mut |record| {
            effective.take(record, &mut |record| tree.take(record));
        })?;
        effective.end(&mut |record| tree.take(record));
        Ok(tree)
    }

    /// Builds the tree of these records. Records that a later record made obsolete are ignored.
    pub fn of(records: impl IntoIterator<Item = Record>, values: Values) -> Self {
        let mut tree = Self::new(values);
        let mut effective = EffectiveRecords::default();
        for record in records {
            effective.take(record, &mut |record| tree.take(record));
        }
        effective.end(&mut |record| tree.take(record));
        tree
    }

    /// Returns the steps by path, in the order in which they began.
    pub fn steps(&self) -> impl Iterator<Item = (&str, &Step)> {
        self.steps.iter().map(|(path, step)| (path.as_str(), step))
    }

    /// Returns the step at `path`, or `None` if there is none.
    pub fn step(&self, path: &str) -> Option<&Step> {
        self.steps.get(path)
    }

    /// Returns the step at `path` as [`Self::step`] does, but consumes the tree; `None` if there is no such step.
    pub fn into_step(mut self, path: &str) -> Option<Step> {
        self.steps.swap_remove(path)
    }

    /// Returns the loops and lists by path, in the order in which they began.
    pub fn loops(&self) -> impl Iterator<Item = (&str, &Scope)> {
        self.steps()
            .filter_map(|(path, step)| Some((path, step.scope.as_ref()?)))
    }

    /// Returns the open questions, oldest first. A run that is over has none.
    pub fn waiting(&self) -> Vec<(&str, &Question)> {
        self.open_waits()
            .into_iter()
            .map(|(path, wait)| (path, &wait.question))
            .collect()
    }

    /// Returns the open questions as [`Self::waiting`] does, each with the number and the time of the record that asked
    /// it.
    pub fn open_waits(&self) -> Vec<(&str, &Wait)> {
        if self.is_over {
            return Vec::new();
        }
        let mut open: Vec<_> = self
            .steps()
            .filter_map(|(path, step)| Some((path, step.waits.as_ref()?)))
            .collect();
        open.sort_by_key(|(_, wait)| wait.seq);
        open
    }

    /// Returns the iterations and items in progress, outer ones first. Each entry consists of the path and the scope of the
    /// loop or list, the index from 0, and the iteration or item.
    pub fn open_iterations(&self) -> Vec<(&str, &Scope, u32, &Iteration)> {
        let mut open: Vec<_> = self
            .steps()
            .filter(|(_, step)| step.duration_ms.is_none())
            .filter_map(|(path, step)| Some((path, step.scope.as_ref()?)))
            .flat_map(|(path, scope)| {
                let under_way = scope.iterations.iter().filter(|(_, one)| one.end.is_none());
                under_way.map(move |(index, one)| (path, scope, *index, one))
            })
            .collect();
        open.sort_by_key(|(.., iteration)| iteration.began);
        open
    }

    fn take(&mut self, record: Record) {
        if let Some(budget) = record.entry.budget() {
            self.budget = Some(*budget);
        }
        match &record.entry {
            Entry::Input(Input::BudgetSet { limits }) => {
                let budget = self.budget.get_or_insert_default();
                budget.limits = limits.or(budget.limits);
            }
            Entry::Fact(Fact::RunFailed { .. }) => self.is_over = true,
            _ => {}
        }
        // Records of the run itself have an empty path. One of them may name a node.
        let Some(node) = record.node_id.filter(|_| !record.path.is_empty()) else {
            return;
        };
        let values = self.values;
        let step = self.steps.entry(record.path).or_insert_with(|| Step {
            node: node.to_string(),
            ..Step::default()
        });
        step.take(record.entry, record.seq, record.at, values);
    }
}

impl Step {
    fn take(&mut self, entry: Entry, seq: u64, at: i64, values: Values) {
        match entry {
            Entry::Fact(Fact::NodeStarted {
                inputs,
                primary,
                max_iterations,
            }) => {
                // The results of an earlier attempt are dropped, because a retried subflow starts from its beginning.
                let was_scope = self.scope.is_some();
                *self = Self {
                    node: std::mem::take(&mut self.node),
                    usage: self.usage,
                    started_at: Some(at),
                    inputs: match values {
                        Values::Whole => inputs,
                        Values::Results | Values::ShortResults(_) => ByName::default(),
                    },
                    primary,
                    scope: (was_scope || max_iterations.is_some()).then(Scope::default),
                    ..Self::default()
                };
            }
            Entry::Input(Input::ExecutionCompleted(completed))
            | Entry::Fact(Fact::NodeCompleted(completed)) => self.complete(completed, seq, values),
            Entry::Input(Input::ExecutionFailed(failed))
            | Entry::Fact(Fact::NodeFailed(failed)) => self.fail(failed, seq),
            Entry::Input(Input::ScopeOpened(answer) | Input::ScopeReopened(answer)) => {
                self.scope().opened = Some(answer.value);
            }
            Entry::Input(Input::ScopeClosed(answer)) => {
                self.scope().closed = Some(answer.value);
            }
            Entry::Input(Input::NodeWaiting {
                question,
                value,
                expires,
            }) => {
                self.status = StepStatus::Waiting;
                self.waits = Some(Wait {
                    question,
                    seq,
                    at,
                    expires: expires.map(|expires| *expires),
                });
                self.proposed = (values == Values::Whole).then_some(value);
            }
            Entry::Input(Input::NodeAnswered { .. }) => {
                self.status = StepStatus::Running;
                self.waits = None;
            }
            Entry::Fact(Fact::NodeSkipped { reason }) => {
                self.status = StepStatus::Skipped;
                self.skipped = Some(reason);
            }
            Entry::Fact(Fact::IterationStarted {
                index,
                total,
                input,
            }) => {
                let iteration = Iteration {
                    began: seq,
                    total,
                    input: Some(input),
                    end: None,
                };
                self.scope().iterations.insert(index, iteration);
            }
            Entry::Fact(Fact::ConditionChecked { result, .. }) => {
                self.scope().condition = Some(result);
            }
            Entry::Fact(Fact::IterationCompleted {
                index,
                result,
                reached_exit,
                similarity,
                condition_result,
                score,
                duration_ms,
                usage,
                status,
            }) => {
                let is_shortened = match values {
                    Values::ShortResults(most) => is_longer(&result, most),
                    Values::Whole | Values::Results => false,
                };
                let result = match is_shortened {
                    true => Arc::new(Value::from(preview(&result, PREVIEW))),
                    false => result,
                };
                let iteration = self.scope().iterations.entry(index).or_default();
                iteration.end = Some(IterationEnd {
                    status,
                    at,
                    result,
                    is_shortened,
                    reached_exit,
                    similarity,
                    condition: condition_result,
                    score,
                    duration_ms,
                    usage: *usage,
                });
            }
            _ => {}
        }
    }

    fn scope(&mut self) -> &mut Scope {
        self.scope.get_or_insert_default()
    }

    fn complete(&mut self, completed: Completed, seq: u64, values: Values) {
        let Completed {
            outcome,
            duration_ms,
            scope,
            state,
        } = completed;
        self.changed(seq, state);
        self.status = StepStatus::Completed;
        self.waits = None;
        // The step may have failed because a budget stopped the run. It completed after the budget was raised.
        self.error = None;
        self.duration_ms = Some(duration_ms);
        self.usage.add(&outcome.usage);
        if values == Values::Whole {
            self.outcome = Some(outcome);
        }
        self.end_scope(scope);
    }

    fn fail(&mut self, failed: Failed, seq: u64) {
        let Failed {
            error,
            duration_ms,
            scope,
            state,
        } = failed;
        self.changed(seq, state);
        self.status = match error.class() {
            ErrorClass::Cancelled => StepStatus::Cancelled,
            _ => StepStatus::Failed,
        };
        self.waits = None;
        self.duration_ms = Some(duration_ms);
        self.usage.add(&error.usage);
        self.outcome = None;
        self.error = Some(error);
        self.end_scope(scope);
    }

    fn changed(&mut self, seq: u64, state: Option<Arc<Value>>) {
        if let Some(state) = state {
            self.state = Some((seq, state));
        }
    }

    fn end_scope(&mut self, end: Option<ScopeEnd>) {
        if end.is_some() {
            self.scope().end = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use loopwright_engine::{ExitReason, question::Question};
    use serde_json::json;

    use super::*;

    /// Returns records at these paths, one per second.
    fn records(entries: Vec<(&str, Entry)>) -> Vec<Record> {
        (0..)
            .zip(entries)
            .map(|(seq, (path, entry))| Record {
                seq,
                at: i64::try_from(seq).unwrap() * 1_000,
                path: path.to_owned(),
                node_id: (!path.is_empty()).then(|| Arc::from(path.rsplit('/').next().unwrap())),
                entry,
            })
            .collect()
    }

    fn begun(max_iterations: Option<u32>) -> Entry {
        Entry::Fact(Fact::NodeStarted {
            inputs: ByName::default(),
            primary: None,
            max_iterations,
        })
    }

    fn iteration(index: u32) -> Entry {
        Entry::Fact(Fact::IterationStarted {
            index,
            total: Some(3),
            input: Arc::new(json!(index)),
        })
    }

    fn iterated(index: u32, result: &str, status: RunStatus) -> Entry {
        Entry::Fact(Fact::IterationCompleted {
            index,
            result: Arc::new(json!(result)),
            reached_exit: true,
            similarity: None,
            condition_result: None,
            score: None,
            duration_ms: 5,
            usage: Box::default(),
            status,
        })
    }

    fn completed(value: &str, scope: Option<ScopeEnd>) -> Entry {
        Entry::Input(Input::ExecutionCompleted(Completed {
            outcome: Arc::new(Outcome::single("output", Arc::new(json!(value)))),
            duration_ms: 7,
            scope,
            state: None,
        }))
    }

    fn asked(message: &str) -> Entry {
        Entry::Input(Input::NodeWaiting {
            question: Question::Approve {
                message: message.to_owned(),
            },
            value: Arc::default(),
            expires: None,
        })
    }

    #[test]
    fn a_loop_has_its_finished_iterations_and_its_end() {
        let end = ScopeEnd {
            iterations: 2,
            exit_reason: ExitReason::MaxIterations,
            exhausted: false,
        };
        let all = records(vec![
            ("refine", begun(Some(3))),
            ("refine", iteration(0)),
            ("refine[1]/draft", begun(None)),
            ("refine[1]/draft", completed("one", None)),
            ("refine", iterated(0, "one", RunStatus::Completed)),
            ("refine", iteration(1)),
            ("refine", iterated(1, "two", RunStatus::Completed)),
            ("refine", completed("two", Some(end))),
        ]);
        let running = RunTree::of(all[..6].to_vec(), Values::Whole);
        let scope = running.step("refine").unwrap().scope.as_ref().unwrap();
        assert_eq!(scope.count(), 1);
        let open = running.open_iterations();
        assert_eq!((open.len(), open[0].0, open[0].2), (1, "refine", 1));
        let over = RunTree::of(all, Values::Whole);
        let paths: Vec<&str> = over.steps().map(|(path, _)| path).collect();
        assert_eq!(paths, ["refine", "refine[1]/draft"]);
        assert!(over.open_iterations().is_empty());
        let scope = over.step("refine").unwrap().scope.as_ref().unwrap();
        assert_eq!((scope.count(), scope.end), (2, Some(end)));
        let results: Vec<_> = scope.completed().map(|(_, end)| &*end.result).collect();
        assert_eq!(results, [&json!("one"), &json!("two")]);
    }

    #[test]
    fn what_begins_again_forgets_all_but_what_it_used() {
        let spent = NodeError {
            usage: Usage {
                calls: 2,
                ..Usage::default()
            },
            ..NodeError::new("llm_error", "Too busy.")
        };
        let failed = Entry::Input(Input::ExecutionFailed(Failed {
            error: Box::new(spent),
            duration_ms: 1,
            scope: None,
            state: None,
        }));
        let all = records(vec![
            ("polish/draft", begun(None)),
            ("polish/draft", failed),
            ("polish/draft", begun(None)),
            ("polish/draft", completed("fine", None)),
        ]);
        let before = RunTree::of(all[..3].to_vec(), Values::Whole);
        let step = before.step("polish/draft").unwrap();
        assert_eq!(
            (step.status, step.error.is_none()),
            (StepStatus::Running, true)
        );
        let step = RunTree::of(all, Values::Whole);
        let step = step.into_step("polish/draft").unwrap();
        assert_eq!((step.status, step.usage.calls), (StepStatus::Completed, 2));
        assert_eq!(step.node, "draft");
    }

    #[test]
    fn the_oldest_question_comes_first_and_none_in_a_run_that_is_over() {
        let failed = Entry::Fact(Fact::RunFailed {
            status: RunStatus::Cancelled,
            error: Box::new(NodeError::cancelled("Stopped.")),
            duration_ms: 0,
            usage: Box::default(),
            warnings: Vec::new(),
        });
        let all = records(vec![
            ("a", begun(None)),
            ("b", begun(None)),
            ("b", asked("B?")),
            ("a", asked("A?")),
            ("", failed),
        ]);
        let open = RunTree::of(all[..4].to_vec(), Values::ShortResults(0));
        let waiting: Vec<(&str, String)> = open
            .waiting()
            .into_iter()
            .map(|(path, question)| (path, question.to_string()))
            .collect();
        assert_eq!(waiting, [("b", "B?".to_owned()), ("a", "A?".to_owned())]);
        assert!(RunTree::of(all, Values::Whole).waiting().is_empty());
    }

    #[test]
    fn long_results_are_held_by_their_beginning() {
        let long = "x".repeat(5_000);
        let all = records(vec![
            ("l", begun(Some(1))),
            ("l", iteration(0)),
            ("l", iterated(0, &long, RunStatus::Completed)),
        ]);
        let tree = RunTree::of(all, Values::ShortResults(100));
        let scope = tree.step("l").unwrap().scope.as_ref().unwrap();
        let (_, end) = scope.completed().next().unwrap();
        assert!(end.is_shortened);
        assert!(end.result.as_str().unwrap().chars().count() <= PREVIEW + 1);
    }
}
