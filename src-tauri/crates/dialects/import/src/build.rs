//! Builds a flow: nodes with readable ids, wires, placeholders, and the import report.

use std::collections::HashSet;

use loopwright_model::{
    Flow, Node,
    document::{Edge, SCHEMA_VERSION},
};
use serde_json::{Map, Value, json};

use crate::{Entry, Outcome, Report, error::ImportError, format::Import, layout};

/// The maximum number of nodes of an imported flow. A larger flow is unreadable in the editor.
const MAX_NODES: usize = 2_000;
/// The maximum number of wires of an imported flow.
const MAX_EDGES: usize = 10_000;
/// The maximum number of loops and lists of an imported flow.
const MAX_REGIONS: usize = 300;

/// The maximum value of `maxIterations`, and of a flow's ceiling of iterations.
pub(crate) const MOST_ITERATIONS: u64 = 1000;
/// The ceiling of iterations in a flow that sets none.
pub(crate) const USUAL_CEILING: u64 = 50;

/// Names that templates resolve before node ids.
const RESERVED: [&str; 15] = [
    "input",
    "inputs",
    "nodes",
    "run",
    "vars",
    "previous",
    "item",
    "index",
    "loops",
    "loopIndex",
    "loopCount",
    "loopResult",
    "loopStartTime",
    "loopEscalated",
    "state",
];

/// One end of a wire: a node and its handle. Without a handle, the wire ends at the node's primary handle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Port {
    pub(crate) node: String,
    pub(crate) handle: Option<String>,
}

impl Port {
    pub(crate) fn of(node: &str) -> Self {
        Self {
            node: node.to_owned(),
            handle: None,
        }
    }

    pub(crate) fn at(node: &str, handle: impl Into<String>) -> Self {
        Self {
            node: node.to_owned(),
            handle: Some(handle.into()),
        }
    }
}

/// A flow under construction.
pub(crate) struct Builder {
    flow: Flow,
    ids: HashSet<String>,
    report: Report,
    ceiling: u64,
    /// The open loops and lists, outermost first.
    open: Vec<String>,
}

/// The size of the flow when [`Builder::mark`] was called.
pub(crate) struct Mark {
    nodes: usize,
    edges: usize,
    entries: usize,
}

impl Builder {
    /// Creates an empty flow. `format` is the [`crate::Format::id`].
    pub(crate) fn new(format: &str, name: Option<&str>) -> Self {
        Self {
            flow: Flow {
                schema_version: Some(SCHEMA_VERSION),
                name: name.map(str::to_owned),
                ..Flow::default()
            },
            ids: HashSet::new(),
            report: Report {
                format: format.to_owned(),
                ..Report::default()
            },
            ceiling: USUAL_CEILING,
            open: Vec::new(),
        }
    }

    pub(crate) fn describe(&mut self, description: &str) {
        let description = description.trim();
        if !description.is_empty() {
            self.flow.description = Some(description.to_owned());
        }
    }

    /// Records the dialect that was read, and whether it was assumed because the text does not name one.
    pub(crate) fn took_dialect(&mut self, words: impl Into<String>, is_assumed: bool) {
        self.report.dialect = Some(words.into());
        self.report.is_assumed = is_assumed;
    }

