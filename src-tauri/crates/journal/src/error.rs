//! What goes wrong with the file, and how the journal says it.

use loopwright_engine::journal::JournalError;
use rusqlite::ErrorCode;

/// Levels of nesting that are kept. serde_json reads 128 unless told otherwise, and a loop that wraps its own result goes
/// deeper; the readers' recursion still needs a bound, and this one takes a small part of a 2 MiB stack.
pub(crate) const DEEPEST: usize = 512;

/// Why something stored could not be read or written.
#[derive(Debug)]
pub(crate) enum StoreError {
    Sqlite(rusqlite::Error),
    Json(serde_json::Error),
    TooDeep,
    /// A marker without its blob: the file was changed by something else.
    Missing(String),
    /// What is stored is not what was written, in words.
    Changed(String),
    /// As `Changed`, of a record: its number and path.
    Record(u64, String, Box<StoreError>),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl StoreError {
    /// As the journal says it; `wrap` tells reading from writing.
    pub(crate) fn into_journal(self, wrap: fn(String) -> JournalError) -> JournalError {
        match self {
            Self::Sqlite(error) => sqlite_error(error, wrap),
            Self::TooDeep => wrap(format!(
                "a value is nested more than {DEEPEST} levels deep; make the flow carry something flatter"
            )),
            damage => wrap(damage.damage()),
        }
    }

    /// As the journal says it of one run.
    pub(crate) fn of_run(self, run_id: &str, wrap: fn(String) -> JournalError) -> JournalError {
        match self {
            Self::Sqlite(_) | Self::TooDeep => self.into_journal(wrap),
            damage => JournalError::DamagedRun {
                run_id: run_id.to_owned(),
                what: damage.damage(),
            },
        }
    }

    /// What is damaged, in words.
    pub(crate) fn damage(self) -> String {
        match self {
            Self::Sqlite(error) => error.to_string(),
            Self::TooDeep => "a value is nested too deep".to_owned(),
            Self::Json(error) => format!("a stored value is no JSON any more ({error})"),
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
            "{error}: a file could not be written. The disk may be faulty, or a limit of the size of files (`ulimit -f`) is reached"
        )),
        _ => wrap(error.to_string()),
    }
}

/// Whether the system refused to make a file longer.
fn is_of_writing(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_WRITE};
    matches!(error, rusqlite::Error::SqliteFailure(code, _)
        if [SQLITE_IOERR_WRITE, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_SHMSIZE].contains(&code.extended_code))
}

/// Whether an error says that the file is not what was written. No statement of this program is one that SQLite cannot read,
/// unless the description of a table is damaged.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(
        error.sqlite_error_code(),
        Some(NotADatabase | DatabaseCorrupt)
    ) || matches!(error, rusqlite::Error::SqlInputError { .. })
}

/// An error of reading a row: of the file, or of a value that is of another kind than it was written with.
pub(crate) fn row_error(error: rusqlite::Error) -> StoreError {
    match error {
        error if error.sqlite_error_code().is_some() => error.into(),
        error => StoreError::Changed(format!("a row is not what was written ({error})")),
    }
}
