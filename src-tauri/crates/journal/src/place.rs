//! The place of a record in the file: the key of its run and its number within the run, combined in one integer.

use loopwright_engine::journal::JournalError;

use crate::error::StoreError;

/// Returns the number of the record within its run.
pub(crate) fn seq(place: i64) -> u64 {
    (place & 0xffff_ffff).unsigned_abs()
}

/// Returns the error for a row whose heads are damaged.
pub(crate) fn changed(place: i64) -> StoreError {
    StoreError::Changed(format!(
        "the records from number {} on do not match their checksum",
        seq(place)
    ))
}

/// Returns the place of a record. Places sort by run, and then by the record's number.
pub(crate) fn place(run: i64, seq: u64) -> Result<i64, JournalError> {
    let (run, seq) = u32::try_from(seq)
        .ok()
        .filter(|_| run >> 31 == 0)
        .map(|seq| (run, i64::from(seq)))
        .ok_or_else(|| {
            JournalError::Write(format!(
                "run {run} has more records than can be stored: record {seq} was refused"
            ))
        })?;
    Ok((run << 32) | seq)
}
