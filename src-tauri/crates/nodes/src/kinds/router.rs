//! `router`: chooses one of several branches, by rules, by what a text says, or by asking a model.

use std::sync::Arc;

use futures::future::BoxFuture;
use loopwright_engine::{
    Execute, Kind, NodeContext, NodeError, NodeInput, Outcome, Step, Usage,
    host::{ModelReply, ModelRequest, Services, TokenSink},
};
use loopwright_model::{
    Category, EffectClass, Handle, Handles, KindSpec, Node, Problem, Shape, ValueType,
    kind::{Data, Example, TemplateMode, TemplateSite},
    template::Expression,
    value::{preview, to_text},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::model_call::{self, Call, MODEL_FIELDS, ModelFields};
use crate::config;

pub(crate) struct Router;

#[derive(Debug, Default, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// The first branch whose expression is true.
    #[default]
    Rules,
    /// The branch that a model chooses, with a reason.
    Llm,
    /// The branch whose name the text is, or its last line.
    Pattern,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Branch {
    Name(String),
    Rule {
        /// The branch's name and output handle.
        name: String,
        /// The branch is taken when this is true.
        #[serde(default)]
        #[schemars(extend("x-widget" = "expression"))]
        when: Option<String>,
    },
}

impl Branch {
    fn name(&self) -> &str {
        match self {
            Self::Name(name) | Self::Rule { name, .. } => name,
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// How the branch is chosen.
    mode: Mode,
    /// The branches: names, or names with the expression that takes them.
    #[schemars(extend("x-widget" = "branches"))]
    branches: Vec<Branch>,
    /// The branch to take when none is chosen. Without one, an undecided router fails.
    fallback: Option<String>,
    #[serde(flatten)]
    model: ModelFields,
}

/// Branch names of lenient data, in order, with the index each has in the field.
fn branches(data: &Data) -> Vec<(usize, String)> {
    let items = data.get("branches").and_then(Value::as_array);
    items
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(|(index, branch)| {
            let name = branch.as_str().or_else(|| branch.get("name")?.as_str())?;
            Some((index, name.to_owned()))
        })
        .collect()
}

/// A name or an answer without case, punctuation and white space.
fn bare(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The index of the branch that `text` names, as a whole or in its last line.
fn named_in(text: &str, names: &[String]) -> Option<usize> {
    let text = text.trim();
    let find = |part: &str| {
        let part = bare(part);
        names
            .iter()
            .position(|name| !part.is_empty() && bare(name) == part)
    };
    find(text).or_else(|| find(text.lines().last()?))
}

impl KindSpec for Router {
    fn type_name(&self) -> &'static str {
        "router"
    }
    fn title(&self) -> &'static str {
        "Router"
    }
    fn category(&self) -> Category {
        Category::Ai
    }
    fn icon(&self) -> &'static str {
        "split"
    }
    fn summary(&self) -> &'static str {
        "choose a path"
    }
    fn doc(&self) -> &'static str {
        "Sends its input along exactly one branch. `rules` takes the first branch whose expression is true; `pattern` the \
         branch whose name the text, or its last line, is; `llm` asks a model, checks its verdict against the names and asks \
         once more when it is none of them. Undecided, it takes `fallback`, and fails with `router_undecided` without one: it \
         never chooses silently. The value of the node is `{ selectedBranch, value, reason }`; the branch carries the input \
         alone."
    }
    fn shape(&self) -> Shape {
        Shape::Branching
    }
    fn touches_world(&self) -> bool {
        true
    }
    fn effect(&self, data: &Data) -> EffectClass {
        if self.calls_model(data) {
            EffectClass::Reads
        } else {
            EffectClass::Pure
        }
    }
    fn handles(&self, data: &Data) -> Handles {
        let mut outputs: Vec<Handle> = Vec::new();
        for (_, name) in branches(data) {
            // A second branch of the same name keeps its place, so that `branch-N` counts as the field does.
            outputs.push(Handle::new(name, ValueType::Any));
        }
        Handles {
            inputs: vec![Handle::primary("input", ValueType::Any)],
            outputs,
        }
    }
    fn schema(&self) -> Value {
        let mut schema = config::schema::<Config>();
        let only_llm = json!({ "field": "mode", "in": ["llm"] });
        config::hint(&mut schema, &MODEL_FIELDS, "x-show-if", &only_llm);
        schema
    }
    fn defaults(&self) -> Data {
        config::object(json!({
            "mode": "rules",
            "branches": [{ "name": "done", "when": "input | length > 0" }, { "name": "continue", "when": "true" }]
        }))
    }
    fn templates(&self, data: &Data) -> Vec<TemplateSite> {
        if self.calls_model(data) {
            return model_call::templates(data);
        }
        if data.get("mode").and_then(Value::as_str) == Some("pattern") {
            return Vec::new();
        }
        let items = data.get("branches").and_then(Value::as_array);
        items
            .into_iter()
            .flatten()
            .enumerate()
            .filter_map(|(index, branch)| {
                let source = branch
                    .get("when")?
                    .as_str()
                    .filter(|when| !when.trim().is_empty())?;
                Some(config::site(
                    format!("branches[{index}].when"),
                    source,
                    TemplateMode::Condition,
                ))
            })
            .collect()
    }
    fn check(&self, node: &Node, problems: &mut Vec<Problem>) {
        check(node, problems);
    }
    fn needs_input(&self, data: &Data) -> bool {
        match data.get("mode").and_then(Value::as_str) {
            Some("pattern") => true,
            Some("llm") => config::text(data, "prompt").is_none(),
            _ => false,
        }
    }
    fn calls_model(&self, data: &Data) -> bool {
        data.get("mode").and_then(Value::as_str) == Some("llm")
    }
    fn never_taken(&self, data: &Data) -> Vec<String> {
        let rules = data
            .get("mode")
            .and_then(Value::as_str)
            .is_none_or(|mode| mode == "rules");
        if rules { never_taken(data) } else { Vec::new() }
    }
    fn examples(&self) -> Vec<Example> {
        let input = config::object(json!({ "input": "Looks right to me.\nAPPROVED." }));
        vec![
            Example {
                title: "the first rule that is true",
                data: config::object(json!({
                    "mode": "rules",
                    "branches": [
                        { "name": "long", "when": "input | length > 100" },
                        { "name": "short", "when": "true" }
                    ]
                })),
                inputs: config::object(json!({ "input": "A cat sat." })),
                gives: json!({ "selectedBranch": "short", "value": "A cat sat.", "reason": "`true` is true" }),
                branch: Some("short"),
                ..Example::default()
            },
            Example {
                title: "the last line names the branch",
                data: config::object(
                    json!({ "mode": "pattern", "branches": ["approved", "rejected"] }),
                ),
                inputs: input.clone(),
                gives: json!({
                    "selectedBranch": "approved",
                    "value": "Looks right to me.\nAPPROVED.",
                    "reason": "the text names it"
                }),
                branch: Some("approved"),
                ..Example::default()
            },
            Example {
                title: "a model decides",
                data: config::object(
                    json!({ "mode": "llm", "branches": ["approved", "rejected"] }),
                ),
                inputs: input,
                replies: vec![json!({ "branch": "approved", "reason": "The reviewer agrees." })],
                gives: json!({
                    "selectedBranch": "approved",
                    "value": "Looks right to me.\nAPPROVED.",
                    "reason": "The reviewer agrees."
                }),
                branch: Some("approved"),
            },
        ]
    }
}

