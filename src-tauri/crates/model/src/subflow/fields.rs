//! The subflow fields of a node's `data`.

use serde_json::Value;

use crate::{
    document::{Flow, Node},
    file::{self, ReadError},
    kind::Data,
};

/// The field of `data` with an inline flow.
pub const FLOW: &str = "flow";
/// The field of `data` that names a file: a path relative to the folder of the file that contains the node. The path must not
/// leave that folder.
pub const REF: &str = "ref";
/// The field of `data` with the file that an inline flow was read from, relative to the folder of the outermost file.
pub const FROM: &str = "from";

/// Returns the reference in a node's `data`, if any.
pub fn reference(data: &Data) -> Option<&str> {
    data.get(REF)
        .and_then(Value::as_str)
        .filter(|reference| !reference.trim().is_empty())
}

/// Returns the inline flow of a node, or `None` if it has none.
///
/// # Errors
/// Returns [`ReadError`] if the field does not contain a flow.
pub fn inline(node: &Node) -> Option<Result<Flow, ReadError>> {
    node.data
        .get(FLOW)
        .filter(|flow| !flow.is_null())
        .map(|flow| file::read_value(flow.clone()))
}

/// Whether `node` has an inline flow, so that its handles are known.
pub fn is_linked(node: &Node) -> bool {
    node.data.get(FLOW).is_some_and(Value::is_object)
}

/// Returns the type and the data of each node of an inline flow.
pub(super) fn inline_nodes(flow: &Value) -> impl Iterator<Item = (&str, Option<&Data>)> {
    let nodes = flow.get("nodes").and_then(Value::as_array);
    nodes.into_iter().flatten().map(|node| {
        (
            node.get("type").and_then(Value::as_str).unwrap_or_default(),
            node.get("data").and_then(Value::as_object),
        )
    })
}

/// Returns how messages about the contents of `node` begin: `In "Polish": `, `In "Polish", in "Check": `.
pub(crate) fn inside(around: &str, node: &Node) -> String {
    let from = node
        .text(FROM)
        .or(reference(&node.data))
        .map_or_else(String::new, |file| format!(" ({file})"));
    match around.strip_suffix(": ") {
        Some(around) => format!("{around}, in \"{}\"{from}: ", node.title()),
        None => format!("In \"{}\"{from}: ", node.title()),
    }
}
