//! The verdict of an answer.

/// A verdict with its reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict<T> {
    pub value: T,
    /// The reason in the words of the answer; empty if the answer states no reason.
    pub reason: String,
}
