//! The one ref that a workspace has in its source. It keeps the objects of the base while the workspace exists.

use std::{fs, path::Path};

use crate::{
    git::{Git, GitError},
    paths,
};

/// The folder of the refs of all workspaces.
pub(crate) const PREFIX: &str = "refs/loopwright/";

/// The name of a workspace's ref.
pub(crate) fn name(run: &str, loop_path: &str) -> String {
    format!(
        "{PREFIX}{}/{}",
        paths::ref_part(run),
        paths::ref_part(loop_path)
    )
}

/// Sets the ref. Returns git's message if the source cannot be written.
pub(crate) fn set(
    git: &Git,
    top: &Path,
    name: &str,
    commit: &str,
) -> Result<Option<String>, GitError> {
    let output = git
        .within(top, ["update-ref", "--no-deref", name, commit])
        .output()?;
    Ok((!output.is_success()).then(|| crate::git::said(&output)))
}

/// Removes the ref. A source that is gone has none.
pub(crate) fn remove(git: &Git, top: &Path, common_dir: &Path, name: &str) -> Result<(), GitError> {
    if !common_dir.is_dir() || !top.is_dir() {
        return Ok(());
    }
    git.within(top, ["update-ref", "--no-deref", "-d", name])
        .done()?;
    // git leaves the folder of the refs. It goes with the last workspace.
    let folder = common_dir.join(PREFIX.trim_end_matches('/'));
    let _ = fs::remove_dir(folder);
    Ok(())
}
