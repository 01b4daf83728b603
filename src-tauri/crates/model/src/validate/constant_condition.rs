//! Rule: a loop's condition reads something that changes from one iteration to the next.

use serde_json::Value;

use super::flow_context::FlowContext;
use crate::{
    document::Node,
    graph::NodeIx,
    kind::{Repetition, TemplateMode},
    problem::{Problem, quoted},
    regions::Region,
};
use loopwright_template::Reference;

/// The names of those values of the nearest loop that change in every iteration.
const CHANGING: [&str; 3] = ["loopIndex", "loopCount", "loopResult"];

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    for (index, node, kind) in context.active() {
        let Some(region) = context
            .regions
            .regions
            .iter()
            .find(|region| region.start == index && region.repeats == Repetition::Loop)
        else {
            continue;
        };
        for site in kind.templates(&node.data) {
            if site.mode != TemplateMode::Condition {
                continue;
            }
            let Ok(references) = site.references() else {
                continue;
            };
            if references
                .iter()
                .any(|reference| changes(context, index, node, region, reference))
            {
                continue;
            }
            problems.push(
                Problem::warning(
                    "constant_condition",
                    format!(
                        "Condition of {} reads nothing that changes from one iteration to the next, so it is always true or \
                         always false. Read `result`, `vars`, `loopIndex` or a node of the body.",
                        quoted(node)
                    ),
                )
                .at(&node.id)
                .place(&site.field),
            );
        }
    }
}

/// Returns whether the value that a reference reads can differ between iterations.
fn changes(
    context: &FlowContext<'_>,
    start: NodeIx,
    node: &Node,
    region: &Region,
    reference: &Reference,
) -> bool {
    let root = reference.root.as_str();
    // In variables mode, every iteration receives the loop's own input, so the input does not change.
    let input_changes = !context
        .spec(start)
        .is_some_and(|kind| kind.keeps_input(&node.data));
    let in_body = |id: &str| {
        context
            .graph
            .index(id)
            .is_some_and(|read| region.body.contains(&read) || read == start)
    };
    match root {
        "input" => input_changes,
        "result" | "previous" => true,
        "vars" => match reference.path.first() {
            Some(name) => variable_changes(node, name),
            None => true,
        },
        "nodes" => reference.path.first().is_none_or(|id| in_body(id)),
        "loops" => reference.path.first().is_none_or(|id| *id == node.id),
        _ if CHANGING.contains(&root) => true,
        _ if node.text("inputName") == Some(root) => input_changes,
        _ => {
            let own = CHANGING.iter().any(|name| {
                root.strip_suffix(name).and_then(|id| id.strip_suffix('_')) == Some(&*node.id)
            });
            own || in_body(root)
        }
    }
}

/// Returns whether the value of a variable can change between iterations. A variable without `next` has its initial value in
/// every iteration.
fn variable_changes(node: &Node, name: &str) -> bool {
    node.data
        .get("variables")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .find(|variable| variable.get("name").and_then(Value::as_str) == Some(name))
        // Another rule reports a variable that does not exist, so it counts as changing here.
        .is_none_or(|variable| variable.get("next").is_some_and(|next| !next.is_null()))
}
