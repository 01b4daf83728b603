//! Restoring: makes the files what a recorded tree says, and keeps what was there.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use super::{exact, keep};
use crate::{
    error::{Error, Result},
    git::GitError,
    make::{self, Submodule},
    paths,
    tree::Tree,
    workspace::Workspace,
};

/// What [`Workspace::restore`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The files as they were before. This tree is kept.
    pub before: Tree,
    /// Repositories inside that the restored tree does not have, with the place to which each was moved.
    pub set_aside: Vec<(PathBuf, PathBuf)>,
}

impl Workspace {
    /// Makes the files what a tree says, byte for byte. What is there now is recorded first. Ignored files stay, except where
    /// the tree has a file in their place.
    ///
    /// # Errors
    /// [`NoTree`](Error::NoTree) if this workspace does not have the tree; nothing is changed then. Otherwise an error of git.
    pub fn restore(&self, tree: &Tree) -> Result<Restored> {
        self.must_have(tree)?;
        let before = self.record()?.tree;
        let mut restored = Restored {
            before: before.clone(),
            set_aside: Vec::new(),
        };
        if before != *tree {
            restored.set_aside = self.set_aside(&before, tree)?;
            self.write_files(Some(&before), tree)?;
            make::lfs::fill_again(&self.record, tree)?;
            keep::reference(self, tree)?;
        }
        Ok(restored)
    }

    /// Whether this workspace has all objects of a tree.
    ///
    /// # Errors
    /// An error if git cannot be started.
    pub fn has(&self, tree: &Tree) -> Result<bool> {
        self.trees().has(tree)
    }

    pub(crate) fn must_have(&self, tree: &Tree) -> Result<()> {
        if self.has(tree)? {
            return Ok(());
        }
        Err(Error::NoTree {
            tree: tree.to_string(),
            place: self.place.clone(),
        })
    }

    /// Makes the files and the record's index what `tree` says. `before`: what they are.
    pub(crate) fn write_files(&self, before: Option<&Tree>, tree: &Tree) -> Result<()> {
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *last = None;
        let record = &self.record;
        let kept: HashSet<Vec<u8>> = exact::list(record, tree.exact())?.into_iter().collect();
        let was_exact = exact::list(record, before.and_then(Tree::exact))?;
        // git keeps a file whose blob stays. One that was not as git writes it must be written again.
        for path in was_exact.iter().filter(|path| !kept.contains(*path)) {
            let relative = paths::path(path);
            let place = record.files.join(&relative);
            if !paths::has_link_before(&record.files, &relative) {
                let _ = fs::remove_file(place);
            }
        }
        let exact_files = exact::Pending::begin(record)?;
        super::read_tree(record, tree.hash())?;
        exact::write(record, tree.exact())?;
        exact_files.end()?;
        *last = Some(tree.clone());
        Ok(())
    }

    /// Moves repositories inside that the tree does not have out of the files: git would leave them, and nothing else has
    /// their content.
    fn set_aside(&self, before: &Tree, tree: &Tree) -> Result<Vec<(PathBuf, PathBuf)>> {
        let inner: HashSet<Vec<u8>> = self.repositories_in(tree)?.into_iter().collect();
        let mut moved = Vec::new();
        for path in self.repositories_in(before)? {
            let relative = paths::path(&path);
            let from = self.record.files.join(&relative);
            let is_unsafe = paths::has_link_before(&self.record.files, &relative);
            if inner.contains(&path) || is_unsafe || !from.join(".git").exists() {
                continue;
            }
            let to = self.move_aside(&relative)?;
            moved.push((relative, to));
        }
        Ok(moved)
    }

    /// Moves something that no tree has out of the files. Returns its new place.
    pub(crate) fn move_aside(&self, relative: &Path) -> Result<PathBuf> {
        let from = self.record.files.join(relative);
        let to = free_place(&self.place.join("set-aside"), relative);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
        }
        fs::rename(&from, &to).map_err(Error::file("move", &from))?;
        Ok(to)
    }

    /// The submodules and repositories inside, of which a tree has the commit.
    pub(crate) fn submodules_of(&self, tree: &Tree) -> Result<Vec<Submodule>, GitError> {
        let args = ["ls-tree", "-r", "-z", tree.hash()];
        let listed = self.record.call(args).bytes()?;
        Ok(paths::list(&listed)
            .filter_map(|line| line.strip_prefix(b"160000 commit "))
            .filter_map(|line| {
                let tab = line.iter().position(|byte| *byte == b'\t')?;
                let hash = String::from_utf8_lossy(&line[..tab]).into_owned();
                Some((line[tab + 1..].to_vec(), hash))
            })
            .collect())
    }

    fn repositories_in(&self, tree: &Tree) -> Result<Vec<Vec<u8>>, GitError> {
        let submodules = self.submodules_of(tree)?;
        Ok(submodules.into_iter().map(|(path, _)| path).collect())
    }
}

/// A path that does not exist, in a folder with a number that is not used.
fn free_place(folder: &Path, relative: &Path) -> PathBuf {
    (1_u32..)
        .map(|number| folder.join(number.to_string()).join(relative))
        .find(|place| place.symlink_metadata().is_err())
        .unwrap_or_else(|| folder.join(relative))
}
