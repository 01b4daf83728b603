//! Rule: the values that a loop's body produces for the next iteration reach it.

use std::collections::BTreeSet;

use super::{flow_context::FlowContext, upstream::Before};
use crate::{
    document::Node,
    graph::NodeIx,
    kind::{EffectClass, KindSpec, Repetition, Shape},
    problem::{Problem, quoted},
    regions::{Region, Role},
};

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    let read = read_by_name(context);
    for region in &context.regions.regions {
        let start = context.node(region.start);
        if region.repeats != Repetition::Loop || region.end.is_none() || start.disabled() {
            continue;
        }
        unused_feedback(context, region, start, &read, problems);
        only_when_done(context, region, start, problems);
        loose_ends(context, region, start, &read, problems);
    }
}

/// Returns the ids of the nodes that some template or expression reads.
fn read_by_name(context: &FlowContext<'_>) -> BTreeSet<String> {
    context
        .active()
        .flat_map(|(_, node, kind)| kind.templates(&node.data))
        .filter_map(|site| site.references().ok())
        .flatten()
        .flat_map(|reference| {
            let under = matches!(reference.root.as_str(), "previous" | "nodes");
            let name = if under {
                reference.path.first().cloned()
            } else {
                Some(reference.root)
            };
            name.into_iter().collect::<Vec<_>>()
        })
        .collect()
}

/// Reports feedback in a loop in variables mode. There, only a variable's `next` passes a value to the next iteration.
fn unused_feedback(
    context: &FlowContext<'_>,
    region: &Region,
    start: &Node,
    read: &BTreeSet<String>,
    problems: &mut Vec<Problem>,
) {
    let keeps_input = |kind: &dyn KindSpec| kind.keeps_input(&start.data);
    if !context.spec(region.start).is_some_and(keeps_input) || region.feedback_edges.is_empty() {
        return;
    }
    let sources = sources(context, region);
    if sources
        .iter()
        .any(|&node| read.contains(&context.node(node).id))
    {
        return;
    }
    let Some(&source) = sources.first() else {
        return;
    };
    problems.push(
        Problem::warning(
            "feedback_not_used",
            format!(
                "{} sends its value to `feedback` of {}, where the feedback mode `variables` ignores it. Read `{}` in \
                 a variable's `next`, or choose the mode `replace`.",
                quoted(context.node(source)),
                quoted(start),
                context.node(source).id
            ),
        )
        .at(&start.id)
        .place("feedback"),
    );
}

fn sources(context: &FlowContext<'_>, region: &Region) -> Vec<NodeIx> {
    region
        .feedback_edges
        .iter()
        .filter_map(|&edge| context.graph.ends[edge].map(|(source, _)| source))
        .collect()
}

/// Reports feedback from a branch whose value also ends the loop. In evaluator mode, the loop stops when a value reaches its
/// end, so a node on a branch that leads to the end never sends feedback.
fn only_when_done(
    context: &FlowContext<'_>,
    region: &Region,
    start: &Node,
    problems: &mut Vec<Problem>,
) {
    if !context.ends_on_arrival(region) {
        return;
    }
    let Some(end) = region.end else { return };
    // Only a branch that leads directly to the end certainly ends the loop.
    let deciders: Vec<NodeIx> = region
        .body
        .iter()
        .copied()
        .filter(|&node| {
            context.graph.shapes[node] == Shape::Branching
                && region.roles.get(&node) == Some(&Role::Core)
                && context.graph.successors(node).any(|(_, next)| next == end)
        })
        .collect();
    if deciders.is_empty() {
        return;
    }
    for &edge in &region.feedback_edges {
        let Some((source, _)) = context.graph.ends[edge] else {
            continue;
        };
        let before = Before::new(context.graph, source);
        for &decider in &deciders {
            let leaves_by = |edge: usize| {
                context.graph.handles[decider]
                    .output(context.flow.edges[edge].source_handle.as_deref())
                    .map(|handle| handle.name.as_str())
            };
            let straight: BTreeSet<_> = context
                .graph
                .successors(decider)
                .filter(|&(_, target)| target == end)
                .filter_map(|(edge, _)| leaves_by(edge))
                .collect();
            let feeding: BTreeSet<_> = if source == decider {
                leaves_by(edge).into_iter().collect()
            } else {
                context
                    .graph
                    .successors(decider)
                    .filter(|&(_, target)| target == source || before.holds(target))
                    .filter_map(|(edge, _)| leaves_by(edge))
                    .collect()
            };
            if feeding.is_empty()
                || !feeding.is_subset(&straight)
                || (source != decider && around(context, region, decider, source))
            {
                continue;
            }
            let branch = feeding.first().copied().unwrap_or_default();
            problems.push(
                Problem::warning(
                    "tail_never_runs",
                    format!(
                        "{} can't send feedback to {}. It is on branch `{branch}` of {}, and that branch leads to {} and ends the loop. Move it to a branch that continues the loop.",
                        quoted(context.node(source)),
                        quoted(start),
                        quoted(context.node(decider)),
                        quoted(context.node(end)),
                    ),
                )
                .at(&context.node(source).id)
                .place(format!("edge:{}", context.flow.edges[edge].id)),
            );
            break;
        }
    }
}

/// Returns whether a path inside the region leads to `target` without passing `decider`.
fn around(context: &FlowContext<'_>, region: &Region, decider: NodeIx, target: NodeIx) -> bool {
    let mut stack: Vec<NodeIx> = region
        .body_edges
        .iter()
        .chain(&region.captures)
        .filter_map(|&edge| context.graph.ends[edge].map(|(_, target)| target))
        .collect();
    let mut seen = BTreeSet::from([decider]);
    while let Some(node) = stack.pop() {
        if node == target && node != decider {
            return true;
        }
        if region.body.contains(&node) && seen.insert(node) {
            stack.extend(context.graph.successors(node).map(|(_, next)| next));
        }
    }
    false
}

/// Reports a node without outside effects that leads nowhere and that no template reads. Such a node runs in every iteration
/// for nothing.
fn loose_ends(
    context: &FlowContext<'_>,
    region: &Region,
    start: &Node,
    read: &BTreeSet<String>,
    problems: &mut Vec<Problem>,
) {
    for (&index, role) in &region.roles {
        let node = context.node(index);
        let Some(kind) = context.spec(index) else {
            continue;
        };
        let innermost = context.regions.enclosing(index).next();
        let here =
            innermost.is_some_and(|inner| context.regions.regions[inner].start == region.start);
        let in_vain = *role == Role::Leaf
            && here
            && kind.shape() == Shape::Plain
            && kind.effect(&node.data) != EffectClass::Writes
            && !node.disabled()
            && context.graph.outgoing[index].is_empty()
            && !read.contains(&node.id);
        if in_vain {
            problems.push(
                Problem::warning(
                    "tail_leads_nowhere",
                    format!(
                        "{} runs in every iteration of {}, but nothing reads its output. To pass the output to the \
                         next iteration, wire it to `feedback` of {}. Otherwise, remove the node.",
                        quoted(node),
                        quoted(start),
                        quoted(start),
                    ),
                )
                .at(&node.id),
            );
        }
    }
}
