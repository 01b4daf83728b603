//! Code that both stores share.

use loopwright_engine::journal::{JournalError, Record};

/// Checks that the records are numbered consecutively from `next`. A run that is rebuilt from a journal with gaps or
/// repeated numbers would be wrong.
///
/// # Errors
/// [`JournalError::Write`], with the expected and the actual number, if the numbers do not continue from `next`.
pub fn check_sequence(run_id: &str, next: u64, records: &[Record]) -> Result<(), JournalError> {
    for (record, expected) in records.iter().zip(next..) {
        if record.seq != expected {
            return Err(JournalError::Write(format!(
                "record {} of run {run_id} was found where record {expected} was expected",
                record.seq
            )));
        }
    }
    Ok(())
}

pub(crate) fn exists_already(run_id: &str) -> JournalError {
    JournalError::Exists(run_id.to_owned())
}

/// Returns the path of an iteration of a scope. `index` counts from 0, and the number in the path counts from 1.
pub(crate) fn iteration_path(scope: &str, index: u32) -> String {
    format!("{scope}[{}]", u64::from(index) + 1)
}
