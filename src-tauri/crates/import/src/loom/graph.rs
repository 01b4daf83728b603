//! A flow that is being made: nodes with ids that are unique and readable, and wires from wherever a value comes.

use std::collections::BTreeSet;

use loopwright_model::{Edge, Flow, Node};
use serde_json::{Map, Value};

/// Where a value comes from: handles of nodes of which at most one carries it in a run.
pub(crate) type Ends = Vec<End>;

/// An output handle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) node: String,
    /// `None`: the primary one.
    pub(crate) handle: Option<String>,
}

impl End {
    pub(crate) fn primary(node: &str) -> Self {
        Self {
            node: node.to_owned(),
            handle: None,
        }
    }

    pub(crate) fn at(node: &str, handle: &str) -> Self {
        Self {
            node: node.to_owned(),
            handle: Some(handle.to_owned()),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    ids: BTreeSet<String>,
}

/// Names that templates read as something else than a node.
const RESERVED: [&str; 16] = [
    "input",
    "inputs",
    "nodes",
    "run",
    "vars",
    "previous",
    "loops",
    "item",
    "index",
    "result",
    "loopIndex",
    "loopCount",
    "loopResult",
    "loopStartTime",
    "reply",
    "state",
];

impl Graph {
    /// An id that is an identifier, close to `wish`, and that no other node has.
    pub(crate) fn id(&mut self, wish: &str) -> String {
        let mut base: String = wish
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        base.truncate(60);
        if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) {
            base.insert_str(0, "n_");
        }
        let base = base.trim_start_matches('_').to_owned();
        let base = if base.is_empty() {
            "node".to_owned()
        } else {
            base
        };
        let mut id = base.clone();
        let mut number = 2;
        while RESERVED.contains(&id.as_str()) || !self.ids.insert(id.clone()) {
            id = format!("{base}_{number}");
            number += 1;
        }
        id
    }

    /// Adds a node with an id near `wish`.
    pub(crate) fn add(&mut self, kind: &str, wish: &str, data: Value) -> String {
        let id = self.id(wish);
        self.add_as(&id, kind, data);
        id
    }

    /// Adds a node with an id that [`Self::id`] gave.
    pub(crate) fn add_as(&mut self, id: &str, kind: &str, data: Value) {
        let data = match data {
            Value::Object(data) => data,
            _ => Map::new(),
        };
        self.nodes.push(Node {
            id: id.to_owned(),
            kind: kind.to_owned(),
            position: None,
            data,
            extra: Map::new(),
        });
    }

    /// Wires every end to `handle` of `target`, `None` being the primary one.
    pub(crate) fn wire(&mut self, from: &[End], target: &str, handle: Option<&str>) {
        for end in from {
            let id = format!("e{}", self.edges.len() + 1);
            self.edges.push(Edge {
                id,
                source: end.node.clone(),
                source_handle: end.handle.clone(),
                target: target.to_owned(),
                target_handle: handle.map(str::to_owned),
                extra: Map::new(),
            });
        }
    }

    pub(crate) fn data(&mut self, id: &str) -> Option<&mut Map<String, Value>> {
        self.nodes
            .iter_mut()
            .find(|node| node.id == id)
            .map(|node| &mut node.data)
    }

    pub(crate) fn flow(self, name: String, description: Option<String>, settings: Value) -> Flow {
        let settings = match settings {
            Value::Object(settings) => Some(settings),
            _ => None,
        };
        Flow {
            schema_version: Some(loopwright_model::document::SCHEMA_VERSION),
            name: Some(name),
            description,
            settings,
            nodes: self.nodes,
            edges: self.edges,
            viewport: None,
            extra: Map::new(),
        }
    }
}
