//! What the writer knows of the runs it writes, so that an append need not ask for it.

use std::collections::HashMap;

use loopwright_engine::journal::JournalError;
use rusqlite::Connection;

use crate::{
    batches,
    error::StoreError,
    record_codes::{self, Form},
    rows::run_key,
    value_cache::Kept,
};

/// Runs that are remembered at once: more than ever run side by side.
const MAX_HEADS: usize = 256;

/// Where a run's records continue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    /// The run's key in this file.
    pub(crate) run: i64,
    /// The number of its next record.
    pub(crate) next: u64,
    /// How its records are written.
    pub(crate) form: Form,
}

/// The heads of runs by run id. Right as long as nobody else writes to the file, which SQLite tells.
#[derive(Debug, Default)]
pub(crate) struct WriterState {
    known: HashMap<String, Head>,
    /// SQLite's `data_version` of this connection: another number after another connection has written.
    version: i64,
    /// Values that are in the file already.
    pub(crate) kept: Kept,
}

impl WriterState {
    /// Forgets everything if somebody else has written. Called inside the transaction, when nobody else can.
    pub(crate) fn look(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let version = connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        if version != self.version {
            self.known.clear();
            self.kept.clear();
            self.version = version;
        }
        Ok(())
    }

    /// The head of a run, to be moved by whoever appends to it.
    pub(crate) fn of(
        &mut self,
        connection: &Connection,
        run_id: &str,
    ) -> Result<&mut Head, JournalError> {
        if !self.known.contains_key(run_id) {
            if self.known.len() >= MAX_HEADS {
                self.known.clear();
            }
            let head = read(connection, run_id)?;
            self.known.insert(run_id.to_owned(), head);
        }
        self.known
            .get_mut(run_id)
            .ok_or_else(|| JournalError::NoRun(run_id.to_owned()))
    }

    pub(crate) fn forget(&mut self, run_id: &str) {
        self.known.remove(run_id);
        self.kept.clear();
    }
}

fn read(connection: &Connection, run_id: &str) -> Result<Head, JournalError> {
    let run = run_key(connection, run_id)?;
    let next = batches::count(connection, run)
        .map_err(|error| StoreError::from(error).into_journal(JournalError::Write))?;
    let form = record_codes::form(connection, run)
        .map_err(|error| StoreError::from(error).into_journal(JournalError::Write))?;
    Ok(Head { run, next, form })
}
