//! The index of a run's rows of records. Each row contains a summary of its records' paths. The summaries of a run are read
//! once and cached, so that the time to read an iteration does not depend on the number of earlier iterations.

use std::{
    collections::{HashMap, VecDeque},
    ops::RangeInclusive,
    sync::{Mutex, PoisonError},
};

use rusqlite::{Connection, OptionalExtension, Row};

use crate::{
    error::{StoreError, row_error},
    place::{changed, seq},
    record_codes::{is_about_iteration, is_result},
    rows::text,
    sums::sum,
};

/// The maximum number of runs in the cache.
const RUNS: usize = 8;

/// The maximum number of cached summaries, which take about 10 MB. The run that was read last does not count.
const MOST: usize = 500_000;

/// Writes `path` without its iteration numbers (`refine[]/draft`) to `into`, and returns the number of the outermost iteration,
/// from 1; `None` if there is none.
fn pattern(path: &str, into: &mut String) -> Option<u32> {
    into.clear();
    let (mut rest, mut outermost) = (path, None);
    while let Some(at) = rest.find('[') {
        let (before, behind) = rest.split_at(at + 1);
        into.push_str(before);
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        rest = behind;
        if digits > 0 && behind.as_bytes().get(digits) == Some(&b']') {
            let number = behind[..digits].parse().unwrap_or(u32::MAX);
            outermost = outermost.or(Some(number));
            rest = &behind[digits..];
        }
    }
    into.push_str(rest);
    outermost
}

/// The summary of those records in one row whose paths have the same pattern.
#[derive(Debug, Clone, Copy)]
struct Summary {
    /// The lowest number of an outermost iteration among these records, from 1; 0 if the records are outside every iteration.
    /// `last` is the highest number.
    first: u32,
    last: u32,
    /// The number of records about ends of iterations.
    ended: u32,
    /// The number of records about anything except the start, the condition check and the end of an iteration.
    others: u32,
}

/// The summaries of a row that is being built, one for each pattern.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    known: HashMap<String, usize>,
    summaries: Vec<(String, Summary)>,
    scratch: String,
}

impl Paths {
    pub(crate) fn add(&mut self, path: &str, kind: &str, iteration: Option<u32>) {
        let number = pattern(path, &mut self.scratch)
            .or(iteration.map(|index| index.saturating_add(1)))
            .unwrap_or(0);
        let at = match self.known.get(self.scratch.as_str()) {
            Some(at) => *at,
            None => {
                self.known
                    .insert(self.scratch.clone(), self.summaries.len());
                let summary = Summary {
                    first: number,
                    last: number,
                    ended: 0,
                    others: 0,
                };
                self.summaries.push((self.scratch.clone(), summary));
                self.summaries.len() - 1
            }
        };
        let summary = &mut self.summaries[at].1;
        summary.first = summary.first.min(number);
        summary.last = summary.last.max(number);
        summary.ended += u32::from(is_result(kind));
        summary.others += u32::from(!is_about_iteration(kind));
    }

    /// Returns the summaries in their stored form.
    pub(crate) fn json(&self) -> Result<String, StoreError> {
        let rows: Vec<_> = self
            .summaries
            .iter()
            .map(|(pattern, summary)| {
                (
                    pattern,
                    summary.first,
                    summary.last,
                    summary.ended,
                    summary.others,
                )
            })
            .collect();
        serde_json::to_string(&rows).map_err(StoreError::Json)
    }

    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.summaries.clear();
    }
}

/// A selection of records by their paths.
pub(crate) enum Wanted {
    Path(Place),
    /// The records outside every iteration.
    Outline,
}

/// A path with a range of its iterations.
pub(crate) struct Place {
    pattern: String,
    /// Whether everything inside the path matches too.
    inside: bool,
    iterations: RangeInclusive<u32>,
}

impl Wanted {
    /// Selects the records of exactly this path. Of a scope's records about its iterations, only those with numbers in
    /// `iterations` are selected.
    pub(crate) fn path(path: &str, iterations: RangeInclusive<u32>) -> Self {
        Self::place(path, false, iterations)
    }

    /// Selects the records of this path and of everything inside it.
    pub(crate) fn inside(path: &str) -> Self {
        Self::place(path, true, 0..=u32::MAX)
    }

