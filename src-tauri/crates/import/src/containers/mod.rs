//! Loop containers: workflows of triggers, constants, shells, functions, agents and components, and two forms of loops: one
//! that holds a workflow with mappings in and out, and one with docks for iteration, continuation and feedback.

mod beside;
mod docks;
mod functions;
mod mappings;
mod nodes;
mod posix;
mod programs;
mod shell;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::{
    Format, Import, ImportError, Options, Outcome, Source,
    build::{Builder, Port},
};

/// Iterations of a loop that does not say.
const DEFAULT_ITERATIONS: u64 = 10;

pub(crate) const FORMAT: Format = Format {
    id: "containers",
    title: "Workflow with loop containers",
    dialects: &[],
    reads: READS,
    recognises,
    read,
};

/// The words of the format: what a workflow, its nodes and its edges have, and what is done with.
const READS: &[&str] = &[
    "arrayIndex",
    "arrayParent",
    "code",
    "commands",
    "componentRef",
    "components",
    "continueWhile",
    "data",
    "description",
    "dockSlots",
    "edges",
    "extent",
    "extract",
    "height",
    "id",
    "inlineWorkflow",
    "input",
    "inputMappings",
    "inputs",
    "iterations",
    "label",
    "maxIterations",
    "metadata",
    "model",
    "name",
    "node",
    "nodeType",
    "nodes",
    "operator",
    "output",
    "outputMappings",
    "outputs",
    "parentId",
    "pattern",
    "position",
    "prompt",
    "required",
    "runner",
    "script",
    "source",
    "sourceHandle",
    "style",
    "take",
    "target",
    "targetHandle",
    "triggerType",
    "type",
    "value",
    "valueType",
    "version",
    "width",
    "workflowPath",
    "workflowRef",
    "x",
    "y",
];

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

/// What a node of the source became: where its outputs come from and its inputs go to.
#[derive(Clone, Default)]
struct Made {
    node: String,
    /// By the output's name; `""` is the primary one.
    outputs: BTreeMap<String, Port>,
    inputs: BTreeMap<String, Port>,
    /// Outputs that are fields of the node's value, which must be picked where they are wired.
    fields: bool,
    /// Whether several wires may meet at its primary input.
    many: bool,
    /// Further inputs can be declared, so that it waits for what is wired without a name.
    declares: bool,
    /// The field that is meant where an output is not named.
    main: Option<&'static str>,
}

/// A workflow that is being made.
struct Maker<'v, 'b> {
    container: &'b Container<'v>,
    builder: &'b mut Builder,
    made: BTreeMap<String, Made>,
    taken: BTreeMap<(String, String), usize>,
    picked: BTreeMap<(String, String), Port>,
    depth: usize,
}

const MAX_DEPTH: usize = 24;
const MAX_NODES: usize = 2_000;
const MAX_EDGES: usize = 10_000;

const KINDS: [&str; 13] = [
    "trigger",
    "constant",
    "shell",
    "function",
    "agent",
    "component",
    "loop",
    "interface-input",
    "interface-output",
    "workdir",
    "script",
    "interface-continue",
    "container",
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
                out: handle(text("sourceHandle").unwrap_or_default()),
                target,
                into: handle(text("targetHandle").unwrap_or_default()),
            });
        }
        Ok(Self {
            nodes,
            wires,
            components: value.get("components").and_then(Value::as_object),
        })
    }

    fn node(&self, id: &str) -> Option<&Spec<'v>> {
        self.nodes.iter().find(|node| node.id == id)
    }
}

fn empty() -> &'static Map<String, Value> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    &EMPTY
}

