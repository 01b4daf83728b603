//! The store on disk: one SQLite file, one transaction an append, prepared statements.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{
    blobs::{self, StoreError},
    check_sequence, exists_already, find,
    heads::Heads,
    iteration_path, rows,
};
use loopwright_engine::journal::{
    Journal, JournalError, Record, RunFilter, RunHeader, RunHeaderBrief, RunState, RunTally,
    Select, StoreSize,
};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Params, Row, params};

/// The run store in a file. Open it with [`SqliteJournal::open`].
#[derive(Debug)]
pub struct SqliteJournal {
    writer: Mutex<Writer>,
    reader: Mutex<Connection>,
    /// Made when damage is met: the next start then checks the whole file, however large.
    suspect: PathBuf,
}

/// The connection that writes, and what it knows of the runs it writes.
#[derive(Debug)]
struct Writer {
    connection: Connection,
    heads: Heads,
}

/// Pages that are given back at once: some milliseconds.
const SLICE: u32 = 500;

/// Where a record stands in the file: runs one after the other, each in the order of its numbers.
fn place(run: i64, seq: u64) -> Result<i64, JournalError> {
    let (run, seq) = u32::try_from(seq)
        .ok()
        .filter(|_| run >> 31 == 0)
        .map(|seq| (run, i64::from(seq)))
        .ok_or_else(|| {
            JournalError::Write(format!(
                "record {seq} of run {run} is one too many to store"
            ))
        })?;
    Ok((run << 32) | seq)
}

pub(crate) fn sqlite_error(
    error: rusqlite::Error,
    wrap: fn(String) -> JournalError,
) -> JournalError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            JournalError::Busy(error.to_string())
        }
        Some(ErrorCode::DiskFull) => JournalError::Full,
        Some(ErrorCode::ReadOnly) => JournalError::ReadOnly(error.to_string()),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            JournalError::Damaged(error.to_string())
        }
        _ => wrap(error.to_string()),
    }
}

fn reading(error: impl Into<StoreError>) -> JournalError {
    error.into().into_journal(JournalError::Read)
}

fn writing(error: impl Into<StoreError>) -> JournalError {
    error.into().into_journal(JournalError::Write)
}

/// The `type` of [`Entry::IterationCompleted`] in its JSON, which the `type` column repeats.
const ITERATION_COMPLETED: &str = "iteration_completed";
/// The same of [`Entry::IterationStarted`].
const ITERATION_STARTED: &str = "iteration_started";

const SELECT_ALL: &str = "SELECT place & 4294967295 AS seq, at, path, node_id, payload FROM records
     WHERE place >= ?1 << 32 AND place < (?1 + 1) << 32 ORDER BY place";
// The index is named because the planner, without statistics, would rather read the whole run in order than sort a few rows.
const SELECT_PATH: &str =
    "SELECT place & 4294967295 AS seq, at, path, node_id, payload FROM records INDEXED BY records_by_path
     WHERE run = ?1 AND path = ?2 ORDER BY place";
// Two index ranges: an OR of them could become a scan. '0' is the character after '/'.
const SELECT_ITERATION: &str =
    "SELECT place & 4294967295 AS seq, at, path, node_id, payload FROM records INDEXED BY records_by_path
     WHERE run = ?1 AND path = ?2
     UNION ALL
     SELECT place & 4294967295 AS seq, at, path, node_id, payload FROM records INDEXED BY records_by_path
     WHERE run = ?1 AND path >= ?2 || '/' AND path < ?2 || '0'
     ORDER BY seq";
const SELECT_RESULTS: &str =
    "SELECT place & 4294967295 AS seq, at, path, node_id, payload FROM records INDEXED BY records_by_path
     WHERE run = ?1 AND path = ?2 AND type = ?3 ORDER BY place";
const SELECT_RESULTS_PAGE: &str =
    "SELECT place & 4294967295 AS seq, at, path, node_id, payload FROM records INDEXED BY records_by_path
     WHERE run = ?1 AND path = ?2 AND type = ?3 ORDER BY place LIMIT ?4 OFFSET ?5";
// A list starts its items in any order, so their place in the run does not tell which they are.
const SELECT_STARTS: &str =
    "SELECT place & 4294967295 AS seq, at, path, node_id, payload FROM records INDEXED BY records_by_path
     WHERE run = ?1 AND path = ?2 AND type = ?3
     AND json_extract(payload, '$.index') >= ?4 AND json_extract(payload, '$.index') < ?4 + ?5 ORDER BY place";
