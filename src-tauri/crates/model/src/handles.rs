//! Handles: the points on a node where wires begin and end, and the types of the values that wires carry.

use serde::{Deserialize, Serialize};

/// The type of the values that a handle sends or accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
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

    /// Returns whether a value of this type may enter a handle of type `target`.
    ///
    /// Every type converts to text, JSON and `Any`, and JSON and `Any` convert to every type. The other types convert
    /// to no type but themselves.
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
    /// Whether this is the handle used by `<id>.output`, by a bypass and by edges without a handle name. Each side has at most
    /// one such handle.
    pub primary: bool,
    /// Whether several edges at this handle may carry a value in the same run.
    pub many: bool,
    /// Whether this output of a branching node has a value no matter which branch is taken. Such an output is not a branch.
    pub always: bool,
}

impl Handle {
    pub fn new(name: impl Into<String>, value_type: ValueType) -> Self {
        Self {
            name: name.into(),
            value_type,
            primary: false,
            many: false,
            always: false,
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

    #[must_use]
    pub fn always(mut self) -> Self {
        self.always = true;
        self
    }
}

/// The handles of one node, in drawing order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Handles {
    pub inputs: Vec<Handle>,
    pub outputs: Vec<Handle>,
}

/// The names that mean the primary handle if a kind has no handle of that name.
const PRIMARY_ALIASES: [&str; 3] = ["input", "output", "data"];

fn resolve<'a>(handles: &'a [Handle], name: Option<&str>) -> Option<&'a Handle> {
    let primary = || handles.iter().find(|handle| handle.primary);
    match name {
        None => primary(),
        Some(name) => handles
            .iter()
            .find(|handle| handle.name == name)
            .or_else(|| PRIMARY_ALIASES.contains(&name).then(primary).flatten()),
    }
}

/// Returns the output with index N for the name `branch-N`. Returns `None` for other names, and if one of the outputs
/// is primary. Only branching kinds use these names, and they have no primary output.
fn branch<'a>(handles: &'a [Handle], name: Option<&str>) -> Option<&'a Handle> {
    let index = name?.strip_prefix("branch-")?.parse::<usize>().ok()?;
    (!handles.iter().any(|handle| handle.primary))
        .then(|| handles.get(index))
        .flatten()
}

impl Handles {
    /// Returns the input handle that an edge calls `name`. A `name` of `None` means the primary handle. Returns `None` if there
    /// is no such handle.
    pub fn input(&self, name: Option<&str>) -> Option<&Handle> {
        resolve(&self.inputs, name)
    }

    /// Returns the output handle that an edge calls `name`. A `name` of `None` means the primary handle, and `branch-N` means
    /// the branch with index N. Returns `None` if there is no such handle.
    pub fn output(&self, name: Option<&str>) -> Option<&Handle> {
        resolve(&self.outputs, name).or_else(|| branch(&self.outputs, name))
    }

    /// Returns the outputs that are branches. A branching node sends its value through one of them.
    pub fn branches(&self) -> impl Iterator<Item = &Handle> {
        self.outputs.iter().filter(|handle| !handle.always)
    }

    pub fn primary_input(&self) -> Option<&Handle> {
        self.input(None)
    }

    pub fn primary_output(&self) -> Option<&Handle> {
        self.output(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn llm() -> Handles {
        Handles {
            inputs: vec![
                Handle::primary("prompt", ValueType::Text),
                Handle::new("context", ValueType::Any),
            ],
            outputs: vec![
                Handle::primary("response", ValueType::Text),
                Handle::new("usage", ValueType::Json),
            ],
        }
    }

    fn router() -> Handles {
        Handles {
            inputs: vec![Handle::primary("input", ValueType::Any)],
            outputs: vec![
                Handle::new("done", ValueType::Any),
                Handle::new("continue", ValueType::Any),
            ],
        }
    }

    #[test]
    fn no_handle_and_the_general_names_mean_the_primary_one() {
        let handles = llm();
        for name in [None, Some("input"), Some("data"), Some("prompt")] {
            assert_eq!(handles.input(name).map(|h| h.name.as_str()), Some("prompt"));
        }
        assert_eq!(
            handles.output(Some("output")).map(|h| h.name.as_str()),
            Some("response")
        );
        assert_eq!(handles.input(Some("promt")), None);
    }

    #[test]
    fn a_numbered_branch_is_the_branch_of_that_index_and_nothing_elsewhere() {
        let handles = router();
        assert_eq!(
            handles.output(Some("branch-1")).map(|h| h.name.as_str()),
            Some("continue")
        );
        assert_eq!(handles.output(Some("branch-2")), None);
        assert_eq!(handles.output(None), None);
        assert_eq!(llm().output(Some("branch-1")), None);
        assert_eq!(router().input(Some("branch-0")), None);
    }

    #[test]
    fn numbers_and_booleans_become_text_but_never_one_another() {
        use ValueType::{Any, Boolean, Json, Number, Text};
        for from in ValueType::ALL {
            for to in [Any, Text, Json] {
                assert!(from.converts_to(to), "{from:?} to {to:?}");
            }
        }
        assert!(!Number.converts_to(Boolean));
        assert!(!Boolean.converts_to(Number));
        assert!(!Text.converts_to(Number));
        assert!(Json.converts_to(Number));
    }
}
