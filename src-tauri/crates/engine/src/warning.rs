//! The warnings of a run.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
pub struct Warning {
    pub code: String,
    pub node: Option<String>,
    pub message: String,
}
