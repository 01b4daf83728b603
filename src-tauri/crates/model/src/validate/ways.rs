//! By which branches each node comes to run: a node runs where one of its ways is open, and a way where each branching node on it
//! took the branch that it names.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use super::{flow_context::FlowContext, upstream::Deciding};
use crate::graph::{EdgeIx, NodeIx};

/// Branching nodes in order, each with the number of the output that it takes. The empty way is always open.
type BranchPath = Vec<(NodeIx, usize)>;

/// More ways than this are not told apart.
const MAX_PATHS: usize = 64;
/// Of more ways than this at one node none are told apart: making them simpler would take too long.
const MAX_PATHS_AT_A_NODE: usize = 1_024;
/// Branching nodes on one way. Of a longer one is not told where it leads.
const LONGEST: usize = 128;
/// How often, for all nodes, it is looked up whether there is such a way.
const LOOK_UPS: usize = 1_000_000;

pub(super) struct Ways {
    /// By node; `None` where there are too many, and on circles and behind them.
    by_node: Vec<Option<Vec<BranchPath>>>,
    /// How many of [`LOOK_UPS`] are left.
    left: Cell<usize>,
}

impl Ways {
    /// `order`: the nodes in topological order, without those on circles and behind them.
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

    /// The ways by which an edge is live.
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

    /// Whether two edges are never live in the same run. Where their ways are not known they are taken not to be.
    pub(super) fn exclude(&self, context: &FlowContext<'_>, a: EdgeIx, b: EdgeIx) -> bool {
        match (self.of(context, a), self.of(context, b)) {
            (Some(a), Some(b)) => a.iter().all(|a| b.iter().all(|b| differ(a, b))),
            _ => true,
        }
    }
}

/// Whether two ways take different branches of some node.
fn differ(a: &BranchPath, b: &BranchPath) -> bool {
    let taken: BTreeMap<NodeIx, usize> = a.iter().copied().collect();
    b.iter()
        .any(|(node, branch)| taken.get(node).is_some_and(|taken| taken != branch))
}

/// The same ways without those that others make needless; `None` where too many are left.
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
        // Whichever branch is taken there, it comes to the same.
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

/// The way without the step at `node`, where it has one.
fn without(way: &BranchPath, node: NodeIx) -> Option<BranchPath> {
    let at = way.iter().position(|(taken, _)| *taken == node)?;
    let mut rest = way.clone();
    rest.remove(at);
    Some(rest)
}

/// A node on the way each of whose branches there is the same way for, and the rest of it.
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

/// Whether `edge` has a value only where `node` takes that branch.
pub(super) fn is_branch(context: &FlowContext<'_>, node: NodeIx, edge: EdgeIx) -> bool {
    let leaves_by = context.flow.edges[edge].source_handle.as_deref();
    context.graph.is_branch(node, leaves_by)
}

/// The number of the output of `node` by which `edge` leaves it.
pub(super) fn leaves_by(context: &FlowContext<'_>, node: NodeIx, edge: EdgeIx) -> Option<usize> {
    let handles = &context.graph.handles[node];
    let by = handles.output(context.flow.edges[edge].source_handle.as_deref())?;
    let mut outputs = handles.outputs.iter();
    outputs.position(|handle| handle.name == by.name)
}
