//! Preparing a fresh workspace: which ignored files to copy, and which commands to run, from what the repository already has.

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

/// No file with such settings is larger.
const LARGEST: u64 = 1024 * 1024;

/// What a repository says about preparing a copy of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PreparePlan {
    /// The files that say something, in the order in which they count.
    pub found: Vec<Found>,
}

impl PreparePlan {
    /// Reads the files of a fresh workspace. No command is run.
    ///
    /// # Errors
    /// An error of git, which reads one of the formats.
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

    /// All patterns of ignored files to copy.
    pub fn copy(&self) -> Vec<String> {
        self.found
            .iter()
            .flat_map(|found| found.copy.iter().cloned())
            .collect()
    }

    /// The file whose commands are run: the first that has any. Those of the others usually do the same for other programs.
    pub fn chosen(&self) -> Option<&Found> {
        self.found.iter().find(|found| !found.commands.is_empty())
    }
}

/// The file in the place of a workspace that says that the workspace is set up. Programs in the workspace cannot write it.
const SET_UP: &str = "set-up";

impl Workspace {
    /// Whether the workspace was set up. A copy that was made again, or forked, is not.
    pub fn is_set_up(&self) -> bool {
        self.place.join(SET_UP).is_file()
    }

    /// Notes that the workspace is set up.
    ///
    /// # Errors
    /// If the note cannot be written.
    pub fn mark_set_up(&self) -> Result<()> {
        let file = self.place.join(SET_UP);
        fs::write(&file, "").map_err(Error::file("write", &file))
    }

    /// Reads the set-up files in the folder in which nodes work.
    ///
    /// # Errors
    /// As [`PreparePlan::read`].
    pub fn setup_plan(&self) -> Result<PreparePlan> {
        PreparePlan::read(&self.path(), &self.person)
    }

    /// Copies ignored files of the source that match patterns of .gitignore. What exists in the workspace stays. Returns the
    /// copied files.
    ///
    /// # Errors
    /// As [`copy_ignored`], or if the source is gone.
    pub fn copy_ignored(&self, patterns: &[String]) -> Result<Vec<std::path::PathBuf>> {
        if patterns.is_empty() {
            return Ok(Vec::new());
        }
        copy_ignored(&self.look_at_source()?, patterns, self.files())
    }
}

/// Reads a file of settings. `None` if there is none. A link is not followed: it could lead out of the workspace.
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
