//! Opening the file: made when missing, brought up to date, set aside when damaged, compared with the marks beside it.
//!
//! Nothing is changed before it was looked at: SQLite takes in a write-ahead log, or drops what it finds unsound in it, as soon as
//! a file is opened for writing. Where nobody else has the store open, the log is looked at first, and kept where it is not whole.

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

/// Bytes. Up to this size the whole file is checked at start; a larger one only where a start reads it anyway. Damage further in
/// shows as an error when it is met, and then the next start checks the whole file.
const CHECKED_WHOLE: u64 = 64 << 20;

/// Memory for pages of the connection that writes: a quarter of what SQLite takes.
const CACHE_KB: i64 = 500;

/// An open store, and what a person should be told about how it came to be open.
#[derive(Debug)]
pub struct Opened {
    pub journal: SqliteJournal,
    /// A line each.
    pub notice: Option<String>,
}

/// What was found at the place of a store.
struct Found {
    look: StoreCheck,
    marks: expected_runs::Read,
    notices: Vec<String>,
}

impl SqliteJournal {
    /// Opens or makes the store at `path`, whose folder is made when missing. A damaged file is renamed, with its
    /// companions, to the first free `<name>.damaged-<n>`, and a new one takes its place: `notice` says so, as it says what is
    /// missing of what was written. Where nothing can be written the store is opened to be read.
    ///
    /// # Errors
    /// [`JournalError::TooNew`] leaves a newer program's file as it is; [`JournalError::Busy`] when another program holds
    /// it for longer than five seconds; [`JournalError::Write`] when the folder or file cannot be written.
    pub fn open(path: &Path) -> Result<Opened, JournalError> {
        if let Some(folder) = path.parent() {
            private::make_folder(folder)
                .map_err(|error| cannot("make the folder", folder, &error))?;
        }
        // Until the store is made and up to date.
        let gate = gate(path)?;
        match open_to_write(path, gate.is_some()) {
            // Even to be read, a log needs files beside it, so that reading fails first in a folder that cannot be written.
            Err(JournalError::Read(_)) if gate.is_none() && path.is_file() => {
                to_look_at(path, "its folder cannot be written.")
            }
            Err(error) if is_unwritable(&error) && path.is_file() => {
                to_look_at(path, &error.to_string())
            }
            done => done,
        }
    }

    /// Opens a store to look at, also while another program writes it. Nothing is made, migrated or set aside; changing
    /// it is refused.
    ///
    /// # Errors
    /// [`JournalError::Read`] when there is no store at `path`, or it is damaged or of an older version.
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
            "The run store was damaged ({what}). It was kept as {} and a new one was started; earlier runs{} are not listed.",
            kept.display(),
            if claims == 0 { String::new() } else { format!(" ({claims})") }
        ));
        look = StoreCheck::default();
    }
    make(path).map_err(|error| cannot("make", path, &error))?;
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
            "An index of the run store was damaged and has been rebuilt. No run is affected by it."
                .to_owned(),
        );
    }
    if look.search {
        text_index::rebuild(&mut writer)
            .map_err(|error| named(path, error.into_journal(JournalError::Write)))?;
        notices.push(
            "The index for searching runs was damaged and has been rebuilt from the runs. No run is affected by it."
                .to_owned(),
        );
    }
    // Readers have a connection of their own: a long read does not hold up the run that writes.
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

