//! The names that a template sees. Values are shared with whoever holds them: a name costs the same whatever stands for it.

use std::sync::Arc;

use serde_json::{Map, Value};

/// Values by name, in the order of the names. There are few, so that a search in a list is quicker than a tree.
#[derive(Debug, Clone, PartialEq, Default)]
struct Sorted(Vec<(Arc<str>, Arc<Value>)>);

impl Sorted {
    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| (**known).cmp(name))
    }

    fn insert(&mut self, name: Arc<str>, value: Arc<Value>) {
        match self.place(&name) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (name, value)),
        }
    }

    fn get(&self, name: &str) -> Option<&Arc<Value>> {
        self.place(name).ok().map(|place| &self.0[place].1)
    }
}

/// The names a template sees, by root name: `input`, `inputs`, `draft`, `run`, `vars`, `loopIndex`, …
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scope {
    names: Sorted,
    /// Whole values of names that hold only what can be read from them, see [`Self::insert_whole`].
    whole: Sorted,
}

impl Scope {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<Value>>) {
        self.names.insert(name.into(), value.into());
    }

    /// Keeps the whole value of a name, where what stands under the name itself is what can be read from it: a text has no
    /// fields, and a node that gives one has handles. For `nodes` and `previous` it holds whole values by id.
    pub fn insert_whole(&mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<Value>>) {
        self.whole.insert(name.into(), value.into());
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.names.get(name).map(|value| &**value)
    }

    /// The whole value of a name that has fields of its own beside it.
    pub(super) fn kept_whole(&self, name: &str) -> Option<&Value> {
        self.whole.get(name).map(|value| &**value)
    }

    /// The value of a name that nothing is read from.
    pub(super) fn whole(&self, name: &str) -> Option<&Arc<Value>> {
        self.whole.get(name).or_else(|| self.names.get(name))
    }

    /// As [`Self::get`], to be kept.
    pub fn shared(&self, name: &str) -> Option<&Arc<Value>> {
        self.names.get(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.0.iter().map(|(name, _)| &**name)
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
        Self::Object(scope.names.0.into_iter().map(own).collect())
    }
}

impl<N: Into<Arc<str>>, V: Into<Arc<Value>>> FromIterator<(N, V)> for Scope {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(names: I) -> Self {
        let mut scope = Self::new();
        for (name, value) in names {
            scope.insert(name, value);
        }
        scope
    }
}
