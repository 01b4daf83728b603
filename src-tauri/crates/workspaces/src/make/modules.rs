//! Copies the submodules of the source, at every depth, without network access.

use std::{fs, path::Path};

use super::{
    Note, link,
    listing::{Listing, Submodule},
};
use crate::{
    error::{Error, Result},
    git::{Git, GitError, Repository},
    paths,
    record::read_tree,
    source::{self, Configuration},
};

/// Fills the submodules of a repository. `top` is the source folder with the same submodules, and `stores` is the folder for
/// their repositories.
///
/// # Errors
/// Returns an error if git fails or a file cannot be read or written. A submodule that cannot be copied stays empty, and a note
/// reports it.
pub(crate) fn make_modules(
    git: &Git,
    place: &Path,
    top: &Path,
    files: &Path,
    stores: &Path,
    submodules: &[Submodule],
    notes: &mut Vec<Note>,
) -> Result<()> {
    for (path, commit) in submodules {
        let relative = paths::path(path);
        let inner = Inner {
            place,
            from: top.join(&relative),
            files: files.join(&relative),
            store: stores.join(paths::ref_part(&paths::to_text(&relative))),
        };
        if paths::has_link_before(files, &relative) {
            continue;
        }
        if let Some(why) = make_one(git, &inner, commit, notes)? {
            notes.push(Note::EmptySubmodule {
                path: relative,
                why,
            });
        }
    }
    Ok(())
}

struct Inner<'a> {
    place: &'a Path,
    from: std::path::PathBuf,
    files: std::path::PathBuf,
    store: std::path::PathBuf,
}

/// Creates one submodule. Returns the reason if the submodule stays empty, otherwise `None`.
fn make_one(
    git: &Git,
    inner: &Inner<'_>,
    commit: &str,
    notes: &mut Vec<Note>,
) -> Result<Option<String>> {
    if inner.from.join(".git").symlink_metadata().is_err() {
        return Ok(Some("it is not checked out in the source".to_owned()));
    }
    let Some(found) = source::find(git, &inner.from)? else {
        return Ok(Some("the source's copy is not a repository".to_owned()));
    };
    if let Some(parent) = inner.store.parent() {
        fs::create_dir_all(parent).map_err(Error::file("create", parent))?;
    }
    let git = found.git(git);
    let configuration = Configuration::read(&git, &found.top)?;
    git.within(inner.place, ["init", "-q", "--bare", "--template="])
        .arg(format!("--object-format={}", found.object_format))
        .arg(&inner.store)
        .done()?;
    let info = inner.store.join("info");
    fs::create_dir_all(&info).map_err(Error::file("create", &info))?;
    let store = Repository::new(&git, &inner.store, &inner.files);
    link::link_source(&store, &found)?;
    link::configure(&store, inner.place, &configuration, None)?;
    link::take_over_info(&store, &found, &configuration)?;
    let exists = store
        .call(["cat-file", "-e"])
        .arg(format!("{commit}^{{tree}}"))
        .succeeds()?;
    if !exists {
        return Ok(Some(format!(
            "the source does not have its commit {commit}"
        )));
    }
    fs::create_dir_all(&inner.files).map_err(Error::file("create", &inner.files))?;
    let link = inner.files.join(".git");
    let mut text = b"gitdir: ".to_vec();
    text.extend_from_slice(paths::bytes(&inner.store));
    text.push(b'\n');
    fs::write(&link, text).map_err(Error::file("write", &link))?;
    store
        .call(["config", "core.worktree"])
        .arg(&inner.files)
        .done()?;
    store
        .call(["update-ref", "--no-deref", "HEAD", commit])
        .done()?;
    read_tree(&store, commit)?;
    let submodules = list(&store)?;
    let stores = inner.store.join("modules");
    make_modules(
        &git,
        inner.place,
        &found.top,
        &inner.files,
        &stores,
        &submodules,
        notes,
    )?;
    Ok(None)
}

fn list(repository: &Repository) -> Result<Vec<Submodule>, GitError> {
    let listed = repository.call(["ls-files", "-s", "-z"]).bytes()?;
    Ok(Listing::read(&listed).submodules)
}
