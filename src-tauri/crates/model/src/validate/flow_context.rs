//! A flow as the rules read it.

use std::cell::{Cell, OnceCell, RefCell};

use super::upstream::{Before, Deciding, Upstream, deciding_wires};
use crate::{
    document::{Flow, Node},
    graph::{Graph, NodeIx},
    kind::{KindSpec, Kinds},
    regions::{Region, Regions},
};
use loopwright_template::suggest::nearest;

/// What rules know of a flow: its nodes, kinds, graph and regions.
pub(super) struct FlowContext<'a> {
    pub(super) flow: &'a Flow,
    pub(super) kinds: &'a Kinds,
    pub(super) graph: &'a Graph,
    pub(super) regions: &'a Regions,
    /// What has run before what, once it is asked for.
    upstream: OnceCell<Upstream>,
    /// What lies before the node that was last asked about.
    before: RefCell<Option<Before>>,
    /// Names that may still be compared with one that is unknown: each search goes over all nodes.
    hints: Cell<usize>,
}

/// Comparisons of one flow, of unknown names with those that may be meant: in a flow of 100 nodes some 500 names get a hint. Nobody
/// reads further ones before these are mended.
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

    /// Whether `earlier` has certainly run in a run (or iteration) in which `later` runs.
    pub(super) fn has_run(&self, earlier: NodeIx, later: NodeIx) -> bool {
        self.upstream
            .get_or_init(|| Upstream::new(self.flow, self.graph, self.regions))
            .has_run(earlier, later)
    }

    /// Whether every way to `later` leads through `earlier`.
    pub(super) fn dominates(&self, earlier: NodeIx, later: NodeIx) -> bool {
        self.upstream
            .get_or_init(|| Upstream::new(self.flow, self.graph, self.regions))
            .dominates(earlier, later)
    }

    /// Whether `earlier` lies before `later` along forward edges.
    pub(super) fn is_before(&self, earlier: NodeIx, later: NodeIx) -> bool {
        // Most references are to what every way leads through.
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

    /// The wires that decide whether a node runs.
    pub(super) fn deciding_wires(&self, node: NodeIx) -> Vec<Deciding> {
        deciding_wires(self.flow, self.graph, self.regions, node)
    }

    /// The candidate that `name` was meant to be, as long as not too many names are looked for.
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

    /// Whether a loop ends in the first iteration in which a value reaches its end.
    pub(super) fn ends_on_arrival(&self, region: &Region) -> bool {
        let data = &self.node(region.start).data;
        self.spec(region.start)
            .is_some_and(|kind| kind.ends_on_arrival(data))
    }

    /// Nodes that a run reads: known, translated, not bypassed, no later duplicate of an id, and not in a loop that is
    /// bypassed.
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

    /// Whether something is wired to an input handle; `None` is the primary one.
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
