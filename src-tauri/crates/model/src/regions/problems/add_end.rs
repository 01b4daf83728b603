//! The fix for a loop without an end: adds an end after the body and routes the body's wires through it.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::{Map, Number, Value};

use super::Checks;
use crate::{
    document::{Edge, Node, Position},
    graph::{EdgeIx, NodeIx},
    kind::Shape,
    problem::Edit,
    regions::region::Region,
};

impl Checks<'_> {
    /// Returns the first node of the type `closed_by` without incoming wires, or `None` if there is no such node.
    pub(super) fn free_end(&self, closed_by: &str) -> Option<NodeIx> {
        let free = self.free_ends.get_or_init(|| {
            let mut free = HashMap::new();
            for (index, node) in self.flow.nodes.iter().enumerate() {
                if self.graph.incoming[index].is_empty() {
                    free.entry(node.kind.as_str()).or_insert(index);
                }
            }
            free
        });
        free.get(closed_by).copied()
    }

    /// Returns edits that put an end node after the body. The end is an existing node without incoming wires or, if there is
    /// none, a new node. Wires from the body to outputs of the flow are routed through the end. If there are no such wires, the
    /// last node is wired to the end. For an empty body, returns no edits.
    pub(super) fn add_end(&self, region: &Region, closed_by: &str) -> Vec<Edit> {
        if region.body.is_empty() {
            return Vec::new();
        }
        let free = self.free_end(closed_by);
        let free_id = |base: &str, taken: &dyn Fn(&str) -> bool| {
            let mut id = base.to_owned();
            let mut n = 2;
            while taken(&id) {
                id = format!("{base}_{n}");
                n += 1;
            }
            id
        };
        let id = free.map_or_else(
            || free_id(closed_by, &|id| self.flow.node(id).is_some()),
            |end| self.node(end).id.clone(),
        );
        // If the unused end already has outgoing wires, its value already has a target.
        let leads_on = free.is_some_and(|end| !self.graph.outgoing[end].is_empty());
        let mut leaving: Vec<EdgeIx> = region
            .body
            .iter()
            .flat_map(|&node| self.graph.outgoing[node].iter().copied())
            .chain(region.body_edges.iter().copied())
            .filter(|&edge| {
                self.graph.ends[edge]
                    .is_some_and(|(_, target)| self.graph.shapes[target] == Shape::Output)
            })
            .collect();
        leaving.sort_unstable();
        leaving.dedup();
        let order = self.order.get_or_init(|| self.graph.topological().0);
        let last = order
            .iter()
            .rev()
            .copied()
            .find(|node| {
                region.body.contains(node)
                    && self.graph.shapes[*node] != Shape::Annotation
                    && self.graph.outgoing[*node]
                        .iter()
                        .all(|&edge| !self.graph.is_feedback[edge])
            })
            .or_else(|| {
                order
                    .iter()
                    .rev()
                    .copied()
                    .find(|node| region.body.contains(node))
            });
        let near = self.node(last.unwrap_or(region.start));
        let mut edits = Vec::new();
        if free.is_none() {
            edits.push(Edit::AddNode {
                node: Node {
                    id: id.clone(),
                    kind: closed_by.to_owned(),
                    position: Some(beside(near)),
                    data: self
                        .kinds
                        .get(closed_by)
                        .map_or_else(Map::new, |kind| kind.defaults()),
                    extra: Map::new(),
                },
            });
        }
        let known = self.edge_ids.get_or_init(|| {
            self.flow
                .edges
                .iter()
                .map(|edge| edge.id.as_str())
                .collect()
        });
        let mut taken: HashSet<String> = HashSet::new();
        let mut wire = |source: &str,
                        source_handle: Option<String>,
                        target: &str,
                        target_handle: Option<String>| {
            let edge_id = free_id(&format!("e-{source}-{target}"), &|id| {
                known.contains(id) || taken.contains(id)
            });
            taken.insert(edge_id.clone());
            Edit::AddEdge {
                edge: Edge {
                    id: edge_id,
                    source: source.to_owned(),
                    source_handle,
                    target: target.to_owned(),
                    target_handle,
                    extra: Map::new(),
                },
            }
        };
        let end_handles = self
            .kinds
            .get(closed_by)
            .map(|kind| kind.handles(&Map::new()))
            .unwrap_or_default();
        let end_in = end_handles
            .primary_input()
            .map(|handle| handle.name.clone());
        let end_out = end_handles
            .primary_output()
            .map(|handle| handle.name.clone());
        let mut sources = BTreeSet::new();
        for &edge in &leaving {
            let old = &self.flow.edges[edge];
            edits.push(Edit::RemoveEdge { id: old.id.clone() });
            if sources.insert((old.source.clone(), old.source_handle.clone())) && sources.len() == 1
            {
                edits.push(wire(
                    &old.source,
                    old.source_handle.clone(),
                    &id,
                    end_in.clone(),
                ));
            }
            edits.push(wire(
                &id,
                end_out.clone(),
                &old.target,
                old.target_handle.clone(),
            ));
        }
        if leaving.is_empty() {
            if let Some(last) = last {
                let handle = self.graph.handles[last]
                    .primary_output()
                    .or_else(|| self.graph.handles[last].outputs.first())
                    .map(|handle| handle.name.clone());
                edits.push(wire(&self.node(last).id, handle, &id, end_in));
            }
            let lonely = (0..self.flow.nodes.len()).find(|&node| {
                self.graph.shapes[node] == Shape::Output && self.graph.incoming[node].is_empty()
            });
            if let Some(output) = lonely.filter(|_| !leads_on) {
                let handle = self.graph.handles[output]
                    .primary_input()
                    .map(|h| h.name.clone());
                edits.push(wire(&id, end_out, &self.node(output).id, handle));
            }
        }
        edits
    }
}

/// Returns a position to the right of a node, in canvas units.
fn beside(node: &Node) -> Position {
    let number = |value: f64| Number::from_f64(value).unwrap_or_else(|| Number::from(0));
    let (x, y) = node.position.as_ref().map_or((0.0, 0.0), |position| {
        (
            position.x.as_f64().unwrap_or(0.0),
            position.y.as_f64().unwrap_or(0.0),
        )
    });
    let whole = |value: f64| {
        if value.fract() == 0.0 && value.abs() < 1e9 {
            Number::from(value as i64)
        } else {
            number(value)
        }
    };
    Position {
        x: whole(x + 260.0),
        y: whole(y),
        extra: Map::<String, Value>::new(),
    }
}
