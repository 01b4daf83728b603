//! Loop containers: workflows of triggers, constants, shells, functions, agents and components, with two forms of loops. One form
//! contains a workflow with mappings of its inputs and outputs. The other has docks for iteration, continuation and feedback.
//!
//! The workflows are those of robomesh (formerly shodan), <https://github.com/tommy-xr/shodan>. The inputs and outputs of nodes
//! follow its `packages/server/src/engine`.

mod agents;
mod docks;
mod document;
mod files_near;
mod functions;
mod given;
mod inputs;
mod loops;
mod maker;
mod mappings;
mod nodes;
mod out;
mod outputs;
mod running;
mod shell;
mod texts;
mod words;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    Outcome,
    build::{Builder, Port},
    error::ImportError,
    format::{Format, Import, Options, Source},
    mentions,
};
use document::{
    Container, MAX_DEPTH, Spec, Wire, field, list, nodes_of, port_of, ports, split_dock, text,
    unreadable,
};
use given::{Given, Inputs};
use maker::{Made, Maker, Trouble};
use out::Out;
use outputs::output_names;

pub(crate) const FORMAT: Format = Format {
    id: "containers",
    title: "robomesh workflow with loop containers",
    dialects: &[],
    // This format reports the outcome for each name itself, and checks unknown keys below.
    reads: &[],
    recognises,
    read,
};

fn recognises(source: &Source<'_>) -> bool {
    let is_marked = |node: &Value| text(&node["data"], "nodeType").is_some_and(words::is_kind);
    let nodes = source.value().and_then(nodes_of);
    nodes.is_some_and(|nodes| nodes.iter().any(is_marked))
}

fn read(source: &Source<'_>, options: &Options) -> Result<Import, ImportError> {
    let value = source.value();
    let value = value.ok_or_else(|| unreadable("file", "it is neither YAML nor JSON"))?;
    let files_near = options.files_near.as_ref();
    let inlined = files_near.map(|files_near| files_near::inline(value.clone(), files_near));
    let (whole, notes) = inlined.unzip();
    let value = whole.as_ref().unwrap_or(value);
    let container = Container::read(value, "", None)?;
    let meta = |name: &str| text(value.get("metadata")?, name);
    let name = meta("name").or(options.name.as_deref());
    let mut builder = Builder::new(FORMAT.id, name);
    if let Some(description) = meta("description") {
        builder.describe(description);
    }
    if has_loops(value) {
        builder.set("allowNestedLoops", json!(true));
    }
    for (outcome, path, says) in notes.into_iter().flatten() {
        builder.say(outcome, path, None, says);
    }
    let mut maker = Maker::new(&container, &mut builder, 0);
    maker.folder = meta("rootDirectory");
    maker.workflow()?;
    maker.outputs();
    let mut import = builder.finish()?;
    mentions::complete(value, &mut import, &words::all(), false);
    Ok(import)
}

/// Returns whether a file contains a loop anywhere.
fn has_loops(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_loops),
        Value::Object(fields) => {
            text(value, "nodeType") == Some("loop") || fields.values().any(has_loops)
        }
        _ => false,
    }
}

/// Returns the data of a Tool node that runs JavaScript. `args` contains the source and the names of the inputs.
fn script_tool(args: Value) -> Value {
    json!({ "tool": "script.javascript", "args": args })
}

impl Made {
    /// Creates the translation of a node whose outputs are not known yet.
    fn of(node: String) -> Self {
        Self {
            node,
            ..Self::default()
        }
    }

    /// Creates the translation of a node that provides the run's output `end` if nothing else reads the node.
    fn new(spec: &Spec<'_>, node: String, end: Out) -> Self {
        let ends = vec![(spec.id.to_owned(), end)];
        Self {
            ends,
            ..Self::of(node)
        }
    }

    /// Adds an output of the node. It also becomes an output of the run if nothing else reads the node.
    fn give(&mut self, name: &str, out: Out) {
        self.ends.push((name.to_owned(), out.clone()));
        self.outputs.insert(name.to_owned(), Some(out));
    }

    /// If a Loop has no outputs, makes its iteration count an output of the run.
    fn end_with_count(&mut self, spec: &Spec<'_>) {
        if self.ends.is_empty() {
            let count = Out::of(Port::at(&self.node, "count"));
            self.ends.push((spec.id.to_owned(), count));
        }
    }
}

impl<'v, 'b> Maker<'v, 'b> {
    fn new(container: &'b Container<'v>, builder: &'b mut Builder, depth: usize) -> Self {
        Self {
            container,
            builder,
            made: BTreeMap::new(),
            picked: BTreeMap::new(),
            fed: BTreeMap::new(),
            component: None,
            loops: BTreeMap::new(),
            folder: None,
            depth,
            numbers: 0,
            plain_names: false,
        }
    }

