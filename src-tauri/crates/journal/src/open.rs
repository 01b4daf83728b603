//! Opens the file of a store: creates a missing file, migrates an old one, and sets a damaged one aside. Then compares the file
//! with the marks.
//!
//! Every file is examined before it is changed. As soon as a file is opened for writing, SQLite applies its write-ahead log and
//! drops damaged parts of it. So if no other program has the store open, the log is examined first, and a copy of a damaged log
//! is kept.

use std::{
    collections::HashMap,
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use loopwright_engine::journal::JournalError;
use rusqlite::Connection;

use crate::{
    check::{self, Loss, StoreCheck},
    checkpoint::{self, Checkpointer},
    connection::{BUSY, READ, WRITE, alone_view, open_connection},
    error::{is_damage, sqlite_error},
    expected_runs::{self, ExpectedRun, ExpectedRuns},
    private, schema,
    sqlite::SqliteJournal,
    text_index,
    wal::{self, Log},
};

/// The size, in bytes, up to which the whole file is checked at startup. In a larger file, only the parts that a start reads
/// anyway are checked. Damage elsewhere causes an error when it is read, and the next start then checks the whole file.
const CHECKED_WHOLE: u64 = 64 << 20;

/// The size of the writing connection's page cache, in KiB: a quarter of SQLite's default.
const CACHE_KB: i64 = 500;

/// An open store, with messages for users about what was found when the store was opened.
#[derive(Debug)]
pub struct Opened {
    pub journal: SqliteJournal,
    /// The messages, one for each line; `None` if there are none.
    pub notice: Option<String>,
}

/// The result of examining a store before it is opened.
struct Found {
    look: StoreCheck,
    marks: expected_runs::Read,
    notices: Vec<String>,
}

impl SqliteJournal {
    /// Opens or creates the store at `path`, and creates its folder if it is missing. A damaged file and its companions are
    /// renamed to the first free `<name>.damaged-<n>`, and a new file replaces them. `notice` reports this and any data that
    /// was written but is now missing. If the store can be read but not written, it is opened read-only.
    ///
    /// # Errors
    /// [`JournalError::TooNew`] for a newer program's file, which stays unchanged; [`JournalError::Busy`] if another program
    /// locks it for longer than five seconds; [`JournalError::Write`] if the folder or file cannot be written.
    pub fn open(path: &Path) -> Result<Opened, JournalError> {
        if let Some(folder) = path.parent() {
            private::make_folder(folder)
                .map_err(|error| cannot("create the folder", folder, &error))?;
        }
        // The gate is held until the store is created and up to date.
        let gate = gate(path)?;
        match open_to_write(path, gate.is_some()) {
            // Reading a store with a log also requires companion files. If they cannot be created in the folder, the first
            // error is a read error.
            Err(JournalError::Read(_)) if gate.is_none() && path.is_file() => {
                to_look_at(path, "its folder cannot be written.")
            }
            Err(error) if is_unwritable(&error) && path.is_file() => {
                to_look_at(path, &error.to_string())
            }
            done => done,
        }
    }

    /// Opens a store read-only, even while another program writes it. Nothing is created, migrated or set aside, and changes
    /// are refused.
    ///
    /// # Errors
    /// [`JournalError::Read`] if there is no store at `path`, or if the store has an older version; [`JournalError::TooNew`] if
    /// it has a newer one; [`JournalError::Damaged`] if it is damaged.
    pub fn open_read_only(path: &Path) -> Result<Self, JournalError> {
        let error = |error| named(path, sqlite_error(error, JournalError::Read));
        let reader = open_connection(path, READ).map_err(error)?;
        up_to_date(path, schema::version(&reader).map_err(error)?)?;
        let writer = open_connection(path, READ).map_err(error)?;
        Ok(Self::new(
            writer,
            reader,
            Checkpointer::of(path.to_owned()),
            suspect(path),
            ExpectedRuns::none(),
            Vec::new(),
            None,
        ))
    }
}

fn open_to_write(path: &Path, gated: bool) -> Result<Opened, JournalError> {
    let presence = Presence::enter(path, gated);
    let Found {
        mut look,
        marks,
        mut notices,
    } = examine(path, presence.alone, gated)?;
    if let Some(what) = &look.damage {
        let kept = set_aside(path, &ALL)?;
        let claims = marks
            .marks
            .iter()
            .filter(|mark| mark.state.is_claim())
            .count();
        notices.push(format!(
            "The run store was damaged ({what}). It was kept as {}, and a new store was created. Earlier runs{} are not listed.",
            kept.display(),
            if claims == 0 { String::new() } else { format!(" ({claims})") }
        ));
        look = StoreCheck::default();
    }
    make(path).map_err(|error| cannot("create", path, &error))?;
    let is_new = fs::metadata(path).is_ok_and(|file| file.len() == 0);
    let error = |error| named(path, sqlite_error(error, JournalError::Write));
    let mut writer = open_connection(path, WRITE).map_err(error)?;
    configure(&writer, is_new).map_err(error)?;
    schema::migrate(&mut writer)?;
    if is_new {
        settle(&writer).map_err(error)?;
    }
    if look.index {
        writer.execute_batch("REINDEX").map_err(error)?;
        notices.push(
            "An index of the run store was damaged and has been rebuilt. No runs are affected."
                .to_owned(),
        );
    }
    if look.search {
        text_index::rebuild(&mut writer)
            .map_err(|error| named(path, error.into_journal(JournalError::Write)))?;
        notices.push(
            "The index for searching runs was damaged and has been rebuilt from the runs. No runs are affected."
                .to_owned(),
        );
    }
    // Reads use a separate connection, so that a long read does not block the run that writes.
    let reader = open_connection(path, READ)
        .map_err(|error| named(path, sqlite_error(error, JournalError::Read)))?;
    if presence.alone {
        renew(path, &writer, &look, &mut notices).map_err(error)?;
    }
    notices.extend(check::words(&look.losses, &look.damaged));
    close_to_others(path);
    let missing = look.losses.iter().filter_map(Loss::run).collect();
    Ok(Opened {
        journal: SqliteJournal::new(
            writer,
            reader,
            Checkpointer::of(path.to_owned()),
            suspect(path),
            ExpectedRuns::open(&companion(path, MARKS)),
            missing,
            presence.stay(),
        ),
        notice: joined(notices),
    })
}

/// Updates the marks to match the store. Marks of missing runs stay until the runs are forgotten.
fn renew(
    path: &Path,
    writer: &Connection,
    look: &StoreCheck,
    notices: &mut Vec<String>,
) -> rusqlite::Result<()> {
    let place = companion(path, MARKS);
    // The marks are read again, because the marks of a damaged store were set aside together with the store.
    let mut was = expected_runs::read(&place).unwrap_or_default();
    let fresh;
    let there = match look.version == schema::newest_version() {
        true => look,
        // The store was just created or migrated, so it is checked again.
        false => {
            fresh = check::check_store(writer, &expected_runs::Read::default(), false)?;
            &fresh
        }
    };
    let store = schema::id(writer)?;
    let is_new = look.store.is_none() && there.marks.is_empty();
    if is_new && let Some(id) = &was.store {
        // The store to which the marks belong is gone. This new store takes over its id, so that all runs in the marks count as
        // missing.
        writer.execute("UPDATE store SET id = ?1", [id])?;
    } else if was.store.as_ref().is_some_and(|id| *id != store) {
        // Another store replaced the one that the marks belong to.
        if let Ok(kept) = keep(&place, |from, to| fs::rename(from, to)) {
            notices.push(format!(
                "{} is not the run store that was here before. The runs of the earlier store are listed in {}.",
                path.display(),
                kept.display()
            ));
        }
        was = expected_runs::Read::default();
    }
    let lost: Vec<&ExpectedRun> = look
        .losses
        .iter()
        .filter_map(|loss| match loss {
            Loss::Run(mark) => Some(mark),
            _ => None,
        })
        .collect();
    let short: Vec<&ExpectedRun> = look
        .losses
        .iter()
        .filter_map(|loss| match loss {
            Loss::Records(mark, _) | Loss::End(mark) => Some(mark),
            Loss::Run(_) => None,
        })
        .collect();
    let current = there.marks.iter().map(|mark| {
        // If a run has fewer records than its mark states, the mark is kept and the loss is reported again, until the run
        // continues or is deleted.
        short
            .iter()
            .find(|short| short.known.run == mark.known.run)
            .copied()
            .unwrap_or(mark)
    });
    let all: Vec<&ExpectedRun> = lost.into_iter().chain(current).collect();
    // This is a map because each mark is looked up, and an experiment leaves tens of thousands of marks.
    let before: HashMap<&str, &ExpectedRun> = was
        .marks
        .iter()
        .map(|mark| (mark.known.run.as_str(), mark))
        .collect();
    let is_current = !was.stale
        && was.store.is_some()
        && was.marks.len() == all.len()
        && all
            .iter()
            .all(|mark| before.get(mark.known.run.as_str()) == Some(mark));
    if !is_current {
        let id = schema::id(writer)?;
        // If the marks cannot be written, the store still works, but later losses may go unnoticed.
        let _ = expected_runs::write(&place, &id, all);
    }
    Ok(())
}

/// Opens a store that cannot be written. `why` is the reason, for the notice.
fn to_look_at(path: &Path, why: &str) -> Result<Opened, JournalError> {
    let error = |error| named(path, sqlite_error(error, JournalError::Read));
    let mut notices = vec![format!(
        "Past runs can be read, but new runs cannot be recorded: {why}"
    )];
    let marks = expected_runs::read(&companion(path, MARKS)).unwrap_or_default();
    let whole = fs::metadata(path).is_ok_and(|file| file.len() <= CHECKED_WHOLE);
    let mut open: fn(&Path) -> rusqlite::Result<Connection> = |path| open_connection(path, READ);
    let mut look = open(path).and_then(|reader| check::check_store(&reader, &marks, whole));
    if look.is_err() {
        // Reading the log requires a companion file, which cannot be created here. So the store is opened without its log.
        open = alone_view;
        look = open(path).and_then(|reader| check::check_store(&reader, &marks, whole));
        if wal::check_log(&companion(path, "-wal")).is_ok_and(|log| log != Log::Empty) {
            notices.push("The newest steps are not shown, because they are in a write-ahead log that cannot be read here.".to_owned());
        }
    }
    let look = look.map_err(error)?;
    if let Some(what) = look.damage {
        return Err(named(path, JournalError::Read(what)));
    }
    up_to_date(path, look.version)?;
    notices.extend(check::words(&look.losses, &look.damaged));
    let missing = look.losses.iter().filter_map(Loss::run).collect();
    Ok(Opened {
        journal: SqliteJournal::new(
            open(path).map_err(error)?,
            open(path).map_err(error)?,
            Checkpointer::of(path.to_owned()),
            suspect(path),
            ExpectedRuns::none(),
            missing,
            None,
        ),
        notice: joined(notices),
    })
}

fn joined(notices: Vec<String>) -> Option<String> {
    (!notices.is_empty()).then(|| notices.join("\n"))
}

/// Returns whether an error says that the store cannot be written. The store may still be readable.
fn is_unwritable(error: &JournalError) -> bool {
    matches!(
        error,
        JournalError::Write(_) | JournalError::Full | JournalError::ReadOnly(_)
    )
}

fn up_to_date(path: &Path, found: i64) -> Result<(), JournalError> {
    if schema::refuse_newer(found)? < schema::newest_version() {
        return Err(JournalError::Read(format!(
            "{} was written by an older Loopwright (version {found}); start Loopwright once to update the file",
            path.display()
        )));
    }
    Ok(())
}

/// A shared lock held by every program that has the store open, so that other programs can detect this.
struct Presence {
    file: Option<File>,
    /// Whether no other program has the store open. While the gate is held, no other program can open it.
    alone: bool,
}

impl Presence {
    fn enter(path: &Path, gated: bool) -> Self {
        let file = private::writing().open(companion(path, "-open")).ok();
        let alone = gated && file.as_ref().is_some_and(|file| file.try_lock().is_ok());
        Self { file, alone }
    }

    /// Takes the shared lock, which is held until the returned file is closed. Returns `None` if the lock is not available.
    fn stay(self) -> Option<File> {
        let file = self.file?;
        if self.alone {
            file.unlock().ok()?;
        }
        file.lock_shared().ok()?;
        Some(file)
    }
}

/// Sets SQLite's modes for the file. WAL lets readers and one writer work at the same time. NORMAL does not wait for the
/// disk at each commit. A commit takes about 20 µs, compared to 150 µs or more with FULL, and survives a killed process,
/// because the system already has its bytes. A power failure can lose the last commits but does not damage the file. A run
/// that is then resumed repeats at most the lost steps.
///
/// `auto_vacuum` allows the file to shrink in slices. A single pass over the whole file would block every other program for
/// seconds.
fn configure(connection: &Connection, is_new: bool) -> rusqlite::Result<()> {
    // While it creates an empty file, SQLite would wait for the disk ten times. `settle` waits once for everything.
    let waits = if is_new { "OFF" } else { "NORMAL" };
    connection.pragma_update(None, "synchronous", waits)?;
    // This must be set before a new file has tables, and has no effect afterwards.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // The writer rarely reads pages that it has already written, so a small cache is enough.
    connection.pragma_update(None, "cache_size", -CACHE_KB)?;
    checkpoint::watch(connection);
    Ok(())
}

/// Waits until a new file is on disk, so that a power failure can lose the last steps but never the file.
fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // The first checkpoint also syncs the folder. Syncing it through another handle would release SQLite's locks when that
    // handle is closed.
    checkpoint::run_checkpoint(connection)?;
    Ok(())
}

