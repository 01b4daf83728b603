//! Rule: ids are there, and each is used once.

use std::collections::HashSet;

use super::flow_context::FlowContext;
use crate::{
    graph::NodeIx,
    handles::Handle,
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
