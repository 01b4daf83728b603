//! Handles: where wires begin and end, and which value types may be joined.

use serde::{Deserialize, Serialize};
use specta::Type;

/// The type of the values that pass a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    Text,
    Json,
    Number,
    Boolean,
    Any,
}

impl ValueType {
    pub const ALL: [ValueType; 5] = [
        Self::Text,
        Self::Json,
        Self::Number,
        Self::Boolean,
        Self::Any,
    ];

    /// Whether a value of this type may enter a handle of type `target`.
    ///
    /// Every value has a text form and is JSON; text may hold JSON. A number and a boolean never become one another,
    /// and text does not silently become either.
    pub fn converts_to(self, target: ValueType) -> bool {
        use ValueType::{Any, Json, Text};
        self == target || self == Any || matches!(target, Any | Text | Json) || (self == Json)
    }
}

/// One handle of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handle {
    pub name: String,
    pub value_type: ValueType,
    /// The handle that an edge without a handle name, `<id>.output` and a bypass use. At most one a side.
    pub primary: bool,
    /// May take several live edges at once.
    pub many: bool,
}

impl Handle {
    pub fn new(name: impl Into<String>, value_type: ValueType) -> Self {
        Self {
            name: name.into(),
            value_type,
            primary: false,
            many: false,
        }
    }

    pub fn primary(name: impl Into<String>, value_type: ValueType) -> Self {
        Self {
            primary: true,
            ..Self::new(name, value_type)
        }
    }

    pub fn many(mut self) -> Self {
        self.many = true;
        self
    }
}

/// The handles of one node, in the order they are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Handles {
    pub inputs: Vec<Handle>,
    pub outputs: Vec<Handle>,
}

/// Names that mean the primary handle where a kind has no handle of that name.
const PRIMARY_ALIASES: [&str; 3] = ["input", "output", "data"];

fn resolve<'a>(handles: &'a [Handle], name: Option<&str>) -> Option<&'a Handle> {
    let primary = || handles.iter().find(|handle| handle.primary);
    match name {
        None => primary(),
        Some(name) => handles
            .iter()
            .find(|handle| handle.name == name)
            .or_else(|| {
                let branch = name.strip_prefix("branch-")?.parse::<usize>().ok()?;
                handles.get(branch).filter(|handle| !handle.primary)
            })
            .or_else(|| PRIMARY_ALIASES.contains(&name).then(primary).flatten()),
    }
}

impl Handles {
    /// The input handle an edge means by `name`; `None` is the primary one.
    pub fn input(&self, name: Option<&str>) -> Option<&Handle> {
        resolve(&self.inputs, name)
    }

    /// The output handle an edge means by `name`; `None` is the primary one. `branch-N` is the branch of that index.
    pub fn output(&self, name: Option<&str>) -> Option<&Handle> {
        resolve(&self.outputs, name)
    }

    pub fn primary_input(&self) -> Option<&Handle> {
        self.input(None)
    }

    pub fn primary_output(&self) -> Option<&Handle> {
        self.output(None)
    }
}
