//! Group commit: writes the records of several runs in one statement.
//!
//! For PostgreSQL, each statement has a fixed cost, and so does the disk sync at its end. Neither depends on the number
//! of runs in the statement. While [`WRITERS`] statements are in progress, further appends therefore wait, and the next
//! statement writes all of them. Databases call this technique group commit. Here, the client does it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, Thread},
};

use loopwright_engine::journal::JournalError;

use super::written::Append;

/// The maximum number of concurrent statements.
const WRITERS: usize = 4;
/// The maximum number of appends in one statement.
const MAX_APPENDS: usize = 64;
/// The maximum size of a statement in bytes. Only a statement with a single append may exceed it.
const MAX_BYTES: usize = 1 << 20;

/// The answer to an append: `true` if the records were written, and `false` if the run's epoch no longer matched.
pub(super) type Answer = Result<bool, JournalError>;

#[derive(Default)]
pub(super) struct GroupCommit(Mutex<State>);

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<PendingAppend>>,
    writers: usize,
}

/// An append that is waiting to be written, with the thread that waits for it.
struct PendingAppend {
    append: Arc<Append>,
    /// `None` until the append has been handled. Then `Some(Some(answer))`, or `Some(None)` if the append must be written
    /// alone.
    answer: Mutex<Option<Option<Answer>>>,
    thread: Thread,
}

impl GroupCommit {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes an append together with those of other threads. This happens on this thread or on one that is already writing.
    /// `write` returns an answer for each append, or `None` for an append that must be written alone.
    pub(super) fn write(
        &self,
        append: &Arc<Append>,
        write: impl Fn(&[Arc<Append>]) -> Vec<Option<Answer>>,
    ) -> Option<Answer> {
        let asked = Arc::new(PendingAppend {
            append: Arc::clone(append),
            answer: Mutex::default(),
            thread: thread::current(),
        });
        self.state().waiting.push_back(Arc::clone(&asked));
        loop {
            if let Some(answer) = asked.taken() {
                return answer;
            }
            match self.lead() {
                Some(group) => group.write(&write),
                None => thread::park(),
            }
        }
    }

    /// Returns the appends that this thread must write now. Returns `None` if no append is waiting, or if [`WRITERS`]
    /// threads are already writing.
    fn lead(&self) -> Option<Group<'_>> {
        let mut state = self.state();
        if state.writers == WRITERS || state.waiting.is_empty() {
            return None;
        }
        let mut bytes = 0;
        let mut asked = Vec::new();
        while let Some(next) = state.waiting.pop_front_if(|next| {
            bytes += next.append.bytes();
            asked.is_empty() || (asked.len() < MAX_APPENDS && bytes <= MAX_BYTES)
        }) {
            asked.push(next);
        }
        state.writers += 1;
        Some(Group { of: self, asked })
    }
}

impl PendingAppend {
    fn answer(&self) -> MutexGuard<'_, Option<Option<Answer>>> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn taken(&self) -> Option<Option<Answer>> {
        self.answer().take()
    }
}

/// Appends that one thread writes together.
struct Group<'t> {
    of: &'t GroupCommit,
    asked: Vec<Arc<PendingAppend>>,
}

