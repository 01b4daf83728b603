//! Experiments: the results of evaluations, stored next to the runs that belong to them. The store does not interpret their
//! contents, which are JSON.

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use loopwright_engine::journal::JournalError;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row, TransactionBehavior, params};

use crate::{connection::BUSY, error::sqlite_error, sums};

/// The experiments of a run store, on a separate connection.
#[derive(Debug)]
pub struct ExperimentStore(Mutex<Connection>);

/// An experiment as a row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExperimentRow {
    pub id: String,
    /// The name of the evaluation that was run.
    pub name: String,
    /// The path of the evaluation file, if there is one.
    pub path: Option<String>,
    /// The time of the start, in milliseconds since the Unix epoch, UTC.
    pub started_at: i64,
    /// The state of the experiment as JSON. It changes while the experiment runs.
    pub state: String,
}

/// The result of one cell: one run of a case with a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellRow {
    pub number: u64,
    /// The result as JSON, without its large parts.
    pub summary: String,
    /// The large parts of the result as JSON, or an empty string.
    pub detail: String,
}

impl ExperimentStore {
    /// Opens the experiments of the run store at `path`. The store must have been opened for writing before.
    ///
    /// # Errors
    /// [`JournalError::Read`] if there is no store.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(reading)?;
        connection.busy_timeout(BUSY * 2).map_err(reading)?;
        connection
            .execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF;")
            .map_err(reading)?;
        Ok(Self(Mutex::new(connection)))
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an experiment with its cases, each as JSON text, in one transaction.
    ///
    /// # Errors
    /// [`JournalError::Exists`] if the id is taken; another error if the disk cannot be written.
    pub fn create(
        &self,
        row: &ExperimentRow,
        content: &str,
        cases: &[String],
    ) -> Result<(), JournalError> {
        let mut connection = self.connection();
        let change = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(writing)?;
        let sum = sums::sum("experiments", &[row.id.as_str().into(), content.into()]);
        change
            .execute(
                "INSERT INTO experiments (experiment_id, name, path, started_at, state, content, sum)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![row.id, row.name, row.path, row.started_at, row.state, content, sum],
            )
            .map_err(writing)?;
        let key = change.last_insert_rowid();
        {
            let mut add = change
                .prepare("INSERT INTO experiment_cases (experiment, number, content, sum) VALUES (?1, ?2, ?3, ?4)")
                .map_err(writing)?;
            for (number, case) in (0_i64..).zip(cases) {
                let sum = sums::sum("cases", &[key.into(), number.into(), case.into()]);
                add.execute(params![key, number, case, sum])
                    .map_err(writing)?;
            }
        }
        change.commit().map_err(writing)
    }

    /// Sets the state of an experiment, as JSON text. Does nothing if the id is unknown.
    ///
    /// # Errors
    /// Returns an error if the disk cannot be written.
    pub fn set_state(&self, id: &str, state: &str) -> Result<(), JournalError> {
        self.connection()
            .execute(
                "UPDATE experiments SET state = ?2 WHERE experiment_id = ?1",
                params![id, state],
            )
            .map_err(writing)?;
        Ok(())
    }

    /// Lists experiments, newest first: those of the evaluation file at `path`, or all if there is no `path`.
    ///
    /// # Errors
    /// Returns an error if the disk cannot be read.
    pub fn list(
        &self,
        path: Option<&str>,
        limit: usize,
    ) -> Result<Vec<ExperimentRow>, JournalError> {
        let connection = self.connection();
        let mut find = connection
            .prepare(
                "SELECT experiment_id, name, path, started_at, state FROM experiments
                 WHERE ?1 IS NULL OR path = ?1 ORDER BY started_at DESC, id DESC LIMIT ?2",
            )
            .map_err(reading)?;
        let rows = find
            .query_map(
                params![path, i64::try_from(limit).unwrap_or(i64::MAX)],
                listed,
            )
            .and_then(Iterator::collect)
            .map_err(reading)?;
        Ok(rows)
    }

