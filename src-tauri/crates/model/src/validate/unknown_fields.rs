//! Rule: the fields of the flow, of its nodes and of its wires are known. The fields inside a node's `data` have a rule of
//! their own.

use serde_json::Value;

use super::flow_context::FlowContext;
use crate::problem::{Problem, quoted};
use loopwright_template::suggest::nearest;

/// The names of a flow's fields: those that [`crate::Flow`] reads, and those that only the editor reads.
const FLOW_FIELDS: [&str; 8] = [
    "schemaVersion",
    "name",
    "description",
    "settings",
    "nodes",
    "edges",
    "viewport",
    "groups",
];

/// The fields that [`crate::document::Node`] reads.
const NODE_FIELDS: [&str; 4] = ["id", "type", "position", "data"];

/// The fields that React Flow and editors built on it add to a node. They describe its drawing, so no warning is needed.
const DRAWN_NODE_FIELDS: [&str; 34] = [
    "ariaLabel",
    "ariaRole",
    "className",
    "connectable",
    "deletable",
    "domAttributes",
    "dragHandle",
    "draggable",
    "dragging",
    "expandParent",
    "extent",
    "focusable",
    "handles",
    "height",
    "hidden",
    "initialHeight",
    "initialWidth",
    "internals",
    "isParent",
    "measured",
    "origin",
    "parentId",
    "parentNode",
    "positionAbsolute",
    "resizing",
    "selectable",
    "selected",
    "sourcePosition",
    "style",
    "targetPosition",
    "width",
    "xPos",
    "yPos",
    "zIndex",
];

/// The fields that [`crate::document::Edge`] reads.
const EDGE_FIELDS: [&str; 5] = ["id", "source", "sourceHandle", "target", "targetHandle"];

/// The fields that React Flow and editors built on it add to a wire.
const DRAWN_EDGE_FIELDS: [&str; 30] = [
    "animated",
    "ariaLabel",
    "ariaRole",
    "className",
    "data",
    "deletable",
    "domAttributes",
    "focusable",
    "hidden",
    "interactionWidth",
    "label",
    "labelBgBorderRadius",
    "labelBgPadding",
    "labelBgStyle",
    "labelShowBg",
    "labelStyle",
    "markerEnd",
    "markerStart",
    "pathOptions",
    "reconnectable",
    "selectable",
    "selected",
    "sourceNode",
    "sourcePosition",
    "style",
    "targetNode",
    "targetPosition",
    "type",
    "updatable",
    "zIndex",
];

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    for field in context.flow.extra.keys() {
        if !FLOW_FIELDS.contains(&field.as_str()) {
            let message = format!(
                "`{field}` isn't a field of a flow. {}",
                remedy(field, &FLOW_FIELDS)
            );
            problems.push(unknown(message).place(field));
        }
    }
    for node in &context.flow.nodes {
        // What an import could not translate is reported as a whole.
        if node.is_placeholder() {
            continue;
        }
        for (field, value) in &node.extra {
            if DRAWN_NODE_FIELDS.contains(&field.as_str()) {
                continue;
            }
            let remedy = match value {
                // Many formats keep the settings of a node in `config` or `parameters`.
                Value::Object(_)
                    if node.data.is_empty() && nearest(field, NODE_FIELDS).is_none() =>
                {
                    "It is kept but has no effect. Move its contents to `data`, where the settings of a node belong."
                        .to_owned()
                }
                _ => remedy(field, &NODE_FIELDS),
            };
            let message = format!(
                "`{field}` of {} isn't a field of a node. {remedy}",
                quoted(node)
            );
            problems.push(unknown(message).at(&node.id).place(field));
        }
    }
    for edge in &context.flow.edges {
        for field in edge.extra.keys() {
            if DRAWN_EDGE_FIELDS.contains(&field.as_str()) {
                continue;
            }
            let message = format!(
                "`{field}` of the wire \"{}\" isn't a field of a wire. {}",
                edge.id,
                remedy(field, &EDGE_FIELDS)
            );
            problems.push(unknown(message).place(format!("edge:{}", edge.id)));
        }
    }
}

fn unknown(message: String) -> Problem {
    Problem::warning("unknown_field", message)
}

fn remedy(field: &str, known: &[&str]) -> String {
    match nearest(field, known.iter().copied()) {
        Some(near) => format!("Did you mean `{near}`?"),
        None => {
            "It is kept but has no effect. Remove it unless another program reads it.".to_owned()
        }
    }
}
