//! Comparison of two runs.

pub(crate) mod diff;
pub(crate) mod dto;
pub(crate) mod flow;

use loopwright_engine::{
    journal::{RunHeader, Select},
    named::Named,
    outcome::UsageView,
};
use loopwright_model::value::preview;
use loopwright_runs::{ApiError, Code, Env, clip};
use serde_json::Value;

use crate::{
    dto::StepDetail,
    history::{self, failure, step_detail},
    tree::{RunTree, Scope, Step, Values},
};
use dto::*;

/// The maximum number of characters of a value that a row shows.
const PREVIEW: usize = 200;

/// Compares two runs: their flows, settings and inputs, their results, and the steps that differ.
///
/// # Errors
/// [`Code::NotFound`] if a run does not exist, or an error if the store cannot be read.
pub fn compare_runs(env: &Env, a: &str, b: &str) -> Result<RunComparison, ApiError> {
    let journal = env.journal();
    let ((header_a, state_a), (header_b, state_b)) = (journal.run(a)?, journal.run(b)?);
    let read = |run: &str| RunTree::read(&*journal, run, Select::All, Values::Whole);
    let (tree_a, tree_b) = (read(a)?, read(b)?);
    let outputs =
        |outputs: &Option<Named>| (outputs.as_ref()).map_or(Value::Null, Named::to_object);
    let (steps, same_steps) = steps(&tree_a, &tree_b);
    Ok(RunComparison {
        forked_at: forked_at(&header_a, &header_b),
        settings: flow::settings(&header_a, &header_b),
        structure: flow::structure(&header_a.document, &header_b.document),
        inputs: flow::values(&header_a.inputs, &header_b.inputs, false),
        outputs: flow::values(&outputs(&state_a.outputs), &outputs(&state_b.outputs), true),
        loops: loops(&tree_a, &tree_b),
        steps,
        same_steps,
        error_a: state_a.error.clone().map(failure),
        error_b: state_b.error.clone().map(failure),
        a: history::summary(&header_a.brief(), &state_a),
        b: history::summary(&header_b.brief(), &state_b),
    })
}

/// Compares one step of two runs in full. Either run may lack the step.
///
/// # Errors
/// [`Code::NotFound`] if a run does not exist or neither run has the step, or an error if the store cannot be read.
pub fn compare_step(env: &Env, a: &str, b: &str, path: &str) -> Result<StepComparison, ApiError> {
    let of = |run: &str| match step_detail(env, run, path) {
        Ok(step) => Ok(Some(step)),
        Err(error) if error.code == Code::NotFound => {
            // A run without the step is fine, but a missing run is an error.
            env.journal().run(run)?;
            Ok(None)
        }
        Err(error) => Err(error),
    };
    let (a, b) = (of(a)?, of(b)?);
    if a.is_none() && b.is_none() {
        return Err(ApiError::new(
            Code::NotFound,
            format!(
                "Neither run has a step `{path}`. Paths look like `refine[2]/draft`; iterations are numbered from 1."
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

fn forked_at(a: &RunHeader, b: &RunHeader) -> Option<String> {
    let origin = |header: &RunHeader| header.brief().forked_from;
    match (origin(a), origin(b)) {
        (_, Some((parent, at))) if parent == a.run_id => Some(at),
        (Some((parent, at)), _) if parent == b.run_id => Some(at),
        (Some((parent, at)), Some((other, too))) if parent == other && at == too => Some(at),
        _ => None,
    }
}

impl Step {
    /// Returns the text shown in place of a missing value: the question, the reason for skipping the step, or the error.
    fn words(&self) -> String {
        match (&self.waits, &self.skipped, &self.error) {
            (Some(wait), ..) => wait.question.to_string(),
            (_, Some(reason), _) => reason.clone(),
            (.., Some(error)) => error.message.clone(),
            _ => String::new(),
        }
    }

    fn side(&self) -> StepSide {
        let outcome = self.outcome.as_ref();
        StepSide {
            status: self.status,
            duration_ms: self.duration_ms.map(clip),
            usage: outcome.map_or_else(UsageView::default, |outcome| (&outcome.usage).into()),
            preview: outcome
                .map_or_else(|| self.words(), |outcome| preview(&outcome.value, PREVIEW)),
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
        self.status == other.status && self.words() == other.words() && gave(self) == gave(other)
    }
}

fn side(scope: &Scope) -> LoopSide {
    LoopSide {
        count: scope.count(),
        exit_reason: scope.end.map(|end| end.exit_reason),
        exhausted: scope.end.is_some_and(|end| end.exhausted),
        iterations: scope
            .completed()
            .map(|(index, end)| IterationSide {
                number: index + 1,
                similarity: end.similarity,
                condition: end.condition,
                score: end.score,
                duration_ms: clip(end.duration_ms),
                usage: UsageView::from(&end.usage),
                result_preview: end.preview(PREVIEW),
            })
            .collect(),
    }
}

/// Returns the steps that differ, and the number of steps that are equal.
fn steps(a: &RunTree, b: &RunTree) -> (Vec<StepDifference>, u32) {
    let mut same = 0;
    let mut differences = Vec::new();
    let only_a = a.steps().filter(|(path, _)| b.step(path).is_none());
    for (path, step) in b.steps().chain(only_a) {
        let (of_a, of_b) = (a.step(path), b.step(path));
        if let (Some(a), Some(b)) = (of_a, of_b)
            && a.is_like(b)
        {
            same += 1;
            continue;
        }
        differences.push(StepDifference {
            path: path.to_owned(),
            node_id: step.node.clone(),
            a: of_a.map(Step::side),
            b: of_b.map(Step::side),
        });
    }
    (differences, same)
}

fn loops(a: &RunTree, b: &RunTree) -> Vec<LoopComparison> {
    let at = |tree: &RunTree, path: &str| tree.step(path)?.scope.as_ref().map(side);
    let only_b = b.loops().filter(|(path, _)| at(a, path).is_none());
    a.loops()
        .chain(only_b)
        .map(|(path, _)| LoopComparison {
            path: path.to_owned(),
            a: at(a, path),
            b: at(b, path),
        })
        .collect()
}
