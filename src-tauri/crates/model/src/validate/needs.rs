//! Rule: what a node cannot work without is wired to it.

use super::flowing::Flowing;
use crate::{
    kind::Shape,
    problem::{Problem, quoted},
};

pub(super) fn check(flowing: &Flowing<'_>, problems: &mut Vec<Problem>) {
    for (index, node, kind) in flowing.active() {
        if flowing.wired(index, None) {
            continue;
        }
        let Some(handle) = flowing.graph.handles[index].primary_input() else {
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
            let templates = flowing.kinds.schema(kind.type_name());
            let own = templates
                .and_then(|schema| schema.pointer(&format!("/properties/{}", handle.name)))
                .is_some_and(|field| {
                    field
                        .get("x-widget")
                        .is_some_and(|widget| widget == "template")
                });
            let or = if own { ", or write one there" } else { "" };
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
