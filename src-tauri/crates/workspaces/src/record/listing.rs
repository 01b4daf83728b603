//! Finds the files that differ from an index, and updates the index.
//!
//! `git add` and `git status` are not used: they run `git status` in nested repositories, with the filters of *their*
//! configuration, which a program may have written. `diff-files`, `ls-files` and `update-index` only read the commit of a
//! nested repository.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsStr,
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
};

use crate::{
    error::{Error, Result},
    git::{Call, GitError, Repository},
    paths,
};

/// An index of a repository: its own, or a private one.
pub(crate) struct Index<'a> {
    pub(crate) repository: &'a Repository,
    file: Option<PathBuf>,
}

impl<'a> Index<'a> {
    pub(crate) fn of(repository: &'a Repository) -> Self {
        Self {
            repository,
            file: None,
        }
    }

    pub(crate) fn private(repository: &'a Repository, file: &Path) -> Self {
        Self {
            repository,
            file: Some(file.to_path_buf()),
        }
    }

    pub(crate) fn call<'b>(
        &'b self,
        args: impl IntoIterator<Item = &'b (impl AsRef<OsStr> + ?Sized + 'b)>,
    ) -> Call<'b> {
        let call = self.repository.call(args);
        match &self.file {
            Some(file) => call.env("GIT_INDEX_FILE", file),
            None => call,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Updated {
    /// The paths whose entries changed, were added or removed.
    pub(crate) changed: Vec<Vec<u8>>,
    pub(crate) left_out: Vec<PathBuf>,
}

/// The paths that differ, grouped by the kind of update that they need.
#[derive(Default)]
struct Sorted {
    /// Files, links and repositories that exist or were deleted.
    plain: Vec<Vec<u8>>,
    /// Entries below a link, and entries at whose path there is now a folder or something that git cannot record.
    gone: Vec<Vec<u8>>,
    /// Nested repositories that are new or have another commit.
    inner: Vec<Vec<u8>>,
}

/// Updates an index to describe the files of its repository. With `all`, the blobs of all files are written again. This also
/// happens if git may now convert files differently.
///
/// # Errors
/// Returns an error if a file cannot be read, or if git fails.
pub(crate) fn update(index: &Index<'_>, all: bool) -> Result<Updated> {
    // `ls-files -m` omits a file that git would store as the same blob, such as one with other line endings. `diff-files`
    // lists it, because its time or its size differs.
    let of_index = [
        "diff-files",
        "-z",
        "--name-only",
        "--ignore-submodules=dirty",
    ];
    let new = ["ls-files", "-z", "-o", "--exclude-standard"];
    let listed = [index.call(of_index).bytes()?, index.call(new).bytes()?].concat();
    let files = &index.repository.files;
    let sorted = sort(files, &listed);
    let mut updated = Updated::default();
    if !sorted.gone.is_empty() {
        index
            .call(["update-index", "-z", "--force-remove", "--stdin"])
            .input(paths::joined(&sorted.gone))
            .done()?;
        let is_special = |path: &&Vec<u8>| {
            let meta = files.join(paths::path(path)).symlink_metadata();
            meta.is_ok_and(|meta| !is_recordable(&meta))
        };
        let special = sorted.gone.iter().filter(is_special);
        updated
            .left_out
            .extend(special.map(|path| paths::path(path)));
    }
    let mut plain = sorted.plain;
    if !plain.is_empty() {
        let reserved = add(index, &plain)?;
        plain.retain(|path| !reserved.contains(&paths::path(path)));
        updated.left_out.extend(reserved);
    }
    updated.changed = [sorted.gone, plain].concat();
    for path in sorted.inner {
        // git cannot record a repository without a commit. Each repository is added separately, because one failure would
        // stop the command.
        let added = index
            .call(["update-index", "-z", "--add", "--replace", "--stdin"])
            .input(paths::joined(&[&path]))
            .succeeds()?;
        if !added {
            // The index may have a file with this name, which no longer exists.
            index
                .call(["update-index", "-z", "--force-remove", "--stdin"])
                .input(paths::joined(&[&path]))
                .done()?;
            updated.left_out.push(paths::path(&path));
        }
        updated.changed.push(path);
    }
    let mut changed = updated.changed.iter();
    if all || changed.any(|path| path.ends_with(b".gitattributes")) {
        let converted = convert_again(index)?;
        updated.changed.extend(converted);
    }
    Ok(updated)
}

/// Writes the blobs of all files again, with the current attributes. Returns the paths of files whose blobs changed.
fn convert_again(index: &Index<'_>) -> Result<Vec<Vec<u8>>> {
    let files = &index.repository.files;
    let listed = index.call(["ls-files", "-s", "-z"]).bytes()?;
    let mut entries = Vec::new();
    for line in paths::list(&listed).filter(|line| line.starts_with(b"100")) {
        let fields: Vec<&[u8]> = line.splitn(3, |byte| *byte == b' ').collect();
        // `mode hash stage`, a tab, and the path.
        if let [mode, hash, rest] = fields[..]
            && let Some(path) = rest.get(2..)
            && files.join(paths::path(path)).is_file()
        {
            entries.push((mode, hash, path));
        }
    }
    let blobs = blobs(
        index,
        &entries.iter().map(|entry| entry.2).collect::<Vec<_>>(),
    )?;
    let mut lines = Vec::new();
    let mut changed = Vec::new();
    for (&(mode, hash, path), blob) in entries.iter().zip(&blobs) {
        if blob != hash {
            for part in [mode, &b" "[..], blob, &b"\t"[..], path, &b"\0"[..]] {
                lines.extend_from_slice(part);
            }
            changed.push(path.to_vec());
        }
    }
    if !changed.is_empty() {
        index
            .call(["update-index", "-z", "--index-info"])
            .input(lines)
            .done()?;
        index.call(["update-index", "-q", "--refresh"]).output()?;
    }
    Ok(changed)
}

/// Writes the blobs of some files, and returns their hashes.
fn blobs(index: &Index<'_>, files: &[&[u8]]) -> Result<Vec<Vec<u8>>> {
    // git reads one path per line, and unquotes a path in quotes.
    let is_plain = |path: &[u8]| !path.contains(&b'\n') && !path.starts_with(b"\"");
    let plain: Vec<&[u8]> = files
        .iter()
        .copied()
        .filter(|path| is_plain(path))
        .collect();
    let mut input = plain.join(&b'\n');
    if !plain.is_empty() {
        input.push(b'\n');
    }
    let hashes = index
        .call(["hash-object", "-w", "--stdin-paths"])
        .input(input)
        .bytes()?;
    let mut hashes = hashes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
    let mut found = Vec::new();
    for path in files {
        found.push(if is_plain(path) {
            hashes.next().unwrap_or_default()
        } else {
            let call = index.call(["hash-object", "-w", "--"]);
            call.arg(paths::path(path)).line()?
        });
    }
    Ok(found)
}

fn sort(files: &Path, listed: &[u8]) -> Sorted {
    let mut sorted = Sorted::default();
    let mut seen = HashSet::new();
    let mut folders = HashMap::new();
    for listed in paths::list(listed) {
        let inner = listed.strip_suffix(b"/");
        let path = inner.unwrap_or(listed);
        if !seen.insert(path) {
            continue;
        }
        if inner.is_some() {
            sorted.inner.push(path.to_vec());
            continue;
        }
        let place = files.join(paths::path(path));
        let behind_link = *folders
            .entry(place.parent().map(Path::to_path_buf))
            .or_insert_with(|| paths::has_link_before(files, &paths::path(path)));
        let meta = place.symlink_metadata().ok();
        let is_folder = meta.as_ref().is_some_and(Metadata::is_dir);
        if behind_link || meta.is_some_and(|meta| !is_recordable(&meta)) {
            sorted.gone.push(path.to_vec());
        } else if is_folder && place.join(".git").symlink_metadata().is_ok() {
            sorted.inner.push(path.to_vec());
        } else if is_folder {
            // The path is now a folder. Its files have their own entries.
            sorted.gone.push(path.to_vec());
        } else {
            sorted.plain.push(path.to_vec());
        }
    }
    sorted
}

fn is_recordable(meta: &Metadata) -> bool {
    meta.is_file() || meta.is_dir() || meta.is_symlink()
}

/// Adds, changes and removes entries. Returns the paths whose names git reserves.
fn add(index: &Index<'_>, paths: &[Vec<u8>]) -> Result<Vec<PathBuf>> {
    const TRIES: u32 = 3;
    let mut tries = 0;
    loop {
        tries += 1;
        let args = [
            "update-index",
            "-z",
            "--add",
            "--remove",
            "--replace",
            "--stdin",
        ];
        let output = index.call(args).input(paths::joined(paths)).output()?;
        if output.is_success() {
            let ignored = output.stderr.split(|byte| *byte == b'\n');
            return Ok(ignored
                .filter_map(|line| line.strip_prefix(b"Ignoring path "))
                .map(paths::path)
                .collect());
        }
        if let Some(unreadable) = first_unreadable(index, paths) {
            return Err(unreadable);
        }
        // A running program may change a file while git reads it, so the command is repeated.
        if tries == TRIES {
            return Err(GitError::Failed {
                command: "git update-index".to_owned(),
                folder: index.repository.files.clone(),
                message: crate::git::said(&output),
            }
            .into());
        }
    }
}

fn first_unreadable(index: &Index<'_>, paths: &[Vec<u8>]) -> Option<Error> {
    paths.iter().find_map(|path| {
        let path = index.repository.files.join(paths::path(path));
        if !fs::symlink_metadata(&path).ok()?.is_file() {
            return None;
        }
        match File::open(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Some(Error::Unreadable { path, error })
            }
            _ => None,
        }
    })
}