    /// Returns an experiment and its immutable content as JSON.
    ///
    /// # Errors
    /// [`JournalError::Read`] if the id is unknown, [`JournalError::Damaged`] if the stored data was changed.
    pub fn get(&self, id: &str) -> Result<(ExperimentRow, String), JournalError> {
        let found = self
            .connection()
            .query_row(
                "SELECT experiment_id, name, path, started_at, state, content, sum FROM experiments WHERE experiment_id = ?1",
                [id],
                |row| Ok((listed(row)?, row.get::<_, String>(5)?, row.get::<_, i64>(6)?)),
            )
            .optional()
            .map_err(reading)?;
        let Some((row, content, sum)) = found else {
            return Err(JournalError::Read(format!("there is no experiment {id}")));
        };
        if sum
            != sums::sum(
                "experiments",
                &[row.id.as_str().into(), content.as_str().into()],
            )
        {
            return Err(damaged(id, "its content does not match its checksum"));
        }
        Ok((row, content))
    }

    /// Returns a page of the experiment's cases, in order, each as JSON text.
    ///
    /// # Errors
    /// Returns the errors of [`Self::get`].
    pub fn cases(
        &self,
        id: &str,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<String>, JournalError> {
        let connection = self.connection();
        let key = key(&connection, id)?;
        let mut find = connection
            .prepare_cached(
                "SELECT number, content, sum FROM experiment_cases
                 WHERE experiment = ?1 AND number >= ?2 ORDER BY number LIMIT ?3",
            )
            .map_err(reading)?;
        let from = i64::try_from(offset).unwrap_or(i64::MAX);
        let count = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut rows = find.query(params![key, from, count]).map_err(reading)?;
        let mut cases = Vec::new();
        while let Some(row) = rows.next().map_err(reading)? {
            let (number, content): (i64, String) =
                (row.get(0).map_err(reading)?, row.get(1).map_err(reading)?);
            let sum: i64 = row.get(2).map_err(reading)?;
            if sum
                != sums::sum(
                    "cases",
                    &[key.into(), number.into(), content.as_str().into()],
                )
            {
                return Err(damaged(
                    id,
                    &format!("case {} does not match its checksum", number + 1),
                ));
            }
            cases.push(content);
        }
        Ok(cases)
    }

    /// Writes a cell, and replaces an earlier version of it.
    ///
    /// # Errors
    /// [`JournalError::Read`] if the id is unknown; another error if the disk cannot be written.
    pub fn put_cell(&self, id: &str, cell: &CellRow) -> Result<(), JournalError> {
        let connection = self.connection();
        let key = key(&connection, id)?;
        let number = i64::try_from(cell.number).unwrap_or(i64::MAX);
        let sum = cell_sum(key, number, &cell.summary, &cell.detail);
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO experiment_cells (experiment, number, summary, detail, sum) VALUES (?1, ?2, ?3, ?4, ?5)",
            )
            .and_then(|mut put| put.execute(params![key, number, cell.summary, cell.detail, sum]))
            .map_err(writing)?;
        Ok(())
    }

    /// Returns at most `count` cells from number `first` on, in order. Cells without a result are omitted. `detail` is empty
    /// unless it is requested.
    ///
    /// # Errors
    /// Returns the errors of [`Self::get`].
    pub fn cells(
        &self,
        id: &str,
        first: u64,
        count: u64,
        with_detail: bool,
    ) -> Result<Vec<CellRow>, JournalError> {
        let connection = self.connection();
        let key = key(&connection, id)?;
        let mut find = connection
            .prepare_cached(
                "SELECT number, summary, detail, sum FROM experiment_cells
                 WHERE experiment = ?1 AND number >= ?2 AND number < ?3 ORDER BY number",
            )
            .map_err(reading)?;
        let from = i64::try_from(first).unwrap_or(i64::MAX);
        let to = i64::try_from(first.saturating_add(count)).unwrap_or(i64::MAX);
        let mut rows = find.query(params![key, from, to]).map_err(reading)?;
        let mut cells = Vec::new();
        while let Some(row) = rows.next().map_err(reading)? {
            let number: i64 = row.get(0).map_err(reading)?;
            let summary: String = row.get(1).map_err(reading)?;
            let detail: String = row.get(2).map_err(reading)?;
            let sum: i64 = row.get(3).map_err(reading)?;
            if sum != cell_sum(key, number, &summary, &detail) {
                return Err(damaged(
                    id,
                    &format!("result {} does not match its checksum", number + 1),
                ));
            }
            cells.push(CellRow {
                number: u64::try_from(number).unwrap_or_default(),
                summary,
                detail: if with_detail { detail } else { String::new() },
            });
        }
        Ok(cells)
    }

