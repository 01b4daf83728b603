//! The state of a source's repository: the branch or commit that is checked out, and the operation in progress.

use std::{fs, path::Path};

use super::{Configuration, SourceRepository};
use crate::git::{Git, GitError};

/// The files and folders that git keeps in a repository during an operation, each with the name of the operation.
const OPERATIONS: [(&str, &str); 6] = [
    ("rebase-merge", "A rebase"),
    ("rebase-apply", "A rebase"),
    ("MERGE_HEAD", "A merge"),
    ("CHERRY_PICK_HEAD", "A cherry-pick"),
    ("REVERT_HEAD", "A revert"),
    ("sequencer", "A cherry-pick or revert"),
];

pub(super) fn read(git: &Git, found: SourceRepository) -> Result<SourceRepository, GitError> {
    let top = found.top.clone();
    let branch = git
        .within(&top, ["symbolic-ref", "-q", "--short", "HEAD"])
        .output()?;
    let configuration = Configuration::read(git, &top)?;
    let attributes = fs::read(top.join(".gitattributes")).unwrap_or_default();
    let mut repository = SourceRepository {
        branch: branch
            .is_success()
            .then(|| String::from_utf8_lossy(&branch.stdout).trim().to_owned()),
        head: commit(git, &top, "HEAD")?,
        is_partial: configuration.is_partial,
        is_sparse: configuration.is_sparse(),
        has_submodules: top.join(".gitmodules").is_file(),
        has_lfs: attributes
            .windows(b"filter=lfs".len())
            .any(|part| part == b"filter=lfs"),
        in_progress: None,
        ..found
    };
    repository.in_progress = in_progress(git, &repository)?;
    Ok(repository)
}

/// Returns the commit to which a name refers, or `None` if there is none.
///
/// # Errors
/// Returns an error if git cannot be started.
pub(crate) fn commit(git: &Git, folder: &Path, name: &str) -> Result<Option<String>, GitError> {
    if name.is_empty() || name.starts_with('-') {
        return Ok(None);
    }
    let output = git
        .within(folder, ["rev-parse", "--verify", "-q"])
        .arg(format!("{name}^{{commit}}"))
        .output()?;
    let hash = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((output.is_success() && !hash.is_empty()).then_some(hash))
}

fn in_progress(git: &Git, of: &SourceRepository) -> Result<Option<&'static str>, GitError> {
    let found = OPERATIONS
        .iter()
        .find(|(name, _)| of.git_dir.join(name).symlink_metadata().is_ok());
    if let Some((_, operation)) = found {
        return Ok(Some(operation));
    }
    if !of.common_dir.join("reftable").is_dir() {
        return Ok(None);
    }
    // In a repository with reftables, these two are refs and not files.
    for (name, operation) in &OPERATIONS[3..5] {
        if commit(git, &of.top, name)?.is_some() {
            return Ok(Some(operation));
        }
    }
    Ok(None)
}
