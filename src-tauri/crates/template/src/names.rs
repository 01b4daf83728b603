//! The names that a template sees. Values are shared with whoever holds them: a name costs the same whatever stands for it.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::by_name::ByName;

/// The names a template sees, by root name: `input`, `inputs`, `draft`, `run`, `vars`, `loopIndex`, …
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scope {
    names: ByName,
    /// Whole values of names that hold only what can be read from them, see [`Self::insert_whole`].
    whole: ByName,
}

impl Scope {
    pub fn new() -> Self {
        Self::default()
    }

    /// With room for so many names.
    pub fn with_capacity(count: usize) -> Self {
        Self {
            names: ByName::with_capacity(count),
            ..Self::default()
        }
    }

    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<Value>>) {
        self.names.insert(name, value);
    }

    /// Keeps the whole value of a name, where what stands under the name itself is what can be read from it: a text has no
    /// fields, and a node that gives one has handles. For `nodes` and `previous` it holds whole values by id.
    pub fn insert_whole(&mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<Value>>) {
        self.whole.insert(name, value);
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.names.get(name).map(|value| &**value)
    }

    /// The whole value of a name that has fields of its own beside it.
    pub(crate) fn kept_whole(&self, name: &str) -> Option<&Value> {
        self.whole.get(name).map(|value| &**value)
    }

    /// The value of a name that nothing is read from.
    pub(crate) fn whole(&self, name: &str) -> Option<&Arc<Value>> {
        self.whole.get(name).or_else(|| self.names.get(name))
    }

    /// As [`Self::get`], to be kept.
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
