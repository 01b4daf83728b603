//! Checks a store at startup: for damage to its structure, for damaged rows of runs, and for data that the marks
//! ([`crate::expected_runs`]) list but the store lacks.

use std::collections::HashMap;

use loopwright_engine::{RunStatus, event::timestamp, journal::MissingRun};
use rusqlite::Connection;

use crate::{
    batches,
    error::is_damage,
    expected_runs::{self, ExpectedRun, RunIdentity, State},
    rows::{self, RUN, listed, word},
    schema::{self, APPLICATION_ID},
};

/// The maximum number of runs that a notice names.
const NAMED: usize = 5;

/// The result of a check.
#[derive(Debug, Default)]
pub(crate) struct StoreCheck {
    /// A description of the damage to the structure of the file; `None` if the structure is intact. Nothing in a damaged file
    /// is reliable.
    pub(crate) damage: Option<String>,
    /// Whether an index disagrees with its table. This can be repaired.
    pub(crate) index: bool,
    /// Whether the text index is damaged. A damaged index is rebuilt from the runs.
    pub(crate) search: bool,
    pub(crate) version: i64,
    /// The store's id, if its version has one.
    pub(crate) store: Option<String>,
    /// The correct marks for the runs in the store.
    pub(crate) marks: Vec<ExpectedRun>,
    /// The ids of runs with damaged rows.
    pub(crate) damaged: Vec<String>,
    pub(crate) losses: Vec<Loss>,
}

/// Data that was written and is now missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Loss {
    Run(ExpectedRun),
    /// The run lacks this many of its last records.
    Records(ExpectedRun, u64),
    /// The run lacks the record of its end.
    End(ExpectedRun),
}

impl Loss {
    fn mark(&self) -> &ExpectedRun {
        match self {
            Self::Run(mark) | Self::Records(mark, _) | Self::End(mark) => mark,
        }
    }

    pub(crate) fn run(&self) -> Option<MissingRun> {
        match self {
            Self::Run(mark) => Some(MissingRun {
                run_id: mark.known.run.clone(),
                flow: mark.known.flow.clone(),
                started_at: mark.known.at,
                records: u64::from(mark.records),
            }),
            Self::Records(..) | Self::End(_) => None,
        }
    }
}

impl StoreCheck {
    /// Returns a measure of the damage. When a store can be viewed with and without its log, the view with the smaller measure
    /// is less damaged.
    pub(crate) fn badness(&self, marks: &expected_runs::Read) -> (bool, bool, usize) {
        let is_other = matches!((&self.store, &marks.store), (Some(is), Some(was)) if is != was);
        (
            self.damage.is_some(),
            is_other,
            self.damaged.len() + self.losses.len(),
        )
    }

    fn broken(what: impl Into<String>) -> Self {
        Self {
            damage: Some(what.into()),
            ..Self::default()
        }
    }
}

/// Checks a store. If `whole` is true, the check covers every page and index, which takes a fifth of a second for 64 MB.
pub(crate) fn check_store(
    connection: &Connection,
    marks: &expected_runs::Read,
    whole: bool,
) -> rusqlite::Result<StoreCheck> {
    match found(connection, marks, whole) {
        Err(error) if is_damage(&error) => Ok(StoreCheck::broken(error.to_string())),
        done => done,
    }
}

fn found(
    connection: &Connection,
    marks: &expected_runs::Read,
    whole: bool,
) -> rusqlite::Result<StoreCheck> {
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    let application: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    if tables > 0 && application != APPLICATION_ID {
        return Ok(StoreCheck::broken(
            "it is an SQLite file that belongs to another program",
        ));
    }
    let mut look = StoreCheck {
        version: schema::version(connection)?,
        ..StoreCheck::default()
    };
    if look.version > schema::newest_version() {
        return Ok(look);
    }
    structure(connection, whole, &mut look)?;
    if look.damage.is_none() && look.version == schema::newest_version() {
        runs(connection, marks, &mut look)?;
    }
    Ok(look)
}

