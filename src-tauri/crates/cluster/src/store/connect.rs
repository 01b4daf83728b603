//! Connections to the store, and retries after a connection breaks.

use std::{
    collections::HashMap,
    future::Future,
    str::FromStr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use loopwright_engine::journal::JournalError;
use tokio_postgres::{Config, error::SqlState};
use uuid::Uuid;

use super::{
    connection_runtimes::{ConnectionRuntimes, apart},
    failure::{Failure, Work, words, work},
    group_commit::GroupCommit,
    led_runs::LedRun,
};

const SCHEMA: &str = include_str!("schema.sql");
const UPGRADE: &str = include_str!("upgrade.sql");

/// The version of the tables. A program that knows only lower versions cannot use the tables.
const VERSION: i64 = 1;

/// The level of the tables that this program needs; see `upgrade.sql`. A program can use tables of a higher level.
const LEVEL: i64 = 3;

/// The timeout of a statement, because a half-open connection never answers.
const STATEMENT: Duration = Duration::from_secs(20);

/// The delay between two attempts to reach the store.
const AGAIN: Duration = Duration::from_millis(100);

/// The address of a store and the settings of its connections.
#[derive(Debug, Clone)]
pub struct Connection {
    /// The address of the store: `postgres://user:password@host:port/database`.
    pub url: String,
    /// How long a call is repeated while the store does not answer.
    pub patience: Duration,
    /// The maximum number of connections.
    pub connections: usize,
}

impl Connection {
    /// Returns settings without retries, for a program in which a person waits for the answer.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            patience: Duration::ZERO,
            connections: 4,
        }
    }
}

/// The run store in PostgreSQL. Its calls block.
pub struct PgStore {
    /// The runtime that executes the calls to the queue. `None` once the store is closed.
    runtime: Option<tokio::runtime::Runtime>,
    runtimes: ConnectionRuntimes,
    pub(super) group_commit: GroupCommit,
    patience: Duration,
    /// The id of this program, which distinguishes it from the other programs that share the store.
    pub(crate) id: Uuid,
    led_runs: Mutex<HashMap<String, LedRun>>,
    /// The time since which the store has answered every call; `None` after a failure.
    answering: Mutex<Option<Instant>>,
}

