//! What a file of the repository says about preparing a copy of it.

/// What one file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its path from the top of the repository.
    pub file: &'static str,
    /// Ignored files to copy, as patterns of .gitignore.
    pub copy: Vec<String>,
    /// Commands of a shell, in their order.
    pub commands: Vec<String>,
    /// The names under which the commands expect the folder of the source, and that of the workspace.
    pub source_variables: &'static [&'static str],
    pub workspace_variables: &'static [&'static str],
    /// What it says that has no effect here, or cannot be read.
    pub unused: Vec<String>,
}
