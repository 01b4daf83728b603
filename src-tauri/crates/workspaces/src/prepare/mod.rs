//! Prepares a fresh workspace: determines, from the files of the repository, which ignored files to copy and which commands to
//! run.

mod copy_ignored;
mod formats;
mod found;

use std::{fs, io::Read as _, path::Path};

pub use copy_ignored::copy_ignored;
pub use found::Found;

use crate::{
    error::{Error, Result},
    git::Git,
    person::Person,
    workspace::Workspace,
};

/// The maximum size of a set-up file, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// How a copy is set up, according to the set-up files of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PreparePlan {
    /// The set-up files that have contents, in order of precedence.
    pub found: Vec<Found>,
}

impl PreparePlan {
    /// Reads the set-up files of a fresh workspace. No command is run.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if git, which reads one of the formats, cannot be used.
    pub fn read(folder: &Path, person: &Person) -> Result<Self> {
        let git = Git::new(person)?;
        let mut plan = Self::default();
        for format in formats::FORMATS {
            let path = folder.join(format.file);
            if let Some(text) = read_file(&path).map_err(Error::file("read", &path))? {
                let mut found = format.found();
                (format.read)(&git, &path, &text, &mut found)?;
                plan.found.push(found);
            }
        }
        Ok(plan)
    }

    /// Returns all patterns of ignored files to copy.
    pub fn copy(&self) -> Vec<String> {
        self.found
            .iter()
            .flat_map(|found| found.copy.iter().cloned())
            .collect()
    }

    /// Returns the file whose commands are run; `None` if no file has commands. It is the first file that has commands,
    /// because the other files usually contain the same commands for other programs.
    pub fn chosen(&self) -> Option<&Found> {
        self.found.iter().find(|found| !found.commands.is_empty())
    }
}

/// The name of the file that marks a workspace as set up. Programs in the workspace cannot write it.
const SET_UP: &str = "set-up";

impl Workspace {
    /// Returns whether the workspace was set up. Returns `false` for a copy that was recreated or forked.
    pub fn is_set_up(&self) -> bool {
        self.place.join(SET_UP).is_file()
    }

    /// Records that the workspace is set up.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn mark_set_up(&self) -> Result<()> {
        let file = self.place.join(SET_UP);
        fs::write(&file, "").map_err(Error::file("write", &file))
    }

    /// Reads the set-up files in the folder in which nodes work.
    ///
    /// # Errors
    /// Returns the errors of [`PreparePlan::read`].
    pub fn setup_plan(&self) -> Result<PreparePlan> {
        PreparePlan::read(&self.path(), &self.person)
    }

    /// Copies ignored files of the source that match patterns of .gitignore. Existing files of the workspace are not
    /// replaced. Returns the copied files.
    ///
    /// # Errors
    /// Returns the errors of [`copy_ignored`], or an error if the source no longer exists.
    pub fn copy_ignored(&self, patterns: &[String]) -> Result<Vec<std::path::PathBuf>> {
        if patterns.is_empty() {
            return Ok(Vec::new());
        }
        copy_ignored(&self.look_at_source()?, patterns, self.files())
    }
}

/// Reads a set-up file. Returns `None` if it does not exist. A link is not followed, because it could lead out of the
/// workspace.
fn read_file(path: &Path) -> std::io::Result<Option<String>> {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_file() && meta.len() <= LARGEST => {}
        _ => return Ok(None),
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(LARGEST)
        .read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
