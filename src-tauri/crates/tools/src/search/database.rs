//! The file of an index: its path, its concurrent use by several programs, and its replacement when it is damaged.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use loopwright_engine::CancellationToken;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use sha2::{Digest as _, Sha256};

use super::error::SearchError;

/// The version of the format. It increases when the tables or the stemming change.
const FORMAT: &str = "2";
/// The SQLite `application_id` that marks a file as a complete index.
const APPLICATION: i32 = 0x4c57_5349;
/// The maximum time to wait for another process that is writing to the index.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);

const FILE: &str = "index.db";
const SCHEMA: &str = include_str!("schema.sql");

/// The reason why an index cannot be used.
#[derive(Debug)]
pub(crate) enum Failure {
    Search(SearchError),
    /// Another process held the lock longer than the timeout.
    Busy,
    /// The file is readable but was not written by this program.
    Damaged(&'static str),
    Sqlite(rusqlite::Error),
    File(io::Error),
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Self {
        Self::Search(error)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl Failure {
    /// Returns whether the file is damaged or not an index of this program.
    pub(crate) fn is_damage(&self) -> bool {
        let error = match self {
            Self::Sqlite(error) => error,
            Self::Damaged(_) => return true,
            Self::Search(_) | Self::Busy | Self::File(_) => return false,
        };
        match error.sqlite_error_code() {
            // `Unknown` is an error in a statement: the tables are not those that the statement expects.
            Some(code) => matches!(
                code,
                ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt | ErrorCode::Unknown
            ),
            // An error without an SQLite code means that a value does not have the expected type.
            None => true,
        }
    }

    /// Converts this failure to a search error about the index of `folder`, which is stored in `place`.
    pub(crate) fn of(self, folder: &Path, place: &Path) -> SearchError {
        let message = match self {
            Self::Search(error) => return error,
            Self::Busy => return SearchError::Busy(folder.display().to_string()),
            Self::Damaged(what) => what.to_owned(),
            Self::Sqlite(error) => error.to_string(),
            Self::File(error) => error.to_string(),
        };
        SearchError::Index {
            path: place.display().to_string(),
            message,
        }
    }
}

/// Returns the path of the index of `folder` under `root`.
pub(crate) fn place(root: &Path, folder: &Path) -> PathBuf {
    let name: String = Sha256::digest(folder.as_os_str().as_encoded_bytes())
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    root.join(format!("{FORMAT}-{name}"))
}

/// An open index.
pub(crate) struct Database {
    pub(crate) connection: Connection,
    /// A shared lock on the index. While it is held, no process removes the file.
    _open: File,
}

impl Database {
    /// Opens the index in the folder `place`, and creates an empty one if needed.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened or is damaged, or if another process holds its lock for too long.
    pub(crate) fn open(place: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(place)?;
        let lock = lock_file(place)?;
        if !place.join(FILE).exists() && lock.try_lock().is_ok() {
            make(place)?;
            lock.unlock()?;
        }
        // An exclusive lock is held only while the file is created.
        wait(|| lock.try_lock_shared())?;
        let connection = connect(place)?;
        let application: i32 =
            connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        if application != APPLICATION {
            return Err(Failure::Damaged("the file belongs to another program"));
        }
        Ok(Self {
            connection,
            _open: lock,
        })
    }

    /// Starts the only write transaction of this index. Returns `None` if another process keeps the lock for too long.
    ///
    /// # Errors
    /// Returns an error if the search is cancelled or the file cannot be written.
    pub(crate) fn writer(
        &self,
        cancel: &CancellationToken,
    ) -> Result<Option<Transaction<'_>>, Failure> {
        let start = Instant::now();
        self.connection.busy_timeout(PAUSE)?;
        let writer = loop {
            let begun =
                Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate);
            match begun {
                Ok(writer) => break Some(writer),
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
                Err(error) => return Err(error.into()),
            }
            if cancel.is_cancelled() {
                return Err(SearchError::Cancelled.into());
            }
            if start.elapsed() > LOCK_TIMEOUT {
                break None;
            }
        };
        self.connection.busy_timeout(LOCK_TIMEOUT)?;
        Ok(writer)
    }
}

/// Replaces the index in the folder `place` with an empty one, after all processes have closed it.
///
/// # Errors
/// Returns an error if the file cannot be removed or created, or if another process holds its lock for too long.
pub(crate) fn renew(place: &Path) -> Result<(), Failure> {
    let lock = lock_file(place)?;
    wait(|| lock.try_lock())?;
    for ending in ["", "-wal", "-shm", "-journal"] {
        let path = place.join(format!("{FILE}{ending}"));
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    make(place)
}

fn lock_file(place: &Path) -> io::Result<File> {
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(place.join("open"))
}

/// Waits until `lock` succeeds.
fn wait(lock: impl Fn() -> Result<(), TryLockError>) -> Result<(), Failure> {
    let start = Instant::now();
    loop {
        match lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_TIMEOUT => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(Failure::Busy),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

fn connect(place: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(place.join(FILE))?;
    connection.busy_timeout(LOCK_TIMEOUT)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

/// Creates the file if it is missing or empty. The caller holds the exclusive lock.
fn make(place: &Path) -> Result<(), Failure> {
    let connection = connect(place)?;
    let is_empty: bool =
        connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| {
            row.get(0)
        })?;
    if is_empty {
        // In WAL mode readers continue during a write.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        let transaction = Transaction::new_unchecked(&connection, TransactionBehavior::Immediate)?;
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Removes the indexes of earlier versions in `root`, whose format this version cannot read.
pub(crate) fn remove_earlier(root: &Path) {
    let Ok(entries) = fs::read_dir(root) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if is_earlier(&path)
            && let Err(error) = fs::remove_dir_all(&path)
        {
            tracing::warn!(path = %path.display(), %error, "an index of an earlier version could not be removed");
        }
    }
}

/// Returns whether this folder was created by tantivy, the search library of earlier versions.
fn is_earlier(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_prefix("1-")
        .is_some_and(|hash| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
        && path.join("meta.json").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_indexes_of_earlier_versions_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let check = |name: &str, file: &str, stays: bool| {
            let folder = root.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(file), "{}").unwrap();
            remove_earlier(root.path());
            assert_eq!(folder.exists(), stays, "{name} with {file}");
        };
        check("1-0123456789abcdef", "meta.json", false);
        check("1-0123456789abcdef", "notes.txt", true);
        check("1-0123456789abcdef0", "meta.json", true);
        check("2-0123456789abcdef", "meta.json", true);
        check("1-holiday-pictures", "meta.json", true);
        remove_earlier(&root.path().join("missing"));
    }

    #[test]
    fn many_open_a_new_index_at_once() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("index");
        thread::scope(|scope| {
            let opened: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| Database::open(&place).map(drop)))
                .collect();
            for one in opened {
                one.join().unwrap().unwrap();
            }
        });
    }
}