    fn place(path: &str, inside: bool, iterations: RangeInclusive<u32>) -> Self {
        let mut own = String::new();
        let outermost = pattern(path, &mut own);
        Self::Path(Place {
            pattern: own,
            inside,
            iterations: outermost.map_or(iterations, |number| number..=number),
        })
    }

    fn is(&self, pattern: &str) -> bool {
        match self {
            Self::Outline => !pattern.contains('['),
            Self::Path(place) => match pattern.strip_prefix(place.pattern.as_str()) {
                Some(rest) => rest.is_empty() || (place.inside && rest.starts_with('/')),
                None => false,
            },
        }
    }

    fn has(&self, summary: Summary) -> bool {
        match self {
            Self::Outline => summary.others > 0,
            Self::Path(place) => {
                let (first, last) = (place.iterations.start(), place.iterations.end());
                summary.first <= *last && summary.last >= *first
            }
        }
    }
}

/// The summaries of one run's rows.
#[derive(Debug, Default)]
struct Directory {
    run: i64,
    /// The places and checksums of the first and the last row; `None` if there are no rows.
    ends: Option<[(i64, i64); 2]>,
    /// The number of records.
    records: u64,
    patterns: Vec<String>,
    known: HashMap<String, u32>,
    /// The place of each row, and the index of its first summary.
    rows: Vec<(i64, usize)>,
    /// The summaries, each with the number of its pattern.
    summaries: Vec<(u32, Summary)>,
}

impl Directory {
    fn new(run: i64) -> Self {
        Self {
            run,
            ..Self::default()
        }
    }

    /// Returns whether the rows are still the ones that were read. Another program may have deleted the run, and a new run
    /// may have reused its key.
    fn is_of(&self, connection: &Connection) -> Result<bool, StoreError> {
        let mut statement =
            connection.prepare_cached("SELECT heads_sum FROM record_batches WHERE place = ?1")?;
        for (place, sum) in self.ends.iter().flatten() {
            let now: Option<i64> = statement
                .query_row([place], |row| row.get(0))
                .optional()
                .map_err(row_error)?;
            if now != Some(*sum) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads the rows that were written since the last call.
    fn extend(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let mut statement = connection.prepare_cached(
            "SELECT place, records, paths, paths_sum, heads_sum FROM record_batches
             WHERE place >= ?1 AND place < (?2 + 1) << 32 ORDER BY place",
        )?;
        let next = (self.run << 32) | i64::try_from(self.records).unwrap_or(i64::MAX);
        let mut rows = statement.query([next, self.run])?;
        while let Some(row) = rows.next()? {
            self.add(row)?;
        }
        Ok(())
    }

    fn add(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let place: i64 = row.get(0).map_err(row_error)?;
        let records: i64 = row.get(1).map_err(row_error)?;
        let paths = text(row, 2).map_err(row_error)?;
        let sum: i64 = row.get(3).map_err(row_error)?;
        if sum != paths_sum(place, records, paths) {
            return Err(changed(place));
        }
        if seq(place) != self.records {
            return Err(missing(self.records, seq(place)));
        }
        let read: Vec<(String, u32, u32, u32, u32)> =
            serde_json::from_str(paths).map_err(|_| changed(place))?;
        self.rows.push((place, self.summaries.len()));
        for (pattern, first, last, ended, others) in read {
            let at = match self.known.get(&pattern) {
                Some(at) => *at,
                None => {
                    let at = u32::try_from(self.patterns.len()).map_err(|_| changed(place))?;
                    self.known.insert(pattern.clone(), at);
                    self.patterns.push(pattern);
                    at
                }
            };
            self.summaries.push((
                at,
                Summary {
                    first,
                    last,
                    ended,
                    others,
                },
            ));
        }
        self.records += records.unsigned_abs();
        let end = (place, row.get(4).map_err(row_error)?);
        self.ends = Some([self.ends.map_or(end, |ends| ends[0]), end]);
        Ok(())
    }

    /// Returns the places of the rows that may match, each with the sum of `count` over its matching summaries.
    fn rows(&self, wanted: &Wanted, count: impl Fn(Summary) -> u32) -> Vec<(i64, u32)> {
        let meant: Vec<bool> = self
            .patterns
            .iter()
            .map(|pattern| wanted.is(pattern))
            .collect();
        let ends = self.rows.iter().skip(1).map(|row| row.1);
        let ends = ends.chain([self.summaries.len()]);
        let rows = self.rows.iter().zip(ends).map(|((place, begin), end)| {
            let all = self.summaries[*begin..end].iter();
            let meant =
                all.filter(|(pattern, summary)| meant[*pattern as usize] && wanted.has(*summary));
            (*place, meant.map(|(_, summary)| count(*summary)).sum())
        });
        rows.filter(|(_, count)| *count > 0).collect()
    }
}

/// Returns the error for missing records: those from number `first` up to, but not including, `next`.
pub(crate) fn missing(first: u64, next: u64) -> StoreError {
    StoreError::Changed(format!(
        "records {first} to {} are missing",
        next.saturating_sub(1)
    ))
}

/// A cache of the directories of the runs that were read last.
#[derive(Debug, Default)]
pub(crate) struct Directories(Mutex<VecDeque<Directory>>);

impl Directories {
    /// Returns the places of the rows that may match.
    pub(crate) fn places(
        &self,
        connection: &Connection,
        run: i64,
        wanted: &Wanted,
    ) -> Result<Vec<i64>, StoreError> {
        let rows = self.look(connection, run, |known| known.rows(wanted, |_| 1))?;
        Ok(rows.into_iter().map(|(place, _)| place).collect())
    }

    /// Returns the places of the rows with ends of iterations of this scope, each with the number of these ends. If the scope
    /// is itself inside iterations, the number may include other instances of the scope.
    pub(crate) fn results(
        &self,
        connection: &Connection,
        run: i64,
        scope: &str,
    ) -> Result<Vec<(i64, u32)>, StoreError> {
        let wanted = Wanted::path(scope, 0..=u32::MAX);
        self.look(connection, run, |known| {
            known.rows(&wanted, |summary| summary.ended)
        })
    }

    fn look<T>(
        &self,
        connection: &Connection,
        run: i64,
        look: impl FnOnce(&Directory) -> T,
    ) -> Result<T, StoreError> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|known| known.run == run);
        let known = at.and_then(|at| all.remove(at));
        let mut known = match known {
            Some(known) if known.is_of(connection)? => known,
            _ => Directory::new(run),
        };
        known.extend(connection)?;
        expect(connection, run, known.records)?;
        let found = look(&known);
        all.truncate(RUNS - 1);
        while all.iter().map(|known| known.summaries.len()).sum::<usize>() > MOST {
            all.pop_back();
        }
        all.push_front(known);
        Ok(found)
    }
}

