//! The run store in PostgreSQL.

mod append;
mod connect;
mod connection_runtimes;
mod encode;
mod failure;
mod find;
mod group_commit;
mod journal;
mod led_runs;
mod read;
mod rows;
mod written;

pub use connect::{Connection, PgStore};

pub(crate) use failure::{Failure, Work, work};
pub(crate) use led_runs::LedRun;
pub(crate) use rows::{NewRow, insert_run, word};
