//! A store, its workers, and the server of their models.

use std::{
    fs,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use loopwright_cluster::{Connection, PgStore};
use loopwright_testing::postgres::Postgres;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{program, server::Server};

/// The time that a worker may be silent before its runs are taken over.
pub(crate) const TAKEOVER: Duration = Duration::from_secs(2);
/// A secret that must appear only in the environment of the workers.
pub(crate) const CANARY: &str = "canary-7c1f";
/// The time that a model takes to answer.
const PAUSE: Duration = Duration::from_millis(40);
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct World {
    folder: TempDir,
    pub(crate) postgres: Arc<Postgres>,
    pub(crate) url: String,
    pub(crate) server: Server,
    workers: Vec<Child>,
}

/// Returns the pseudorandom number with this index. It is the same in every run of the test (SplitMix64, Steele et al. 2014).
pub(crate) fn random(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns the milliseconds since the Unix epoch.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

pub(crate) fn node(id: &str, kind: &str, data: Value) -> Value {
    json!({ "id": id, "type": kind, "position": { "x": 0, "y": 0 }, "data": data })
}

/// Returns a flow that drafts text repeatedly.
pub(crate) fn drafts(iterations: u32) -> Value {
    json!({
        "schemaVersion": 1, "name": "Drafts",
        "nodes": [
            node("in", "input", json!({ "name": "topic" })),
            node("refine", "loop", json!({ "maxIterations": iterations, "exitCondition": "max_iterations", "feedbackMode": "replace" })),
            node("draft", "llm", json!({
                "provider": "openai", "model": "test", "temperature": 0, "maxTokens": 20,
                "prompt": "Draft {{ loopIndex }} of {{ run.inputs.topic }}: {{ input }}"
            })),
            node("exit", "exit", json!({})),
            node("out", "output", json!({ "name": "text" }))
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "refine" },
            { "id": "b", "source": "refine", "sourceHandle": "body", "target": "draft" },
            { "id": "c", "source": "draft", "target": "exit" },
            { "id": "d", "source": "exit", "target": "out" }
        ]
    })
}

impl World {
    /// Starts the store and the model server. Returns `None` if PostgreSQL is not installed.
    pub(crate) fn new() -> Option<Self> {
        // The server is not shared, because a test stops it.
        let postgres = Arc::new(Postgres::start()?);
        let url = postgres.database();
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
            postgres,
            url,
            server: Server::start(PAUSE),
            workers: Vec::new(),
        };
        let made = world.loopwright(&["store", "init", &world.url]);
        assert!(made.status.success(), "{made:?}");
        Some(world)
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn data(&self, name: &str) -> PathBuf {
        let data = self.folder.path().join(name);
        fs::create_dir_all(&data).unwrap();
        let price = json!({ "provider": "openai", "model": "test", "input": 10, "output": 100 });
        fs::write(
            data.join("prices.json"),
            json!({ "prices": [price] }).to_string(),
        )
        .unwrap();
        data
    }

    fn command(&self, data: &str, args: &[&str]) -> Command {
        let mut command = program::program(&self.server.url, &self.data(data), args);
        command
            .env("LOOPWRIGHT_KEYCHAIN", "off")
            .env("OPENAI_API_KEY", CANARY)
            .env("RUST_BACKTRACE", "1")
            .current_dir(self.folder.path());
        command
    }

    /// Starts a worker, with eight places unless `more` sets another number. Returns its index in `workers`.
    pub(crate) fn start_worker(&mut self, name: &str, more: &[&str]) -> usize {
        let mut args = vec![
            "worker",
            "--store",
            &self.url,
            "--name",
            name,
            "--takeover-after",
            "2s",
            "--drain",
            "1s",
        ];
        if !more.contains(&"--places") {
            args.extend(["--places", "8"]);
        }
        args.extend(more);
        let log = fs::File::create(self.folder.path().join(format!("{name}.log"))).unwrap();
        let worker = self
            .command(name, &args)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        self.workers.push(worker);
        self.workers.len() - 1
    }

    fn signal(&self, worker: usize, name: &str) {
        let id = self.workers[worker].id().to_string();
        let sent = Command::new("kill").args([name, &id]).status().unwrap();
        assert!(sent.success());
    }

    pub(crate) fn kill(&mut self, worker: usize) {
        self.workers[worker].kill().unwrap();
        self.workers[worker].wait().unwrap();
    }

    /// Ends a worker with SIGTERM, as an administrator would.
    pub(crate) fn end(&mut self, worker: usize) {
        self.signal(worker, "-TERM");
        let status = self.workers[worker].wait().unwrap();
        assert!(status.success(), "{status}\n{}", self.logs());
    }

    /// Kills a worker like [`Self::kill`], but takes only a shared reference, so that other threads can use it.
    pub(crate) fn signal_kill(&self, worker: usize) {
        self.signal(worker, "-KILL");
    }

    pub(crate) fn freeze(&self, worker: usize) {
        self.signal(worker, "-STOP");
    }

    pub(crate) fn wake(&self, worker: usize) {
        self.signal(worker, "-CONT");
    }

    pub(crate) fn loopwright(&self, args: &[&str]) -> Output {
        self.command("person", args).output().unwrap()
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let output = self.loopwright(args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        let said = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&said).unwrap_or_else(|error| {
            panic!(
                "{args:?}: {error}: {said}{}",
                String::from_utf8_lossy(&output.stderr)
            )
        })
    }

    /// Submits a batch with a run for each of `runs` topics. Returns the JSON that `submit` prints.
    pub(crate) fn submit(&self, flow: &Value, batch: &str, runs: usize, more: &[&str]) -> Value {
        let (flow_file, inputs) = (self.file("a.flow.json"), self.file("topics.jsonl"));
        fs::write(&flow_file, flow.to_string()).unwrap();
        let lines: String = (0..runs)
            .map(|line| format!("{}\n", json!({ "topic": format!("{batch}.{line:03}.") })))
            .collect();
        fs::write(&inputs, lines).unwrap();
        let mut args = vec![
            "submit", &flow_file, "--store", &self.url, "--inputs", &inputs, "--batch", batch,
        ];
        args.extend(more);
        self.json(&args)
    }

    pub(crate) fn batch(&self, name: &str) -> Value {
        self.json(&["batches", "--store", &self.url, "show", name])
    }

    /// Returns the single value that a query yields.
    pub(crate) fn sql(&self, question: &str) -> String {
        self.postgres.ask(&self.url, question)
    }

    pub(crate) fn store(&self) -> PgStore {
        let connection = Connection {
            patience: Duration::from_secs(10),
            ..Connection::new(&self.url)
        };
        PgStore::open(&connection).unwrap()
    }

    pub(crate) fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let began = Instant::now();
        while !holds(self) {
            assert!(
                began.elapsed() < PATIENCE,
                "{what}: not within {PATIENCE:?}\n{}",
                self.logs()
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until no run of the batch is queued, running or suspended.
    pub(crate) fn until_over(&self, name: &str) {
        self.until(&format!("{name} is over"), |world| {
            let batch = world.batch(name);
            ["queued", "running", "suspended"]
                .iter()
                .all(|state| batch[state] == 0)
        });
    }

    fn logs(&self) -> String {
        let mut all = String::new();
        for entry in fs::read_dir(self.folder.path()).unwrap().flatten() {
            if entry
                .path()
                .extension()
                .is_some_and(|extension| extension == "log")
            {
                all.push_str(&format!("{}\n", entry.path().display()));
                all.push_str(&fs::read_to_string(entry.path()).unwrap());
            }
        }
        all
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }
}
