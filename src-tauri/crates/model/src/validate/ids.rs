//! Rule: ids are there, and each is used once.

use std::collections::HashSet;

use super::Flowing;
use crate::problem::{Edit, Problem};

pub(super) fn check(flowing: &Flowing<'_>, problems: &mut Vec<Problem>) {
    let mut seen = HashSet::new();
    for node in &flowing.flow.nodes {
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
    for edge in &flowing.flow.edges {
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
    for edge in &flowing.flow.edges {
        let ends = (
            &edge.source,
            &edge.source_handle,
            &edge.target,
            &edge.target_handle,
        );
        if !wires.insert(ends) {
            problems.push(
                Problem::warning(
                    "duplicate_wire",
                    format!(
                        "The wire \"{}\" from \"{}\" to \"{}\" is there twice. Remove one.",
                        edge.id, edge.source, edge.target
                    ),
                )
                .at(&edge.target)
                .place(format!("edge:{}", edge.id))
                .fix(
                    "Remove the second wire",
                    vec![Edit::RemoveEdge {
                        id: edge.id.clone(),
                    }],
                ),
            );
        }
    }
}
