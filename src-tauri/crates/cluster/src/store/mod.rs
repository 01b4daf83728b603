//! The run store in PostgreSQL.

mod connect;
mod encode;
mod find;
mod journal;
mod read;
mod rows;

pub use connect::{Connection, PgStore};

pub(crate) use connect::{Failure, Held, Work, work};
pub(crate) use rows::{NewRow, insert_run, word};

/// The version of the tables that this program reads and writes.
pub(crate) const VERSION: i64 = 1;

/// Bytes. A larger value is refused, because every reader would have to hold it whole.
pub(crate) const LARGEST: usize = 16 << 20;
