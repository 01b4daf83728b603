//! The names and attributes that a Python source mentions.

use serde::{Deserialize, Serialize};

/// The names and attributes that a Python source mentions anywhere. Unlike [`crate::Reads`] it ignores scopes: a local name
/// is listed like a free one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The names that are read, each once, in the order of the syntax tree.
    pub loaded: Vec<String>,
    /// The names that are set or deleted outside functions, classes, comprehensions and lambdas, each once, in the order of
    /// the syntax tree.
    pub assigned: Vec<String>,
    /// The names with an item that is set or deleted (`name[…] = …`), each once.
    pub items_set: Vec<String>,
    /// The attributes that are read, set or deleted, each once.
    pub attributes: Vec<Attribute>,
}

/// An attribute of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Attribute {
    /// The name before the dot: `draft` in `draft.text`; `None` for any other expression.
    pub of: Option<String>,
    /// The name after the dot.
    pub name: String,
}
