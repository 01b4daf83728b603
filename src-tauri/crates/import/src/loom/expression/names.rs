//! Where the things that expressions read stand in a flow: in the state that goes from node to node, and in a loop's names.
//!
//! The state is `{ parameters, trigger, variables, outputs, status, items, indexes, lists, results, now, workflow }`.

use std::collections::BTreeMap;

/// Whose reading of a document it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Loom,
    LogicApps,
}

impl Dialect {
    pub fn id(self) -> &'static str {
        match self {
            Self::Loom => "loom",
            Self::LogicApps => "logic-apps",
        }
    }
}

/// What is known of a value before it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    Null,
    Bool,
    Number,
    Text,
    List,
    Object,
    Any,
}

impl Ty {
    pub fn of(value: &serde_json::Value) -> Self {
        use serde_json::Value;
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Bool,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::Text,
            Value::Array(_) => Self::List,
            Value::Object(_) => Self::Object,
        }
    }
}

/// What an action's entry in `outputs` is, so that `body('x')` is read from the right place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// An object with `body`: an HTTP answer, the result of a data operation.
    Body,
    /// The value itself.
    Whole,
}

/// What `item()` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item<'a> {
    None,
    /// The element that a Select or Query is at.
    Lambda,
    /// That of the foreach of this name.
    Of(&'a str),
}

/// A loop around an expression.
#[derive(Debug, Clone)]
pub struct Around {
    /// The action's name.
    pub name: String,
    /// The Loop node's id.
    pub node: String,
    /// Whether the document knows it as a loop with `loopIndex` and the like.
    pub counts: bool,
    /// The actions whose outputs are its result.
    pub actions: Vec<String>,
}

/// What an expression sees.
#[derive(Debug, Clone)]
pub struct Names<'a> {
    pub dialect: Dialect,
    /// The name under which the state is read: `input`, or `result` in what looks at a finished pass.
    pub root: &'a str,
    /// The document's variables.
    pub variables: &'a BTreeMap<String, Ty>,
    pub holds: &'a BTreeMap<String, Holds>,
    /// Innermost last.
    pub loops: &'a [Around],
    /// Read after a pass: the loop stands before its next.
    pub ahead: bool,
    pub item: Item<'a>,
}
