//! What a source in Python mentions.

use serde::{Deserialize, Serialize};

/// The names and attributes that a source in Python mentions, wherever they stand. Unlike [`crate::Reads`] it knows no scopes: a
/// local name is listed like a free one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// Names whose value is read, each once, in the order of a walk through the syntax tree.
    pub loaded: Vec<String>,
    /// Names that are set or deleted outside of functions, classes, comprehensions and lambdas, each once, in the order of that
    /// walk.
    pub assigned: Vec<String>,
    /// Names of which an item is set or deleted (`name[…] = …`), each once.
    pub items_set: Vec<String>,
    /// Attributes that are read, set or deleted, each once.
    pub attributes: Vec<Attribute>,
}

/// An attribute of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Attribute {
    /// The name before the dot: `draft` in `draft.text`; `None` if anything else stands there.
    pub of: Option<String>,
    /// The name behind the dot.
    pub name: String,
}
