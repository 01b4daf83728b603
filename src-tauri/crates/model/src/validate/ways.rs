//! Computes on which branches each node runs. A node runs if at least one of its paths is open. A path is open if each
//! branching node on the path has taken the branch that the path names.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use super::{flow_context::FlowContext, upstream::Deciding};
use crate::graph::{EdgeIx, NodeIx};

/// A path: branching nodes in order, each with the index of the output that it takes. The empty path is always open.
type BranchPath = Vec<(NodeIx, usize)>;

/// The maximum number of paths kept for one node. Above this number, branches are not distinguished.
const MAX_PATHS: usize = 64;
/// The maximum number of paths at one node for which redundant paths are removed. With more paths, removing them would take too
/// long.
const MAX_PATHS_AT_A_NODE: usize = 1_024;
/// The maximum number of branching nodes on one path. Longer paths count as unknown.
const LONGEST: usize = 128;
/// The maximum number of path lookups in one flow, for all nodes together.
const LOOK_UPS: usize = 1_000_000;

pub(super) struct Ways {
    /// The paths of each node. `None` for a node with too many paths, and for a node on or after a cycle.
    by_node: Vec<Option<Vec<BranchPath>>>,
    /// The number of path lookups that may still be made.
    left: Cell<usize>,
}

impl Ways {
    /// Computes the paths. `order` contains the nodes in topological order, except those on or after a cycle.
    pub(super) fn new(context: &FlowContext<'_>, order: &[NodeIx]) -> Self {
        let mut ways = Self {
            by_node: vec![None; context.flow.nodes.len()],
            left: Cell::new(LOOK_UPS),
        };
        for &node in order {
            let wires = context.deciding_wires(node);
            let all: Option<Vec<Vec<BranchPath>>> = wires
                .iter()
                .map(|Deciding { source, edge, .. }| match edge {
                    Some(edge) => ways.of(context, *edge),
                    None => ways.by_node[*source].clone(),
                })
                .collect();
            ways.by_node[node] = match all {
                Some(all) if all.is_empty() => Some(vec![BranchPath::new()]),
                Some(all) => simple(context, all.into_iter().flatten().collect(), &ways.left),
                None => None,
            };
        }
        ways
    }

    /// Returns the paths of an edge. The edge is live only if one of these paths is open. `None` if the paths are not known.
    fn of(&self, context: &FlowContext<'_>, edge: EdgeIx) -> Option<Vec<BranchPath>> {
        let (source, _) = context.graph.ends[edge]?;
        let before = self.by_node[source].as_ref()?;
        if !is_branch(context, source, edge) {
            return Some(before.clone());
        }
        let branch = leaves_by(context, source, edge)?;
        if before.iter().any(|way| way.len() >= LONGEST) {
            return None;
        }
        let through = |way: &BranchPath| {
            let mut way = way.clone();
            way.push((source, branch));
            way.sort_unstable();
            way
        };
        Some(before.iter().map(through).collect())
    }

    /// Returns whether two edges are never live in the same run. Edges whose paths are unknown count as never live together.
    pub(super) fn exclude(&self, context: &FlowContext<'_>, a: EdgeIx, b: EdgeIx) -> bool {
        match (self.of(context, a), self.of(context, b)) {
            (Some(a), Some(b)) => a.iter().all(|a| b.iter().all(|b| differ(a, b))),
            _ => true,
        }
    }
}

/// Returns whether two paths take different branches of the same node.
fn differ(a: &BranchPath, b: &BranchPath) -> bool {
    let taken: BTreeMap<NodeIx, usize> = a.iter().copied().collect();
    b.iter()
        .any(|(node, branch)| taken.get(node).is_some_and(|taken| taken != branch))
}

/// Removes paths that other paths make redundant. Returns `None` if too many paths are left.
fn simple(
    context: &FlowContext<'_>,
    ways: Vec<BranchPath>,
    left: &Cell<usize>,
) -> Option<Vec<BranchPath>> {
    let mut ways: BTreeSet<BranchPath> = ways.into_iter().collect();
    if ways.contains(&BranchPath::new()) {
        return Some(vec![BranchPath::new()]);
    }
    if ways.len() > MAX_PATHS_AT_A_NODE {
        return None;
    }
    while let Some((rest, node)) = ways
        .iter()
        .take(MAX_PATHS * MAX_PATHS)
        .find_map(|way| whichever(context, &ways, way, left))
    {
        if rest.is_empty() {
            return Some(vec![rest]);
        }
        // The path exists with every branch of this node, so the node does not matter and its step is removed.
        ways.retain(|way| without(way, node).as_ref() != Some(&rest));
        ways.insert(rest);
    }
    if left.get() == 0 {
        return None;
    }
    let needless = |way: &&BranchPath| {
        ways.iter()
            .any(|other| other.len() < way.len() && other.iter().all(|step| way.contains(step)))
    };
    let needed: Vec<BranchPath> = ways.iter().filter(|way| !needless(way)).cloned().collect();
    (needed.len() <= MAX_PATHS).then_some(needed)
}

/// Returns the path without its step at `node`, or `None` if the path has no such step.
fn without(way: &BranchPath, node: NodeIx) -> Option<BranchPath> {
    let at = way.iter().position(|(taken, _)| *taken == node)?;
    let mut rest = way.clone();
    rest.remove(at);
    Some(rest)
}

/// Finds a node on the path such that the same path exists with each of the node's branches. Returns the path without
/// that node, and the node itself. Returns `None` if there is no such node.
fn whichever(
    context: &FlowContext<'_>,
    ways: &BTreeSet<BranchPath>,
    way: &BranchPath,
    left: &Cell<usize>,
) -> Option<(BranchPath, NodeIx)> {
    way.iter().find_map(|&(node, _)| {
        let rest = without(way, node)?;
        let outputs = &context.graph.handles[node].outputs;
        let mut branches = (0..outputs.len()).filter(|&branch| !outputs[branch].always);
        let all = branches.all(|branch| {
            left.set(left.get().saturating_sub(1));
            if left.get() == 0 {
                return false;
            }
            let mut other = rest.clone();
            other.push((node, branch));
            other.sort_unstable();
            ways.contains(&other)
        });
        all.then_some((rest, node))
    })
}

/// Returns whether `edge` leaves `node` through a branch, so that it carries a value only if the node takes that branch.
pub(super) fn is_branch(context: &FlowContext<'_>, node: NodeIx, edge: EdgeIx) -> bool {
    let leaves_by = context.flow.edges[edge].source_handle.as_deref();
    context.graph.is_branch(node, leaves_by)
}

/// Returns the index of the output at which `edge` starts, among the outputs of `node`. `None` if the edge names an output that
/// the node does not have.
pub(super) fn leaves_by(context: &FlowContext<'_>, node: NodeIx, edge: EdgeIx) -> Option<usize> {
    let handles = &context.graph.handles[node];
    let by = handles.output(context.flow.edges[edge].source_handle.as_deref())?;
    let mut outputs = handles.outputs.iter();
    outputs.position(|handle| handle.name == by.name)
}
