//! The identity under which approvals are stored for a flow.

use loopwright_model::Flow;
use serde_json::{Value, json};

use crate::subflows;

/// Returns the identity of a flow: its file, or a hash of its content if it has no file.
pub fn identity(path: Option<&str>, flow: &Flow) -> String {
    match path {
        Some(path) => subflows::canonical(path).display().to_string(),
        None => {
            let nodes: Vec<Value> = flow
                .nodes
                .iter()
                .map(|node| json!([node.id, node.kind, node.data]))
                .collect();
            let text = Value::Array(nodes).to_string();
            format!("content:{}", &blake3::hash(text.as_bytes()).to_hex()[..16])
        }
    }
}
