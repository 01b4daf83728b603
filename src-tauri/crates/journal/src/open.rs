//! Opening the file: made when missing, brought up to date, set aside when damaged.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use loopwright_engine::journal::JournalError;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{
    schema::{self, APPLICATION_ID},
    sqlite::{SqliteJournal, sqlite_error},
};

/// How long a call waits for another program before it says that the store is busy.
const BUSY: Duration = Duration::from_secs(5);

/// Bytes. Up to this size the whole file is checked at start (some 0.2 s at most); a larger one only where a start reads
/// it anyway. Damage further in shows as an error when it is met, and then the next start checks the whole file.
const CHECKED_WHOLE: u64 = 64 << 20;

/// Pages in the write-ahead log (16 MB) after which it is carried over into the file, which waits for the disk. A commit takes
/// 20 µs, but with SQLite's own 1,000 pages this wait made it 70 to 85 µs on average on a busy disk, with 4,000 45 to 60.
const CHECKPOINT: u32 = 4_000;

/// An open store, and what a person should be told about how it came to be open.
#[derive(Debug)]
pub struct Opened {
    pub journal: SqliteJournal,
    pub notice: Option<String>,
}

enum Health {
    Sound,
    Damaged(String),
}

impl SqliteJournal {
    /// Opens or makes the store at `path`, whose folder is made when missing. A damaged file is renamed, with its
    /// companions, to the first free `<name>.damaged-<n>`, and a new one takes its place: `notice` says so.
    ///
    /// # Errors
    /// [`JournalError::TooNew`] leaves a newer program's file as it is; [`JournalError::Busy`] when another program holds
    /// it for longer than five seconds; [`JournalError::Write`] when the folder or file cannot be written.
    pub fn open(path: &Path) -> Result<Opened, JournalError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| cannot("make the folder", folder, &error))?;
        }
        // Until the store is made and up to date.
        let alone = alone(path)?;
        let notice = match examine(path, alone.is_some())? {
            Health::Sound => None,
            Health::Damaged(what) => {
                let kept = set_aside(path)?;
                Some(format!(
                    "The run store was damaged ({what}). It was kept as {} and a new one was started; earlier runs are not listed.",
                    kept.display()
                ))
            }
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut writer = connect(path, flags)
            .map_err(|error| named(path, sqlite_error(error, JournalError::Write)))?;
        configure(&writer)
            .map_err(|error| named(path, sqlite_error(error, JournalError::Write)))?;
        schema::migrate(&mut writer)?;
        // Readers have a connection of their own: a long read does not hold up the run that writes.
        let reader = connect(
            path,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )
        .map_err(|error| named(path, sqlite_error(error, JournalError::Read)))?;
        Ok(Opened {
            journal: SqliteJournal::new(writer, reader, suspect(path)),
            notice,
        })
    }

    /// Opens a store to look at, also while another program writes it. Nothing is made, migrated or set aside; changing
    /// it is refused.
    ///
    /// # Errors
    /// [`JournalError::Read`] when there is no store at `path`, or it is damaged or of an older version.
    pub fn open_read_only(path: &Path) -> Result<Self, JournalError> {
        let open = || {
            connect(
                path,
                OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            )
        };
        let error = |error| named(path, sqlite_error(error, JournalError::Read));
        let reader = open().map_err(error)?;
        let found = schema::refuse_newer(schema::version(&reader).map_err(error)?)?;
        if found < schema::known() {
            return Err(JournalError::Read(format!(
                "{} was written by an older Loopwright (version {found}); start this program once to bring it up to date",
                path.display()
            )));
        }
        Ok(Self::new(open().map_err(error)?, reader, suspect(path)))
    }
}

fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// WAL lets readers and one writer go on side by side. NORMAL does not wait for the disk at each commit: what was
/// committed survives a killed process (the bytes are the system's by then) at some 20 µs a commit, where FULL takes
/// 150 µs and more. When the power goes, the last commits can be lost but the file stays whole, and a run resumed from
/// such a journal repeats at most the steps that were lost.
///
/// A file can shrink by slices (`auto_vacuum`): one pass over all of it would hold up every other program for seconds.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    // Of a file that has tables already this changes nothing; of a new one it must be the first thing.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT)
}

