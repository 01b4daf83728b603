//! The tables of a store, and the migration of files that older versions wrote.

use loopwright_engine::journal::JournalError;
use rusqlite::{Connection, TransactionBehavior};
use serde::Deserialize;

use crate::{
    batches::NewBatch,
    blobs,
    error::{StoreError, row_error, sqlite_error},
    record_codes::is_about_iteration,
    record_row::{INSERT_CHECKED, RecordRow},
    rows, text_index,
};

/// The ASCII letters "Loop" as a number, which distinguishes a run store from other SQLite files (`PRAGMA application_id`).
pub(crate) const APPLICATION_ID: i64 = 0x4c6f_6f70;

/// The schema of a new store. Running every migration instead takes a few milliseconds longer.
const TABLES: &str = include_str!("schema.sql");

/// Parts of the schema that no later step has changed. New stores and the migration step that created the part use the same
/// SQL.
const BLOBS: &str = include_str!("blobs.sql");
const EXPERIMENTS: &str = include_str!("experiments.sql");
const BATCHES: &str = include_str!("batches.sql");
const COSTS: &str = include_str!("costs.sql");
const SPENDING: &str = include_str!("spending.sql");
const SCHEDULES: &str = include_str!("schedules.sql");

/// The migration steps, one for each version. `PRAGMA user_version` is the number of steps that were applied to a file. Never
/// change a released step. Add a new one, and make the same change in `schema.sql`, which runs after the shared parts and can
/// alter their tables.
const MIGRATIONS: &[Migration] = &[
    first,
    setups,
    lists,
    appends,
    sums,
    whole_values,
    references,
    inputs_and_facts,
    experiments,
    labels,
    batches,
    costs,
    spending,
    schedules,
];

type Migration = fn(&Connection) -> Result<(), StoreError>;

fn first(connection: &Connection) -> Result<(), StoreError> {
    // `records` is in the order of runs and numbers, so that a run is read sequentially. The index serves every other
    // selection: a path, a path with a type, and an iteration with everything inside it, which is a range of paths
    // ("refine[2]/" up to "refine[2]0") at any depth of nesting.
    connection.execute_batch(
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
         CREATE INDEX records_by_path ON records (run, path, type);",
    )?;
    Ok(connection.execute_batch(BLOBS)?)
}

/// Adds a column for a run's setup apart from its flow, as JSON; it is empty for the default setup. Also adds columns for the
/// parent and the fork point of a fork, which lists show.
fn setups(connection: &Connection) -> Result<(), StoreError> {
    Ok(connection.execute_batch(
        "ALTER TABLE runs ADD COLUMN setup TEXT NOT NULL DEFAULT '';
         ALTER TABLE runs ADD COLUMN parent TEXT;
         ALTER TABLE runs ADD COLUMN forked_at TEXT;",
    )?)
}

/// Prepares the store for long histories: fields that filters use become columns of short rows, large values move to separate
/// rows, and the text of runs gets an index.
fn lists(connection: &Connection) -> Result<(), StoreError> {
    // The text index does not store the text (`content=''`) and finds parts of words (`trigram`). It has two rows for each run:
    // row 2k for the beginning of the run with key k, and row 2k + 1 for its end.
    connection.execute_batch(
        "CREATE TABLE run_values (
            run INTEGER PRIMARY KEY,
            document TEXT NOT NULL,
            inputs TEXT NOT NULL,
            setup TEXT NOT NULL,
            outputs TEXT
         );
         INSERT INTO run_values SELECT id, document, inputs, setup, nullif(state -> '$.outputs', 'null') FROM runs;
         CREATE TABLE short_runs (
            id INTEGER PRIMARY KEY,
            run_id TEXT NOT NULL UNIQUE,
            flow TEXT NOT NULL,
            flow_path TEXT,
            started_at INTEGER NOT NULL,
            parent TEXT,
            forked_at TEXT,
            status TEXT NOT NULL,
            exit_reason TEXT,
            duration_ms INTEGER,
            cost_microusd INTEGER NOT NULL DEFAULT 0,
            state TEXT NOT NULL
         );
         INSERT INTO short_runs SELECT id, run_id, flow, flow_path, started_at, parent, forked_at,
            state ->> '$.status', state ->> '$.exit_reason', state ->> '$.duration_ms',
            coalesce(state ->> '$.usage.cost_microusd', 0), json_remove(state, '$.outputs') FROM runs;
         DROP TABLE runs;
         ALTER TABLE short_runs RENAME TO runs;
         CREATE INDEX runs_by_time ON runs (started_at, run_id);
         CREATE INDEX runs_by_status ON runs (status, started_at);
         CREATE INDEX runs_by_flow ON runs (flow, started_at);
         CREATE VIRTUAL TABLE run_texts USING fts5 (
            text, content='', contentless_delete=1, tokenize='trigram'
         );",
    )?;
    text_index::fill(connection)
}

