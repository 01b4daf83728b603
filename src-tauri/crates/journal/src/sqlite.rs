//! The store on disk: one SQLite file, one transaction an append, prepared statements.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{
    blobs::{self, StoreError},
    check_sequence, exists_already, find, iteration_path, rows,
};
use loopwright_engine::journal::{
    Journal, JournalError, Record, RunFilter, RunHeader, RunHeaderBrief, RunState, RunTally,
    Select, StoreSize,
};
use rusqlite::{
    Connection, ErrorCode, OptionalExtension, Params, Row, Transaction, TransactionBehavior, params,
};

/// The run store in a file. Open it with [`SqliteJournal::open`].
#[derive(Debug)]
pub struct SqliteJournal {
    writer: Mutex<Connection>,
    reader: Mutex<Connection>,
    /// Made when damage is met: the next start then checks the whole file, however large.
    suspect: PathBuf,
}

/// Pages that are given back at once: some milliseconds.
const SLICE: u32 = 500;

/// SQLite's integers are signed.
fn signed(number: u64) -> Result<i64, JournalError> {
    i64::try_from(number)
        .map_err(|_| JournalError::Write(format!("{number} is too large to store")))
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

const SELECT_ALL: &str =
    "SELECT seq, at, path, node_id, payload FROM records WHERE run = ?1 ORDER BY seq";
// The index is named because the planner, without statistics, would rather read the whole run in order than sort a few rows.
const SELECT_PATH: &str =
    "SELECT seq, at, path, node_id, payload FROM records INDEXED BY records_by_path
     WHERE run = ?1 AND path = ?2 ORDER BY seq";
// Two index ranges: an OR of them could become a scan. '0' is the character after '/'.
const SELECT_ITERATION: &str =
    "SELECT seq, at, path, node_id, payload FROM records INDEXED BY records_by_path
     WHERE run = ?1 AND path = ?2
     UNION ALL
     SELECT seq, at, path, node_id, payload FROM records INDEXED BY records_by_path
     WHERE run = ?1 AND path >= ?2 || '/' AND path < ?2 || '0'
     ORDER BY seq";
const SELECT_RESULTS: &str =
    "SELECT seq, at, path, node_id, payload FROM records INDEXED BY records_by_path
     WHERE run = ?1 AND path = ?2 AND type = ?3 ORDER BY seq";
const SELECT_RESULTS_PAGE: &str =
    "SELECT seq, at, path, node_id, payload FROM records INDEXED BY records_by_path
     WHERE run = ?1 AND path = ?2 AND type = ?3 ORDER BY seq LIMIT ?4 OFFSET ?5";
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
     SELECT seq, at, path, node_id, payload FROM places CROSS JOIN records INDEXED BY records_by_path USING (path)
     WHERE run = ?1 AND instr(places.path, '[') = 0
     AND type NOT IN ('iteration_started', 'condition_checked', 'iteration_completed')
     ORDER BY seq";

impl SqliteJournal {
    pub(crate) fn new(writer: Connection, reader: Connection, suspect: PathBuf) -> Self {
        Self {
            writer: Mutex::new(writer),
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
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.noticing(self.changed(change))
    }

    fn changed<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let mut connection = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(writing)?;
        let done = change(&transaction)?;
        transaction.commit().map_err(writing)?;
        Ok(done)
    }
}

fn create(connection: &Connection, header: &RunHeader) -> Result<(), JournalError> {
    match rows::insert(connection, header).map_err(writing)? {
        true => Ok(()),
        false => Err(exists_already(&header.run_id)),
    }
}

fn append(connection: &Connection, run_id: &str, records: &[Record]) -> Result<(), JournalError> {
    let run = key(connection, run_id)?;
    let next: i64 = connection
        .prepare_cached("SELECT coalesce(max(seq) + 1, 0) FROM records WHERE run = ?1")
        .and_then(|mut statement| statement.query_row([run], |row| row.get(0)))
        .map_err(writing)?;
    check_sequence(run_id, next.unsigned_abs(), records)?;
    let mut insert = connection
        .prepare_cached(
            "INSERT INTO records (run, seq, at, path, node_id, type, payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )
        .map_err(writing)?;
    for record in records {
        let payload = blobs::store_entry(connection, run, &record.entry).map_err(writing)?;
        insert
            .execute(params![
                run,
                signed(record.seq)?,
                record.at,
                record.path,
                record.node_id,
                tag(&payload),
                payload
            ])
            .map_err(writing)?;
    }
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
fn key(connection: &Connection, run_id: &str) -> Result<i64, JournalError> {
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
        self.write(|connection| create(connection, header))
    }

    fn append(&self, run_id: &str, records: &[Record]) -> Result<(), JournalError> {
        self.write(|connection| append(connection, run_id, records))
    }

    fn add(
        &self,
        header: &RunHeader,
        records: &[Record],
        state: &RunState,
    ) -> Result<(), JournalError> {
        self.write(|connection| {
            create(connection, header)?;
            append(connection, &header.run_id, records)?;
            let run = key(connection, &header.run_id)?;
            rows::set_state(connection, run, state).map_err(writing)
        })
    }

    fn compact(&self) -> Result<(), JournalError> {
        // In slices, so that a run that goes on meanwhile waits for none of them long.
        let connection = || self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let writer = connection();
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
        self.write(|connection| {
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
                Select::Outline => select(connection, SELECT_OUTLINE, [run]),
            }
            .map_err(reading)
        })
    }

    fn delete(&self, run_id: &str) -> Result<(), JournalError> {
        self.write(|connection| {
            let run = key(connection, run_id)?;
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
            let connection = journal.writer.lock().unwrap();
            connection
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
            (SELECT_ALL, ["(run=?)"].as_slice()),
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
