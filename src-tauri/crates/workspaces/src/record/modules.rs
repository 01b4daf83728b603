//! Writes the files of a tree, and `.gitmodules` separately if it changes.
//!
//! git parses `.gitmodules` when it writes the file, and fails if the content is malformed. A program may have written
//! anything into it, so the file is written last, with a separate command.

use super::Index;
use crate::{delete, error::Result, git::Repository};

pub(crate) const MODULES: &str = ".gitmodules";
/// The name of a private index of the record, in which trees are assembled.
const INDEX: &str = "modules-index";

/// The mode and the hash of `.gitmodules`.
pub(crate) type Entry = Option<(String, String)>;

/// Replaces the index and the files of a repository with those of a tree or commit.
///
/// # Errors
/// Returns an error if git cannot write the index or a file, or if an old file cannot be removed.
pub(crate) fn read_tree(repository: &Repository, tree: &str) -> Result<()> {
    let index = Index::of(repository);
    let file = repository.files.join(MODULES);
    let (wanted, present) = (in_tree(repository, tree)?, in_index(&index)?);
    let is_there = file.symlink_metadata().is_ok();
    if wanted == present && wanted.is_some() == is_there {
        return Ok(index.call(["read-tree", "--reset", "-u", tree]).done()?);
    }
    set(&index, None)?;
    if !file.is_dir() {
        delete::file(&file)?;
    }
    let rest = with(repository, tree, None)?;
    index.call(["read-tree", "--reset", "-u", &rest]).done()?;
    write(&index, wanted.as_ref())
}

/// Returns the entry of `.gitmodules` in a tree or commit, or `None` if there is none.
///
/// # Errors
/// Returns an error if git cannot read the tree or commit.
pub(crate) fn in_tree(repository: &Repository, tree: &str) -> Result<Entry> {
    let listed = repository.call(["ls-tree", tree, "--", MODULES]).text()?;
    // `mode blob hash`, a tab, and the name.
    let mut fields = listed.split([' ', '\t']);
    let (mode, kind, hash) = (fields.next(), fields.next(), fields.next());
    Ok(match (mode, kind, hash) {
        (Some(mode), Some("blob"), Some(hash)) => Some((mode.to_owned(), hash.to_owned())),
        _ => None,
    })
}

fn in_index(index: &Index<'_>) -> Result<Entry> {
    let listed = index.call(["ls-files", "-s", "--", MODULES]).text()?;
    // `mode hash stage`, a tab, and the name. If this is the name of a folder, the entries differ.
    let mut found = None;
    for line in listed.lines() {
        if let Some((entry, MODULES)) = line.split_once('\t')
            && let [mode, hash, _] = entry.split(' ').collect::<Vec<_>>()[..]
        {
            found = Some((mode.to_owned(), hash.to_owned()));
        }
    }
    Ok(found)
}

/// Returns the hash of `tree` with this entry for `.gitmodules`. If the entry is `None`, the new tree has no such file.
///
/// # Errors
/// Returns an error if git cannot create the tree.
pub(crate) fn with(repository: &Repository, tree: &str, entry: Entry) -> Result<String> {
    let file = repository.dir.join(INDEX);
    let index = Index::private(repository, &file);
    index.call(["read-tree", tree]).done()?;
    set(&index, entry.as_ref())?;
    let tree = index.call(["write-tree"]).text()?;
    delete::file(&file)?;
    Ok(tree)
}

fn set(index: &Index<'_>, entry: Option<&(String, String)>) -> Result<()> {
    match entry {
        None => index
            .call(["update-index", "--force-remove", "--", MODULES])
            .done()?,
        Some((mode, hash)) => index
            .call(["update-index", "--add", "--cacheinfo"])
            .arg(format!("{mode},{hash},{MODULES}"))
            .done()?,
    }
    Ok(())
}

/// Writes `.gitmodules`, or removes it.
///
/// # Errors
/// Returns an error if the file or its entry in the index cannot be changed.
pub(crate) fn write(index: &Index<'_>, entry: Option<&(String, String)>) -> Result<()> {
    set(index, entry)?;
    if entry.is_none() {
        return delete::file(&index.repository.files.join(MODULES));
    }
    let args = ["checkout-index", "-f", "-u", "--", MODULES];
    Ok(index.call(args).done()?)
}
