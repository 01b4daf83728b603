//! A case: a flow, how it is run, and the trace that is expected.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_engine::{
    Entry, KindSet, Record,
    host::{ModelContext, ModelRequest, Models, Services, Tools},
    journal::{Fact, Failed, Input},
    plan::{Plan, plan},
};
use loopwright_model::{Flow, file, flows_on_disk::FlowsOnDisk, validate::check};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    Begin, Done, Host, Stop,
    people::{ApprovalMode, People, RecordedAnswer},
    remember::{Again, Answered, Remember, calls_recorded},
    scripted::{FakeModels, Script},
    world::{Delayed, Disorder, NoTools, Registry, ScriptedTools},
};

/// What a case does not script: the built-in models and tools. The tests of the engine have none of them.
#[derive(Clone, Copy)]
pub struct BuiltIn {
    pub models: fn() -> Arc<dyn Models>,
    /// With a folder for what they keep.
    pub tools: fn(&Path) -> Arc<dyn Tools>,
}

/// `run.json`: how a case is run.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RunFile {
    /// What the case shows, for readers.
    pub shows: String,
    /// Of a case made after another system's document: how it ends otherwise than it would there, and why.
    pub differs: String,
    pub inputs: Map<String, Value>,
    /// What the models answer.
    pub script: Script,
    /// How approvals are settled, as on the command line.
    pub approve: ApprovalMode,
    /// What people answer where they are asked. Each answer takes the run up again from its journal.
    pub answers: Vec<RecordedAnswer>,
    /// What tools answer, by name and call: a value, or an object with `$error` (code and message) or `$afterMs` (and `$value`).
    /// Goes before the built-in tools.
    pub tools: HashMap<String, Vec<Value>>,
    /// The built-in models and tools instead of scripted ones.
    pub built_in: bool,
    /// The flow stands elsewhere: a path from the repository's root. Where it is absent, the case is passed over.
    pub flow: Option<String>,
    pub cancel_after_ms: Option<u64>,
    /// Cancels when the node of this path starts.
    pub cancel_at: Option<String>,
    /// A deadline or a failure decides what comes out, so that the order of completions matters.
    pub order_matters: bool,
    /// A value is the time of the run, which is another in a fork.
    pub reads_clock: bool,
    /// The flow has the usual retry policy, unless it says otherwise: as a run that begins today writes it into its flow.
    pub usual_retry: bool,
    /// The trace would be too long to read; the ending alone is compared.
    pub ending_only: bool,
}

pub struct Case {
    pub name: String,
    pub folder: PathBuf,
    pub run: RunFile,
    pub flow: Flow,
    /// Where it was read from: files that it refers to lie beside.
    pub file: PathBuf,
    built_in: Option<BuiltIn>,
}

/// A run to its end, and what its models were asked and answered.
pub struct Remembered {
    pub whole: Done,
    /// In the order in which the calls were made.
    pub asked: Vec<ModelRequest>,
    /// In the order in which the answers came; a call that was cut off has none.
    pub answered: Vec<Answered>,
}

/// What becomes of a case.
pub enum Checked {
    /// It has errors, and does not run.
    Invalid(String),
    Planned(Arc<Plan>),
}

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// The folder with the cases.
pub fn cases() -> PathBuf {
    root().join("src-tauri/crates/engine/tests/flows")
}

/// Reads the case in `folder`; `None` where the flow it names is not on this computer.
pub fn read(folder: &Path, built_in: Option<BuiltIn>) -> Option<Case> {
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let text = fs::read_to_string(folder.join("run.json")).unwrap();
    let run: RunFile = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    let path = match &run.flow {
        Some(path) => root().join(path),
        None => folder.join("flow.json"),
    };
    if run.flow.is_some() && !path.exists() {
        return None;
    }
    let text = fs::read_to_string(&path).unwrap();
    let mut flow = file::read_value(serde_json::from_str(&text).unwrap())
        .unwrap_or_else(|error| panic!("{name}: {error:?}"));
    if run.usual_retry {
        flow.write_retry(loopwright_model::retry::usual_retry().as_object());
    }
    Some(Case {
        name,
        folder: folder.to_owned(),
        run,
        flow,
        file: path,
        built_in,
    })
}

/// Reads the cases of `LOOPWRIGHT_CASE=one,two`, else all, in the order of their names.
pub fn read_all(built_in: Option<BuiltIn>) -> Vec<Case> {
    let only = std::env::var("LOOPWRIGHT_CASE").ok();
    let mut folders: Vec<_> = fs::read_dir(cases())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    let is_wanted = |folder: &PathBuf| {
        let name = folder.file_name().unwrap().to_string_lossy();
        let only = only.as_deref();
        only.is_none_or(|only| only.split(',').any(|only| only == name))
    };
    let read = |folder: PathBuf| {
        let case = read(&folder, built_in);
        if case.is_none() {
            println!(
                "{}: its flow is not on this computer, passed over",
                folder.display()
            );
        }
        case
    };
    folders
        .into_iter()
        .filter(is_wanted)
        .filter_map(read)
        .collect()
}

