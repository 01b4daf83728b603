//! The content that all families of loop files share: one loop, its prompt, its commands and its limits.

use serde_json::Value;

use crate::{Outcome, format::FilesNear};

/// The value of `--from` for loop files.
pub(super) const ID: &str = "ralph";

/// A command of a loop file.
#[derive(Debug, Clone, Default)]
pub(super) struct Command {
    pub(super) name: String,
    /// The command in the syntax of a shell. It may contain placeholders.
    pub(super) run: String,
    /// The time limit in seconds; `None` if the file sets none.
    pub(super) timeout: Option<u64>,
    /// The place of the command in the file.
    pub(super) place: String,
    /// The text that the agent reads if the command fails.
    pub(super) on_fail: String,
}

/// A loop, as read from a loop file of any family.
#[derive(Debug, Default)]
pub(super) struct LoopFile {
    /// The kind of file, for the report.
    pub(super) kind: &'static str,
    /// The prompt, with placeholders.
    pub(super) prompt: String,
    /// The place of the prompt in the source, for the report.
    pub(super) prompt_place: String,
    /// The command that starts the agent, unchanged.
    pub(super) agent: Option<String>,
    pub(super) agent_place: String,
    /// Commands whose output the prompt contains. They run before the agent.
    pub(super) commands: Vec<Command>,
    /// Commands that must pass. They run after the agent.
    pub(super) checks: Vec<Command>,
    /// The names of arguments.
    pub(super) args: Vec<String>,
    pub(super) max_iterations: Option<u64>,
    /// The time limit of the loop in seconds; `None` if the file sets none.
    pub(super) max_seconds: Option<u64>,
    pub(super) max_usd: Option<f64>,
    /// The text by which the agent reports that it is done.
    pub(super) promise: Option<String>,
    /// Parts that no node can express, each with its name, its place, its source and the reason.
    pub(super) unfit: Vec<(String, String, Value, &'static str)>,
    /// Lines for the report, each with its place.
    pub(super) notes: Vec<(Outcome, String, String)>,
}

impl LoopFile {
    pub(super) fn note(&mut self, outcome: Outcome, place: &str, message: impl Into<String>) {
        self.notes.push((outcome, place.to_owned(), message.into()));
    }
}

/// Returns the content of a file to which a loop file refers, or `None` if the file cannot be read.
pub(super) fn near(files: Option<&FilesNear>, path: &str) -> Option<String> {
    files.and_then(|files| (files.read)(path))
}

/// Returns the value as a whole number; `None` if it is not at least 1.
pub(super) fn positive(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .or_else(|| {
            let number = value.as_f64()?;
            (number.fract() == 0.0 && (0.0..1e15).contains(&number)).then_some(number as u64)
        })
        .filter(|number| *number > 0)
}