const COUNT_RESULTS: &str = "SELECT count(*) FROM records INDEXED BY records_by_path
     WHERE run = ?1 AND path = ?2 AND type = ?3";
// From one path to the next in the index, over all of a scope's iterations in one leap: '\\' is the character after '['.
const SELECT_OUTLINE: &str = "WITH RECURSIVE places (path) AS (
        SELECT min(path) FROM records INDEXED BY records_by_path WHERE run = ?1
        UNION ALL
        SELECT (SELECT min(path) FROM records INDEXED BY records_by_path WHERE run = ?1 AND path > CASE
            WHEN instr(places.path, '[') > 0 THEN substr(places.path, 1, instr(places.path, '[') - 1) || '\\'
            ELSE places.path END)
        FROM places WHERE places.path IS NOT NULL
     )
     SELECT place & 4294967295 AS seq, at, path, node_id, payload
     FROM places CROSS JOIN records INDEXED BY records_by_path USING (path)
     WHERE run = ?1 AND instr(places.path, '[') = 0
     AND type NOT IN ('iteration_started', 'condition_checked', 'iteration_completed')
     ORDER BY seq";

impl SqliteJournal {
    pub(crate) fn new(writer: Connection, reader: Connection, suspect: PathBuf) -> Self {
        Self {
            writer: Mutex::new(Writer {
                connection: writer,
                heads: Heads::default(),
            }),
            reader: Mutex::new(reader),
            suspect,
        }
    }

    /// Reads on the readers' connection.
    fn looked<T>(
        &self,
        look: impl FnOnce(&Connection) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.noticing(look(&self.reader()))
    }

    fn noticing<T>(&self, done: Result<T, JournalError>) -> Result<T, JournalError> {
        if matches!(done, Err(JournalError::Damaged(_))) {
            // Where it cannot be made, the error at least has said it.
            let _ = std::fs::write(&self.suspect, "");
        }
        done
    }

    /// A panic while a connection was held rolled its transaction back, so the connection itself is still good.
    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `change` in one transaction that takes the write lock at once, so that waiting for another program happens
    /// here, within the busy time-out, and not half way through.
    fn write<T>(
        &self,
        change: impl FnOnce(&Connection, &mut Heads) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.noticing(self.changed(change))
    }

