//! A loop's configuration, read once.

use loopwright_model::{
    Node, Settings,
    template::{Expression, Template},
};
use serde_json::Value;

use crate::{budget::Limits, duration::millis, outcome::NodeError};

/// When a loop stops before its cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCondition {
    MaxIterations,
    Evaluator,
    StableOutput,
    Condition,
}

/// How an iteration's value becomes the next one's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedbackMode {
    Replace,
    Append,
    Variables,
}

/// The test of `exitCondition: condition`.
#[derive(Debug, Clone)]
pub struct Condition {
    pub expression: Expression,
    /// `until`: met when true; `while`: met when false.
    pub met_when: bool,
    /// Before each iteration (zero are possible), or after it.
    pub before: bool,
}

/// A loop variable: templates for its first and its next values.
#[derive(Debug, Clone)]
pub struct Variable {
    pub name: String,
    pub initial: Option<Template>,
    /// A literal initial value that is no text.
    pub constant: Option<Value>,
    pub next: Option<Template>,
    /// A literal next value that is no text.
    pub next_constant: Option<Value>,
}

/// Which passes' values an extra output gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    Last,
    First,
    All,
}

/// An extra output handle of a loop.
#[derive(Debug, Clone)]
pub struct LoopOutput {
    pub name: String,
    /// Read after every pass.
    pub from: Expression,
    pub take: Take,
}

/// What a loop does, compiled.
#[derive(Debug)]
pub struct LoopPlan {
    /// Clamped to 1..=`maxIterationsCeiling`.
    pub max_iterations: u32,
    pub exit_condition: ExitCondition,
    pub threshold: f64,
    pub patience: u32,
    pub min_iterations: u32,
    pub condition: Option<Condition>,
    pub feedback_mode: FeedbackMode,
    pub variables: Vec<Variable>,
    pub outputs: Vec<LoopOutput>,
    pub input_name: Option<String>,
    pub best_score: Option<Expression>,
    pub fail_on_limit: bool,
    pub return_on_error: bool,
    /// What was asked for, where the workflow's ceiling cut it.
    pub clamped_from: Option<Value>,
    pub timeout_ms: Option<u64>,
    pub iteration_timeout_ms: Option<u64>,
    pub delay: Option<Delay>,
    /// What the whole loop may spend.
    pub budget: Limits,
}

/// The pause between iterations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay {
    pub exponential: bool,
    pub interval_ms: u64,
    pub max_ms: Option<u64>,
    /// A fraction of the pause, 0..=1, by which it may be longer or shorter.
    pub jitter: f64,
}

impl Delay {
    /// The pause after iteration `iteration` (from 1), in milliseconds. `spread` in 0..1 places it within the jitter.
    pub fn after(&self, iteration: u32, spread: f64) -> u64 {
        let pause = if self.exponential {
            self.interval_ms.saturating_mul(
                1_u64
                    .checked_shl(iteration.saturating_sub(1))
                    .unwrap_or(u64::MAX),
            )
        } else {
            self.interval_ms
        };
        let jittered = (pause as f64 * (1.0 + self.jitter * (2.0 * spread - 1.0))) as u64;
        self.max_ms.map_or(jittered, |max| jittered.min(max))
    }
}

impl LoopPlan {
    /// A limit of no time at all: it is over before anything could run in it, however fast that is.
    pub fn has_no_time(&self) -> bool {
        self.timeout_ms == Some(0) || self.iteration_timeout_ms == Some(0)
    }

    /// Reads a validated loop node.
    pub fn read(node: &Node, settings: &Settings) -> Result<Self, NodeError> {
        let invalid = |field: &str, message: String| {
            NodeError::new(
                "invalid_field",
                format!("{field} of \"{}\": {message}", node.title()),
            )
        };
        let whole = |field: &str, default: u32| match node.data.get(field) {
            None | Some(Value::Null) => Ok(default),
            Some(value) => value
                .as_u64()
                .or_else(|| {
                    // Below zero counts as zero, and is clamped like it.
                    value
                        .as_f64()
                        .filter(|n| n.fract() == 0.0)
                        .map(|n| n as u64)
                })
                .map(|n| u32::try_from(n).unwrap_or(u32::MAX))
                .ok_or_else(|| invalid(field, format!("{value} is not a whole number."))),
        };
        let exit_condition = match node.text("exitCondition") {
            None | Some("max_iterations") => ExitCondition::MaxIterations,
            Some("evaluator") => ExitCondition::Evaluator,
            Some("stable_output") => ExitCondition::StableOutput,
            Some("condition") => ExitCondition::Condition,
            Some(other) => return Err(invalid("exitCondition", format!("there is no `{other}`."))),
        };
        let feedback_mode = match node.text("feedbackMode") {
            None | Some("replace") => FeedbackMode::Replace,
            Some("append") => FeedbackMode::Append,
            Some("variables") => FeedbackMode::Variables,
            Some(other) => return Err(invalid("feedbackMode", format!("there is no `{other}`."))),
        };
        let condition = match exit_condition {
            ExitCondition::Condition => Some(read_condition(node, &invalid)?),
            _ => None,
        };
        let best_score = match node.text("result") {
            Some("best") => Some(
                Expression::parse(node.text("score").unwrap_or_default())
                    .map_err(|error| invalid("score", error.to_string()))?,
            ),
            _ => None,
        };
        let limit = |name: &str| {
            node.data
                .get("limits")
                .and_then(|limits| limits.get(name))
                .and_then(Value::as_str)
                .map(millis)
                .transpose()
                .map_err(|error| invalid(name, error.message))
        };
        // The field that every node may have cancels what is under way as the loop's own limit does.
        let own = node
            .text("timeout")
            .map(millis)
            .transpose()
            .map_err(|error| invalid("timeout", error.message))?;
        let number = |name: &str| node.data.get("limits").and_then(|limits| limits.get(name));
        let requested = whole("maxIterations", 5)?;
        let max_iterations = requested.clamp(1, settings.max_iterations_ceiling);
        Ok(Self {
            max_iterations,
            clamped_from: (requested != max_iterations)
                .then(|| node.data.get("maxIterations").cloned().unwrap_or_default()),
            timeout_ms: limit("timeout")?.into_iter().chain(own).min(),
            iteration_timeout_ms: limit("iterationTimeout")?,
            delay: read_delay(node, &invalid)?,
            budget: Limits::new(
                number("budgetUsd").and_then(Value::as_f64),
                number("budgetTokens").and_then(loopwright_model::value::whole),
            ),
            exit_condition,
            threshold: node
                .data
                .get("stabilityThreshold")
                .and_then(Value::as_f64)
                .unwrap_or(0.95)
                .clamp(0.0, 1.0),
            patience: whole("patience", 1)?.max(1),
            min_iterations: whole("minIterations", 1)?.max(1),
            condition,
            feedback_mode,
            variables: read_variables(node, &invalid)?,
            outputs: read_outputs(node, &invalid)?,
            input_name: node
                .text("inputName")
                .filter(|name| !name.is_empty())
                .map(str::to_owned),
            best_score,
            fail_on_limit: node.text("onLimit") == Some("fail"),
            return_on_error: node.text("onError") == Some("return"),
        })
    }
}

