//! Rule: a subflow contains a valid flow, receives the inputs that the flow requires, and contains nested loops only if nesting
//! is allowed.

use std::collections::HashMap;

use serde_json::Value;

use super::flow_context::FlowContext;
use crate::{
    document::{Flow, Node},
    graph::NodeIx,
    kind::{Data, KindSpec, Kinds, Repetition, Shape},
    problem::{Edit, Problem, quoted},
    regions::nested_loops,
    subflow::{self, FLOW, FROM, REF},
};

/// Checks all subflow nodes. `check_inner` returns every problem of an inner flow.
pub(super) fn check(
    context: &FlowContext<'_>,
    problems: &mut Vec<Problem>,
    check_inner: impl Fn(&Flow) -> Vec<Problem>,
) {
    let mut known = CheckedSubflows::default();
    for (index, node, kind) in context.active() {
        if kind.shape() != Shape::Subflow {
            continue;
        }
        match (subflow::reference(&node.data), subflow::inline(node)) {
            (None, None) => problems.push(
                Problem::error(
                    "subflow_empty",
                    format!(
                        "{} has no flow to run. Choose a file in `ref`, or create a flow inside it.",
                        quoted(node)
                    ),
                )
                .at(&node.id)
                .place(REF),
            ),
            (Some(reference), Some(_)) => problems.push(
                Problem::error(
                    "subflow_twice",
                    format!(
                        "{} has both the file \"{reference}\" and an inline flow. Keep one of them.",
                        quoted(node)
                    ),
                )
                .at(&node.id)
                .place(REF)
                .fix(
                    "Use the file",
                    [FLOW, FROM]
                        .map(|field| Edit::SetData {
                            node: node.id.clone(),
                            field: field.to_owned(),
                            value: serde_json::Value::Null,
                        })
                        .into(),
                ),
            ),
            // Linking has already reported a missing file.
            (Some(_), None) => {}
            (None, Some(Err(error))) => problems.push(
                Problem::error(
                    "subflow_unreadable",
                    format!(
                        "The flow in {} can't be read: {error} Create it again, or choose a file in `ref`.",
                        quoted(node)
                    ),
                )
                .at(&node.id)
                .place(FLOW),
            ),
            (None, Some(Ok(inner))) => {
                required(context, index, node, &inner, problems);
                nesting(context, index, node, &inner, problems);
                settings(node, &inner, problems);
                let found = known.problems(node, &inner, &check_inner);
                problems.extend(found.iter().map(|problem| within(node, problem.clone())));
            }
        }
    }
}

