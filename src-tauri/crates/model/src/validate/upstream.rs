//! What has certainly run when a node runs.

use std::collections::HashMap;

use super::Flowing;
use crate::graph::NodeIx;

/// Whether `earlier` lies before `later` along forward edges.
pub(super) fn is_before(flowing: &Flowing<'_>, earlier: NodeIx, later: NodeIx) -> bool {
    let mut seen = vec![false; flowing.flow.nodes.len()];
    let mut stack = vec![later];
    while let Some(node) = stack.pop() {
        for (_, previous) in flowing.graph.predecessors(node) {
            if previous == earlier {
                return true;
            }
            if !std::mem::replace(&mut seen[previous], true) {
                stack.push(previous);
            }
        }
    }
    false
}

/// Whether `earlier` has certainly run in a run (or iteration) in which `later` runs.
///
/// A node runs when its primary input, or where that is unwired any wired handle, has a live edge. So `earlier` has run for
/// certain when it always runs, or when every such edge of `later` comes from a node of which the same can be said.
pub(super) fn has_run(flowing: &Flowing<'_>, earlier: NodeIx, later: NodeIx) -> bool {
    let always = settle(
        flowing,
        earlier,
        &mut flowing.always.borrow_mut(),
        true,
        &|node, edges| {
            edges
                .iter()
                .any(|edge| !edge.branches && (edge.runs || opens(flowing, edge.source, node)))
        },
    );
    let mut known = HashMap::from([(earlier, true)]);
    always
        || settle(flowing, later, &mut known, false, &|_, edges| {
            edges.iter().all(|edge| edge.runs)
        })
}

/// Whether `start` opens a region around `node`: within it, its start is where things begin.
fn opens(flowing: &Flowing<'_>, start: NodeIx, node: NodeIx) -> bool {
    flowing
        .regions
        .enclosing(node)
        .any(|region| flowing.regions.regions[region].start == start)
}

/// An edge that decides whether a node runs.
struct Deciding {
    source: NodeIx,
    /// What is asked for holds of the source.
    runs: bool,
    /// The edge leaves a branching node.
    branches: bool,
}

/// A property of `node` that follows from that of the sources of its deciding edges. `known` holds what is settled already and
/// takes what is settled on the way; a node without deciding edges has the property if `unwired`.
fn settle(
    flowing: &Flowing<'_>,
    node: NodeIx,
    known: &mut HashMap<NodeIx, bool>,
    unwired: bool,
    combine: &dyn Fn(NodeIx, &[Deciding]) -> bool,
) -> bool {
    let mut stack = vec![(node, false)];
    while let Some((current, ready)) = stack.pop() {
        if !ready && known.contains_key(&current) {
            continue;
        }
        let sources = deciding(flowing, current);
        if ready {
            let edges: Vec<Deciding> = sources
                .iter()
                .map(|&(source, branches)| Deciding {
                    source,
                    runs: known.get(&source).copied().unwrap_or(false),
                    branches,
                })
                .collect();
            let value = if edges.is_empty() {
                unwired
            } else {
                combine(current, &edges)
            };
            known.insert(current, value);
        } else {
            // On a cycle a node is asked for while it waits for itself; nothing is certain there.
            known.insert(current, false);
            stack.push((current, true));
            stack.extend(
                sources
                    .iter()
                    .filter(|(source, _)| !known.contains_key(source))
                    .map(|&(source, _)| (source, false)),
            );
        }
    }
    known.get(&node).copied().unwrap_or(false)
}

/// The sources of the edges that decide whether a node runs, and whether each edge leaves a branching node.
fn deciding(flowing: &Flowing<'_>, node: NodeIx) -> Vec<(NodeIx, bool)> {
    // A region that was entered is left by its end, whatever happened inside.
    if let Some(region) = flowing.regions.closed_by(node) {
        return vec![(region.start, false)];
    }
    let handles = &flowing.graph.handles[node];
    let primary = handles.primary_input().map(|handle| handle.name.as_str());
    let all: Vec<_> = flowing
        .graph
        .predecessors(node)
        .map(|(edge, source)| {
            let name = flowing.flow.edges[edge].target_handle.as_deref();
            let is_primary = primary.is_some()
                && handles.input(name).map(|handle| handle.name.as_str()) == primary;
            (is_primary, source, flowing.graph.branching[source])
        })
        .collect();
    let any_primary = all.iter().any(|(is_primary, ..)| *is_primary);
    all.into_iter()
        .filter(|(is_primary, ..)| *is_primary || !any_primary)
        .map(|(_, source, branches)| (source, branches))
        .collect()
}
