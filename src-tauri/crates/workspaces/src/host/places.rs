//! The folders of a run's workspaces, which are `workspaces/RUN/LOOP/NUMBER` in the data folder. If a closed loop is opened
//! again, its new workspace gets the next number, so that the earlier result is kept.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    error::{Error, Result},
    paths,
};

/// The maximum length of a folder name that is the unchanged path of a loop. For a longer path, the folder's name is
/// shortened and ends with a hash.
const LONGEST: usize = 120;
/// The folder of all workspaces in the data folder.
const FOLDER: &str = "workspaces";
/// The name of the file that marks a closed workspace.
pub(super) const CLOSED: &str = "closed";

/// The folders of one loop of a run.
#[derive(Debug)]
pub(super) struct Places(PathBuf);

fn run_folder(data: &Path, run: &str) -> PathBuf {
    data.join(FOLDER).join(name(run))
}

fn name(text: &str) -> String {
    let mut part = paths::ref_part(text);
    if part.len() > LONGEST {
        let hash = blake3::hash(text.as_bytes()).to_hex();
        part.truncate(LONGEST - 17);
        part.push('~');
        part.push_str(&hash[..16]);
    }
    part
}

/// Returns the folders of all workspaces of all runs, in no particular order.
pub(super) fn all(data: &Path) -> Vec<PathBuf> {
    let Ok(runs) = fs::read_dir(data.join(FOLDER)) else {
        return Vec::new();
    };
    runs.flatten().flat_map(|run| within(&run.path())).collect()
}

/// Returns the folders of all workspaces of a run, in no particular order.
pub(super) fn of_run(data: &Path, run: &str) -> Vec<PathBuf> {
    within(&run_folder(data, run))
}

/// Returns the folders of the workspaces inside the folder of a run.
fn within(run: &Path) -> Vec<PathBuf> {
    let Ok(loops) = fs::read_dir(run) else {
        return Vec::new();
    };
    loops
        .flatten()
        .flat_map(|entry| Places(entry.path()).newest_first())
        .collect()
}

impl Places {
    pub(super) fn of(data: &Path, run: &str, loop_path: &str) -> Self {
        Self(run_folder(data, run).join(name(loop_path)))
    }

    pub(super) fn newest_first(&self) -> Vec<PathBuf> {
        let mut numbers = self.numbers();
        numbers.reverse();
        numbers.into_iter().map(|number| self.at(number)).collect()
    }

    pub(super) fn last(&self) -> Option<PathBuf> {
        self.numbers().last().map(|number| self.at(*number))
    }

    /// Returns the folder for the next workspace. It is the last folder, unless its workspace was closed.
    pub(super) fn fresh(&self) -> PathBuf {
        match self.numbers().last() {
            Some(last) if !self.at(*last).join(CLOSED).exists() => self.at(*last),
            Some(last) => self.at(last + 1),
            None => self.at(1),
        }
    }

    /// Records that the workspace at `place` was closed. The workspace is kept until it is applied or removed.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(super) fn mark_closed(&self, place: &Path) -> Result<()> {
        let file = place.join(CLOSED);
        fs::write(&file, "").map_err(Error::file("write", &file))
    }

    /// Removes the folders of this loop and of its run if they are empty.
    pub(super) fn remove_empty(&self) {
        // Removing a folder that is not empty fails, which is intended.
        let _ = fs::remove_dir(&self.0);
        if let Some(run) = self.0.parent() {
            let _ = fs::remove_dir(run);
        }
    }

    fn at(&self, number: u32) -> PathBuf {
        self.0.join(number.to_string())
    }

    fn numbers(&self) -> Vec<u32> {
        let Ok(entries) = fs::read_dir(&self.0) else {
            return Vec::new();
        };
        let mut numbers: Vec<u32> = entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .collect();
        numbers.sort_unstable();
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_place_is_not_used_again() {
        let data = tempfile::tempdir().unwrap();
        let places = Places::of(data.path(), "run", "each[2]/fix");
        assert_eq!(places.last(), None);
        let first = places.fresh();
        assert!(first.ends_with("workspaces/run/each=5B2=5D=2Ffix/1"));
        fs::create_dir_all(&first).unwrap();
        assert_eq!(places.fresh(), first);
        places.mark_closed(&first).unwrap();
        let second = places.fresh();
        assert!(second.ends_with("2"));
        fs::create_dir_all(&second).unwrap();
        assert_eq!(places.newest_first(), [second.clone(), first]);
        assert_eq!(of_run(data.path(), "run").len(), 2);
        assert_eq!(places.last(), Some(second));
    }

    #[test]
    fn names_of_long_paths_are_short_and_distinct() {
        let (one, other) = ("a/".repeat(500), "a/".repeat(501));
        assert_eq!(name(&one).len(), LONGEST);
        assert_ne!(name(&one), name(&other));
        assert_eq!(name("fix"), "fix");
    }
}