/// Takes the lock for opening the store. While it is held, an empty file cannot be mistaken for one that another program is
/// creating, and a damaged file is set aside only once. Returns `None` if the lock cannot be created, as in a read-only folder;
/// opening the store then reports the error.
fn gate(path: &Path) -> Result<Option<File>, JournalError> {
    let lock = private::writing().open(companion(path, "-opening"));
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

/// Examines a store before it is opened. The store itself stays unchanged. A damaged log is copied, and a log that SQLite
/// cannot use is moved away. `alone` is true if no other program has the store open, and `gated` if no other program is
/// creating it.
fn examine(path: &Path, alone: bool, gated: bool) -> Result<Found, JournalError> {
    let mut found = Found {
        look: StoreCheck::default(),
        marks: expected_runs::read(&companion(path, MARKS)).unwrap_or_default(),
        notices: Vec::new(),
    };
    let log = match alone {
        true => wal::check_log(&companion(path, WAL)).unwrap_or(Log::Empty),
        false => Log::Empty,
    };
    let size = match fs::metadata(path) {
        Ok(file) if file.is_dir() => {
            return Err(JournalError::Write(format!(
                "{} is a folder",
                path.display()
            )));
        }
        Ok(file) => file.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            gone(path, log, &mut found)?;
            return Ok(found);
        }
        Err(error) => return Err(cannot("read", path, &error)),
    };
    if size == 0 {
        if log != Log::Empty {
            found.look.damage = Some("the file is empty but its write-ahead log is not".into());
        } else if gated {
            found.look.damage = Some("the file is empty".into());
        }
        return Ok(found);
    }
    keep_log(path, log, &mut found.notices)?;
    let suspected = suspect(path).exists();
    let whole = size <= CHECKED_WHOLE || suspected;
    found.look = best_look(path, alone, log, whole, &mut found)?;
    schema::refuse_newer(found.look.version)?;
    if suspected {
        // The whole store was checked. If the file cannot be removed, the next start only checks the store once more.
        let _ = fs::remove_file(suspect(path));
    }
    if !found.look.losses.is_empty() {
        let now = expected_runs::read(&companion(path, MARKS)).unwrap_or_default();
        check::confirm(&mut found.look.losses, &now);
    }
    Ok(found)
}

