//! What the files of all families have in common: one loop, its prompt, its commands and its limits.

use serde_json::Value;

use crate::{Outcome, format::FilesNear};

/// The value of `--from` for loop files.
pub(super) const ID: &str = "ralph";

/// A command of a loop file.
#[derive(Debug, Clone, Default)]
pub(super) struct Command {
    pub(super) name: String,
    /// The command as for a shell. It may contain placeholders.
    pub(super) run: String,
    /// Seconds.
    pub(super) timeout: Option<u64>,
    /// The place in the file.
    pub(super) place: String,
    /// What the agent reads if the command fails.
    pub(super) on_fail: String,
}

/// A loop, whichever file it comes from.
#[derive(Debug, Default)]
pub(super) struct LoopFile {
    /// The kind of file, for the report.
    pub(super) kind: &'static str,
    /// The prompt, with placeholders.
    pub(super) prompt: String,
    /// The place of the prompt.
    pub(super) prompt_place: String,
    /// The command that starts the agent, as it is written.
    pub(super) agent: Option<String>,
    pub(super) agent_place: String,
    /// Commands whose output the prompt contains. They run before the agent.
    pub(super) commands: Vec<Command>,
    /// Commands that must pass. They run after the agent.
    pub(super) checks: Vec<Command>,
    /// The names of arguments.
    pub(super) args: Vec<String>,
    pub(super) max_iterations: Option<u64>,
    /// Seconds.
    pub(super) max_seconds: Option<u64>,
    pub(super) max_usd: Option<f64>,
    /// The text with which the agent says that it is done.
    pub(super) promise: Option<String>,
    /// Parts that no node can do, each with its name, its place and its source.
    pub(super) unfit: Vec<(String, String, Value, &'static str)>,
    /// Lines for the report, each with its place.
    pub(super) notes: Vec<(Outcome, String, String)>,
}

impl LoopFile {
    pub(super) fn note(&mut self, outcome: Outcome, place: &str, message: impl Into<String>) {
        self.notes.push((outcome, place.to_owned(), message.into()));
    }
}

/// Reads a file that a loop file names.
pub(super) fn near(files: Option<&FilesNear>, path: &str) -> Option<String> {
    files.and_then(|files| (files.read)(path))
}

/// Returns a whole number of at least 1.
pub(super) fn positive(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .or_else(|| {
            let number = value.as_f64()?;
            (number.fract() == 0.0 && (0.0..1e15).contains(&number)).then_some(number as u64)
        })
        .filter(|number| *number > 0)
}
