//! The findings in a project: commands that check it, and the set-up of a copy of it.

use serde::Serialize;
use specta::Type;

/// A command that seems to check a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct FoundCommand {
    pub command: String,
    /// The file that suggests the command, relative to the project's folder.
    pub file: String,
    /// The set-up that a copy needs before it can run the command; null if it needs none.
    pub setup: Option<ProposedSetup>,
}

/// A command that would install the dependencies of a project. Git ignores the dependencies, so a copy does not contain them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ProposedSetup {
    pub command: String,
    /// The file that suggests the command, relative to the project's folder.
    pub file: String,
}

/// The set-up of a copy, according to the set-up files of the project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Type)]
pub struct FoundSetup {
    /// The file whose commands set up a copy; null if no file has any.
    pub file: Option<String>,
    /// The commands of that file, in shell syntax.
    pub commands: Vec<String>,
    /// Patterns of ignored files that are copied too.
    pub copy: Vec<String>,
    /// The set-up to propose for a command that is not among those found, if no file sets up a copy; null if none is
    /// known.
    pub proposed: Option<ProposedSetup>,
}
