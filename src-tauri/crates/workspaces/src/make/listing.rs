//! The entries of an index that are not plain files.

use std::path::PathBuf;

use crate::{error::Result, git::Repository, paths};

/// A submodule of a repository: its path, and the commit that the tree names.
pub(crate) type Submodule = (Vec<u8>, String);

/// The entries of an index that need more work than writing a file.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) submodules: Vec<Submodule>,
    pub(super) links: Vec<PathBuf>,
    pub(super) attributes: Vec<PathBuf>,
}

impl Listing {
    pub(super) fn of(record: &Repository) -> Result<Self> {
        let listed = record.call(["ls-files", "-s", "-z"]).bytes()?;
        Ok(Self::read(&listed))
    }

    /// Parses lines of `mode hash stage`, a tab, and the path.
    pub(super) fn read(listed: &[u8]) -> Self {
        let mut listing = Self::default();
        for line in paths::list(listed) {
            let Some(tab) = line.iter().position(|byte| *byte == b'\t') else {
                continue;
            };
            let path = &line[tab + 1..];
            if line.starts_with(b"160000 ") {
                let hash = line.get(7..tab - 2).unwrap_or_default();
                let hash = String::from_utf8_lossy(hash).into_owned();
                listing.submodules.push((path.to_vec(), hash));
            } else if line.starts_with(b"120000 ") {
                listing.links.push(paths::path(path));
            } else if path.ends_with(b".gitattributes") {
                listing.attributes.push(paths::path(path));
            }
        }
        listing
    }
}
