//! The store on disk: one SQLite file. Each append is one transaction with prepared statements.

use std::{
    fs::File,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use loopwright_engine::{
    RunStatus,
    costs::{CostRow, Costs},
    journal::{
        Journal, JournalError, MissingRun, Record, RunFilter, RunHeader, RunHeaderBrief, RunLabel,
        RunState, RunTally, Select, StoreSize,
    },
    spending::{CostLimit, Room, RoomRequest, SpendingStore},
};
use rusqlite::{Connection, MAIN_DB};

use crate::{
    batches::NewBatch,
    checkpoint::{Checkpointer, run_checkpoint},
    common::{check_sequence, exists_already},
    connection::BUSY,
    costs,
    directory::Directories,
    entries,
    error::StoreError,
    expected_runs::{ExpectedRuns, State},
    find,
    place::place,
    private, read, record_codes,
    record_row::RecordRow,
    rows::{self, run_key},
    spending,
    writer_state::WriterState,
};

/// The maximum time that the program waits for readers when it ends.
const BUSY_TIMEOUT: Duration = Duration::from_millis(200);

/// The run store in a file. Open it with [`SqliteJournal::open`].
#[derive(Debug)]
pub struct SqliteJournal {
    // This field is declared first, so that the reader is closed before the writer. The connection that is closed last makes a
    // checkpoint, which a read-only connection cannot do.
    reader: Mutex<Connection>,
    writer: Mutex<Writer>,
    directories: Directories,
    /// The runs that were missing when the store was opened.
    missing: Mutex<Vec<MissingRun>>,
    /// The path of a file that is created when damage is found. If it exists, the next start checks the whole store.
    suspect: PathBuf,
    /// A lock file handle that shows other programs that this program has the store open; `None` if the lock is not available.
    _presence: Option<File>,
}

/// The writing connection, and cached data about the runs that it writes.
#[derive(Debug)]
struct Writer {
    connection: Connection,
    heads: WriterState,
    batch: NewBatch,
    marks: ExpectedRuns,
    checkpointer: Checkpointer,
}

/// The state that a change to the store uses.
struct Change<'w> {
    connection: &'w Connection,
    heads: &'w mut WriterState,
    batch: &'w mut NewBatch,
    marks: &'w mut ExpectedRuns,
    /// The mark to set for the run after the commit; `None` if no mark is to be set.
    after: Option<(String, State, u64)>,
}

/// The number of pages that are released at once. This takes a few milliseconds.
const PAGES_A_STEP: u32 = 500;

/// The number of attempts to shorten the file while others read it. With the pause between attempts, they take one second in
/// total.
const SHRINK_ATTEMPTS: u32 = 50;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(20);

fn reading(error: impl Into<StoreError>) -> JournalError {
    error.into().into_journal(JournalError::Read)
}

fn writing(error: impl Into<StoreError>) -> JournalError {
    error.into().into_journal(JournalError::Write)
}

impl SqliteJournal {
    pub(crate) fn new(
        writer: Connection,
        reader: Connection,
        checkpointer: Checkpointer,
        suspect: PathBuf,
        marks: ExpectedRuns,
        missing: Vec<MissingRun>,
        presence: Option<File>,
    ) -> Self {
        Self {
            writer: Mutex::new(Writer {
                connection: writer,
                heads: WriterState::default(),
                batch: NewBatch::default(),
                marks,
                checkpointer,
            }),
            reader: Mutex::new(reader),
            directories: Directories::default(),
            missing: Mutex::new(missing),
            suspect,
            _presence: presence,
        }
    }

    /// Reads data on the reading connection.
    fn looked<T>(
        &self,
        look: impl FnOnce(&Connection) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.noticing(look(&self.reader()))
    }

    /// Reads data of one run in one transaction. Without the transaction, a concurrent write could look like damage.
    fn looked_at<T>(
        &self,
        run_id: &str,
        look: impl FnOnce(&Connection, i64) -> Result<T, StoreError>,
    ) -> Result<T, JournalError> {
        self.looked(|connection| {
            let _moment = Transaction::of_reads(connection).map_err(reading)?;
            let run = run_key(connection, run_id)?;
            look(connection, run).map_err(|error| error.of_run(run_id, JournalError::Read))
        })
    }

