//! A workflow of robomesh: its nodes, edges and components.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::error::ImportError;

/// The maximum nesting of workflows, and of nodes within nodes.
pub(super) const MAX_DEPTH: usize = 24;
/// The maximum number of nodes of a workflow.
const MAX_NODES: usize = 2_000;
/// The maximum number of edges of a workflow.
const MAX_EDGES: usize = 10_000;

/// A node of the source.
pub(super) struct Spec<'v> {
    pub(super) id: &'v str,
    pub(super) kind: &'v str,
    pub(super) data: &'v Value,
    pub(super) whole: &'v Value,
    pub(super) parent: Option<&'v str>,
    pub(super) place: String,
}

/// An edge. Its handles lack their `output:` and `input:` prefixes.
#[derive(Clone, Copy)]
pub(super) struct Wire<'v> {
    pub(super) source: &'v str,
    pub(super) out: &'v str,
    pub(super) target: &'v str,
    pub(super) into: &'v str,
}

/// A workflow with its nodes and wires.
pub(super) struct Container<'v> {
    pub(super) nodes: Vec<Spec<'v>>,
    pub(super) wires: Vec<Wire<'v>>,
    /// The edges into each node.
    into: BTreeMap<&'v str, Vec<Wire<'v>>>,
    pub(super) components: Option<&'v Map<String, Value>>,
}

/// Returns a string field of a value, or `None` if the field is missing or is not a string.
pub(super) fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

/// Returns a field, or `None` if it is missing or null.
pub(super) fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.get(name).filter(|field| !field.is_null())
}

/// Returns the elements of a list field. The result is empty if the field is missing or is not a list.
pub(super) fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    let items = value.get(name).and_then(Value::as_array);
    items.map_or(&[], Vec::as_slice)
}

/// The default ports of each kind of node. The entry with the empty name is for all other kinds.
static USUAL: LazyLock<Value> = LazyLock::new(|| {
    let ports =
        |names: &[&str]| -> Value { (names.iter().map(|name| json!({ "name": name }))).collect() };
    let sides = |inputs: &[&str], outputs: &[&str]| -> Value {
        json!({ "inputs": ports(inputs), "outputs": ports(outputs) })
    };
    json!({
        "wire": sides(&["value"], &["value"]),
        "constant": sides(&[], &["value"]),
        "trigger": sides(&[], &["timestamp", "type", "text", "params"]),
        "shell": sides(&["input"], &["stdout", "stderr", "exitCode"]),
        "function": {},
        "": sides(&["input"], &["output"])
    })
});

/// Returns the ports that a node declares as `inputs` or `outputs`. A node that declares neither has the ports of its kind.
pub(super) fn ports<'v>(spec: &Spec<'v>, side: &str) -> &'v [Value] {
    let declared = field(spec.data, "inputs").or_else(|| field(spec.data, "outputs"));
    match declared.is_some() {
        true => list(spec.data, side),
        false => list(USUAL.get(spec.kind).unwrap_or(&USUAL[""]), side),
    }
}

/// Returns the nodes of a file that contains a workflow, only a list of nodes, or a single node. Returns `None` for any other
/// file.
pub(super) fn nodes_of(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(nodes) => Some(nodes),
        Value::Object(fields) if fields.contains_key("data") => Some(std::slice::from_ref(value)),
        _ => value.get("nodes")?.as_array().map(Vec::as_slice),
    }
}

pub(super) fn unreadable(place: &str, message: impl Into<String>) -> ImportError {
    ImportError::Unreadable {
        place: place.to_owned(),
        message: message.into(),
    }
}

/// Returns a handle without its prefix, or the default if none is named.
fn handle<'v>(written: Option<&'v str>, prefix: &str, usual: &'v str) -> &'v str {
    let Some(written) = written.filter(|written| !written.is_empty()) else {
        return usual;
    };
    let bare = written.strip_prefix(prefix);
    let bare = bare.or_else(|| written.strip_prefix("input:"));
    bare.unwrap_or(written)
}

fn read_nodes<'v>(listed: &'v [Value], place: &str) -> Result<Vec<Spec<'v>>, ImportError> {
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    let read = |(index, node): (usize, &'v Value)| {
        let wrong = |why: &str| unreadable(&format!("{place}nodes[{index}]"), why);
        let id = text(node, "id").ok_or_else(|| wrong("the node has no `id`"))?;
        if !ids.insert(id) {
            return Err(wrong(&format!("there are two nodes with the id “{id}”")));
        }
        let data = node.get("data").filter(|data| data.is_object());
        let data = data.unwrap_or(&Value::Null);
        let kind = text(data, "nodeType").or_else(|| text(node, "type"));
        Ok(Spec {
            id,
            kind: kind.ok_or_else(|| wrong("the node has no `type`"))?,
            data,
            whole: node,
            parent: text(node, "parentId"),
            place: format!("{place}{id}"),
        })
    };
    listed.iter().enumerate().map(read).collect()
}

fn read_wires<'v>(
    edges: &'v [Value],
    nodes: &[Spec<'v>],
    place: &str,
) -> Result<Vec<Wire<'v>>, ImportError> {
    let ids: BTreeSet<&str> = nodes.iter().map(|node| node.id).collect();
    let read = |(index, edge): (usize, &'v Value)| {
        let wrong = |why: &str| unreadable(&format!("{place}edges[{index}]"), why);
        let (Some(source), Some(target)) = (text(edge, "source"), text(edge, "target")) else {
            return Err(wrong("an edge must have a `source` and a `target`"));
        };
        if let Some(end) = [source, target].iter().find(|end| !ids.contains(*end)) {
            return Err(wrong(&format!(
                "the edge refers to the node “{end}”, which does not exist"
            )));
        }
        Ok(Wire {
            source,
            out: handle(text(edge, "sourceHandle"), "output:", "output"),
            target,
            into: handle(text(edge, "targetHandle"), "input:", "input"),
        })
    };
    edges.iter().enumerate().map(read).collect()
}

