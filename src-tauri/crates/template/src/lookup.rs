//! Finds the value of a reference in a scope.

use serde_json::{Map, Value};

use crate::{
    names::Scope,
    reference::{KEYED, Reference},
};

/// Returns the value that `reference` reads in `scope`, or `None` if it is missing.
pub fn lookup<'v>(reference: &Reference, scope: &'v Scope) -> Option<&'v Value> {
    if reference.path.is_empty() {
        return scope.whole(&reference.root).map(|value| &**value);
    }
    if let ([id], true) = (
        reference.path.as_slice(),
        KEYED.contains(&reference.root.as_str()),
    ) && let Some(value) = scope
        .kept_whole(&reference.root)
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

/// Returns the value that one step of a path reads: a field, or an item of a list. `None` if there is no such value.
pub(crate) fn read_step<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        Value::Object(fields) => field(fields, name),
        _ => None,
    }
}

/// The maximum number of names for which comparing one by one is faster than hashing.
const FEW: usize = 8;

fn field<'v>(fields: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if fields.len() > FEW {
        return fields.get(name);
    }
    let mut fields = fields.iter();
    fields
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value)
}