/// The problems of the inner flows checked so far. Nodes with the same flow, for example from the same file, share one check.
/// Without this, two such nodes in each of ten nested flows would cause a thousand checks.
#[derive(Default)]
struct CheckedSubflows<'n>(HashMap<&'n str, (&'n Value, Vec<Problem>)>);

impl<'n> CheckedSubflows<'n> {
    fn problems(
        &mut self,
        node: &'n Node,
        inner: &Flow,
        check_inner: impl Fn(&Flow) -> Vec<Problem>,
    ) -> &[Problem] {
        let from = node.text(FROM).unwrap_or_default();
        let written = node.data.get(FLOW).unwrap_or(&Value::Null);
        let known = self.0.entry(from).or_insert((&Value::Null, Vec::new()));
        if known.0 != written {
            *known = (written, check_inner(inner));
        }
        &known.1
    }
}

/// Converts a problem of an inner flow into a problem of the enclosing flow. The fix is dropped, because it applies only to the
/// inner document.
fn within(node: &Node, problem: Problem) -> Problem {
    let message = match problem.message.strip_prefix("In \"") {
        // The problem comes from a deeper level and already begins with `In "…"`. The names of all levels are joined into one
        // such prefix.
        Some(_) => {
            let around = subflow::inside("", node);
            let deeper = problem.message.replacen("In ", "in ", 1);
            format!("{}, {deeper}", around.trim_end_matches(": "))
        }
        None => format!("{}{}", subflow::inside("", node), problem.message),
    };
    Problem {
        node: Some(match &problem.node {
            Some(inner) => format!("{}/{inner}", node.id),
            None => node.id.clone(),
        }),
        message,
        fix: None,
        ..problem
    }
}

/// Checks that the required inputs of the inner flow are wired.
fn required(
    context: &FlowContext<'_>,
    index: NodeIx,
    node: &Node,
    inner: &Flow,
    problems: &mut Vec<Problem>,
) {
    for input in &inner.nodes {
        let is_required =
            input.data.get("required").and_then(|value| value.as_bool()) == Some(true);
        let has_default = ["default", "defaultValue"]
            .iter()
            .any(|field| input.data.get(*field).is_some_and(|value| !value.is_null()));
        let name = input.boundary_name();
        if context.kinds.shape(input) == Shape::Input
            && is_required
            && !has_default
            && !context.wired(index, Some(name))
        {
            problems.push(
                Problem::error(
                    "nothing_wired",
                    format!(
                        "{} has no `{name}`, which its flow requires. Wire a value to it, or give that input a default.",
                        quoted(node)
                    ),
                )
                .at(&node.id)
                .place(name),
            );
        }
    }
}

/// Reports a subflow that contains a loop and is inside a repeating scope, because its loop is then nested.
fn nesting(
    context: &FlowContext<'_>,
    index: NodeIx,
    node: &Node,
    inner: &Flow,
    problems: &mut Vec<Problem>,
) {
    let Some(region) = context.regions.enclosing(index).next() else {
        return;
    };
    let mut nodes = inner
        .nodes
        .iter()
        .map(|node| (node.kind.as_str(), &node.data));
    if context.flow.settings().allow_nested_loops || !has_loop(&mut nodes, context.kinds) {
        return;
    }
    let start = context.node(context.regions.regions[region].start);
    problems.push(nested_loops(
        &node.id,
        &format!(
            "{} contains a loop and is inside {}.",
            quoted(node),
            quoted(start)
        ),
        context.flow,
    ));
}

/// Reports settings of an inner flow that have no effect, because only the settings of the outermost workflow apply.
fn settings(node: &Node, inner: &Flow, problems: &mut Vec<Problem>) {
    for field in ["budget", "concurrency", "quotaWait"] {
        let value = inner.settings.as_ref().and_then(|all| all.get(field));
        let is_set = value.is_some_and(|value| match value {
            serde_json::Value::Object(parts) => parts.values().any(|part| !part.is_null()),
            value => !value.is_null(),
        });
        if is_set {
            problems.push(
                Problem::warning(
                    "subflow_setting",
                    format!(
                        "The workflow in {} sets `{field}`, which has an effect only in the outermost workflow. Set it there.",
                        quoted(node)
                    ),
                )
                .at(&node.id)
                .place(FLOW),
            );
        }
    }
}

/// Returns whether any of these nodes is a loop or contains a loop in its flow. `nodes` yields the type and the data of each
/// node.
fn has_loop<'n>(nodes: impl IntoIterator<Item = (&'n str, &'n Data)>, kinds: &Kinds) -> bool {
    nodes.into_iter().any(|(kind, data)| {
        data.get("disabled") != Some(&Value::Bool(true))
            && match kinds.get(kind).map(KindSpec::shape) {
                Some(Shape::ScopeStart { repeats, .. }) => repeats == Repetition::Loop,
                // The nodes are examined in raw JSON, so the inner flow need not be parsed.
                Some(Shape::Subflow) => has_loop(written_nodes(data), kinds),
                _ => false,
            }
    })
}

/// Returns the type and the data of each node of the flow that is inline in a node's data.
fn written_nodes(data: &Data) -> Vec<(&str, &Data)> {
    let nodes = data
        .get(FLOW)
        .and_then(|flow| flow.get("nodes")?.as_array());
    let nodes = nodes
        .into_iter()
        .flatten()
        .filter_map(|node| Some((node.get("type")?.as_str()?, node.get("data")?.as_object()?)));
    nodes.collect()
}
