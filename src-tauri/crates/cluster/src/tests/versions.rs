//! Workers on one store: two versions, tables of an older program, values that are too large, and a queue that hands runs out
//! twice.
#![allow(clippy::unwrap_used)]

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use loopwright_api::{Answer, App};
use loopwright_engine::ApprovalPolicy;
use loopwright_engine::journal::{COMPAT, Journal as _, RunLabel};
use loopwright_engine::trust::Grants;
use loopwright_runs as runs;
use loopwright_runs::ResumeOptions;
use loopwright_testing::postgres::Postgres;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use crate::{
    Advance, Client, Connection, GraphileQueue, Job, PgStore, Queue, QueueError, Serving,
    Submission, WorkerOptions, serve, set_up,
};

const TAKEOVER: Duration = Duration::from_secs(1);

fn flow() -> Value {
    json!({
        "schemaVersion": 1, "name": "Twice",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text" } },
            { "id": "twice", "type": "transform", "data": { "template": "{{ input }}{{ input }}" } },
            { "id": "out", "type": "output", "data": { "name": "text" } }
        ],
        "edges": [
            { "id": "1", "source": "in", "target": "twice" },
            { "id": "2", "source": "twice", "target": "out" }
        ]
    })
}

struct Worker {
    stop: oneshot::Sender<()>,
    served: tokio::task::JoinHandle<()>,
}

impl Worker {
    fn start(url: &str, folder: &std::path::Path, compat: u32) -> Self {
        let queue = Arc::new(GraphileQueue::new(url).unwrap());
        Self::on(url, folder, compat, queue)
    }

    fn on(url: &str, folder: &std::path::Path, compat: u32, queue: Arc<dyn Queue>) -> Self {
        let (stop, stopped) = oneshot::channel();
        let options = WorkerOptions {
            name: format!("of-{compat}"),
            places: 4,
            takeover_after: TAKEOVER,
            drain: TAKEOVER,
            compat,
            allow: Grants::default(),
            data_dir: folder.join(format!("worker-{compat}")),
        };
        let store = PgStore::open(&Connection::new(url)).unwrap();
        let served = tokio::spawn(async move {
            let stop = async move {
                let _ = stopped.await;
            };
            serve(Arc::new(store), queue, options, stop).await.unwrap();
        });
        Self { stop, served }
    }

