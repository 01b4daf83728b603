//! Preparing a fresh workspace: which ignored files to copy, and which commands to run, from what the repository already has.

mod copy_ignored;
mod formats;
mod found;
mod run;

use std::{fs, io::Read as _, path::Path};

pub use copy_ignored::copy_ignored;
pub use found::Found;
pub use run::{CommandEnd, CommandRun, run_command};

use crate::{
    error::{Error, Result},
    git::Git,
    person::Person,
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