fn read_delay(
    node: &Node,
    invalid: &impl Fn(&str, String) -> NodeError,
) -> Result<Option<Delay>, NodeError> {
    let Some(delay) = node.data.get("delay").filter(|delay| delay.is_object()) else {
        return Ok(None);
    };
    let duration = |name: &str| {
        delay
            .get(name)
            .and_then(Value::as_str)
            .map(millis)
            .transpose()
            .map_err(|error| invalid("delay", error.message))
    };
    Ok(Some(Delay {
        exponential: delay.get("type").and_then(Value::as_str) == Some("exponential"),
        interval_ms: duration("interval")?.unwrap_or(0),
        jitter: delay
            .get("jitter")
            .and_then(Value::as_f64)
            .unwrap_or(0.0)
            .clamp(0.0, 1.0),
        max_ms: duration("maxInterval")?,
    }))
}

fn read_condition(
    node: &Node,
    invalid: &impl Fn(&str, String) -> NodeError,
) -> Result<Condition, NodeError> {
    let data = node.data.get("condition");
    let field = |name: &str| data.and_then(|data| data.get(name)).and_then(Value::as_str);
    let (source, met_when) = match (field("until"), field("while")) {
        (Some(until), None) => (until, true),
        (None, Some(running)) => (running, false),
        _ => {
            return Err(invalid(
                "condition",
                "write one of `until` and `while`.".to_owned(),
            ));
        }
    };
    Ok(Condition {
        expression: Expression::parse(source)
            .map_err(|error| invalid("condition", error.to_string()))?,
        met_when,
        before: field("test") != Some("after"),
    })
}

fn read_variables(
    node: &Node,
    invalid: &impl Fn(&str, String) -> NodeError,
) -> Result<Vec<Variable>, NodeError> {
    let Some(Value::Array(list)) = node.data.get("variables") else {
        return Ok(Vec::new());
    };
    let template = |value: Option<&Value>| match value {
        Some(Value::String(source)) => Template::parse(source)
            .map(Some)
            .map_err(|error| invalid("variables", error.to_string())),
        _ => Ok(None),
    };
    list.iter()
        .map(|entry| {
            Ok(Variable {
                name: entry
                    .get("name")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned(),
                initial: template(entry.get("initial"))?,
                constant: entry
                    .get("initial")
                    .filter(|value| !value.is_string())
                    .cloned(),
                next: template(entry.get("next"))?,
                next_constant: entry
                    .get("next")
                    .filter(|value| !value.is_string() && !value.is_null())
                    .cloned(),
            })
        })
        .collect()
}

fn read_outputs(
    node: &Node,
    invalid: &impl Fn(&str, String) -> NodeError,
) -> Result<Vec<LoopOutput>, NodeError> {
    let Some(Value::Array(list)) = node.data.get("outputs") else {
        return Ok(Vec::new());
    };
    list.iter()
        .map(|entry| {
            let text = |name: &str| entry.get(name).and_then(Value::as_str);
            Ok(LoopOutput {
                name: text("name").unwrap_or_default().to_owned(),
                from: Expression::parse(text("from").unwrap_or_default())
                    .map_err(|error| invalid("outputs", error.to_string()))?,
                take: match text("take") {
                    None | Some("last") => Take::Last,
                    Some("first") => Take::First,
                    Some("all") => Take::All,
                    Some(other) => {
                        return Err(invalid("outputs", format!("there is no `{other}`.")));
                    }
                },
            })
        })
        .collect()
}
