//! Validation: all problems of a flow at once. One rule per file.

pub(crate) mod suggest;

use crate::{document::Flow, kind::Kinds, problem::Problem};

/// Every problem of `flow`, errors first, then in document order.
pub fn validate(_flow: &Flow, _kinds: &Kinds) -> Vec<Problem> {
    Vec::new()
}
