//! Restores the files of a recorded tree, and keeps the files that it replaces.

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

/// The result of [`Workspace::restore`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The tree before the restore. This tree is kept.
    pub before: Tree,
    /// Nested repositories that are not in the restored tree, each with the path to which it was moved.
    pub set_aside: Vec<(PathBuf, PathBuf)>,
}

impl Workspace {
    /// Restores the files of a tree, byte for byte. The current files are recorded first. Ignored files are not changed,
    /// unless the tree has a file at their path.
    ///
    /// # Errors
    /// [`NoTree`](Error::NoTree) if this workspace does not have the tree. In that case, nothing is changed. Any other error
    /// means that git failed, or that a file could not be read or written.
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

    /// Returns whether this workspace has all objects of a tree.
    ///
    /// # Errors
    /// Returns an error if git cannot be started.
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

    /// Replaces the files and the record's index with those of `tree`. `before` is their current state.
    ///
    /// # Errors
    /// Returns an error if git fails, or if a file cannot be written.
    pub(crate) fn write_files(&self, before: Option<&Tree>, tree: &Tree) -> Result<()> {
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *last = None;
        let record = &self.record;
        let kept: HashSet<Vec<u8>> = exact::list(record, tree.exact())?.into_iter().collect();
        let was_exact = exact::list(record, before.and_then(Tree::exact))?;
        // git does not write a file whose blob stays the same. If the file's bytes differ from those that git would write,
        // it is removed, so that git writes it again.
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

    /// Moves nested repositories that are not in the tree out of the files. Git would not remove them, and their content exists
    /// nowhere else. Returns their old and new paths.
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

    /// Moves something that no tree contains out of the files. Returns its new path.
    ///
    /// # Errors
    /// Returns an error if it cannot be moved.
    pub(crate) fn move_aside(&self, relative: &Path) -> Result<PathBuf> {
        let from = self.record.files.join(relative);
        let to = free_place(&self.place.join("set-aside"), relative);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
        }
        fs::rename(&from, &to).map_err(Error::file("move", &from))?;
        Ok(to)
    }

    /// Returns the submodules and nested repositories whose commits a tree contains.
    ///
    /// # Errors
    /// Returns an error if git cannot list the tree.
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

/// Returns `relative` in the first numbered subfolder of `folder` in which this path does not exist.
fn free_place(folder: &Path, relative: &Path) -> PathBuf {
    (1_u32..)
        .map(|number| folder.join(number.to_string()).join(relative))
        .find(|place| place.symlink_metadata().is_err())
        .unwrap_or_else(|| folder.join(relative))
}
