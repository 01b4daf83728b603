//! Loop containers: workflows of triggers, constants, shells, functions, agents and components, and two forms of loops: one
//! that holds a workflow with mappings in and out, and one with docks for iteration, continuation and feedback.
//!
//! The workflows are those of robomesh (earlier shodan), <https://github.com/tommy-xr/shodan>. What a node is given and gives
//! follows its `packages/server/src/engine`.

mod agents;
mod beside;
mod docks;
mod functions;
mod inputs;
mod mappings;
mod nodes;
mod outputs;
mod running;
mod shell;
mod texts;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::{
    Format, Import, ImportError, Options, Outcome, Source,
    build::{Builder, Port},
    mentions,
};
use inputs::Inputs;
use outputs::Out;

/// Iterations of a loop that does not say.
const DEFAULT_ITERATIONS: u64 = 10;

pub(crate) const FORMAT: Format = Format {
    id: "containers",
    title: "robomesh workflow with loop containers",
    dialects: &[],
    // What becomes of each name is said here; keys that are not known are looked for below.
    reads: &[],
    recognises,
    read,
};

/// One node of the source.
#[derive(Clone)]
struct Spec<'v> {
    id: &'v str,
    kind: &'v str,
    data: &'v Map<String, Value>,
    whole: &'v Value,
    parent: Option<&'v str>,
    place: String,
}

/// One edge of the source; handles without their `output:` and `input:`.
#[derive(Clone)]
struct Wire<'v> {
    source: &'v str,
    out: &'v str,
    target: &'v str,
    into: &'v str,
}

/// A workflow of the source.
struct Container<'v> {
    nodes: Vec<Spec<'v>>,
    wires: Vec<Wire<'v>>,
    components: Option<&'v Map<String, Value>>,
}

/// How a node is made to wait for another one whose value it does not take.
#[derive(Clone, Default)]
enum Entry {
    /// It waits for nothing: a value from outside.
    #[default]
    None,
    /// A handle that takes any number of wires.
    Many(Port),
    /// A node that further inputs can be declared for.
    Declared(String),
}

/// What a node of the source became.
#[derive(Clone, Default)]
struct Made {
    /// What gives its values.
    node: String,
    /// By name; `None`: it is there in the source and has no counterpart here.
    outputs: BTreeMap<String, Option<Out>>,
    entry: Entry,
    /// A placeholder, which gives nothing whatever is asked for.
    kept: bool,
    /// What the run gives of it where nothing else reads it, by name.
    ends: Vec<(String, Out)>,
}

/// A workflow that is being made.
struct Maker<'v, 'b> {
    container: &'b Container<'v>,
    builder: &'b mut Builder,
    made: BTreeMap<String, Made>,
    /// Fields of values that were picked out for a wire, and the values of docks.
    picked: BTreeMap<(String, String), Port>,
    /// What is given to inputs of nodes from outside the workflow, by node and input.
    fed: BTreeMap<(String, String), Port>,
    /// The inputs of the component that this workflow is; `None` for a workflow that is run.
    component: Option<BTreeMap<String, Port>>,
    /// What the loops with docks are given.
    loops: BTreeMap<String, Inputs<'v>>,
    /// Nodes that run there. What does not is left out.
    running: BTreeSet<&'v str>,
    /// The folder that programs run in where their nodes name none.
    folder: Option<&'v str>,
    depth: usize,
    numbers: usize,
    /// Texts name inputs of their node without `inputs.`, as in workflows that a loop holds.
    plain_names: bool,
}

const MAX_DEPTH: usize = 24;
const MAX_NODES: usize = 2_000;
const MAX_EDGES: usize = 10_000;

const KINDS: [&str; 14] = [
    "trigger",
    "constant",
    "shell",
    "function",
    "agent",
    "component",
    "loop",
    "wire",
    "interface-input",
    "interface-output",
    "workdir",
    "script",
    "interface-continue",
    "container",
];

/// The words of the format: what a file, its nodes, edges and ports have that is read, or that changes nothing that a run gives.
const READS: &[&str] = &[
    // A workflow.
    "version",
    "metadata",
    "name",
    "description",
    "rootDirectory",
    "nodes",
    "edges",
    "components",
    "interface",
    // Nodes and edges.
    "id",
    "type",
    "data",
    "parentId",
    "position",
    "x",
    "y",
    "style",
    "extent",
    "width",
    "height",
    "selected",
    "dragging",
    "measured",
    "source",
    "target",
    "sourceHandle",
    "targetHandle",
    "animated",
    "label",
    "nodeType",
    "continueOnFailure",
    // Ports.
    "inputs",
    "outputs",
    "required",
    "default",
    "array",
    "arrayParent",
    "arrayIndex",
    "extract",
    "pattern",
    "schema",
    // Kinds of nodes.
    "triggerType",
    "cron",
    "idleMinutes",
    "enabled",
    "value",
    "valueType",
    "script",
    "commands",
    "path",
    "code",
    "file",
    "componentRef",
    "workflowPath",
    "inlineWorkflow",
    "workflowRef",
    "maxIterations",
    "dockSlots",
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
    "sandbox",
    "permissionMode",
    // A loop that holds a workflow.
    "continueWhile",
    "operator",
    "output",
    "input",
    "node",
    "inputMappings",
    "outputMappings",
    "iterations",
    "take",
];