    /// Sets a setting of the flow.
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.flow
            .settings
            .get_or_insert_default()
            .insert(name.to_owned(), value);
    }

    /// Raises the flow's ceiling so that a loop can run as often as its source permits, but at most [`MOST_ITERATIONS`]
    /// times.
    pub(crate) fn permit_iterations(&mut self, most: u64) {
        if most > self.ceiling {
            self.ceiling = most.min(MOST_ITERATIONS);
            self.set("maxIterationsCeiling", self.ceiling.into());
        }
    }

    /// Opens a loop or list with this name. If another one is open, changes the flow's settings to permit nesting.
    pub(crate) fn enter(&mut self, name: &str, place: &str) {
        if !self.open.is_empty() && !self.flow.settings().allow_nested_loops {
            self.set("allowNestedLoops", Value::Bool(true));
            let says =
                "The settings of this flow allow nested loops, because the source allows them.";
            self.say(Outcome::Mapped, place, None, says);
        }
        self.open.push(name.to_owned());
    }

    pub(crate) fn leave(&mut self) {
        self.open.pop();
    }

    /// Returns whether a loop or list with this name is open.
    pub(crate) fn is_inside(&self, name: &str) -> bool {
        self.open.iter().any(|open| open == name)
    }

    /// Adds a node and returns its id, which is derived from `name`. Its label is `name`; `data` is an object.
    pub(crate) fn node(&mut self, kind: &str, name: &str, data: Value) -> String {
        let id = self.free_id(&identifier(name));
        self.node_as(&id, kind, name, data);
        id
    }

    /// Adds a node with an id from [`Self::free_id`]. Its label is `label`, unless `data` has one.
    pub(crate) fn node_as(&mut self, id: &str, kind: &str, label: &str, data: Value) {
        let mut fields = Map::new();
        fields.insert("label".to_owned(), label.into());
        if let Value::Object(data) = data {
            fields.extend(data);
        }
        self.flow.nodes.push(Node {
            id: id.to_owned(),
            kind: kind.to_owned(),
            position: None,
            data: fields,
            extra: Map::new(),
        });
    }

    /// Returns the `data` of a node that was added, or `None` if no node has this id.
    pub(crate) fn data(&mut self, id: &str) -> Option<&mut Map<String, Value>> {
        self.flow
            .nodes
            .iter_mut()
            .rev()
            .find(|node| node.id == id)
            .map(|node| &mut node.data)
    }

    pub(crate) fn wire(&mut self, from: &Port, to: &Port) {
        let id = format!("e{}", self.flow.edges.len() + 1);
        self.flow.edges.push(Edge {
            id,
            source: from.node.clone(),
            source_handle: from.handle.clone(),
            target: to.node.clone(),
            target_handle: to.handle.clone(),
            extra: Map::new(),
        });
    }

    /// Returns the current size, for [`Self::undo`].
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            nodes: self.flow.nodes.len(),
            edges: self.flow.edges.len(),
            entries: self.report.entries.len(),
        }
    }

    /// Removes everything added since `mark`. Removed ids are not reused.
    pub(crate) fn undo(&mut self, mark: &Mark) {
        self.flow.nodes.truncate(mark.nodes);
        self.flow.edges.truncate(mark.edges);
        self.report.entries.truncate(mark.entries);
    }

    pub(crate) fn wire_all(&mut self, from: &[Port], to: &Port) {
        for port in from {
            self.wire(port, to);
        }
    }

    /// Adds a node that stores `source` and fails when it runs, and lists it in the report. Returns the node's id.
    pub(crate) fn placeholder(
        &mut self,
        name: &str,
        place: &str,
        source: Value,
        reason: &str,
    ) -> String {
        let format = self.report.format.clone();
        let id = self.node(
            "placeholder",
            name,
            json!({ "imported": { "from": format, "reason": reason, "source": source } }),
        );
        self.say(
            Outcome::Placeholder,
            place,
            Some(&id),
            format!("Kept unchanged: {reason}. A run that reaches this node fails. Replace the node with one that does the same."),
        );
        id
    }

    pub(crate) fn say(
        &mut self,
        outcome: Outcome,
        place: impl Into<String>,
        node: Option<&str>,
        message: impl Into<String>,
    ) {
        self.report.entries.push(Entry {
            outcome,
            place: place.into(),
            node: node.map(str::to_owned),
            message: message.into(),
        });
    }

    pub(crate) fn mapped(&mut self, place: &str, node: &str, message: impl Into<String>) {
        self.say(Outcome::Mapped, place, Some(node), message);
    }

    pub(crate) fn approximated(
        &mut self,
        place: &str,
        node: Option<&str>,
        message: impl Into<String>,
    ) {
        self.say(Outcome::Approximated, place, node, message);
    }

    /// Fails if the flow exceeds the size limits of an import.
    pub(crate) fn check_size(&self) -> Result<(), ImportError> {
        let opens = |node: &&Node| ["loop", "iterator"].contains(&node.kind.as_str());
        let regions = self.flow.nodes.iter().filter(opens).count();
        check_size(&self.flow, regions)
    }

    /// Positions the nodes and returns the flow with its report.
    ///
    /// # Errors
    /// Returns an error if the flow exceeds the size limits of an import.
    pub(crate) fn finish(mut self) -> Result<Import, ImportError> {
        self.check_size()?;
        layout::place(&mut self.flow);
        Ok(Import {
            flow: self.flow,
            report: self.report,
        })
    }

    /// Reserves names, so that no node gets one of them as its id.
    pub(crate) fn reserve(&mut self, names: &[&str]) {
        self.ids.extend(names.iter().map(|name| (*name).to_owned()));
    }

    /// Returns `wanted` as an id. Appends a number if another node has that id or if templates resolve the name to something
    /// else.
    pub(crate) fn free_id(&mut self, wanted: &str) -> String {
        let mut id = wanted.to_owned();
        let mut number = 2;
        while RESERVED.contains(&id.as_str()) || !self.ids.insert(id.clone()) {
            id = format!("{wanted}_{number}");
            number += 1;
        }
        id
    }
}

/// Fails if `flow`, which has `regions` loops and lists, is too large for the editor.
pub(crate) fn check_size(flow: &Flow, regions: usize) -> Result<(), ImportError> {
    for (count, most, what) in [
        (flow.nodes.len(), MAX_NODES, "nodes"),
        (flow.edges.len(), MAX_EDGES, "wires"),
        (regions, MAX_REGIONS, "loops and lists"),
    ] {
        if count > most {
            return Err(ImportError::refused(
                "file",
                format!(
                    "the import would create {count} {what}, but an imported flow may have at most {most}. Split the file."
                ),
            ));
        }
    }
    Ok(())
}

/// Turns a name into one that templates can read: letters, digits and `_`, no leading digit, about 60 characters at most.
/// Returns `node` if nothing remains.
pub(crate) fn identifier(name: &str) -> String {
    let mut id = String::new();
    for c in name.trim().chars().take(60) {
        if c.is_ascii_alphanumeric() || c == '_' {
            if id.is_empty() && c.is_ascii_digit() {
                id.push('n');
            }
            id.push(c);
        } else if !id.is_empty() && !id.ends_with('_') {
            id.push('_');
        }
    }
    let id = id.trim_end_matches('_');
    if id.is_empty() { "node" } else { id }.to_owned()
}
