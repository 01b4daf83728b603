//! Rule: wires join nodes and handles that exist, of types that convert.

use super::flowing::Flowing;
use crate::{
    document::Edge,
    graph::NodeIx,
    handles::{Handle, ValueType},
    kind::{Repetition, Shape},
    problem::{Edit, Problem, quoted},
    subflow,
};

pub(super) fn check(flowing: &Flowing<'_>, problems: &mut Vec<Problem>) {
    for (index, edge) in flowing.flow.edges.iter().enumerate() {
        match flowing.graph.ends[index] {
            None => dangling(flowing, edge, problems),
            Some((source, target)) => joined(flowing, edge, source, target, problems),
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

fn dangling(flowing: &Flowing<'_>, edge: &Edge, problems: &mut Vec<Problem>) {
    let there = |id: &str| flowing.graph.index(id).is_some();
    let (end, missing, other) = if there(&edge.source) {
        ("ends at", &edge.target, &edge.source)
    } else {
        ("starts at", &edge.source, &edge.target)
    };
    let ids = flowing.flow.nodes.iter().map(|node| node.id.as_str());
    let hint = match flowing.nearest(missing, ids) {
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
    flowing: &Flowing<'_>,
    edge: &Edge,
    source: NodeIx,
    target: NodeIx,
    problems: &mut Vec<Problem>,
) {
    let handles = &flowing.graph.handles;
    let from = handles[source].output(edge.source_handle.as_deref());
    let to = handles[target].input(edge.target_handle.as_deref());
    if from.is_none() && is_readable(flowing, source) {
        let name = edge.source_handle.as_deref();
        problems.push(unknown(
            flowing,
            edge,
            source,
            name,
            &handles[source].outputs,
            "output",
        ));
    }
    if to.is_none() && is_readable(flowing, target) {
        let name = edge.target_handle.as_deref();
        problems.push(unknown(
            flowing,
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
        if needs_list(flowing, target) && is_no_list(from.value_type) {
            problems.push(no_list(flowing, edge, (source, from), target));
        }
        return;
    }
    let problem = Problem::error(
        "incompatible_types",
        format!(
            "`{}` of {} gives a {}, but `{}` of {} takes a {}. Put a Transform between them.",
            from.name,
            quoted(flowing.node(source)),
            type_name(from),
            to.name,
            quoted(flowing.node(target)),
            type_name(to),
        ),
    );
    problems.push(remove(problem.at(&edge.target), edge));
}

fn needs_list(flowing: &Flowing<'_>, target: NodeIx) -> bool {
    matches!(
        flowing.graph.shapes[target],
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

/// A wire that what goes through a list begins with, from an output that gives none.
fn no_list(
    flowing: &Flowing<'_>,
    edge: &Edge,
    (source, from): (NodeIx, &Handle),
    target: NodeIx,
) -> Problem {
    let message = format!(
        "{} runs once per item of a list, and `{}` of {} gives a {}. Put a Transform between them that makes a list of it.",
        quoted(flowing.node(target)),
        from.name,
        quoted(flowing.node(source)),
        type_name(from),
    );
    Problem::warning("not_a_list", message)
        .at(&edge.target)
        .place(format!("edge:{}", edge.id))
}

fn type_name(handle: &Handle) -> String {
    format!("{:?}", handle.value_type).to_lowercase()
}

/// Whether the node's handles are known.
fn is_readable(flowing: &Flowing<'_>, node: NodeIx) -> bool {
    let document = flowing.node(node);
    flowing.spec(node).is_some()
        && !document.is_placeholder()
        && (flowing.graph.shapes[node] != Shape::Subflow || subflow::is_linked(document))
}

fn unknown(
    flowing: &Flowing<'_>,
    edge: &Edge,
    index: NodeIx,
    name: Option<&str>,
    known: &[Handle],
    side: &str,
) -> Problem {
    let node = flowing.node(index);
    let names: Vec<&str> = known.iter().map(|handle| handle.name.as_str()).collect();
    let near = name.and_then(|name| flowing.nearest(name, names.iter().copied()));
    // With one handle there is nothing else that can have been meant.
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

/// Handles that a message names.
const NAMED: usize = 20;

fn listed(names: &[&str]) -> String {
    match names.get(..NAMED) {
        Some(some) if names.len() > NAMED => {
            format!("{} and {} more", some.join(", "), names.len() - NAMED)
        }
        _ => names.join(", "),
    }
}
