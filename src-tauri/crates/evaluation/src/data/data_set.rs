//! What is read of a data set, and for which columns.

use serde::{Deserialize, Serialize};

use crate::result::{Case, RejectedRow};

/// What a flow wants to know of a data set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Columns {
    /// The column with the id of a case. Default: `id` where there is one, else a hash of the row.
    pub id: Option<String>,
    pub inputs: Vec<InputColumn>,
    /// The column with what a result is compared with. Default: the first of `expected`, `target`, `reference` and `ideal` that a row
    /// has and no input reads.
    pub expected: Option<String>,
}

/// An input of the flow and the column that fills it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InputColumn {
    pub name: String,
    /// The column that fills it, where that is not the one of its name.
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
    /// A file path.
    File,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DataSet {
    /// In the order of the file.
    pub cases: Vec<Case>,
    /// Rows that do not fit, at most [`MAX_REJECTED`](super::MAX_REJECTED) of them.
    pub rejected: Vec<RejectedRow>,
    /// Every column, in order of appearance.
    pub columns: Vec<String>,
    /// What was read in another way than it is written, or not at all.
    pub notes: Vec<String>,
}