/// The lock of whoever opens the store, so that an empty file is told from one that another program is just making, and a
/// damaged one is set aside once. `None` where no lock can be had: in a folder that cannot be written, which opening then says.
fn alone(path: &Path) -> Result<Option<File>, JournalError> {
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(companion(path, "-opening"));
    let Ok(lock) = lock else {
        return Ok(None);
    };
    let until = Instant::now() + BUSY;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Some(lock)),
            Err(TryLockError::WouldBlock) if Instant::now() < until => {
                thread::sleep(Duration::from_millis(10));
            }
            Err(TryLockError::WouldBlock) => {
                let words = "another program is opening it".to_owned();
                return Err(named(path, JournalError::Busy(words)));
            }
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Looks at a file without changing it. `alone`: no other program is just making it.
fn examine(path: &Path, alone: bool) -> Result<Health, JournalError> {
    let size = match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return Err(JournalError::Write(format!(
                "{} is a folder",
                path.display()
            )));
        }
        Ok(found) => found.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Health::Sound),
        Err(error) => return Err(cannot("look at", path, &error)),
    };
    if size == 0 {
        let left_over = fs::metadata(companion(path, "-wal")).is_ok_and(|wal| wal.len() > 0);
        return Ok(if left_over {
            Health::Damaged("the file is empty but its write-ahead log is not".into())
        } else if alone {
            Health::Damaged("the file is empty".into())
        } else {
            Health::Sound
        });
    }
    let suspected = suspect(path).exists();
    match probe(path, size, suspected) {
        Ok(health) => {
            if suspected {
                // It was looked at whole. Where the mark stays, the next start looks again, which costs only time.
                let _ = fs::remove_file(suspect(path));
            }
            Ok(health)
        }
        Err(error) if is_damage(&error) => Ok(Health::Damaged(error.to_string())),
        Err(error) => Err(named(path, sqlite_error(error, JournalError::Read))),
    }
}

fn probe(path: &Path, size: u64, suspected: bool) -> rusqlite::Result<Health> {
    // Opened for writing: after a kill the write-ahead log has to be taken in before anything can be read.
    let connection = connect(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    let application: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    if tables > 0 && application != APPLICATION_ID {
        return Ok(Health::Damaged(
            "it is some other program's SQLite file".into(),
        ));
    }
    if schema::version(&connection)? > schema::known() {
        return Ok(Health::Sound);
    }
    if size <= CHECKED_WHOLE || suspected {
        let verdict: String =
            connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if verdict != "ok" {
            return Ok(Health::Damaged(verdict));
        }
    }
    Ok(Health::Sound)
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)
    )
}

fn set_aside(path: &Path) -> Result<PathBuf, JournalError> {
    let free = (1_u32..)
        .map(|number| companion(path, &format!(".damaged-{number}")))
        .find(|candidate| !candidate.exists());
    let Some(kept) = free else {
        return Err(JournalError::Write(format!(
            "no free name beside {}",
            path.display()
        )));
    };
    fs::rename(path, &kept).map_err(|error| cannot("set aside", path, &error))?;
    for ending in ["-wal", "-shm"] {
        match fs::rename(companion(path, ending), companion(&kept, ending)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // Left in place it would be taken for the new file's own log.
            Err(error) => return Err(cannot("set aside", &companion(path, ending), &error)),
        }
    }
    Ok(kept)
}

/// The mark of a store in which damage was met.
fn suspect(path: &Path) -> PathBuf {
    companion(path, "-suspect")
}

fn companion(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn cannot(act: &str, path: &Path, error: &io::Error) -> JournalError {
    JournalError::Write(format!(
        "cannot {act} {}: {error}. Allow it there, or name another folder with --data-dir",
        path.display()
    ))
}

/// Names the file in an error that has only SQLite's words.
fn named(path: &Path, error: JournalError) -> JournalError {
    let place = |words: String| format!("{}: {words}", path.display());
    match error {
        JournalError::Damaged(words) => JournalError::Damaged(place(words)),
        JournalError::ReadOnly(words) => JournalError::ReadOnly(place(words)),
        JournalError::Busy(words) => JournalError::Busy(place(words)),
        JournalError::Read(words) => JournalError::Read(place(words)),
        JournalError::Write(words) => JournalError::Write(place(words)),
        other => other,
    }
}
