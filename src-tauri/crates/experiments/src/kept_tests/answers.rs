//! Recorded node results, which are looked up by a node's settings and inputs.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use loopwright_driver::Answers;
use loopwright_engine::session::Execution;
use loopwright_engine::{CancellationToken, NodeError, Outcome};
use loopwright_evaluation::test_file::{RecordedAnswer, TestFile};
use loopwright_model::{Flow, value::canonical_text};
use serde_json::{Map, Value, json};

/// A hash of each node's settings, keyed by the node's path in the flow, such as `sub/draft`.
#[derive(Debug, Default)]
pub(super) struct Settings(HashMap<String, blake3::Hash>);

/// The fields of a node that affect only how the node is shown, not what it does.
const SHOWN_ONLY: [&str; 3] = ["label", "description", "color"];

impl Settings {
    pub(super) fn of(flow: &Flow) -> Self {
        let mut settings = Self::default();
        settings.collect(flow, "");
        settings
    }

    fn collect(&mut self, flow: &Flow, before: &str) {
        for node in &flow.nodes {
            let place = format!("{before}{}", node.id);
            let data: Map<String, Value> = node
                .data
                .iter()
                .filter(|(name, _)| !SHOWN_ONLY.contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            let inner = data
                .get("flow")
                .and_then(|inner| loopwright_model::file::read_value(inner.clone()).ok());
            let text = canonical_text(&json!({ "type": node.kind, "data": data }));
            self.0.insert(place.clone(), blake3::hash(text.as_bytes()));
            if let Some(inner) = inner {
                self.collect(&inner, &format!("{place}/"));
            }
        }
    }

    /// Returns the key of an execution: a hash of the node's settings and all its inputs, as 32 hexadecimal digits.
    fn key(&self, execution: &Execution) -> String {
        let input = execution.input();
        let mut hash = blake3::Hasher::new();
        if let Some(settings) = self.0.get(execution.place()) {
            hash.update(settings.as_bytes());
        }
        let mut add = |name: &str, value: &Value| {
            let text = canonical_text(value);
            for part in [name, &text] {
                hash.update(&(part.len() as u64).to_le_bytes());
                hash.update(part.as_bytes());
            }
            // Without this flag, a string and a list with the same text would have the same hash.
            hash.update(&[u8::from(value.is_string())]);
        };
        if let Some(value) = &input.input {
            add("", value);
        }
        for (name, value) in &input.inputs {
            add(name, value);
        }
        for name in input.scope.names() {
            if let Some(value) = input.scope.get(name) {
                add(&format!("scope:{name}"), value);
            }
        }
        for value in &input.memory {
            add("memory", value);
        }
        hash.finalize().to_hex()[..32].to_owned()
    }
}

/// An execution that received a recorded answer or was performed.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) node: String,
    pub(super) path: String,
    pub(super) key: String,
}

/// How recorded answers are looked up.
enum Source {
    /// Recorded answers by key. Several answers with the same key are used in recorded order.
    Keys(Mutex<HashMap<String, VecDeque<Answer>>>),
    /// Recorded answers by the path of the execution that received them.
    Paths(HashMap<String, Answer>),
}

type Answer = Result<Outcome, NodeError>;

/// Recorded answers from a test file, or from a run that is being saved as a test.
pub(super) struct FileAnswers {
    source: Source,
    settings: Settings,
    live: bool,
    seen: Mutex<Vec<Seen>>,
    /// The executions that needed a recorded answer and found none.
    missing: Mutex<Vec<Seen>>,
    /// The number of calls that were made.
    performed: Mutex<u32>,
    performed_paths: Mutex<BTreeSet<String>>,
    cancel: Mutex<Option<CancellationToken>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FileAnswers {
    fn new(source: Source, live: bool) -> Self {
        Self {
            source,
            settings: Settings::default(),
            live,
            seen: Mutex::default(),
            missing: Mutex::default(),
            performed: Mutex::default(),
            performed_paths: Mutex::default(),
            cancel: Mutex::default(),
        }
    }

    pub(super) fn of(test: &TestFile, live: bool) -> Self {
        let mut keys: HashMap<String, VecDeque<Answer>> = HashMap::new();
        for recorded in &test.answers {
            keys.entry(recorded.key.clone())
                .or_default()
                .push_back(answer_of(recorded));
        }
        Self::new(Source::Keys(Mutex::new(keys)), live)
    }

    /// Creates answers that are looked up by execution path. They are used to repeat a recorded run and determine the keys of its
    /// answers.
    pub(super) fn by_path(answers: HashMap<String, Answer>) -> Self {
        Self::new(Source::Paths(answers), false)
    }

    pub(super) fn with(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// Sets the token that ends the run as soon as an answer is missing.
    pub(super) fn stop_with(&self, cancel: CancellationToken) {
        *lock(&self.cancel) = Some(cancel);
    }

    /// Returns every execution that received a recorded answer or was performed, in order.
    pub(super) fn seen(&self) -> Vec<Seen> {
        lock(&self.seen).clone()
    }

    /// Returns the paths of the executions that were performed.
    pub(super) fn performed_paths(&self) -> BTreeSet<String> {
        lock(&self.performed_paths).clone()
    }

    pub(super) fn performed(&self) -> u32 {
        *lock(&self.performed)
    }

    /// Returns one sentence for each missing answer.
    pub(super) fn missing(&self) -> Vec<String> {
        lock(&self.missing)
            .iter()
            .map(|seen| {
                format!(
                    "{} would make a call: its fields or its input have changed since the test was saved. Use --live to make the call, and --update to store the new answer.",
                    seen.path
                )
            })
            .collect()
    }

    fn find(&self, key: &str, path: &str) -> Option<Answer> {
        match &self.source {
            Source::Keys(keys) => lock(keys).get_mut(key)?.pop_front(),
            Source::Paths(paths) => paths.get(path).cloned(),
        }
    }
}

impl Answers for FileAnswers {
    fn skips_pauses(&self) -> bool {
        !self.live
    }

    fn answer(&self, execution: &Execution) -> Option<Answer> {
        let path = &execution.context.path;
        let key = self.settings.key(execution);
        let found = self.find(&key, path);
        // Nodes that only compute run normally, unless they need a person's answer.
        if found.is_none() && !execution.touches_the_world() {
            return None;
        }
        let seen = Seen {
            node: execution.place().to_owned(),
            path: path.clone(),
            key,
        };
        match found {
            Some(answer) => {
                lock(&self.seen).push(seen);
                Some(answer)
            }
            None if self.live => {
                lock(&self.performed_paths).insert(seen.path.clone());
                lock(&self.seen).push(seen);
                *lock(&self.performed) += 1;
                None
            }
            None => {
                lock(&self.missing).push(seen);
                if let Some(cancel) = &*lock(&self.cancel) {
                    cancel.cancel();
                }
                Some(Err(NodeError::new(
                    "not_recorded",
                    "The test has no answer for this call. Use --live to make the call.",
                )))
            }
        }
    }
}

fn answer_of(recorded: &RecordedAnswer) -> Answer {
    let damaged = || {
        NodeError::new(
            "not_recorded",
            "The recorded answer in the test file is damaged. Create the test again from its run.",
        )
    };
    match (&recorded.outcome, &recorded.error) {
        (Some(outcome), _) => serde_json::from_value(outcome.clone()).map_err(|_| damaged()),
        (None, Some(error)) => {
            Err(serde_json::from_value(error.clone()).unwrap_or_else(|_| damaged()))
        }
        (None, None) => Err(damaged()),
    }
}
