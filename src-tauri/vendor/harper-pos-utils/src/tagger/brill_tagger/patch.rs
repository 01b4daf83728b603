//! A learned correction of a tag.

use crate::{UPOS, patch_criteria::PatchCriteria};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Patch {
    pub(crate) from: UPOS,
    pub(crate) to: UPOS,
    pub(crate) criteria: PatchCriteria,
}
