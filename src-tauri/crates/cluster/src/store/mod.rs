//! The run store in PostgreSQL.

mod append;
mod connect;
mod encode;
mod failure;
mod find;
mod held;
mod journal;
mod links;
mod read;
mod rows;
mod together;
mod written;

pub use connect::{Connection, PgStore};

pub(crate) use failure::{Failure, Work, work};
pub(crate) use held::Held;
pub(crate) use rows::{NewRow, insert_run, word};
