//! Records the state of the files as a tree, in a repository that no program may write.

pub(crate) mod exact;
mod keep;
mod listing;
pub(crate) mod modules;
mod restore;

use std::path::PathBuf;

pub(crate) use keep::reference as keep_reference;
pub(crate) use listing::{Index, update};
pub(crate) use modules::read_tree;
pub use restore::Restored;

use crate::{error::Result, tree::Tree, workspace::Workspace};

/// The result of [`Workspace::record`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    pub tree: Tree,
    /// The paths that a tree cannot contain: pipes and sockets, nested repositories without a commit, and names that git
    /// reserves.
    pub left_out: Vec<PathBuf>,
}

impl Workspace {
    pub(crate) fn exact(&self) -> exact::Exact<'_> {
        exact::Exact {
            record: &self.record,
            place: &self.place,
            converts_all: self.manifest.converts_all,
        }
    }

    /// Writes the state of the files as a tree, and keeps the tree.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if git fails.
    pub fn record(&self) -> Result<Recorded> {
        let index = Index::of(&self.record);
        let exact_files = exact::Pending::begin(&self.record)?;
        let mut updated = update(&index, exact_files.was_interrupted)?;
        updated.changed.extend(exact::touched(&self.record)?);
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if updated.changed.is_empty()
            && let Some(tree) = &*last
        {
            exact_files.end()?;
            return Ok(Recorded {
                tree: tree.clone(),
                left_out: updated.left_out,
            });
        }
        let hash = index.call(["write-tree"]).text()?;
        let exact = exact::note(&self.exact(), &updated.changed, &exact_files)?;
        exact_files.end()?;
        let tree = Tree::new(&hash, exact.as_deref())?;
        keep::own_objects(self, &tree)?;
        keep::reference(self, &tree)?;
        *last = Some(tree.clone());
        Ok(Recorded {
            tree,
            left_out: updated.left_out,
        })
    }
}
