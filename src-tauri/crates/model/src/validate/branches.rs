//! Rule: every branch leads somewhere.

use super::{Flowing, quoted};
use crate::{
    kind::{Repetition, Shape},
    problem::Problem,
};

pub(super) fn check(flowing: &Flowing<'_>, problems: &mut Vec<Problem>) {
    for (index, node, kind) in flowing.active() {
        if kind.shape() != Shape::Branching {
            continue;
        }
        // In a loop's body a branch that leads nowhere is how a node turns away from the exit.
        let in_loop = flowing
            .regions
            .enclosing(index)
            .any(|region| flowing.regions.regions[region].repeats == Repetition::Loop);
        if in_loop {
            continue;
        }
        let handles = &flowing.graph.handles[index];
        for handle in &handles.outputs {
            let used = flowing.graph.outgoing[index].iter().any(|&edge| {
                handles
                    .output(flowing.flow.edges[edge].source_handle.as_deref())
                    .is_some_and(|by| by.name == handle.name)
            });
            if !used {
                problems.push(
                    Problem::warning(
                        "unused_branch",
                        format!(
                            "No wire leaves branch `{}` of {}: when it is taken, nothing follows. Wire it on, or remove the branch.",
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
