//! Rule: the graph has no cycles, except those that pass through the `feedback` handle of a loop.

use super::flow_context::FlowContext;
use crate::{
    graph::{EdgeIx, FEEDBACK, NodeIx},
    problem::{Edit, Problem, quoted},
};

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    let (_, stuck) = context.graph.topological();
    for cycle in components(context, &stuck) {
        if goes_back_into_a_region(context, &cycle) {
            continue;
        }
        problems.push(problem(context, &cycle));
    }
}

/// Returns whether the cycle leads from the end of a region back into the region's body. Another rule reports such a cycle,
/// because the body then depends on nodes after its end.
fn goes_back_into_a_region(context: &FlowContext<'_>, members: &[NodeIx]) -> bool {
    let inside = |node: NodeIx| members.binary_search(&node).is_ok();
    context.regions.regions.iter().any(|region| {
        region.end.is_some_and(inside)
            && !inside(region.start)
            && region.captures.iter().any(|&edge| {
                context.graph.ends[edge]
                    .is_some_and(|(source, target)| inside(source) && inside(target))
            })
    })
}

/// Returns the strongly connected components among `nodes` that contain a cycle, each with its nodes in ascending order
/// (Kosaraju 1978, without recursion).
fn components(context: &FlowContext<'_>, nodes: &[NodeIx]) -> Vec<Vec<NodeIx>> {
    let count = context.flow.nodes.len();
    let mut inside = vec![false; count];
    for &node in nodes {
        inside[node] = true;
    }
    let mut seen = vec![false; count];
    let mut finished = Vec::with_capacity(nodes.len());
    for &root in nodes {
        let mut stack = vec![(root, false)];
        while let Some((node, done)) = stack.pop() {
            if done {
                finished.push(node);
            } else if !std::mem::replace(&mut seen[node], true) {
                stack.push((node, true));
                let next = context.graph.successors(node).map(|(_, next)| next);
                stack.extend(
                    next.filter(|&next| inside[next] && !seen[next])
                        .map(|next| (next, false)),
                );
            }
        }
    }
    let mut assigned = vec![false; count];
    let mut components = Vec::new();
    for &root in finished.iter().rev() {
        let mut members = Vec::new();
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut assigned[node], true) {
                continue;
            }
            members.push(node);
            let previous = context
                .graph
                .predecessors(node)
                .map(|(_, previous)| previous);
            stack.extend(previous.filter(|&previous| inside[previous] && !assigned[previous]));
        }
        let to_itself = context.graph.successors(root).any(|(_, next)| next == root);
        if members.len() > 1 || to_itself {
            members.sort_unstable();
            components.push(members);
        }
    }
    components.sort();
    components
}

fn problem(context: &FlowContext<'_>, members: &[NodeIx]) -> Problem {
    let start = members
        .iter()
        .copied()
        .find(|&node| context.graph.is_loop(node));
    let first = start
        .or_else(|| members.first().copied())
        .unwrap_or_default();
    let path = walk(context, members, first);
    let shown: Vec<_> = path
        .iter()
        .take(8)
        .map(|&(node, _)| quoted(context.node(node)))
        .collect();
    let dots = if path.len() > 8 { " → …" } else { "" };
    let back: Option<EdgeIx> = path.last().and_then(|&(_, edge)| edge);
    let remedy = if start.is_some() {
        format!(
            "Connect the last wire to `{FEEDBACK}` of {} instead, so that the loop repeats.",
            quoted(context.node(first))
        )
    } else {
        "Remove one of the wires. To repeat these nodes, put them between a Loop and its Exit."
            .to_owned()
    };
    let problem = Problem::error(
        "cycle",
        format!(
            "{}{dots} → {} form a cycle. {remedy}",
            shown.join(" → "),
            quoted(context.node(first))
        ),
    )
    .at(&context.node(first).id);
    let Some(back) = back else { return problem };
    let edge = &context.flow.edges[back];
    let problem = problem.place(format!("edge:{}", edge.id));
    if start.is_some() {
        let mut rewired = edge.clone();
        rewired.target_handle = Some(FEEDBACK.to_owned());
        problem.fix(
            format!("Send it to {FEEDBACK}"),
            vec![Edit::UpdateEdge { edge: rewired }],
        )
    } else {
        problem.fix(
            "Remove the wire",
            vec![Edit::RemoveEdge {
                id: edge.id.clone(),
            }],
        )
    }
}

/// Returns a shortest path within `members` from `first` back to itself, as nodes, each with the edge by which the path leaves
/// it.
fn walk(
    context: &FlowContext<'_>,
    members: &[NodeIx],
    first: NodeIx,
) -> Vec<(NodeIx, Option<EdgeIx>)> {
    let inside: std::collections::BTreeSet<_> = members.iter().copied().collect();
    let mut came_by: std::collections::BTreeMap<NodeIx, (NodeIx, EdgeIx)> = Default::default();
    let mut queue = std::collections::VecDeque::from([first]);
    while let Some(node) = queue.pop_front() {
        for (edge, next) in context.graph.successors(node) {
            if !inside.contains(&next) {
                continue;
            }
            if next == first {
                let mut path = vec![(node, Some(edge))];
                let mut at = node;
                while let Some(&(previous, edge)) = came_by.get(&at) {
                    path.push((previous, Some(edge)));
                    at = previous;
                }
                path.reverse();
                return path;
            }
            if let std::collections::btree_map::Entry::Vacant(entry) = came_by.entry(next) {
                entry.insert((node, edge));
                queue.push_back(next);
            }
        }
    }
    vec![(first, None)]
}