    /// Releases some free pages at the end of the file. Returns whether there may be more.
    fn release_pages(&self) -> Result<bool, JournalError> {
        let held = self.writer();
        let free_pages = || -> Result<i64, JournalError> {
            held.connection
                .query_row("PRAGMA freelist_count", [], |row| row.get(0))
                .map_err(writing)
        };
        let free = free_pages()?;
        if free == 0 {
            return Ok(false);
        }
        held.connection
            .execute_batch(&format!("PRAGMA incremental_vacuum({PAGES_A_STEP})"))
            .map_err(writing)?;
        // Without auto-vacuum, which only new files have, no pages are released. SQLite reuses them instead.
        Ok(free_pages()? < free)
    }

    /// Moves the log into the file, so that the file gets its new, shorter length. Returns whether the whole log was moved.
    fn shrink_file(&self) -> Result<bool, JournalError> {
        let mut held = self.writer();
        // SQLite allows one checkpoint at a time, and the store's own thread may be making one.
        held.checkpointer.stop();
        run_checkpoint(&held.connection).map_err(writing)
    }

    fn noticing<T>(&self, done: Result<T, JournalError>) -> Result<T, JournalError> {
        if matches!(done, Err(JournalError::Damaged(_))) {
            self.suspected();
        }
        done
    }

    /// Marks the store as possibly damaged. If the mark cannot be created, nothing else happens, because the damage itself has
    /// been reported.
    fn suspected(&self) {
        let _ = private::create(&self.suspect);
    }

    /// Locks the reading connection. A panic during a transaction rolls the transaction back, so the connection is valid even
    /// if the lock is poisoned.
    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `change` in a transaction that takes the write lock at its start. Any wait for another program therefore happens
    /// here, within the busy timeout, and not midway.
    fn write<T>(
        &self,
        change: impl FnOnce(&mut Change<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.noticing(self.changed(change))
    }

    fn changed<T>(
        &self,
        change: impl FnOnce(&mut Change<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let mut writer = self.writer();
        let Writer {
            connection,
            heads,
            batch,
            marks,
            checkpointer,
        } = &mut *writer;
        batch.clear();
        // The writer's state is moved out. If this function returns early, nothing is committed, and the state is read again
        // later.
        let mut known = std::mem::take(heads);
        let transaction = Transaction::begin(connection).map_err(writing)?;
        known.look(connection).map_err(writing)?;
        let mut scope = Change {
            connection,
            heads: &mut known,
            batch,
            marks,
            after: None,
        };
        let done = change(&mut scope)?;
        let after = scope.after;
        transaction.commit().map_err(writing)?;
        *heads = known;
        if let Some((run_id, state, records)) = after {
            // If the mark cannot be written, the change is committed anyway, but a later loss may go unnoticed.
            let _ = marks.set(&run_id, state, records);
        }
        checkpointer.look(connection);
        Ok(done)
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lost(&self) -> MutexGuard<'_, Vec<MissingRun>> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the missing runs that `meant` selects, and returns their number.
    fn forget(&self, meant: impl Fn(&MissingRun) -> bool) -> Result<usize, JournalError> {
        let mut lost = self.lost();
        let (gone, kept): (Vec<_>, Vec<_>) = lost.drain(..).partition(meant);
        *lost = kept;
        let mut writer = self.writer();
        for run in &gone {
            writer
                .marks
                .set(&run.run_id, State::Gone, 0)
                .map_err(|error| JournalError::Write(error.to_string()))?;
        }
        Ok(gone.len())
    }
}

impl Drop for SqliteJournal {
    fn drop(&mut self) {
        // Pages that are in use now stay in the log for the next start.
        let _ = self.finish();
    }
}

/// A transaction that is rolled back unless it is committed. Unlike a transaction of rusqlite, it keeps its statements
/// prepared. Preparing them each time would be a fifth of the cost of a commit.
struct Transaction<'c> {
    connection: &'c Connection,
    committed: bool,
}

impl<'c> Transaction<'c> {
    fn begin(connection: &'c Connection) -> rusqlite::Result<Self> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        Ok(Self {
            connection,
            committed: false,
        })
    }

    /// Begins a read-only transaction, which starts with the first read.
    fn of_reads(connection: &'c Connection) -> rusqlite::Result<Self> {
        connection.prepare_cached("BEGIN")?.execute([])?;
        Ok(Self {
            connection,
            committed: false,
        })
    }

