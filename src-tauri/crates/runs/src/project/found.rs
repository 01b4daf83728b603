//! What is found in a project: commands that check it, and what sets up a copy of it.

use serde::Serialize;
use specta::Type;

/// A command that seems to check a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct FoundCommand {
    pub command: String,
    /// The file that suggests it, from the folder of the project.
    pub file: String,
    /// The command that would make a copy able to run it; null if a copy needs none.
    pub setup: Option<ProposedSetup>,
}

/// A command that would install the dependencies of a project. Git ignores them, so a copy has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ProposedSetup {
    pub command: String,
    /// The file that suggests it, from the folder of the project.
    pub file: String,
}

/// What the set-up files of a project say about a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Type)]
pub struct FoundSetup {
    /// The file whose commands set up a copy; null if no file has any.
    pub file: Option<String>,
    /// The commands of that file, for a shell.
    pub commands: Vec<String>,
    /// Patterns of ignored files that a copy receives.
    pub copy: Vec<String>,
    /// What would set up a copy for a command that was not found, if no file sets it up; null if nothing is known.
    pub proposed: Option<ProposedSetup>,
}
