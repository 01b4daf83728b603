//! Reading a run's records: every selection is an index read, and what is read is checked against what was written.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Mutex, PoisonError},
};

use loopwright_engine::journal::{Record, Select};
use rusqlite::{Connection, OptionalExtension, ToSql, params};

use crate::{
    common::iteration_path,
    entries,
    error::{StoreError, row_error},
    record_codes,
    rows::{RECORD, RecordRow, text},
    value_cache::Cache,
};

/// The `type` of [`Fact::IterationCompleted`](loopwright_engine::journal::Fact::IterationCompleted) in its JSON.
const ITERATION_COMPLETED: &str = "iteration_completed";
/// The same of [`Fact::IterationStarted`](loopwright_engine::journal::Fact::IterationStarted).
const ITERATION_STARTED: &str = "iteration_started";

const SELECT_ALL: &str = "WHERE place >= ?1 << 32 AND place < (?1 + 1) << 32 ORDER BY place";
// The index is named because the planner, without statistics, would rather read the whole run in order than sort a few rows.
const SELECT_PATH: &str = "INDEXED BY records_by_path WHERE run = ?1 AND path = ?2 ORDER BY place";
// Two index ranges: an OR of them could become a scan. '0' is the character after '/'.
const SELECT_INSIDE: &str = "INDEXED BY records_by_path WHERE run = ?1 AND path >= ?2 || '/' AND path < ?2 || '0' ORDER BY place";
const SELECT_RESULTS: &str =
    "INDEXED BY records_by_path WHERE run = ?1 AND path = ?2 AND type = ?3 ORDER BY place";
const SELECT_RESULTS_PAGE: &str = "INDEXED BY records_by_path WHERE run = ?1 AND path = ?2 AND type = ?3 ORDER BY place LIMIT ?4 OFFSET ?5";
// A list starts its items in any order, so their place in the run does not tell which they are.
const SELECT_STARTS: &str = "INDEXED BY records_by_path WHERE run = ?1 AND path = ?2 AND type = ?3
     AND json_extract(payload, '$.index') >= ?4 AND json_extract(payload, '$.index') < ?4 + ?5 ORDER BY place";
const COUNT_RESULTS: &str = "SELECT count(*) FROM records INDEXED BY records_by_path
     WHERE run = ?1 AND path = ?2 AND type = ?3";
// From one path to the next in the index, over all of a scope's iterations in one leap: '\\' is the character after '['.
const OUTLINE: &str = "WITH RECURSIVE places (path) AS (
        SELECT min(path) FROM records INDEXED BY records_by_path WHERE run = ?1
        UNION ALL
        SELECT (SELECT min(path) FROM records INDEXED BY records_by_path WHERE run = ?1 AND path > CASE
            WHEN instr(places.path, '[') > 0 THEN substr(places.path, 1, instr(places.path, '[') - 1) || '\\'
            ELSE places.path END)
        FROM places WHERE places.path IS NOT NULL
     ) ";
const SELECT_OUTLINE: &str = "CROSS JOIN records INDEXED BY records_by_path USING (path)
     WHERE run = ?1 AND instr(places.path, '[') = 0
     AND type NOT IN ('is', 'cc', 'ic', 'iteration_started', 'condition_checked', 'iteration_completed')
     ORDER BY place";

/// Some records, as SQL.
fn selection(condition: &str) -> String {
    match condition {
        SELECT_OUTLINE => format!("{OUTLINE} SELECT {RECORD} FROM places {condition}"),
        _ => format!("SELECT {RECORD} FROM records {condition}"),
    }
}

/// Runs whose part of the index was found to agree with their records. Once a run and program is enough: what is checked is
/// whether a stored index leaves records out, which no checksum of a record can show.
#[derive(Debug, Default)]
pub(crate) struct Checked(Mutex<HashSet<i64>>);

impl Checked {
    fn index(&self, connection: &Connection, run: i64) -> Result<(), StoreError> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known().contains(&run) {
            return Ok(());
        }
        let by_place = content(
            connection,
            "SELECT place, path, type FROM records NOT INDEXED WHERE place >= ?1 << 32 AND place < (?1 + 1) << 32",
            run,
        )?;
        let by_path = content(
            connection,
            "SELECT place, path, type FROM records INDEXED BY records_by_path WHERE run = ?1",
            run,
        )?;
        if by_place != by_path {
            return Err(StoreError::Index);
        }
        known().insert(run);
        Ok(())
    }
}

/// What some rows hold, in any order: how many they are, and the sum of their hashes.
fn content(connection: &Connection, sql: &str, run: i64) -> Result<(u64, u64), StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([run])?;
    let (mut count, mut sum) = (0, 0_u64);
    while let Some(row) = rows.next()? {
        let mut hasher = DefaultHasher::new();
        row.get::<_, i64>(0).map_err(row_error)?.hash(&mut hasher);
        text(row, 1).map_err(row_error)?.hash(&mut hasher);
        text(row, 2).map_err(row_error)?.hash(&mut hasher);
        count += 1;
        sum = sum.wrapping_add(hasher.finish());
    }
    Ok((count, sum))
}

