//! A value of a node.

use serde_json::json;

use super::Port;

/// A value of a node: the value of a handle, or one field of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Out {
    pub(super) port: Port,
    pub(super) field: Option<String>,
}

impl Out {
    pub(super) fn of(port: Port) -> Self {
        Self { port, field: None }
    }

    /// Returns a field of the object that `port` carries.
    pub(super) fn field(port: &Port, name: &str) -> Self {
        Self {
            port: port.clone(),
            field: Some(name.to_owned()),
        }
    }

    /// Returns the expression that reads the value in the templates of later nodes.
    pub(super) fn read(&self) -> String {
        let handle = match self.port.handle.clone() {
            Some(handle) => format!("[{}]", json!(handle)),
            None => ".output".to_owned(),
        };
        format!("{}{handle}{}", self.port.node, self.step())
    }

    /// Returns the part of an expression that selects the field, to be appended to the value. It is empty without a field.
    pub(super) fn step(&self) -> String {
        let field = self.field.as_ref();
        field.map_or_else(String::new, |field| format!("[{}]", json!(field)))
    }
}
