//! The values of a scope that references read.

use serde_json::Value;

use super::{
    names::Scope,
    reference::{KEYED, Reference, whole_key},
};

/// The value that `reference` reads in `scope`; `None`: it is missing.
pub fn lookup<'v>(reference: &Reference, scope: &'v Scope) -> Option<&'v Value> {
    if reference.path.is_empty() {
        return whole_value(&reference.root, scope);
    }
    if let ([id], true) = (
        reference.path.as_slice(),
        KEYED.contains(&reference.root.as_str()),
    ) && let Some(value) = scope
        .get(&whole_key(&reference.root))
        .and_then(|by_id| read_step(by_id, id))
    {
        return Some(value);
    }
    reference
        .path
        .iter()
        .try_fold(scope.get(&reference.root)?, |value, name| {
            read_step(value, name)
        })
}

/// The value of a name that nothing is read from.
pub(super) fn whole_value<'v>(root: &str, scope: &'v Scope) -> Option<&'v Value> {
    scope.get(&whole_key(root)).or_else(|| scope.get(root))
}

/// What one step of a path reads: a field, or an item of a list.
pub(super) fn read_step<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        other => other.get(name),
    }
}
