//! Copies those ignored files of the source that match a pattern.

use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

use crate::{
    copy,
    error::{Error, Result},
    git::Git,
    paths,
    source::{Configuration, IndexCopy, Source, SourceRepository},
};

/// Copies ignored files that match patterns of .gitignore into the files of a workspace. Existing files are not replaced.
/// From a folder without git, which was copied completely, nothing is copied. Returns the copied files.
///
/// # Errors
/// Returns an error if git cannot list the ignored files, or if a file cannot be copied.
pub fn copy_ignored(source: &Source, patterns: &[String], files: &Path) -> Result<Vec<PathBuf>> {
    let Some(repository) = &source.repository else {
        return Ok(Vec::new());
    };
    if patterns.is_empty() {
        return Ok(Vec::new());
    }
    let git = repository.git(&Git::new(&source.person)?);
    let mut copied = Vec::new();
    for path in ignored(&git, repository, patterns)? {
        let relative = paths::path(&path);
        if !paths::is_inside(&relative) {
            continue;
        }
        if copy_one(&repository.top, files, &relative)? {
            copied.push(relative);
        }
    }
    Ok(copied)
}

fn ignored(git: &Git, repository: &SourceRepository, patterns: &[String]) -> Result<Vec<Vec<u8>>> {
    let write = |file: &mut tempfile::NamedTempFile| -> io::Result<()> {
        for pattern in patterns {
            writeln!(file, "{pattern}")?;
        }
        file.flush()
    };
    let mut file = tempfile::NamedTempFile::new()
        .map_err(Error::file("create a file in", &std::env::temp_dir()))?;
    let path = file.path().to_path_buf();
    write(&mut file).map_err(Error::file("write", &path))?;
    let mut from = std::ffi::OsString::from("--exclude-from=");
    from.push(&path);
    let index = IndexCopy::of(git, repository)?;
    let named = index
        .call(["ls-files", "-z", "-o", "-i"])
        .arg(from)
        .bytes()?;
    // If git lists a folder, it is a nested repository. Nothing is copied from it.
    let named: Vec<&[u8]> = paths::list(&named)
        .filter(|path| !path.ends_with(b"/"))
        .collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let excludes = Configuration::read(git, &repository.top)?.excludes;
    let ignored = index.ignored(excludes.as_deref(), paths::joined(&named))?;
    Ok(paths::list(&ignored).map(<[u8]>::to_vec).collect())
}

fn copy_one(top: &Path, files: &Path, relative: &Path) -> Result<bool> {
    let (from, to) = (top.join(relative), files.join(relative));
    if to.symlink_metadata().is_ok()
        || paths::has_link_before(files, relative)
        || paths::has_link_before(top, relative)
    {
        return Ok(false);
    }
    let meta = from
        .symlink_metadata()
        .map_err(Error::file("read", &from))?;
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
    }
    copy::file(&from, &to, &meta)
}
