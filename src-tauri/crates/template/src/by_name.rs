//! A map from names to shared values, such as the names in a template or the inputs of a node. It is serialized as a JSON
//! object.

use std::{collections::BTreeMap, sync::Arc, vec};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Values sorted by name. For a few names, building and searching a list is faster than a tree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ByName(Vec<(Arc<str>, Arc<Value>)>);

impl ByName {
    pub fn with_capacity(count: usize) -> Self {
        Self(Vec::with_capacity(count))
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| (**known).cmp(name))
    }

    /// Inserts a value. A value with the same name is replaced.
    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<Value>>) {
        let (name, value) = (name.into(), value.into());
        match self.place(&name) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (name, value)),
        }
    }

    pub fn get(&self, name: &str) -> Option<&Arc<Value>> {
        self.place(name).ok().map(|place| &self.0[place].1)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<Value>)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    pub fn values(&self) -> impl Iterator<Item = &Arc<Value>> {
        self.0.iter().map(|(_, value)| value)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Arc<Value>> {
        self.0.iter_mut().map(|(_, value)| value)
    }
}

impl IntoIterator for ByName {
    type Item = (Arc<str>, Arc<Value>);
    type IntoIter = vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<N: Into<Arc<str>>, V: Into<Arc<Value>>> FromIterator<(N, V)> for ByName {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(values: I) -> Self {
        let values = values.into_iter();
        let mut named = Self::with_capacity(values.size_hint().0);
        for (name, value) in values {
            named.insert(name, value);
        }
        named
    }
}

impl<N: Into<Arc<str>>, V: Into<Arc<Value>>, const COUNT: usize> From<[(N, V); COUNT]> for ByName {
    fn from(values: [(N, V); COUNT]) -> Self {
        values.into_iter().collect()
    }
}

impl Serialize for ByName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for ByName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The tree sorts the names and keeps the last value of a repeated name.
        let read = BTreeMap::<Arc<str>, Arc<Value>>::deserialize(deserializer)?;
        Ok(Self(read.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_is_that_of_the_names_and_the_last_value_of_a_name_counts() {
        let values = ByName::from([("b", json!(1)), ("a", json!("x")), ("b", json!(2))]);
        let text = r#"{"a":"x","b":2}"#;
        assert_eq!(serde_json::to_string(&values).unwrap(), text);
        let read: ByName = serde_json::from_str(r#"{"b":2,"a":"x"}"#).unwrap();
        assert_eq!(read, values);
        assert_eq!(read.get("b").map(|value| &**value), Some(&json!(2)));
        assert_eq!((read.get("c"), read.names().count()), (None, 2));
        assert!(serde_json::from_str::<ByName>("[]").is_err());
    }
}