    /// Translates all nodes and wires their inputs. Fails if workflows are nested too deeply, or if the flow becomes too
    /// large.
    fn workflow(&mut self) -> Result<(), ImportError> {
        if self.depth > MAX_DEPTH {
            let why = format!("workflows are nested more than {MAX_DEPTH} levels deep");
            return Err(ImportError::refused("file", why));
        }
        let container = self.container;
        let runs = running::of(container);
        for (spec, why) in runs.others.values() {
            let says = format!("This node never runs in the source, so it was left out: {why}.");
            self.builder.say(Outcome::Ignored, &spec.place, None, says);
        }
        for spec in runs.order {
            self.builder.check_size()?;
            // A loop that became a placeholder includes its content.
            let is_kept = |id| self.made.get(id).is_some_and(|made: &Made| made.kept);
            if !container.around(spec).any(is_kept) {
                let made = self.node(spec)?;
                self.made.insert(spec.id, made);
            }
        }
        self.dock_loops();
        Ok(())
    }

    /// Adds a Transform that returns the value of `template`. Returns its port.
    fn transform(&mut self, name: &str, template: &str) -> Port {
        let data = json!({ "template": template });
        Port::of(&self.builder.node("transform", name, data))
    }

    /// Adds an input of the run or, in a component, of the subflow. Returns its port.
    fn input(&mut self, name: &str) -> Port {
        let data = json!({ "name": name, "dataType": "json" });
        Port::of(&self.builder.node("input", name, data))
    }

    /// Adds an output of the run or, in a component, of the subflow.
    fn output(&mut self, name: &str, out: &Out) {
        let output = self.builder.node("output", name, json!({ "name": name }));
        self.feed(out, &Port::of(&output));
    }

    /// Adds an auxiliary node for a source node. Returns its id.
    fn part(&mut self, kind: &str, spec: &Spec<'_>, name: &str, data: Value) -> String {
        self.builder
            .node(kind, &format!("{} {name}", spec.id), data)
    }

    /// Sets fields of a node that was added.
    fn set(&mut self, node: &str, fields: Value) {
        if let (Some(data), Value::Object(fields)) = (self.builder.data(node), fields) {
            data.extend(fields);
        }
    }

    /// Wires a value to a handle, through a node that selects its field if needed.
    fn feed(&mut self, out: &Out, into: &Port) {
        let from = self.port(out);
        self.builder.wire(&from, into);
    }

    /// Returns the port of a value, and adds a node that selects its field if needed.
    fn port(&mut self, out: &Out) -> Port {
        let Some(field) = &out.field else {
            return out.port.clone();
        };
        self.once(&format!("{:?}", out.port), field, |maker| {
            let read = format!("{{{{ input[{}] | default(value=null) }}}}", json!(field));
            let pick = maker.transform(&format!("{} {field}", out.port.node), &read);
            maker.builder.wire(&out.port, &pick);
            pick
        })
    }

    /// Returns a port that all its readers share. It is created on first use and identified by `of` and `name`.
    fn once(&mut self, of: &str, name: &str, make: impl FnOnce(&mut Self) -> Port) -> Port {
        let key = (of.to_owned(), name.to_owned());
        if let Some(port) = self.picked.get(&key) {
            return port.clone();
        }
        let port = make(self);
        self.picked.insert(key, port.clone());
        port
    }

    /// Makes a node wait for another one without using its value.
    fn wait(&mut self, node: &str, from: &Port) {
        self.numbers += 1;
        let name = format!("after_{}", self.numbers);
        self.declare(node, &name);
        self.builder.wire(from, &Port::at(node, name));
    }

    /// Declares another input of a node: an argument of a Tool, or an entry in the `inputs` of any other node.
    fn declare(&mut self, node: &str, name: &str) {
        let Some(data) = self.builder.data(node) else {
            return;
        };
        if let Some(Value::Object(args)) = data.get_mut("args") {
            args.insert(name.to_owned(), Value::Null);
            return;
        }
        let inputs = data.entry("inputs").or_insert_with(|| json!([]));
        if let Some(inputs) = inputs.as_array_mut() {
            inputs.push(json!(name));
        }
    }

    /// Makes a node wait for nodes whose values it does not use. Inside a loop, a node that waits for nothing else starts with
    /// each iteration.
    fn after(&mut self, spec: &Spec<'v>, node: &str, inputs: &Inputs<'v>) {
        let begins = self.begins(spec, inputs.inside);
        for port in inputs.before.iter().chain(&begins) {
            self.wait(node, port);
        }
    }

    /// Returns the port that starts each iteration of the enclosing Loop. Returns `None` outside a loop, and if `inside` is
    /// true, because something in the loop then starts the node.
    fn begins(&self, spec: &Spec<'_>, inside: bool) -> Option<Port> {
        let around = self.made.get(spec.parent.filter(|_| !inside)?)?;
        Some(Port::at(&around.node, "body"))
    }

    /// Adds the outputs of the last nodes as outputs of the run.
    fn outputs(&mut self) {
        let container = self.container;
        let is_outer = |spec: &&Spec<'v>| spec.parent.is_none();
        for spec in container.nodes.iter().filter(is_outer) {
            // A node that never runs was not added, and reads nothing.
            let is_read = container.wires.iter().any(|wire| {
                wire.source == spec.id
                    && self.made.contains_key(wire.target)
                    && container.node(wire.target).as_ref().is_some_and(is_outer)
            });
            let made = self.made.get(spec.id).filter(|_| !is_read).cloned();
            for (name, out) in made.unwrap_or_default().ends {
                self.output(&name, &out);
            }
        }
    }
}
