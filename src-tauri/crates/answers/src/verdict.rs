//! A verdict that was found in an answer.

/// A verdict, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict<T> {
    pub value: T,
    /// In the words of the answer; empty where it gives none.
    pub reason: String,
}