impl<'v> Spec<'v> {
    /// Returns the node's label, or its id if it has none.
    pub(super) fn label(&self) -> &'v str {
        text(self.data, "label").unwrap_or(self.id)
    }

    /// Returns whether a workflow begins at this node.
    pub(super) fn is_start(&self) -> bool {
        ["trigger", "interface-input"].contains(&self.kind)
    }

    /// Returns whether the run continues if the node fails.
    pub(super) fn continues(&self) -> bool {
        self.data.get("continueOnFailure") == Some(&Value::Bool(true))
    }
}

/// Splits a handle such as `dock:count:prev` into the name of the dock (`count`) and its end (`prev`). Returns `None` for any
/// other handle.
pub(super) fn split_dock(handle: &str) -> Option<(&str, &str)> {
    handle.strip_prefix("dock:")?.rsplit_once(':')
}

/// Returns the port of a handle, without the suffix that a handle has when it is used from inside a loop.
pub(super) fn port_of(handle: &str) -> &str {
    handle.trim_end_matches(":internal")
}

impl<'v> Container<'v> {
    /// Parses a workflow. `components` are those of the surrounding workflow. `place` is the prefix of all places in the
    /// workflow, and is empty for a whole file. Fails if the workflow is invalid or too large.
    pub(super) fn read(
        value: &'v Value,
        place: &str,
        components: Option<&'v Map<String, Value>>,
    ) -> Result<Self, ImportError> {
        let whole = match place.trim_end_matches('.') {
            "" => "file",
            place => place,
        };
        let listed =
            nodes_of(value).ok_or_else(|| unreadable(whole, "the list `nodes` is missing"))?;
        if listed.len() > MAX_NODES {
            let count = listed.len();
            let why = format!(
                "there are {count} nodes, but an import reads at most {MAX_NODES}. Split the workflow"
            );
            return Err(ImportError::refused(whole, why));
        }
        let nodes = read_nodes(listed, place)?;
        let edges = list(value, "edges");
        if edges.len() > MAX_EDGES {
            let why =
                format!("there are more edges than the maximum of {MAX_EDGES}. Split the workflow");
            return Err(ImportError::refused(whole, why));
        }
        let wires = read_wires(edges, &nodes, place)?;
        let mut into: BTreeMap<&str, Vec<Wire<'v>>> = BTreeMap::new();
        for wire in &wires {
            into.entry(wire.target).or_default().push(*wire);
        }
        let own = value.get("components").and_then(Value::as_object);
        let container = Self {
            nodes,
            wires,
            into,
            components: own.or(components),
        };
        container.check_parents()?;
        Ok(container)
    }

    /// Fails if the parent of a node does not exist, if nodes contain each other, or if they are nested too deeply.
    fn check_parents(&self) -> Result<(), ImportError> {
        for spec in &self.nodes {
            if self.around(spec).take(MAX_DEPTH + 1).count() > MAX_DEPTH {
                let why = format!(
                    "it is inside nodes that contain each other, or is nested more than {MAX_DEPTH} levels deep"
                );
                return Err(ImportError::refused(&spec.place, why));
            }
            if let Some(parent) = spec.parent.filter(|parent| self.node(parent).is_none()) {
                let why = format!("its parent “{parent}” is not a node");
                return Err(unreadable(&spec.place, why));
            }
        }
        Ok(())
    }

    pub(super) fn node(&self, id: &str) -> Option<&Spec<'v>> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// Returns the nodes that contain a node, innermost first.
    pub(super) fn around(&self, spec: &Spec<'v>) -> impl Iterator<Item = &'v str> {
        std::iter::successors(spec.parent, |id| self.node(id)?.parent)
    }

    /// Returns the nodes directly inside a node.
    pub(super) fn within(&self, id: &str) -> impl Iterator<Item = &Spec<'v>> {
        let nodes = self.nodes.iter();
        nodes.filter(move |node| node.parent == Some(id))
    }

    /// Returns the edges into a node.
    pub(super) fn into(&self, id: &str) -> impl Iterator<Item = &Wire<'v>> {
        self.into.get(id).into_iter().flatten()
    }

    /// Returns the edges into a node from sources that must run before the node.
    pub(super) fn before(&self, id: &str) -> impl Iterator<Item = &Wire<'v>> {
        self.into(id).filter(|wire| !self.leads_back(wire))
    }

    /// Returns the edges that carry values back to a loop from inside.
    pub(super) fn back(&self, id: &str) -> impl Iterator<Item = &Wire<'v>> {
        self.into(id).filter(|wire| self.leads_back(wire))
    }

    /// Returns whether an edge carries a value back to the loop that contains its source. The loop does not wait for such an
    /// edge.
    fn leads_back(&self, wire: &Wire<'v>) -> bool {
        let returns = wire.into.ends_with(":internal")
            || split_dock(wire.into).is_some_and(|(_, end)| ["input", "current"].contains(&end));
        let source = self.node(wire.source);
        returns && source.is_some_and(|source| source.parent == Some(wire.target))
    }
}
