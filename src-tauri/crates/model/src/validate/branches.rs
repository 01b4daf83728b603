//! Rule: every branch of a branching node leads to another node.

use std::collections::HashSet;

use super::flow_context::FlowContext;
use crate::{
    kind::{Repetition, Shape},
    problem::{Problem, quoted},
    regions::Role,
};

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    for (index, node, kind) in context.active() {
        if kind.shape() != Shape::Branching {
            continue;
        }
        // On a loop's path to its end, an unconnected branch is a way to avoid the end.
        let turns_away = context
            .regions
            .enclosing(index)
            .next()
            .is_some_and(|region| {
                let region = &context.regions.regions[region];
                region.repeats == Repetition::Loop && region.roles.get(&index) == Some(&Role::Core)
            });
        if turns_away {
            continue;
        }
        let handles = &context.graph.handles[index];
        let used: HashSet<&str> = context.graph.outgoing[index]
            .iter()
            .filter_map(|&edge| handles.output(context.flow.edges[edge].source_handle.as_deref()))
            .map(|by| by.name.as_str())
            .collect();
        for handle in handles.branches() {
            if !used.contains(handle.name.as_str()) {
                problems.push(
                    Problem::warning(
                        "unused_branch",
                        format!(
                            "Branch `{}` of {} isn't wired, so nothing runs when it is taken. Wire it, or remove the branch.",
                            handle.name,
                            quoted(node)
                        ),
                    )
                    .at(&node.id)
                    .place(&handle.name),
                );
            }
        }
    }
}
