//! The errors of the file, and their conversion to errors of the journal.

use loopwright_engine::journal::JournalError;
use rusqlite::ErrorCode;

/// The maximum nesting depth of stored values. serde_json's default is 128 levels, which a loop that wraps its own result
/// exceeds. Recursive readers still need a limit. Reading this many levels uses a small part of a 2 MiB stack.
pub(crate) const DEEPEST: usize = 512;

/// The reason why stored data could not be read or written.
#[derive(Debug)]
pub(crate) enum StoreError {
    Sqlite(rusqlite::Error),
    Json(serde_json::Error),
    TooDeep,
    /// A marker refers to a blob that is missing, because another program changed the file.
    Missing(String),
    /// The stored data differs from what was written. The string describes the difference.
    Changed(String),
    /// A stored record differs from what was written. The values are its number, its path and the error.
    Record(u64, String, Box<StoreError>),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl StoreError {
    /// Converts the error to an error of the journal. `wrap` creates the error for a failed read or a failed write.
    pub(crate) fn into_journal(self, wrap: fn(String) -> JournalError) -> JournalError {
        match self {
            Self::Sqlite(error) => sqlite_error(error, wrap),
            Self::TooDeep => wrap(format!(
                "a value is nested more than {DEEPEST} levels deep. Pass a value with fewer levels"
            )),
            damage => wrap(damage.damage()),
        }
    }

    /// Converts an error about one run to an error of the journal.
    pub(crate) fn of_run(self, run_id: &str, wrap: fn(String) -> JournalError) -> JournalError {
        match self {
            Self::Sqlite(_) | Self::TooDeep => self.into_journal(wrap),
            damage => JournalError::DamagedRun {
                run_id: run_id.to_owned(),
                what: damage.damage(),
            },
        }
    }

    /// Returns a description of the damage, without a final full stop.
    pub(crate) fn damage(self) -> String {
        match self {
            Self::Sqlite(error) => error.to_string(),
            Self::TooDeep => "a value is nested too deeply".to_owned(),
            Self::Json(error) => format!("a stored value is no longer valid JSON ({error})"),
            Self::Missing(hash) => format!("the stored text {hash} is missing"),
            Self::Changed(what) => what,
            Self::Record(seq, path, why) => {
                let place = match path.as_str() {
                    "" => "of the run itself".to_owned(),
                    path => format!("of `{path}`"),
                };
                format!("record {seq} {place} cannot be read: {}", why.damage())
            }
        }
    }
}

pub(crate) fn sqlite_error(
    error: rusqlite::Error,
    wrap: fn(String) -> JournalError,
) -> JournalError {
    match error.sqlite_error_code() {
        _ if is_damage(&error) => JournalError::Damaged(error.to_string()),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            JournalError::Busy(error.to_string())
        }
        Some(ErrorCode::DiskFull) => JournalError::Full,
        Some(ErrorCode::ReadOnly) => JournalError::ReadOnly(error.to_string()),
        Some(ErrorCode::SystemIoFailure) if is_of_writing(&error) => wrap(format!(
            "{error}: a file could not be written. The disk may be faulty, or a limit on file sizes (`ulimit -f`) may have been reached"
        )),
        _ => wrap(error.to_string()),
    }
}

/// Returns whether the error means that the system refused to extend a file.
fn is_of_writing(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_WRITE};
    matches!(error, rusqlite::Error::SqliteFailure(code, _)
        if [SQLITE_IOERR_WRITE, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_SHMSIZE].contains(&code.extended_code))
}

/// Returns whether an error means that the file is damaged. This includes a statement that SQLite cannot parse: the statements
/// of this program are valid, so the description of a table must be damaged.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(
        error.sqlite_error_code(),
        Some(NotADatabase | DatabaseCorrupt)
    ) || matches!(error, rusqlite::Error::SqlInputError { .. })
}

/// Converts an error that occurred while a row was read, because SQLite failed to read the file or a value has a different type
/// than when it was written.
pub(crate) fn row_error(error: rusqlite::Error) -> StoreError {
    match error {
        error if error.sqlite_error_code().is_some() => error.into(),
        error => StoreError::Changed(format!("a row is damaged ({error})")),
    }
}
