//! The suggestions from the files of one language or build tool.

use super::found::ProposedSetup;

/// The commands that the files of one language or build tool suggest, and the set-up of a copy.
#[derive(Debug, Default)]
pub(super) struct Suggestion {
    /// Commands, each with the file that suggests it.
    pub(super) commands: Vec<(String, String)>,
    pub(super) setup: Option<ProposedSetup>,
}

impl Suggestion {
    pub(super) fn one(command: impl Into<String>, file: impl Into<String>) -> Self {
        Self {
            commands: vec![(command.into(), file.into())],
            setup: None,
        }
    }

    pub(super) fn with_setup(self, command: impl Into<String>, file: impl Into<String>) -> Self {
        let setup = Some(ProposedSetup {
            command: command.into(),
            file: file.into(),
        });
        Self { setup, ..self }
    }
}
