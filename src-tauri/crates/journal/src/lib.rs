//! Where runs are written: SQLite for people, memory for tests and throw-away runs.
//!
//! Architecture Invariant: a store keeps records and gives them back; it knows no node kind, no plan and no clock. Both
//! stores pass one conformance suite (`tests/suite`), so that neither can drift from the other.

mod blobs;
mod carry;
mod check;
mod entries;
mod experiments;
mod find;
mod heads;
mod kinds;
mod marks;
mod memory;
mod open;
mod private;
mod read;
mod rows;
mod schema;
pub mod search_text;
mod shared;
mod sqlite;
mod sums;
mod texts;
mod wal;

pub use experiments::{CellRow, ExperimentRow, ExperimentStore};
pub use memory::MemoryJournal;
pub use open::Opened;
pub use sqlite::SqliteJournal;

use loopwright_engine::journal::{JournalError, Record};

/// Refuses records that would leave a gap or write a number twice: a run rebuilt from such a journal would be another run.
///
/// # Errors
/// [`JournalError::Write`], with both numbers.
pub fn check_sequence(run_id: &str, next: u64, records: &[Record]) -> Result<(), JournalError> {
    for (record, expected) in records.iter().zip(next..) {
        if record.seq != expected {
            return Err(JournalError::Write(format!(
                "record {} of run {run_id} came where record {expected} belongs",
                record.seq
            )));
        }
    }
    Ok(())
}

fn exists_already(run_id: &str) -> JournalError {
    JournalError::Exists(run_id.to_owned())
}

/// The path of a scope's iteration; `index` counts from 0, paths from 1.
fn iteration_path(scope: &str, index: u32) -> String {
    format!("{scope}[{}]", u64::from(index) + 1)
}
