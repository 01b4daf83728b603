//! Two runs beside each other.

mod diff;
pub(crate) mod dto;
mod flow;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use loopwright_engine::{
    Entry, ErrorClass, Record, RunStatus,
    journal::{Completed, Fact, Failed, Input, RunHeader, Select},
    named::Named,
    outcome::{Outcome, UsageView},
};
use loopwright_model::value::preview;
use serde_json::Value;

use crate::{
    app::App,
    dto::{StepDetail, StepStatus},
    error::{ApiError, Code},
    history::{self, clip, failure},
};
use dto::*;

/// Characters of a value that a row shows.
const PREVIEW: usize = 200;

impl App {
    /// Compares two runs: what they were asked for, what came of it, and step by step where they part.
    pub fn compare_runs(&self, a: &str, b: &str) -> Result<RunComparison, ApiError> {
        let journal = self.journal();
        let ((header_a, state_a), (header_b, state_b)) = (journal.run(a)?, journal.run(b)?);
        let (side_a, side_b) = (
            Side::read(journal.read(a, Select::All)?),
            Side::read(journal.read(b, Select::All)?),
        );
        let outputs =
            |outputs: &Option<Named>| (outputs.as_ref()).map_or(Value::Null, Named::to_object);
        let (steps, same_steps) = steps(&side_a, &side_b);
        Ok(RunComparison {
            forked_at: forked_at(&header_a, &header_b),
            settings: flow::settings(&header_a, &header_b),
            structure: flow::structure(&header_a.document, &header_b.document),
            inputs: flow::values(&header_a.inputs, &header_b.inputs, false),
            outputs: flow::values(&outputs(&state_a.outputs), &outputs(&state_b.outputs), true),
            loops: loops(side_a.loops, side_b.loops),
            steps,
            same_steps,
            error_a: state_a.error.clone().map(failure),
            error_b: state_b.error.clone().map(failure),
            a: history::summary(&header_a.brief(), &state_a),
            b: history::summary(&header_b.brief(), &state_b),
        })
    }

    /// One step of two runs, whole; either may lack it.
    pub fn compare_step(&self, a: &str, b: &str, path: &str) -> Result<StepComparison, ApiError> {
        let of = |run: &str| match self.step_detail(run, path) {
            Ok(step) => Ok(Some(step)),
            Err(error) if error.code == Code::NotFound => {
                // The run itself must be there.
                self.journal().run(run)?;
                Ok(None)
            }
            Err(error) => Err(error),
        };
        let (a, b) = (of(a)?, of(b)?);
        if a.is_none() && b.is_none() {
            return Err(ApiError::new(
                Code::NotFound,
                format!(
                    "Neither run has a step `{path}`. Paths look like `refine[2]/draft`; iterations count from 1."
                ),
            ));
        }
        let text = |step: &Option<StepDetail>| {
            step.as_ref()
                .and_then(|step| step.prompt.clone())
                .unwrap_or_default()
        };
        let output = |step: &Option<StepDetail>| {
            step.as_ref()
                .map(|step| step.output.clone())
                .unwrap_or_default()
        };
        Ok(StepComparison {
            prompt: diff::texts(&text(&a), &text(&b), false),
            output: diff::parts(&output(&a), &output(&b)),
            a,
            b,
        })
    }
}

fn forked_at(a: &RunHeader, b: &RunHeader) -> Option<String> {
    let origin = |header: &RunHeader| header.brief().forked_from;
    match (origin(a), origin(b)) {
        (_, Some((parent, at))) if parent == a.run_id => Some(at),
        (Some((parent, at)), _) if parent == b.run_id => Some(at),
        (Some((parent, at)), Some((other, too))) if parent == other && at == too => Some(at),
        _ => None,
    }
}

/// One run, by step and by loop, in the order in which they began.
#[derive(Default)]
struct Side {
    steps: Vec<String>,
    by_path: HashMap<String, Step>,
    loops: Vec<(String, LoopSide)>,
    loop_at: HashMap<String, usize>,
}

struct Step {
    node: String,
    status: StepStatus,
    duration_ms: Option<u32>,
    outcome: Option<Arc<Outcome>>,
    words: String,
}

impl Side {
    fn read(records: Vec<Record>) -> Self {
        let mut side = Self::default();
        for record in records {
            side.take(record);
        }
        side
    }

    fn in_loop(&mut self, path: &str, change: impl FnOnce(&mut LoopSide)) {
        let at = *self.loop_at.entry(path.to_owned()).or_insert_with(|| {
            self.loops.push((path.to_owned(), LoopSide::default()));
            self.loops.len() - 1
        });
        change(&mut self.loops[at].1);
    }

