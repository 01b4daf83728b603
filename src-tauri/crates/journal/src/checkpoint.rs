//! Makes checkpoints of the write-ahead log on a separate thread, so that a writing run need not wait for the disk.
//!
//! SQLite restarts the log at its beginning only after a checkpoint that covers the whole log. While a run continues to write,
//! a separate thread never completes such a checkpoint. So when the thread has moved most of the log into the file, the next
//! commit moves the rest. Keeping the log short is cheaper, because its pages are overwritten in memory before they reach the
//! disk. Truncating a long log when the program ends takes milliseconds.

use std::{
    cell::Cell,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

use rusqlite::{Connection, hooks::Wal};

use crate::connection::open_for_checkpoint;

/// The number of log pages (4 MB) after which the thread makes a checkpoint.
const SOME: i32 = 1_000;

/// The number of log pages (32 MB) after which a commit makes a checkpoint itself, in case the thread has not.
const MANY: i32 = 8_000;

thread_local! {
    /// The number of log pages after this thread's last commit; `None` if the commit wrote nothing.
    static LOG: Cell<Option<i32>> = const { Cell::new(None) };
}

/// Installs a hook that records the length of the log after each commit. It replaces the automatic checkpoint of SQLite.
pub(crate) fn watch(writer: &Connection) {
    writer.wal_hook(Some(|log: &Wal, pages| {
        LOG.set(Some(pages));
        if pages >= MANY {
            // Another connection may be making a checkpoint now. The commit is valid either way, and the next commit tries
            // again.
            let _ = log.checkpoint();
        }
        Ok(())
    }));
}

/// The checkpoint thread, with its own connection. It starts when the log first becomes large.
#[derive(Debug)]
pub(crate) struct Checkpointer {
    path: PathBuf,
    thread: Option<(SyncSender<()>, JoinHandle<()>)>,
    /// The number of log pages when the thread was last called.
    asked: i32,
    /// Whether the thread has finished a checkpoint since it was last called.
    did_most: Arc<AtomicBool>,
}

impl Checkpointer {
    pub(crate) fn of(path: PathBuf) -> Self {
        Self {
            path,
            thread: None,
            asked: 0,
            did_most: Arc::default(),
        }
    }

    /// If the log is long, starts the thread or finishes its checkpoint. Call this after a commit of the writer on this thread.
    pub(crate) fn look(&mut self, writer: &Connection) {
        if self.did_most.swap(false, Ordering::AcqRel) {
            let _ = run_checkpoint(writer);
        }
        let Some(pages) = LOG.take() else {
            return;
        };
        if pages < self.asked {
            // The log is shorter than when the thread was last called, so SQLite has restarted the log at its beginning.
            self.asked = 0;
        }
        if pages - self.asked < SOME {
            return;
        }
        self.asked = pages;
        if self.thread.is_none() {
            let (call, calls) = sync_channel(1);
            let (path, did_most) = (self.path.clone(), Arc::clone(&self.did_most));
            let thread = thread::Builder::new()
                .name("write-ahead log".into())
                .spawn(move || attend(&path, &calls, &did_most));
            // Without a thread, the log grows until a commit makes a checkpoint.
            self.thread = thread.ok().map(|thread| (call, thread));
        }
        if let Some((call, _)) = &self.thread {
            // Sending may fail: a call may be pending already, or the thread may have ended.
            let _ = call.try_send(());
        }
    }

    /// Waits for the checkpoint in progress. The next large log starts a new thread.
    pub(crate) fn stop(&mut self) {
        if let Some((call, thread)) = self.thread.take() {
            drop(call);
            let _ = thread.join();
        }
        self.did_most.store(false, Ordering::Release);
        self.asked = 0;
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn attend(path: &Path, calls: &Receiver<()>, did_most: &AtomicBool) {
    let Ok(connection) = open_for_checkpoint(path) else {
        return;
    };
    while calls.recv().is_ok() {
        // Pages that are in use now are left to the next call, a commit, or the end of the program.
        if run_checkpoint(&connection).is_ok() {
            did_most.store(true, Ordering::Release);
        }
    }
}

/// Moves pages of the log into the file, as far as this is possible without waiting for readers and writers. Returns whether
/// the whole log is now in the file. Moves no pages while another connection makes a checkpoint.
pub(crate) fn run_checkpoint(connection: &Connection) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?
        .query_row([], |row| {
            let (was_refused, pages, moved): (bool, i64, i64) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(!was_refused && pages == moved)
        })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::{
        fs,
        path::PathBuf,
        time::{Duration, Instant},
    };

    use loopwright_engine::journal::{Entry, Fact, Journal as _, Record, Select};

    use crate::{SqliteJournal, sqlite::tests::header};

    use super::*;

    const PAGE: u64 = 4096;

    struct Store {
        journal: SqliteJournal,
        path: PathBuf,
        next: u64,
        _folder: tempfile::TempDir,
    }

    impl Store {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("runs.db");
            let journal = SqliteJournal::open(&path).unwrap().journal;
            journal.create(&header("r")).unwrap();
            Self {
                journal,
                path,
                next: 0,
                _folder: folder,
            }
        }

        /// Appends `count` records of two pages each.
        fn append(&mut self, count: u64) {
            for seq in self.next..self.next + count {
                let record = Record {
                    seq,
                    at: 0,
                    path: format!("n{seq}"),
                    node_id: None,
                    entry: Entry::Fact(Fact::NodeSkipped {
                        reason: format!("{seq}").repeat(8_000 / format!("{seq}").len()),
                    }),
                };
                self.journal.append("r", &[record]).unwrap();
            }
            self.next += count;
        }

        fn file(&self) -> u64 {
            fs::metadata(&self.path).unwrap().len()
        }

        fn log(&self) -> u64 {
            let mut path = self.path.clone().into_os_string();
            path.push("-wal");
            fs::metadata(path).unwrap().len()
        }
    }

    #[test]
    fn a_log_gets_a_checkpoint_while_the_run_continues() {
        let mut store = Store::new();
        store.append(SOME as u64);
        assert!(store.log() < MANY as u64 * PAGE, "no commit did it");
        let until = Instant::now() + Duration::from_secs(20);
        while store.file() < SOME as u64 * PAGE {
            assert!(Instant::now() < until, "{} bytes in the file", store.file());
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_log_stays_short_however_long_a_run_writes() {
        let mut store = Store::new();
        for _ in 0..40 {
            store.append(SOME as u64 / 4);
            // The pause lets the thread run, even on a busy machine.
            thread::sleep(Duration::from_millis(40));
        }
        let most = MANY as u64 * PAGE;
        assert!(store.log() < most, "{} bytes in the log", store.log());
    }

    #[test]
    fn a_commit_makes_the_checkpoint_that_no_thread_makes() {
        let store = Store::new();
        let connection = open_for_checkpoint(&store.path).unwrap();
        watch(&connection);
        connection.execute_batch("CREATE TABLE t (x)").unwrap();
        for _ in 0..2 * MANY {
            let mut insert = connection
                .prepare_cached("INSERT INTO t VALUES (zeroblob(8000))")
                .unwrap();
            insert.execute([]).unwrap();
        }
        let most = (MANY + SOME) as u64 * (PAGE + 24);
        assert!(store.log() < most, "{} bytes in the log", store.log());
    }

    #[test]
    fn what_is_under_way_is_done_when_the_store_is_finished() {
        let mut store = Store::new();
        for _ in 0..3 {
            store.append(SOME as u64);
            store.journal.finish().unwrap();
            assert_eq!(store.log(), 0);
        }
        store.append(SOME as u64);
        let Store {
            journal,
            path,
            next,
            _folder,
        } = store;
        drop(journal);
        let journal = SqliteJournal::open(&path).unwrap().journal;
        let records = journal.read("r", Select::All);
        assert_eq!(records.unwrap().len() as u64, next);
    }
}
