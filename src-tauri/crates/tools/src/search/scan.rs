//! Finds the readable files of a folder and detects which of them changed since they were indexed.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use loopwright_engine::CancellationToken;
use loopwright_text::charset;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use walkdir::WalkDir;

use super::error::{SearchError, unreadable};
use crate::system_files::is_system;

/// The maximum size of a document in bytes. Larger files are usually data and not documents, so they are skipped.
pub(crate) const MAX_FILE: u64 = 4 * 1024 * 1024;
/// The maximum number of files in a folder of documents.
const MAX_FILES: usize = 20_000;
/// A modification time that is more recent than this is not relied on. The file may have changed again within the clock's
/// resolution, so the next update reads it again.
const SETTLED: Duration = Duration::from_secs(2);

const DOCUMENTS: &[&str] = &["md", "markdown", "txt", "text", "html", "htm", "json"];
#[rustfmt::skip]
const SOURCES: &[&str] = &[
    "rs", "py", "js", "jsx", "ts", "tsx", "java", "kt", "go", "c", "h", "cc", "cpp", "hpp", "cs", "rb", "php", "swift", "scala",
    "sh", "sql", "lua", "r", "toml", "yaml", "yml", "rst", "adoc", "tex", "css",
];
/// Folders with generated files.
const GENERATED: &[&str] = &[
    "node_modules",
    "target",
    "dist",
    "build",
    "__pycache__",
    "venv",
];

/// Lists the readable file types, for a message.
pub(crate) fn readable_kinds() -> String {
    let documents: Vec<_> = DOCUMENTS
        .iter()
        .map(|ending| format!(".{ending}"))
        .collect();
    format!("{} and source files", documents.join(" "))
}

/// The recorded state of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    size: u64,
    /// The modification time in nanoseconds since the Unix epoch, or 0 if it was too recent to be reliable.
    modified: u64,
    hash: String,
    /// The reason why the file is not indexed; `None` if it is indexed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) skipped: Option<Skipped>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Skipped {
    TooLarge,
    Binary,
    Unreadable,
}

/// The files of a folder, by relative path with `/`.
pub(crate) type Manifest = BTreeMap<String, Seen>;

/// The differences between a folder and its index.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// The current state of the folder.
    pub(crate) manifest: Manifest,
    /// The relative path and the text of each new or changed file.
    pub(crate) written: Vec<(String, String)>,
    /// The relative paths of files that were removed or became unreadable.
    pub(crate) removed: Vec<String>,
    /// Whether the manifest differs from the recorded one. It can differ even if no file's text does, for example because a
    /// file was touched.
    pub(crate) stale: bool,
    /// The number of files with unsupported extensions.
    pub(crate) other: usize,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.written.is_empty() && self.removed.is_empty() && !self.stale
    }

    /// Describes the skipped files.
    pub(crate) fn skipped(&self) -> String {
        let count = |why| {
            self.manifest
                .values()
                .filter(|seen| seen.skipped == Some(why))
                .count()
        };
        format!(
            "skipped: {} over {} MB, {} binary, {} unreadable, {} of other kinds",
            count(Skipped::TooLarge),
            MAX_FILE / 1024 / 1024,
            count(Skipped::Binary),
            count(Skipped::Unreadable),
            self.other
        )
    }
}

/// Compares `folder` with `before`. A file with the same size and time counts as unchanged. A file with the same content is
/// not indexed again. Hidden files, generated folders, system files, symbolic links and the folder `except` are skipped.
///
/// # Errors
/// Returns an error if the folder cannot be read or contains nothing that can be searched, or if the search is cancelled.
pub(crate) fn changes(
    folder: &Path,
    except: Option<&Path>,
    before: &Manifest,
    cancel: &CancellationToken,
) -> Result<Changes, SearchError> {
    let mut changes = Changes::default();
    let entries = WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| {
            let name = entry.file_name().to_string_lossy();
            entry.depth() == 0
                || !name.starts_with('.')
                    && Some(entry.path()) != except
                    && !(entry.file_type().is_dir()
                        && (GENERATED.contains(&name.as_ref()) || is_system(entry.path())))
        });
    for entry in entries {
        if cancel.is_cancelled() {
            return Err(SearchError::Cancelled);
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if error.depth() == 0 => return Err(unreadable(folder, error)),
            Err(error) => {
                tracing::warn!(%error, "left out of the search index");
                continue;
            }
        };
        if !entry.file_type().is_file() {
            continue;
        }
        if !is_readable(entry.path()) {
            changes.other += 1;
            continue;
        }
        if changes.manifest.len() >= MAX_FILES {
            tracing::warn!(folder = %folder.display(), "only the first {MAX_FILES} files are searched");
            break;
        }
        let Some(path) = relative(folder, entry.path()) else {
            continue;
        };
        let known = before.get(&path);
        let (seen, text) = look(entry.path(), known);
        if let Some(text) = text {
            changes.written.push((path.clone(), text));
        } else if seen.skipped.is_some() && known.is_some_and(|known| known.skipped.is_none()) {
            changes.removed.push(path.clone());
        }
        changes.stale |= known != Some(&seen);
        changes.manifest.insert(path, seen);
    }
    for path in before
        .keys()
        .filter(|path| !changes.manifest.contains_key(*path))
    {
        changes.removed.push(path.clone());
    }
    Ok(changes)
}

/// Returns the current state of a file, with its text if it must be indexed.
fn look(path: &Path, known: Option<&Seen>) -> (Seen, Option<String>) {
    let skip = |size, modified, why| {
        let seen = Seen {
            size,
            modified,
            hash: String::new(),
            skipped: Some(why),
        };
        (seen, None)
    };
    let Ok(metadata) = fs::metadata(path) else {
        return skip(0, 0, Skipped::Unreadable);
    };
    let size = metadata.len();
    let modified = metadata.modified().map_or(0, settled_nanos);
    if let Some(known) = known
        && modified != 0
        && (known.size, known.modified) == (size, modified)
    {
        return (known.clone(), None);
    }
    if size > MAX_FILE {
        return skip(size, modified, Skipped::TooLarge);
    }
    let Ok(bytes) = fs::read(path) else {
        return skip(size, 0, Skipped::Unreadable);
    };
    if charset::is_binary(&bytes) {
        return skip(size, modified, Skipped::Binary);
    }
    let hash: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let same = known.is_some_and(|known| known.skipped.is_none() && known.hash == hash);
    let seen = Seen {
        size,
        modified,
        hash,
        skipped: None,
    };
    let text = (!same).then(|| charset::decode(&bytes, None).text);
    (seen, text)
}

fn settled_nanos(modified: SystemTime) -> u64 {
    let settled = SystemTime::now()
        .duration_since(modified)
        .is_ok_and(|age| age > SETTLED);
    if !settled {
        return 0;
    }
    modified
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0))
}

fn is_readable(path: &Path) -> bool {
    path.extension()
        .and_then(|ending| ending.to_str())
        .map(str::to_lowercase)
        .is_some_and(|ending| {
            DOCUMENTS.contains(&ending.as_str()) || SOURCES.contains(&ending.as_str())
        })
}

fn relative(folder: &Path, path: &Path) -> Option<String> {
    let parts: Vec<_> = path
        .strip_prefix(folder)
        .ok()?
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    Some(parts.join("/"))
}