    /// Stores a note under `name`, such as a judge's answer about a piece of text. A later note replaces an earlier one with
    /// the same name.
    ///
    /// # Errors
    /// [`JournalError::Read`] if the id is unknown; another error if the disk cannot be written.
    pub fn put_note(&self, id: &str, name: &str, content: &str) -> Result<(), JournalError> {
        let connection = self.connection();
        let key = key(&connection, id)?;
        let sum = sums::sum("notes", &[key.into(), name.into(), content.into()]);
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO experiment_notes (experiment, name, content, sum) VALUES (?1, ?2, ?3, ?4)",
            )
            .and_then(|mut put| put.execute(params![key, name, content, sum]))
            .map_err(writing)?;
        Ok(())
    }

    /// Returns the note with this name, or `None` if no note has this name.
    ///
    /// # Errors
    /// Returns the errors of [`Self::get`].
    pub fn note(&self, id: &str, name: &str) -> Result<Option<String>, JournalError> {
        Ok(self
            .notes(id, name, true)?
            .pop()
            .map(|(_, content)| content))
    }

    /// Returns the notes whose names begin with `prefix`, in order of name.
    ///
    /// # Errors
    /// Returns the errors of [`Self::get`].
    pub fn notes_of(&self, id: &str, prefix: &str) -> Result<Vec<(String, String)>, JournalError> {
        self.notes(id, prefix, false)
    }

    fn notes(
        &self,
        id: &str,
        name: &str,
        exactly: bool,
    ) -> Result<Vec<(String, String)>, JournalError> {
        let connection = self.connection();
        let key = key(&connection, id)?;
        let sql = match exactly {
            true => "SELECT name, content, sum FROM experiment_notes WHERE experiment = ?1 AND name = ?2",
            false => {
                "SELECT name, content, sum FROM experiment_notes
                 WHERE experiment = ?1 AND name >= ?2 AND substr(name, 1, length(?2)) = ?2 ORDER BY name"
            }
        };
        let mut find = connection.prepare_cached(sql).map_err(reading)?;
        let mut rows = find.query(params![key, name]).map_err(reading)?;
        let mut notes = Vec::new();
        while let Some(row) = rows.next().map_err(reading)? {
            let found: String = row.get(0).map_err(reading)?;
            let content: String = row.get(1).map_err(reading)?;
            let sum: i64 = row.get(2).map_err(reading)?;
            if sum
                != sums::sum(
                    "notes",
                    &[key.into(), found.as_str().into(), content.as_str().into()],
                )
            {
                return Err(damaged(
                    id,
                    &format!("the note {found} does not match its checksum"),
                ));
            }
            notes.push((found, content));
        }
        Ok(notes)
    }

    /// Removes an experiment. Its runs remain in the store.
    ///
    /// # Errors
    /// [`JournalError::Read`] if the id is unknown; another error if the disk cannot be written.
    pub fn delete(&self, id: &str) -> Result<(), JournalError> {
        let mut connection = self.connection();
        let key = key(&connection, id)?;
        let change = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(writing)?;
        for table in ["experiment_cases", "experiment_cells", "experiment_notes"] {
            change
                .execute(&format!("DELETE FROM {table} WHERE experiment = ?1"), [key])
                .map_err(writing)?;
        }
        change
            .execute("DELETE FROM experiments WHERE id = ?1", [key])
            .map_err(writing)?;
        change.commit().map_err(writing)
    }
}

fn listed(row: &Row<'_>) -> rusqlite::Result<ExperimentRow> {
    Ok(ExperimentRow {
        id: row.get(0)?,
        name: row.get(1)?,
        path: row.get(2)?,
        started_at: row.get(3)?,
        state: row.get(4)?,
    })
}

fn cell_sum(key: i64, number: i64, summary: &str, detail: &str) -> i64 {
    sums::sum(
        "cells",
        &[key.into(), number.into(), summary.into(), detail.into()],
    )
}

fn key(connection: &Connection, id: &str) -> Result<i64, JournalError> {
    connection
        .prepare_cached("SELECT id FROM experiments WHERE experiment_id = ?1")
        .and_then(|mut find| find.query_row([id], |row| row.get(0)).optional())
        .map_err(reading)?
        .ok_or_else(|| JournalError::Read(format!("there is no experiment {id}")))
}

fn damaged(id: &str, what: &str) -> JournalError {
    JournalError::DamagedRun {
        run_id: id.to_owned(),
        what: what.to_owned(),
    }
}

fn reading(error: rusqlite::Error) -> JournalError {
    sqlite_error(error, JournalError::Read)
}

fn writing(error: rusqlite::Error) -> JournalError {
    sqlite_error(error, JournalError::Write)
}
