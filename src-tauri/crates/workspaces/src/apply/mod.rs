//! Applies a result when the user requests it: as a branch of the source, or merged into the files of the source.

mod branch;
mod in_the_way;
mod working;

use std::path::PathBuf;

pub use branch::{AppliedBranch, ApplyBranch, Kept};
pub use working::WorkingPlan;

use crate::{Error, git::GitError};

/// The maximum number of files that a message names.
const NAMED: usize = 10;

/// The reason why nothing was applied. The source is unchanged, except after [`Partly`](Self::Partly).
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    #[error(transparent)]
    Workspace(#[from] Error),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("{path} is a folder without git, so it cannot have a branch. Apply to the working files instead.", path = .0.display())]
    NoRepository(PathBuf),
    #[error("`{0}` is not a valid branch name. Use letters, digits, `-`, `_` and `/`.")]
    BadName(String),
    #[error("{source_folder} already has a branch `{name}`. Choose another name, or rename or delete that branch.", source_folder = .source_folder.display())]
    BranchExists {
        name: String,
        source_folder: PathBuf,
    },
    #[error("git has no name and email address for your commits in {path}. Run `git config user.name` and `git config user.email` there to set them.", path = .0.display())]
    NoAuthor(PathBuf),
    #[error("There is nothing to apply: the files are the same as at the start.")]
    Nothing,
    #[error("{source_folder} cannot be written ({why}), so nothing was applied. Make the folder writable, then apply again.", source_folder = .source_folder.display())]
    NotWritable { source_folder: PathBuf, why: String },
    #[error("These files have changed both in the source folder and in the workspace, so nothing was applied: {files}. Commit or undo your changes to them, or apply as a branch and merge it.", files = named(.0))]
    Conflict(Vec<PathBuf>),
    #[error("Applying would overwrite these files, which git ignores, so nothing was applied: {files}. Move them away, or apply as a branch and merge it.", files = named(.0))]
    InTheWay(Vec<PathBuf>),
    #[error("The files in {source_folder} changed in the meantime, so nothing was applied ({why}). Try again.", source_folder = .source_folder.display())]
    Changed { source_folder: PathBuf, why: String },
    #[error("{source_folder} could not be written ({why}), and these files could not be restored: {files}. Restore them with git, or apply again once the folder can be written.", source_folder = .source_folder.display(), files = named(.files))]
    Partly {
        source_folder: PathBuf,
        files: Vec<PathBuf>,
        why: String,
    },
}

fn named(files: &[PathBuf]) -> String {
    let mut named: Vec<String> = files
        .iter()
        .take(NAMED)
        .map(|path| path.display().to_string())
        .collect();
    if files.len() > NAMED {
        named.push(format!("and {} more", files.len() - NAMED));
    }
    named.join(", ")
}
