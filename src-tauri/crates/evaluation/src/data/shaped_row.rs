//! A row with its columns at the top level.

use serde_json::{Map, Value};

/// A row with its columns, and the expected result that the format defines.
pub(crate) struct ShapedRow {
    pub(crate) row: Map<String, Value>,
    pub(crate) expected: Option<Value>,
}

impl ShapedRow {
    pub(crate) fn plain(row: Map<String, Value>) -> Self {
        Self {
            row,
            expected: None,
        }
    }
}
