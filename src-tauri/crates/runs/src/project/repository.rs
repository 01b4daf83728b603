//! The repository of a project, and the reasons why it cannot be copied to a workspace.

use std::path::{Path, PathBuf};

use loopwright_workspaces::{Base, Error, Person, Source};

/// The findings about the repository of a project.
#[derive(Debug, Default)]
pub(super) struct Repository {
    pub(super) is_repository: bool,
    pub(super) branch: Option<String>,
    pub(super) has_changes: bool,
    pub(super) refused_head: Option<String>,
    pub(super) refused_working: Option<String>,
    /// The path of the project's folder, relative to the top of the repository.
    pub(super) subfolder: PathBuf,
}

impl Repository {
    /// Inspects the repository. If git fails, its error is the reason why no copy can be made, because copying needs git
    /// too.
    pub(super) fn look(folder: &Path, data_dir: &Path) -> Self {
        let source = match Source::look(folder, data_dir, &Person::here()) {
            Ok(source) => source,
            Err(error) => {
                let refused = Some(sentence(&error));
                return Self {
                    is_repository: folder.join(".git").exists(),
                    refused_head: refused.clone(),
                    refused_working: refused,
                    ..Self::default()
                };
            }
        };
        let refused = |base: &Base| match source.refused_base(base) {
            Ok(refused) => refused.map(|refused| refused.to_string()),
            Err(error) => Some(sentence(&error)),
        };
        Self {
            is_repository: source.repository.is_some(),
            branch: source
                .repository
                .as_ref()
                .and_then(|found| found.branch.clone()),
            // If git cannot tell whether there are changes, that alone does not prevent a copy.
            has_changes: source.has_changes().unwrap_or(false),
            refused_head: refused(&Base::Head),
            refused_working: refused(&Base::Working),
            subfolder: source
                .repository
                .as_ref()
                .map(|found| found.subfolder.clone())
                .unwrap_or_default(),
        }
    }
}

/// Formats an error as a sentence.
fn sentence(error: &Error) -> String {
    let text = error.to_string();
    match text.ends_with('.') {
        true => text,
        false => format!("{text}."),
    }
}