    fn commit(mut self) -> rusqlite::Result<()> {
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // SQLite ends a transaction itself after some errors. If a rollback fails, the next BEGIN reports the error.
        if !self.committed && !self.connection.is_autocommit() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

fn create(change: &mut Change<'_>, header: &RunHeader) -> Result<(), JournalError> {
    match rows::insert(change.connection, header).map_err(writing)? {
        true => {
            change.marks.begin(&header.brief());
            change.after = Some((header.run_id.clone(), State::Open, 0));
            Ok(())
        }
        false => Err(exists_already(&header.run_id)),
    }
}

fn append(change: &mut Change<'_>, run_id: &str, records: &[Record]) -> Result<(), JournalError> {
    let connection = change.connection;
    let head = *change.heads.of(connection, run_id)?;
    check_sequence(run_id, head.next, records)?;
    let mut payload = Vec::new();
    let mut ledger = change
        .heads
        .take_ledger(connection, head.run)
        .map_err(|error| error.of_run(run_id, JournalError::Write))?;
    for record in records {
        ledger.take(record);
        let kept = &mut change.heads.kept;
        let kind = entries::store(
            connection,
            (head.run, head.form),
            record.seq,
            &record.entry,
            kept,
            &mut payload,
        )
        .map_err(writing)?;
        let row = RecordRow {
            place: place(head.run, record.seq)?,
            run: head.run,
            at: record.at,
            path: &record.path,
            node_id: record.node_id.as_deref(),
            kind,
            payload: std::str::from_utf8(&payload)
                .map_err(|error| JournalError::Write(error.to_string()))?,
        };
        let iteration = record_codes::iteration(&record.entry);
        change
            .batch
            .add(connection, &row, iteration, row.sum())
            .map_err(writing)?;
    }
    change.batch.write(connection).map_err(writing)?;
    ledger.write(connection, head.run).map_err(writing)?;
    change.heads.keep_ledger(head.run, ledger);
    let next = head.next + records.len() as u64;
    change.heads.of(connection, run_id)?.next = next;
    change.after = Some((run_id.to_owned(), State::Open, next));
    Ok(())
}

fn set_state(change: &mut Change<'_>, run_id: &str, state: &RunState) -> Result<(), JournalError> {
    let head = *change.heads.of(change.connection, run_id)?;
    rows::set_state(change.connection, head.run, head.next, state)
        .map_err(|error| error.of_run(run_id, JournalError::Write))?;
    if state.status == RunStatus::Running {
        // The mark now claims less, so it is lowered before the commit.
        let _ = change.marks.set(run_id, State::Open, head.next);
        change.after = None;
    } else {
        change.after = Some((run_id.to_owned(), State::Suspended, head.next));
    }
    Ok(())
}

impl Journal for SqliteJournal {
    fn create(&self, header: &RunHeader) -> Result<(), JournalError> {
        self.write(|change| create(change, header))
    }

    fn append(&self, run_id: &str, records: &[Record]) -> Result<(), JournalError> {
        self.write(|change| append(change, run_id, records))
    }

    fn add(
        &self,
        header: &RunHeader,
        records: &[Record],
        state: &RunState,
    ) -> Result<(), JournalError> {
        self.write(|change| {
            create(change, header)?;
            append(change, &header.run_id, records)?;
            set_state(change, &header.run_id, state)
        })
    }

    fn compact(&self) -> Result<(), JournalError> {
        // Pages are released in small steps, so that an active run never waits long.
        while self.release_pages()? {}
        for attempt in 0..SHRINK_ATTEMPTS {
            if attempt > 0 {
                thread::sleep(BETWEEN_ATTEMPTS);
            }
            if self.shrink_file()? {
                return Ok(());
            }
        }
        Err(JournalError::Busy(
            "the disk space of deleted runs cannot be freed while another program is reading the store"
                .to_owned(),
        ))
    }

    fn set_state(&self, run_id: &str, state: &RunState) -> Result<(), JournalError> {
        self.write(|change| set_state(change, run_id, state))
    }

    fn mark_seen(&self, run_id: &str) -> Result<(), JournalError> {
        self.write(|change| {
            let run = run_key(change.connection, run_id)?;
            rows::mark_seen(change.connection, run)
                .map_err(|error| error.of_run(run_id, JournalError::Write))
        })
    }

    fn label(&self, run_id: &str) -> Result<RunLabel, JournalError> {
        self.looked_at(run_id, rows::label)
    }

    fn set_name(&self, run_id: &str, name: Option<&str>) -> Result<(), JournalError> {
        self.write(|change| {
            let run = run_key(change.connection, run_id)?;
            rows::set_name(change.connection, run, name)
                .map_err(|error| error.of_run(run_id, JournalError::Write))
        })
    }

    fn set_starred(&self, run_id: &str, starred: bool) -> Result<(), JournalError> {
        self.write(|change| {
            let run = run_key(change.connection, run_id)?;
            rows::set_starred(change.connection, run, starred)
                .map_err(|error| error.of_run(run_id, JournalError::Write))
        })
    }

    fn run_size(&self, run_id: &str) -> Result<u64, JournalError> {
        self.looked_at(run_id, |connection, run| {
            Ok(rows::size(connection, run)?.unsigned_abs())
        })
    }

    fn finish(&self) -> Result<(), JournalError> {
        let mut writer = self.writer();
        writer.checkpointer.stop();
        let connection = &writer.connection;
        if connection.is_readonly(MAIN_DB).map_err(writing)? {
            return Ok(());
        }
        // If another program is reading now, the log stays. The last program that closes the store then makes the checkpoint.
        let done = connection
            .busy_timeout(BUSY_TIMEOUT)
            .and_then(|()| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())))
            .map_err(writing);
        connection.busy_timeout(BUSY).map_err(writing)?;
        done
    }

