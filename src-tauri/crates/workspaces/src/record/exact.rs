//! Files that git would not restore byte for byte, because line endings, encodings or filters change them on the way into a
//! tree or out of it. Their exact bytes are recorded in a separate tree.

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::Index;
use crate::{
    delete,
    error::{Error, Result},
    git::{GitError, Repository},
    paths,
};

/// The index of the exact files, next to the record's own.
const INDEX: &str = "exact-index";
/// The attributes that make git change a file's bytes.
const CONVERTING: [&str; 6] = [
    "text",
    "eol",
    "crlf",
    "working-tree-encoding",
    "ident",
    "filter",
];

/// The name of a file that exists while the record's index may be newer than the index of exact files.
const PENDING: &str = "exact-pending";

/// A change of the record's index that is not yet in the index of exact files. If this process is killed before the change is
/// complete, the next change examines all files.
pub(crate) struct Pending {
    file: PathBuf,
    /// Whether an earlier change was interrupted.
    pub(super) was_interrupted: bool,
}

impl Pending {
    /// Begins a change. Call this before the record's index changes.
    ///
    /// # Errors
    /// Returns an error if the marker file cannot be written.
    pub(crate) fn begin(record: &Repository) -> Result<Self> {
        let file = record.dir.join(PENDING);
        let was_interrupted = file.exists();
        fs::write(&file, "").map_err(Error::file("write", &file))?;
        Ok(Self {
            file,
            was_interrupted,
        })
    }

    /// Ends a change. Call this when both indexes describe the same files.
    ///
    /// # Errors
    /// Returns an error if the marker file cannot be removed.
    pub(crate) fn end(self) -> Result<()> {
        fs::remove_file(&self.file).map_err(Error::file("remove", &self.file))
    }
}

/// The name of a file whose modification time is the time at which the exact files were last examined.
const LOOKED: &str = "exact-looked";

/// The coarsest granularity of file times that is expected. A file that changes right after an examination may get a time
/// before the examination.
const TIME_STEP: Duration = Duration::from_millis(100);

/// Returns the exact files that may have changed since they were last examined. Git does not list all of them: it considers
/// a file unchanged if its length, its blob and its time in whole seconds are the same.
///
/// # Errors
/// Returns an error if git cannot list the exact files.
pub(crate) fn touched(record: &Repository) -> Result<Vec<Vec<u8>>> {
    let file = record.dir.join(INDEX);
    if !file.exists() {
        return Ok(Vec::new());
    }
    let index = Index::private(record, &file);
    let listed = index.call(["ls-files", "-z"]).bytes()?;
    let looked = fs::metadata(record.dir.join(LOOKED)).and_then(|meta| meta.modified());
    let looked = looked.ok().and_then(|time| time.checked_sub(TIME_STEP));
    let is_touched = |path: &&[u8]| {
        looked.is_none_or(|looked| is_newer(&record.files.join(paths::path(path)), looked))
    };
    Ok(paths::list(&listed)
        .filter(is_touched)
        .map(<[u8]>::to_vec)
        .collect())
}

/// Returns whether a file may have changed after this time, which is also the case if its time cannot be read.
fn is_newer(file: &Path, time: SystemTime) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let Ok(meta) = file.symlink_metadata() else {
            return true;
        };
        // Unlike the modification time, programs cannot set this time.
        let changed = (meta.ctime(), meta.ctime_nsec());
        let since = time.duration_since(SystemTime::UNIX_EPOCH);
        since.is_ok_and(|since| {
            let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
            changed >= (seconds, i64::from(since.subsec_nanos()))
        })
    }
    #[cfg(not(unix))]
    {
        let _ = (file, time);
        true
    }
}

/// The repository and the folders that are needed to record exact files.
pub(crate) struct Exact<'a> {
    /// The record, with the folder of the current files.
    pub(crate) record: &'a Repository,
    /// The folder in which a temporary folder is created to compare files.
    pub(crate) place: &'a Path,
    /// Whether git converts the line endings of all text files.
    pub(crate) converts_all: bool,
}

