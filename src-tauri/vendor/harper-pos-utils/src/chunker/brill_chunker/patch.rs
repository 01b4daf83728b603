//! A learned correction of a flag.

use serde::{Deserialize, Serialize};

use crate::patch_criteria::PatchCriteria;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Patch {
    pub(crate) from: bool,
    pub(crate) criteria: PatchCriteria,
}