    fn missing(&self) -> Vec<MissingRun> {
        self.lost().clone()
    }

    fn forget_missing(&self) -> Result<usize, JournalError> {
        self.forget(|_| true)
    }

    fn find(
        &self,
        filter: &RunFilter,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<(RunHeaderBrief, RunState)>, JournalError> {
        self.looked(|connection| find::find(connection, filter, limit, offset).map_err(reading))
    }

    fn tally(&self, filter: &RunFilter) -> Result<RunTally, JournalError> {
        self.looked(|connection| find::tally(connection, filter).map_err(reading))
    }

    fn flows(&self) -> Result<Vec<(String, u64)>, JournalError> {
        self.looked(|connection| find::flows(connection).map_err(reading))
    }

    fn costs(&self, since: i64, until: i64) -> Result<Option<Costs>, JournalError> {
        // Runs that older programs wrote are counted a few at a time, so that an active run never waits long. A store that
        // cannot be written reports how many runs are not counted.
        while self.looked(|connection| costs::uncounted(connection).map_err(reading))? > 0 {
            let counted = self.write(|change| {
                change.heads.forget_ledgers();
                costs::count_some(change.connection).map_err(writing)
            });
            match counted {
                Ok(true) => {}
                Ok(false) | Err(JournalError::ReadOnly(_)) => break,
                Err(error) => return Err(error),
            }
        }
        let found = self.looked(|connection| {
            let _moment = Transaction::of_reads(connection).map_err(reading)?;
            costs::costs(connection, since, until).map_err(reading)
        })?;
        Ok(Some(found))
    }

    fn spending(&self) -> Option<&dyn SpendingStore> {
        Some(self)
    }

    fn add_costs(&self, rows: &[CostRow]) -> Result<(), JournalError> {
        self.write(|change| costs::add_rows(change.connection, rows).map_err(writing))
    }

    fn ids(&self, prefix: &str, limit: usize) -> Result<Vec<String>, JournalError> {
        self.looked(|connection| find::ids(connection, prefix, limit).map_err(reading))
    }

    fn size(&self) -> Result<StoreSize, JournalError> {
        self.looked(|connection| find::size(connection).map_err(reading))
    }

    fn run(&self, run_id: &str) -> Result<(RunHeader, RunState), JournalError> {
        self.looked_at(run_id, |connection, run| {
            let (brief, state) = rows::head(connection, run)?;
            let values = rows::values(connection, run)?;
            let header = RunHeader {
                run_id: brief.run_id,
                flow: brief.flow,
                flow_path: brief.flow_path,
                document: values.document,
                inputs: values.inputs,
                started_at: brief.started_at,
                setup: values.setup,
            };
            let outputs = values.outputs;
            Ok((header, RunState { outputs, ..state }))
        })
    }

    fn results(&self, run_id: &str, scope: &str) -> Result<u64, JournalError> {
        self.looked_at(run_id, |connection, run| {
            read::results(connection, run, scope, &self.directories)
        })
    }

    fn read(&self, run_id: &str, wanted: Select<'_>) -> Result<Vec<Record>, JournalError> {
        let mut records = Vec::new();
        self.read_each(run_id, wanted, &mut |record| records.push(record))?;
        Ok(records)
    }

    fn read_each(
        &self,
        run_id: &str,
        wanted: Select<'_>,
        each: &mut dyn FnMut(Record),
    ) -> Result<(), JournalError> {
        self.looked_at(run_id, |connection, run| {
            read::read(connection, run, wanted, &self.directories, each)
        })
    }

    fn delete(&self, run_id: &str) -> Result<(), JournalError> {
        let done = self.write(|change| {
            let run = run_key(change.connection, run_id)?;
            change.heads.forget(run_id);
            costs::keep_sums(change.connection, run).map_err(writing)?;
            rows::remove(change.connection, run).map_err(writing)?;
            // The mark is lowered before the commit, because a deleted run with a mark would be reported as lost.
            change
                .marks
                .set(run_id, State::Gone, 0)
                .map_err(|error| JournalError::Write(error.to_string()))
        });
        match done {
            Err(JournalError::NoRun(_)) if self.forget(|run| run.run_id == run_id)? > 0 => Ok(()),
            done => done,
        }
    }
}

impl SpendingStore for SqliteJournal {
    fn limits(&self) -> Result<Vec<CostLimit>, JournalError> {
        self.looked(|connection| spending::limits(connection).map_err(reading))
    }

