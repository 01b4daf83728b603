//! Work on a connection, and the reasons for its failure.

use std::{error::Error as _, future::Future, pin::Pin};

use deadpool_postgres::PoolError;
use loopwright_engine::journal::JournalError;
use tokio_postgres::error::SqlState;

/// Work on one connection. If it fails, it may be repeated on another connection.
pub(crate) type Work<'c, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'c>>;

/// Boxes a future, because a closure cannot return an unboxed one.
pub(crate) fn work<'c, T>(
    future: impl Future<Output = Result<T, Failure>> + Send + 'c,
) -> Work<'c, T> {
    Box::pin(future)
}

/// The reason why work on a connection failed.
#[derive(Debug)]
pub(crate) enum Failure {
    Postgres(tokio_postgres::Error),
    Journal(JournalError),
    /// The store did not answer in time.
    Silent,
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Postgres(error)
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

impl Failure {
    /// Returns whether the same work may succeed on another connection or later. Returns `false` if it would fail again.
    pub(super) fn is_of_connection(&self) -> bool {
        match self {
            Self::Silent => true,
            Self::Journal(_) => false,
            Self::Postgres(error) => match error.code() {
                None => of_network(error),
                Some(code) => {
                    let class = code.code().get(..2).unwrap_or_default();
                    // The server is shutting down or starting up, has no free connection, or is a read-only standby.
                    matches!(class, "08" | "53" | "57")
                        || *code == SqlState::READ_ONLY_SQL_TRANSACTION
                        || *code == SqlState::T_R_SERIALIZATION_FAILURE
                        || *code == SqlState::T_R_DEADLOCK_DETECTED
                }
            },
        }
    }

    /// Returns whether the server rejected a row because it is a duplicate.
    pub(crate) fn is_double(&self) -> bool {
        matches!(self, Self::Postgres(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION))
    }

    pub(super) fn into_journal(self) -> JournalError {
        match self {
            Self::Journal(error) => error,
            Self::Silent => JournalError::Unreachable("it does not answer".to_owned()),
            Self::Postgres(error) => match error.as_db_error() {
                None if of_network(&error) => JournalError::Unreachable(words(&error)),
                None => JournalError::Write(words(&error)),
                Some(said) if *said.code() == SqlState::DISK_FULL => JournalError::Full,
                Some(said) if *said.code() == SqlState::UNDEFINED_TABLE => JournalError::Read(
                    "it has no Loopwright tables. Create them with `loopwright store init URL`"
                        .to_owned(),
                ),
                Some(said) => JournalError::Write(format!("PostgreSQL says: {}", said.message())),
            },
        }
    }
}

/// Returns whether an error without a server code is a network error.
fn of_network(error: &tokio_postgres::Error) -> bool {
    error.is_closed() || error.source().is_some_and(|why| why.is::<std::io::Error>())
}

/// Formats an error with its causes, because tokio-postgres's own message names only the step that failed.
pub(super) fn words(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        words = format!("{words}: {error}");
        next = error.source();
    }
    words
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) => Self::Postgres(error),
            _ => Self::Silent,
        }
    }
}
