//! The contents of a repository's set-up file.

/// The contents of one set-up file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The path of the file, relative to the top of the repository.
    pub file: &'static str,
    /// The ignored files to copy, as patterns of .gitignore.
    pub copy: Vec<String>,
    /// The commands in the syntax of a shell, in order.
    pub commands: Vec<String>,
    /// The environment variables in which the commands find the folder of the source. `workspace_variables` contain the
    /// folder of the workspace.
    pub source_variables: &'static [&'static str],
    pub workspace_variables: &'static [&'static str],
    /// Descriptions of the parts of the file that are not supported or are invalid.
    pub unused: Vec<String>,
}