/// Fails if a run has only `found` records, but had more when its state was last set.
pub(crate) fn expect(connection: &Connection, run: i64, found: u64) -> Result<(), StoreError> {
    let expected: Option<i64> = connection
        .prepare_cached("SELECT records FROM runs WHERE id = ?1")?
        .query_row([run], |row| row.get(0))
        .optional()
        .map_err(row_error)?;
    let expected = expected.unwrap_or(0).unsigned_abs();
    if found < expected {
        return Err(StoreError::Changed(format!(
            "its last {} of {expected} records are missing",
            expected - found
        )));
    }
    Ok(())
}

pub(crate) fn paths_sum(place: i64, records: i64, paths: &str) -> i64 {
    sum(
        "record_batches.paths",
        &[place.into(), records.into(), paths.into()],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_path_without_numbers() {
        for (path, expected, outermost) in [
            ("", "", None),
            ("refine", "refine", None),
            ("refine[12]/draft", "refine[]/draft", Some(12)),
            ("a[3]/b[4]/c", "a[]/b[]/c", Some(3)),
            ("a[99999999999]", "a[]", Some(u32::MAX)),
            ("a[x]/b[]/c[", "a[x]/b[]/c[", None),
            ("a[1", "a[1", None),
            ("a[1]0", "a[]0", Some(1)),
            ("ü[[2]]", "ü[[]]", Some(2)),
        ] {
            let mut own = String::new();
            assert_eq!(pattern(path, &mut own), outermost, "{path}");
            assert_eq!(own, expected);
        }
    }

    #[test]
    fn what_is_inside_of_a_path_begins_with_it_and_a_slash() {
        let inside = Wanted::inside("a[2]");
        for (pattern, is) in [
            ("a[]", true),
            ("a[]/b", true),
            ("a[]0", false),
            ("a", false),
            ("ab[]", false),
        ] {
            assert_eq!(inside.is(pattern), is, "{pattern}");
        }
    }
}
