//! The plan of a flow inside a node.

use loopwright_model::ValueType;

/// A flow that runs as one node.
#[derive(Debug)]
pub struct SubflowPlan {
    /// The inner flow's inputs with their types. They are handles of the node.
    pub inputs: Vec<(String, ValueType)>,
    /// The names of the inner flow's outputs. They are handles of the node; the first is the primary one.
    pub outputs: Vec<String>,
    /// The inner workflow's own timeout, in milliseconds.
    pub timeout_ms: Option<u64>,
}
