//! A verdict that was found in an answer.

/// A verdict with its reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict<T> {
    pub value: T,
    /// The reason as the answer words it; empty if the answer gives no reason.
    pub reason: String,
}
