//! The fields of a node's `data` that describe a subflow.

use serde_json::Value;

use crate::{
    document::{Flow, Node},
    file::{self, ReadError},
    kind::Data,
};

/// The name of the field of `data` that contains an inline flow.
pub const FLOW: &str = "flow";
/// The name of the field of `data` that refers to a file. Its value is a path relative to the folder of the file that contains
/// the node, and must not leave that folder.
pub const REF: &str = "ref";
/// The name of the field of `data` that names the file from which an inline flow was read. Its value is a path relative to
/// the folder of the outermost file.
pub const FROM: &str = "from";

/// Returns the file reference in a node's `data`, or `None` if `data` has no reference.
pub fn reference(data: &Data) -> Option<&str> {
    data.get(REF)
        .and_then(Value::as_str)
        .filter(|reference| !reference.trim().is_empty())
}

/// Returns the inline flow of a node, or `None` if the node has no inline flow.
///
/// # Errors
/// Returns [`ReadError`] if the field does not contain a flow.
pub fn inline(node: &Node) -> Option<Result<Flow, ReadError>> {
    node.data
        .get(FLOW)
        .filter(|flow| !flow.is_null())
        .map(|flow| file::read_value(flow.clone()))
}

/// Returns whether `node` has an inline flow. The flow determines the node's handles.
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

/// Returns the beginning of a message about the contents of `node`, such as `In "Polish": ` or `In "Polish", in "Check": `.
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
