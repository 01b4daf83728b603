//! How a template reads a node's result: as a whole, by its handles, or by its fields.

use std::{ops::Deref, sync::Arc};

use loopwright_template::Scope;
use serde_json::{Map, Value};

use crate::outcome::Outcome;

/// The parts of a node's result that a template reads.
#[derive(Debug, Clone, Default)]
pub struct Read {
    /// Whether the whole value is read.
    pub bare: bool,
    /// The first segment of each path that is read.
    pub fields: Vec<String>,
}

impl Read {
    /// Returns the parts that these paths read. The paths do not include the node's name.
    pub fn of<'a>(paths: impl Iterator<Item = &'a [String]>) -> Self {
        let mut read = Self::default();
        for path in paths {
            match path.first() {
                None => read.bare = true,
                Some(field) if !read.fields.contains(field) => read.fields.push(field.clone()),
                Some(_) => {}
            }
        }
        read
    }

    /// Returns whether a node is read both as a whole and by its parts. It then gets two entries, because a name cannot be both
    /// a string and an object with fields.
    fn is_both(&self) -> bool {
        self.bare && !self.fields.is_empty()
    }
}

/// Inserts the parts of `outcome` that `read` selects into `names`, under `root`.
pub fn put(names: &mut Scope, root: impl Into<Arc<str>>, outcome: &Outcome, read: &Read) {
    let root = root.into();
    if read.is_both() {
        names.insert_whole(Arc::clone(&root), Arc::clone(&outcome.value));
    }
    names.insert(root, parts(outcome, read));
}

/// Inserts, under one root, the selected parts of several nodes by id. A node without an outcome is null. See [`put`].
pub fn put_all<'a, O: Deref<Target = Outcome>>(
    names: &mut Scope,
    root: impl Into<Arc<str>>,
    nodes: impl Iterator<Item = (&'a str, Option<O>, &'a Read)>,
) {
    let (mut by_id, mut whole, mut is_both) = (Map::new(), Map::new(), false);
    for (id, outcome, read) in nodes {
        is_both |= read.is_both();
        let outcome = outcome.as_deref();
        if read.bare {
            let value = outcome.map_or(Value::Null, |outcome| (*outcome.value).clone());
            whole.insert(id.to_owned(), value);
        }
        let value = outcome.map_or(Value::Null, |outcome| {
            Arc::unwrap_or_clone(parts(outcome, read))
        });
        by_id.insert(id.to_owned(), value);
    }
    let root = root.into();
    if is_both {
        names.insert_whole(Arc::clone(&root), Value::Object(whole));
    }
    names.insert(root, Value::Object(by_id));
}

/// Returns the readable parts of a node. `output` is the node's value. A handle takes precedence over a field of the value with
/// the same name. If a branch has the name of a verdict (`valid` or `passed`), the verdict takes precedence, because it is
/// always present, whether or not the branch was taken.
fn parts(outcome: &Outcome, read: &Read) -> Arc<Value> {
    let is_verdict = |field: &str| {
        outcome.branch.as_deref() == Some(field)
            && outcome.value.get(field) == Some(&Value::Bool(true))
    };
    let named = |field: &str| {
        outcome
            .handle(field)
            .filter(|_| !is_verdict(field))
            .or((field == "output").then_some(&outcome.value))
    };
    let handles: Vec<_> = read
        .fields
        .iter()
        .filter_map(|field| Some((field, named(field)?)))
        .collect();
    if handles.is_empty() {
        return Arc::clone(&outcome.value);
    }
    let mut object = match &*outcome.value {
        Value::Object(fields) if read.bare => fields.clone(),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| read.fields.contains(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        _ => Map::new(),
    };
    for (field, value) in handles {
        object.insert(field.clone(), (**value).clone());
    }
    Arc::new(Value::Object(object))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_verdict_is_read_as_such_whichever_branch_was_taken() {
        let read = |passed: bool, field: &str| {
            let branch = if passed { "passed" } else { "failed" };
            let outcome = Outcome::branch(branch, json!({ "passed": passed, "n": 1 }), json!("in"));
            let path = [field.to_owned()];
            let read = Read::of([path.as_slice()].into_iter());
            parts(&outcome, &read).get(field).cloned()
        };
        assert_eq!(read(true, "passed"), Some(json!(true)));
        assert_eq!(read(false, "passed"), Some(json!(false)));
        assert_eq!(read(false, "failed"), Some(json!("in")));
        assert_eq!(read(true, "n"), Some(json!(1)));
        assert_eq!(
            read(true, "output"),
            Some(json!({ "passed": true, "n": 1 }))
        );
    }
}