/// Handles a missing store file. If a store existed before, the loss is reported, and its remaining files are kept.
fn gone(path: &Path, log: Log, found: &mut Found) -> Result<(), JournalError> {
    if log != Log::Empty {
        let kept = set_aside(path, &[WAL, SHM])?;
        found.notices.push(format!(
            "{} was missing, but its write-ahead log was still there. The log was kept as {}; it may contain the newest steps.",
            path.display(),
            companion(&kept, WAL).display()
        ));
    }
    let claims = found
        .marks
        .marks
        .iter()
        .filter(|mark| mark.state.is_claim());
    found.look.losses = claims.cloned().map(Loss::Run).collect();
    Ok(())
}

/// Copies the write-ahead log if SQLite would drop part of it, and moves the log away if SQLite would drop all of it.
fn keep_log(path: &Path, log: Log, notices: &mut Vec<String>) -> Result<(), JournalError> {
    let place = companion(path, WAL);
    let failed = |error: io::Error| cannot("keep", &place, &error);
    let kept = match log {
        Log::Empty | Log::Whole => return Ok(()),
        // The part before the damage is valid, and SQLite applies it. So the log is copied, not moved.
        Log::Broken => keep(&place, |from, to| fs::copy(from, to).map(drop)).map_err(failed)?,
        Log::Headless => {
            let kept = keep(&place, |from, to| fs::rename(from, to)).map_err(failed)?;
            let _ = fs::remove_file(companion(path, SHM));
            kept
        }
    };
    notices.push(format!(
        "The write-ahead log of the run store was damaged: its last entries cannot be read. The log was kept as {}.",
        kept.display()
    ));
    Ok(())
}

