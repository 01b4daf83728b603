//! What the nodes of a workflow are given.

use serde_json::Value;

use super::{Port, out::Out};

/// Where the value of an input comes from.
#[derive(Clone)]
pub(super) enum Given {
    Out(Out),
    Value(Value),
    Nothing,
}

/// An input that a node declares.
pub(super) struct Input<'v> {
    pub(super) name: &'v str,
    /// The type that it declares.
    pub(super) kind: &'v str,
    pub(super) given: Given,
    /// A name for its handle, which is an identifier, and no other input of the node has.
    pub(super) handle: String,
    /// The list that it is an element of, and its place there.
    pub(super) list: Option<(&'v str, u64)>,
}

/// An output that a text names by its node.
pub(super) struct NamedOutput {
    pub(super) handle: String,
    pub(super) out: Out,
    /// No edge says that its node comes first.
    pub(super) unordered: bool,
}

#[derive(Default)]
pub(super) struct Inputs<'v> {
    pub(super) own: Vec<Input<'v>>,
    /// What the node waits for and takes no value of.
    pub(super) before: Vec<Port>,
    /// Something of the loop that the node stands in is wired to it.
    pub(super) inside: bool,
    /// Outputs of other nodes that its texts name, which are wired to handles of their own.
    pub(super) named: Vec<NamedOutput>,
}
