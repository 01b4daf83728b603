//! A data set, and the columns that are read from it.

use serde::{Deserialize, Serialize};

use crate::result::{Case, RejectedRow};

/// The columns of a data set that an evaluation reads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Columns {
    /// The column that contains the id of a case. If `None`, the id is read from the column `id` if it exists, and is
    /// otherwise a hash of the row.
    pub id: Option<String>,
    pub inputs: Vec<InputColumn>,
    /// The column that contains the expected result. If `None`, it is the first of `expected`, `target`, `reference` and
    /// `ideal` that exists in a row and that no input reads.
    pub expected: Option<String>,
}

/// An input of the flow and the column that fills it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InputColumn {
    pub name: String,
    /// The column that fills the input; `None` if it has the name of the input.
    pub column: Option<String>,
    pub required: bool,
    pub has_default: bool,
    pub data_type: DataType,
}

/// The `dataType` of a flow's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataType {
    #[default]
    Text,
    Json,
    Number,
    Boolean,
    /// The path of a file, as text.
    File,
}

/// The content of a data set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DataSet {
    /// The cases in file order.
    pub cases: Vec<Case>,
    /// The rejected rows, at most [`MAX_REJECTED`](super::MAX_REJECTED).
    pub rejected: Vec<RejectedRow>,
    /// All columns, in order of appearance.
    pub columns: Vec<String>,
    /// Notes about rows whose content was changed or partly ignored.
    pub notes: Vec<String>,
}
