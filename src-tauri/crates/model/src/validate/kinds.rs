//! Rule: every node has a known kind, was translated if it was imported, and is bypassed only if its kind allows it.

use serde_json::Value;

use super::flow_context::FlowContext;
use crate::{
    document::Node,
    kind::{KindSpec, Repetition, Shape},
    problem::{Edit, Problem, quoted, with_article},
};
use loopwright_template::suggest::nearest;

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    for (index, node) in context.flow.nodes.iter().enumerate() {
        if node.is_placeholder() {
            problems.push(
                Problem::warning(
                    "imported_placeholder",
                    format!(
                        "{} was imported but could not be translated. A run that reaches it fails. Replace it with a node that \
                         does the same, or disable it.",
                        quoted(node)
                    ),
                )
                .at(&node.id)
                .place("imported"),
            );
            continue;
        }
        match context.spec(index) {
            None => unknown(context, node, problems),
            Some(kind) if node.disabled() && !may_bypass(kind) => problems.push(
                Problem::error(
                    "cannot_bypass",
                    format!(
                        "{} is disabled, but {} can't be bypassed, because its output would be undefined. Enable it, or remove \
                         it.",
                        quoted(node),
                        with_article(kind.title())
                    ),
                )
                .at(&node.id)
                .place("disabled")
                .fix(
                    "Enable it",
                    vec![Edit::SetData {
                        node: node.id.clone(),
                        field: "disabled".to_owned(),
                        value: Value::Null,
                    }],
                ),
            ),
            Some(_) => {}
        }
    }
}

/// Returns whether a node of this kind may be bypassed. A bypassed loop passes its input to the output of its end. A
/// bypassed output is omitted from the results.
fn may_bypass(kind: &dyn KindSpec) -> bool {
    kind.can_bypass()
        || matches!(
            kind.shape(),
            Shape::Annotation
                | Shape::Output
                | Shape::ScopeStart {
                    repeats: Repetition::Loop,
                    ..
                }
        )
}

fn unknown(context: &FlowContext<'_>, node: &Node, problems: &mut Vec<Problem>) {
    let hint = match nearest(&node.kind, context.kinds.type_names()) {
        Some(near) => format!(" Did you mean \"{near}\"?"),
        None => format!(
            " Replace it with one of {}, or disable it to pass its input on.",
            context
                .kinds
                .iter()
                .filter(|kind| !kind.hidden())
                .map(KindSpec::type_name)
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    let message = format!(
        "{} is of type \"{}\", which Loopwright doesn't know.{hint}",
        quoted(node),
        node.kind
    );
    let problem = if node.disabled() {
        Problem::warning("unknown_kind", message)
    } else {
        Problem::error("unknown_kind", message)
    };
    problems.push(problem.at(&node.id).place("type"));
}
