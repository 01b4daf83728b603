//! `router`: chooses one of several branches, by rules, by the text, or by asking a model.

mod branch;
mod check;
mod choose;

use std::sync::Arc;

use loopwright_engine::{Execute, Kind, NodeError};
use loopwright_model::{
    Category, EffectClass, Handle, Handles, KindSpec, Node, Problem, Shape, ValueType,
    kind::{Data, Example, TemplateMode, TemplateSite},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::{
    branch::{Branch, branches},
    check::{check, never_taken},
    choose::{Choose, How, Names, rules},
};
use super::model_call::{self, Call, MODEL_FIELDS, ModelFields};
use crate::config;

pub(crate) struct Router;

#[derive(Debug, Default, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// Take the first branch whose expression is true.
    #[default]
    Rules,
    /// Let a model choose the branch and give a reason.
    Llm,
    /// Take the branch whose name equals the text or its last line.
    Pattern,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// How the router chooses the branch.
    #[schemars(extend("x-enum-labels" = {"rules": "Rules", "llm": "Model", "pattern": "Pattern"}))]
    mode: Mode,
    /// The branches by name. With rules, each branch has an expression. With a model, each has a description.
    #[schemars(extend("x-widget" = "branches"))]
    branches: Vec<Branch>,
    /// The branch to take if none is chosen. Without a fallback the router fails.
    fallback: Option<String>,
    #[serde(flatten)]
    model: ModelFields,
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
        "Sends its input along exactly one branch. `rules` takes the first branch whose expression is true. `pattern` takes the \
         branch whose name equals the text or its last line. `llm` asks a model for a branch, tells it the `description` of \
         each, and asks once more if the answer names none of them. If no branch is chosen, the router takes `fallback`. Without a fallback it fails with \
         `router_undecided`: it never guesses. The node's value is `{ selectedBranch, value, reason }`. The branch carries only \
         the input."
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
            // A repeated name gets its own handle, so that the N in `branch-N` is an index into the field.
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
            "mode": "rules", "maxTokens": 1024,
            "branches": [{ "name": "done", "when": "input is containing(pat=\"DONE\")" }, { "name": "continue", "when": "true" }]
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
    fn may_retry_by_default(&self) -> bool {
        true
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
                title: "the first true rule",
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
                data: config::object(json!({
                    "mode": "llm",
                    "branches": [
                        { "name": "approved", "description": "the reviewer has no objection" },
                        { "name": "rejected", "description": "the reviewer asks for a change" }
                    ]
                })),
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
        let described = config
            .branches
            .iter()
            .map(|branch| branch.description().to_owned())
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
                described,
                fallback: config.fallback.filter(|name| !name.is_empty()),
            }),
        }))
    }
}