/// Brings the marks in line with what is there, where they are not: runs that are missing stay in them until they are forgotten.
fn renew(
    path: &Path,
    writer: &Connection,
    look: &StoreCheck,
    notices: &mut Vec<String>,
) -> rusqlite::Result<()> {
    let place = companion(path, MARKS);
    // Read again: those of a damaged store were set aside with it.
    let mut was = expected_runs::read(&place).unwrap_or_default();
    let fresh;
    let there = match look.version == schema::newest_version() {
        true => look,
        // It was made or brought up to date just now.
        false => {
            fresh = check::check_store(writer, &expected_runs::Read::default(), false)?;
            &fresh
        }
    };
    let store = schema::id(writer)?;
    let is_new = look.store.is_none() && there.marks.is_empty();
    if is_new && let Some(id) = &was.store {
        // The file is gone that the marks are of: what is claimed is missing from this one.
        writer.execute("UPDATE store SET id = ?1", [id])?;
    } else if was.store.as_ref().is_some_and(|id| *id != store) {
        // Another store was put in the place of the one that the marks are of.
        if let Ok(kept) = keep(&place, |from, to| fs::rename(from, to)) {
            notices.push(format!(
                "{} is not the run store that was here before. What that one had is listed in {}.",
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
        // What is short of its mark stays so, and is said again, until the run continues or is deleted.
        short
            .iter()
            .find(|short| short.known.run == mark.known.run)
            .copied()
            .unwrap_or(mark)
    });
    let all: Vec<&ExpectedRun> = lost.into_iter().chain(current).collect();
    // By run: an experiment leaves tens of thousands of marks, and each is looked for.
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
        // Where they cannot be written, less is guarded.
        let _ = expected_runs::write(&place, &id, all);
    }
    Ok(())
}

/// Opens what cannot be written.
fn to_look_at(path: &Path, why: &str) -> Result<Opened, JournalError> {
    let error = |error| named(path, sqlite_error(error, JournalError::Read));
    let mut notices = vec![format!(
        "Past runs can be read, and nothing can be written down: {why}"
    )];
    let marks = expected_runs::read(&companion(path, MARKS)).unwrap_or_default();
    let whole = fs::metadata(path).is_ok_and(|file| file.len() <= CHECKED_WHOLE);
    let mut open: fn(&Path) -> rusqlite::Result<Connection> = |path| open_connection(path, READ);
    let mut look = open(path).and_then(|reader| check::check_store(&reader, &marks, whole));
    if look.is_err() {
        // Even to be read, a log needs a file beside it, which cannot be made here.
        open = alone_view;
        look = open(path).and_then(|reader| check::check_store(&reader, &marks, whole));
        if wal::check_log(&companion(path, "-wal")).is_ok_and(|log| log != Log::Empty) {
            notices.push("The newest steps are in a write-ahead log that cannot be read here, and are not shown.".to_owned());
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

/// Whether an error says that the place cannot be written, so that it may still be read.
fn is_unwritable(error: &JournalError) -> bool {
    matches!(
        error,
        JournalError::Write(_) | JournalError::Full | JournalError::ReadOnly(_)
    )
}

fn up_to_date(path: &Path, found: i64) -> Result<(), JournalError> {
    if schema::refuse_newer(found)? < schema::newest_version() {
        return Err(JournalError::Read(format!(
            "{} was written by an older Loopwright (version {found}); start this program once to bring it up to date",
            path.display()
        )));
    }
    Ok(())
}

/// By this other programs know that a store is open: a lock that each holds together with the others.
struct Presence {
    file: Option<File>,
    /// Nobody else has it open. While the gate is held nobody else comes.
    alone: bool,
}

impl Presence {
    fn enter(path: &Path, gated: bool) -> Self {
        let file = private::writing().open(companion(path, "-open")).ok();
        let alone = gated && file.as_ref().is_some_and(|file| file.try_lock().is_ok());
        Self { file, alone }
    }

    /// Stays for as long as what it gives is kept.
    fn stay(self) -> Option<File> {
        let file = self.file?;
        if self.alone {
            file.unlock().ok()?;
        }
        file.lock_shared().ok()?;
        Some(file)
    }
}

/// WAL lets readers and one writer continue side by side. NORMAL does not wait for the disk at each commit: what was
/// committed survives a killed process (the bytes are the system's by then) at some 20 µs a commit, where FULL takes
/// 150 µs and more. When the power goes, the last commits can be lost but the file stays whole, and a run resumed from
/// such a journal repeats at most the steps that were lost.
///
/// A file can shrink by slices (`auto_vacuum`): one pass over all of it would hold up every other program for seconds.
fn configure(connection: &Connection, is_new: bool) -> rusqlite::Result<()> {
    // SQLite would wait ten times for the disk while it makes a file in which nothing is yet; `settle` waits for all of it together.
    let waits = if is_new { "OFF" } else { "NORMAL" };
    connection.pragma_update(None, "synchronous", waits)?;
    // Of a file that has tables already this changes nothing; of a new one it must be the first thing.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // Pages that were written are seldom read again by the one that writes.
    connection.pragma_update(None, "cache_size", -CACHE_KB)?;
    checkpoint::watch(connection);
    Ok(())
}

/// Waits until a new file is on the disk, so that a cut of the power costs the last steps, and never the file.
fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // SQLite writes the names of the files with the first of these. By another handle of the file its locks would be gone as soon
    // as that is closed.
    checkpoint::run_checkpoint(connection)
}

/// The lock of whoever opens the store, so that an empty file is told from one that another program is just making, and a
/// damaged one is set aside once. `None` where no lock can be had: in a folder that cannot be written, which opening then says.
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

/// Looks at a store without changing it, but for a log that has to be kept. `alone`: nobody else has it open; `gated`: no other
/// program is just making it.
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
        Err(error) => return Err(cannot("look at", path, &error)),
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
        // It was looked at whole. Where the mark stays, the next start looks again, which costs only time.
        let _ = fs::remove_file(suspect(path));
    }
    if !found.look.losses.is_empty() {
        let now = expected_runs::read(&companion(path, MARKS)).unwrap_or_default();
        check::confirm(&mut found.look.losses, &now);
    }
    Ok(found)
}

/// There is no store. Where there was one, that is said, and what is left of it is kept.
fn gone(path: &Path, log: Log, found: &mut Found) -> Result<(), JournalError> {
    if log != Log::Empty {
        let kept = set_aside(path, &[WAL, SHM])?;
        found.notices.push(format!(
            "{} was gone, and its write-ahead log was still there. The log was kept as {}; it may hold the newest steps.",
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

/// Keeps a log of which SQLite would drop something.
fn keep_log(path: &Path, log: Log, notices: &mut Vec<String>) -> Result<(), JournalError> {
    let place = companion(path, WAL);
    let failed = |error: io::Error| cannot("keep", &place, &error);
    let kept = match log {
        Log::Empty | Log::Whole => return Ok(()),
        // What comes before the damage is good, and is taken in.
        Log::Broken => keep(&place, |from, to| fs::copy(from, to).map(drop)).map_err(failed)?,
        Log::Headless => {
            let kept = keep(&place, |from, to| fs::rename(from, to)).map_err(failed)?;
            let _ = fs::remove_file(companion(path, SHM));
            kept
        }
    };
    notices.push(format!(
        "The write-ahead log of the run store was damaged: what was written last cannot be read from it. It was kept as {}.",
        kept.display()
    ));
    Ok(())
}

/// The store with its log, or, where it is the better for it, without: then the log is another store's, and is set aside.
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
                "The write-ahead log beside the run store does not belong to it. It was kept as {}.",
                kept.display()
            ));
            Ok(look)
        }
        _ => Ok(with),
    }
}