impl Case {
    pub fn check(&self, kinds: &KindSet) -> Checked {
        let file = self.file.canonicalize().unwrap();
        let beside = format!("{}", file.parent().unwrap().display());
        let linked = check(&self.flow, kinds.specs(), Some(&file), &FlowsOnDisk);
        let errors: Vec<_> = linked
            .problems
            .iter()
            .filter(|problem| problem.is_error())
            .map(|problem| {
                let node = problem.node.as_deref().unwrap_or("-");
                let message = problem.message.replace(&beside, "the case's folder");
                format!("{} at {node}: {message}\n", problem.code)
            })
            .collect();
        if errors.is_empty() {
            Checked::Planned(Arc::new(plan(&linked.flow, kinds).unwrap()))
        } else {
            Checked::Invalid(format!("invalid\n{}", errors.concat()))
        }
    }

    /// Whether it needs built-in models or tools beside those that it scripts.
    pub fn needs_built_in(&self) -> bool {
        let kinds = loopwright_nodes::all();
        let is_missing = |node: &loopwright_model::Node| {
            let kind = kinds.specs().of(node);
            let reached = kind
                .map(|kind| kind.reaches(&node.data))
                .unwrap_or_default();
            reached
                .iter()
                .any(|reach| !self.run.tools.contains_key(&reach.tool))
        };
        self.run.built_in || self.flow.nodes.iter().any(is_missing)
    }

