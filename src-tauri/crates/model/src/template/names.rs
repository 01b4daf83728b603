//! The names that a template sees. Values are shared with whoever holds them: a name costs the same whatever stands for it.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};

/// The names a template sees, by root name: `input`, `inputs`, `draft`, `run`, `vars`, `loopIndex`, …
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scope(BTreeMap<String, Arc<Value>>);

impl Scope {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Arc<Value>>) {
        self.0.insert(name.into(), value.into());
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).map(|value| &**value)
    }

    /// As [`Self::get`], to be kept.
    pub fn shared(&self, name: &str) -> Option<&Arc<Value>> {
        self.0.get(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl From<Map<String, Value>> for Scope {
    fn from(names: Map<String, Value>) -> Self {
        names.into_iter().collect()
    }
}

impl From<Scope> for Value {
    fn from(names: Scope) -> Self {
        let own = |(name, value)| (name, Arc::unwrap_or_clone(value));
        Self::Object(names.0.into_iter().map(own).collect())
    }
}

impl<V: Into<Arc<Value>>> FromIterator<(String, V)> for Scope {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(names: I) -> Self {
        let names = names.into_iter();
        Self(names.map(|(name, value)| (name, value.into())).collect())
    }
}
