//! Rule: every id is present and unique, and cannot be mistaken for the path of a node inside another node.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ops::Bound,
};

use super::flow_context::FlowContext;
use crate::{
    graph::NodeIx,
    handles::Handle,
    kind::Shape,
    problem::{Edit, Problem, quoted},
};

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    let places = places(context);
    let mut seen = HashSet::new();
    for node in &context.flow.nodes {
        if node.id.trim().is_empty() {
            problems.push(Problem::error(
                "missing_id",
                format!(
                    "A node of type \"{}\" has an empty id. Give it an id.",
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
        } else if let Some(&around) = places.get(node.id.as_str()) {
            problems.push(
                Problem::error(
                    "ambiguous_id",
                    format!(
                        "The id \"{}\" could be mistaken for the path of a node inside {}. Choose another id.",
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
            // An edge whose source and target are both missing has no node to which the problem could be attached.
            problems.push(match ends {
                Some(_) => twice.at(&edge.target),
                None => twice,
            });
        }
    }
}

/// Returns the ids that look like paths of nodes inside another node, each with that other node. In a run's records, the node
/// `b` in the subflow `a` is called `a/b`, and in an iteration of the loop or iterator `a` it is called `a[2]/b`. A node with
/// such an id could not be distinguished from that inner node.
fn places<'a>(context: &FlowContext<'a>) -> HashMap<&'a str, NodeIx> {
    let nodes = &context.flow.nodes;
    let ids: BTreeSet<&str> = nodes.iter().map(|node| node.id.as_str()).collect();
    let mut found = HashMap::new();
    for (around, node) in nodes.iter().enumerate() {
        let follows = match context.graph.shapes[around] {
            Shape::Subflow => "/",
            Shape::ScopeStart { .. } => "[",
            _ => continue,
        };
        if node.id.trim().is_empty() {
            continue;
        }
        let begins = format!("{}{follows}", node.id);
        // In the sorted set, all ids with this prefix are adjacent, so no others need to be visited.
        for id in ids.range::<str, _>((Bound::Included(begins.as_str()), Bound::Unbounded)) {
            let Some(rest) = id.strip_prefix(begins.as_str()) else {
                break;
            };
            if follows == "/" || is_in_iteration(rest) {
                found.entry(*id).or_insert(around);
            }
        }
    }
    found
}

/// Returns whether `rest`, the text after the bracket, consists of an iteration number and the path of a node inside that
/// iteration.
fn is_in_iteration(rest: &str) -> bool {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[digits..].starts_with("]/") && rest[..digits].parse::<u32>().is_ok()
}
