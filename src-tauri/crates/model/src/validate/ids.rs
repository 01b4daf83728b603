//! Rule: ids are there, each is used once, and none reads like the place of another node.

use std::collections::HashSet;

use super::flow_context::FlowContext;
use crate::{
    graph::NodeIx,
    handles::Handle,
    kind::Shape,
    problem::{Edit, Problem, quoted},
};

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    let mut seen = HashSet::new();
    for node in &context.flow.nodes {
        if node.id.trim().is_empty() {
            problems.push(Problem::error(
                "missing_id",
                format!(
                    "A node of type \"{}\" has an empty id. Give it one.",
                    node.kind
                ),
            ));
        } else if !seen.insert(node.id.as_str()) {
            problems.push(
                Problem::error(
                    "duplicate_id",
                    format!(
                        "Two nodes have the id \"{}\". Give one of them another id.",
                        node.id
                    ),
                )
                .at(&node.id),
            );
        } else if let Some(around) = reads_as_inside(context, &node.id) {
            problems.push(
                Problem::error(
                    "ambiguous_id",
                    format!(
                        "The id \"{}\" reads like the place of a node inside {}. Give it another id.",
                        node.id,
                        quoted(context.node(around))
                    ),
                )
                .at(&node.id),
            );
        }
    }
    let mut seen = HashSet::new();
    for edge in &context.flow.edges {
        if !seen.insert(edge.id.as_str()) {
            problems.push(
                Problem::error(
                    "duplicate_id",
                    format!(
                        "Two wires have the id \"{}\". Give one of them another id.",
                        edge.id
                    ),
                )
                .place(format!("edge:{}", edge.id)),
            );
        }
    }
    let mut wires = HashSet::new();
    for (index, edge) in context.flow.edges.iter().enumerate() {
        let (leaves, enters) = (edge.source_handle.as_deref(), edge.target_handle.as_deref());
        let named = |handle: Option<&Handle>, written: Option<&str>| {
            handle.map_or_else(
                || written.map(str::to_owned),
                |handle| Some(handle.name.clone()),
            )
        };
        let handles = &context.graph.handles;
        let ends = context.graph.ends[index];
        let title = |node: Option<NodeIx>, id: &str| {
            node.map_or_else(|| format!("\"{id}\""), |node| quoted(context.node(node)))
        };
        let meant = (
            &edge.source,
            named(
                ends.and_then(|(source, _)| handles[source].output(leaves)),
                leaves,
            ),
            &edge.target,
            named(
                ends.and_then(|(_, target)| handles[target].input(enters)),
                enters,
            ),
        );
        if !wires.insert(meant) {
            let twice = Problem::warning(
                "duplicate_wire",
                format!(
                    "The wire \"{}\" from {} to {} exists twice. Remove one.",
                    edge.id,
                    title(ends.map(|(source, _)| source), &edge.source),
                    title(ends.map(|(_, target)| target), &edge.target),
                ),
            )
            .place(format!("edge:{}", edge.id))
            .fix(
                "Remove the second wire",
                vec![Edit::RemoveEdge {
                    id: edge.id.clone(),
                }],
            );
            // One that ends nowhere has no node to stand at.
            problems.push(match ends {
                Some(_) => twice.at(&edge.target),
                None => twice,
            });
        }
    }
}

/// The node that an id reads as being inside of: records of a run call a node in the subflow `a` `a/b`, and one in the loop or list
/// `a` `a[2]/b`. A node of such an id could not be told from that one.
fn reads_as_inside(context: &FlowContext<'_>, id: &str) -> Option<NodeIx> {
    let shape_of = |id: &str| {
        let node = context.graph.index(id)?;
        Some((node, &context.graph.shapes[node]))
    };
    id.match_indices('/').find_map(|(at, _)| {
        let before = &id[..at];
        if let Some((node, Shape::Subflow)) = shape_of(before) {
            return Some(node);
        }
        let (start, number) = before.strip_suffix(']')?.rsplit_once('[')?;
        match shape_of(start)? {
            (node, Shape::ScopeStart { .. }) if number.parse::<u32>().is_ok() => Some(node),
            _ => None,
        }
    })
}