impl std::fmt::Debug for PgStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PgStore")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl PgStore {
    /// Opens a store that was set up before.
    ///
    /// # Errors
    /// [`JournalError::Unreachable`] if nothing answers at the address, [`JournalError::Read`] if the address is invalid or the
    /// tables are missing or of an older version, [`JournalError::TooNew`] if a newer program created the tables.
    pub fn open(connection: &Connection) -> Result<Self, JournalError> {
        let store = Self::connected(connection)?;
        store.check_version()?;
        Ok(store)
    }

    /// Creates the tables, or upgrades older ones. Workers may use the store during the upgrade.
    ///
    /// # Errors
    /// Returns the errors of [`Self::open`], and [`JournalError::Write`] if the user may not create tables.
    pub fn init(connection: &Connection) -> Result<Self, JournalError> {
        let store = Self::connected(connection)?;
        store.wait(|client| {
            work(async move {
                let change = client.transaction().await?;
                // Two programs may run this at the same time. The lock makes one of them wait for the other.
                change
                    .execute("SELECT pg_advisory_xact_lock(7170921541)", &[])
                    .await?;
                let there = change
                    .query_one("SELECT to_regclass('loopwright.about') IS NOT NULL", &[])
                    .await?;
                if !there.get::<_, bool>(0) {
                    change
                        .batch_execute("CREATE SCHEMA IF NOT EXISTS loopwright")
                        .await?;
                    change.batch_execute(SCHEMA).await?;
                }
                change.batch_execute(UPGRADE).await?;
                change.commit().await?;
                Ok(())
            })
        })?;
        // The text search also works without the index, which not every server supports, but is slower.
        let indexed = store.wait(|client| {
            work(async move {
                client
                    .batch_execute(
                        "CREATE EXTENSION IF NOT EXISTS pg_trgm;
                         CREATE INDEX IF NOT EXISTS runs_begin_text ON loopwright.runs USING gin (begin_text gin_trgm_ops);
                         CREATE INDEX IF NOT EXISTS runs_end_text ON loopwright.runs USING gin (end_text gin_trgm_ops);",
                    )
                    .await?;
                Ok(())
            })
        });
        if let Err(error) = indexed {
            tracing::warn!(
                "The search index cannot be created, so searches for runs take longer: {error}"
            );
        }
        store.check_version()?;
        Ok(store)
    }

    fn connected(connection: &Connection) -> Result<Self, JournalError> {
        let wrong = |why: &dyn std::error::Error| {
            JournalError::Read(format!(
                "its address is invalid ({}). Write postgres://USER:PASSWORD@HOST:PORT/DATABASE",
                words(why)
            ))
        };
        let mut config = Config::from_str(&connection.url).map_err(|error| wrong(&error))?;
        config
            .connect_timeout(Duration::from_secs(5))
            .keepalives_idle(Duration::from_secs(10))
            .keepalives_interval(Duration::from_secs(5))
            .tcp_user_timeout(STATEMENT)
            .application_name("loopwright");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("store")
            .enable_all()
            .build()
            .map_err(|error| JournalError::Read(error.to_string()))?;
        let store = Self {
            runtime: Some(runtime),
            runtimes: ConnectionRuntimes::new(config, connection.connections)?,
            group_commit: GroupCommit::default(),
            patience: connection.patience,
            id: Uuid::now_v7(),
            led_runs: Mutex::default(),
            answering: Mutex::default(),
        };
        store.wait(|client| {
            work(async move {
                client.execute("SELECT 1", &[]).await?;
                Ok(())
            })
        })?;
        Ok(store)
    }

    fn check_version(&self) -> Result<(), JournalError> {
        let (found, level) = self.wait(|client| {
            work(async move {
                let row = client
                    .query_one(
                        "SELECT version, coalesce((to_jsonb(a) ->> 'level')::bigint, 1) FROM loopwright.about a",
                        &[],
                    )
                    .await?;
                Ok((row.get::<_, i64>(0), row.get::<_, i64>(1)))
            })
        })?;
        if found > VERSION {
            return Err(JournalError::TooNew {
                found,
                known: VERSION,
            });
        }
        if level < LEVEL {
            return Err(JournalError::Read(
                "its tables have an older version. Run `loopwright store upgrade URL`. Workers can continue in the meantime"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// Returns the runs that this program leads.
    pub(crate) fn led_runs(&self) -> MutexGuard<'_, HashMap<String, LedRun>> {
        self.led_runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how long the store has been answering this program without a failure.
    pub(crate) fn answering_for(&self) -> Duration {
        let since = *self
            .answering
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Returns how far the store's clock is ahead of this computer's, in milliseconds. The value is accurate to about half a
    /// round trip.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
    pub fn ahead_ms(&self) -> Result<i64, JournalError> {
        let before = loopwright_runs::now();
        let theirs: i64 = self.wait(|client| {
            work(async move {
                let row = client
                    .query_one(
                        "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
                        &[],
                    )
                    .await?;
                Ok(row.get(0))
            })
        })?;
        let after = loopwright_runs::now();
        Ok(theirs - (before + (after - before) / 2))
    }

    fn mark(&self, since: Option<Instant>) {
        let mut answering = self
            .answering
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *answering = since.and(answering.or(since));
    }

    /// Runs `act` on a connection and waits for its result. While the store does not answer, `act` is repeated for at most
    /// [`Connection::patience`], so `act` must be safe to repeat. Fails if the store has not answered by then, or with the
    /// error of `act`.
    pub(crate) fn wait<T: Send>(
        &self,
        act: impl for<'c> Fn(&'c mut deadpool_postgres::Client) -> Work<'c, T> + Send,
    ) -> Result<T, JournalError> {
        apart(move || {
            let began = Instant::now();
            loop {
                let mut had_ended = false;
                let failure = match self.attempt(&act, &mut had_ended) {
                    Ok(done) => {
                        self.mark(Some(Instant::now()));
                        return Ok(done);
                    }
                    Err(failure) => failure,
                };
                if !failure.is_of_connection() {
                    self.mark(Some(Instant::now()));
                    return Err(failure.into_journal());
                }
                self.mark(None);
                // The server may only have closed an idle connection and still be reachable, so a new connection is tried.
                if had_ended {
                    continue;
                }
                if began.elapsed() >= self.patience {
                    return Err(failure.into_journal());
                }
                std::thread::sleep(AGAIN);
            }
        })
    }

    /// Runs `act` once, on a free connection. Sets `had_ended` if a reused connection turns out to be closed.
    fn attempt<T>(
        &self,
        act: &impl for<'c> Fn(&'c mut deadpool_postgres::Client) -> Work<'c, T>,
        had_ended: &mut bool,
    ) -> Result<T, Failure> {
        let link = self.runtimes.take()?;
        let work = async {
            let mut client = tokio::time::timeout(STATEMENT, link.pool().get())
                .await
                .map_err(|_| Failure::Silent)??;
            let is_old = deadpool_postgres::Object::metrics(&client).recycle_count > 0;
            match tokio::time::timeout(STATEMENT, act(&mut client)).await {
                Ok(done) => {
                    *had_ended = is_old
                        && match &done {
                            Err(Failure::Postgres(error)) => {
                                error.code() == Some(&SqlState::ADMIN_SHUTDOWN)
                                    || client.is_closed()
                            }
                            _ => false,
                        };
                    done
                }
                Err(_) => {
                    // The connection is dropped, because a late answer must not be mistaken for the answer to another
                    // statement.
                    drop(deadpool_postgres::Object::take(client));
                    Err(Failure::Silent)
                }
            }
        };
        link.block_on(work).unwrap_or(Err(Failure::Silent))
    }

    /// Waits for a future of the queue. Returns `None` if the store is closed.
    pub(crate) fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> Option<T> {
        let runtime = self.runtime.as_ref()?;
        Some(apart(|| runtime.block_on(future)))
    }
}

impl Drop for PgStore {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
