//! Rule: if a loop stops when a value reaches its end, at least one branch can lead to the end.

use std::collections::{BTreeSet, HashSet};

use super::flow_context::FlowContext;
use crate::{
    graph::NodeIx,
    kind::{Repetition, Shape},
    problem::{Problem, quoted},
    regions::Region,
};

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    for region in &context.regions.regions {
        let start = context.node(region.start);
        let Some(end) = region.end else { continue };
        if region.repeats != Repetition::Loop
            || start.disabled()
            || !context.ends_on_arrival(region)
        {
            continue;
        }
        let dead = dead_branches(context, region);
        if dead.is_empty() || can_reach(context, region, end, &dead) {
            continue;
        }
        let (node, branch) = &dead[0];
        problems.push(
            Problem::warning(
                "unreachable_done",
                format!(
                    "{} stops when a value reaches {}. That never happens, because branch `{branch}` of {} is never taken. Give that branch a condition that can be true, and put it before any branch that is always taken.",
                    quoted(start),
                    quoted(context.node(end)),
                    quoted(context.node(*node)),
                ),
            )
            .at(&start.id)
            .place("exitCondition"),
        );
    }
}

/// Returns the branches in the region that are never taken, each with its node.
fn dead_branches(context: &FlowContext<'_>, region: &Region) -> Vec<(NodeIx, String)> {
    region
        .body
        .iter()
        .filter(|&&node| context.graph.shapes[node] == Shape::Branching)
        .filter_map(|&node| Some((node, context.spec(node)?)))
        .flat_map(|(node, kind)| {
            kind.never_taken(&context.node(node).data)
                .into_iter()
                .map(move |branch| (node, branch))
        })
        .collect()
}

/// Returns whether the end can be reached from the start without taking a branch in `dead`.
fn can_reach(
    context: &FlowContext<'_>,
    region: &Region,
    end: NodeIx,
    dead: &[(NodeIx, String)],
) -> bool {
    let mut stack: Vec<NodeIx> = region
        .body_edges
        .iter()
        .filter_map(|&edge| context.graph.ends[edge].map(|(_, target)| target))
        .collect();
    let dead: HashSet<(NodeIx, &str)> = dead
        .iter()
        .map(|(node, branch)| (*node, branch.as_str()))
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(node) = stack.pop() {
        if node == end {
            return true;
        }
        if !region.body.contains(&node) || !seen.insert(node) {
            continue;
        }
        for (edge, next) in context.graph.successors(node) {
            let by = context.graph.handles[node]
                .output(context.flow.edges[edge].source_handle.as_deref());
            let is_dead = by.is_some_and(|by| dead.contains(&(node, by.name.as_str())));
            if !is_dead {
                stack.push(next);
            }
        }
    }
    false
}
