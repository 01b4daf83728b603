//! Lists the workspaces of all runs on disk.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use super::places::{self, CLOSED};
use crate::{
    error::{Error, Result},
    paths,
    tree::Tree,
    workspace::Manifest,
};

/// The name of the file that lists the applied trees, one per line.
const APPLIED: &str = "applied";

/// The suffix that marks a tree in the file [`APPLIED`] as the last one of its loop.
const LAST: &str = " last";

/// A workspace on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The folder with everything that belongs to the workspace.
    pub place: PathBuf,
    /// The folder in which nodes work.
    pub path: PathBuf,
    pub run: String,
    pub loop_path: String,
    /// The folder that was copied.
    pub source: PathBuf,
    /// The time at which the workspace was created, in seconds since the Unix epoch.
    pub made_at: u64,
    /// Whether the workspace's loop has ended.
    pub is_closed: bool,
    /// The time at which a result was last applied, in seconds since the Unix epoch.
    pub applied_at: Option<u64>,
    /// The trees that were applied.
    pub applied: Vec<Tree>,
    /// Whether an applied tree was the last tree of the loop when it was applied.
    pub has_applied_last: bool,
}

impl Listed {
    /// Reads the description of the workspace at `place`.
    ///
    /// # Errors
    /// Returns an error if there is no description, or if it cannot be read.
    pub fn read(place: &Path) -> Result<Self> {
        let manifest = Manifest::read(place)?;
        let time = |meta: fs::Metadata| {
            let since = meta.modified().ok()?.duration_since(UNIX_EPOCH);
            since.ok().map(|since| since.as_secs())
        };
        let applied = fs::read_to_string(place.join(APPLIED)).unwrap_or_default();
        Ok(Self {
            is_closed: place.join(CLOSED).exists(),
            applied_at: fs::metadata(place.join(APPLIED)).ok().and_then(time),
            has_applied_last: applied.lines().any(|line| line.ends_with(LAST)),
            applied: applied
                .lines()
                .filter_map(|line| line.trim_end_matches(LAST).parse().ok())
                .collect(),
            path: manifest.path(place),
            source: paths::from_text(&manifest.source),
            run: manifest.run,
            loop_path: manifest.loop_path,
            made_at: manifest.made_at,
            place: place.to_path_buf(),
        })
    }

    /// Records that a tree was applied. `is_last` is true if it is the last tree of the loop.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn mark_applied(&self, tree: &Tree, is_last: bool) -> Result<()> {
        let file = self.place.join(APPLIED);
        let line = format!("{tree}{}\n", if is_last { LAST } else { "" });
        fs::File::options()
            .append(true)
            .create(true)
            .open(&file)
            .and_then(|mut open| io::Write::write_all(&mut open, line.as_bytes()))
            .map_err(Error::file("write", &file))
    }
}

/// Lists the workspaces in a data folder, the oldest first. Incomplete workspaces are left out.
pub(super) fn all(data: &Path) -> Vec<Listed> {
    let mut all: Vec<Listed> = places::all(data)
        .iter()
        .filter_map(|place| Listed::read(place).ok())
        .collect();
    all.sort_by(|a, b| (a.made_at, &a.place).cmp(&(b.made_at, &b.place)));
    all
}