fn handle(written: &str) -> &str {
    written
        .strip_prefix("output:")
        .or_else(|| written.strip_prefix("input:"))
        .unwrap_or(written)
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
    let meta = |name: &str| {
        value
            .get("metadata")
            .and_then(|meta| meta.get(name))
            .and_then(Value::as_str)
    };
    let name = meta("name").or(options.name.as_deref());
    let mut builder = Builder::new(FORMAT.id, name);
    if let Some(description) = meta("description") {
        builder.describe(description);
    }
    builder.set("allowNestedLoops", json!(true));
    builder.say(
        Outcome::Mapped,
        "settings",
        None,
        "loops may be nested, as there; it is set in the workflow's settings",
    );
    if let Some(inlined) = inlined {
        for path in inlined.read {
            let says = "read from beside this file, and put inline";
            builder.say(Outcome::Mapped, path, None, says);
        }
        for (path, why) in inlined.refused {
            builder.say(Outcome::Placeholder, path, None, format!("not read: {why}"));
        }
    }
    let mut maker = Maker::new(&container, &mut builder, 0);
    maker.workflow()?;
    maker.outputs();
    builder.finish()
}

impl<'v, 'b> Maker<'v, 'b> {
    fn new(container: &'b Container<'v>, builder: &'b mut Builder, depth: usize) -> Self {
        Self {
            container,
            builder,
            made: BTreeMap::new(),
            taken: BTreeMap::new(),
            picked: BTreeMap::new(),
            depth,
        }
    }

    /// All nodes, then all edges.
    fn workflow(&mut self) -> Result<(), ImportError> {
        if self.depth > MAX_DEPTH {
            return Err(ImportError::refused(
                "file",
                format!("workflows are nested more than {MAX_DEPTH} deep"),
            ));
        }
        let container = self.container;
        // A node that stands in itself, by however many parents, would have no outside.
        for spec in &container.nodes {
            let around = std::iter::successors(spec.parent, |id| container.node(id)?.parent);
            if around.take(MAX_DEPTH + 1).count() > MAX_DEPTH {
                return Err(ImportError::refused(
                    &spec.place,
                    format!(
                        "it stands in nodes that hold one another, or more than {MAX_DEPTH} deep"
                    ),
                ));
            }
        }
        for spec in in_order(container) {
            self.builder.check_size()?;
            if spec
                .parent
                .is_some_and(|parent| container.node(parent).is_none())
            {
                return Err(unreadable(
                    &spec.place,
                    &format!(
                        "its parent “{}” is no node",
                        spec.parent.unwrap_or_default()
                    ),
                ));
            }
            let made = self.node(spec)?;
            self.made.insert(spec.id.to_owned(), made);
        }
        self.dock_loops()?;
        for wire in &container.wires {
            if self.is_dock(wire) {
                continue;
            }
            self.connect(wire);
        }
        Ok(())
    }

    fn connect(&mut self, wire: &Wire<'v>) {
        // A session is the node's own; that one waits for the other is kept.
        let into = if wire.into == "sessionId" {
            ""
        } else {
            wire.into
        };
        let (Some(from), Some(into)) = (
            self.out(wire.source, wire.out),
            self.inlet(wire.target, into),
        ) else {
            self.builder.say(
                Outcome::Ignored,
                format!("edges: {} → {}", wire.source, wire.target),
                None,
                "it carries nothing here: a session is kept by the node itself, and a trigger's time is not known",
            );
            return;
        };
        self.builder.wire(&from, &into);
        self.say_undeclared(wire);
    }

    /// Says of a wire that it ends at an input, or begins at an output, that its node does not list.
    fn say_undeclared(&mut self, wire: &Wire<'v>) {
        for (id, name, field, what) in [
            (wire.source, wire.out, "outputs", "gives no"),
            (wire.target, wire.into, "inputs", "takes no"),
        ] {
            let listed: Vec<&str> = self
                .container
                .node(id)
                .and_then(|spec| spec.data.get(field)?.as_array())
                .into_iter()
                .flatten()
                .filter_map(|one| one.get("name")?.as_str())
                .collect();
            if name.is_empty() || listed.is_empty() || listed.contains(&name) {
                continue;
            }
            let says = format!(
                "“{id}” {what} “{name}” by its own list ({}), so that what goes along this wire may be read by nothing",
                crate::listed(listed.into_iter())
            );
            let place = format!("edges: {} → {}", wire.source, wire.target);
            self.builder.approximated(&place, None, says);
        }
    }