/// Updates the index of exact files for the paths that changed. Returns the hash of the tree of that index, or `None` if
/// there are no exact files.
///
/// # Errors
/// Returns an error if git cannot update the index, or if a file cannot be read or written.
pub(crate) fn note(
    to: &Exact<'_>,
    changed: &[Vec<u8>],
    pending: &Pending,
) -> Result<Option<String>> {
    let record = to.record;
    let file = record.dir.join(INDEX);
    let begins = record.dir.join("exact-look");
    fs::write(&begins, "").map_err(Error::file("write", &begins))?;
    if pending.was_interrupted {
        delete::file(&file)?;
    }
    let converts_others = changed.iter().any(|path| path.ends_with(b".gitattributes"));
    let all = if converts_others || pending.was_interrupted {
        let listed = record.call(["ls-files", "-z"]).bytes()?;
        paths::list(&listed).map(<[u8]>::to_vec).collect()
    } else {
        Vec::new()
    };
    let looked: Vec<&[u8]> = changed.iter().chain(&all).map(Vec::as_slice).collect();
    let files: Vec<&[u8]> = looked
        .iter()
        .copied()
        .filter(|path| is_file(record, path))
        .collect();
    let mut converted = if to.converts_all {
        files.clone()
    } else {
        converting(record, &files)?
    };
    if !all.is_empty() {
        // These blobs were created under other attributes.
        converted.extend(unlike_blobs(record, &files)?);
        converted.sort_unstable();
        converted.dedup();
    }
    let different = different(to, &converted)?;
    if different.is_empty() && !file.exists() {
        return Ok(None);
    }
    let index = Index::private(record, &file);
    // git expects as many zeros as a hash has digits.
    let zero = "0".repeat(
        record
            .call(["hash-object", "-t", "tree", "--stdin"])
            .input(Vec::new())
            .text()?
            .len(),
    );
    let mut lines = Vec::new();
    let kept: HashSet<&[u8]> = different.iter().map(|(path, ..)| *path).collect();
    let gone = looked.iter().filter(|path| !kept.contains(**path));
    for path in gone {
        lines.extend(format!("0 {zero}\t").into_bytes());
        lines.extend_from_slice(path);
        lines.push(0);
    }
    for (path, mode, hash) in &different {
        lines.extend(format!("{mode} {hash}\t").into_bytes());
        lines.extend_from_slice(path);
        lines.push(0);
    }
    index
        .call(["update-index", "-z", "--index-info"])
        .input(lines)
        .done()?;
    let tree = index.call(["write-tree"]).text()?;
    if index.call(["ls-files"]).limit(1).bytes()?.is_empty() {
        fs::remove_file(&file).map_err(Error::file("remove", &file))?;
        return Ok(None);
    }
    fs::rename(&begins, record.dir.join(LOOKED)).map_err(Error::file("rename", &begins))?;
    Ok(Some(tree))
}

fn is_file(record: &Repository, path: &[u8]) -> bool {
    let place = record.files.join(paths::path(path));
    place.symlink_metadata().is_ok_and(|meta| meta.is_file())
}

fn converting<'a>(record: &Repository, files: &[&'a [u8]]) -> Result<Vec<&'a [u8]>> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let listed = record
        .call(["check-attr", "-z", "--stdin"])
        .args(CONVERTING)
        .input(paths::joined(files))
        .bytes()?;
    let mut fields = listed.split(|byte| *byte == 0);
    let mut found = HashSet::new();
    while let (Some(path), Some(_), Some(value)) = (fields.next(), fields.next(), fields.next()) {
        if value != b"unspecified" && value != b"unset" {
            found.insert(path.to_vec());
        }
    }
    Ok(files
        .iter()
        .copied()
        .filter(|path| found.contains(*path))
        .collect())
}

/// Returns the files whose bytes differ from their blob.
fn unlike_blobs<'a>(record: &Repository, files: &[&'a [u8]]) -> Result<Vec<&'a [u8]>> {
    let listed = record.call(["ls-files", "-s", "-z"]).bytes()?;
    // Lines `mode hash stage`, a tab, and the path.
    let blobs: HashMap<&[u8], &[u8]> = paths::list(&listed)
        .filter_map(|line| {
            let tab = line.iter().position(|byte| *byte == b'\t')?;
            let hash = line[..tab].split(|byte| *byte == b' ').nth(1)?;
            Some((&line[tab + 1..], hash))
        })
        .collect();
    // git reads one path per line, and unquotes a path in quotes.
    let is_plain = |path: &[u8]| !path.contains(&b'\n') && !path.starts_with(b"\"");
    let (plain, odd): (Vec<&[u8]>, Vec<&[u8]>) =
        files.iter().copied().partition(|path| is_plain(path));
    let mut lines = plain.join(&b'\n');
    lines.push(b'\n');
    let hashes = record
        .call(["hash-object", "--no-filters", "--stdin-paths"])
        .input(if plain.is_empty() { Vec::new() } else { lines })
        .bytes()?;
    let hashes = hashes.split(|byte| *byte == b'\n');
    let unlike = plain
        .iter()
        .zip(hashes)
        .filter(|(path, hash)| blobs.get(**path) != Some(hash))
        .map(|(path, _)| *path);
    Ok(unlike.chain(odd).collect())
}