impl Group<'_> {
    fn write(self, write: &impl Fn(&[Arc<Append>]) -> Vec<Option<Answer>>) {
        let appends: Vec<Arc<Append>> = self
            .asked
            .iter()
            .map(|asked| Arc::clone(&asked.append))
            .collect();
        for (asked, answer) in self.asked.iter().zip(write(&appends)) {
            *asked.answer() = Some(answer);
        }
    }
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        for asked in &self.asked {
            // If `write` panicked, each append is retried alone.
            asked.answer().get_or_insert(None);
            asked.thread.unpark();
        }
        let mut state = self.of.state();
        state.writers -= 1;
        if let Some(next) = state.waiting.front() {
            next.thread.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Barrier,
            atomic::{AtomicBool, AtomicUsize, Ordering},
        },
        time::Duration,
    };

    use loopwright_engine::journal::{
        Entry, Fact, Journal as _, Record, RunHeader, RunSetup, Select,
    };
    use loopwright_testing::postgres::Postgres;
    use serde_json::json;

    use super::{
        super::{Connection, Failure, PgStore, work},
        *,
    };

    const STEPS: u64 = 12;

    fn made(store: &PgStore, run: &str) {
        let header = RunHeader {
            run_id: run.to_owned(),
            flow: "together".to_owned(),
            flow_path: None,
            document: json!({}),
            inputs: json!({}),
            started_at: 0,
            setup: RunSetup::default(),
        };
        store.create(&header).unwrap();
    }

    fn record(run: &str, seq: u64) -> Record {
        // There are three kinds of text: short, large and shared between runs, and large and unique.
        let text = match seq % 3 {
            0 => "long ".repeat(500),
            1 => format!("{run} {seq} ").repeat(300),
            _ => format!("{run} {seq}"),
        };
        Record {
            seq,
            at: 5,
            path: "draft".to_owned(),
            node_id: Some("draft".into()),
            entry: Entry::Fact(Fact::NodeStarted {
                inputs: [("input", json!(text))].into(),
                primary: None,
                max_iterations: None,
            }),
        }
    }

    fn appended(store: &PgStore, run: &str) -> Result<(), JournalError> {
        (0..STEPS).try_for_each(|step| {
            store.append(run, &[record(run, 2 * step), record(run, 2 * step + 1)])
        })
    }

    fn is_whole(store: &PgStore, run: &str) {
        let all: Vec<Record> = (0..2 * STEPS).map(|seq| record(run, seq)).collect();
        assert_eq!(store.read(run, Select::All).unwrap(), all);
    }

    #[test]
    fn runs_that_write_at_once_are_written_together_and_one_that_was_taken_over_is_told() {
        let Some(postgres) = Postgres::shared() else {
            return;
        };
        let url = postgres.database();
        let store = PgStore::init(&Connection::new(&url)).unwrap();
        let runs: Vec<String> = (0..40).map(|run| format!("together-{run}")).collect();
        runs.iter().for_each(|run| made(&store, run));
        postgres.ask(
            &url,
            "UPDATE loopwright.runs SET epoch = epoch + 1 WHERE run_id = 'together-7'",
        );
        let ready = Barrier::new(runs.len());
        let (store, ready) = (&store, &ready);
        thread::scope(|scope| {
            for run in &runs {
                scope.spawn(move || {
                    ready.wait();
                    match (run.as_str(), appended(store, run)) {
                        ("together-7", Err(JournalError::TakenOver(_))) => {}
                        ("together-7", other) => panic!("{other:?}"),
                        (_, done) => done.unwrap(),
                    }
                });
            }
        });
        for run in &runs {
            match run.as_str() {
                "together-7" => assert_eq!(store.read(run, Select::All).unwrap(), []),
                run => is_whole(store, run),
            }
        }
    }

    #[test]
    fn a_run_that_is_locked_for_long_holds_up_no_others() {
        let Some(postgres) = Postgres::shared() else {
            return;
        };
        let url = postgres.database();
        let store = PgStore::init(&Connection {
            connections: 12,
            ..Connection::new(&url)
        })
        .unwrap();
        let blocked: Vec<String> = (0..=WRITERS).map(|run| format!("locked-{run}")).collect();
        let free: Vec<String> = (0..8).map(|run| format!("free-{run}")).collect();
        blocked
            .iter()
            .chain(&free)
            .for_each(|run| made(&store, run));
        let flag = || Arc::new(AtomicBool::new(false));
        let (store, locked, released) = (&store, flag(), flag());
        let flags = (Arc::clone(&locked), Arc::clone(&released));
        thread::scope(|scope| {
            scope.spawn(move || {
                let lock = store.wait(move |client| {
                    let (locked, released) = flags.clone();
                    work(async move {
                        let change = client.transaction().await?;
                        let all =
                            "SELECT 1 FROM loopwright.runs WHERE run_id LIKE 'locked-%' FOR UPDATE";
                        change.execute(all, &[]).await?;
                        locked.store(true, Ordering::Release);
                        // The lock is held until all other runs are done, however slow the machine is.
                        while !released.load(Ordering::Acquire) {
                            change.execute("SELECT pg_sleep(0.05)", &[]).await?;
                        }
                        Ok::<(), Failure>(())
                    })
                });
                lock.unwrap();
            });
            while !locked.load(Ordering::Acquire) {
                thread::sleep(Duration::from_millis(5));
            }
            for run in &blocked {
                scope.spawn(move || appended(store, run).unwrap());
            }
            let others: Vec<_> = free
                .iter()
                .map(|run| scope.spawn(move || appended(store, run).unwrap()))
                .collect();
            for other in others {
                other.join().unwrap();
            }
            released.store(true, Ordering::Release);
        });
        for run in blocked.iter().chain(&free) {
            is_whole(store, run);
        }
    }

    #[test]
    fn what_comes_while_others_write_is_gathered() {
        let append = || Arc::new(Append::default());
        let together = GroupCommit::default();
        let (statements, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let ready = Barrier::new(64);
        let write = |appends: &[Arc<Append>]| {
            taken.fetch_add(appends.len(), Ordering::AcqRel);
            // The first writers wait until all other threads have queued their appends.
            if statements.fetch_add(1, Ordering::AcqRel) < WRITERS {
                while together.state().waiting.len() + taken.load(Ordering::Acquire) < 64 {
                    thread::yield_now();
                }
            }
            appends.iter().map(|_| Some(Ok(true))).collect()
        };
        thread::scope(|scope| {
            for _ in 0..64 {
                scope.spawn(|| {
                    ready.wait();
                    assert!(matches!(together.write(&append(), write), Some(Ok(true))));
                });
            }
        });
        let count = statements.load(Ordering::Relaxed);
        assert!(count <= 2 * WRITERS, "{count} statements for 64 appends");
        assert_eq!(together.state().writers, 0);
    }

    #[test]
    fn what_breaks_off_is_written_alone() {
        let together = GroupCommit::default();
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            together.write(&Arc::new(Append::default()), |_| panic!("on purpose"))
        }));
        assert!(broken.is_err());
        let after = together.write(&Arc::new(Append::default()), |_| vec![Some(Ok(false))]);
        assert!(matches!(after, Some(Ok(false))));
    }
}
