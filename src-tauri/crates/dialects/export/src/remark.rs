//! The result of an export, and its remarks about the flow.

use std::fmt;

/// A flow in the text format of another system.
#[derive(Debug, Clone)]
pub struct Export {
    /// The text of the file.
    pub program: String,
    /// Remarks about what the file lacks, and what the user of the file must supply.
    pub entries: Vec<Remark>,
}

/// The reasons why a flow is not exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotExported {
    /// The common part of all reasons, as a sentence.
    pub lead: &'static str,
    /// The parts of the flow that the file could not reproduce, at least one.
    pub reasons: Vec<Remark>,
}

/// A remark on a part of the flow: either an export cannot reproduce it, or the user of the file must supply it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The id of the node that the remark is about; `None` if it is about the whole flow.
    pub node: Option<String>,
    /// The place: the node's title and the field, such as `Draft.prompt`, or `settings.budget`.
    pub place: String,
    /// The problem and its remedy.
    pub message: String,
}

impl fmt::Display for NotExported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Nothing was written.", self.lead)?;
        for reason in &self.reasons {
            write!(f, " {}: {}.", reason.place, reason.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for NotExported {}
