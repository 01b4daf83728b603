//! Converts the fields of a Loop to the engine's configuration.

use std::sync::Arc;

use loopwright_engine::{
    ExitNeed, LoopConfig, NodeError,
    budget::Limits,
    duration::millis,
    plan::repeat::{Delay, FeedbackMode, Keep, LoopOutput, ResourceConfig, Take, Variable},
};
use loopwright_model::{EffectClass, Node};
use loopwright_template::Template;
use serde_json::{Map, Value, json};

use super::config::{self as fields, Config, WORKSPACE};
use crate::config;

/// Returns the configuration of a validated node.
///
/// # Errors
/// Returns an error if a field cannot be read despite validation.
pub(super) fn compile(node: &Node) -> Result<LoopConfig, NodeError> {
    let own: Config = config::read(node)?;
    let limits = own.limits.as_ref();
    let time = |text: Option<&String>, field| {
        text.map(|text| {
            millis(text).map_err(|error| config::field_error(node.title(), field, &error.message))
        })
        .transpose()
    };
    // Every node may have a `timeout`. On a Loop, it cancels running work, as the loop's own time limit does.
    let of_node = time(node.text("timeout").map(str::to_owned).as_ref(), "timeout")?;
    let returns_best = own.result == fields::ResultChoice::Best;
    let needs_score = own.exit_condition.choice().needs == Some(ExitNeed::Score);
    let score = own.score.as_deref();
    let score = score.filter(|_| returns_best || needs_score);
    Ok(LoopConfig {
        resource: own.workspace.as_ref().and_then(workspace),
        max_iterations: own.max_iterations,
        requested: node.data.get("maxIterations").cloned(),
        exit: own.exit_condition.read(node, &own.exit_settings())?,
        min_iterations: own.min_iterations.max(1),
        feedback_mode: match own.feedback_mode {
            fields::Feedback::Replace => FeedbackMode::Replace,
            fields::Feedback::Append => FeedbackMode::Append,
            fields::Feedback::Variables => FeedbackMode::Variables,
        },
        keep: match &own.keep {
            Some(keep) => read_keep(node, keep)?,
            None => None,
        },
        variables: own
            .variables
            .iter()
            .map(|variable| read_variable(node, variable))
            .collect::<Result<_, _>>()?,
        outputs: own
            .outputs
            .iter()
            .map(|output| read_output(node, output))
            .collect::<Result<_, _>>()?,
        input_name: own.input_name.clone().filter(|name| !name.is_empty()),
        score: score
            .map(|source| config::expression(node, "score", source))
            .transpose()?,
        returns_best,
        fail_on_limit: own.on_limit == fields::OnEnd::Fail,
        return_on_error: own.on_error == fields::OnError::Return,
        timeout_ms: time(
            limits.and_then(|limits| limits.timeout.as_ref()),
            "limits.timeout",
        )?
        .into_iter()
        .chain(of_node)
        .min(),
        iteration_timeout_ms: time(
            limits.and_then(|limits| limits.iteration_timeout.as_ref()),
            "limits.iterationTimeout",
        )?,
        delay: own
            .delay
            .as_ref()
            .map(|delay| read_delay(node, delay))
            .transpose()?,
        no_progress: limits
            .and_then(|limits| limits.no_progress.as_ref())
            .map(|no_progress| no_progress.rounds.max(1)),
        escalates: limits
            .and_then(|limits| limits.no_progress.as_ref())
            .is_some_and(|no_progress| no_progress.escalate),
        budget: Limits::new(
            limits.and_then(|limits| limits.budget_usd),
            limits.and_then(|limits| limits.budget_tokens),
        ),
    })
}

/// Returns the loop's workspace as a resource, or `None` if no folder is set. A step that only reads does not change the
/// resource.
fn workspace(own: &fields::Workspace) -> Option<ResourceConfig> {
    Some(ResourceConfig {
        kind: WORKSPACE.into(),
        request: Arc::new(own.request()?),
        changed_by: EffectClass::Writes,
        undoes_unfinished: own.on_failed_iteration == fields::OnFailedIteration::Restore,
        of_iteration: Map::from_iter([
            ("changes".to_owned(), json!([])),
            ("diff".to_owned(), json!("")),
        ]),
    })
}

/// Compiles a string as a template. Any other value becomes a constant.
fn template_or_value(
    node: &Node,
    value: Option<&Value>,
) -> Result<(Option<Template>, Option<Value>), NodeError> {
    match value {
        Some(Value::String(source)) => {
            let template = config::template(node, "variables", source)?;
            Ok((Some(template), None))
        }
        other => Ok((None, other.cloned())),
    }
}

fn read_variable(node: &Node, own: &fields::Variable) -> Result<Variable, NodeError> {
    let (initial, constant) = template_or_value(node, own.initial.as_ref())?;
    let (next, next_constant) = template_or_value(node, own.next.as_ref())?;
    Ok(Variable {
        name: own.name.clone(),
        initial,
        constant,
        next,
        next_constant,
    })
}

/// Returns which parts of the appended feedback are kept, or `None` if no field limits them. If only a summary is set, the
/// newest part is kept.
fn read_keep(node: &Node, own: &fields::Keep) -> Result<Option<Keep>, NodeError> {
    if own.last.is_none() && own.summary().is_none() {
        return Ok(None);
    }
    let summary = own.summary();
    let summary = summary.map(|source| config::expression(node, "keep.summarise", source));
    Ok(Some(Keep {
        last: usize::try_from(own.last.unwrap_or(1).max(1)).unwrap_or(usize::MAX),
        summary: summary.transpose()?,
    }))
}

fn read_output(node: &Node, own: &fields::ExtraOutput) -> Result<LoopOutput, NodeError> {
    Ok(LoopOutput {
        name: own.name.clone(),
        from: config::expression(node, "outputs", &own.from)?,
        take: match own.take {
            fields::Take::Last => Take::Last,
            fields::Take::First => Take::First,
            fields::Take::All => Take::All,
        },
    })
}

fn read_delay(node: &Node, own: &fields::Delay) -> Result<Delay, NodeError> {
    let time = |text: &str| {
        millis(text).map_err(|error| config::field_error(node.title(), "delay", &error.message))
    };
    Ok(Delay {
        exponential: own.kind == fields::DelayKind::Exponential,
        interval_ms: time(&own.interval)?,
        jitter: own.jitter.unwrap_or(0.0).clamp(0.0, 1.0),
        max_ms: own.max_interval.as_deref().map(time).transpose()?,
    })
}