fn recognises(source: &Source<'_>) -> bool {
    source.value().is_some_and(|value| {
        nodes_of(value).is_some_and(|nodes| {
            let marked = |node: &Value| {
                let named = node
                    .get("data")
                    .and_then(|data| data.get("nodeType"))
                    .and_then(Value::as_str);
                named.is_some_and(|name| KINDS.contains(&name))
            };
            !nodes.is_empty() && nodes.iter().any(marked)
        })
    })
}

/// The nodes of a file: of a workflow, a list alone, or one node.
fn nodes_of(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(nodes) => Some(nodes),
        Value::Object(fields) if fields.contains_key("data") => Some(std::slice::from_ref(value)),
        Value::Object(fields) => fields
            .get("nodes")
            .and_then(Value::as_array)
            .map(Vec::as_slice),
        _ => None,
    }
}

fn unreadable(place: &str, message: &str) -> ImportError {
    ImportError::Unreadable {
        place: place.to_owned(),
        message: message.to_owned(),
    }
}

/// What stands in front of places, as a place itself: of a workflow that is the whole file, nothing does.
fn whole(place: &str) -> &str {
    match place.trim_end_matches('.') {
        "" => "file",
        place => place,
    }
}

impl<'v> Container<'v> {
    fn read(value: &'v Value, place: &str) -> Result<Self, ImportError> {
        let listed = nodes_of(value)
            .ok_or_else(|| unreadable(whole(place), "there is no list of `nodes`"))?;
        if listed.len() > MAX_NODES {
            return Err(ImportError::refused(
                whole(place),
                format!(
                    "there are {} nodes, and at most {MAX_NODES} are read",
                    listed.len()
                ),
            ));
        }
        let empty: &'static Map<String, Value> = empty();
        let mut nodes: Vec<Spec<'v>> = Vec::new();
        let mut ids: BTreeSet<&str> = BTreeSet::new();
        for (index, node) in listed.iter().enumerate() {
            let here = format!("{place}nodes[{index}]");
            let text = |name: &str| node.get(name).and_then(Value::as_str);
            let id = text("id").ok_or_else(|| unreadable(&here, "the node has no `id`"))?;
            if !ids.insert(id) {
                return Err(unreadable(
                    &here,
                    &format!("there are two nodes with the id “{id}”"),
                ));
            }
            let data = node.get("data").and_then(Value::as_object).unwrap_or(empty);
            let kind = data
                .get("nodeType")
                .and_then(Value::as_str)
                .or(text("type"));
            nodes.push(Spec {
                id,
                kind: kind.ok_or_else(|| unreadable(&here, "the node has no `type`"))?,
                data,
                whole: node,
                parent: text("parentId"),
                place: format!("{place}{id}"),
            });
        }
        let edges = value.get("edges").and_then(Value::as_array);
        if edges.is_some_and(|edges| edges.len() > MAX_EDGES) {
            return Err(ImportError::refused(
                whole(place),
                format!("there are more than {MAX_EDGES} edges"),
            ));
        }
        let mut wires = Vec::new();
        for (index, edge) in edges.into_iter().flatten().enumerate() {
            let text = |name: &str| edge.get(name).and_then(Value::as_str);
            let here = format!("{place}edges[{index}]");
            let (Some(source), Some(target)) = (text("source"), text("target")) else {
                return Err(unreadable(&here, "an edge has a `source` and a `target`"));
            };
            for end in [source, target] {
                if !ids.contains(end) {
                    return Err(unreadable(&here, &format!("there is no node “{end}”")));
                }
            }
            wires.push(Wire {
                source,
                out: handle(text("sourceHandle"), "output:", "output"),
                target,
                into: handle(text("targetHandle"), "input:", "input"),
            });
        }
        let container = Self {
            nodes,
            wires,
            components: value.get("components").and_then(Value::as_object),
        };
        container.check_parents()?;
        Ok(container)
    }

