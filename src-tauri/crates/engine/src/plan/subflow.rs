//! What a plan keeps of a flow inside a node.

use loopwright_model::ValueType;

/// A flow that runs as one node.
#[derive(Debug)]
pub struct SubflowPlan {
    /// The inner flow's inputs, which are handles of the node, with what they take.
    pub inputs: Vec<(String, ValueType)>,
    /// Names of the inner flow's outputs, which are handles of the node. The first is the primary one.
    pub outputs: Vec<String>,
    /// The inner workflow's own limit.
    pub timeout_ms: Option<u64>,
}
