//! The one ref that a workspace has in its source. It keeps the objects of the base while the workspace exists.
//!
//! The file `pin.json` in the folder of the workspace names the ref. The file is written before the ref, so that a killed
//! process leaves no unknown ref.

use std::{fs, path::Path};

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, Result},
    git::Git,
    paths,
    person::Person,
};

/// The folder of the refs of all workspaces.
pub(crate) const PREFIX: &str = "refs/loopwright/";
const FILE: &str = "pin.json";

/// The location of a pin.
#[derive(Debug, Serialize, Deserialize)]
struct Pin {
    /// The folder with the source's refs, in the form of [`paths::to_text`].
    common_dir: String,
    name: String,
}

impl Pin {
    /// Removes the lock of a killed command. No running command can hold this lock, because it would also hold the
    /// workspace's lock.
    fn remove_stale_lock(&self, common_dir: &Path) {
        let _ = fs::remove_file(common_dir.join(format!("{}.lock", self.name)));
    }
}

/// The owner of a pin, and the folder of its workspace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner<'a> {
    pub(crate) run: &'a str,
    pub(crate) loop_path: &'a str,
    pub(crate) place: &'a Path,
}

impl Owner<'_> {
    /// Pins a commit of a source. Returns git's message if the source cannot be written, otherwise `None`.
    ///
    /// # Errors
    /// Returns an error if the workspace's file with the ref's name cannot be written, or if git cannot be started.
    pub(crate) fn pin(&self, git: &Git, common_dir: &Path, commit: &str) -> Result<Option<String>> {
        let name = format!(
            "{PREFIX}{}/{}",
            paths::ref_part(self.run),
            paths::ref_part(self.loop_path)
        );
        let pin = Pin {
            common_dir: paths::to_text(common_dir),
            name,
        };
        let file = self.place.join(FILE);
        let text = serde_json::to_vec(&pin).map_err(|error| Error::Damaged {
            place: self.place.to_path_buf(),
            why: error.to_string(),
        })?;
        fs::write(&file, text).map_err(Error::file("write", &file))?;
        pin.remove_stale_lock(common_dir);
        let output = git
            .within(common_dir, ["--git-dir=.", "update-ref", "--no-deref"])
            .args([&pin.name, commit])
            .output()?;
        if output.is_success() {
            return Ok(None);
        }
        crate::delete::file(&file)?;
        Ok(Some(crate::git::said(&output)))
    }
}

/// Removes the ref of the workspace at `place`, if it has one. If the source no longer exists, there is nothing to remove.
///
/// # Errors
/// Returns an error if git cannot remove the ref, or if the file with its name cannot be removed. In both cases, the ref can be
/// removed later.
pub(crate) fn unpin(place: &Path, person: &Person) -> Result<()> {
    let file = place.join(FILE);
    let Ok(text) = fs::read(&file) else {
        return Ok(());
    };
    // If the file was only partly written, the ref does not exist yet.
    if let Ok(pin) = serde_json::from_slice::<Pin>(&text) {
        let common_dir = paths::from_text(&pin.common_dir);
        if common_dir.is_dir() {
            pin.remove_stale_lock(&common_dir);
            let args = ["--git-dir=.", "update-ref", "--no-deref", "-d"];
            Git::new(person)?
                .within(&common_dir, args)
                .arg(&pin.name)
                .done()?;
            // git does not remove the folder of the refs. It is removed together with the last workspace.
            let _ = fs::remove_dir(common_dir.join(PREFIX.trim_end_matches('/')));
        }
    }
    crate::delete::file(&file)
}