    async fn end(self) {
        self.stop.send(()).unwrap();
        self.served.await.unwrap();
    }
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The store has runs of two versions. Each worker takes the runs of its own version, and a run with a request waits for a worker
/// of its version.
#[tokio::test(flavor = "multi_thread")]
async fn each_worker_takes_the_runs_of_its_own_version() {
    let Some(postgres) = Postgres::shared() else {
        return eprintln!("NOT TESTED: this machine has no PostgreSQL server.");
    };
    let (url, folder) = (postgres.database(), tempfile::tempdir().unwrap());
    set_up(&url).await.unwrap();
    let runtime = tokio::runtime::Handle::current();
    let client = Client::open(&url, folder.path(), runtime.clone()).unwrap();
    let app = App::open_without_runs(folder.path(), runtime);
    let prepared = runs::prepare_batch(app.env(), flow(), None, None).unwrap();
    for name in ["old", "new"] {
        let runs = (1..=20)
            .map(|line| {
                (
                    line,
                    Map::from_iter([("text".to_owned(), json!(format!("{name} {line}")))]),
                )
            })
            .collect();
        let batch = Submission {
            name,
            flow: &prepared,
            runs,
            limit_microusd: None,
            approve: ApprovalPolicy::Ask,
        };
        assert_eq!(client.submit(batch).unwrap(), 20);
    }
    // The runs get the compatibility number with which an earlier program would have stored them.
    postgres.ask(
        &url,
        &format!("UPDATE loopwright.runs SET compat = {} WHERE batch = (SELECT id FROM loopwright.batches WHERE name = 'old')", COMPAT - 1),
    );
    let queue = GraphileQueue::new(&url).unwrap();
    let ids = postgres.ask(
        &url,
        "SELECT string_agg(run_id, ' ') FROM loopwright.runs r JOIN loopwright.batches b ON b.id = r.batch WHERE b.name = 'old'",
    );
    let jobs: Vec<Job> = ids
        .split(' ')
        .map(|id| Job {
            run_id: id.to_owned(),
            compat: COMPAT - 1,
        })
        .collect();
    queue.enqueue(&jobs).await.unwrap();
    let new = Worker::start(&url, folder.path(), COMPAT);
    until("the new ones complete", || {
        client.batch("new").unwrap().completed == 20
    })
    .await;
    tokio::time::sleep(2 * TAKEOVER).await;
    assert_eq!(client.batch("old").unwrap().queued, 20);
    // A job with the wrong number, such as an older client would write, also reaches the right worker.
    let wrong: Vec<Job> = jobs
        .iter()
        .take(3)
        .map(|job| Job {
            compat: COMPAT,
            ..job.clone()
        })
        .collect();
    queue.enqueue(&wrong).await.unwrap();
    tokio::time::sleep(TAKEOVER).await;
    assert_eq!(client.batch("old").unwrap().queued, 20);
    client.stop_batch("old").unwrap();
    tokio::time::sleep(2 * TAKEOVER).await;
    assert_eq!(
        client.batch("old").unwrap().queued,
        20,
        "only a worker of its version ends a run"
    );
    postgres.ask(&url, "DELETE FROM loopwright.controls");
    let old = Worker::start(&url, folder.path(), COMPAT - 1);
    until("the old ones complete", || {
        client.batch("old").unwrap().completed == 20
    })
    .await;
    let check = client.check().unwrap();
    assert_eq!(check.workers.len(), 2);
    new.end().await;
    old.end().await;
}

/// A store whose tables are from an earlier program is rejected, and the error says what to do. Its tables can be upgraded
/// while workers use it. After that, the store is accepted.
#[tokio::test(flavor = "multi_thread")]
async fn older_tables_are_brought_up_to_date() {
    let Some(postgres) = Postgres::shared() else {
        return eprintln!("NOT TESTED: this machine has no PostgreSQL server.");
    };
    let url = postgres.database();
    set_up(&url).await.unwrap();
    postgres.ask(
        &url,
        "ALTER TABLE loopwright.about DROP COLUMN level;
         ALTER TABLE loopwright.runs DROP COLUMN compat, DROP COLUMN settled_microusd, DROP COLUMN wake_at,
            DROP COLUMN name, DROP COLUMN name_text, DROP COLUMN starred;
         ALTER TABLE loopwright.batches DROP COLUMN document;
         INSERT INTO loopwright.runs (run_id, brief, flow, started_at, status, state, values_text, begin_text)
             VALUES ('old', '{}', 'flow', 0, 'queued', '{}', '', '')",
    );
    let refused = PgStore::open(&Connection::new(&url))
        .unwrap_err()
        .to_string();
    assert!(refused.contains("store upgrade"), "{refused}");
    for _ in 0..2 {
        set_up(&url).await.unwrap();
    }
    let store = PgStore::open(&Connection::new(&url)).unwrap();
    assert_eq!(store.label("old").unwrap(), RunLabel::default());
    let label = RunLabel {
        name: Some("The old one".to_owned()),
        starred: true,
    };
    store.set_name("old", label.name.as_deref()).unwrap();
    store.set_starred("old", true).unwrap();
    assert_eq!(store.label("old").unwrap(), label);
    assert_eq!(
        postgres.ask(&url, "SELECT compat FROM loopwright.runs"),
        "2"
    );
    // A newer level is accepted, but a newer version is rejected.
    postgres.ask(&url, "UPDATE loopwright.about SET level = 9");
    PgStore::open(&Connection::new(&url)).unwrap();
    postgres.ask(&url, "UPDATE loopwright.about SET version = 2");
    let newer = PgStore::open(&Connection::new(&url))
        .unwrap_err()
        .to_string();
    assert!(newer.contains("newer"), "{newer}");
}

/// A value that is too large is rejected with an error that names its location, and the run fails with that message.
#[tokio::test(flavor = "multi_thread")]
async fn a_value_of_over_16_mb_is_refused_with_its_place() {
    let Some(postgres) = Postgres::shared() else {
        return eprintln!("NOT TESTED: this machine has no PostgreSQL server.");
    };
    let (url, folder) = (postgres.database(), tempfile::tempdir().unwrap());
    set_up(&url).await.unwrap();
    let runtime = tokio::runtime::Handle::current();
    let client = Client::open(&url, folder.path(), runtime.clone()).unwrap();
    let app = App::open_without_runs(folder.path(), runtime);
    let twice = json!({
        "schemaVersion": 1, "name": "Twice",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "dataType": "json" } },
            { "id": "pass", "type": "transform", "data": { "template": "{{ input }}" } },
            { "id": "twice", "type": "aggregator", "data": { "mode": "array" } },
            { "id": "out", "type": "output", "data": { "name": "text" } }
        ],
        "edges": [
            { "id": "1", "source": "in", "target": "pass" },
            { "id": "2", "source": "in", "target": "twice" },
            { "id": "3", "source": "pass", "target": "twice" },
            { "id": "4", "source": "twice", "target": "out" }
        ]
    });
    let prepared = runs::prepare_batch(app.env(), twice, None, None).unwrap();
    let submit = |name, thousands: usize| {
        let inputs =
            Map::from_iter([("text".to_owned(), json!(vec!["a".repeat(1_000); thousands]))]);
        client.submit(Submission {
            name,
            flow: &prepared,
            runs: vec![(7, inputs)],
            limit_microusd: None,
            approve: ApprovalPolicy::Ask,
        })
    };
    let error = submit("input", 17_500).unwrap_err();
    assert!(
        error.message.contains("line 7") && error.message.contains("16 MB"),
        "{error}"
    );
    // A string of half the size is accepted. A value inside the run then grows too large.
    submit("inside", 9_000).unwrap();
    let worker = Worker::start(&url, folder.path(), COMPAT);
    until("it is over", || {
        let batch = client.batch("inside").unwrap();
        batch.queued + batch.running == 0
    })
    .await;
    let mut said = String::new();
    client
        .each_output("inside", |line| {
            said.push_str(line);
            Ok(())
        })
        .unwrap();
    assert!(
        said.contains("16 MB") && said.contains("a value of in"),
        "{}",
        &said[..said.len().min(500)]
    );
    worker.end().await;
}