/// Checks the store with and without its log, and returns the better result. If the store is less damaged without the log, the
/// log belongs to another store and is set aside.
fn best_look(
    path: &Path,
    alone: bool,
    log: Log,
    whole: bool,
    found: &mut Found,
) -> Result<StoreCheck, JournalError> {
    let error = |error| named(path, sqlite_error(error, JournalError::Read));
    let without =
        || alone_view(path).and_then(|view| check::check_store(&view, &found.marks, whole));
    let has_log = matches!(log, Log::Whole | Log::Broken);
    if alone && !has_log {
        return without().map_err(error);
    }
    let with =
        open_connection(path, READ).and_then(|view| check::check_store(&view, &found.marks, whole));
    let with = match with {
        Err(error) if is_damage(&error) => StoreCheck {
            damage: Some(error.to_string()),
            ..StoreCheck::default()
        },
        with => with.map_err(error)?,
    };
    if !alone || with.badness(&found.marks) == Default::default() {
        return Ok(with);
    }
    match without() {
        Ok(look) if look.badness(&found.marks) < with.badness(&found.marks) => {
            let place = companion(path, WAL);
            let kept = keep(&place, |from, to| fs::rename(from, to))
                .map_err(|error| cannot("keep", &place, &error))?;
            let _ = fs::remove_file(companion(path, SHM));
            found.notices.push(format!(
                "The write-ahead log next to the run store does not belong to it. The log was kept as {}.",
                kept.display()
            ));
            Ok(look)
        }
        _ => Ok(with),
    }
}