/// Gives the table of records a single integer as its key, so that records are appended at the end of the table. With the
/// earlier key of two columns, SQLite split each full page into three, and a record took five pages in the log instead of two
/// or three. The new key, `place`, is the run's key times 2³² plus the record's number. `place` is the last column of the
/// index, so that the records of a path are in order.
fn appends(connection: &Connection) -> Result<(), StoreError> {
    Ok(connection.execute_batch(
        "CREATE TABLE appended (
            place INTEGER PRIMARY KEY,
            run INTEGER NOT NULL,
            at INTEGER NOT NULL,
            path TEXT NOT NULL,
            node_id TEXT,
            type TEXT NOT NULL,
            payload TEXT NOT NULL
         );
         INSERT INTO appended SELECT run << 32 | seq, run, at, path, node_id, type, payload FROM records ORDER BY run, seq;
         DROP TABLE records;
         ALTER TABLE appended RENAME TO records;
         CREATE INDEX records_by_path ON records (run, path, type);",
    )?)
}

/// Adds the checksums of rows (`sum`), which are computed here for existing rows; the number of each run's records; whether a
/// person has seen the result of a run, which is set to true for existing runs; and the store's own id.
fn sums(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(
        "CREATE TABLE store (id TEXT NOT NULL);
         INSERT INTO store VALUES (lower(hex(randomblob(16))));
         ALTER TABLE runs ADD COLUMN records INTEGER NOT NULL DEFAULT 0;
         ALTER TABLE runs ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
         ALTER TABLE runs ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
         ALTER TABLE run_values ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
         UPDATE runs SET seen = 1, records =
            (SELECT count(*) FROM records WHERE place >= runs.id << 32 AND place < (runs.id + 1) << 32);
         CREATE TABLE checked (
            place INTEGER PRIMARY KEY,
            run INTEGER NOT NULL,
            at INTEGER NOT NULL,
            path TEXT NOT NULL,
            node_id TEXT,
            type TEXT NOT NULL,
            sum INTEGER NOT NULL,
            payload TEXT NOT NULL
         );",
    )?;
    let mut all = connection.prepare(
        "SELECT place, run, at, path, node_id, type, payload FROM records ORDER BY place",
    )?;
    let mut add = connection.prepare(INSERT_CHECKED)?;
    let mut found = all.query([])?;
    while let Some(row) = found.next()? {
        RecordRow::read(row)?.insert(&mut add)?;
    }
    drop(found);
    connection.execute_batch(
        "DROP TABLE records;
         ALTER TABLE checked RENAME TO records;
         CREATE INDEX records_by_path ON records (run, path, type);",
    )?;
    let mut runs = connection.prepare("SELECT id FROM runs")?;
    for run in runs.query_map([], |row| row.get(0))? {
        rows::seal_unlabelled(connection, run?)?;
    }
    Ok(())
}

/// Raises the version so that older programs refuse the file. From this version on, lists and objects are also stored under
/// their hashes, which an older program would report as missing. The content of the file does not change.
fn whole_values(_: &Connection) -> Result<(), StoreError> {
    Ok(())
}

/// Raises the version so that older programs refuse the file. From this version on, a value that the run already has is stored
/// as a reference, and record kinds are stored as codes. Older programs know neither. Existing runs keep their form.
fn references(_: &Connection) -> Result<(), StoreError> {
    Ok(())
}

/// Raises the version so that older programs refuse the file. From this version on, records of inputs have kinds that these
/// programs do not know and would report as damage. The content of the file does not change.
fn inputs_and_facts(_: &Connection) -> Result<(), StoreError> {
    Ok(())
}

/// Adds the tables for the results of evaluations.
fn experiments(connection: &Connection) -> Result<(), StoreError> {
    Ok(connection.execute_batch(EXPERIMENTS)?)
}

