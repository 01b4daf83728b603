//! Rule: every required input of a node is wired.

use super::flow_context::FlowContext;
use crate::{
    kind::Shape,
    problem::{Problem, quoted},
};

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    for (index, node, kind) in context.active() {
        if context.wired(index, None) {
            continue;
        }
        let Some(handle) = context.graph.handles[index].primary_input() else {
            continue;
        };
        if kind.shape() == Shape::Output {
            problems.push(
                Problem::warning(
                    "nothing_wired",
                    format!(
                        "Nothing is wired to {}, so it gives no value. Wire a result to it.",
                        quoted(node)
                    ),
                )
                .at(&node.id)
                .place(&handle.name),
            );
        } else if kind.needs_input(&node.data) {
            let templates = context.kinds.schema(kind.type_name());
            let own = templates
                .and_then(|schema| schema.pointer(&format!("/properties/{}", handle.name)))
                .is_some_and(|field| {
                    field
                        .get("x-widget")
                        .is_some_and(|widget| widget == "template")
                });
            let or = if own {
                ", or enter one in that field"
            } else {
                ""
            };
            problems.push(
                Problem::error(
                    "nothing_wired",
                    format!(
                        "{} has no `{}`. Wire a value to it{or}.",
                        quoted(node),
                        handle.name
                    ),
                )
                .at(&node.id)
                .place(&handle.name),
            );
        }
    }
}
