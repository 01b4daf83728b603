//! An ordered map of values by name, such as a run's inputs. The values are reference-counted. In JSON, the map is an object.

use std::{fmt, ops::Index, sync::Arc};

use indexmap::IndexMap;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Named(IndexMap<String, Arc<Value>>);

impl Named {
    pub fn get(&self, name: &str) -> Option<&Arc<Value>> {
        self.0.get(name)
    }

    /// Replaces the value called `name`, or appends it if the name is new.
    pub fn insert(&mut self, name: &str, value: Arc<Value>) {
        self.0.insert(name.to_owned(), value);
    }

    pub fn values(&self) -> impl Iterator<Item = &Arc<Value>> {
        self.0.values()
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Arc<Value>> {
        self.0.values_mut()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<Value>)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns a JSON object with copies of the values.
    pub fn to_object(&self) -> Value {
        let copy = |(name, value): (&String, &Arc<Value>)| (name.clone(), (**value).clone());
        Value::Object(self.0.iter().map(copy).collect())
    }
}

impl From<Map<String, Value>> for Named {
    fn from(values: Map<String, Value>) -> Self {
        let shared = |(name, value)| (name, Arc::new(value));
        Self(values.into_iter().map(shared).collect())
    }
}

impl From<Named> for Value {
    fn from(named: Named) -> Self {
        let own = |(name, value)| (name, Arc::unwrap_or_clone(value));
        Self::Object(named.0.into_iter().map(own).collect())
    }
}

impl Index<&str> for Named {
    type Output = Value;

    /// Returns the value called `name`, or null if the name is unknown, as indexing a JSON object does.
    fn index(&self, name: &str) -> &Value {
        static NULL: Value = Value::Null;
        self.get(name).map_or(&NULL, |value| value)
    }
}

impl FromIterator<(String, Arc<Value>)> for Named {
    fn from_iter<I: IntoIterator<Item = (String, Arc<Value>)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Named;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut fields: M) -> Result<Named, M::Error> {
                let mut values = IndexMap::new();
                while let Some((name, value)) = fields.next_entry()? {
                    values.insert(name, value);
                }
                Ok(Named(values))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_json_they_are_an_object_in_their_order() {
        let text = r#"{"b":1,"a":"x"}"#;
        let named: Named = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&named).unwrap(), text);
        assert_eq!(named.to_object().to_string(), text);
        assert!(serde_json::from_str::<Named>("[]").is_err());
    }
}