fn check(node: &Node, problems: &mut Vec<Problem>) {
    let title = node.title();
    let names = branches(&node.data);
    let mut error = |code, place: String, message: String| {
        problems.push(Problem::error(code, message).at(&node.id).place(place));
    };
    if names.is_empty() {
        error(
            "missing_branches",
            "branches".to_owned(),
            format!("\"{title}\" has no branches. Add at least one, such as `done`."),
        );
    }
    let rules = node.text("mode").is_none_or(|mode| mode == "rules");
    for (position, (index, name)) in names.iter().enumerate() {
        if bare(name).is_empty() {
            error(
                "missing_name",
                format!("branches[{index}]"),
                format!(
                    "Branch {} of \"{title}\" has no name of letters or digits. Give it one.",
                    index + 1
                ),
            );
        } else if let Some((_, first)) = names[..position]
            .iter()
            .find(|(_, other)| bare(other) == bare(name))
        {
            error(
                "duplicate_branch",
                format!("branches[{index}]"),
                format!(
                    "\"{title}\" has two branches called `{first}` (case and punctuation do not count). Rename one of them."
                ),
            );
        }
        let when = node
            .data
            .get("branches")
            .and_then(|branches| branches.get(*index)?.get("when")?.as_str());
        if rules
            && when.is_none_or(|when| when.trim().is_empty())
            && node.text("fallback") != Some(name)
        {
            error(
                "missing_condition",
                format!("branches[{index}].when"),
                format!(
                    "Branch `{name}` of \"{title}\" has no condition, so that it can never be taken. Enter an expression, make it \
                     the fallback, or choose another mode."
                ),
            );
        }
    }
    if rules {
        unreachable(node, problems);
    }
    let mut error = |code, place: String, message: String| {
        problems.push(Problem::error(code, message).at(&node.id).place(place));
    };
    if let Some(fallback) = node.text("fallback").filter(|name| !name.is_empty())
        && !names.iter().any(|(_, name)| name == fallback)
    {
        error(
            "unknown_branch",
            "fallback".to_owned(),
            format!(
                "The fallback of \"{title}\" is `{fallback}`, which is none of its branches. Choose one of them or add it."
            ),
        );
    }
}