/// Returns the files that git would write with other bytes, each with the mode and the hash of its exact content.
fn different<'a>(
    to: &Exact<'_>,
    files: &[&'a [u8]],
) -> Result<Vec<(&'a [u8], &'static str, String)>> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let record = to.record;
    let folder = tempfile::Builder::new()
        .prefix("compare-")
        .tempdir_in(to.place)
        .map_err(Error::file("create a folder in", to.place))?;
    let mut prefix = std::ffi::OsString::from("--prefix=");
    prefix.push(folder.path());
    prefix.push("/");
    record
        .call(["checkout-index", "-z", "-f", "--stdin"])
        .arg(prefix)
        .input(paths::joined(files))
        .done()?;
    let mut found = Vec::new();
    for path in files {
        let ours = record.files.join(paths::path(path));
        let theirs = folder.path().join(paths::path(path));
        if !is_same(&ours, &theirs).map_err(Error::file("compare", &ours))? {
            let hash = record
                .call(["hash-object", "-w", "--no-filters", "--"])
                .arg(&ours)
                .text()?;
            found.push((*path, mode(&ours), hash));
        }
    }
    Ok(found)
}

fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    Ok(fs::read(one)? == fs::read(other)?)
}

fn mode(path: &Path) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let is_executable = path
            .metadata()
            .is_ok_and(|meta| meta.permissions().mode() & 0o100 != 0);
        if is_executable {
            return "100755";
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    "100644"
}

/// Returns the paths in a tree of exact files. Without a tree, returns an empty list.
///
/// # Errors
/// Returns an error if git cannot list the tree.
pub(crate) fn list(record: &Repository, tree: Option<&str>) -> Result<Vec<Vec<u8>>, GitError> {
    let Some(tree) = tree else {
        return Ok(Vec::new());
    };
    let listed = record
        .call(["ls-tree", "-r", "-z", "--name-only", tree])
        .bytes()?;
    Ok(paths::list(&listed).map(<[u8]>::to_vec).collect())
}

/// Writes the exact files over those that git has written, and records that they were examined.
///
/// # Errors
/// Returns an error if git cannot read the tree, or if a file cannot be written.
pub(crate) fn write(record: &Repository, tree: Option<&str>) -> Result<()> {
    let file = record.dir.join(INDEX);
    let Some(tree) = tree else {
        return delete::file(&file);
    };
    Index::private(record, &file)
        .call(["read-tree", tree])
        .done()?;
    let all = list(record, Some(tree))?;
    write_some(record, Some(tree), &all)
}

/// Writes those files of a tree of exact files whose paths are in `some`.
///
/// # Errors
/// Returns an error if git cannot read the tree, or if a file cannot be written.
pub(crate) fn write_some(record: &Repository, tree: Option<&str>, some: &[Vec<u8>]) -> Result<()> {
    let Some(tree) = tree else {
        return Ok(());
    };
    let some: HashSet<&[u8]> = some.iter().map(Vec::as_slice).collect();
    for path in list(record, Some(tree))? {
        if !some.contains(path.as_slice()) {
            continue;
        }
        let mut object = format!("{tree}:").into_bytes();
        object.extend_from_slice(&path);
        let content = record
            .call(["cat-file", "blob"])
            .arg(paths::path(&object))
            .bytes()?;
        let relative = paths::path(&path);
        let place = record.files.join(&relative);
        if !paths::has_link_before(&record.files, &relative) && place.is_file() {
            overwrite(&place, &content).map_err(Error::file("write", &place))?;
        }
    }
    Ok(())
}

/// Overwrites a file that git has just written, without changing its mode. A link is not followed.
fn overwrite(place: &Path, content: &[u8]) -> io::Result<()> {
    if place.symlink_metadata()?.is_symlink() {
        return Ok(());
    }
    let mut file = fs::OpenOptions::new()
        .write(true)
        .truncate(true)
        .open(place)?;
    file.write_all(content)
}
