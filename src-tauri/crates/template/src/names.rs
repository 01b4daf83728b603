//! The names that a template can read, with their values. Values are shared instead of copied, so adding a name takes constant
//! time.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::by_name::ByName;

/// The values that a template can read, keyed by the first name of a reference: `input`, `inputs`, `draft`, `run`, `vars`,
/// `loopIndex`, …
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scope {
    names: ByName,
    /// The complete values of the names for which `names` contains only an object of readable parts. See
    /// [`Self::insert_whole`].
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

    /// Adds the value that a name has when it is read without a path. It is needed if the name's entry in the scope is
    /// only an object of readable parts. For example, the name of a node that returns text stands for that text, while
    /// its parts are the node's handles. For `nodes` and `previous`, `value` is an object with the whole value of each
    /// node, by id.
    pub fn insert_whole(&mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<Value>>) {
        self.whole.insert(name, value);
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.names.get(name).map(|value| &**value)
    }

    /// Returns the whole value of a name if it was added with [`Self::insert_whole`].
    pub(crate) fn kept_whole(&self, name: &str) -> Option<&Value> {
        self.whole.get(name).map(|value| &**value)
    }

    /// Returns the value that a name has when it is read without a path; `None` if the name is unknown.
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
