//! A row whose columns are at the top.

use serde_json::{Map, Value};

/// A row with its columns, and what the format itself says is expected.
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
