//! The workspaces on the disk, of all runs.

use std::{
    fs,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use super::places::{self, CLOSED};
use crate::{
    error::{Error, Result},
    paths,
    workspace::Manifest,
};

/// The file that says that the result was given back.
const APPLIED: &str = "applied";

/// A workspace on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The folder with everything that belongs to it.
    pub place: PathBuf,
    /// The folder in which nodes work.
    pub path: PathBuf,
    pub run: String,
    pub loop_path: String,
    /// The folder that was copied.
    pub source: PathBuf,
    /// Seconds since 1970.
    pub made_at: u64,
    /// Whether its loop has ended.
    pub is_closed: bool,
    /// When its result was last given back, in seconds since 1970.
    pub applied_at: Option<u64>,
}

impl Listed {
    /// Reads the description of the workspace at a place.
    ///
    /// # Errors
    /// An error if there is none, or if it cannot be read.
    pub fn read(place: &Path) -> Result<Self> {
        let manifest = Manifest::read(place)?;
        let time = |meta: fs::Metadata| {
            let since = meta.modified().ok()?.duration_since(UNIX_EPOCH);
            since.ok().map(|since| since.as_secs())
        };
        Ok(Self {
            is_closed: place.join(CLOSED).exists(),
            applied_at: fs::metadata(place.join(APPLIED)).ok().and_then(time),
            path: manifest.path(place),
            source: paths::from_text(&manifest.source),
            run: manifest.run,
            loop_path: manifest.loop_path,
            made_at: manifest.made_at,
            place: place.to_path_buf(),
        })
    }

    /// Notes that the result was given back.
    ///
    /// # Errors
    /// An error if the note cannot be written.
    pub fn mark_applied(&self) -> Result<()> {
        let file = self.place.join(APPLIED);
        fs::write(&file, "").map_err(Error::file("write", &file))
    }
}

/// Lists the workspaces in a data folder, the oldest first. What is not a whole workspace is left out.
pub(super) fn all(data: &Path) -> Vec<Listed> {
    let mut all: Vec<Listed> = places::all(data)
        .iter()
        .filter_map(|place| Listed::read(place).ok())
        .collect();
    all.sort_by(|a, b| (a.made_at, &a.place).cmp(&(b.made_at, &b.place)));
    all
}