/// Branches whose rule is never true, or stands behind one that always is, and that are no fallback either.
fn never_taken(data: &Data) -> Vec<String> {
    let branches = data.get("branches").and_then(Value::as_array);
    let fallback = config::text(data, "fallback");
    let when = |branch: &Value| {
        let when = branch.get("when").and_then(Value::as_str);
        when.map_or("", str::trim).to_owned()
    };
    let decided = branches
        .into_iter()
        .flatten()
        .any(|branch| when(branch) == "true");
    let mut certain = false;
    let mut never = Vec::new();
    for branch in branches.into_iter().flatten() {
        let Some(name) = branch
            .as_str()
            .or_else(|| branch.get("name").and_then(Value::as_str))
        else {
            continue;
        };
        let when = when(branch);
        let by_rule = !certain && !matches!(&*when, "" | "false");
        let by_fallback = !decided && fallback == Some(name);
        if !by_rule && !by_fallback {
            never.push(name.to_owned());
        }
        certain |= when == "true";
    }
    never
}

/// Branches behind one that is always taken.
fn unreachable(node: &Node, problems: &mut Vec<Problem>) {
    let branches = node.data.get("branches").and_then(Value::as_array);
    let mut rules = branches
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(|(index, branch)| {
            Some((
                index,
                branch.get("name")?.as_str()?,
                branch.get("when")?.as_str()?.trim(),
            ))
        });
    let Some((_, always, _)) = rules.find(|(_, _, when)| *when == "true") else {
        return;
    };
    for (index, name, when) in rules.filter(|(_, _, when)| !when.is_empty()) {
        problems.push(
            Problem::warning(
                "unreachable_branch",
                format!(
                    "Branch `{name}` of \"{}\" (`{when}`) can never be taken: `{always}` before it always is. Move it up.",
                    node.title()
                ),
            )
            .at(&node.id)
            .place(format!("branches[{index}].when")),
        );
    }
}

impl Kind for Router {
    fn branch_of(&self, value: &Value) -> Option<String> {
        Some(value.get("selectedBranch")?.as_str()?.to_owned())
    }
    fn branch_example(&self) -> &'static str {
        r#"{"selectedBranch": "done", "value": …}"#
    }
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        let config: Config = config::read(node)?;
        let names = config
            .branches
            .iter()
            .map(|branch| branch.name().to_owned())
            .collect();
        let how = match config.mode {
            Mode::Pattern => How::Pattern,
            Mode::Llm => How::Model(Arc::new(Call::compile(node, &config.model)?)),
            Mode::Rules => How::Rules(rules(node, &config.branches)?),
        };
        Ok(Box::new(Choose {
            how,
            names: Arc::new(Names {
                title: node.title().to_owned(),
                names,
                fallback: config.fallback.filter(|name| !name.is_empty()),
            }),
        }))
    }
}

