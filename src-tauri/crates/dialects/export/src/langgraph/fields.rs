//! Exports the fields of each kind of node. Rejects the flow if a node sets a field that the program does not support.

use loopwright_model::{duration::millis, graph::NodeIx, regions::Region};
use serde_json::{Map, Value, json};

use super::{Writer, python::Python, reads::Scope};

/// Fields of every node that do not affect the node's result.
const EDITORIAL: [&str; 4] = ["label", "description", "whenInterrupted", "imported"];

/// Fields of every node that the program cannot support. Each has its remedy.
const REFUSED_EVERYWHERE: [(&str, &str); 2] = [
    (
        "retry",
        "the program does not retry calls. Set `retry` to none, and retry in the function that you give to MODEL",
    ),
    (
        "timeout",
        "the program has no time limits. Leave the field empty, and limit the time in the function that you give to MODEL",
    ),
];

/// The loop exit conditions that the program supports.
const EXITS: [&str; 4] = ["max_iterations", "evaluator", "stable_output", "condition"];

/// The fields of a model call.
const MODEL: [&str; 7] = [
    "provider",
    "model",
    "builtin",
    "systemPrompt",
    "prompt",
    "temperature",
    "maxTokens",
];

/// Returns the fields of a kind that the program supports, or `None` if it does not support the kind.
fn known(kind: &str) -> Option<Vec<&'static str>> {
    let own: &[&str] = match kind {
        "input" => &["name", "dataType", "default", "defaultValue", "required"],
        "output" => &["name", "format"],
        "llm" => &["responseFormat", "take", "inputs", "session"],
        "router" => &["mode", "branches", "fallback"],
        "transform" => &["inputs", "template", "outputFormat", "mode"],
        "loop" => &[
            "maxIterations",
            "exitCondition",
            "stabilityThreshold",
            "patience",
            "minIterations",
            "condition",
            "feedbackMode",
            "variables",
            "inputName",
            "outputs",
            "result",
            "score",
            "limits",
            "onLimit",
            "onError",
            "delay",
        ],
        "exit" | "note" => &[],
        _ => return None,
    };
    let asks = matches!(kind, "llm" | "router");
    Some(
        own.iter()
            .copied()
            .chain(MODEL.into_iter().filter(|_| asks))
            .collect(),
    )
}

/// The JSON Schema keywords that the program checks, and those that only annotate.
const SCHEMA: [&str; 20] = [
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "items",
    "properties",
    "required",
    "additionalProperties",
    "title",
    "description",
    "default",
    "examples",
    "$comment",
];

/// Returns the first schema keyword that the program does not check, with its path, or `None` if the program checks all
/// keywords. `place` is the path of the schema.
fn unchecked(schema: &Value, place: &str) -> Option<String> {
    let Some(fields) = schema.as_object() else {
        return Some(format!("`{schema}` at {place}"));
    };
    for (keyword, value) in fields {
        if !SCHEMA.contains(&keyword.as_str()) {
            return Some(format!("`{keyword}` at {place}"));
        }
        let inner = match keyword.as_str() {
            "additionalProperties" if !value.is_boolean() => {
                Some(format!("`{keyword}` at {place}"))
            }
            "items" => unchecked(value, &format!("{place}.items")),
            "properties" => value
                .as_object()
                .into_iter()
                .flatten()
                .find_map(|(name, one)| unchecked(one, &format!("{place}.properties.{name}"))),
            _ => None,
        };
        if inner.is_some() {
            return inner;
        }
    }
    None
}

fn set(data: &Map<String, Value>, name: &str) -> bool {
    data.get(name).is_some_and(|value| !value.is_null())
}

/// Returns a text field, or `None` if it is missing or blank.
fn filled<'d>(data: &'d Map<String, Value>, name: &str) -> Option<&'d str> {
    data.get(name)
        .and_then(Value::as_str)
        .filter(|text| !text.trim().is_empty())
}

fn or_null(value: Option<&Value>) -> Python {
    value.cloned().unwrap_or_default().into()
}