/// Moves a store with its companions to the first free `<name>.damaged-<n>`.
fn set_aside(path: &Path, endings: &[&str]) -> Result<PathBuf, JournalError> {
    let free = (1_u32..)
        .map(|number| companion(path, &format!(".damaged-{number}")))
        .find(|candidate| {
            ALL.iter()
                .all(|ending| !companion(candidate, ending).exists())
        });
    let Some(kept) = free else {
        return Err(JournalError::Write(format!(
            "no free name beside {}",
            path.display()
        )));
    };
    for ending in endings {
        match fs::rename(companion(path, ending), companion(&kept, ending)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // Left in place it would be taken for the new file's own.
            Err(error) => return Err(cannot("set aside", &companion(path, ending), &error)),
        }
    }
    Ok(kept)
}

/// Copies or moves a file to the first free `<name>.damaged-<n>`.
fn keep(path: &Path, act: impl FnOnce(&Path, &Path) -> io::Result<()>) -> io::Result<PathBuf> {
    let free = (1_u32..)
        .map(|number| companion(path, &format!(".damaged-{number}")))
        .find(|candidate| !candidate.exists())
        .ok_or_else(|| io::Error::other("no free name beside it"))?;
    act(path, &free)?;
    Ok(free)
}

/// An empty file of the owner's alone, from which SQLite takes the rights of its companions.
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
/// The store and what belongs to it.
const ALL: [&str; 4] = ["", WAL, SHM, MARKS];

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
