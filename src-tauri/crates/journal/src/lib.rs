//! Where runs are written: SQLite for people, memory for tests and throw-away runs.
//!
//! Architecture Invariant: a store keeps records and gives them back; it knows no node kind, no plan and no clock. Both
//! stores pass one conformance suite (`tests/suite`), so that neither can drift from the other.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod batches;
mod blobs;
mod check;
mod checkpoint;
mod common;
mod connection;
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
mod sqlite;
mod sums;
mod text_index;
mod value_cache;
mod wal;
mod writer_state;

pub use common::check_sequence;
pub use experiments::{CellRow, ExperimentRow, ExperimentStore};
pub use memory::MemoryJournal;
pub use open::Opened;
pub use sqlite::SqliteJournal;