impl Writer<'_> {
    /// Rejects the flow if it has a setting that the program cannot support.
    pub(super) fn settings(&mut self) {
        let Some(settings) = &self.flow.settings else {
            return;
        };
        let given: Vec<String> = settings
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, _)| name.clone())
            .collect();
        for name in given {
            let says = match name.as_str() {
                "allowNestedLoops" | "maxIterationsCeiling" | "concurrency" => continue,
                "budget" if !spends(settings) => continue,
                "budget" => {
                    "the program does not count money or tokens. Leave the budget empty, and count in the function that you give to MODEL"
                }
                "retry" if settings["retry"]["type"] == "none" => continue,
                "retry" => {
                    "the program makes each call once. Leave the setting out, and put retries into the function that you give to MODEL"
                }
                "timeout" => {
                    "the program has no time limit. Leave the setting empty, and limit the time outside the program"
                }
                "quotaWait" => {
                    "the program does not wait for quotas. Leave the setting out, and wait in the function that you give to MODEL"
                }
                _ => "the program has no counterpart for this setting. Leave it out",
            };
            self.refuse(None, &format!("settings.{name}"), says);
        }
    }

    /// Returns a node's fields in the form that the program uses. Rejects every other field of the node's kind that is set.
    pub(super) fn fields(&mut self, node: NodeIx) -> Python {
        let of = &self.flow.nodes[node];
        let kind = of.kind.clone();
        let data = of.data.clone();
        if of.is_placeholder() {
            let says = "this node is a placeholder for an imported part that was not translated, and a run that reaches it fails. Replace the node first";
            self.refuse(Some(node), "", says);
            return Python::NONE;
        }
        let Some(known) = known(&kind) else {
            let message = self.no_kind(node);
            self.refuse(Some(node), "", message);
            return Python::NONE;
        };
        if of.disabled() {
            let says = "the program cannot bypass nodes. Remove the node, or enable it";
            self.refuse(Some(node), "disabled", says);
        }
        for (name, says) in REFUSED_EVERYWHERE {
            let none = name == "retry"
                && data.get(name).and_then(|retry| retry.get("type")) == Some(&json!("none"));
            if set(&data, name) && !none {
                self.refuse(Some(node), name, says);
            }
        }
        // A field that the kind declares must not be dropped silently. A field that the kind does not declare has no effect here.
        let schema = self.kinds.of(of).map(|kind| kind.schema());
        let declared = |name: &str| {
            schema
                .as_ref()
                .is_some_and(|schema| schema["properties"].get(name).is_some())
        };
        for name in data.keys().filter(|name| set(&data, name)) {
            let name = name.as_str();
            let elsewhere = EDITORIAL.contains(&name)
                || name == "disabled"
                || REFUSED_EVERYWHERE
                    .iter()
                    .any(|(refused, _)| *refused == name);
            if !elsewhere && !known.contains(&name) && declared(name) {
                let says = "the program has no counterpart for this field. Leave it empty";
                self.refuse(Some(node), name, says);
            }
        }
        match kind.as_str() {
            "input" => self.input(node, &data),
            "output" => Python::object([("name", json!(of.boundary_name()).into())]),
            "llm" => self.llm(node, &data),
            "router" => self.router(node, &data),
            "transform" => self.transform(node, &data),
            _ => Python::Object(Vec::new()),
        }
    }

    /// Returns the reason why a node of an unsupported kind is rejected.
    fn no_kind(&self, node: NodeIx) -> String {
        let of = &self.flow.nodes[node];
        let title = self
            .kinds
            .of(of)
            .map_or_else(|| of.kind.clone(), |kind| kind.title().to_owned());
        let (what, instead) = match of.kind.as_str() {
            "tool" => {
                let tool = of.text("tool").unwrap_or_default();
                let instead = match tool {
                    "script.python" => {
                        "Loopwright runs Python scripts in a sandbox and in a restricted dialect, so the exported program could behave differently. Remove the node, and add your own function to the program"
                    }
                    _ => {
                        "Remove the node, and do its work in the program, before or after the graph"
                    }
                };
                (format!("a {title} with `{tool}`"), instead)
            }
            "subflow" => (
                format!("a {title}"),
                "Replace it with the nodes of the inner flow",
            ),
            "iterator" | "aggregator" => (
                format!("an {title}"),
                "Iterate over the list in a Transform's template, or in a Loop with a variable for the index",
            ),
            "validator" => (
                format!("a {title}"),
                "Check the value with rules in a Router, or with the answer's schema in the LLM",
            ),
            _ => (
                format!("a node of the kind {title}"),
                "Remove the node, and do its work before or after the graph",
            ),
        };
        format!("the program has no counterpart for {what}. {instead}")
    }

    fn input(&mut self, node: NodeIx, data: &Map<String, Value>) -> Python {
        let of = &self.flow.nodes[node];
        let default = ["default", "defaultValue"]
            .iter()
            .filter_map(|name| data.get(*name))
            .find(|value| !value.is_null());
        Python::object([
            ("name", json!(of.boundary_name()).into()),
            (
                "dataType",
                json!(of.text("dataType").unwrap_or("text")).into(),
            ),
            ("default", or_null(default)),
            (
                "required",
                json!(data.get("required") == Some(&json!(true))).into(),
            ),
        ])
    }

    /// Returns the fields of a model call: its prompts and its model.
    fn asks(&mut self, node: NodeIx, data: &Map<String, Value>) -> Vec<(String, Python)> {
        let scope = self.scope(node);
        let prompt = match filled(data, "prompt") {
            Some(source) => self.template(node, scope, "prompt", source),
            None => Python::NONE,
        };
        let system = match filled(data, "systemPrompt") {
            Some(source) if source.contains("{{") || source.contains("{%") => {
                self.template(node, scope, "systemPrompt", source)
            }
            Some(words) => json!(words).into(),
            None => Python::NONE,
        };
        if let Some(builtin) = filled(data, "builtin") {
            let says = format!(
                "the built-in model `{builtin}` is part of Loopwright, so the program calls MODEL instead"
            );
            self.say(node, "builtin", says);
        }
        let provider = filled(data, "provider").filter(|provider| *provider != "auto");
        vec![
            ("prompt".to_owned(), prompt),
            ("systemPrompt".to_owned(), system),
            ("provider".to_owned(), json!(provider).into()),
            ("model".to_owned(), json!(filled(data, "model")).into()),
            ("temperature".to_owned(), or_null(data.get("temperature"))),
            ("maxTokens".to_owned(), or_null(data.get("maxTokens"))),
        ]
    }

    fn llm(&mut self, node: NodeIx, data: &Map<String, Value>) -> Python {
        if data.get("session") == Some(&json!("loop")) {
            let says = "each call in the program is a separate conversation. Choose `stateless`, and put what the model should remember into the prompt";
            self.refuse(Some(node), "session", says);
        }
        if filled(data, "take").is_some_and(|take| take != "whole") {
            let says = "the program uses the whole answer. Extract the part that you want in the function that you give to MODEL";
            self.say(node, "take", says.to_owned());
        }
        if self.reads_usage(node) {
            let says = "the program does not count calls or tokens. Do not read the handle `usage`";
            self.refuse(Some(node), "usage", says);
        }
        let format = data
            .get("responseFormat")
            .filter(|format| !matches!(format.as_str(), Some("" | "text")));
        if let Some(what) = format
            .filter(|format| format.is_object())
            .and_then(|schema| unchecked(schema, "the schema"))
        {
            let says = format!(
                "the program does not check {what}. It checks only types, required fields, values, bounds and lengths. Use only those in the schema"
            );
            self.refuse(Some(node), "responseFormat", says);
        }
        let mut fields = self.asks(node, data);
        fields.push(("responseFormat".to_owned(), or_null(format)));
        Python::Object(fields)
    }

    /// Returns whether another node or template reads the usage of a model call.
    fn reads_usage(&self, node: NodeIx) -> bool {
        let id = self.id(node);
        let wired = self
            .flow
            .edges
            .iter()
            .any(|edge| edge.source == id && edge.source_handle.as_deref() == Some("usage"));
        let reads = |path: &[String], root: &str| match root {
            "nodes" | "previous" => path.len() > 1 && path[0] == id && path[1] == "usage",
            root => root == id && path.first().is_some_and(|name| name == "usage"),
        };
        wired
            || self.flow.nodes.iter().any(|other| {
                let sites = self
                    .kinds
                    .of(other)
                    .map_or_else(Vec::new, |kind| kind.templates(&other.data));
                sites
                    .iter()
                    .filter_map(|site| site.references().ok())
                    .flatten()
                    .any(|reference| reads(&reference.path, &reference.root))
            })
    }

    fn router(&mut self, node: NodeIx, data: &Map<String, Value>) -> Python {
        let mode = filled(data, "mode").unwrap_or("rules").to_owned();
        let scope = self.scope(node);
        let mut branches = Vec::new();
        let listed = data.get("branches").and_then(Value::as_array);
        for (index, branch) in listed.into_iter().flatten().enumerate() {
            let name = branch.as_str().or_else(|| branch.get("name")?.as_str());
            let when = branch
                .get("when")
                .and_then(Value::as_str)
                .filter(|when| mode == "rules" && !when.trim().is_empty());
            let when = match when {
                Some(when) => self.condition(node, scope, &format!("branches[{index}].when"), when),
                None => Python::NONE,
            };
            let name = json!(name.unwrap_or_default()).into();
            let mut object = vec![("name".to_owned(), name), ("when".to_owned(), when)];
            let described = branch.get("description").and_then(Value::as_str);
            let described = described.map(str::trim).filter(|text| !text.is_empty());
            if let Some(text) = described.filter(|_| mode == "llm") {
                object.push(("description".to_owned(), json!(text).into()));
            }
            branches.push(Python::Object(object));
        }
        let mut fields = vec![
            ("mode".to_owned(), json!(mode).into()),
            ("branches".to_owned(), Python::List(branches)),
            (
                "fallback".to_owned(),
                json!(filled(data, "fallback")).into(),
            ),
        ];
        if mode == "llm" {
            fields.extend(self.asks(node, data));
        }
        Python::Object(fields)
    }

    fn transform(&mut self, node: NodeIx, data: &Map<String, Value>) -> Python {
        let source = data
            .get("template")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let template = match source.trim().is_empty() {
            // A blank template is literal text.
            true => json!(source).into(),
            false => self.template(node, self.scope(node), "template", source),
        };
        Python::object([
            ("template", template),
            ("outputFormat", or_null(data.get("outputFormat"))),
        ])
    }

    /// Returns the maximum number of iterations of a loop: at least 1, and at most the flow's ceiling.
    pub(super) fn most(&self, start: NodeIx) -> u64 {
        whole(self.with_defaults(start).get("maxIterations")).clamp(1, self.ceiling)
    }

    /// Returns a node's fields, with defaults for missing ones.
    fn with_defaults(&self, node: NodeIx) -> Map<String, Value> {
        let node = &self.flow.nodes[node];
        let schema = self.kinds.schema(&node.kind);
        let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
        let mut settings: Map<String, Value> = properties
            .into_iter()
            .flatten()
            .filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone())))
            .collect();
        let written = node.data.iter().filter(|(_, value)| !value.is_null());
        settings.extend(written.map(|(name, value)| (name.clone(), value.clone())));
        settings
    }

    /// Returns the settings of a loop: its exits, its pause, and what it does between iterations.
    pub(super) fn loop_fields(&mut self, region: &Region) -> Python {
        let start = region.start;
        let data = self.with_defaults(start);
        let text = |name: &str| filled(&data, name).unwrap_or_default().to_owned();
        let scope = Scope {
            region: self
                .regions
                .regions
                .iter()
                .position(|known| known.start == start),
            of_loop: true,
        };
        if data.get("onError") == Some(&json!("return")) {
            let says = "a failed iteration ends the program with an error. Choose `fail`";
            self.refuse(Some(start), "onError", says);
        }
        let limits = data.get("limits").and_then(Value::as_object);
        for name in limits
            .into_iter()
            .flatten()
            .filter(|(_, value)| !value.is_null())
        {
            let says = "the program limits a loop only by its iterations, not by time or money. Leave the field empty";
            self.refuse(Some(start), &format!("limits.{}", name.0), says);
        }
        let exit = text("exitCondition");
        if !EXITS.contains(&exit.as_str()) {
            let says = format!("the program has no exit condition `{exit}`. Choose another one");
            self.refuse(Some(start), "exitCondition", &says);
        }
        let condition = data.get("condition").and_then(Value::as_object);
        let condition = match condition.filter(|_| exit == "condition") {
            Some(condition) => {
                let until = filled(condition, "until");
                let field = if until.is_some() { "until" } else { "while" };
                let source = until
                    .or_else(|| filled(condition, "while"))
                    .unwrap_or("true");
                let written = self.condition(start, scope, &format!("condition.{field}"), source);
                let before = condition.get("test") != Some(&json!("after"));
                Python::object([
                    ("test", written),
                    ("met", json!(until.is_some()).into()),
                    ("before", json!(before).into()),
                ])
            }
            None => Python::NONE,
        };
        let entries = |name: &str| {
            data.get(name)
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default()
        };
        let mut variables = Vec::new();
        for (index, variable) in entries("variables").iter().enumerate() {
            let mut value = |name: &str| match variable.get(name) {
                Some(Value::String(source)) => {
                    self.template(start, scope, &format!("variables[{index}].{name}"), source)
                }
                other => or_null(other),
            };
            let (initial, next) = (value("initial"), value("next"));
            let name = or_null(variable.get("name"));
            variables.push(Python::object([
                ("name", name),
                ("initial", initial),
                ("next", next),
            ]));
        }
        let mut outputs = Vec::new();
        for (index, output) in entries("outputs").iter().enumerate() {
            let source = output
                .get("from")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let from = self.expression(start, scope, &format!("outputs[{index}].from"), source);
            let take = output.get("take").and_then(Value::as_str).unwrap_or("last");
            let name = or_null(output.get("name"));
            outputs.push(Python::object([
                ("name", name),
                ("from", from),
                ("take", json!(take).into()),
            ]));
        }
        let score = match filled(&data, "score").filter(|_| text("result") == "best") {
            Some(source) => self.expression(start, scope, "score", source),
            None => Python::NONE,
        };
        let threshold = data.get("stabilityThreshold").and_then(Value::as_f64);
        let at_least_once = |name: &str| json!(whole(data.get(name)).max(1)).into();
        Python::object([
            ("max", json!(self.most(start)).into()),
            ("exit", json!(exit).into()),
            ("condition", condition),
            (
                "threshold",
                json!(threshold.unwrap_or(1.0).clamp(0.0, 1.0)).into(),
            ),
            ("patience", at_least_once("patience")),
            ("min", at_least_once("minIterations")),
            ("mode", json!(text("feedbackMode")).into()),
            ("variables", Python::List(variables)),
            ("outputs", Python::List(outputs)),
            ("score", score),
            ("on_limit", json!(text("onLimit")).into()),
            ("delay", self.delay(start, &data)),
        ])
    }

    /// Returns the settings of the pause between two iterations, with times in seconds, or `NONE` without a pause. Rejects
    /// random variation.
    fn delay(&mut self, start: NodeIx, data: &Map<String, Value>) -> Python {
        let Some(delay) = data.get("delay").and_then(Value::as_object) else {
            return Python::NONE;
        };
        if delay
            .get("jitter")
            .and_then(Value::as_f64)
            .is_some_and(|jitter| jitter > 0.0)
        {
            let says = "the program adds no random variation to its pauses. Leave the field empty";
            self.refuse(Some(start), "delay.jitter", says);
        }
        let seconds = |name: &str| {
            delay
                .get(name)
                .and_then(Value::as_str)
                .and_then(|text| millis(text).ok())
                .map(|millis| millis as f64 / 1000.0)
        };
        Python::object([
            ("interval", json!(seconds("interval").unwrap_or(0.0)).into()),
            (
                "exponential",
                json!(delay.get("type") == Some(&json!("exponential"))).into(),
            ),
            ("most", json!(seconds("maxInterval")).into()),
        ])
    }
}

/// Returns whether the flow's budget sets a limit. A budget that is not an object counts as one that does.
fn spends(settings: &Map<String, Value>) -> bool {
    let budget = settings.get("budget").and_then(Value::as_object);
    budget.is_none_or(|budget| budget.values().any(|value| !value.is_null()))
}

/// Returns a whole number from a validated field. A missing or negative number counts as zero.
fn whole(value: Option<&Value>) -> u64 {
    let number = |value: &Value| {
        value
            .as_u64()
            .or_else(|| value.as_f64().map(|number| number as u64))
    };
    value.and_then(number).unwrap_or_default()
}
