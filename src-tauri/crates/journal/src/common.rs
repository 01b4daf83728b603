//! Code that both stores share.

use loopwright_engine::journal::{JournalError, Record};

/// Refuses records whose numbers would leave a gap or occur twice. A run that is rebuilt from such a journal would be wrong.
///
/// # Errors
/// [`JournalError::Write`], with the expected and the actual number, if the numbers do not continue from `next`.
pub fn check_sequence(run_id: &str, next: u64, records: &[Record]) -> Result<(), JournalError> {
    for (record, expected) in records.iter().zip(next..) {
        if record.seq != expected {
            return Err(JournalError::Write(format!(
                "record {} of run {run_id} is in the place of record {expected}",
                record.seq
            )));
        }
    }
    Ok(())
}

pub(crate) fn exists_already(run_id: &str) -> JournalError {
    JournalError::Exists(run_id.to_owned())
}

/// Returns the path of a scope's iteration; `index` counts from 0, paths from 1.
pub(crate) fn iteration_path(scope: &str, index: u32) -> String {
    format!("{scope}[{}]", u64::from(index) + 1)
}