    /// Refuses nodes whose parent is no node, and those that hold one another.
    fn check_parents(&self) -> Result<(), ImportError> {
        for spec in &self.nodes {
            let around = std::iter::successors(spec.parent, |id| self.node(id)?.parent);
            if around.take(MAX_DEPTH + 1).count() > MAX_DEPTH {
                return Err(ImportError::refused(
                    &spec.place,
                    format!(
                        "it stands in nodes that hold one another, or more than {MAX_DEPTH} deep"
                    ),
                ));
            }
            if let Some(parent) = spec.parent.filter(|parent| self.node(parent).is_none()) {
                let why = format!("its parent “{parent}” is no node");
                return Err(unreadable(&spec.place, &why));
            }
        }
        Ok(())
    }

    fn node(&self, id: &str) -> Option<&Spec<'v>> {
        self.nodes.iter().find(|node| node.id == id)
    }

    fn into<'c>(&'c self, id: &'c str) -> impl Iterator<Item = &'c Wire<'v>> {
        self.wires.iter().filter(move |wire| wire.target == id)
    }
}

fn empty() -> &'static Map<String, Value> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    &EMPTY
}

/// A handle without its prefix; where none is named, the one that is meant.
fn handle<'v>(written: Option<&'v str>, prefix: &str, usual: &'v str) -> &'v str {
    match written.filter(|written| !written.is_empty()) {
        None => usual,
        Some(written) => written
            .strip_prefix(prefix)
            .or_else(|| written.strip_prefix("input:"))
            .unwrap_or(written),
    }
}

/// The names in a list of `{name}`.
fn names<'v>(data: &'v Map<String, Value>, list: &str) -> Vec<&'v str> {
    data.get(list)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|item| item.get("name").and_then(Value::as_str))
        .collect()
}

/// A text among the fields of a node.
fn text<'v>(data: &'v Map<String, Value>, name: &str) -> Option<&'v str> {
    data.get(name).and_then(Value::as_str)
}

fn read(source: &Source<'_>, options: &Options) -> Result<Import, ImportError> {
    let value = source
        .value()
        .ok_or_else(|| unreadable("file", "it is neither YAML nor JSON"))?;
    let (mut whole, mut inlined) = (None, None);
    if let Some(beside) = &options.beside {
        let mut copy = value.clone();
        inlined = Some(beside::inline(&mut copy, beside));
        whole = Some(copy);
    }
    let value = whole.as_ref().unwrap_or(value);
    let container = Container::read(value, "")?;
    let meta = |name: &str| value.get("metadata")?.get(name)?.as_str();
    let name = meta("name").or(options.name.as_deref());
    let mut builder = Builder::new(FORMAT.id, name);
    if let Some(description) = meta("description") {
        builder.describe(description);
    }
    if has_loops(value) {
        builder.set("allowNestedLoops", json!(true));
    }
    if let Some(inlined) = inlined {
        for path in inlined.read {
            let says = "This file was read too; what is in it is a subflow of this one.";
            builder.say(Outcome::Mapped, path, None, says);
        }
        for (path, why) in inlined.refused {
            builder.say(
                Outcome::Placeholder,
                path,
                None,
                format!("The file was not read: {why}"),
            );
        }
    }
    let mut maker = Maker::new(&container, &mut builder, 0);
    maker.folder = meta("rootDirectory");
    maker.workflow()?;
    maker.outputs();
    let mut import = builder.finish()?;
    mentions::complete(value, &mut import, READS, false);
    Ok(import)
}

