//! One step of a run in full, from its records.

use std::sync::Arc;

use loopwright_engine::{journal::Select, outcome::UsageView};
use loopwright_runs::{ApiError, Code, Env, clip};
use serde_json::{Map, Value};

use crate::{
    dto::{ExpiryView, StepDetail, StepError},
    tree::{RunTree, Step, Values},
};

/// Builds the details of a step from its records. The description of a tool call is not included.
pub(crate) fn recorded_step(env: &Env, run_id: &str, path: &str) -> Result<StepDetail, ApiError> {
    let tree = RunTree::read(&*env.journal(), run_id, Select::Path(path), Values::Whole)?;
    let step = tree.into_step(path).ok_or_else(|| {
        ApiError::new(
            Code::NotFound,
            format!("Run {run_id} has no step `{path}`. Paths look like `refine[2]/draft`; iterations are numbered from 1."),
        )
    })?;
    Ok(detail_of(path, step))
}

fn detail_of(path: &str, step: Step) -> StepDetail {
    let (question, expires) = step.waits.map(|wait| (wait.question, wait.expires)).unzip();
    let expires = expires.flatten().as_ref().map(ExpiryView::of);
    let mut detail = StepDetail {
        path: path.to_owned(),
        node_id: step.node,
        status: step.status,
        reason: step.skipped.or(question.as_ref().map(ToString::to_string)),
        question,
        expires,
        inputs: step
            .inputs
            .into_iter()
            .map(|(handle, value)| (handle.to_string(), (*value).clone()))
            .collect(),
        output: step.proposed.map_or(Value::Null, Arc::unwrap_or_clone),
        handles: Map::new(),
        prompt: None,
        raw: None,
        usage: UsageView::default(),
        duration_ms: step.duration_ms.map(clip),
        model: None,
        pinned: false,
        checked: None,
        error: None,
        request: None,
    };
    if let Some(outcome) = step.outcome {
        let outcome = Arc::unwrap_or_clone(outcome);
        detail.usage = UsageView::from(outcome.spent());
        detail.output = (*outcome.value).clone();
        detail.handles = outcome
            .handles
            .iter()
            .map(|(handle, value)| (handle.clone(), (**value).clone()))
            .collect();
        detail.pinned = outcome.pinned;
        detail.checked = outcome.checked;
        if let Some(trace) = outcome.trace {
            detail.prompt = trace.prompt;
            detail.raw = trace.raw;
            detail.model = trace.model;
        }
    }
    if let Some(error) = step.error {
        detail.usage = UsageView::from(&error.usage);
        detail.error = Some(StepError {
            partial: error.partial().map(str::to_owned),
            code: error.code,
            message: error.message,
        });
    }
    detail
}
