//! The kinds of nodes: what each of them becomes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    Container, Entry, Made, Maker, Spec,
    inputs::{Given, Inputs},
    names,
    outputs::{Found, Out, declared},
    text,
    texts::{literal, written},
};
use crate::{
    ImportError, Outcome,
    build::{Builder, Port},
};

/// Fields of a node's `data` that are read, or change nothing that a run gives; beside those of its kind.
const KNOWN: [&str; 6] = [
    "nodeType",
    "label",
    "description",
    "inputs",
    "outputs",
    "continueOnFailure",
];

/// The input of a subflow by which it waits for what it takes no value of.
pub(super) const STARTS_AFTER: &str = "starts_after";

/// The fields of one kind.
fn fields_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "trigger" => &["triggerType", "cron", "idleMinutes", "enabled"],
        "constant" => &["value", "valueType"],
        "shell" => &["script", "commands", "path"],
        "function" => &["code", "file"],
        "component" => &["componentRef", "workflowPath", "inlineWorkflow"],
        "loop" => &[
            "maxIterations",
            "dockSlots",
            "inlineWorkflow",
            "workflowRef",
            "continueWhile",
            "inputMappings",
            "outputMappings",
        ],
        "agent" => &[
            "runner",
            "model",
            "prompt",
            "promptFiles",
            "outputSchema",
            "tools",
            "allowedTools",
            "mcpServers",
            "mcpConfig",
            "cwd",
            "path",
            "sandbox",
            "permissionMode",
        ],
        _ => &["path"],
    }
}

