//! A region, and the regions of a flow.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    document::Flow,
    graph::{EdgeIx, NodeIx},
    kind::Repetition,
    problem::Problem,
};

/// What a node of a region is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The end is reachable from it.
    Core,
    /// It serves only the next iteration, and runs only once there is one.
    Tail,
    /// It runs in every iteration, for its effect.
    Leaf,
}

/// A scope start, its end, and what lies between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    pub start: NodeIx,
    /// `None` in a draft whose end is missing or not unique; such a region is drawn, and never run.
    pub end: Option<NodeIx>,
    pub repeats: Repetition,
    /// All nodes between start and end, those of inner regions included; start and end are not.
    pub body: BTreeSet<NodeIx>,
    /// By node of `body`; inner nodes have the role of the inner start.
    pub roles: BTreeMap<NodeIx, Role>,
    /// Edges from the start into the body.
    pub body_edges: Vec<EdgeIx>,
    /// Edges from the body into the start's `feedback`.
    pub feedback_edges: Vec<EdgeIx>,
    /// Last nodes of a dangling tail: their value is the feedback where no edge says it.
    pub dangling: Vec<NodeIx>,
    /// Edges from outside into the body or the end.
    pub captures: Vec<EdgeIx>,
    /// Index of the region around this one.
    pub parent: Option<usize>,
    /// 0 for a region at the top.
    pub depth: usize,
}

/// All regions of a flow, inner ones before those around them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Regions {
    pub regions: Vec<Region>,
    /// By node: the innermost region whose body holds it.
    pub scope_of: Vec<Option<usize>>,
    pub problems: Vec<Problem>,
    /// `false`: the search was given up. There are no regions then, and one problem says why.
    pub is_complete: bool,
    /// Index of the region that a node opens.
    pub(super) opened: HashMap<NodeIx, usize>,
    /// Index of the first region that a node closes.
    pub(super) closed: HashMap<NodeIx, usize>,
}

impl Regions {
    /// The region that `start` opens.
    pub fn opened_by(&self, start: NodeIx) -> Option<&Region> {
        self.opened.get(&start).map(|&index| &self.regions[index])
    }

    /// Index of the region that `start` opens.
    pub(crate) fn index_of(&self, start: NodeIx) -> Option<usize> {
        self.opened.get(&start).copied()
    }

    /// The region that `end` closes.
    pub fn closed_by(&self, end: NodeIx) -> Option<&Region> {
        self.closed.get(&end).map(|&index| &self.regions[index])
    }

    /// Whether `node` lies in a loop or list of `flow` that is bypassed: it never runs, and nothing of it is read.
    pub fn skips(&self, flow: &Flow, node: NodeIx) -> bool {
        self.enclosing(node)
            .any(|region| flow.nodes[self.regions[region].start].disabled())
    }

    /// Regions around a node, innermost first.
    pub fn enclosing(&self, node: NodeIx) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.scope_of.get(node).copied().flatten(), |&region| {
            self.regions[region].parent
        })
    }
}