struct Rule {
    branch: usize,
    field: String,
    source: String,
    when: Expression,
}

fn rules(node: &Node, branches: &[Branch]) -> Result<Vec<Rule>, NodeError> {
    let mut rules = Vec::new();
    for (branch, declared) in branches.iter().enumerate() {
        if let Branch::Rule {
            when: Some(source), ..
        } = declared
            && !source.trim().is_empty()
        {
            let field = format!("branches[{branch}].when");
            rules.push(Rule {
                branch,
                when: config::expression(node, &field, source)?,
                field,
                source: source.trim().to_owned(),
            });
        }
    }
    Ok(rules)
}

enum How {
    Rules(Vec<Rule>),
    Pattern,
    Model(Arc<Call>),
}

/// The branches and what to do when none is chosen.
struct Names {
    title: String,
    names: Vec<String>,
    fallback: Option<String>,
}

impl Names {
    fn take(&self, branch: usize, reason: &str, value: &Arc<Value>) -> Outcome {
        outcome(&self.names[branch], reason, value)
    }

    /// Nothing was chosen: the fallback, else an error that says why.
    fn undecided(&self, why: &str, value: &Arc<Value>) -> Result<Outcome, NodeError> {
        match &self.fallback {
            Some(fallback) => Ok(outcome(fallback, &format!("fallback: {why}"), value)),
            None => Err(NodeError::new(
                "router_undecided",
                format!(
                    "\"{}\" could not choose between {}: {why}. Set a fallback branch, or make the choice clearer.",
                    self.title,
                    self.list()
                ),
            )),
        }
    }

    fn list(&self) -> String {
        let quoted: Vec<_> = self.names.iter().map(|name| format!("`{name}`")).collect();
        quoted.join(", ")
    }
}

fn outcome(branch: &str, reason: &str, carried: &Arc<Value>) -> Outcome {
    let value = json!({ "selectedBranch": branch, "value": **carried, "reason": reason });
    Outcome::branch(branch, value, Arc::clone(carried))
}

struct Choose {
    how: How,
    names: Arc<Names>,
}

impl Execute for Choose {
    fn run(&self, input: NodeInput, cx: &NodeContext) -> Step {
        let value = input.input.clone().unwrap_or_default();
        match &self.how {
            How::Rules(rules) => self.by_rules(rules, &input, &value).into(),
            How::Pattern => match named_in(&to_text(&value), &self.names.names) {
                Some(branch) => Ok(self.names.take(branch, "the text names it", &value)),
                None => self.names.undecided(
                    &format!(
                        "the text names none of them; it ends with: {}",
                        last_words(&value)
                    ),
                    &value,
                ),
            }
            .into(),
            How::Model(call) => match call.request(&input) {
                Ok(request) => {
                    let request = verdict_request(request, &self.names);
                    Step::Pending(by_model(request, Arc::clone(&self.names), value, cx))
                }
                Err(error) => Step::Done(Err(error)),
            },
        }
    }
}

impl Choose {
    fn by_rules(
        &self,
        rules: &[Rule],
        input: &NodeInput,
        value: &Arc<Value>,
    ) -> Result<Outcome, NodeError> {
        for rule in rules {
            let met = rule
                .when
                .test(&input.scope)
                .map_err(|error| config::template_error(&self.names.title, &rule.field, &error))?;
            if met {
                return Ok(self.names.take(
                    rule.branch,
                    &format!("`{}` is true", rule.source),
                    value,
                ));
            }
        }
        self.names.undecided("no rule is true", value)
    }
}

fn last_words(value: &Value) -> String {
    let text = to_text(value);
    let last = text.trim().lines().last().unwrap_or_default().to_owned();
    preview(&Value::String(last), 60)
}

/// Adds the choices, and a system prompt where the node has none.
fn verdict_request(mut request: ModelRequest, names: &Names) -> ModelRequest {
    request.choices.clone_from(&names.names);
    if request.system.is_none() {
        request.system = Some(format!(
            "Read the text and decide which of these branches it belongs to: {}. Choose exactly one of these names, and \
             give the reason in one sentence.",
            names.list()
        ));
    }
    request
}

