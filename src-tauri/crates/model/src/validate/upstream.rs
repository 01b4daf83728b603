//! Computes which nodes have certainly run when a node runs. The results are computed once for each flow, so that a query about
//! two nodes is a single comparison.

use crate::{
    document::Flow,
    graph::{EdgeIx, Graph, NodeIx},
    regions::Regions,
};

/// For each node, whether it always runs, and its position in the tree of dominators.
#[derive(Debug)]
pub(super) struct Upstream {
    /// Whether each node runs in every run or, inside a region, in every iteration.
    always: Vec<bool>,
    /// For each node, the numbers at which its subtree in the dominator tree begins and ends, when the nodes are numbered in a
    /// walk from the root. `None` for a node on or after a cycle, about which nothing is certain.
    spans: Vec<Option<(usize, usize)>>,
}

impl Upstream {
    pub(super) fn new(flow: &Flow, graph: &Graph, regions: &Regions) -> Self {
        let (order, _) = graph.topological();
        let count = flow.nodes.len();
        let mut always = vec![false; count];
        let mut tree = Tree::new(count);
        for node in order {
            let sources = deciding_wires(flow, graph, regions, node);
            always[node] = sources.is_empty()
                || sources.iter().any(|deciding| {
                    let source = deciding.source;
                    !deciding.branches && (always[source] || opens(regions, source, node))
                });
            tree.add(node, sources.into_iter().map(|deciding| deciding.source));
        }
        Self {
            always,
            spans: tree.spans(),
        }
    }

    /// Returns whether `earlier` has certainly run before `later`, in each run or iteration in which `later` runs.
    ///
    /// A node runs when an edge at its primary input is live or, if no edge leads to the primary input, when any edge is
    /// live. Therefore `earlier` has certainly run if it always runs, or if it dominates `later`: every path to `later`
    /// along such edges leads through it.
    pub(super) fn has_run(&self, earlier: NodeIx, later: NodeIx) -> bool {
        self.always[earlier] || earlier == later || self.dominates(earlier, later)
    }

    /// Returns whether every path to `later` leads through `earlier`.
    pub(super) fn dominates(&self, earlier: NodeIx, later: NodeIx) -> bool {
        let around = self.spans[earlier].zip(self.spans[later]);
        around.is_some_and(|(outer, inner)| outer.0 <= inner.0 && inner.1 <= outer.1)
    }
}

/// The dominator tree of an acyclic graph. Nodes are added in topological order, so one pass of the algorithm of Cooper, Harvey
/// and Kennedy ("A Simple, Fast Dominance Algorithm", 2001) is enough. Nodes without sources are children of the root.
struct Tree {
    /// For each node, its nearest dominator and its depth. An inner `None` means the root. An outer `None` means that the node
    /// was not added.
    parents: Vec<Option<(Option<NodeIx>, usize)>>,
}

impl Tree {
    fn new(count: usize) -> Self {
        Self {
            parents: vec![None; count],
        }
    }

    fn add(&mut self, node: NodeIx, sources: impl Iterator<Item = NodeIx>) {
        let parent = sources
            .map(Some)
            .reduce(|one, other| self.meet(one, other))
            .flatten()
            .filter(|&parent| self.parents[parent].is_some());
        self.parents[node] = Some((parent, self.depth(parent) + 1));
    }

    /// Returns the nearest node that dominates both nodes. `None` means the root.
    fn meet(&self, mut one: Option<NodeIx>, mut other: Option<NodeIx>) -> Option<NodeIx> {
        while one != other {
            if self.depth(one) >= self.depth(other) {
                one = self.above(one);
            } else {
                other = self.above(other);
            }
        }
        one
    }

    fn depth(&self, node: Option<NodeIx>) -> usize {
        node.and_then(|node| self.parents[node])
            .map_or(0, |(_, depth)| depth)
    }

    fn above(&self, node: Option<NodeIx>) -> Option<NodeIx> {
        self.parents[node?]?.0
    }

    /// Returns, for each node, the numbers at which its subtree begins and ends, when the nodes are numbered in a walk from the
    /// root.
    fn spans(&self) -> Vec<Option<(usize, usize)>> {
        let mut children: Vec<Vec<NodeIx>> = vec![Vec::new(); self.parents.len()];
        let mut stack = Vec::new();
        for (node, entry) in self.parents.iter().enumerate() {
            match entry {
                Some((Some(parent), _)) => children[*parent].push(node),
                Some((None, _)) => stack.push((node, false)),
                None => {}
            }
        }
        let mut spans = vec![None; self.parents.len()];
        let mut begun = vec![0; self.parents.len()];
        let mut clock = 0;
        while let Some((node, done)) = stack.pop() {
            if done {
                spans[node] = Some((begun[node], clock));
                continue;
            }
            clock += 1;
            begun[node] = clock;
            stack.push((node, true));
            stack.extend(children[node].iter().map(|&child| (child, false)));
        }
        spans
    }
}

/// Returns whether `start` opens a region that contains `node`. In every iteration of that region, `start` has already run.
fn opens(regions: &Regions, start: NodeIx, node: NodeIx) -> bool {
    regions
        .enclosing(node)
        .any(|region| regions.regions[region].start == start)
}

/// A wire whose value decides whether a node runs.
pub(super) struct Deciding {
    pub(super) source: NodeIx,
    /// Whether the wire carries a value only if the branching node at its source takes the wire's branch.
    pub(super) branches: bool,
    /// The edge. `None` for the link between a region's start and its end, which is not an edge.
    pub(super) edge: Option<EdgeIx>,
}

/// Returns the wires that decide whether a node runs: the wires at its primary input or, if there are none, all wires at the
/// node. For the end of a region, returns only the link from the start of the region.
pub(super) fn deciding_wires(
    flow: &Flow,
    graph: &Graph,
    regions: &Regions,
    node: NodeIx,
) -> Vec<Deciding> {
    // Once a region has been entered, its end is always reached, no matter what happens inside.
    if let Some(region) = regions.closed_by(node) {
        return vec![Deciding {
            source: region.start,
            branches: false,
            edge: None,
        }];
    }
    let handles = &graph.handles[node];
    let primary = handles.primary_input().map(|handle| handle.name.as_str());
    let all: Vec<_> = graph
        .predecessors(node)
        .map(|(edge, source)| {
            let name = flow.edges[edge].target_handle.as_deref();
            let is_primary = primary.is_some()
                && handles.input(name).map(|handle| handle.name.as_str()) == primary;
            let deciding = Deciding {
                source,
                branches: graph.is_branch(source, flow.edges[edge].source_handle.as_deref()),
                edge: Some(edge),
            };
            (is_primary, deciding)
        })
        .collect();
    let any_primary = all.iter().any(|(is_primary, _)| *is_primary);
    all.into_iter()
        .filter(|(is_primary, _)| *is_primary || !any_primary)
        .map(|(_, deciding)| deciding)
        .collect()
}

/// The nodes before one node along forward edges. They are stored because a template usually causes several queries about the
/// same node.
#[derive(Debug)]
pub(super) struct Before {
    pub(super) node: NodeIx,
    reached: Vec<bool>,
}

impl Before {
    pub(super) fn new(graph: &Graph, node: NodeIx) -> Self {
        let mut reached = vec![false; graph.outgoing.len()];
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            for (_, previous) in graph.predecessors(node) {
                if !std::mem::replace(&mut reached[previous], true) {
                    stack.push(previous);
                }
            }
        }
        Self { node, reached }
    }

    pub(super) fn holds(&self, node: NodeIx) -> bool {
        self.reached[node]
    }
}
