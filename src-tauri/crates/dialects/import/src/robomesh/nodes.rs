//! Translates each kind of node.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    Builder, Container, FORMAT, Given, ImportError, Inputs, MAX_DEPTH, Made, Maker, Out, Outcome,
    Port, Spec, Trouble, list,
    loops::is_mapped,
    output_names, text,
    texts::{template_of, written},
    words,
};

/// The input that makes a subflow wait for nodes whose values it does not use.
pub(super) const STARTS_AFTER: &str = "starts_after";

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
            "component" => self.component(spec),
            "interface-input" => Ok(self.interface_input(spec)),
            "interface-output" => self.interface_output(spec),
            "loop" if is_mapped(spec) => self.mapped_loop(spec),
            "loop" => self.dock_loop(spec),
            other => Err(Trouble::Kept(format!(
                "there is no counterpart for nodes of the type {other}"
            ))),
        };
        self.say_fields(spec);
        match made {
            Ok(made) => Ok(made),
            Err(Trouble::Kept(why)) => Ok(self.kept(spec, &why)),
            Err(Trouble::Refused(error)) => Err(error),
        }
    }

    /// Reports the unknown fields of a node.
    fn say_fields(&mut self, spec: &Spec<'v>) {
        let fields = spec.data.as_object();
        let names = fields.into_iter().flat_map(|fields| fields.keys());
        let unknown = names.filter(|name| !words::is_field(spec.kind, name));
        let unknown: Vec<String> = unknown.map(|name| format!("`{name}`")).collect();
        if !unknown.is_empty() {
            let says = format!(
                "The import does not know these fields in the node's data, and ignored them: {}.",
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

    /// Adds the main node for a source node, with its label. Returns the node's id.
    pub(super) fn own_node(&mut self, kind: &str, spec: &Spec<'_>, data: Value) -> String {
        let node = self.builder.node(kind, spec.id, data);
        self.label(&node, spec);
        node
    }

    /// Adds a placeholder that stores the source of a node. The placeholder of a loop also stores the loop's content.
    fn kept(&mut self, spec: &Spec<'v>, why: &str) -> Made {
        let container = self.container;
        let within: Vec<&Value> = container.within(spec.id).map(|node| node.whole).collect();
        let source = match within.is_empty() {
            true => spec.whole.clone(),
            false => json!({ "loop": spec.whole, "nodes": within }),
        };
        let node = self.builder.placeholder(spec.id, &spec.place, source, why);
        self.label(&node, spec);
        let port = Port::of(&node);
        let mut fed = false;
        for wire in container.into(spec.id) {
            if spec.parent == Some(wire.source) || wire.source == spec.id {
                continue;
            }
            let from = match (self.out(wire.source, wire.out), self.made.get(wire.source)) {
                (Ok(Some(out)), _) => self.port(&out),
                (_, Some(made)) if !made.node.is_empty() => Port::of(&made.node),
                _ => continue,
            };
            self.builder.wire(&from, &port);
            fed = true;
        }
        if let Some(begins) = self.begins(spec, fed) {
            self.builder.wire(&begins, &port);
        }
        Made {
            kept: true,
            ..Made::new(spec, node, Out::of(port))
        }
    }

    /// Translates a trigger. Values that are read from it become inputs of the run.
    fn trigger(&mut self, spec: &Spec<'v>) -> Made {
        let what = text(spec.data, "triggerType").unwrap_or("manual");
        if what == "manual" || self.component.is_some() {
            let says = "A trigger becomes the start of a run. The values that it supplies become inputs of the run.";
            self.builder.say(Outcome::Mapped, &spec.place, None, says);
        } else {
            let says = format!(
                "Flows have no triggers such as `{what}`. Start each run yourself, or create a schedule. The values that the trigger supplied become inputs of the run."
            );
            self.builder.approximated(&spec.place, None, says);
        }
        Made::default()
    }

    fn constant(&mut self, spec: &Spec<'v>) -> Result<Made, Trouble> {
        let value = spec.data.get("value").unwrap_or(&Value::Null);
        let kind = text(spec.data, "valueType").unwrap_or("any");
        let fits = match kind {
            "boolean" => value.is_boolean(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            _ => true,
        };
        if !fits {
            return Err(Trouble::Kept(format!(
                "its value is not of the type {kind}, so it fails in the source too. Correct it"
            )));
        }
        let (name, template) = match output_names(spec).contains(&"value") {
            true => ("value", template_of(value)),
            // Without a declared output, the constant provides its value as text.
            false => ("output", template_of(&json!(written(value)))),
        };
        let inputs = self.inputs(spec, "", &|_| false)?;
        let says = "A constant becomes a Transform that returns its value.";
        Ok(self.plain(spec, &template, name, &inputs, says))
    }

    fn workdir(&mut self, spec: &Spec<'v>) -> Result<Made, Trouble> {
        let inputs = self.inputs(spec, "", &|_| false)?;
        let name = output_names(spec).first().copied().unwrap_or("output");
        let says = "A workdir has no effect, as in the source: its output is an empty string.";
        Ok(self.plain(spec, "{{ \"\" }}", name, &inputs, says))
    }

    fn wire_node(&mut self, spec: &Spec<'v>) -> Result<Made, Trouble> {
        let inputs = self.inputs(spec, "", &|name| name == "value")?;
        let input = inputs.own.iter().find(|input| input.name == "value");
        let given = input.map(|input| &input.given);
        let template = match given {
            Some(Given::Value(value)) => template_of(value),
            Some(Given::Out(_)) => "{{ input }}".to_owned(),
            _ => "{{ null }}".to_owned(),
        };
        let says = "A wire node becomes a Transform that passes its value on.";
        let made = self.plain(spec, &template, "value", &inputs, says);
        if let Some(Given::Out(out)) = given {
            self.feed(out, &Port::of(&made.node));
        }
        Ok(made)
    }

    /// Translates a node to a Transform that returns one value.
    fn plain(
        &mut self,
        spec: &Spec<'v>,
        template: &str,
        output: &str,
        inputs: &Inputs<'v>,
        says: &str,
    ) -> Made {
        let node = self.own_node("transform", spec, json!({ "template": template }));
        self.builder.mapped(&spec.place, &node, says);
        let out = Out::of(Port::of(&node));
        let mut made = Made::new(spec, node.clone(), out.clone());
        made.outputs.insert(output.to_owned(), Some(out));
        self.after(spec, &node, inputs);
        made
    }

    fn component(&mut self, spec: &Spec<'v>) -> Result<Made, Trouble> {
        let container = self.container;
        let reference = text(spec.data, "componentRef");
        let inline = reference.and_then(|name| container.components?.get(name));
        let Some(inner) = inline.or_else(|| spec.data.get("inlineWorkflow")) else {
            return Err(Trouble::Kept(
                match (reference, text(spec.data, "workflowPath")) {
                    (Some(name), _) => format!("there is no component “{name}” in the file"),
                    (None, Some(path)) => format!(
                        "it is in the file {path}, which is not in this file's folder. Import that file too, and replace this node with a Subflow that uses it"
                    ),
                    (None, None) => {
                        "it names no component, so it fails in the source too".to_owned()
                    }
                },
            ));
        };
        if self.depth >= MAX_DEPTH {
            let why = "components contain each other in a cycle";
            return Err(ImportError::refused(&spec.place, why).into());
        }
        let inputs = self.inputs(spec, "", &|_| true)?;
        let within = Container::read(inner, &format!("{}.", spec.place), container.components)?;
        let mut builder = Builder::new(FORMAT.id, reference);
        let mut maker = Maker::new(&within, &mut builder, self.depth + 1);
        maker.folder = self.folder;
        maker.component = Some(maker.component_inputs(&inputs));
        // A node that only determines the order provides no value, so the subflow waits for it through this input.
        let waits = !inputs.before.is_empty() || self.begins(spec, inputs.inside).is_some();
        if waits {
            maker.input(STARTS_AFTER);
        }
        maker.workflow()?;
        let given = maker.component_outputs(spec);
        let node = self.subflow(spec.id, builder)?;
        self.label(&node, spec);
        let says = "A component becomes a Subflow that contains its workflow.";
        self.builder.mapped(&spec.place, &node, says);
        for (handle, out) in inputs.wired() {
            self.feed(out, &Port::at(&node, handle));
        }
        if waits {
            let first = self.transform(&format!("{} start", spec.id), "{{ null }}");
            self.builder.wire(&first, &Port::at(&node, STARTS_AFTER));
            self.after(spec, &first.node, &inputs);
        }
        let mut made = Made::of(node.clone());
        for name in output_names(spec) {
            let out = Out::of(Port::at(&node, name));
            let is_given = given.contains(&name);
            if is_given {
                (made.ends).push((format!("{} {name}", spec.id), out.clone()));
            }
            made.outputs
                .insert(name.to_owned(), is_given.then_some(out));
        }
        Ok(made)
    }

    /// Adds the inputs of the component that this workflow defines. Returns their ports, by the names of the inputs.
    fn component_inputs(&mut self, inputs: &Inputs<'v>) -> BTreeMap<&'v str, Port> {
        let mut given = BTreeMap::new();
        for input in inputs.own.iter().filter(|input| input.is_given()) {
            let mut data = json!({ "name": input.handle, "dataType": "json" });
            if let Given::Value(value) = &input.given {
                data["default"] = value.clone();
            }
            let node = self.builder.node("input", input.name, data);
            given.insert(input.name, Port::of(&node));
        }
        given
    }

    /// Adds the outputs that a component's node declares: the values wired to its interface, otherwise the outputs of its last
    /// nodes. Returns the names that have a value.
    fn component_outputs(&mut self, spec: &Spec<'v>) -> Vec<&'v str> {
        let container = self.container;
        let mut found: BTreeMap<String, Out> = BTreeMap::new();
        let (interfaces, mut leaves): (Vec<_>, Vec<_>) =
            (container.nodes.iter()).partition(|node| node.kind == "interface-output");
        for made in interfaces.iter().filter_map(|node| self.made.get(node.id)) {
            found.extend(made.ends.iter().cloned());
        }
        leaves.retain(|node| {
            let leads_on = container.wires.iter().any(|wire| wire.source == node.id);
            interfaces.is_empty() && node.kind != "trigger" && !leads_on
        });
        for leaf in &leaves {
            let prefix = match leaves.len() {
                1 => String::new(),
                _ => format!("{}_", leaf.label()),
            };
            let outputs = self.made.get(leaf.id).map(|made| &made.outputs);
            for (name, out) in outputs.into_iter().flatten() {
                let out = out.clone().map(|out| (format!("{prefix}{name}"), out));
                found.extend(out);
            }
        }
        let mut names = output_names(spec);
        names.retain(|name| found.contains_key(*name));
        for name in &names {
            self.output(name, &found[*name]);
        }
        // A subflow needs an output so that others can wait for it.
        let mut made = self.made.values().rev();
        if let Some(last) = made.find(|made| !made.node.is_empty())
            && names.is_empty()
        {
            let last = Out::of(Port::of(&last.node));
            self.output("done", &last);
        }
        names
    }

    /// Adds a subflow that contains a finished workflow, and adds the workflow's report entries to the report. Returns the
    /// subflow's id. Fails if the workflow is too large.
    pub(super) fn subflow(&mut self, name: &str, inner: Builder) -> Result<String, ImportError> {
        let inner = inner.finish()?;
        for entry in inner.report.entries {
            let says = entry.message;
            self.builder.say(entry.outcome, entry.place, None, says);
        }
        let flow = serde_json::to_value(&inner.flow).unwrap_or(Value::Null);
        let node = self.builder.node("subflow", name, json!({ "flow": flow }));
        Ok(node)
    }

    fn interface_input(&mut self, spec: &Spec<'v>) -> Made {
        let mut made = Made::default();
        let outputs = list(spec.data, "outputs").iter();
        for name in outputs.filter_map(|output| text(output, "name")) {
            let data = json!({ "name": name, "dataType": "json", "required": true });
            let port = match &self.component {
                Some(given) => given.get(name).cloned(),
                None => Some(Port::of(&self.builder.node("input", name, data))),
            };
            let out = port.map(|port| (name.to_owned(), Some(Out::of(port))));
            made.outputs.extend(out);
        }
        let says = "The inputs of a component become the inputs of its Subflow, or of the run.";
        self.builder.say(Outcome::Mapped, &spec.place, None, says);
        made
    }

    /// Translates a component's interface. The values wired to it become the component's outputs.
    fn interface_output(&mut self, spec: &Spec<'v>) -> Result<Made, Trouble> {
        let inputs = self.inputs(spec, "", &|_| true)?;
        let mut made = Made::default();
        for input in &inputs.own {
            let out = match &input.given {
                Given::Out(out) => out.clone(),
                Given::Value(value) => Out::of(self.transform(input.name, &template_of(value))),
                Given::Nothing => continue,
            };
            made.ends.push((input.name.to_owned(), out));
        }
        let says = "The outputs of a component become the outputs of its Subflow, or of the run.";
        self.builder.say(Outcome::Mapped, &spec.place, None, says);
        Ok(made)
    }
}
