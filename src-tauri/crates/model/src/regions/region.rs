//! The types for a region and for all regions of a flow.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    document::Flow,
    graph::{EdgeIx, NodeIx},
    kind::Repetition,
    problem::Problem,
};

/// The purpose of a node in a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The region's end can be reached from the node.
    Core,
    /// The node serves only the next iteration. It runs only if there is a next iteration.
    Tail,
    /// The node runs in every iteration, for its effect. Neither the end nor the next iteration depends on it.
    Leaf,
}

/// A scope start, its end, and the nodes between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    pub start: NodeIx,
    /// The end node. `None` in a draft whose end is missing or ambiguous. Such a region is drawn but never runs.
    pub end: Option<NodeIx>,
    pub repeats: Repetition,
    /// All nodes between start and end, including those of inner regions, without start and end themselves.
    pub body: BTreeSet<NodeIx>,
    /// The role of each node of `body`. The nodes of an inner region have the role of its start.
    pub roles: BTreeMap<NodeIx, Role>,
    /// The edges that lead from the start into the body.
    pub body_edges: Vec<EdgeIx>,
    /// The edges that lead from the body to the start's `feedback` handle.
    pub feedback_edges: Vec<EdgeIx>,
    /// The last nodes of tails: no wire leaves them. If there are no feedback edges, the value of these nodes is the
    /// feedback.
    pub dangling: Vec<NodeIx>,
    /// The edges that lead from outside the region into its body or its end.
    pub captures: Vec<EdgeIx>,
    /// The index of the region around this one; `None` at the top level.
    pub parent: Option<usize>,
    /// The nesting depth: 0 at the top level.
    pub depth: usize,
}

/// All regions of a flow. A region comes after the regions inside it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Regions {
    pub regions: Vec<Region>,
    /// For each node, the index of the innermost region whose body contains it. `None` if no region does.
    pub scope_of: Vec<Option<usize>>,
    pub problems: Vec<Problem>,
    /// Whether the search for regions was completed. If it was not, `regions` is empty and a problem states the reason.
    pub is_complete: bool,
    /// For each start, the index of the region that begins at this start.
    pub(super) opened: HashMap<NodeIx, usize>,
    /// For each end, the index of the first region that ends there.
    pub(super) closed: HashMap<NodeIx, usize>,
}

impl Regions {
    /// Returns the region that begins at `start`, or `None` if no region begins there.
    pub fn opened_by(&self, start: NodeIx) -> Option<&Region> {
        self.opened.get(&start).map(|&index| &self.regions[index])
    }

    /// Returns the index of the region that begins at `start`, or `None` if no region begins there.
    pub(crate) fn index_of(&self, start: NodeIx) -> Option<usize> {
        self.opened.get(&start).copied()
    }

    /// Returns the first region whose end is `end`, or `None` if no region ends there.
    pub fn closed_by(&self, end: NodeIx) -> Option<&Region> {
        self.closed.get(&end).map(|&index| &self.regions[index])
    }

    /// Returns whether `node` is inside a bypassed loop or iterator of `flow`. Such a node never runs, and its fields
    /// are not read.
    pub fn skips(&self, flow: &Flow, node: NodeIx) -> bool {
        self.enclosing(node)
            .any(|region| flow.nodes[self.regions[region].start].disabled())
    }

    /// Returns the indices of the regions that contain a node, innermost first.
    pub fn enclosing(&self, node: NodeIx) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.scope_of.get(node).copied().flatten(), |&region| {
            self.regions[region].parent
        })
    }
}
