//! The kinds of nodes: what each of them becomes.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Container, Made, Maker, Spec, names, programs, shell};
use crate::{
    ImportError, Outcome,
    build::{Builder, Port, identifier},
};

/// Outputs that every agent has.
const AGENT_OUTPUTS: [&str; 5] = ["output", "response", "sessionId", "exitCode", "usage"];

/// A JSON value as a template that gives it.
fn given(value: &Value) -> String {
    match value {
        Value::String(text)
            if !text.contains("{{")
                && !text.contains("{%")
                && !text.contains("{#")
                && !text.trim().is_empty() =>
        {
            text.clone()
        }
        other => format!("{{{{ {other} }}}}"),
    }
}

/// What is the same of an agent node in both readings of it.
pub(super) struct Asked<'v> {
    pub(super) template: String,
    /// Names that its prompt reads and that nothing has.
    pub(super) unknown: Vec<String>,
    /// Its inputs beside the prompt and the session.
    pub(super) inputs: Vec<&'v str>,
    /// Its outputs beside those that every agent has.
    pub(super) own: Vec<&'v str>,
}

impl<'v> Maker<'v, '_> {
    pub(super) fn node(&mut self, spec: &Spec<'v>) -> Result<Made, ImportError> {
        Ok(match spec.kind {
            "trigger" => self.trigger(spec),
            "constant" => self.constant(spec),
            "shell" | "script" => self.shell(spec),
            "agent" => self.agent(spec),
            "component" => self.component(spec)?,
            "interface-input" => self.interface_input(spec),
            "interface-output" => self.interface_output(spec),
            "loop"
                if spec.data.contains_key("inlineWorkflow")
                    || spec.data.get("workflowRef").is_some_and(Value::is_string)
                    || spec.data.contains_key("continueWhile") =>
            {
                self.mapped_loop(spec)?
            }
            "loop" => self.dock_loop(spec)?,
            "function" => self.function(spec),
            other => self.kept(
                spec,
                &format!("there is no counterpart to nodes of the type {other}"),
            ),
        })
    }

    pub(super) fn name(&self, spec: &Spec<'_>) -> String {
        identifier(spec.id)
    }

    pub(super) fn label(&mut self, node: &str, spec: &Spec<'_>) {
        if let (Some(label), Some(data)) = (
            spec.data.get("label").filter(|label| label.is_string()),
            self.builder.data(node),
        ) {
            data.insert("label".to_owned(), label.clone());
        }
    }

    /// A node that keeps its source.
    pub(super) fn kept(&mut self, spec: &Spec<'_>, why: &str) -> Made {
        let name = self.name(spec);
        let node = self
            .builder
            .placeholder(&name, &spec.place, spec.whole.clone(), why);
        self.label(&node, spec);
        Made {
            outputs: BTreeMap::from([(String::new(), Port::of(&node))]),
            inputs: BTreeMap::from([(String::new(), Port::of(&node))]),
            fields: true,
            many: true,
            node,
            ..Made::default()
        }
    }

    fn trigger(&mut self, spec: &Spec<'v>) -> Made {
        let container = self.container;
        let mut used: Vec<&str> = container
            .wires
            .iter()
            .filter(|wire| wire.source == spec.id)
            .map(|wire| {
                if wire.out.is_empty() {
                    "text"
                } else {
                    wire.out
                }
            })
            .collect();
        used.sort_unstable();
        used.dedup();
        let mut made = Made::default();
        for output in used {
            let (kind, default) = match output {
                "params" => ("json", json!({})),
                _ => ("text", json!("")),
            };
            let node = self.builder.node(
                "input",
                output,
                json!({ "name": output, "dataType": kind, "default": default }),
            );
            if output == "timestamp" {
                self.builder.approximated(
                    &spec.place,
                    Some(&node),
                    "a flow knows no clock: the time of the start is an input of the run",
                );
            }
            made.outputs.insert(output.to_owned(), Port::of(&node));
            if output == "text" {
                made.outputs.insert(String::new(), Port::of(&node));
            }
        }
        let what = spec
            .data
            .get("triggerType")
            .and_then(Value::as_str)
            .unwrap_or("manual");
        let says = "a run is started by hand; what the trigger gives are inputs of the run";
        if what == "manual" {
            self.builder.say(Outcome::Mapped, &spec.place, None, says);
        } else {
            self.builder.approximated(
                &spec.place,
                None,
                format!("{says}: nothing starts a flow by itself ({what})"),
            );
        }
        made
    }

    fn constant(&mut self, spec: &Spec<'v>) -> Made {
        let value = spec.data.get("value").unwrap_or(&Value::Null);
        let name = self.name(spec);
        let node = self
            .builder
            .node("transform", &name, json!({ "template": given(value) }));
        self.label(&node, spec);
        self.builder
            .mapped(&spec.place, &node, "a Transform that gives the value");
        self.plain(node)
    }

    /// A Transform's ends.
    fn plain(&self, node: String) -> Made {
        Made {
            outputs: BTreeMap::from([(String::new(), Port::of(&node))]),
            inputs: BTreeMap::from([(String::new(), Port::of(&node))]),
            declares: true,
            node,
            ..Made::default()
        }
    }

    fn shell(&mut self, spec: &Spec<'v>) -> Made {
        let Some((text, sleeps)) = shell::printed(spec.data) else {
            return self.program(spec);
        };
        let (template, unknown) = self.template(spec, &text);
        let inputs: Vec<String> = names(spec.data, "inputs")
            .into_iter()
            .filter(|name| *name != "input")
            .map(identifier)
            .collect();
        let name = self.name(spec);
        let node = self.builder.node(
            "transform",
            &name,
            json!({ "template": template, "outputFormat": "text", "inputs": inputs }),
        );
        self.label(&node, spec);
        self.builder.mapped(
            &spec.place,
            &node,
            "a script that only prints: a Transform that gives its text",
        );
        if sleeps {
            self.builder.approximated(
                &spec.place,
                Some(&node),
                "it does not sleep; what it gives is the same",
            );
        }
        self.unknown(spec, &node, unknown);
        let mut made = self.plain(node.clone());
        for name in names(spec.data, "inputs") {
            let port = if name == "input" {
                Port::of(&node)
            } else {
                Port::named(&node, identifier(name))
            };
            made.inputs.insert(name.to_owned(), port);
        }
        made
    }

    pub(super) fn unknown(&mut self, spec: &Spec<'_>, node: &str, unknown: Vec<String>) {
        if !unknown.is_empty() {
            self.builder.approximated(
                &spec.place,
                Some(node),
                format!(
                    "{}: no input and no node of that name; nothing stands there",
                    unknown.join(", ")
                ),
            );
        }
    }

    /// Whether something is wired to an input of a node.
    pub(super) fn is_wired(&self, spec: &Spec<'_>, input: &str) -> bool {
        self.container
            .wires
            .iter()
            .any(|wire| wire.target == spec.id && wire.into == input)
    }

    /// What an agent is asked with and for, whether a model answers or a program.
    pub(super) fn asked(&self, spec: &Spec<'v>, prompt: &str) -> Asked<'v> {
        let (template, unknown) = self.template(spec, prompt);
        let own = |list: &str, general: &[&str]| -> Vec<&'v str> {
            let mut names = names(spec.data, list);
            names.retain(|name| !general.contains(name));
            names
        };
        Asked {
            template,
            unknown,
            inputs: own("inputs", &["prompt", "sessionId"]),
            own: own("outputs", &AGENT_OUTPUTS),
        }
    }

    fn agent(&mut self, spec: &Spec<'v>) -> Made {
        let runner = spec
            .data
            .get("runner")
            .and_then(Value::as_str)
            .unwrap_or("claude-code");
        let Some(prompt) = spec.data.get("prompt").and_then(Value::as_str) else {
            return self.kept(spec, "it has no prompt");
        };
        if runner != "openai" && programs::has_tools(spec) {
            return self.coding_agent(spec, runner, prompt);
        }
        let Asked {
            template,
            unknown,
            inputs,
            own,
        } = self.asked(spec, prompt);
        let mut data =
            json!({ "inputs": inputs.iter().map(|name| identifier(name)).collect::<Vec<_>>() });
        if !self.is_wired(spec, "prompt") {
            data["prompt"] = json!(template);
        }
        if let Some(model) = spec
            .data
            .get("model")
            .and_then(Value::as_str)
            .filter(|_| runner == "openai")
        {
            data["model"] = json!(model);
        }
        let session = self.is_wired(spec, "sessionId");
        if session {
            data["session"] = json!("loop");
        }
        let schema = schema(spec.data, &own);
        if let Some(schema) = &schema {
            data["responseFormat"] = schema.clone();
        }
        let name = self.name(spec);
        let node = self.builder.node("llm", &name, data);
        self.label(&node, spec);
        if runner == "openai" {
            self.builder.mapped(&spec.place, &node, "a model is asked");
        } else {
            self.builder.approximated(&spec.place, Some(&node), format!("a model is asked in place of the program {runner}, which would also read and change files and run commands"));
        }
        if session {
            self.builder.approximated(&spec.place, Some(&node), "its session goes on from one iteration to the next; a session that another node began is not taken over");
        }
        self.unknown(spec, &node, unknown);
        let mut made = Made {
            outputs: BTreeMap::from([(String::new(), Port::at(&node, "response"))]),
            inputs: BTreeMap::from([(String::new(), Port::of(&node))]),
            declares: true,
            node: node.clone(),
            ..Made::default()
        };
        for name in ["output", "response"] {
            made.outputs
                .insert(name.to_owned(), Port::at(&node, "response"));
        }
        for name in own {
            let port = if schema.is_some() {
                Port::named(&node, name)
            } else {
                Port::at(&node, "response")
            };
            made.outputs.insert(name.to_owned(), port);
        }
        for name in inputs {
            made.inputs
                .insert(name.to_owned(), Port::named(&node, identifier(name)));
        }
        made.inputs.insert("prompt".to_owned(), Port::of(&node));
        made
    }

    fn component(&mut self, spec: &Spec<'v>) -> Result<Made, ImportError> {
        let reference = spec.data.get("componentRef").and_then(Value::as_str);
        let path = spec.data.get("workflowPath").and_then(Value::as_str);
        let inline = reference.and_then(|name| self.container.components?.get(name));
        let Some(inner) = inline.or_else(|| spec.data.get("inlineWorkflow")) else {
            let why = match (reference, path) {
                (Some(name), _) => format!("there is no component “{name}” in the file"),
                (None, Some(path)) => format!(
                    "it stands in the file {path}, which is not in the folder of this one. Import it too and put a Subflow with it in its place"
                ),
                (None, None) => "it names no component".to_owned(),
            };
            return Ok(self.kept(spec, &why));
        };
        if self.depth >= super::MAX_DEPTH {
            return Err(ImportError::refused(
                &spec.place,
                "components hold one another without end",
            ));
        }
        let mut container = Container::read(inner, &format!("{}.", spec.place))?;
        container.components = container.components.or(self.container.components);
        let mut builder = Builder::new(super::FORMAT.id, reference);
        let mut maker = Maker::new(&container, &mut builder, self.depth + 1);
        maker.workflow()?;
        let node = self.subflow(spec, builder)?;
        self.builder
            .mapped(&spec.place, &node, "a Subflow that holds the component");
        let mut made = Made {
            node: node.clone(),
            ..Made::default()
        };
        for name in names(spec.data, "inputs") {
            made.inputs
                .insert(name.to_owned(), Port::named(&node, name));
        }
        for name in names(spec.data, "outputs") {
            made.outputs
                .insert(name.to_owned(), Port::named(&node, name));
        }
        Ok(made)
    }

    /// A subflow that holds a finished workflow; what was said of that is said here.
    pub(super) fn subflow(
        &mut self,
        spec: &Spec<'_>,
        builder: Builder,
    ) -> Result<String, ImportError> {
        let inner = builder.finish()?;
        for entry in inner.report.entries {
            self.builder.say(
                entry.outcome,
                entry.place,
                None,
                match &entry.node {
                    Some(node) => format!("{node}: {}", entry.message),
                    None => entry.message,
                },
            );
        }
        let flow = serde_json::to_value(&inner.flow).unwrap_or(Value::Null);
        let name = self.name(spec);
        let node = self.builder.node("subflow", &name, json!({ "flow": flow }));
        self.label(&node, spec);
        Ok(node)
    }

    fn interface_input(&mut self, spec: &Spec<'v>) -> Made {
        let mut made = Made::default();
        for name in names(spec.data, "outputs") {
            let node =
                self.builder
                    .node("input", name, json!({ "name": name, "dataType": "json" }));
            made.outputs
                .entry(String::new())
                .or_insert_with(|| Port::of(&node));
            made.outputs.insert(name.to_owned(), Port::of(&node));
        }
        made
    }

    fn interface_output(&mut self, spec: &Spec<'v>) -> Made {
        let mut made = Made::default();
        for name in names(spec.data, "inputs") {
            let node = self.builder.node("output", name, json!({ "name": name }));
            made.inputs
                .entry(String::new())
                .or_insert_with(|| Port::of(&node));
            made.inputs.insert(name.to_owned(), Port::of(&node));
        }
        made
    }
}

/// The schema of an agent's answer; `None` where one text is the answer.
fn schema(data: &Map<String, Value>, own: &[&str]) -> Option<Value> {
    let outputs = data.get("outputs").and_then(Value::as_array)?;
    let kind = |name: &str| {
        let ty = outputs
            .iter()
            .find(|output| output.get("name").and_then(Value::as_str) == Some(name))?;
        ty.get("type").and_then(Value::as_str)
    };
    if own.is_empty() || (own.len() == 1 && matches!(kind(own[0]), None | Some("string" | "any"))) {
        return None;
    }
    let properties: Map<String, Value> = own
        .iter()
        .map(|name| {
            let ty = match kind(name) {
                Some("string") => json!({ "type": "string" }),
                Some("number") => json!({ "type": "number" }),
                Some("boolean") => json!({ "type": "boolean" }),
                _ => json!({}),
            };
            ((*name).to_owned(), ty)
        })
        .collect();
    Some(json!({ "type": "object", "properties": properties, "required": own }))
}