/// Runs SQLite's own check. A large file is checked completely only after damage was found, but its list of runs is always
/// checked.
fn structure(connection: &Connection, whole: bool, look: &mut StoreCheck) -> rusqlite::Result<()> {
    let sql = match (whole, look.version > 0) {
        (true, _) => "PRAGMA integrity_check(20)",
        (false, true) => "PRAGMA integrity_check(runs)",
        (false, false) => return Ok(()),
    };
    let search = of_search(connection)?;
    match verdicts(connection, sql) {
        Ok(verdicts) => verdicts
            .into_iter()
            .for_each(|verdict| look.judge(&verdict, &search)),
        // An error in the text index may abort the whole check before other tables are checked, so each table is then checked
        // separately.
        Err(error) if whole && (is_damage(&error) || error.to_string().contains("fts5")) => {
            look.search = true;
            for table in own_tables(connection)? {
                let sql = format!("PRAGMA integrity_check('{table}')");
                for verdict in verdicts(connection, &sql)? {
                    look.judge(&verdict, &search);
                }
            }
            if !is_of_search(&error) && look.damage.is_none() && !search_is_damaged(connection) {
                look.damage = Some(error.to_string());
            }
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

impl StoreCheck {
    /// Evaluates SQLite's verdict, which has one line for each problem. `search` contains the root pages of the text index.
    fn judge(&mut self, verdict: &str, search: &[u32]) {
        for line in verdict.lines().filter(|line| !line.starts_with("***")) {
            if line == "ok" || is_of_a_value(line) || is_of_unused_pages(line) {
            } else if names_search(line) || is_of_tree(line, search) {
                self.search = true;
            } else if is_of_an_index(line) {
                self.index = true;
            } else {
                self.damage.get_or_insert_with(|| verdict.to_owned());
            }
        }
    }
}

fn verdicts(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(sql)?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Returns the tables with the stored data.
fn own_tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    verdicts(
        connection,
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'run#_texts%' ESCAPE '#'",
    )
}

/// Returns the root pages of the text index.
fn of_search(connection: &Connection) -> rusqlite::Result<Vec<u32>> {
    let mut statement = connection.prepare(
        "SELECT rootpage FROM sqlite_master WHERE tbl_name LIKE 'run#_texts%' ESCAPE '#' AND rootpage > 0",
    )?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Returns whether SQLite reports a damaged virtual table. The only virtual table is the text index.
fn is_of_search(error: &rusqlite::Error) -> bool {
    matches!(error, rusqlite::Error::SqliteFailure(code, _) if code.extended_code == rusqlite::ffi::SQLITE_CORRUPT_VTAB)
}

/// Returns whether a verdict is about the text index, such as `fts5: corruption found …` or `malformed inverted index for FTS5
/// table main.run_texts`.
fn names_search(verdict: &str) -> bool {
    verdict.starts_with("fts5: ") || verdict.contains("FTS5 table") || verdict.contains("run_texts")
}

/// Returns whether the text index is damaged or cannot be read.
fn search_is_damaged(connection: &Connection) -> bool {
    let sql = "PRAGMA integrity_check(run_texts)";
    verdicts(connection, sql).map_or(true, |found| found.iter().any(|verdict| verdict != "ok"))
}

/// Returns whether a line is about one of the page trees with these roots, such as `Tree 12 page 40: …`.
fn is_of_tree(line: &str, roots: &[u32]) -> bool {
    let root = line
        .strip_prefix("Tree ")
        .and_then(|rest| rest.split(' ').next()?.parse().ok());
    root.is_some_and(|root| roots.contains(&root))
}

/// Returns whether a line is about unused pages, which take space but contain no data.
fn is_of_unused_pages(line: &str) -> bool {
    line.ends_with("never used")
}

/// Returns whether a verdict is about an index, which can be rebuilt from its table.
fn is_of_an_index(verdict: &str) -> bool {
    [
        "missing from index",
        "wrong # of entries in index",
        "values differ from index",
        "non-unique entry in index",
        "rowid not at end-of-record",
    ]
    .iter()
    .any(|words| verdict.contains(words))
}

/// Returns whether a line is about a single value. Such lines are ignored, because the checksums of rows detect more.
fn is_of_a_value(verdict: &str) -> bool {
    verdict.contains(" value in ")
}

/// Checks every run's row, and compares all runs with the marks.
fn runs(
    connection: &Connection,
    marks: &expected_runs::Read,
    look: &mut StoreCheck,
) -> rusqlite::Result<()> {
    look.store = schema::id(connection).ok();
    let running = word(&RunStatus::Running).unwrap_or_default();
    let mut statement =
        connection.prepare(&format!("SELECT {RUN} FROM runs NOT INDEXED ORDER BY id"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let read = rows::RunRow::read(row);
        let (is_sound, id, records, is_running) = match &read {
            Ok(read) => (
                read.is_sound(),
                read.id,
                read.records,
                read.status == running,
            ),
            Err(error) if error.sqlite_error_code().is_some() => {
                return read.map(drop);
            }
            Err(_) => (false, row.get(0)?, 0, true),
        };
        let brief = match read {
            Ok(read) => read.brief(),
            Err(_) => match listed(connection, row) {
                Ok((brief, _)) => brief,
                Err(_) => continue,
            },
        };
        if !is_sound {
            look.damaged.push(brief.run_id.clone());
        }
        look.marks.push(ExpectedRun {
            known: RunIdentity::new(&brief),
            state: if is_running {
                State::Open
            } else {
                State::Suspended
            },
            records: match is_running {
                true => u32::try_from(batches::count(connection, id)?).unwrap_or(u32::MAX),
                false => u32::try_from(records).unwrap_or(0),
            },
        });
    }
    drop(rows);
    look.losses = losses(connection, marks, &look.marks)?;
    Ok(())
}

/// Returns the data that is listed in the marks but missing from the store.
fn losses(
    connection: &Connection,
    marks: &expected_runs::Read,
    there: &[ExpectedRun],
) -> rusqlite::Result<Vec<Loss>> {
    let there: HashMap<&str, &ExpectedRun> = there
        .iter()
        .map(|mark| (mark.known.run.as_str(), mark))
        .collect();
    let mut losses = Vec::new();
    for mark in marks.marks.iter().filter(|mark| mark.state.is_claim()) {
        let Some(found) = there.get(mark.known.run.as_str()) else {
            losses.push(Loss::Run(mark.clone()));
            continue;
        };
        let mut records = found.records;
        if records < mark.records {
            // A run that was suspended and then continued has more records than its row states.
            let sql = "SELECT id FROM runs WHERE run_id = ?1";
            let run = connection
                .prepare_cached(sql)?
                .query_row([&mark.known.run], |row| row.get(0));
            if let Ok(run) = run {
                records = u32::try_from(batches::count(connection, run)?).unwrap_or(u32::MAX);
            }
        }
        if records < mark.records {
            losses.push(Loss::Records(
                mark.clone(),
                u64::from(mark.records - records),
            ));
        } else if mark.state == State::Suspended && found.state == State::Open {
            losses.push(Loss::End(mark.clone()));
        }
    }
    Ok(losses)
}

/// Removes losses that no longer apply. Another program lowers a mark before it deletes the data that the mark claims, so a
/// loss may only have been a deletion in progress.
pub(crate) fn confirm(losses: &mut Vec<Loss>, now: &expected_runs::Read) {
    let now: HashMap<&str, &ExpectedRun> = now
        .marks
        .iter()
        .map(|mark| (mark.known.run.as_str(), mark))
        .collect();
    losses.retain(|loss| {
        let mark = loss.mark();
        now.get(mark.known.run.as_str())
            .is_some_and(|now| now.state == mark.state && now.records >= mark.records)
    });
}

/// Returns the messages for users about losses and damage, each as one line.
pub(crate) fn words(losses: &[Loss], damaged: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    let runs: Vec<&ExpectedRun> = losses
        .iter()
        .filter_map(|loss| match loss {
            Loss::Run(mark) => Some(mark),
            _ => None,
        })
        .collect();
    if !runs.is_empty() {
        let named: Vec<String> = runs
            .iter()
            .rev()
            .take(NAMED)
            .map(|mark| name(mark))
            .collect();
        let more = match runs.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        lines.push(format!(
            "{} missing from the run store, and nobody deleted {}: {}{more}. {} records have been lost, for example because runs.db or \
             runs.db-wal was removed, truncated or replaced, or the power failed. Restore a backup of the data folder, or stop this message with: loopwright runs delete missing",
            if runs.len() == 1 { "1 run is".to_owned() } else { format!("{} runs are", runs.len()) },
            if runs.len() == 1 { "it" } else { "them" },
            named.join("; "),
            if runs.len() == 1 { "Its" } else { "Their" },
        ));
    }
    for loss in losses {
        match loss {
            Loss::Records(mark, lost) => lines.push(format!(
                "The last {lost} of {} records of run {} are missing from the run store: they were written, and then lost. The run can be resumed from the remaining records.",
                mark.records,
                name(mark)
            )),
            Loss::End(mark) => lines.push(format!(
                "The end of run {} is missing from the run store: the run was suspended, but the record of the suspension was lost. The run can be resumed from the remaining records.",
                name(mark)
            )),
            Loss::Run(_) => {}
        }
    }
    for run in damaged {
        lines.push(format!(
            "Run {run} is damaged: its entry in the list of runs does not match its checksum. Other runs are not affected. \
             Delete it, or import it again from an exported file: loopwright runs delete {run}"
        ));
    }
    lines
}

fn name(mark: &ExpectedRun) -> String {
    format!(
        "{} (\"{}\", started {})",
        mark.known.run,
        mark.known.flow,
        timestamp(mark.known.at)
    )
}
