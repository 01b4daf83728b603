//! Where a template stands, and what it reads of other nodes.

use loopwright_model::graph::NodeIx;

/// Where a template stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope {
    /// The innermost region around it.
    pub(super) region: Option<usize>,
    /// It is an expression of the region's own loop, which reads `result` and no input handles.
    pub(super) of_loop: bool,
}

/// What a template reads of another node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) by: NodeIx,
    pub(super) of: String,
    /// The first step; `None` where it is only known when it runs.
    pub(super) first: Option<String>,
}