    fn begin<'a>(
        &'a self,
        plan: &'a Arc<Plan>,
        services: &'a Services,
        stop: &'a Stop,
        people: &'a People,
        records: Option<&'a [Record]>,
    ) -> Begin<'a> {
        Begin {
            plan,
            inputs: &self.run.inputs,
            services,
            stop,
            people,
            records,
        }
    }

    /// Runs it as the script says, and gives every call of the models and every answer with it.
    pub fn remembered(&self, host: &dyn Host, plan: &Arc<Plan>) -> Remembered {
        let folder = tempfile::tempdir().unwrap();
        let mut services = self.services(host, None, folder.path());
        let remember = Remember {
            models: services.models,
            asked: Arc::default(),
            answered: Arc::default(),
        };
        services.models = Arc::new(remember.clone());
        let (stop, people) = (self.stop(), self.people());
        let whole = host.run(self.begin(plan, &services, &stop, &people, None));
        let asked = remember.asked.lock().unwrap().clone();
        let answered = remember.answered.lock().unwrap().clone();
        Remembered {
            whole,
            asked,
            answered,
        }
    }

    /// Resumes the run from `records`, with models that answer only what is not recorded.
    pub fn resume(
        &self,
        host: &dyn Host,
        plan: &Arc<Plan>,
        records: &[Record],
        answered: &[Answered],
    ) -> (Done, (usize, usize)) {
        self.again(host, records, answered, |services| {
            let people = self.people();
            host.run(self.begin(plan, services, &Stop::Never, &people, Some(records)))
        })
    }

    /// Continues a fork that has kept `records`, with models that answer only what is not recorded there; `None` where
    /// the records do not tell what that is.
    pub fn fork(
        &self,
        host: &dyn Host,
        plan: &Arc<Plan>,
        records: &[Record],
        answered: &[Answered],
    ) -> Option<(Done, (usize, usize))> {
        let folder = tempfile::tempdir().unwrap();
        let mut services = self.services(host, None, folder.path());
        let again = Arc::new(Again::beside(services.models, answered, records)?);
        services.models = Arc::clone(&again) as Arc<dyn Models>;
        let people = self.people();
        let done = host.run(self.begin(plan, &services, &Stop::Never, &people, Some(records)));
        Some((done, again.counts()))
    }

    /// Calls `run` with a world that answers only what `records` have no answer of; gives how many calls were made that
    /// had one, and how many answers nobody asked for.
    fn again(
        &self,
        host: &dyn Host,
        records: &[Record],
        answered: &[Answered],
        run: impl FnOnce(&Services) -> Done,
    ) -> (Done, (usize, usize)) {
        let folder = tempfile::tempdir().unwrap();
        let mut services = self.services(host, None, folder.path());
        let again = Arc::new(Again::new(services.models, answered, records, |record| {
            self.asks(records, record)
        }));
        services.models = Arc::clone(&again) as Arc<dyn Models>;
        if !self.run.tools.is_empty() {
            let left = self.tools_left(records);
            services.tools = self.scripted(host, left, None, folder.path());
        }
        let done = run(&services);
        (done, again.counts())
    }

    /// Whether a record is of a node that calls models.
    fn asks(&self, records: &[Record], record: &Record) -> bool {
        // A subflow fails with what failed inside it, and that was the call.
        let inside = format!("{}/", record.path);
        if records.iter().any(|other| other.path.starts_with(&inside)) {
            return false;
        }
        self.tool(record).is_none()
    }

    /// The tool that the record's node calls.
    fn tool(&self, record: &Record) -> Option<String> {
        let node = self.flow.node(record.node_id.as_deref()?)?;
        let kinds = loopwright_nodes::all();
        let reaches = kinds.specs().of(node)?.reaches(&node.data);
        reaches.into_iter().next().map(|reach| reach.tool)
    }

    /// Resumes the run from `records`, with the script from where they have brought it, and gives how many calls of models were
    /// made; for cases that may now go another way, and call what was not called before.
    pub fn resume_otherwise(
        &self,
        host: &dyn Host,
        plan: &Arc<Plan>,
        records: &[Record],
        asked: &[ModelRequest],
    ) -> (Done, usize) {
        let folder = tempfile::tempdir().unwrap();
        let mut services = self.services(host, None, folder.path());
        let over = calls_recorded(records, |record| self.asks(records, record), |_| true);
        let before = &asked[..over.min(asked.len())];
        let models = FakeModels::new(self.run.script.clone(), host.sleep());
        for request in before {
            // Takes its reply.
            drop(models.call(request.clone(), ModelContext::default()));
        }
        services.models = Arc::new(models.clone());
        if !self.run.tools.is_empty() {
            let left = self.tools_left(records);
            services.tools = self.scripted(host, left, None, folder.path());
        }
        let people = self.people();
        let done = host.run(self.begin(plan, &services, &Stop::Never, &people, Some(records)));
        (done, models.calls().len() - before.len())
    }

    /// What the tools have not answered yet in a run whose journal holds `records`.
    fn tools_left(&self, records: &[Record]) -> HashMap<String, Vec<Value>> {
        let mut left = self.run.tools.clone();
        for record in records {
            let answered = match &record.entry {
                Entry::Input(Input::ExecutionCompleted(_))
                | Entry::Fact(Fact::NodeCompleted(_))
                | Entry::Input(Input::ExecutionRetried(_))
                | Entry::Fact(Fact::NodeRetried(_)) => true,
                Entry::Input(Input::ExecutionFailed(Failed { error, .. }))
                | Entry::Fact(Fact::NodeFailed(Failed { error, .. })) => error.code != "cancelled",
                _ => false,
            };
            if answered
                && let Some(list) = self.tool(record).and_then(|tool| left.get_mut(&tool))
                && !list.is_empty()
            {
                list.remove(0);
            }
        }
        left
    }

    fn people(&self) -> People {
        People {
            approve: self.run.approve,
            answers: self.run.answers.clone(),
        }
    }

    /// Runs it, with pauses of `seed` before the world answers, else as the script says.
    pub fn execute(&self, host: &dyn Host, plan: &Arc<Plan>, seed: Option<u64>) -> Done {
        let folder = tempfile::tempdir().unwrap();
        let services = self.services(host, seed, folder.path());
        let (stop, people) = (self.stop(), self.people());
        host.run(self.begin(plan, &services, &stop, &people, None))
    }

    fn services(&self, host: &dyn Host, seed: Option<u64>, data_dir: &Path) -> Services {
        let disorder = seed.map(Disorder::new);
        let built_in = self.built_in.filter(|_| self.run.built_in);
        let models = match built_in {
            Some(built_in) => (built_in.models)(),
            None => Arc::new(FakeModels::new(self.run.script.clone(), host.sleep())),
        };
        let models = match &disorder {
            Some(disorder) => Arc::new(Delayed {
                models,
                disorder: disorder.clone(),
                sleep: host.sleep(),
            }),
            None => models,
        };
        let tools = match built_in {
            Some(built_in) if self.run.tools.is_empty() => (built_in.tools)(data_dir),
            _ => self.scripted(host, self.run.tools.clone(), disorder, data_dir),
        };
        Services { models, tools }
    }

    fn scripted(
        &self,
        host: &dyn Host,
        answers: HashMap<String, Vec<Value>>,
        disorder: Option<Disorder>,
        data_dir: &Path,
    ) -> Arc<dyn Tools> {
        Arc::new(Registry {
            scripted: ScriptedTools::new(answers, disorder, host.sleep()),
            others: match self.built_in {
                Some(built_in) => (built_in.tools)(data_dir),
                None => Arc::new(NoTools),
            },
        })
    }

    fn stop(&self) -> Stop {
        match (&self.run.cancel_at, self.run.cancel_after_ms) {
            (Some(path), _) => Stop::At(path.clone()),
            (None, Some(millis)) => Stop::After(millis),
            (None, None) => Stop::Never,
        }
    }
}