    fn changed<T>(
        &self,
        change: impl FnOnce(&Connection, &mut Heads) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let mut writer = self.writer();
        let Writer { connection, heads } = &mut *writer;
        // What is not committed was not written: where this ends early, nothing is known any more.
        let mut known = std::mem::take(heads);
        let transaction = Change::begin(connection).map_err(writing)?;
        known.look(connection).map_err(writing)?;
        let done = change(connection, &mut known)?;
        transaction.commit().map_err(writing)?;
        *heads = known;
        Ok(done)
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A transaction, undone unless it is committed. Its statements are kept prepared, which rusqlite's own transactions' are not:
/// they are a fifth of what a commit costs.
struct Change<'c> {
    connection: &'c Connection,
    committed: bool,
}

impl<'c> Change<'c> {
    fn begin(connection: &'c Connection) -> rusqlite::Result<Self> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
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

impl Drop for Change<'_> {
    fn drop(&mut self) {
        // SQLite has ended it itself after some errors. Where undoing fails, the next BEGIN says so.
        if !self.committed && !self.connection.is_autocommit() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

fn create(connection: &Connection, header: &RunHeader) -> Result<(), JournalError> {
    match rows::insert(connection, header).map_err(writing)? {
        true => Ok(()),
        false => Err(exists_already(&header.run_id)),
    }
}

fn append(
    connection: &Connection,
    heads: &mut Heads,
    run_id: &str,
    records: &[Record],
) -> Result<(), JournalError> {
    let head = heads.of(connection, run_id)?;
    check_sequence(run_id, head.next, records)?;
    let mut insert = connection
        .prepare_cached(
            "INSERT INTO records (place, run, at, path, node_id, type, payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )
        .map_err(writing)?;
    for record in records {
        let payload = blobs::store_entry(connection, head.run, &record.entry).map_err(writing)?;
        insert
            .execute(params![
                place(head.run, record.seq)?,
                head.run,
                record.at,
                record.path,
                record.node_id,
                tag(&payload),
                payload
            ])
            .map_err(writing)?;
    }
    head.next += records.len() as u64;
    Ok(())
}

/// The `type` of an entry in its JSON, where it always stands first.
fn tag(payload: &str) -> &str {
    payload
        .strip_prefix("{\"type\":\"")
        .and_then(|rest| rest.split_once('"'))
        .map_or("", |(tag, _)| tag)
}

/// The run's key in this file.
pub(crate) fn key(connection: &Connection, run_id: &str) -> Result<i64, JournalError> {
    connection
        .prepare_cached("SELECT id FROM runs WHERE run_id = ?1")
        .and_then(|mut statement| statement.query_row([run_id], |row| row.get(0)).optional())
        .map_err(reading)?
        .ok_or_else(|| JournalError::NoRun(run_id.to_owned()))
}

fn select(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<Record>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(record(connection, row)?);
    }
    Ok(records)
}

fn record(connection: &Connection, row: &Row<'_>) -> Result<Record, StoreError> {
    let seq: i64 = row.get(0)?;
    Ok(Record {
        seq: seq.unsigned_abs(),
        at: row.get(1)?,
        path: row.get(2)?,
        node_id: row.get(3)?,
        entry: blobs::load(
            connection,
            row.get_ref(4)?.as_str().map_err(rusqlite::Error::from)?,
        )?,
    })
}

impl Journal for SqliteJournal {
    fn create(&self, header: &RunHeader) -> Result<(), JournalError> {
        self.write(|connection, _| create(connection, header))
    }

    fn append(&self, run_id: &str, records: &[Record]) -> Result<(), JournalError> {
        self.write(|connection, heads| append(connection, heads, run_id, records))
    }

    fn add(
        &self,
        header: &RunHeader,
        records: &[Record],
        state: &RunState,
    ) -> Result<(), JournalError> {
        self.write(|connection, heads| {
            create(connection, header)?;
            append(connection, heads, &header.run_id, records)?;
            let run = key(connection, &header.run_id)?;
            rows::set_state(connection, run, state).map_err(writing)
        })
    }

    fn compact(&self) -> Result<(), JournalError> {
        // In slices, so that a run that goes on meanwhile waits for none of them long.
        loop {
            let held = self.writer();
            let writer = &held.connection;
            let free: i64 = writer
                .query_row("PRAGMA freelist_count", [], |row| row.get(0))
                .map_err(writing)?;
            if free == 0 {
                return writer
                    .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
                    .map_err(writing);
            }
            writer
                .execute_batch(&format!("PRAGMA incremental_vacuum({SLICE})"))
                .map_err(writing)?;
            let left: i64 = writer
                .query_row("PRAGMA freelist_count", [], |row| row.get(0))
                .map_err(writing)?;
            if left == free {
                // A file that was made without the means to shrink; its free pages are used again.
                return Ok(());
            }
        }
    }

    fn set_state(&self, run_id: &str, state: &RunState) -> Result<(), JournalError> {
        self.write(|connection, _| {
            let run = key(connection, run_id)?;
            rows::set_state(connection, run, state).map_err(writing)
        })
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

    fn ids(&self, prefix: &str, limit: usize) -> Result<Vec<String>, JournalError> {
        self.looked(|connection| find::ids(connection, prefix, limit).map_err(reading))
    }

    fn size(&self) -> Result<StoreSize, JournalError> {
        self.looked(|connection| find::size(connection).map_err(reading))
    }

    fn run(&self, run_id: &str) -> Result<(RunHeader, RunState), JournalError> {
        self.looked(|connection| {
        let (brief, run, state): (RunHeaderBrief, i64, String) = connection
            .prepare_cached(
                "SELECT run_id, flow, flow_path, started_at, parent, forked_at, id, state FROM runs WHERE run_id = ?1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row([run_id], |row| {
                        Ok((find::brief(row)?, row.get(6)?, row.get(7)?))
                    })
                    .optional()
            })
            .map_err(reading)?
            .ok_or_else(|| JournalError::NoRun(run_id.to_owned()))?;
        let values = rows::values(connection, run).map_err(reading)?;
        let header = RunHeader {
            run_id: brief.run_id,
            flow: brief.flow,
            flow_path: brief.flow_path,
            document: values.document,
            inputs: values.inputs,
            started_at: brief.started_at,
            setup: values.setup,
        };
        let state: RunState = blobs::load(connection, &state).map_err(reading)?;
        let outputs = values.outputs;
        Ok((header, RunState { outputs, ..state }))
        })
    }

    fn results(&self, run_id: &str, scope: &str) -> Result<u64, JournalError> {
        self.looked(|connection| {
            let run = key(connection, run_id)?;
            let count: i64 = connection
                .prepare_cached(COUNT_RESULTS)
                .and_then(|mut statement| {
                    statement.query_row(params![run, scope, ITERATION_COMPLETED], |row| row.get(0))
                })
                .map_err(reading)?;
            Ok(count.unsigned_abs())
        })
    }

    fn read(&self, run_id: &str, wanted: Select<'_>) -> Result<Vec<Record>, JournalError> {
        self.looked(|connection| {
            let run = key(connection, run_id)?;
            match wanted {
                Select::All => select(connection, SELECT_ALL, [run]),
                Select::Path(path) => select(connection, SELECT_PATH, params![run, path]),
                Select::Iteration { scope, index } => select(
                    connection,
                    SELECT_ITERATION,
                    params![run, iteration_path(scope, index)],
                ),
                Select::Results(scope) => select(
                    connection,
                    SELECT_RESULTS,
                    params![run, scope, ITERATION_COMPLETED],
                ),
                Select::ResultsPage {
                    scope,
                    offset,
                    limit,
                } => select(
                    connection,
                    SELECT_RESULTS_PAGE,
                    params![
                        run,
                        scope,
                        ITERATION_COMPLETED,
                        i64::try_from(limit).unwrap_or(i64::MAX),
                        i64::try_from(offset).unwrap_or(i64::MAX)
                    ],
                ),
                Select::Starts {
                    scope,
                    first,
                    count,
                } => select(
                    connection,
                    SELECT_STARTS,
                    params![run, scope, ITERATION_STARTED, first, count],
                ),
                Select::Outline => select(connection, SELECT_OUTLINE, [run]),
            }
            .map_err(reading)
        })
    }

    fn delete(&self, run_id: &str) -> Result<(), JournalError> {
        self.write(|connection, heads| {
            let run = key(connection, run_id)?;
            heads.forget(run_id);
            rows::remove(connection, run).map_err(writing)
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::schema;

    /// What did not fit is not there, not even in part; once there is room, the run goes on where it stood.
    #[test]
    fn a_full_disk_loses_nothing_that_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let journal = SqliteJournal::open(&folder.path().join("runs.db"))
            .unwrap()
            .journal;
        let header = RunHeader {
            run_id: "r".into(),
            flow: "f".into(),
            flow_path: None,
            document: serde_json::json!({}),
            inputs: serde_json::json!({}),
            started_at: 0,
            setup: loopwright_engine::journal::RunSetup::default(),
        };
        journal.create(&header).unwrap();
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
                    entry: loopwright_engine::Entry::NodeSkipped {
                        reason: "x".repeat(3_000) + &seq.to_string(),
                    },
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
        assert!(error.to_string().contains("Make room"), "{error}");
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

    #[test]
    fn finds_the_type_of_an_entry() {
        let entry = loopwright_engine::Entry::NodeSkipped {
            reason: "\"type\":\"no\"".into(),
        };
        let payload = serde_json::to_string(&entry).unwrap();
        assert_eq!(tag(&payload), "node_skipped");
    }

    /// Reading one iteration may not cost more because of those before it.
    #[test]
    fn every_selection_is_an_index_read() {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::migrate(&mut connection).unwrap();
        for (sql, reads_by) in [
            (SELECT_ALL, ["(rowid>? AND rowid<?)"].as_slice()),
            (SELECT_PATH, &["(run=? AND path=?)"]),
            (
                SELECT_ITERATION,
                &["(run=? AND path=?)", "(run=? AND path>? AND path<?)"],
            ),
            (SELECT_RESULTS, &["(run=? AND path=? AND type=?)"]),
            (SELECT_RESULTS_PAGE, &["(run=? AND path=? AND type=?)"]),
            (COUNT_RESULTS, &["(run=? AND path=? AND type=?)"]),
            (
                SELECT_OUTLINE,
                &["(run=?)", "(run=? AND path>?)", "(run=? AND path=?)"],
            ),
        ] {
            let mut statement = connection
                .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
                .unwrap();
            let mut rows = statement.raw_query();
            let mut plan = Vec::new();
            while let Some(row) = rows.next().unwrap() {
                plan.push(row.get::<_, String>(3).unwrap());
            }
            plan.retain(|line| line.contains("records"));
            assert_eq!(plan.len(), reads_by.len(), "{sql}: {plan:?}");
            for (line, by) in plan.iter().zip(reads_by) {
                assert!(
                    line.starts_with("SEARCH") && line.ends_with(by),
                    "{sql}: {line}"
                );
            }
        }
    }
}
