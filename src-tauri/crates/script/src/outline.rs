//! The names and attributes that a Python source mentions.

use serde::{Deserialize, Serialize};

/// The names and attributes that a Python source mentions anywhere. Unlike [`crate::Reads`] it ignores scopes: a local name
/// is listed like a free one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The names that are read, without duplicates, in the order of the syntax tree.
    pub loaded: Vec<String>,
    /// The names that are assigned or deleted outside functions, classes, comprehensions and lambdas, without duplicates, in
    /// the order of the syntax tree.
    pub assigned: Vec<String>,
    /// The names of which an item is assigned or deleted (`name[…] = …`), without duplicates.
    pub items_set: Vec<String>,
    /// The attributes that are read, assigned or deleted, without duplicates.
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