    fn set_limit(&self, limit: &CostLimit, microusd: Option<u64>) -> Result<(), JournalError> {
        self.write(|change| {
            spending::set_limit(change.connection, limit, microusd).map_err(writing)
        })
    }

    fn reserve(&self, request: &RoomRequest) -> Result<Room, JournalError> {
        self.write(|change| {
            let run = run_key(change.connection, &request.run_id)?;
            spending::reserve(change.connection, run, request).map_err(writing)
        })
    }

    fn full(&self, request: &RoomRequest) -> Result<Option<(CostLimit, u64)>, JournalError> {
        self.looked(|connection| spending::full(connection, request).map_err(reading))
    }

    fn settle(&self, room: i64, microusd: Option<u64>) -> Result<(), JournalError> {
        self.write(|change| spending::settle(change.connection, room, microusd).map_err(writing))
    }

    fn runs_with_room(&self) -> Result<Vec<String>, JournalError> {
        self.looked(|connection| spending::runs_with_room(connection).map_err(reading))
    }

    fn lose(&self, run_id: &str) -> Result<(), JournalError> {
        self.write(|change| {
            let run = run_key(change.connection, run_id)?;
            spending::lose(change.connection, run).map_err(writing)
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn header(run_id: &str) -> RunHeader {
        RunHeader {
            run_id: run_id.into(),
            flow: "f".into(),
            flow_path: None,
            document: serde_json::json!({}),
            inputs: serde_json::json!({}),
            started_at: 0,
            setup: loopwright_engine::journal::RunSetup::default(),
        }
    }

    /// A failed append leaves nothing behind. Once there is free space again, the run continues.
    #[test]
    fn a_full_disk_loses_nothing_that_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let journal = SqliteJournal::open(&folder.path().join("runs.db"))
            .unwrap()
            .journal;
        journal.create(&header("r")).unwrap();
        let most_pages = |pages: i64| {
            let writer = journal.writer.lock().unwrap();
            writer
                .connection
                .pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
                .unwrap();
        };
        let batch = |first: u64| -> Vec<Record> {
            (first..first + 5)
                .map(|seq| Record {
                    seq,
                    at: 0,
                    path: format!("n{seq}"),
                    node_id: None,
                    entry: loopwright_engine::journal::Entry::Fact(
                        loopwright_engine::journal::Fact::NodeSkipped {
                            reason: "x".repeat(3_000) + &seq.to_string(),
                        },
                    ),
                })
                .collect()
        };
        most_pages(60);
        let mut kept = 0;
        let error = loop {
            match journal.append("r", &batch(kept)) {
                Ok(()) => kept += 5,
                Err(error) => break error,
            }
        };
        assert!(kept > 0);
        assert!(matches!(error, JournalError::Full), "{error:?}");
        assert!(
            error.to_string().contains("Free some disk space"),
            "{error}"
        );
        assert_eq!(journal.read("r", Select::All).unwrap().len() as u64, kept);
        most_pages(10_000);
        journal.append("r", &batch(kept)).unwrap();
        let count = journal.read("r", Select::All).unwrap().len() as u64;
        assert_eq!(count, kept + 5);
    }

    #[test]
    fn numbers_and_runs_beyond_what_a_place_holds_are_refused() {
        assert_eq!(place(1, 0).unwrap(), 1 << 32);
        let most = (i64::from(i32::MAX), u64::from(u32::MAX));
        assert_eq!(place(most.0, most.1).unwrap(), i64::MAX);
        assert!(place(most.0, most.1 + 1).is_err());
        assert!(place(most.0 + 1, 0).is_err());
    }
}
