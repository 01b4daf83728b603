//! Code that both stores share.

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

pub(crate) fn exists_already(run_id: &str) -> JournalError {
    JournalError::Exists(run_id.to_owned())
}

/// The path of a scope's iteration; `index` counts from 0, paths from 1.
pub(crate) fn iteration_path(scope: &str, index: u32) -> String {
    format!("{scope}[{}]", u64::from(index) + 1)
}