/// Adds the names and stars that users give to runs. A run without either keeps its checksum. A search reads `name_text`, the
/// name in lowercase, because SQLite itself converts only ASCII to lowercase.
fn labels(connection: &Connection) -> Result<(), StoreError> {
    Ok(connection.execute_batch(
        "ALTER TABLE runs ADD COLUMN name TEXT;
         ALTER TABLE runs ADD COLUMN name_text TEXT;
         ALTER TABLE runs ADD COLUMN starred INTEGER NOT NULL DEFAULT 0;
         CREATE INDEX runs_named ON runs (name_text) WHERE name_text IS NOT NULL;
         CREATE INDEX runs_starred ON runs (started_at, run_id) WHERE starred = 1;",
    )?)
}

/// Combines records that were written together into one row; see [`crate::batches`]. Each record keeps its checksum. A record
/// that cannot be read is omitted, so its run counts as damaged, as before.
fn batches(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(
        "DROP INDEX records_by_path;
         ALTER TABLE records RENAME TO single_records;",
    )?;
    connection.execute_batch(BATCHES)?;
    let mut all = connection.prepare(
        "SELECT place, run, at, path, node_id, type, payload, sum FROM single_records ORDER BY place",
    )?;
    let mut rows = all.query([])?;
    let mut batch = NewBatch::default();
    while let Some(row) = rows.next()? {
        let read = RecordRow::read(row).and_then(|record| Ok((record, row.get(7)?)));
        let (record, sum) = match read.map_err(row_error) {
            Ok(read) => read,
            Err(StoreError::Sqlite(error)) => return Err(error.into()),
            Err(_) => continue,
        };
        let is_about = is_about_iteration(record.kind);
        // The iteration of a damaged record is unknown.
        let index = || blobs::parse(record.payload).map_or(0, |read: Iteration| read.index);
        let iteration = is_about.then(index);
        batch.add(connection, &record, iteration, sum)?;
    }
    drop(rows);
    batch.write(connection)?;
    Ok(connection.execute_batch("DROP TABLE single_records")?)
}

/// Adds the totals of what runs cost. The runs in the file are counted later; see [`crate::costs`].
fn costs(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(COSTS)?;
    Ok(connection.execute_batch("INSERT INTO uncounted_runs SELECT id FROM runs")?)
}

/// Adds the tables for budgets of a period.
fn spending(connection: &Connection) -> Result<(), StoreError> {
    Ok(connection.execute_batch(SPENDING)?)
}

/// Adds a column for the schedule that started a run to the costs and the budgets.
fn schedules(connection: &Connection) -> Result<(), StoreError> {
    Ok(connection.execute_batch(SCHEDULES)?)
}

/// The part of a scope's record about an iteration that the migration reads.
#[derive(Deserialize)]
struct Iteration {
    index: u32,
}

/// Returns the version of the files that this program writes.
pub(crate) fn newest_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Returns the unique id of this store.
pub(crate) fn id(connection: &Connection) -> rusqlite::Result<String> {
    connection.query_row("SELECT id FROM store", [], |row| row.get(0))
}

pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Migrates the file to this program's version. A newer file is refused and stays unchanged.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), JournalError> {
    let error = |error| sqlite_error(error, JournalError::Write);
    // The first check needs no lock. It suffices for nearly every start, even while another program writes.
    if refuse_newer(version(connection).map_err(error)?)? == newest_version() {
        return Ok(());
    }
    // The version is read again under the lock, so that only one of two programs that start together migrates the file.
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(error)?;
    let found = refuse_newer(version(&transaction).map_err(error)?)?;
    match usize::try_from(found).unwrap_or(0) {
        0 => make(&transaction).map_err(error)?,
        had => {
            upgrade(&transaction, had).map_err(|error| error.into_journal(JournalError::Write))?
        }
    }
    transaction
        .pragma_update(None, "application_id", APPLICATION_ID)
        .and_then(|()| transaction.pragma_update(None, "user_version", newest_version()))
        .and_then(|()| transaction.commit())
        .map_err(error)
}

fn make(connection: &Connection) -> rusqlite::Result<()> {
    for part in [
        BLOBS,
        EXPERIMENTS,
        BATCHES,
        COSTS,
        SPENDING,
        SCHEDULES,
        TABLES,
    ] {
        connection.execute_batch(part)?;
    }
    Ok(())
}

