//! A record with its keys, and the data that its checksum covers.

use rusqlite::{Row, Statement, params};

use crate::{
    place,
    rows::{optional, text},
    sums::sum,
};

/// SQL that inserts a record as a separate row of the table that a migration fills with records of older versions.
pub(crate) const INSERT_CHECKED: &str =
    "INSERT INTO checked (place, run, at, path, node_id, type, sum, payload)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

/// A stored record.
pub(crate) struct RecordRow<'r> {
    pub(crate) place: i64,
    pub(crate) run: i64,
    pub(crate) at: i64,
    pub(crate) path: &'r str,
    pub(crate) node_id: Option<&'r str>,
    pub(crate) kind: &'r str,
    pub(crate) payload: &'r str,
}

impl<'r> RecordRow<'r> {
    /// Reads the columns `place, run, at, path, node_id, type, payload` of a record in a separate row.
    pub(crate) fn read(row: &'r Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            place: row.get(0)?,
            run: row.get(1)?,
            at: row.get(2)?,
            path: text(row, 3)?,
            node_id: optional(row, 4)?,
            kind: text(row, 5)?,
            payload: text(row, 6)?,
        })
    }

    /// Returns the record's number in its run.
    pub(crate) fn seq(&self) -> u64 {
        place::seq(self.place)
    }

    pub(crate) fn insert(&self, into: &mut Statement<'_>) -> rusqlite::Result<usize> {
        into.execute(params![
            self.place,
            self.run,
            self.at,
            self.path,
            self.node_id,
            self.kind,
            self.sum(),
            self.payload
        ])
    }

    pub(crate) fn sum(&self) -> i64 {
        sum(
            "records",
            &[
                self.place.into(),
                self.run.into(),
                self.at.into(),
                self.path.into(),
                self.node_id.into(),
                self.kind.into(),
                self.payload.into(),
            ],
        )
    }
}
