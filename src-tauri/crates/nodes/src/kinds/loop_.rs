//! `loop`: runs a region again and again until it is good enough.

use loopwright_engine::{Execute, Kind, NodeError};
use loopwright_model::{
    Category, Handle, Handles, KindSpec, Node, Problem, Repetition, Shape, ValueType,
    kind::{Data, TemplateMode, TemplateSite},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config;

pub(crate) struct Loop;

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ExitCondition {
    /// After a fixed number of iterations.
    #[default]
    MaxIterations,
    /// When a value reaches Exit: a Router's `done`, a Validator's `valid`.
    Evaluator,
    /// When a result is nearly the same as the one before.
    StableOutput,
    /// When an expression says so.
    Condition,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FeedbackMode {
    /// The feedback is the next iteration's input.
    #[default]
    Replace,
    /// The feedback is added below the input, as text.
    Append,
    /// The input stays; variables carry what changes.
    Variables,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Take {
    #[default]
    Last,
    First,
    All,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ResultChoice {
    /// The last iteration's result.
    #[default]
    Last,
    /// The result of the iteration with the highest score.
    Best,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OnEnd {
    #[default]
    Return,
    Fail,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OnError {
    /// A failed iteration fails the run.
    #[default]
    Fail,
    /// The last good iteration is returned, with a warning.
    Return,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Test {
    /// Before each iteration; none at all is possible.
    #[default]
    Before,
    /// After each iteration; there is at least one.
    After,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Condition {
    /// Stop as soon as this is true.
    #[schemars(extend("x-widget" = "expression"))]
    until: Option<String>,
    /// Go on as long as this is true.
    #[schemars(extend("x-widget" = "expression"))]
    r#while: Option<String>,
    /// When the condition is read.
    test: Test,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Variable {
    /// `{{ vars.<name> }}` in templates.
    name: String,
    /// The value in the first iteration.
    #[serde(default)]
    #[schemars(extend("x-widget" = "template"))]
    initial: Option<Value>,
    /// The value in the next iteration, from the pass just run; without it the initial value stays.
    #[serde(default)]
    #[schemars(extend("x-widget" = "template"))]
    next: Option<Value>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ExtraOutput {
    /// The name of the output handle.
    name: String,
    /// What is read in each pass: `coder.code`.
    #[schemars(extend("x-widget" = "expression"))]
    from: String,
    /// Which pass's value is given; `all` is a list.
    #[serde(default)]
    take: Take,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Limits {
    /// For the whole loop, as an ISO 8601 duration: PT10M.
    #[schemars(title = "Timeout for all", extend("x-format" = "duration"))]
    timeout: Option<String>,
    /// For each iteration, as an ISO 8601 duration: PT2M.
    #[schemars(title = "Timeout per iteration", extend("x-format" = "duration"))]
    iteration_timeout: Option<String>,
    /// Dollars for the whole loop.
    #[schemars(title = "Budget", range(min = 0.0), extend("x-unit" = "$ per loop"))]
    budget_usd: Option<f64>,
    /// Tokens for the whole loop.
    #[schemars(title = "Token budget", range(min = 0), extend("x-unit" = "tokens"))]
    budget_tokens: Option<u64>,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DelayKind {
    #[default]
    Fixed,
    Exponential,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Delay {
    /// Whether the pause grows.
    #[serde(rename = "type", default)]
    #[schemars(title = "Pause")]
    kind: DelayKind,
    /// The first pause, as an ISO 8601 duration: PT5S.
    #[schemars(title = "Delay between", extend("x-format" = "duration"))]
    interval: String,
    /// The longest pause, as an ISO 8601 duration.
    #[serde(default)]
    #[schemars(title = "Longest pause", extend("x-format" = "duration", "x-show-if" = {"field": "type", "in": ["exponential"]}))]
    max_interval: Option<String>,
    /// How much of the pause varies at random, 0 to 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    jitter: Option<f64>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// The loop ends after this many iterations at the latest. Clamped to the workflow's ceiling.
    #[schemars(extend("minimum" = 1, "x-clamped" = true, "x-group" = "Exit"))]
    max_iterations: u32,
    /// When the loop is done.
    #[schemars(extend("x-group" = "Exit"))]
    exit_condition: ExitCondition,
    /// How alike two results in a row must be, 0 to 1; 1 means identical.
    #[schemars(title = "Counts as stable at", range(min = 0.0, max = 1.0), extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["stable_output"]}))]
    stability_threshold: f64,
    /// How many times running the result must be stable.
    #[schemars(title = "Times running", range(min = 1), extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["stable_output"]}))]
    patience: u32,
    /// The loop does not end by its condition before this iteration.
    #[schemars(title = "Not before iteration", range(min = 1), extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["evaluator", "stable_output", "condition"]}))]
    min_iterations: u32,
    /// The expression that ends the loop, and when it is read.
    #[schemars(extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["condition"]}))]
    condition: Option<Condition>,
    /// What the next iteration gets.
    #[schemars(extend("x-group" = "Feedback"))]
    feedback_mode: FeedbackMode,
    /// Values that change from one iteration to the next, all at once.
    #[schemars(extend("x-group" = "Feedback", "x-show-if" = {"field": "feedbackMode", "in": ["variables"]}))]
    variables: Vec<Variable>,
    /// A second name for the iteration's input in templates and conditions, such as `state`.
    #[schemars(title = "Input also called", extend("x-group" = "Feedback"))]
    input_name: Option<String>,
    /// Further output handles, read from the passes.
    #[schemars(extend("x-group" = "Result"))]
    outputs: Vec<ExtraOutput>,
    /// Which iteration's result leaves the loop.
    #[schemars(extend("x-group" = "Result"))]
    result: ResultChoice,
    /// The number by which iterations are compared.
    #[schemars(extend("x-group" = "Result", "x-widget" = "expression", "x-show-if" = {"field": "result", "in": ["best"]}))]
    score: Option<String>,
    /// Bounds on time and money.
    #[schemars(extend("x-group" = "Limits"))]
    limits: Option<Limits>,
    /// What happens when the loop ends before its condition is met.
    #[schemars(extend("x-group" = "Limits", "x-enum-labels" = {"return": "keep the result", "fail": "fail the run"}))]
    on_limit: OnEnd,
    /// What happens when an iteration fails.
    #[schemars(extend("x-group" = "Limits", "x-enum-labels" = {"fail": "fail the run", "return": "keep the last good"}))]
    on_error: OnError,
    /// A pause between iterations.
    #[schemars(extend("x-group" = "Limits"))]
    delay: Option<Delay>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_iterations: 5,
            exit_condition: ExitCondition::MaxIterations,
            stability_threshold: 0.95,
            patience: 1,
            min_iterations: 1,
            condition: None,
            feedback_mode: FeedbackMode::Replace,
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

/// The objects of a list field.
fn items<'a>(data: &'a Data, field: &str) -> impl Iterator<Item = (usize, &'a Value)> + use<'a> {
    data.get(field)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
}

impl KindSpec for Loop {
    fn type_name(&self) -> &'static str {
        "loop"
    }
    fn title(&self) -> &'static str {
        "Loop"
    }
    fn category(&self) -> Category {
        Category::Logic
    }
    fn icon(&self) -> &'static str {
        "refresh-cw"
    }
    fn summary(&self) -> &'static str {
        "repeat a body"
    }
    fn doc(&self) -> &'static str {
        "Runs everything between it and its Exit again and again: each iteration gets what the one before sent to \
         `feedback`, else its result. It ends after a fixed number of iterations, when an evaluator is satisfied, when the \
         result no longer changes, or when an expression says so. Templates inside read `loopIndex` (from 0), `loopCount` \
         (from 1), `loopResult`, `vars` and `previous`."
    }
    fn shape(&self) -> Shape {
        Shape::ScopeStart {
            closed_by: "exit",
            repeats: Repetition::Loop,
        }
    }
    fn handles(&self, data: &Data) -> Handles {
        let mut outputs = vec![
            Handle::new("body", ValueType::Any),
            Handle::primary("output", ValueType::Any),
            Handle::new("iterations", ValueType::Json),
            Handle::new("count", ValueType::Number),
            Handle::new("exitReason", ValueType::Text),
        ];
        for (_, item) in items(data, "outputs") {
            if let Some(name) = item.get("name").and_then(Value::as_str)
                && !name.is_empty()
                && !outputs.iter().any(|handle| handle.name == name)
            {
                outputs.push(Handle::new(name, ValueType::Any));
            }
        }
        Handles {
            inputs: vec![
                Handle::primary("input", ValueType::Any),
                Handle::new("feedback", ValueType::Any),
            ],
            outputs,
        }
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        config::object(
            json!({ "maxIterations": 5, "exitCondition": "max_iterations", "feedbackMode": "replace" }),
        )
    }
    fn templates(&self, data: &Data) -> Vec<TemplateSite> {
        let mut sites = Vec::new();
        if let Some(condition) = data.get("condition").and_then(Value::as_object) {
            for name in ["until", "while"] {
                if let Some(source) = config::text(condition, name) {
                    sites.push(config::site(
                        format!("condition.{name}"),
                        source,
                        TemplateMode::Condition,
                    ));
                }
            }
        }
        for (index, variable) in items(data, "variables") {
            for name in ["initial", "next"] {
                if let Some(source) = variable.get(name).and_then(Value::as_str) {
                    sites.push(config::site(
                        format!("variables[{index}].{name}"),
                        source,
                        TemplateMode::Template,
                    ));
                }
            }
        }
        for (index, output) in items(data, "outputs") {
            if let Some(source) = output.get("from").and_then(Value::as_str) {
                sites.push(config::site(
                    format!("outputs[{index}].from"),
                    source,
                    TemplateMode::Expression,
                ));
            }
        }
        if let Some(source) = config::text(data, "score") {
            sites.push(config::site("score", source, TemplateMode::Expression));
        }
        sites
    }
    fn check(&self, node: &Node, problems: &mut Vec<Problem>) {
        let mut error = |code, place: &str, message: String| {
            problems.push(Problem::error(code, message).at(&node.id).place(place));
        };
        let title = node.title();
        if let Some(condition) = node.data.get("condition").and_then(Value::as_object)
            && config::text(condition, "until").is_some()
            && config::text(condition, "while").is_some()
        {
            error(
                "two_conditions",
                "condition",
                format!(
                    "The condition of \"{title}\" has both `until` and `while`. Keep one of them."
                ),
            );
        }
        let condition = node.data.get("condition").and_then(Value::as_object);
        if node.text("exitCondition") == Some("condition")
            && condition.is_none_or(|condition| {
                config::text(condition, "until").is_none()
                    && config::text(condition, "while").is_none()
            })
        {
            error(
                "missing_condition",
                "condition",
                format!(
                    "\"{title}\" ends by a condition, and has none. Enter an expression in `until` (stop when it is true) or `while` \
                     (go on as long as it is)."
                ),
            );
        }
        if node.text("result") == Some("best") && config::text(&node.data, "score").is_none() {
            error(
                "missing_score",
                "score",
                format!(
                    "\"{title}\" is to return the best iteration, but has no `score`. Enter an expression that gives a number."
                ),
            );
        }
        let fixed = ["body", "output", "iterations", "count", "exitReason"];
        for (field, reserved) in [("variables", [].as_slice()), ("outputs", &fixed)] {
            let mut seen: Vec<&str> = Vec::new();
            for (index, item) in items(&node.data, field) {
                let Some(name) = item.get("name").and_then(Value::as_str) else {
                    continue;
                };
                let place = format!("{field}[{index}].name");
                if name.trim().is_empty() {
                    error(
                        "missing_name",
                        &place,
                        format!("`{place}` of \"{title}\" is empty. Give it a name."),
                    );
                } else if seen.contains(&name) || reserved.contains(&name) {
                    error(
                        "duplicate_name",
                        &place,
                        format!(
                            "`{place}` of \"{title}\" is `{name}`, which is taken already. Choose another name."
                        ),
                    );
                }
                seen.push(name);
            }
        }
    }
}

impl Kind for Loop {
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        Err(config::run_by_engine(node))
    }
}
