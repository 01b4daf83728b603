//! The scope of a template, and the names that it reads from other nodes.

use loopwright_model::graph::NodeIx;

/// The scope of a template.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope {
    /// The innermost region around the template; `None` outside regions.
    pub(super) region: Option<usize>,
    /// Whether the template is an expression of the region's own loop. Such an expression reads `result` and no input handles.
    pub(super) of_loop: bool,
}

/// A template's access to another node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) by: NodeIx,
    pub(super) of: String,
    /// The first step of the path, or `None` if this step is known only at run time.
    pub(super) first: Option<String>,
}
