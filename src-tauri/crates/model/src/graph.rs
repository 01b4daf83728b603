//! A flow as a graph of node and edge indices: the edges of each node, the feedback edges, and the topological order.

use std::collections::{BTreeSet, HashMap};

use crate::{
    document::Flow,
    handles::Handles,
    kind::{Kinds, Repetition, Shape},
};

/// The index of a node in `flow.nodes`.
pub type NodeIx = usize;
/// The index of an edge in `flow.edges`.
pub type EdgeIx = usize;

/// The name of the input handle that receives a loop's value for the next iteration.
pub const FEEDBACK: &str = "feedback";
/// The name of the output handle of a scope start at which the scope's body begins.
pub const BODY: &str = "body";
/// The name of the output handle through which a loop's end sends its value if the loop stopped without meeting its exit
/// condition.
pub const EXHAUSTED: &str = "exhausted";

/// The edges of each node of a flow. Edges without a source or target, and nodes that repeat an id, are omitted.
#[derive(Debug)]
pub struct Graph {
    /// The indices of the edges that leave each node, including feedback edges, in document order.
    pub outgoing: Vec<Vec<EdgeIx>>,
    /// The indices of the edges that enter each node, including feedback edges, in document order.
    pub incoming: Vec<Vec<EdgeIx>>,
    /// The source and the target of each edge. `None` if one of these nodes does not exist.
    pub ends: Vec<Option<(NodeIx, NodeIx)>>,
    /// For each edge, whether it leads to the `feedback` handle of a loop.
    pub is_feedback: Vec<bool>,
    pub shapes: Vec<Shape>,
    /// For each node, whether it sends its value through only one of its outputs. This is true for a branching node,
    /// and for a loop's end with a wire at its `exhausted` output.
    pub branching: Vec<bool>,
    pub handles: Vec<Handles>,
    by_id: HashMap<String, NodeIx>,
}

impl Graph {
    pub fn new(flow: &Flow, kinds: &Kinds) -> Self {
        let count = flow.nodes.len();
        let mut by_id = HashMap::with_capacity(count);
        for (index, node) in flow.nodes.iter().enumerate() {
            by_id.entry(node.id.clone()).or_insert(index);
        }
        let shapes: Vec<_> = flow.nodes.iter().map(|node| kinds.shape(node)).collect();
        let handles = flow
            .nodes
            .iter()
            .map(|node| {
                kinds
                    .of(node)
                    .map_or_else(Handles::default, |kind| kind.handles(&node.data))
            })
            .collect();
        let branching = shapes
            .iter()
            .map(|shape| *shape == Shape::Branching)
            .collect();
        let mut graph = Self {
            outgoing: vec![Vec::new(); count],
            incoming: vec![Vec::new(); count],
            ends: Vec::with_capacity(flow.edges.len()),
            is_feedback: Vec::with_capacity(flow.edges.len()),
            shapes,
            branching,
            handles,
            by_id,
        };
        for (index, edge) in flow.edges.iter().enumerate() {
            let ends = graph.index(&edge.source).zip(graph.index(&edge.target));
            graph.ends.push(ends);
            let feedback = ends.is_some_and(|(_, target)| {
                graph.is_loop(target) && edge.target_handle.as_deref() == Some(FEEDBACK)
            });
            graph.is_feedback.push(feedback);
            if let Some((source, target)) = ends {
                graph.branching[source] |= edge.source_handle.as_deref() == Some(EXHAUSTED)
                    && ends_loop(kinds, graph.shapes[source]);
                graph.outgoing[source].push(index);
                graph.incoming[target].push(index);
            }
        }
        graph
    }

    pub fn index(&self, id: &str) -> Option<NodeIx> {
        self.by_id.get(id).copied()
    }

    /// Returns whether an edge that leaves `source` through the output `leaves_by` carries a value only if the node takes the
    /// branch of that output.
    pub fn is_branch(&self, source: NodeIx, leaves_by: Option<&str>) -> bool {
        self.branching[source]
            && self.handles[source]
                .output(leaves_by)
                .is_none_or(|handle| !handle.always)
    }

    pub fn is_loop(&self, node: NodeIx) -> bool {
        matches!(
            self.shapes[node],
            Shape::ScopeStart {
                repeats: Repetition::Loop,
                ..
            }
        )
    }

    pub fn is_start(&self, node: NodeIx) -> bool {
        matches!(self.shapes[node], Shape::ScopeStart { .. })
    }

    pub fn is_end(&self, node: NodeIx) -> bool {
        matches!(self.shapes[node], Shape::ScopeEnd { .. })
    }

    /// Returns the forward edges out of a node, as (edge, target).
    pub fn successors(&self, node: NodeIx) -> impl Iterator<Item = (EdgeIx, NodeIx)> + '_ {
        self.outgoing[node]
            .iter()
            .filter(|&&edge| !self.is_feedback[edge])
            .filter_map(|&edge| self.ends[edge].map(|(_, target)| (edge, target)))
    }

    /// Returns the forward edges into a node, as (edge, source).
    pub fn predecessors(&self, node: NodeIx) -> impl Iterator<Item = (EdgeIx, NodeIx)> + '_ {
        self.incoming[node]
            .iter()
            .filter(|&&edge| !self.is_feedback[edge])
            .filter_map(|&edge| self.ends[edge].map(|(source, _)| (edge, source)))
    }

    /// Returns the nodes reachable from `from` along forward edges, including `from`.
    pub fn reachable(&self, from: impl IntoIterator<Item = NodeIx>) -> BTreeSet<NodeIx> {
        let mut stack: Vec<_> = from.into_iter().collect();
        let mut seen: BTreeSet<_> = stack.iter().copied().collect();
        while let Some(node) = stack.pop() {
            for (_, next) in self.successors(node) {
                if seen.insert(next) {
                    stack.push(next);
                }
            }
        }
        seen
    }

    /// Returns two lists: the nodes in topological order (Kahn 1962), with ties in document order; and the remaining nodes,
    /// which are on a cycle or after one.
    pub fn topological(&self) -> (Vec<NodeIx>, Vec<NodeIx>) {
        let count = self.outgoing.len();
        let mut waiting: Vec<usize> = (0..count)
            .map(|node| self.predecessors(node).count())
            .collect();
        let mut ready: BTreeSet<NodeIx> = (0..count).filter(|&node| waiting[node] == 0).collect();
        let mut order = Vec::with_capacity(count);
        while let Some(node) = ready.pop_first() {
            order.push(node);
            for (_, next) in self.successors(node) {
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    ready.insert(next);
                }
            }
        }
        let stuck = (0..count).filter(|&node| waiting[node] > 0).collect();
        (order, stuck)
    }
}

/// Returns whether a node of this shape is the end of a loop, as opposed to the end of an iterator.
fn ends_loop(kinds: &Kinds, shape: Shape) -> bool {
    let Shape::ScopeEnd { opened_by, .. } = shape else {
        return false;
    };
    kinds.get(opened_by).is_some_and(|start| {
        matches!(
            start.shape(),
            Shape::ScopeStart {
                repeats: Repetition::Loop,
                ..
            }
        )
    })
}
