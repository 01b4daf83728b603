//! Connections, each driven by the thread that uses it.
//!
//! PostgreSQL needs about 80 µs for a step of a run. Passing the query to another thread, and the answer back, would take
//! about as long again. Each connection therefore has its own runtime, which is driven by the thread that uses the
//! connection.

use std::{
    future::Future,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod};
use loopwright_engine::journal::JournalError;
use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};
use tokio_postgres::Config;

/// The period of a timer that always fires before any statement timeout. It advances only while a thread waits on the
/// connection.
const TICK: Duration = Duration::from_secs(1);

/// One connection with its runtime. The connection is opened on first use and reopened after it breaks.
pub(super) struct ConnectionRuntime {
    runtime: Option<Runtime>,
    pool: Pool,
}

impl ConnectionRuntime {
    /// Creates the connection's runtime and pool.
    ///
    /// # Errors
    /// Returns an error if the system lacks resources, or if secure connections cannot be set up.
    fn new(config: &Config) -> Result<Self, JournalError> {
        let wrong = |error: &dyn std::fmt::Display| JournalError::Read(error.to_string());
        let roots = std::env::var_os("PGSSLROOTCERT").map(std::path::PathBuf::from);
        let tls = graphile_worker_postgres_tls::connector(roots.as_deref()).map_err(|error| {
            JournalError::Read(format!("no secure connection can be set up: {error}"))
        })?;
        let manager = Manager::from_config(
            config.clone(),
            tls,
            ManagerConfig {
                recycling_method: RecyclingMethod::Fast,
            },
        );
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| wrong(&error))?;
        // Each statement's timeout is a timer, and the runtime registers the earliest timer with the operating system
        // whenever it changes. This timer is always the earliest, which saves two system calls per statement.
        runtime.spawn(async {
            loop {
                tokio::time::sleep(TICK).await;
            }
        });
        Ok(Self {
            runtime: Some(runtime),
            pool: Pool::builder(manager)
                .max_size(1)
                .build()
                .map_err(|error| wrong(&error))?,
        })
    }

    /// Runs a future on this thread until it completes. Returns `None` if the connection was closed.
    pub(super) fn block_on<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let runtime = self.runtime.as_ref()?;
        Some(runtime.block_on(async {
            let done = future.await;
            // When values are dropped, they queue messages, such as the rollback of an unfinished transaction. The yield
            // sends these messages. Otherwise the transaction would hold its locks until the connection is used again.
            tokio::task::yield_now().await;
            done
        }))
    }

    pub(super) const fn pool(&self) -> &Pool {
        &self.pool
    }
}

impl Drop for ConnectionRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// All connections of a store.
pub(super) struct ConnectionRuntimes {
    config: Config,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    free: Vec<ConnectionRuntime>,
    /// The number of connections that may still be created.
    unmade: usize,
    /// The number of threads that are waiting for a connection.
    waiting: usize,
}

impl ConnectionRuntimes {
    /// Creates the first connection. At most `most` connections are created.
    ///
    /// # Errors
    /// Returns an error if no secure connection can be created.
    pub(super) fn new(config: Config, most: usize) -> Result<Self, JournalError> {
        let first = ConnectionRuntime::new(&config)?;
        Ok(Self {
            config,
            state: Mutex::new(State {
                free: vec![first],
                unmade: most.saturating_sub(1),
                waiting: 0,
            }),
            returned: Condvar::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a free connection for this thread. If no connection is free and no more may be created, waits until
    /// another thread returns one.
    ///
    /// # Errors
    /// Returns the errors of [`Self::new`].
    pub(super) fn take(&self) -> Result<Taken<'_>, JournalError> {
        let mut state = self.state();
        while state.free.is_empty() && state.unmade == 0 {
            state.waiting += 1;
            state = self
                .returned
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        // The most recently used connection is taken first, so that the others can expire.
        let link = match state.free.pop() {
            Some(link) => link,
            None => {
                let link = ConnectionRuntime::new(&self.config)?;
                state.unmade -= 1;
                link
            }
        };
        Ok(Taken {
            runtimes: self,
            link: Some(link),
        })
    }
}

/// A connection reserved for one thread.
pub(super) struct Taken<'l> {
    runtimes: &'l ConnectionRuntimes,
    link: Option<ConnectionRuntime>,
}

impl std::ops::Deref for Taken<'_> {
    type Target = ConnectionRuntime;

    #[expect(
        clippy::expect_used,
        reason = "the connection is returned only when this guard is dropped"
    )]
    fn deref(&self) -> &ConnectionRuntime {
        self.link.as_ref().expect("a link")
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut state = self.runtimes.state();
        state.free.extend(self.link.take());
        // Only a waiting thread is notified, because a notification costs a system call even if no thread waits.
        if state.waiting > 0 {
            self.runtimes.returned.notify_one();
        }
    }
}

/// Runs blocking work. On a thread of a multi-threaded asynchronous runtime, the other tasks of the runtime continue in the
/// meantime.
pub(super) fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match Handle::try_current().map(|here| here.runtime_flavor()) {
        Err(_) => work(),
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        // On the thread of a single-threaded runtime, tokio does not allow the work to block on another runtime. The work
        // therefore runs on a new thread, and the runtime's tasks wait for it.
        Ok(_) => std::thread::scope(|scope| match scope.spawn(work).join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        }),
    }
}

#[cfg(test)]
mod tests {
    use loopwright_engine::journal::Journal as _;
    use loopwright_testing::postgres::Postgres;

    use super::super::{Connection, Failure, PgStore, work};

    #[test]
    fn a_connection_that_the_server_closed_meanwhile_is_made_again() {
        let Some(postgres) = Postgres::shared() else {
            return;
        };
        let url = postgres.database();
        // This connection does not retry after an error.
        let store = PgStore::init(&Connection::new(&url)).unwrap();
        for _ in 0..3 {
            assert!(store.ids("", 10).unwrap().is_empty());
            postgres.ask(
                &url,
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'loopwright' AND datname = current_database()",
            );
        }
    }

    #[test]
    fn a_transaction_that_came_to_nothing_holds_no_locks() {
        let Some(postgres) = Postgres::shared() else {
            return;
        };
        let url = postgres.database();
        let store = PgStore::init(&Connection::new(&url)).unwrap();
        let given_up = store.wait(|client| {
            work(async move {
                let change = client.transaction().await?;
                change
                    .batch_execute("LOCK TABLE loopwright.runs IN ACCESS EXCLUSIVE MODE")
                    .await?;
                Ok::<(), Failure>(())
            })
        });
        assert!(given_up.is_ok());
        // Another connection can use the table without waiting for the lock.
        let rows = postgres.ask(
            &url,
            "SET statement_timeout = '5s'; SELECT count(*) FROM loopwright.runs",
        );
        assert_eq!(rows.lines().last(), Some("0"));
    }
}