/// Applies the steps that have not been applied to the file yet.
fn upgrade(connection: &Connection, had: usize) -> Result<(), StoreError> {
    let mut steps = MIGRATIONS.iter().skip(had);
    steps.try_for_each(|step| step(connection))
}

pub(crate) fn refuse_newer(found: i64) -> Result<i64, JournalError> {
    if found > newest_version() {
        return Err(JournalError::TooNew {
            found,
            known: newest_version(),
        });
    }
    Ok(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::batches::{BATCH, Batch};

    /// Returns the tables with their columns, in order, and their options, and the definitions of indices, views and virtual
    /// tables.
    fn shape(connection: &Connection) -> Vec<String> {
        let sql = "SELECT concat_ws(' ', s.type, s.name, t.wr, t.strict, s.sql LIKE '%AUTOINCREMENT%', ': ') || CASE
                WHEN s.type IN ('index', 'view') OR t.type = 'virtual' THEN coalesce(s.sql, '')
                ELSE (SELECT group_concat(concat_ws(' ', name, type, \"notnull\", dflt_value, pk), ', ') FROM pragma_table_xinfo(s.name))
            END FROM sqlite_schema s LEFT JOIN pragma_table_list t ON t.name = s.name AND t.schema = 'main' ORDER BY 1";
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement
            .query_map([], |row| row.get::<_, String>(0))
            .unwrap();
        // Only the indentation of a definition depends on where it is written.
        let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        rows.map(|row| words(row.unwrap())).collect()
    }

    #[test]
    fn a_new_store_equals_the_result_of_the_steps() {
        let [new, old] = [(), ()].map(|()| Connection::open_in_memory().unwrap());
        make(&new).unwrap();
        upgrade(&old, 0).unwrap();
        assert_eq!(shape(&new), shape(&old));
        assert!(shape(&new).len() > 20, "{:?}", shape(&new));
        assert_eq!(id(&new).unwrap().len(), id(&old).unwrap().len());
    }

    /// The store has rows of single records, as the previous version wrote them. Some rows are damaged or missing.
    #[test]
    fn single_records_become_batches() {
        let connection = Connection::open_in_memory().unwrap();
        for step in &MIGRATIONS[..10] {
            step(&connection).unwrap();
        }
        let mut expected = Vec::new();
        let mut add = connection
            .prepare(&INSERT_CHECKED.replace("checked", "records"))
            .unwrap();
        for run in [1_i64, 3] {
            for seq in 0..600_i64 {
                let (path, kind) = match seq % 3 {
                    0 => ("loop".to_owned(), "is"),
                    1 => (format!("loop[{}]/draft", seq / 3 + 1), "vc"),
                    _ => ("loop".to_owned(), "ic"),
                };
                let payload = format!("{{\"index\":{},\"text\":\"ü {seq}\"}}", seq / 3);
                let record = RecordRow {
                    place: run << 32 | seq,
                    run,
                    at: 5_000 - seq,
                    path: &path,
                    node_id: (seq % 3 == 1).then_some("draft"),
                    kind,
                    payload: &payload,
                };
                if (run, seq) == (3, 400) {
                    continue;
                }
                record.insert(&mut add).unwrap();
                expected.push((record.place, record.sum()));
            }
        }
        let damage = "UPDATE records SET payload = 'x' WHERE place = (1 << 32) + 7";
        connection.execute(damage, []).unwrap();
        batches(&connection).unwrap();

        let mut statement = connection
            .prepare(&format!(
                "SELECT {BATCH} FROM record_batches ORDER BY place"
            ))
            .unwrap();
        let mut rows = statement.query([]).unwrap();
        let (mut found, mut sizes) = (Vec::new(), Vec::new());
        while let Some(row) = rows.next().unwrap() {
            let batch = Batch::read(row).unwrap();
            sizes.push(batch.len());
            for index in 0..batch.len() {
                let (record, is_sound) = batch.record(index).unwrap();
                assert_eq!(is_sound, record.place != (1 << 32) + 7);
                let sum = record.sum();
                found.push((record.place, if is_sound { sum } else { 0 }));
            }
        }
        expected[7].1 = 0;
        assert_eq!(found, expected);
        assert_eq!(sizes, [256, 256, 88, 256, 144, 199]);
        let paths: String = connection
            .query_row("SELECT paths FROM record_batches", [], |row| row.get(0))
            .unwrap();
        assert_eq!(paths, r#"[["loop",1,86,85,0],["loop[]/draft",1,85,0,85]]"#);
    }
}