/// The branch and reason of a reply; `None` when it names no branch.
fn verdict(reply: &ModelReply, names: &[String]) -> Option<(usize, String)> {
    let Some(answer) = model_call::answer_json(reply).filter(Value::is_object) else {
        return named_in(&reply.text, names).map(|branch| (branch, reply.text.trim().to_owned()));
    };
    let chosen = answer.get("branch")?.as_str()?;
    let branch = names
        .iter()
        .position(|name| name == chosen)
        .or_else(|| named_in(chosen, names))?;
    let reason = answer
        .get("reason")
        .and_then(Value::as_str)
        .unwrap_or_default();
    Some((branch, reason.to_owned()))
}

/// Failures of a call that was answered, and whose answer is no verdict.
const UNREADABLE: [&str; 5] = [
    "invalid_answer",
    "answer_cut",
    "empty_answer",
    "refused",
    "content_filter",
];

/// The call gave no reply. Where it was answered all the same, with something that is no verdict, the router is undecided;
/// a call that failed fails the node.
fn without_verdict(
    names: &Names,
    error: NodeError,
    value: &Arc<Value>,
) -> Result<Outcome, NodeError> {
    if !UNREADABLE.contains(&error.code.as_str()) {
        return Err(error);
    }
    let usage = error.usage;
    let outcome = names
        .undecided(&error.message, value)
        .map_err(|undecided| undecided.having_spent(&usage))?;
    let warning = format!(
        "\"{}\" got no verdict from its model and took its fallback. {}",
        names.title, error.message
    );
    Ok(Outcome {
        usage,
        warnings: vec![("verdict_unreadable".to_owned(), warning)],
        ..outcome
    })
}

fn by_model(
    request: ModelRequest,
    names: Arc<Names>,
    value: Arc<Value>,
    cx: &NodeContext,
) -> BoxFuture<'static, Result<Outcome, NodeError>> {
    let services: Services = cx.services.clone();
    let tokens: TokenSink = cx.tokens.clone();
    let cancel: CancellationToken = cx.cancel.clone();
    Box::pin(async move {
        let send = |request: ModelRequest| {
            services
                .models
                .call(request, tokens.clone(), cancel.clone())
        };
        let mut usage = Usage::default();
        let mut reply = match send(request.clone()).await {
            Ok(reply) => reply,
            Err(error) => return without_verdict(&names, error, &value),
        };
        usage.add(&reply.usage);
        let mut chosen = verdict(&reply, &names.names);
        if chosen.is_none() {
            let answer = preview(&Value::String(reply.text.clone()), 200);
            let repair = ModelRequest {
                prompt: format!(
                    "{}\n\nYour answer was: {answer}\nIt names none of the branches. Answer with exactly one of {}.",
                    request.prompt,
                    names.list()
                ),
                ..request.clone()
            };
            let warnings = std::mem::take(&mut reply.warnings);
            reply = match send(repair).await {
                Ok(reply) => reply,
                Err(error) => {
                    return without_verdict(&names, error.having_spent(&usage), &value);
                }
            };
            reply.warnings.splice(0..0, warnings);
            usage.add(&reply.usage);
            chosen = verdict(&reply, &names.names);
        }
        let outcome = match chosen {
            Some((branch, reason)) => names.take(branch, &reason, &value),
            None => names
                .undecided(
                    &format!(
                        "the model answered twice with none of them, the last time: {}",
                        preview(&Value::String(reply.text.clone()), 80)
                    ),
                    &value,
                )
                .map_err(|undecided| undecided.having_spent(&usage))?,
        };
        Ok(model_call::traced(outcome, request.prompt, reply, usage))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_or_its_last_line_names_a_branch_without_case_and_punctuation() {
        let names = vec!["done".to_owned(), "needs work".to_owned()];
        assert_eq!(named_in("  DONE!\n", &names), Some(0));
        assert_eq!(
            named_in("I read it twice.\n\n**Needs-work.**", &names),
            Some(1)
        );
        assert_eq!(named_in("It is done, I think", &names), None);
        assert_eq!(named_in("", &names), None);
        assert_eq!(named_in("!!!", &["?".to_owned()]), None);
    }
}