/// Whether a loop is anywhere in a file.
fn has_loops(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_loops),
        Value::Object(fields) => {
            fields.get("nodeType").is_some_and(|kind| kind == "loop")
                || fields.values().any(has_loops)
        }
        _ => false,
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
            running: BTreeSet::new(),
            folder: None,
            depth,
            numbers: 0,
            plain_names: false,
        }
    }

    /// All nodes, each wired to what it is given.
    fn workflow(&mut self) -> Result<(), ImportError> {
        if self.depth > MAX_DEPTH {
            return Err(ImportError::refused(
                "file",
                format!("workflows are nested more than {MAX_DEPTH} deep"),
            ));
        }
        let container = self.container;
        let runs = running::of(container);
        self.running = runs.ids;
        for (id, why) in runs.others {
            if let Some(spec) = container.node(id) {
                self.builder.say(
                    Outcome::Ignored,
                    &spec.place,
                    None,
                    format!("It never runs there, and was left out: {why}."),
                );
            }
        }
        for spec in in_order(container) {
            self.builder.check_size()?;
            if !self.running.contains(spec.id) || self.is_in_a_placeholder(spec) {
                continue;
            }
            let made = self.node(spec)?;
            self.made.insert(spec.id.to_owned(), made);
        }
        self.dock_loops();
        Ok(())
    }

    /// Whether it stands in a loop that was kept as it came, together with what is in it.
    fn is_in_a_placeholder(&self, spec: &Spec<'_>) -> bool {
        std::iter::successors(spec.parent, |id| self.container.node(id)?.parent)
            .any(|id| self.made.get(id).is_some_and(|made| made.kept))
    }

    /// Wires what is given to a handle, with a node that picks its field where there is one.
    fn feed(&mut self, out: &Out, into: &Port) {
        let from = self.port(out);
        self.builder.wire(&from, into);
    }

    /// Where a value comes from as a wire's end.
    fn port(&mut self, out: &Out) -> Port {
        let Some(field) = &out.field else {
            return out.port.clone();
        };
        let key = (format!("{:?}", out.port), field.clone());
        if let Some(port) = self.picked.get(&key) {
            return port.clone();
        }
        let read = format!("{{{{ input[{}] | default(value=null) }}}}", json!(field));
        let pick = self.builder.node(
            "transform",
            &format!("{} {field}", out.port.node),
            json!({ "template": read }),
        );
        self.builder.wire(&out.port, &Port::of(&pick));
        self.picked.insert(key, Port::of(&pick));
        Port::of(&pick)
    }

    /// Makes a node wait for what it takes no value of.
    fn wait(&mut self, entry: &Entry, from: &Port) {
        let into = match entry {
            Entry::None => return,
            Entry::Many(port) => port.clone(),
            Entry::Declared(node) => {
                self.numbers += 1;
                let name = format!("after_{}", self.numbers);
                let Some(data) = self.builder.data(node) else {
                    return;
                };
                if let Some(Value::Object(args)) = data.get_mut("args") {
                    args.insert(name.clone(), Value::Null);
                } else if let Some(inputs) = data
                    .entry("inputs")
                    .or_insert_with(|| json!([]))
                    .as_array_mut()
                {
                    inputs.push(json!(name));
                }
                Port::at(node, name)
            }
        };
        self.builder.wire(from, &into);
    }

    /// Makes a node wait for what it takes no value of; in a loop it begins with each iteration where it waits for nothing else.
    fn after(&mut self, spec: &Spec<'v>, entry: &Entry, inputs: &Inputs<'v>) {
        for out in &inputs.before {
            self.wait(entry, &out.port);
        }
        if let (Some(start), false) = (self.start_of(spec), inputs.inside) {
            self.wait(entry, &Port::at(&start, "body"));
        }
    }

    /// The Loop that a node stands in.
    fn start_of(&self, spec: &Spec<'_>) -> Option<String> {
        Some(self.made.get(spec.parent?)?.node.clone())
    }

    /// Outputs of the run: what the last nodes give.
    fn outputs(&mut self) {
        let container = self.container;
        for spec in &container.nodes {
            let is_read = container.wires.iter().any(|wire| {
                wire.source == spec.id
                    && self.running.contains(wire.target)
                    && (container.node(wire.target)).is_some_and(|to| to.parent == spec.parent)
            });
            if is_read || spec.parent.is_some() || spec.kind == "trigger" {
                continue;
            }
            let ends = self.made.get(spec.id).map(|made| made.ends.clone());
            for (name, out) in ends.unwrap_or_default() {
                let output = self.builder.node("output", &name, json!({ "name": name }));
                self.feed(&out, &Port::of(&output));
            }
        }
    }
}

/// Nodes in the order of the edges, each behind the loop that it stands in.
fn in_order<'c, 'v>(container: &'c Container<'v>) -> Vec<&'c Spec<'v>> {
    let index: BTreeMap<&str, usize> = container
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (node.id, at))
        .collect();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); container.nodes.len()];
    for wire in &container.wires {
        let (Some(&from), Some(&to)) = (index.get(wire.source), index.get(wire.target)) else {
            continue;
        };
        let (source, target) = (&container.nodes[from], &container.nodes[to]);
        let inward = target.parent == Some(source.id) || source.parent == Some(target.id);
        if from != to && !inward {
            before[to].push(from);
        }
    }
    for (at, spec) in container.nodes.iter().enumerate() {
        before[at].extend(spec.parent.and_then(|parent| index.get(parent)));
    }
    let mut done = vec![false; container.nodes.len()];
    let mut order = Vec::new();
    while order.len() < container.nodes.len() {
        let ready: Vec<usize> = (0..done.len())
            .filter(|at| !done[*at] && before[*at].iter().all(|from| done[*from]))
            .collect();
        // What stands in a circle never runs, and is not made.
        let ready = if ready.is_empty() {
            (0..done.len()).filter(|at| !done[*at]).collect()
        } else {
            ready
        };
        for at in ready {
            done[at] = true;
            order.push(&container.nodes[at]);
        }
    }
    order
}
