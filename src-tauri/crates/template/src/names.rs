//! The names of a template. Values are shared instead of copied, so that adding a name costs the same for every value.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::by_name::ByName;

/// The values that a template can read, by root name: `input`, `inputs`, `draft`, `run`, `vars`, `loopIndex`, …
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scope {
    names: ByName,
    /// The whole values of names whose main entry only has parts, see [`Self::insert_whole`].
    whole: ByName,
}

impl Scope {
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a scope with capacity for `count` names.
    pub fn with_capacity(count: usize) -> Self {
        Self {
            names: ByName::with_capacity(count),
            ..Self::default()
        }
    }

    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<Value>>) {
        self.names.insert(name, value);
    }

    /// Adds the value that a name has when it is read without a path, if it differs from the object of the name's readable parts.
    /// For example, a node that returns a text has no fields but has handles. For `nodes` and `previous`, `value` has the whole
    /// values by id.
    pub fn insert_whole(&mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<Value>>) {
        self.whole.insert(name, value);
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.names.get(name).map(|value| &**value)
    }

    /// Returns the whole value of a name, if it was added separately from its parts.
    pub(crate) fn kept_whole(&self, name: &str) -> Option<&Value> {
        self.whole.get(name).map(|value| &**value)
    }

    /// Returns the value of a name that is read without a path.
    pub(crate) fn whole(&self, name: &str) -> Option<&Arc<Value>> {
        self.whole.get(name).or_else(|| self.names.get(name))
    }

    /// Returns the value that [`Self::get`] returns, as a shared value.
    pub fn shared(&self, name: &str) -> Option<&Arc<Value>> {
        self.names.get(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.names()
    }
}

impl From<Map<String, Value>> for Scope {
    fn from(names: Map<String, Value>) -> Self {
        names.into_iter().collect()
    }
}

impl From<Scope> for Value {
    fn from(scope: Scope) -> Self {
        let own = |(name, value): (Arc<str>, _)| (name.to_string(), Arc::unwrap_or_clone(value));
        Self::Object(scope.names.into_iter().map(own).collect())
    }
}

impl<N: Into<Arc<str>>, V: Into<Arc<Value>>> FromIterator<(N, V)> for Scope {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(names: I) -> Self {
        Self {
            names: names.into_iter().collect(),
            whole: ByName::default(),
        }
    }
}
