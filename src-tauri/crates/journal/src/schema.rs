//! The tables and how a file of an older version becomes one of this version.

use loopwright_engine::journal::JournalError;
use rusqlite::{Connection, TransactionBehavior};

use crate::sqlite::sqlite_error;

/// "Loop": tells a run store from any other SQLite file (`PRAGMA application_id`).
pub(crate) const APPLICATION_ID: i64 = 0x4c6f_6f70;

/// One step a version; `PRAGMA user_version` says how many a file has had. Never change one that was released: add one.
const MIGRATIONS: &[&str] = &[
    // `records` is clustered by run and number, so that a run reads front to back. The index answers every other
    // selection: a path, a path with a type, and an iteration with everything inside it, which is a range of paths
    // ("refine[2]/" up to "refine[2]0") however deep the nesting.
    "CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL UNIQUE,
        flow TEXT NOT NULL,
        flow_path TEXT,
        started_at INTEGER NOT NULL,
        document TEXT NOT NULL,
        inputs TEXT NOT NULL,
        state TEXT NOT NULL
     );
     CREATE INDEX runs_by_time ON runs (started_at, run_id);
     CREATE TABLE records (
        run INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,
        path TEXT NOT NULL,
        node_id TEXT,
        type TEXT NOT NULL,
        payload TEXT NOT NULL,
        PRIMARY KEY (run, seq)
     ) WITHOUT ROWID;
     CREATE INDEX records_by_path ON records (run, path, type);
     CREATE TABLE blobs (
        hash BLOB NOT NULL UNIQUE,
        content TEXT NOT NULL
     );
     CREATE TABLE blob_uses (
        run INTEGER NOT NULL,
        hash BLOB NOT NULL,
        PRIMARY KEY (run, hash)
     ) WITHOUT ROWID;
     CREATE INDEX blob_uses_by_hash ON blob_uses (hash);",
    // What a run was asked for beyond its flow, as JSON, empty where that is nothing; and where it was forked, which lists show.
    "ALTER TABLE runs ADD COLUMN setup TEXT NOT NULL DEFAULT '';
     ALTER TABLE runs ADD COLUMN parent TEXT;
     ALTER TABLE runs ADD COLUMN forked_at TEXT;",
];

/// The version this program writes.
pub(crate) fn known() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Brings the file to this program's version; refuses a newer one untouched.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), JournalError> {
    let error = |error| sqlite_error(error, JournalError::Write);
    // Looked at without a lock first: nearly every start finds nothing to do, also while another program writes.
    if refuse_newer(version(connection).map_err(error)?)? == known() {
        return Ok(());
    }
    // The lock is taken before the version is read again, so that two programs that start together migrate once.
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(error)?;
    let found = refuse_newer(version(&transaction).map_err(error)?)?;
    for step in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(step).map_err(error)?;
    }
    transaction
        .pragma_update(None, "application_id", APPLICATION_ID)
        .and_then(|()| transaction.pragma_update(None, "user_version", known()))
        .and_then(|()| transaction.commit())
        .map_err(error)
}

pub(crate) fn refuse_newer(found: i64) -> Result<i64, JournalError> {
    if found > known() {
        return Err(JournalError::TooNew {
            found,
            known: known(),
        });
    }
    Ok(found)
}
