//! Rule: wires connect existing nodes and handles, and the value type at the source converts to the type at the target.

use super::flow_context::FlowContext;
use crate::{
    document::Edge,
    graph::NodeIx,
    handles::{Handle, ValueType},
    kind::{Repetition, Shape},
    problem::{Edit, Problem, quoted},
    subflow,
};

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    for (index, edge) in context.flow.edges.iter().enumerate() {
        match context.graph.ends[index] {
            None => dangling(context, edge, problems),
            Some((source, target)) => joined(context, edge, source, target, problems),
        }
    }
}

fn remove(problem: Problem, edge: &Edge) -> Problem {
    problem.place(format!("edge:{}", edge.id)).fix(
        "Remove the wire",
        vec![Edit::RemoveEdge {
            id: edge.id.clone(),
        }],
    )
}

fn dangling(context: &FlowContext<'_>, edge: &Edge, problems: &mut Vec<Problem>) {
    let there = |id: &str| context.graph.index(id).is_some();
    let (end, missing, other) = if there(&edge.source) {
        ("ends at", &edge.target, &edge.source)
    } else {
        ("starts at", &edge.source, &edge.target)
    };
    let ids = context.flow.nodes.iter().map(|node| node.id.as_str());
    let hint = match context.nearest(missing, ids) {
        Some(near) => format!("Did you mean \"{near}\"?"),
        None => "Remove it.".to_owned(),
    };
    let message = format!(
        "The wire \"{}\" {end} \"{missing}\", but there is no such node. {hint}",
        edge.id
    );
    let problem = Problem::error("dangling_edge", message);
    let problem = if there(other) {
        problem.at(other)
    } else {
        problem
    };
    problems.push(remove(problem, edge));
}

fn joined(
    context: &FlowContext<'_>,
    edge: &Edge,
    source: NodeIx,
    target: NodeIx,
    problems: &mut Vec<Problem>,
) {
    let handles = &context.graph.handles;
    let from = handles[source].output(edge.source_handle.as_deref());
    let to = handles[target].input(edge.target_handle.as_deref());
    if from.is_none() && is_readable(context, source) {
        let name = edge.source_handle.as_deref();
        problems.push(unknown(
            context,
            edge,
            source,
            name,
            &handles[source].outputs,
            "output",
        ));
    }
    if to.is_none() && is_readable(context, target) {
        let name = edge.target_handle.as_deref();
        problems.push(unknown(
            context,
            edge,
            target,
            name,
            &handles[target].inputs,
            "input",
        ));
    }
    let (Some(from), Some(to)) = (from, to) else {
        return;
    };
    if from.value_type.converts_to(to.value_type) {
        if needs_list(context, target) && is_no_list(from.value_type) {
            problems.push(no_list(context, edge, (source, from), target));
        }
        return;
    }
    let problem = Problem::error(
        "incompatible_types",
        format!(
            "`{}` of {} gives a {}, but `{}` of {} takes a {}. Put a Transform between them.",
            from.name,
            quoted(context.node(source)),
            type_name(from),
            to.name,
            quoted(context.node(target)),
            type_name(to),
        ),
    );
    problems.push(remove(problem.at(&edge.target), edge));
}

fn needs_list(context: &FlowContext<'_>, target: NodeIx) -> bool {
    matches!(
        context.graph.shapes[target],
        Shape::ScopeStart {
            repeats: Repetition::Each,
            ..
        }
    )
}

fn is_no_list(value_type: ValueType) -> bool {
    match value_type {
        ValueType::Text | ValueType::Number | ValueType::Boolean => true,
        ValueType::Json | ValueType::Any => false,
    }
}

/// Warns about a wire into an iterator from an output that never produces a list.
fn no_list(
    context: &FlowContext<'_>,
    edge: &Edge,
    (source, from): (NodeIx, &Handle),
    target: NodeIx,
) -> Problem {
    let message = format!(
        "{} runs once per item of a list, and `{}` of {} gives a {}. Put a Transform that makes a list between them.",
        quoted(context.node(target)),
        from.name,
        quoted(context.node(source)),
        type_name(from),
    );
    Problem::warning("not_a_list", message)
        .at(&edge.target)
        .place(format!("edge:{}", edge.id))
}

fn type_name(handle: &Handle) -> String {
    format!("{:?}", handle.value_type).to_lowercase()
}

/// Returns whether the handles of the node are known, so that its wires can be checked.
fn is_readable(context: &FlowContext<'_>, node: NodeIx) -> bool {
    let document = context.node(node);
    context.spec(node).is_some()
        && !document.is_placeholder()
        && (context.graph.shapes[node] != Shape::Subflow || subflow::is_linked(document))
}

fn unknown(
    context: &FlowContext<'_>,
    edge: &Edge,
    index: NodeIx,
    name: Option<&str>,
    known: &[Handle],
    side: &str,
) -> Problem {
    let node = context.node(index);
    let names: Vec<&str> = known.iter().map(|handle| handle.name.as_str()).collect();
    let near = name.and_then(|name| context.nearest(name, names.iter().copied()));
    // If there is only one handle, the wire was probably meant for it.
    let meant = near.or(match names.as_slice() {
        [only] => Some(*only),
        _ => None,
    });
    let what = match name {
        Some(name) => format!("{} has no {side} handle \"{name}\".", quoted(node)),
        None => format!(
            "{} has no main {side}, so the wire must name one.",
            quoted(node)
        ),
    };
    let hint = match (near, names.is_empty()) {
        (Some(near), _) => format!("Did you mean \"{near}\"?"),
        (None, true) => "It has none. Remove the wire.".to_owned(),
        (None, false) => format!("It has {}.", listed(&names)),
    };
    let problem = Problem::error("unknown_handle", format!("{what} {hint}")).at(&node.id);
    let Some(meant) = meant else {
        return remove(problem, edge);
    };
    let mut rewired = edge.clone();
    if side == "output" {
        rewired.source_handle = Some(meant.to_owned());
    } else {
        rewired.target_handle = Some(meant.to_owned());
    }
    problem.place(format!("edge:{}", edge.id)).fix(
        format!("Wire it to {meant}"),
        vec![Edit::UpdateEdge { edge: rewired }],
    )
}

/// The maximum number of handles that a message names.
const NAMED: usize = 20;

fn listed(names: &[&str]) -> String {
    match names.get(..NAMED) {
        Some(some) if names.len() > NAMED => {
            format!("{} and {} more", some.join(", "), names.len() - NAMED)
        }
        _ => names.join(", "),
    }
}
