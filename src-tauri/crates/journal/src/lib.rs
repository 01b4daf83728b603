//! The stores of runs: SQLite for runs that are kept, memory for tests and temporary runs.
//!
//! Architecture Invariant: a store saves records and returns them; it has no knowledge of node kinds, plans or the clock. Both
//! stores pass one conformance suite (`tests/suite`), so that they cannot diverge.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod batches;
mod blobs;
mod check;
mod checkpoint;
mod common;
mod connection;
mod costs;
mod directory;
mod entries;
mod error;
mod expected_runs;
mod experiments;
mod find;
mod memory;
mod open;
mod place;
mod private;
mod read;
mod record_codes;
mod record_row;
mod rows;
mod schema;
pub mod search_text;
mod spending;
mod sqlite;
mod sums;
mod text_index;
mod value_cache;
mod wal;
mod writer_state;

#[cfg(test)]
mod tests;

pub use common::check_sequence;
pub use experiments::{CellRow, ExperimentRow, ExperimentStore};
pub use memory::MemoryJournal;
pub use open::Opened;
pub use sqlite::SqliteJournal;