impl<'v> Maker<'v, '_> {
    pub(super) fn node(&mut self, spec: &Spec<'v>) -> Result<Made, ImportError> {
        let made = match spec.kind {
            "trigger" => Ok(self.trigger(spec)),
            "constant" => self.constant(spec),
            "wire" => self.wire_node(spec),
            "workdir" => self.workdir(spec),
            "shell" => self.shell(spec),
            "function" => self.function(spec),
            "agent" => self.agent(spec),
            "component" => self.component(spec)?,
            "interface-input" => Ok(self.interface_input(spec)),
            "interface-output" => self.interface_output(spec),
            "loop" if is_mapped(spec) => self.mapped_loop(spec)?,
            "loop" => self.dock_loop(spec)?,
            other => Err(format!(
                "there is no counterpart to nodes of the type {other}"
            )),
        };
        self.say_fields(spec);
        Ok(made.unwrap_or_else(|why| self.kept(spec, &why)))
    }

    /// Says which fields of a node are not known.
    fn say_fields(&mut self, spec: &Spec<'v>) {
        let known = |name: &str| KNOWN.contains(&name) || fields_of(spec.kind).contains(&name);
        let unknown = spec.data.keys().filter(|name| !known(name));
        let unknown: Vec<String> = unknown.map(|name| format!("`{name}`")).collect();
        if !unknown.is_empty() {
            let says = format!(
                "{} of its data is not known to this import, and does nothing here.",
                unknown.join(", ")
            );
            self.builder.approximated(&spec.place, None, says);
        }
    }

    pub(super) fn label(&mut self, node: &str, spec: &Spec<'_>) {
        if let (Some(label), Some(data)) = (text(spec.data, "label"), self.builder.data(node)) {
            data.insert("label".to_owned(), json!(label));
        }
    }

    /// A node that keeps its source; a loop with what is in it.
    fn kept(&mut self, spec: &Spec<'v>, why: &str) -> Made {
        let container = self.container;
        let within = container
            .nodes
            .iter()
            .filter(|node| node.parent == Some(spec.id));
        let within: Vec<Value> = within.map(|node| node.whole.clone()).collect();
        let source = match within.is_empty() {
            true => spec.whole.clone(),
            false => json!({ "loop": spec.whole, "nodes": within }),
        };
        let node = self.builder.placeholder(spec.id, &spec.place, source, why);
        self.label(&node, spec);
        let entry = Entry::Many(Port::of(&node));
        let wires: Vec<_> = container.into(spec.id).cloned().collect();
        let mut fed = false;
        for wire in wires {
            if spec.parent == Some(wire.source) || wire.source == spec.id {
                continue;
            }
            if let Found::Out(out) = self.out(wire.source, wire.out) {
                self.feed(&out, &Port::of(&node));
                fed = true;
            } else if let Some(made) = self
                .made
                .get(wire.source)
                .filter(|made| !made.node.is_empty())
            {
                let from = Port::of(&made.node);
                self.builder.wire(&from, &Port::of(&node));
                fed = true;
            }
        }
        if let (Some(start), false) = (self.start_of(spec), fed) {
            self.wait(&entry, &Port::at(&start, "body"));
        }
        Made {
            entry,
            kept: true,
            ends: vec![(spec.id.to_owned(), Out::of(Port::of(&node)))],
            node,
            ..Made::default()
        }
    }

    /// A trigger: what is read of it becomes inputs of the run when somebody reads it.
    fn trigger(&mut self, spec: &Spec<'v>) -> Made {
        let what = text(spec.data, "triggerType").unwrap_or("manual");
        if what == "manual" || self.component.is_some() {
            let says = "A trigger is the start of a run; what it gives are inputs of the run.";
            self.builder.say(Outcome::Mapped, &spec.place, None, says);
        } else {
            let says = format!(
                "Nothing starts a flow by itself ({what}): you start each run. What the trigger gives are inputs of the run."
            );
            self.builder.approximated(&spec.place, None, says);
        }
        Made::default()
    }

    fn constant(&mut self, spec: &Spec<'v>) -> Result<Made, String> {
        let value = spec.data.get("value").unwrap_or(&Value::Null);
        let kind = text(spec.data, "valueType").unwrap_or("any");
        let fits = match kind {
            "boolean" => value.is_boolean(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            _ => true,
        };
        if !fits {
            return Err(format!(
                "its value is no {kind}, which it must be, so that it fails there too. Correct it"
            ));
        }
        let mut names: Vec<&str> = declared(spec).into_iter().map(|(name, _)| name).collect();
        names.retain(|name| *name == "value");
        let written = match names.is_empty() {
            // Without a declared output it gives its value as text.
            true => json!(written(value)),
            false => value.clone(),
        };
        let name = if names.is_empty() { "output" } else { "value" };
        let inputs = self.inputs(spec, "", &|_| false)?;
        Ok(self.plain(
            spec,
            &template_of(&written),
            name,
            &inputs,
            "A constant is a Transform that gives its value.",
        ))
    }

    fn workdir(&mut self, spec: &Spec<'v>) -> Result<Made, String> {
        let inputs = self.inputs(spec, "", &|_| false)?;
        let name = declared(spec).first().map_or("output", |(name, _)| name);
        Ok(self.plain(
            spec,
            "{{ \"\" }}",
            name,
            &inputs,
            "A workdir changes nothing, as there: it gives an empty text.",
        ))
    }

    fn wire_node(&mut self, spec: &Spec<'v>) -> Result<Made, String> {
        let inputs = self.inputs(spec, "", &|name| name == "value")?;
        let given = inputs
            .own
            .iter()
            .find(|input| input.name == "value")
            .map(|input| input.given.clone());
        let template = match &given {
            Some(Given::Value(value)) => template_of(value),
            Some(Given::Out(_)) => "{{ input }}".to_owned(),
            _ => "{{ null }}".to_owned(),
        };
        let made = self.plain(
            spec,
            &template,
            "value",
            &inputs,
            "A wire node is a Transform that hands its value on.",
        );
        if let Some(Given::Out(out)) = given {
            self.feed(&out, &Port::of(&made.node));
        }
        Ok(made)
    }

    /// A Transform that gives one value.
    fn plain(
        &mut self,
        spec: &Spec<'v>,
        template: &str,
        output: &str,
        inputs: &Inputs<'v>,
        says: &str,
    ) -> Made {
        let node = self
            .builder
            .node("transform", spec.id, json!({ "template": template }));
        self.label(&node, spec);
        self.builder.mapped(&spec.place, &node, says);
        let mut made = self.single(node, output);
        self.after(spec, &made.entry, inputs);
        made.ends = vec![(spec.id.to_owned(), Out::of(Port::of(&made.node)))];
        made
    }

    fn component(&mut self, spec: &Spec<'v>) -> Result<Result<Made, String>, ImportError> {
        let container = self.container;
        let reference = text(spec.data, "componentRef");
        let path = text(spec.data, "workflowPath");
        let inline = reference.and_then(|name| container.components?.get(name));
        let Some(inner) = inline.or_else(|| spec.data.get("inlineWorkflow")) else {
            return Ok(Err(match (reference, path) {
                (Some(name), _) => format!("there is no component “{name}” in the file"),
                (None, Some(path)) => format!(
                    "it stands in the file {path}, which is not in the folder of this one. Import it too and put a Subflow with it in its place"
                ),
                (None, None) => "it names no component, so that it fails there too".to_owned(),
            }));
        };
        if self.depth >= super::MAX_DEPTH {
            return Err(ImportError::refused(
                &spec.place,
                "components hold one another without end",
            ));
        }
        let inputs = match self.inputs(spec, "", &|_| true) {
            Ok(inputs) => inputs,
            Err(why) => return Ok(Err(why)),
        };
        let place = format!("{}.", spec.place);
        let mut within = Container::read(inner, &place)?;
        within.components = within.components.or(container.components);
        let mut builder = Builder::new(super::FORMAT.id, reference);
        let mut maker = Maker::new(&within, &mut builder, self.depth + 1);
        maker.folder = self.folder;
        let given = maker.component_inputs(&inputs);
        maker.component = Some(given);
        // What only has to come first has no value, and a subflow waits for nothing else.
        let waits = !inputs.before.is_empty() || (self.start_of(spec).is_some() && !inputs.inside);
        if waits {
            maker.builder.node(
                "input",
                STARTS_AFTER,
                json!({ "name": STARTS_AFTER, "dataType": "json" }),
            );
        }
        maker.workflow()?;
        let (given, missing) = maker.component_outputs(spec);
        let node = self.subflow(spec, builder)?;
        self.builder.mapped(
            &spec.place,
            &node,
            "A component is a Subflow that holds its workflow.",
        );
        for (handle, out) in inputs.wired() {
            self.feed(out, &Port::at(&node, handle));
        }
        if waits {
            let first = self.builder.node(
                "transform",
                &format!("{} start", spec.id),
                json!({ "template": "{{ null }}" }),
            );
            self.builder
                .wire(&Port::of(&first), &Port::at(&node, STARTS_AFTER));
            self.after(spec, &Entry::Declared(first), &inputs);
        }
        let mut made = Made {
            node: node.clone(),
            ..Made::default()
        };
        for name in given {
            let out = Out::of(Port::at(&node, name.clone()));
            made.ends.push((format!("{} {name}", spec.id), out.clone()));
            made.outputs.insert(name, Some(out));
        }
        made.outputs
            .extend(missing.into_iter().map(|name| (name, None)));
        Ok(Ok(made))
    }

    /// The inputs of the component that this workflow is.
    fn component_inputs(&mut self, inputs: &Inputs<'v>) -> BTreeMap<String, Port> {
        let mut given = BTreeMap::new();
        for input in &inputs.own {
            let mut data = json!({ "name": input.handle, "dataType": "json" });
            match &input.given {
                Given::Nothing => continue,
                Given::Value(value) => data["default"] = value.clone(),
                Given::Out(_) => {}
            }
            let node = self.builder.node("input", input.name, data);
            given.insert(input.name.to_owned(), Port::of(&node));
        }
        given
    }

    /// Gives what a component's node declares as outputs: what leads to its interface, else what its last nodes give. With the
    /// names of the outputs, those that nothing gives.
    fn component_outputs(&mut self, spec: &Spec<'_>) -> (Vec<String>, Vec<String>) {
        let container = self.container;
        let mut found: BTreeMap<String, Out> = BTreeMap::new();
        let interfaces: Vec<&Spec<'v>> = container
            .nodes
            .iter()
            .filter(|node| node.kind == "interface-output")
            .collect();
        for node in &interfaces {
            let ends = self.made.get(node.id).map(|made| made.ends.clone());
            found.extend(ends.unwrap_or_default());
        }
        if interfaces.is_empty() {
            let leaves: Vec<&Spec<'v>> = container
                .nodes
                .iter()
                .filter(|node| {
                    node.kind != "trigger"
                        && !container.wires.iter().any(|wire| wire.source == node.id)
                })
                .collect();
            for leaf in &leaves {
                let prefix = match leaves.len() {
                    1 => String::new(),
                    _ => format!("{}_", text(leaf.data, "label").unwrap_or(leaf.id)),
                };
                let outputs = self.made.get(leaf.id).map(|made| made.outputs.clone());
                for (name, out) in outputs.unwrap_or_default() {
                    if let Some(out) = out {
                        found.insert(format!("{prefix}{name}"), out);
                    }
                }
            }
        }
        let (mut given, mut missing) = (Vec::new(), Vec::new());
        for (name, _) in declared(spec) {
            match found.get(name) {
                None => missing.push(name.to_owned()),
                Some(out) => {
                    let node = self.builder.node("output", name, json!({ "name": name }));
                    self.feed(out, &Port::of(&node));
                    given.push(name.to_owned());
                }
            }
        }
        // Something must come out of a subflow for others to wait for.
        if given.is_empty() {
            let last = self
                .made
                .values()
                .map(|made| made.node.clone())
                .rfind(|node| !node.is_empty());
            if let Some(last) = last {
                let node = self
                    .builder
                    .node("output", "done", json!({ "name": "done" }));
                self.builder.wire(&Port::of(&last), &Port::of(&node));
            }
        }
        (given, missing)
    }

    /// A subflow that holds a finished workflow; what was said of that is said here.
    pub(super) fn subflow(
        &mut self,
        spec: &Spec<'_>,
        builder: Builder,
    ) -> Result<String, ImportError> {
        let inner = builder.finish()?;
        for entry in inner.report.entries {
            self.builder
                .say(entry.outcome, entry.place, None, entry.message);
        }
        let flow = serde_json::to_value(&inner.flow).unwrap_or(Value::Null);
        let node = self
            .builder
            .node("subflow", spec.id, json!({ "flow": flow }));
        self.label(&node, spec);
        Ok(node)
    }

    fn interface_input(&mut self, spec: &Spec<'v>) -> Made {
        let mut made = Made::default();
        for name in names(spec.data, "outputs") {
            let port = match &self.component {
                Some(given) => given.get(name).cloned(),
                None => {
                    let data = json!({ "name": name, "dataType": "json", "required": true });
                    Some(Port::of(&self.builder.node("input", name, data)))
                }
            };
            if let Some(port) = port {
                made.outputs.insert(name.to_owned(), Some(Out::of(port)));
            }
        }
        let says = "The inputs of a component are the inputs of its Subflow, or of the run.";
        self.builder.say(Outcome::Mapped, &spec.place, None, says);
        made
    }

    /// The interface of a component: what leads to it is what the component gives.
    fn interface_output(&mut self, spec: &Spec<'v>) -> Result<Made, String> {
        let inputs = self.inputs(spec, "", &|_| true)?;
        let mut made = Made::default();
        for input in &inputs.own {
            let out = match &input.given {
                Given::Out(out) => out.clone(),
                Given::Value(value) => {
                    let data = json!({ "template": template_of(value) });
                    Out::of(Port::of(&self.builder.node("transform", input.name, data)))
                }
                Given::Nothing => continue,
            };
            made.ends.push((input.name.to_owned(), out));
        }
        let says = "The outputs of a component are the outputs of its Subflow, or of the run.";
        self.builder.say(Outcome::Mapped, &spec.place, None, says);
        Ok(made)
    }
}

/// Whether a loop holds its workflow, with mappings in and out.
pub(super) fn is_mapped(spec: &Spec<'_>) -> bool {
    spec.data.contains_key("inlineWorkflow")
        || spec.data.get("workflowRef").is_some_and(Value::is_string)
        || spec.data.contains_key("continueWhile")
}

/// A template that gives a value.
pub(super) fn template_of(value: &Value) -> String {
    match value {
        Value::String(text) if !text.trim().is_empty() => literal(text),
        other => format!("{{{{ {other} }}}}"),
    }
}
