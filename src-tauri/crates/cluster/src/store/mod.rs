//! The run store in PostgreSQL.

mod append;
mod connect;
mod encode;
mod find;
mod journal;
mod links;
mod read;
mod rows;
mod together;

pub use connect::{Connection, PgStore};

pub(crate) use connect::{Failure, Held, Work, work};
pub(crate) use rows::{NewRow, insert_run, word};

/// Programs that know a lower version of the tables cannot use them.
pub(crate) const VERSION: i64 = 1;

/// What this program needs of the tables, see `upgrade.sql`.
pub(crate) const LEVEL: i64 = 3;

/// Bytes. A larger value is refused, because every reader would have to hold it whole.
pub(crate) const LARGEST: usize = 16 << 20;
