//! An execution that waits for the answer to a question.

use super::attempt::Attempt;
use crate::{answer::Expiry, kind::NodeInput};

/// An execution whose question expires.
pub(super) struct Asking {
    /// The attempt that continues when the question is answered.
    pub(super) attempt: Attempt,
    pub(super) input: NodeInput,
    pub(super) expires: Expiry,
    /// Whether the question is about repeating an interrupted call.
    pub(super) is_repetition: bool,
}
