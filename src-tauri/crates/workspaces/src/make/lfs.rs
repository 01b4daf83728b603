//! Files of Git LFS: their content if the source has it, otherwise their pointers.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::{
    error::Result,
    git::{GitError, Repository},
};

/// The beginning of a pointer (specification of Git LFS, version 1).
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
/// The maximum length of a pointer, in bytes.
const LONGEST_POINTER: u64 = 1024;

/// Returns the path of the Git LFS program, if it is installed.
pub(super) fn program() -> Option<PathBuf> {
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

/// Replaces pointers by their content, if the source has it. `base` is the commit of the record's files. Returns the number of
/// pointers that are left.
///
/// # Errors
/// Returns an error if git cannot be started.
pub(super) fn fill(record: &Repository, base: &str, paths: &[PathBuf]) -> Result<usize, GitError> {
    if program().is_some() && !paths.is_empty() {
        // LFS reads the files at HEAD, and a record has no commit there.
        record
            .call(["update-ref", "--no-deref", "HEAD", base])
            .done()?;
        // What LFS cannot find stays a pointer, which is counted below.
        record.call(["lfs", "checkout"]).output()?;
        record
            .call(["symbolic-ref", "HEAD", "refs/heads/none"])
            .done()?;
    }
    Ok(paths
        .iter()
        .filter(|path| is_pointer(&record.files.join(path)))
        .count())
}

fn is_pointer(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST_POINTER)
        && fs::read(path).is_ok_and(|content| content.starts_with(POINTER))
}
