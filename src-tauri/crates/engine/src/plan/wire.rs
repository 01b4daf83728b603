//! The wires of a plan: the source and the target of each.

use std::sync::Arc;

/// The index of a graph in the `graphs` of a plan.
pub type GraphIx = usize;
/// The position of a node within its graph.
pub type Slot = usize;

/// A wire into a node, or into the end of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wire {
    pub handle: Arc<str>,
    pub primary: bool,
    pub many: bool,
    pub source: Source,
}

/// The source of a wire, seen from the graph that it enters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A node of the same graph.
    Local { slot: Slot, handle: Arc<str> },
    /// A node whose graph is `up` graphs further out.
    Outer {
        up: usize,
        slot: Slot,
        handle: Arc<str>,
    },
    /// The scope start that is `up` graphs further out, where 0 is the owner of the graph itself. Its handle carries the
    /// iteration's input or index.
    ScopeInput { up: usize, handle: Arc<str> },
}
