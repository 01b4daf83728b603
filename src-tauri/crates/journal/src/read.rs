//! Reads a run's records. Every selection reads only the rows that may match, and checks them against their checksums.

use loopwright_engine::journal::{Entry, Fact, Record, Select};
use rusqlite::{Connection, params};

use crate::{
    batches::{BATCH, Batch},
    common::iteration_path,
    directory::{Directories, Wanted, expect, missing},
    entries,
    error::StoreError,
    place::seq,
    record_codes::{is_about_iteration, is_result, is_start},
    value_cache::Cache,
};

const SELECT_ALL: &str = "WHERE place >= ?1 << 32 AND place < (?1 + 1) << 32 ORDER BY place";
const SELECT_ONE: &str = "WHERE place = ?1";

/// The indices of all iterations of a scope.
const EVERY: std::ops::RangeInclusive<u32> = 0..=u32::MAX;

/// Passes the selected records of a run to `each`, in order. Damage may be detected only after the last record.
pub(crate) fn read(
    connection: &Connection,
    run: i64,
    wanted: Select<'_>,
    directories: &Directories,
    each: &mut dyn FnMut(Record),
) -> Result<(), StoreError> {
    let mut reading = Reading {
        connection,
        directories,
        run,
        cache: Cache::default(),
    };
    match wanted {
        Select::All => reading.all(each),
        Select::Path(path) => reading.those(
            &Wanted::path(path, EVERY),
            &mut |found, _| found == path,
            each,
        ),
        Select::Iteration { scope, index } => {
            let within = iteration_path(scope, index);
            let mut is_meant = |path: &str, _: &str| {
                path.strip_prefix(within.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            reading.those(&Wanted::inside(&within), &mut is_meant, each)
        }
        Select::Results(scope) => reading.results(scope, 0, usize::MAX, each),
        Select::ResultsPage {
            scope,
            offset,
            limit,
        } => reading.results(scope, offset, limit, each),
        Select::Starts {
            scope,
            first,
            count,
        } => {
            let numbers = first.saturating_add(1)..=first.saturating_add(count);
            let is_within = |record: &Record| {
                matches!(record.entry, Entry::Fact(Fact::IterationStarted { index, .. })
                    if index >= first && index - first < count)
            };
            // The items of a list may start in any order, so their position in the run does not identify them.
            reading.those(
                &Wanted::path(scope, numbers),
                &mut |path, kind| path == scope && is_start(kind),
                &mut |record| {
                    if is_within(&record) {
                        each(record);
                    }
                },
            )
        }
        Select::Outline => reading.those(
            &Wanted::Outline,
            &mut |path, kind| !path.contains('[') && !is_about_iteration(kind),
            each,
        ),
    }
}

/// Returns the number of finished iterations of a scope.
pub(crate) fn results(
    connection: &Connection,
    run: i64,
    scope: &str,
    directories: &Directories,
) -> Result<u64, StoreError> {
    let rows = directories.results(connection, run, scope)?;
    if !scope.contains('[') {
        return Ok(rows.iter().map(|(_, count)| u64::from(*count)).sum());
    }
    let mut found = 0;
    for (place, _) in rows {
        with_row(connection, place, &mut |batch| {
            found += (0..batch.len())
                .filter(|index| batch.path(*index) == scope && is_result(batch.kind(*index)))
                .count() as u64;
            Ok(())
        })?;
    }
    Ok(found)
}

/// Passes the selected rows of records to `each`, in order.
fn with_rows(
    connection: &Connection,
    condition: &str,
    key: i64,
    each: &mut dyn FnMut(Batch<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {BATCH} FROM record_batches {condition}"))?;
    let mut rows = statement.query(params![key])?;
    while let Some(row) = rows.next()? {
        each(Batch::read(row)?)?;
    }
    Ok(())
}

/// Passes all rows of a run's records to `each`, in order.
pub(crate) fn with_records_of(
    connection: &Connection,
    run: i64,
    each: &mut dyn FnMut(Batch<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    with_rows(connection, SELECT_ALL, run, each)
}

/// Passes the row that contains the record at `place` to `each`.
fn with_row(
    connection: &Connection,
    place: i64,
    each: &mut dyn FnMut(Batch<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut is_there = false;
    with_rows(connection, SELECT_ONE, place, &mut |batch| {
        is_there = true;
        each(batch)
    })?;
    match is_there {
        true => Ok(()),
        false => Err(StoreError::Changed(format!(
            "the records from number {} on are missing",
            seq(place)
        ))),
    }
}

/// The state while records of a run are read.
struct Reading<'r> {
    connection: &'r Connection,
    directories: &'r Directories,
    run: i64,
    cache: Cache,
}

impl Reading<'_> {
    /// Reads every record. Fails if there is a gap, or if there are fewer records than the run's row states.
    fn all(&mut self, each: &mut dyn FnMut(Record)) -> Result<(), StoreError> {
        let mut next = 0;
        let mut gap = None;
        let (connection, run) = (self.connection, self.run);
        with_rows(connection, SELECT_ALL, run, &mut |batch| {
            if batch.first() != next && gap.is_none() {
                gap = Some(missing(next, batch.first()));
            }
            next = batch.first() + batch.len() as u64;
            (0..batch.len()).try_for_each(|index| {
                each(self.record(&batch, index)?);
                Ok(())
            })
        })?;
        match gap {
            Some(gap) => Err(gap),
            None => expect(connection, run, next),
        }
    }

    /// Reads the records whose path and kind match.
    fn those(
        &mut self,
        wanted: &Wanted,
        is_meant: &mut dyn FnMut(&str, &str) -> bool,
        each: &mut dyn FnMut(Record),
    ) -> Result<(), StoreError> {
        for place in self.directories.places(self.connection, self.run, wanted)? {
            self.row(place, is_meant, each)?;
        }
        Ok(())
    }

    /// Reads at most `limit` results of a scope's iterations, starting after the first `offset` results.
    fn results(
        &mut self,
        scope: &str,
        offset: usize,
        limit: usize,
        each: &mut dyn FnMut(Record),
    ) -> Result<(), StoreError> {
        let (mut before, mut left) = (offset, limit);
        for (place, count) in self.directories.results(self.connection, self.run, scope)? {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            if left == 0 {
                break;
            }
            // For a scope inside iterations, the row's summary may count other instances of the scope.
            if before >= count && !scope.contains('[') {
                before -= count;
                continue;
            }
            let mut is_meant = |path: &str, kind: &str| {
                if path != scope || !is_result(kind) {
                    return false;
                }
                if before > 0 {
                    before -= 1;
                    return false;
                }
                let is_in = left > 0;
                left = left.saturating_sub(1);
                is_in
            };
            self.row(place, &mut is_meant, each)?;
        }
        Ok(())
    }

    /// Reads the matching records of one row.
    fn row(
        &mut self,
        place: i64,
        is_meant: &mut dyn FnMut(&str, &str) -> bool,
        each: &mut dyn FnMut(Record),
    ) -> Result<(), StoreError> {
        with_row(self.connection, place, &mut |batch| {
            for index in 0..batch.len() {
                if is_meant(batch.path(index), batch.kind(index)) {
                    each(self.record(&batch, index)?);
                }
            }
            Ok(())
        })
    }

    fn record(&mut self, batch: &Batch<'_>, index: usize) -> Result<Record, StoreError> {
        let gone = || StoreError::Changed("a record is missing".to_owned());
        let (found, is_sound) = batch.record(index).ok_or_else(gone)?;
        let damaged = |why: StoreError| match why {
            StoreError::Sqlite(error) => error.into(),
            why => StoreError::Record(found.seq(), found.path.to_owned(), Box::new(why)),
        };
        if !is_sound {
            return Err(damaged(StoreError::Changed(
                "it does not match its checksum".to_owned(),
            )));
        }
        Ok(Record {
            seq: found.seq(),
            at: found.at,
            path: found.path.to_owned(),
            node_id: found.node_id.map(Into::into),
            entry: entries::load(self.connection, batch, &found, &mut self.cache)
                .map_err(damaged)?,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::schema;

    /// The number of earlier iterations must not make reading one iteration slower.
    #[test]
    fn every_selection_is_an_index_read() {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::migrate(&mut connection).unwrap();
        for (condition, reads_by) in [
            (SELECT_ALL, "(rowid>? AND rowid<?)"),
            (SELECT_ONE, "(rowid=?)"),
        ] {
            let sql = format!("EXPLAIN QUERY PLAN SELECT {BATCH} FROM record_batches {condition}");
            let plan: Vec<String> = connection
                .prepare(&sql)
                .unwrap()
                .raw_query()
                .mapped(|row| row.get(3))
                .map(Result::unwrap)
                .collect();
            assert_eq!(plan.len(), 1, "{plan:?}");
            assert!(
                plan[0].starts_with("SEARCH") && plan[0].ends_with(reads_by),
                "{plan:?}"
            );
        }
    }
}