/// A queue that hands each run to a worker twice at the same moment.
struct Twice {
    runs: Vec<String>,
    asked_again: AtomicUsize,
}

#[async_trait]
impl Queue for Twice {
    async fn enqueue(&self, _jobs: &[Job]) -> Result<(), QueueError> {
        Ok(())
    }

    async fn later(&self, _job: &Job, _after: Duration) -> Result<(), QueueError> {
        self.asked_again.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    async fn serve(
        &self,
        _serving: Serving,
        advance: Advance,
        stop: Pin<Box<dyn Future<Output = ()> + Send>>,
    ) -> Result<(), QueueError> {
        for run in &self.runs {
            let twice = [0, 1].map(|_| tokio::spawn(advance(run.clone())));
            for task in twice {
                task.await.map_err(|error| QueueError(error.to_string()))?;
            }
        }
        stop.await;
        Ok(())
    }

    async fn forget(&self, _run_id: &str) -> Result<(), QueueError> {
        Ok(())
    }

    async fn alive(&self) -> Result<usize, QueueError> {
        Ok(1)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_handed_out_twice_at_once_is_led_once() {
    let Some(postgres) = Postgres::shared() else {
        return eprintln!("NOT TESTED: this machine has no PostgreSQL server.");
    };
    let (url, folder) = (postgres.database(), tempfile::tempdir().unwrap());
    set_up(&url).await.unwrap();
    let runtime = tokio::runtime::Handle::current();
    let client = Client::open(&url, folder.path(), runtime.clone()).unwrap();
    let app = App::open_without_runs(folder.path(), runtime);
    let flow = runs::prepare_batch(app.env(), flow(), None, None).unwrap();
    let runs = (1..=40).map(|line| (line, Map::from_iter([("text".to_owned(), json!("a"))])));
    client
        .submit(Submission {
            name: "twice",
            flow: &flow,
            runs: runs.collect(),
            limit_microusd: None,
            approve: ApprovalPolicy::Ask,
        })
        .unwrap();
    let ids = postgres.ask(&url, "SELECT string_agg(run_id, ' ') FROM loopwright.runs");
    let queue = Arc::new(Twice {
        runs: ids.split(' ').map(str::to_owned).collect(),
        asked_again: AtomicUsize::new(0),
    });
    let worker = Worker::on(
        &url,
        folder.path(),
        COMPAT,
        Arc::clone(&queue) as Arc<dyn Queue>,
    );
    until("all complete", || {
        client.batch("twice").unwrap().completed == 40
    })
    .await;
    worker.end().await;
    let held = "SELECT count(*) FROM loopwright.runs WHERE holder IS NOT NULL OR epoch <> 2";
    assert_eq!(postgres.ask(&url, held), "0");
    assert!(
        queue.asked_again.load(Ordering::SeqCst) > 0,
        "no two were at once"
    );
}

/// The first of two answers to a step counts, even before a worker acts on it.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_answer_to_a_step_is_refused() {
    let Some(postgres) = Postgres::shared() else {
        return eprintln!("NOT TESTED: this machine has no PostgreSQL server.");
    };
    let (url, folder) = (postgres.database(), tempfile::tempdir().unwrap());
    set_up(&url).await.unwrap();
    let runtime = tokio::runtime::Handle::current();
    let client = Client::open(&url, folder.path(), runtime.clone()).unwrap();
    let app = App::open_without_runs(folder.path(), runtime);
    let mut asking = flow();
    asking["nodes"][1] = json!({ "id": "ok", "type": "approval", "data": { "message": "Go on?" } });
    asking["edges"] = json!([
        { "id": "1", "source": "in", "target": "ok" },
        { "id": "2", "source": "ok", "sourceHandle": "approved", "target": "out" }
    ]);
    let batch = Submission {
        name: "asking",
        flow: &runs::prepare_batch(app.env(), asking, None, None).unwrap(),
        runs: vec![(1, Map::from_iter([("text".to_owned(), json!("a"))]))],
        limit_microusd: None,
        approve: ApprovalPolicy::Ask,
    };
    assert_eq!(client.submit(batch).unwrap(), 1);
    let worker = Worker::start(&url, folder.path(), COMPAT);
    until("it waits", || {
        client.batch("asking").unwrap().suspended == 1
    })
    .await;
    worker.end().await;
    let id = postgres.ask(&url, "SELECT run_id FROM loopwright.runs");
    let answer = |approved| Answer {
        approved,
        ..Default::default()
    };
    // Two concurrent answers: exactly one is accepted.
    let (client, id) = (Arc::new(client), Arc::<str>::from(id));
    let both: Vec<_> = [true, false]
        .map(|approved| {
            let (client, answer) = (Arc::clone(&client), answer(approved));
            let resuming = ResumeOptions {
                run_id: id.to_string(),
                answer: None,
                budget: None,
                approve: ApprovalPolicy::Ask,
                events: Arc::new(|_| {}),
            };
            tokio::task::spawn_blocking(move || {
                runs::answer_run(client.app().env(), "ok".to_owned(), answer, resuming).map(drop)
            })
        })
        .into_iter()
        .collect();
    let mut taken = Vec::new();
    for asked in both {
        match asked.await.unwrap() {
            Ok(()) => taken.push(true),
            Err(error) => {
                assert!(
                    error.message.contains("has already been answered"),
                    "{error}"
                );
                taken.push(false);
            }
        }
    }
    taken.sort_unstable();
    assert_eq!(taken, [false, true]);
    let worker = Worker::start(&url, folder.path(), COMPAT);
    until("it ends", || client.batch("asking").unwrap().suspended == 0).await;
    worker.end().await;
    let batch = client.batch("asking").unwrap();
    assert_eq!(batch.completed + batch.failed, 1, "{batch:?}");
}

/// The store forgets workers that were killed long ago, except those that lead a run.
#[tokio::test(flavor = "multi_thread")]
async fn workers_that_were_killed_long_ago_are_forgotten() {
    let Some(postgres) = Postgres::shared() else {
        return eprintln!("NOT TESTED: this machine has no PostgreSQL server.");
    };
    let (url, folder) = (postgres.database(), tempfile::tempdir().unwrap());
    set_up(&url).await.unwrap();
    postgres.ask(
        &url,
        "INSERT INTO loopwright.workers (id, name, compat, places, seen_at) VALUES
            (gen_random_uuid(), 'killed', 1, 1, now() - interval '2 hours'),
            (gen_random_uuid(), 'silent', 1, 1, now() - interval '5 minutes')",
    );
    let worker = Worker::start(&url, folder.path(), COMPAT);
    let names = || {
        postgres.ask(
            &url,
            "SELECT string_agg(name, ' ' ORDER BY name) FROM loopwright.workers",
        )
    };
    let expected = format!("of-{COMPAT} silent");
    until("the killed one is forgotten", || names() == expected).await;
    worker.end().await;
}