/// Moves the files of a store that have these endings to the first free `<name>.damaged-<n>`. Returns that path.
fn set_aside(path: &Path, endings: &[&str]) -> Result<PathBuf, JournalError> {
    let free = (1_u32..)
        .map(|number| companion(path, &format!(".damaged-{number}")))
        .find(|candidate| {
            ALL.iter()
                .all(|ending| !companion(candidate, ending).exists())
        });
    let Some(kept) = free else {
        return Err(JournalError::Write(format!(
            "there is no unused file name for a copy of {}. Remove old copies from its folder",
            path.display()
        )));
    };
    for ending in endings {
        match fs::rename(companion(path, ending), companion(&kept, ending)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // SQLite would use a remaining companion file for the new store.
            Err(error) => return Err(cannot("set aside", &companion(path, ending), &error)),
        }
    }
    Ok(kept)
}

/// Copies or moves a file to the first free `<name>.damaged-<n>`. Returns that path.
fn keep(path: &Path, act: impl FnOnce(&Path, &Path) -> io::Result<()>) -> io::Result<PathBuf> {
    let free = (1_u32..)
        .map(|number| companion(path, &format!(".damaged-{number}")))
        .find(|candidate| !candidate.exists())
        .ok_or_else(|| io::Error::other("there is no unused file name for a copy of it"))?;
    act(path, &free)?;
    Ok(free)
}

/// Creates an empty file that only its owner can read. SQLite gives its companions the same permissions.
fn make(path: &Path) -> io::Result<()> {
    private::writing().open(path).map(drop)
}

fn close_to_others(path: &Path) {
    for ending in ALL.iter().chain(&["-open", "-opening"]) {
        private::close_to_others(&companion(path, ending));
    }
}

const WAL: &str = "-wal";
const SHM: &str = "-shm";
const MARKS: &str = "-marks";
/// The endings of a store's files: the store itself and its companions.
const ALL: [&str; 4] = ["", WAL, SHM, MARKS];

/// Returns the path of the file whose existence means that the store may be damaged.
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
        "cannot {act} {}: {error}. Change the permissions there, or choose another folder with --data-dir",
        path.display()
    ))
}

/// Adds the file's path to an error that contains only SQLite's message.
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
