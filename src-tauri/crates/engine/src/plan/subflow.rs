//! The plan of a flow that runs inside a node.

use loopwright_model::ValueType;

/// A flow that runs as one node.
#[derive(Debug)]
pub struct SubflowPlan {
    /// The inner flow's inputs with their types. Each is an input handle of the node.
    pub inputs: Vec<(String, ValueType)>,
    /// The names of the inner flow's outputs. Each is an output handle of the node; the first is the primary handle.
    pub outputs: Vec<String>,
    /// The inner workflow's own timeout, in milliseconds; `None` if it has none.
    pub timeout_ms: Option<u64>,
}
