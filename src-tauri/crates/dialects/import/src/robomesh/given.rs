//! The inputs of the nodes of a workflow.

use serde_json::Value;

use super::{Port, out::Out};

/// The origin of an input's value.
#[derive(Clone)]
pub(super) enum Given {
    Out(Out),
    Value(Value),
    Nothing,
}

/// An input that a node declares.
pub(super) struct Input<'v> {
    pub(super) name: &'v str,
    /// The declared type of the input.
    pub(super) kind: &'v str,
    pub(super) given: Given,
    /// The name of the input's handle: an identifier that no other input of the node uses.
    pub(super) handle: String,
    /// The list that contains the input as an element, and the index of the element.
    pub(super) list: Option<(&'v str, u64)>,
}

/// An output of another node that a text field names.
pub(super) struct NamedOutput {
    pub(super) handle: String,
    pub(super) out: Out,
    /// Whether no edge makes the output's node run before the node that names it.
    pub(super) unordered: bool,
}

#[derive(Default)]
pub(super) struct Inputs<'v> {
    pub(super) own: Vec<Input<'v>>,
    /// The ports that this node waits for without using their values.
    pub(super) before: Vec<Port>,
    /// Whether something inside the enclosing loop is wired to the node.
    pub(super) inside: bool,
    /// Outputs of other nodes that the node's text fields name. They are wired to separate handles.
    pub(super) named: Vec<NamedOutput>,
}
