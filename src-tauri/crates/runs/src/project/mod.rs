//! What a loop over a project needs: the command that checks it, the set-up of a copy, and the state of its repository. The files
//! of the project say it. Only those that may are read, up to a limit, and no program of the project is run.

mod commands;
mod files;
mod found;
mod javascript;
mod others;
mod python;
mod repair;
mod repository;
mod setup;
mod suggestion;
mod targets;
#[cfg(all(test, unix))]
mod tests;

use std::path::Path;

use serde::Serialize;
use specta::Type;

use crate::{
    env::Env,
    error::{ApiError, Code},
};
use files::Files;
use repository::Repository;

pub use found::{FoundCommand, FoundSetup, ProposedSetup};
pub use repair::{FieldProblem, RepairField, RepairFlow, RepairRequest, repair_flow};

/// What is known of a project without running any of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// The absolute path of the folder, without links.
    pub folder: String,
    /// The name of the folder.
    pub name: String,
    pub is_repository: bool,
    /// The branch that is checked out; null without one.
    pub branch: Option<String>,
    /// Whether files are changed, staged or new, and not committed.
    pub has_changes: bool,
    /// Why no copy of the last commit can be made, as a sentence; null if one can.
    pub refused_head: Option<String>,
    /// Why no copy of the files as they are can be made, as a sentence; null if one can.
    pub refused_working: Option<String>,
    /// Commands that seem to check the project, the best first.
    pub commands: Vec<FoundCommand>,
    /// What the set-up files of the project say about a copy.
    pub setup: FoundSetup,
    /// Patterns of files that hold tests. Nothing is protected unless the person chooses it.
    pub protect: Vec<String>,
    /// What could not be read, as sentences.
    pub notes: Vec<String>,
}

impl Project {
    /// Returns the set-up to propose for a command. `None` if the project has set-up files with commands, because those are
    /// used.
    pub fn proposed_setup(&self, command: &str) -> Option<&ProposedSetup> {
        if self.setup.file.is_some() {
            return None;
        }
        let same = self
            .commands
            .iter()
            .find(|found| found.command == command.trim());
        match same {
            Some(found) => found.setup.as_ref(),
            None => self.setup.proposed.as_ref(),
        }
    }
}

/// Looks at a folder.
///
/// # Errors
/// [`Code::InvalidArgument`] if there is no such folder, it cannot be read, or its path is not UTF-8. A file that cannot be read
/// is no error, but a note.
pub fn look_at_project(env: &Env, folder: &Path) -> Result<Project, ApiError> {
    let invalid = |message: String| ApiError::new(Code::InvalidArgument, message);
    let real = folder
        .canonicalize()
        .and_then(|real| std::fs::read_dir(&real).map(|_| real))
        .map_err(|error| {
            invalid(format!(
                "The folder {} cannot be opened: {error}.",
                folder.display()
            ))
        })?;
    let path = real
        .to_str()
        .ok_or_else(|| invalid("The path of the folder is not UTF-8. Rename the folder.".into()))?;
    let repository = Repository::look(&real, env.data_dir());
    let files = Files::new(&real);
    let (commands, proposed) = commands::find(&files);
    let protect = setup::test_folders(&files, &repository.subfolder);
    let setup = FoundSetup {
        proposed,
        ..setup::found(&files)
    };
    Ok(Project {
        folder: path.to_owned(),
        name: real
            .file_name()
            .map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into()),
        is_repository: repository.is_repository,
        branch: repository.branch,
        has_changes: repository.has_changes,
        refused_head: repository.refused_head,
        refused_working: repository.refused_working,
        commands,
        setup,
        protect,
        notes: files.into_notes(),
    })
}
