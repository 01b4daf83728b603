//! Inspects a project that a loop is to work on: finds the command that checks the project, the set-up of a copy, and the
//! state of the repository. Only files that may contain this information are read, up to a size limit. No program of the
//! project is run.

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

/// The findings about a project. No part of the project is run to find them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// The absolute path of the folder, with symbolic links resolved.
    pub folder: String,
    /// The name of the folder.
    pub name: String,
    pub is_repository: bool,
    /// The branch that is checked out; null if none is checked out.
    pub branch: Option<String>,
    /// Whether there are uncommitted changes, staged changes or new files.
    pub has_changes: bool,
    /// The reason why no copy of the last commit can be made, as a sentence; null if one can be made.
    pub refused_head: Option<String>,
    /// The reason why no copy of the current files can be made, as a sentence; null if one can be made.
    pub refused_working: Option<String>,
    /// Commands that seem to check the project, the best first.
    pub commands: Vec<FoundCommand>,
    /// The set-up of a copy, according to the set-up files of the project.
    pub setup: FoundSetup,
    /// Patterns of files that contain tests. They are protected only if the user chooses to.
    pub protect: Vec<String>,
    /// Sentences about files that could not be read.
    pub notes: Vec<String>,
}

impl Project {
    /// Returns the set-up to propose for a command. Returns `None` if the project has set-up files with commands, because
    /// those are used instead.
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

/// Inspects the project in a folder.
///
/// # Errors
/// [`Code::InvalidArgument`] if the folder does not exist or cannot be read, or if its path is not UTF-8. A file that cannot be
/// read causes a note, not an error.
pub fn look_at_project(env: &Env, folder: &Path) -> Result<Project, ApiError> {
    let invalid = |message: String| ApiError::new(Code::InvalidArgument, message);
    let real = folder
        .canonicalize()
        .and_then(|real| std::fs::read_dir(&real).map(|_| real))
        .map_err(|error| {
            invalid(format!(
                "The folder {} cannot be opened: {error}. Choose another folder.",
                folder.display()
            ))
        })?;
    let path = real.to_str().ok_or_else(|| {
        invalid("The folder's path is not valid UTF-8. Rename the folder.".into())
    })?;
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