/// Gives the records of a run that are meant to `each`, in their order. What is damaged may only show at the end.
pub(crate) fn read(
    connection: &Connection,
    run: i64,
    wanted: Select<'_>,
    checked: &Checked,
    each: &mut dyn FnMut(Record),
) -> Result<(), StoreError> {
    let mut cache = Cache::default();
    let mut select = |condition, params: &[&dyn ToSql], each: &mut dyn FnMut(Record)| {
        select(connection, condition, params, &mut cache, each)
    };
    if wanted == Select::All {
        let mut numbers = Numbers::default();
        select(SELECT_ALL, &[&run], &mut |record| {
            numbers.take(record.seq);
            each(record);
        })?;
        return numbers.check(connection, run);
    }
    checked.index(connection, run)?;
    let form = record_codes::form(connection, run)?;
    let completed = record_codes::column(ITERATION_COMPLETED, form);
    let started = record_codes::column(ITERATION_STARTED, form);
    match wanted {
        Select::All => Ok(()),
        Select::Path(path) => select(SELECT_PATH, params![run, path], each),
        Select::Iteration { scope, index } => {
            let path = iteration_path(scope, index);
            let mut records = Vec::new();
            for condition in [SELECT_PATH, SELECT_INSIDE] {
                select(condition, params![run, path], &mut |record| {
                    records.push(record);
                })?;
            }
            records.sort_by_key(|record| record.seq);
            records.into_iter().for_each(each);
            Ok(())
        }
        Select::Results(scope) => select(SELECT_RESULTS, params![run, scope, completed], each),
        Select::ResultsPage {
            scope,
            offset,
            limit,
        } => select(
            SELECT_RESULTS_PAGE,
            params![
                run,
                scope,
                completed,
                i64::try_from(limit).unwrap_or(i64::MAX),
                i64::try_from(offset).unwrap_or(i64::MAX)
            ],
            each,
        ),
        Select::Starts {
            scope,
            first,
            count,
        } => select(
            SELECT_STARTS,
            params![run, scope, started, first, count],
            each,
        ),
        Select::Outline => select(SELECT_OUTLINE, &[&run], each),
    }
}

/// How many iterations of a scope have ended.
pub(crate) fn results(
    connection: &Connection,
    run: i64,
    scope: &str,
    checked: &Checked,
) -> Result<i64, StoreError> {
    checked.index(connection, run)?;
    let completed = record_codes::column(ITERATION_COMPLETED, record_codes::form(connection, run)?);
    Ok(connection
        .prepare_cached(COUNT_RESULTS)?
        .query_row(params![run, scope, completed], |row| row.get(0))?)
}

/// The numbers of the records that were read: without gaps, and as many as the run's row says it had.
#[derive(Default)]
struct Numbers {
    found: u64,
    next: u64,
    /// The first records that are missing, from and to.
    gap: Option<(u64, u64)>,
}

impl Numbers {
    fn take(&mut self, seq: u64) {
        if seq != self.next && self.gap.is_none() {
            self.gap = Some((self.next, seq.saturating_sub(1)));
        }
        self.found += 1;
        self.next = seq + 1;
    }

    fn check(self, connection: &Connection, run: i64) -> Result<(), StoreError> {
        if let Some((first, last)) = self.gap {
            return Err(StoreError::Changed(format!(
                "records {first} to {last} are missing"
            )));
        }
        let expected: Option<i64> = connection
            .prepare_cached("SELECT records FROM runs WHERE id = ?1")?
            .query_row([run], |row| row.get(0))
            .optional()
            .map_err(row_error)?;
        let expected = expected.unwrap_or(0).unsigned_abs();
        if self.found < expected {
            return Err(StoreError::Changed(format!(
                "its last {} of {expected} records are missing",
                expected - self.found
            )));
        }
        Ok(())
    }
}

fn select(
    connection: &Connection,
    condition: &'static str,
    params: &[&dyn ToSql],
    cache: &mut Cache,
    each: &mut dyn FnMut(Record),
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(&selection(condition))?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        let place: i64 = row.get(0)?;
        let seq = (place & 0xffff_ffff).unsigned_abs();
        let (found, is_sound) = RecordRow::read(row).map_err(|error| {
            let path = text(row, 3).unwrap_or_default().to_owned();
            match row_error(error) {
                StoreError::Sqlite(error) => error.into(),
                why => StoreError::Record(seq, path, Box::new(why)),
            }
        })?;
        let damaged = |why: StoreError| match why {
            StoreError::Sqlite(error) => error.into(),
            why => StoreError::Record(seq, found.path.to_owned(), Box::new(why)),
        };
        if !is_sound {
            return Err(damaged(StoreError::Changed(
                "it is not what was written".to_owned(),
            )));
        }
        each(Record {
            seq,
            at: found.at,
            path: found.path.to_owned(),
            node_id: found.node_id.map(str::to_owned),
            entry: entries::load(connection, &found, cache).map_err(damaged)?,
        });
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::schema;

    /// Reading one iteration may not cost more because of those before it.
    #[test]
    fn every_selection_is_an_index_read() {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::migrate(&mut connection).unwrap();
        for (condition, reads_by) in [
            (SELECT_ALL, ["(rowid>? AND rowid<?)"].as_slice()),
            (SELECT_PATH, &["(run=? AND path=?)"]),
            (SELECT_INSIDE, &["(run=? AND path>? AND path<?)"]),
            (SELECT_RESULTS, &["(run=? AND path=? AND type=?)"]),
            (SELECT_RESULTS_PAGE, &["(run=? AND path=? AND type=?)"]),
            (COUNT_RESULTS, &["(run=? AND path=? AND type=?)"]),
            (
                SELECT_OUTLINE,
                &["(run=?)", "(run=? AND path>?)", "(run=? AND path=?)"],
            ),
        ] {
            let sql = match condition {
                COUNT_RESULTS => condition.to_owned(),
                condition => selection(condition),
            };
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
