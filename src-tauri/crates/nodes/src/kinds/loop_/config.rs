//! The fields of a Loop. Their doc comments are the form's help, their defaults those of every reader.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::exits::{self, ExitMode};
use crate::config::{count, duration, or_default, some_whole, whole};

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Feedback {
    /// The feedback is the next iteration's input.
    #[default]
    Replace,
    /// The feedback is added below the input, as text.
    Append,
    /// The input stays; variables carry what changes.
    Variables,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Take {
    #[default]
    Last,
    First,
    All,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ResultChoice {
    /// The last iteration's result.
    #[default]
    Last,
    /// The result of the iteration with the highest score.
    Best,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OnEnd {
    #[default]
    Return,
    Fail,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OnError {
    /// A failed iteration fails the run.
    #[default]
    Fail,
    /// The last good iteration is returned, with a warning.
    Return,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Test {
    /// Before each iteration; none at all is possible.
    #[default]
    Before,
    /// After each iteration; there is at least one.
    After,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Condition {
    /// Stop as soon as this is true.
    #[schemars(extend("x-widget" = "expression"))]
    pub(super) until: Option<String>,
    /// Go on as long as this is true.
    #[schemars(extend("x-widget" = "expression"))]
    pub(super) r#while: Option<String>,
    /// When the condition is read.
    #[serde(deserialize_with = "or_default")]
    pub(super) test: Test,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Variable {
    /// `{{ vars.<name> }}` in templates.
    pub(super) name: String,
    /// The value in the first iteration.
    #[serde(default)]
    #[schemars(extend("x-widget" = "template"))]
    pub(super) initial: Option<Value>,
    /// The value in the next iteration, from the pass just run; without it the initial value stays.
    #[serde(default)]
    #[schemars(extend("x-widget" = "template"))]
    pub(super) next: Option<Value>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExtraOutput {
    /// The name of the output handle.
    pub(super) name: String,
    /// What is read in each pass: `coder.code`.
    #[schemars(extend("x-widget" = "expression"))]
    pub(super) from: String,
    /// Which pass's value is given; `all` is a list.
    #[serde(default, deserialize_with = "or_default")]
    pub(super) take: Take,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Limits {
    /// For the whole loop, as an ISO 8601 duration: PT10M.
    #[schemars(title = "Timeout for all", extend("x-format" = "duration"))]
    #[serde(deserialize_with = "duration")]
    pub(super) timeout: Option<String>,
    /// For each iteration, as an ISO 8601 duration: PT2M.
    #[schemars(title = "Timeout per iteration", extend("x-format" = "duration"))]
    #[serde(deserialize_with = "duration")]
    pub(super) iteration_timeout: Option<String>,
    /// Dollars for the whole loop.
    #[schemars(title = "Budget", range(min = 0.0), extend("x-unit" = "$ per loop"))]
    pub(super) budget_usd: Option<f64>,
    /// Tokens for the whole loop.
    #[schemars(title = "Token budget", range(min = 0), extend("x-unit" = "tokens"))]
    #[serde(deserialize_with = "count")]
    pub(super) budget_tokens: Option<u64>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum DelayKind {
    #[default]
    Fixed,
    Exponential,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Delay {
    /// Whether the pause grows.
    #[serde(rename = "type", default, deserialize_with = "or_default")]
    #[schemars(title = "Pause")]
    pub(super) kind: DelayKind,
    /// The first pause, as an ISO 8601 duration: PT5S.
    #[schemars(title = "Delay between", extend("x-format" = "duration"))]
    #[serde(deserialize_with = "pause")]
    pub(super) interval: String,
    /// The longest pause, as an ISO 8601 duration.
    #[serde(default, deserialize_with = "duration")]
    #[schemars(title = "Longest pause", extend("x-format" = "duration", "x-show-if" = {"field": "type", "in": ["exponential"]}))]
    pub(super) max_interval: Option<String>,
    /// How much of the pause varies at random, 0 to 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(super) jitter: Option<f64>,
}

/// As [`duration`]; none is no pause.
fn pause<'de, D: Deserializer<'de>>(field: D) -> Result<String, D::Error> {
    Ok(duration(field)?.unwrap_or_else(|| "PT0S".to_owned()))
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Config {
    /// The loop ends after this many iterations at the latest. Clamped to the workflow's ceiling.
    #[schemars(extend("minimum" = 1, "x-clamped" = true, "x-group" = "Exit"))]
    #[serde(deserialize_with = "whole")]
    pub(super) max_iterations: u32,
    /// When the loop is done.
    #[schemars(extend("x-group" = "Exit", "x-enum-labels" = exits::labels(), "x-enum-help" = exits::meanings()))]
    pub(super) exit_condition: ExitMode,
    /// How alike two results in a row must be, 0 to 1; 1 means identical.
    #[schemars(title = "Counts as stable at", range(min = 0.0, max = 1.0), extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["stable_output"]}))]
    pub(super) stability_threshold: f64,
    /// By how much the best score must grow to count as better.
    #[schemars(title = "Must grow by more than", range(min = 0.0), extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["score_plateau"]}))]
    pub(super) plateau_delta: f64,
    /// How many times running the result must be stable, or over how many iterations the best score must not have grown.
    #[schemars(title = "Times running", range(min = 1), extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["stable_output", "score_plateau"]}, "x-default-if" = {"field": "exitCondition", "values": exits::patiences()}))]
    #[serde(deserialize_with = "some_whole")]
    pub(super) patience: Option<u32>,
    /// The loop does not end by its condition before this iteration.
    #[schemars(title = "Not before iteration", range(min = 1), extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["evaluator", "stable_output", "score_plateau", "condition"]}))]
    #[serde(deserialize_with = "whole")]
    pub(super) min_iterations: u32,
    /// The expression that ends the loop, and when it is read.
    #[schemars(extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["condition"]}))]
    pub(super) condition: Option<Condition>,
    /// What the next iteration gets.
    #[schemars(extend("x-group" = "Feedback"))]
    pub(super) feedback_mode: Feedback,
    /// Values that change from one iteration to the next, all at once.
    #[schemars(extend("x-group" = "Feedback", "x-show-if" = {"field": "feedbackMode", "in": ["variables"]}))]
    pub(super) variables: Vec<Variable>,
    /// A second name for the iteration's input in templates and conditions, such as `state`.
    #[schemars(title = "Input also called", extend("x-group" = "Feedback"))]
    pub(super) input_name: Option<String>,
    /// Further output handles, read from the passes.
    #[schemars(extend("x-group" = "Result"))]
    pub(super) outputs: Vec<ExtraOutput>,
    /// Which iteration's result leaves the loop.
    #[schemars(extend("x-group" = "Result"))]
    pub(super) result: ResultChoice,
    /// The number by which iterations are compared.
    #[schemars(extend("x-group" = "Result", "x-widget" = "expression", "x-show-if" = [{"field": "result", "in": ["best"]}, {"field": "exitCondition", "in": ["score_plateau"]}]))]
    pub(super) score: Option<String>,
    /// Bounds on time and money.
    #[schemars(extend("x-group" = "Limits"))]
    pub(super) limits: Option<Limits>,
    /// What happens when the loop ends before its condition is met.
    #[schemars(extend("x-group" = "Limits", "x-enum-labels" = {"return": "keep the result", "fail": "fail the run"}))]
    pub(super) on_limit: OnEnd,
    /// What happens when an iteration fails.
    #[schemars(extend("x-group" = "Limits", "x-enum-labels" = {"fail": "fail the run", "return": "keep the last good"}))]
    pub(super) on_error: OnError,
    /// A pause between iterations.
    #[schemars(extend("x-group" = "Limits"))]
    pub(super) delay: Option<Delay>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_iterations: 5,
            exit_condition: ExitMode::MaxIterations,
            stability_threshold: 0.95,
            plateau_delta: 0.0,
            patience: None,
            min_iterations: 1,
            condition: None,
            feedback_mode: Feedback::Replace,
            variables: Vec::new(),
            input_name: None,
            outputs: Vec::new(),
            result: ResultChoice::Last,
            score: None,
            limits: None,
            on_limit: OnEnd::Return,
            on_error: OnError::Fail,
            delay: None,
        }
    }
}