    /// Where an output of a node comes from.
    fn out(&mut self, id: &str, name: &str) -> Option<Port> {
        let made = self.made.get(id)?.clone();
        let name = made.main.filter(|_| name.is_empty()).unwrap_or(name);
        if let Some(port) = made.outputs.get(name).or_else(|| {
            made.outputs
                .get("")
                .filter(|_| name.is_empty() || !made.fields)
        }) {
            return Some(port.clone());
        }
        if !made.fields {
            return None;
        }
        let key = (id.to_owned(), name.to_owned());
        if let Some(port) = self.picked.get(&key) {
            return Some(port.clone());
        }
        let field = serde_json::to_string(name).unwrap_or_default();
        let pick = self.builder.node(
            "transform",
            &format!("{id} {name}"),
            json!({ "template": format!("{{{{ input[{field}] | default(value=null) }}}}") }),
        );
        self.builder.wire(&Port::of(&made.node), &Port::of(&pick));
        self.picked.insert(key, Port::of(&pick));
        Some(Port::of(&pick))
    }

    /// Where a wire to an input of a node goes; a further one to an input that is taken waits at an input of its own.
    fn inlet(&mut self, id: &str, name: &str) -> Option<Port> {
        let made = self.made.get(id)?.clone();
        let port = made
            .inputs
            .get(name)
            .or_else(|| made.inputs.get(""))?
            .clone();
        if made.many {
            return Some(port);
        }
        let handle = port.name().unwrap_or_default();
        let count = self.taken.entry((port.node.clone(), handle)).or_default();
        *count += 1;
        if *count == 1 {
            return Some(port);
        }
        let further = format!("also_{}", self.taken.len());
        if !made.declares {
            return None;
        }
        let data = self.builder.data(&port.node)?;
        if let Some(Value::Object(args)) = data.get_mut("args") {
            args.insert(further.clone(), Value::Null);
            return Some(Port::named(&port.node, further));
        }
        let inputs = data.entry("inputs").or_insert_with(|| json!([]));
        inputs.as_array_mut()?.push(json!(further));
        Some(Port::named(&port.node, further))
    }

    /// Outputs of the run: what the last nodes give.
    fn outputs(&mut self) {
        let container = self.container;
        for spec in &container.nodes {
            let leaves = container.wires.iter().any(|wire| {
                wire.source == spec.id
                    && container
                        .node(wire.target)
                        .is_some_and(|to| to.parent == spec.parent)
            });
            if leaves
                || spec.parent.is_some()
                || ["trigger", "interface-input", "interface-output"].contains(&spec.kind)
            {
                continue;
            }
            let Some(made) = self.made.get(spec.id).cloned() else {
                continue;
            };
            let named: Vec<(String, Port)> = made
                .outputs
                .iter()
                .filter(|(name, _)| spec.kind == "loop" && !name.is_empty())
                .map(|(name, port)| (name.clone(), port.clone()))
                .collect();
            let all = if named.is_empty() {
                self.out(spec.id, "")
                    .or(Some(Port::of(&made.node)))
                    .map(|port| vec![(spec.id.to_owned(), port)])
                    .unwrap_or_default()
            } else {
                named
            };
            for (name, port) in all {
                let output =
                    self.builder
                        .node("output", &name, json!({ "name": name, "format": "text" }));
                self.builder.wire(&port, &Port::of(&output));
            }
        }
    }
}

/// Nodes so that templates find those that they name: in the order of the edges where there is one.
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
    let mut done = vec![false; container.nodes.len()];
    let mut order = Vec::new();
    while order.len() < container.nodes.len() {
        let ready: Vec<usize> = (0..done.len())
            .filter(|at| !done[*at] && before[*at].iter().all(|from| done[*from]))
            .collect();
        // A circle of edges is the validation's to refuse.
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
