//! A cache of the positions at which the writer appends to runs. It saves a query for each append.

use std::collections::HashMap;

use loopwright_engine::journal::JournalError;
use rusqlite::Connection;

use crate::{
    batches,
    costs::RunLedger,
    error::StoreError,
    record_codes::{self, Form},
    rows::run_key,
    value_cache::Kept,
};

/// The maximum number of runs to remember. In practice, fewer runs are active at once.
const MAX_HEADS: usize = 256;

/// The position at which records are appended to a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    /// The run's key in this file.
    pub(crate) run: i64,
    /// The number of the run's next record.
    pub(crate) next: u64,
    /// The form of the run's records.
    pub(crate) form: Form,
}

/// The heads of runs by run id. They are valid until SQLite reports that another connection has written to the file.
#[derive(Debug, Default)]
pub(crate) struct WriterState {
    known: HashMap<String, Head>,
    /// The costs of runs, by the run's key in the file.
    ledgers: HashMap<i64, RunLedger>,
    /// SQLite's `data_version` of this connection. It changes when another connection has written.
    version: i64,
    /// Values that are already in the file.
    pub(crate) kept: Kept,
}

impl WriterState {
    /// Discards everything if another connection has written. Call this inside a transaction, while no other connection can
    /// write.
    pub(crate) fn look(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let version = connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        if version != self.version {
            self.known.clear();
            self.ledgers.clear();
            self.kept.clear();
            self.version = version;
        }
        Ok(())
    }

    /// Returns the head of a run, which the caller advances after an append.
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

    /// Takes the costs of a run out of the cache, or reads them if they are not cached. Return them with
    /// [`Self::keep_ledger`].
    pub(crate) fn take_ledger(
        &mut self,
        connection: &Connection,
        run: i64,
    ) -> Result<RunLedger, StoreError> {
        match self.ledgers.remove(&run) {
            Some(ledger) => Ok(ledger),
            None => RunLedger::open(connection, run),
        }
    }

    pub(crate) fn keep_ledger(&mut self, run: i64, ledger: RunLedger) {
        if self.ledgers.len() >= MAX_HEADS {
            self.ledgers.clear();
        }
        self.ledgers.insert(run, ledger);
    }

    pub(crate) fn forget_ledgers(&mut self) {
        self.ledgers.clear();
    }

    pub(crate) fn forget(&mut self, run_id: &str) {
        if let Some(head) = self.known.remove(run_id) {
            self.ledgers.remove(&head.run);
        }
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
