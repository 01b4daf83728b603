//! The view of a flow that the rules share.

use std::cell::{Cell, OnceCell, RefCell};

use super::upstream::{Before, Deciding, Upstream, deciding_wires};
use crate::{
    document::{Flow, Node},
    graph::{Graph, NodeIx},
    kind::{KindSpec, Kinds},
    regions::{Region, Regions},
};
use loopwright_template::suggest::nearest;

/// The information about a flow that the rules use: its nodes, kinds, graph and regions.
pub(super) struct FlowContext<'a> {
    pub(super) flow: &'a Flow,
    pub(super) kinds: &'a Kinds,
    pub(super) graph: &'a Graph,
    pub(super) regions: &'a Regions,
    /// For each node, the nodes that have certainly run before it, computed on first use.
    upstream: OnceCell<Upstream>,
    /// The nodes before `later`, for the most recent call of [`Self::is_before`].
    before: RefCell<Option<Before>>,
    /// The number of comparisons that are left for suggesting corrections of unknown names. Each search compares the unknown
    /// name with all candidates.
    hints: Cell<usize>,
}

/// The maximum number of name comparisons in one flow. This is enough for about 500 hints in a flow of 100 nodes. Nobody reads
/// more hints before fixing the first ones.
const HINTS: usize = 60_000;

impl<'a> FlowContext<'a> {
    pub(super) fn new(
        flow: &'a Flow,
        kinds: &'a Kinds,
        graph: &'a Graph,
        regions: &'a Regions,
    ) -> Self {
        Self {
            flow,
            kinds,
            graph,
            regions,
            upstream: OnceCell::new(),
            before: RefCell::default(),
            hints: Cell::new(HINTS),
        }
    }

    /// Returns whether `earlier` has certainly run before `later`, in each run or iteration in which `later` runs.
    pub(super) fn has_run(&self, earlier: NodeIx, later: NodeIx) -> bool {
        self.upstream
            .get_or_init(|| Upstream::new(self.flow, self.graph, self.regions))
            .has_run(earlier, later)
    }

    /// Returns whether every path to `later` leads through `earlier`.
    pub(super) fn dominates(&self, earlier: NodeIx, later: NodeIx) -> bool {
        self.upstream
            .get_or_init(|| Upstream::new(self.flow, self.graph, self.regions))
            .dominates(earlier, later)
    }

    /// Returns whether a path along forward edges leads from `earlier` to `later`.
    pub(super) fn is_before(&self, earlier: NodeIx, later: NodeIx) -> bool {
        // In most references, the node that is read lies on every path to the node that reads it.
        if earlier != later && self.dominates(earlier, later) {
            return true;
        }
        let mut kept = self.before.borrow_mut();
        let before = match kept.take() {
            Some(before) if before.node == later => before,
            _ => Before::new(self.graph, later),
        };
        let is = before.holds(earlier);
        *kept = Some(before);
        is
    }

    /// Returns the wires that decide whether a node runs.
    pub(super) fn deciding_wires(&self, node: NodeIx) -> Vec<Deciding> {
        deciding_wires(self.flow, self.graph, self.regions, node)
    }

    /// Returns the candidate that a misspelled `name` was probably meant to be. Returns `None` if no candidate is similar
    /// enough, or if the comparisons for this flow are used up.
    pub(super) fn nearest<'c>(
        &self,
        name: &str,
        candidates: impl IntoIterator<Item = &'c str>,
    ) -> Option<&'c str> {
        self.hints.get().checked_sub(1)?;
        let counted = candidates.into_iter().inspect(|_| {
            self.hints.set(self.hints.get().saturating_sub(1));
        });
        nearest(name, counted)
    }

    pub(super) fn node(&self, index: NodeIx) -> &'a Node {
        &self.flow.nodes[index]
    }

    pub(super) fn spec(&self, index: NodeIx) -> Option<&'a dyn KindSpec> {
        self.kinds.of(self.node(index))
    }

    /// Returns whether a loop stops in the first iteration in which a value reaches its end.
    pub(super) fn ends_on_arrival(&self, region: &Region) -> bool {
        let data = &self.node(region.start).data;
        self.spec(region.start)
            .is_some_and(|kind| kind.ends_on_arrival(data))
    }

    /// Returns the nodes that can take part in a run. Excluded are nodes of an unknown kind, placeholders, bypassed nodes,
    /// nodes inside a bypassed loop, and nodes that repeat the id of an earlier node.
    pub(super) fn active(&self) -> impl Iterator<Item = (NodeIx, &'a Node, &'a dyn KindSpec)> + '_ {
        (0..self.flow.nodes.len()).filter_map(|index| {
            let node = self.node(index);
            let spec = self.spec(index)?;
            (!node.disabled()
                && !node.is_placeholder()
                && !self.regions.skips(self.flow, index)
                && self.graph.index(&node.id) == Some(index))
            .then_some((index, node, spec))
        })
    }

    /// Returns whether a wire leads to an input handle of the node. A `handle` of `None` means the primary one.
    pub(super) fn wired(&self, index: NodeIx, handle: Option<&str>) -> bool {
        let handles = &self.graph.handles[index];
        let Some(wanted) = handles.input(handle) else {
            return false;
        };
        self.graph.incoming[index].iter().any(|&edge| {
            handles
                .input(self.flow.edges[edge].target_handle.as_deref())
                .is_some_and(|handle| handle.name == wanted.name)
        })
    }
}
