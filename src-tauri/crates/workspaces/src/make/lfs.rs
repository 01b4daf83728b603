//! Fills in Git LFS files: with their content if the source has it, otherwise with their pointers.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::{Author, commit_tree, now};
use crate::{
    error::{Error, Result},
    git::{GitError, Repository},
    paths,
    tree::Tree,
};

/// The first line of a pointer (specification of Git LFS, version 1).
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
/// The maximum length of a pointer, in bytes.
const LONGEST_POINTER: u64 = 1024;

/// Returns the path of the Git LFS program, or `None` if it is not installed.
pub(crate) fn program() -> Option<PathBuf> {
    let name = if cfg!(windows) {
        "git-lfs.exe"
    } else {
        "git-lfs"
    };
    let places = env::var_os("PATH")?;
    env::split_paths(&places)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// Calls `set` with the settings with which git converts content to pointers and back. Nothing is downloaded.
pub(super) fn settings(program: &Path, mut set: impl FnMut(&str, &[u8])) {
    let command = |rest: &str| {
        let quoted = program.to_string_lossy().replace('\'', "'\\''");
        format!("'{quoted}' {rest}").into_bytes()
    };
    set("filter.lfs.clean", &command("clean -- %f"));
    set("filter.lfs.smudge", &command("smudge --skip -- %f"));
    set("filter.lfs.process", &command("filter-process --skip"));
    set("filter.lfs.required", b"true");
    set("lfs.url", b"file:///nowhere");
    set("lfs.locksverify", b"false");
}

/// Replaces pointers with their content if the source has it. `base` is the commit of the record's files. Returns the number
/// of remaining pointers.
///
/// # Errors
/// Returns an error if git cannot be started.
pub(super) fn fill(record: &Repository, base: &str, paths: &[PathBuf]) -> Result<usize, GitError> {
    if program().is_some() && !paths.is_empty() {
        fill_at(record, base)?;
    }
    Ok(paths
        .iter()
        .filter(|path| is_pointer(&record.files.join(path)))
        .count())
}

/// Replaces pointers with their content after the files of `tree` were written. Does nothing in a workspace without Git LFS
/// files.
///
/// # Errors
/// Returns an error if git cannot be started.
pub(crate) fn fill_again(record: &Repository, tree: &Tree) -> Result<(), GitError> {
    if program().is_none() || !storage(&record.dir).is_dir() {
        return Ok(());
    }
    let author = Author::own(now());
    fill_at(
        record,
        &commit_tree(record, tree.hash(), None, "files\n", &author)?,
    )
}

fn fill_at(record: &Repository, commit: &str) -> Result<(), GitError> {
    // LFS reads the files at HEAD, but HEAD of a record has no commit.
    record
        .call(["update-ref", "--no-deref", "HEAD", commit])
        .done()?;
    // Content that LFS cannot find stays a pointer.
    record.call(["lfs", "checkout"]).output()?;
    record
        .call(["symbolic-ref", "HEAD", "refs/heads/none"])
        .done()
}

/// Copies the Git LFS contents in the record of a workspace to the repository `to`, a folder such as `.git`. The record
/// contains the contents that programs wrote. Existing contents are not changed.
///
/// # Errors
/// Returns an error if a file cannot be written.
pub(crate) fn give_contents(record: &Path, to: &Path) -> Result<()> {
    let from = storage(record);
    match from.is_dir() {
        true => copy_missing(&from, &storage(to)),
        false => Ok(()),
    }
}

fn copy_missing(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).map_err(Error::file("create", to))?;
    for entry in fs::read_dir(from).map_err(Error::file("read", from))? {
        let entry = entry.map_err(Error::file("read", from))?;
        let kind = entry.file_type().map_err(Error::file("read", from))?;
        let target = to.join(entry.file_name());
        if kind.is_dir() {
            copy_missing(&entry.path(), &target)?;
        } else if kind.is_file() && !target.exists() {
            // The file has a temporary name until it is complete, because LFS assumes that a file with the final name is
            // complete.
            let part = target.with_extension("loopwright");
            fs::copy(entry.path(), &part).map_err(Error::file("write", &part))?;
            fs::rename(&part, &target).map_err(Error::file("write", &target))?;
        }
    }
    Ok(())
}

/// Replaces pointers among `files` in `folder` with their content, if the record contains the content or can find it.
///
/// # Errors
/// Returns an error if a file cannot be written.
pub(crate) fn fill_files<'a>(
    record: &Repository,
    folder: &Path,
    files: impl Iterator<Item = &'a Path>,
) -> Result<()> {
    if program().is_none() {
        return Ok(());
    }
    for file in files {
        let path = folder.join(file);
        if paths::has_link_before(folder, file) || !is_pointer(&path) {
            continue;
        }
        let pointer = fs::read(&path).map_err(Error::file("read", &path))?;
        let smudged = record
            .call(["lfs", "smudge"])
            .env("GIT_LFS_SKIP_SMUDGE", "0")
            .input(pointer.clone())
            .output()?;
        // Without the content, LFS returns the pointer or fails.
        if smudged.is_success() && smudged.stdout != pointer && !smudged.is_cut {
            fs::write(&path, &smudged.stdout).map_err(Error::file("write", &path))?;
        }
    }
    Ok(())
}

/// Returns the folder in which a repository stores Git LFS contents.
fn storage(repository: &Path) -> PathBuf {
    repository.join("lfs/objects")
}

fn is_pointer(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST_POINTER)
        && fs::read(path).is_ok_and(|content| content.starts_with(POINTER))
}