    fn take(&mut self, record: Record) {
        let Some(node) = record.node_id.as_deref().map(str::to_owned) else {
            return;
        };
        let path = record.path;
        let (status, duration, outcome, words) = match record.entry {
            Entry::Fact(Fact::NodeStarted { .. }) => {
                (StepStatus::Running, None, None, String::new())
            }
            Entry::Input(Input::NodeWaiting { question, .. }) => {
                (StepStatus::Waiting, None, None, question.to_string())
            }
            Entry::Input(Input::NodeAnswered { .. }) => {
                (StepStatus::Running, None, None, String::new())
            }
            Entry::Fact(Fact::NodeSkipped { reason }) => (StepStatus::Skipped, None, None, reason),
            Entry::Input(Input::ExecutionCompleted(Completed {
                outcome,
                duration_ms,
                scope,
            }))
            | Entry::Fact(Fact::NodeCompleted(Completed {
                outcome,
                duration_ms,
                scope,
            })) => {
                if let Some(scope) = scope {
                    self.in_loop(&path, |side| {
                        side.count = scope.iterations;
                        side.exit_reason = Some(scope.exit_reason);
                        side.exhausted = scope.exhausted;
                    });
                }
                (
                    StepStatus::Completed,
                    Some(clip(duration_ms)),
                    Some(outcome),
                    String::new(),
                )
            }
            Entry::Input(Input::ExecutionFailed(Failed {
                error,
                duration_ms,
                scope,
            }))
            | Entry::Fact(Fact::NodeFailed(Failed {
                error,
                duration_ms,
                scope,
            })) => {
                if let Some(scope) = scope {
                    self.in_loop(&path, |side| {
                        side.count = scope.iterations;
                        side.exit_reason = Some(scope.exit_reason);
                        side.exhausted = scope.exhausted;
                    });
                }
                let status = if error.class() == ErrorClass::Cancelled {
                    StepStatus::Cancelled
                } else {
                    StepStatus::Failed
                };
                (status, Some(clip(duration_ms)), None, error.message)
            }
            Entry::Fact(Fact::IterationStarted { .. }) => {
                self.in_loop(&path, |_| {});
                return;
            }
            Entry::Fact(Fact::IterationCompleted {
                index,
                result,
                similarity,
                condition_result,
                score,
                duration_ms,
                usage,
                status: RunStatus::Completed,
                ..
            }) => {
                self.in_loop(&path, |side| {
                    side.iterations.push(IterationSide {
                        number: index + 1,
                        similarity,
                        condition: condition_result,
                        score,
                        duration_ms: clip(duration_ms),
                        usage: UsageView::from(&*usage),
                        result_preview: preview(&result, PREVIEW),
                    });
                    side.count = u32::try_from(side.iterations.len()).unwrap_or(u32::MAX);
                });
                return;
            }
            _ => return,
        };
        if !self.by_path.contains_key(&path) {
            self.steps.push(path.clone());
        }
        self.by_path.insert(
            path,
            Step {
                node,
                status,
                duration_ms: duration,
                outcome,
                words,
            },
        );
    }
}

impl Step {
    fn side(&self) -> StepSide {
        let outcome = self.outcome.as_ref();
        StepSide {
            status: self.status,
            duration_ms: self.duration_ms,
            usage: outcome.map_or_else(UsageView::default, |outcome| (&outcome.usage).into()),
            preview: outcome.map_or_else(
                || self.words.clone(),
                |outcome| preview(&outcome.value, PREVIEW),
            ),
            branch: outcome.and_then(|outcome| outcome.branch.clone()),
            pinned: outcome.is_some_and(|outcome| outcome.pinned),
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        let gave = |step: &Self| {
            step.outcome
                .as_ref()
                .map(|outcome| (outcome.value.clone(), outcome.branch.clone()))
        };
        self.status == other.status && self.words == other.words && gave(self) == gave(other)
    }
}

/// The steps that differ, and how many do not.
fn steps(a: &Side, b: &Side) -> (Vec<StepDifference>, u32) {
    let mut same = 0;
    let mut differences = Vec::new();
    let in_b: HashSet<&String> = b.steps.iter().collect();
    let only_a = a.steps.iter().filter(|path| !in_b.contains(path));
    for path in b.steps.iter().chain(only_a) {
        let (of_a, of_b) = (a.by_path.get(path), b.by_path.get(path));
        if let (Some(a), Some(b)) = (of_a, of_b)
            && a.is_like(b)
        {
            same += 1;
            continue;
        }
        let node = of_b.or(of_a).map(|step| step.node.clone());
        differences.push(StepDifference {
            path: path.clone(),
            node_id: node.unwrap_or_default(),
            a: of_a.map(Step::side),
            b: of_b.map(Step::side),
        });
    }
    (differences, same)
}

fn loops(a: Vec<(String, LoopSide)>, b: Vec<(String, LoopSide)>) -> Vec<LoopComparison> {
    let mut of_b: HashMap<String, LoopSide> = b.iter().cloned().collect();
    let mut compared: Vec<LoopComparison> = a
        .into_iter()
        .map(|(path, side)| LoopComparison {
            b: of_b.remove(&path),
            a: Some(side),
            path,
        })
        .collect();
    let only_b = b.into_iter().filter(|(path, _)| of_b.contains_key(path));
    compared.extend(only_b.map(|(path, side)| LoopComparison {
        path,
        a: None,
        b: Some(side),
    }));
    compared
}
