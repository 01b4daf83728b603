//! A test case: a flow, the settings of its run, and the expected trace.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_engine::{
    KindSet,
    host::{ModelContext, ModelRequest, Models, Services, Tools},
    journal::{Entry, Fact, Failed, Input, Record},
    plan::{Plan, plan},
    resources::{self, Resources},
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

/// The built-in models and tools, for nodes whose answers a case does not script. The tests of the engine use neither.
#[derive(Clone, Copy)]
pub struct BuiltIn {
    pub models: fn() -> Arc<dyn Models>,
    /// A function that returns the built-in tools. Its argument is the folder in which the tools keep their data.
    pub tools: fn(&Path) -> Arc<dyn Tools>,
}

/// The content of `run.json`: the settings of a case's run.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RunFile {
    /// The purpose of the case, for readers.
    pub shows: String,
    /// For a case from another system's documentation: how the result differs in that system, and why.
    pub differs: String,
    pub inputs: Map<String, Value>,
    /// The answers of the models.
    pub script: Script,
    /// The approval policy, as on the command line.
    pub approve: ApprovalMode,
    /// The answers of people. After each answer, the run is resumed from its journal.
    pub answers: Vec<RecordedAnswer>,
    /// The answers of tools, by name and call: a value, or an object with `$error` (code and message) or `$afterMs` (and
    /// `$value`). They take precedence over the built-in tools.
    pub tools: HashMap<String, Vec<Value>>,
    /// Whether to use the built-in models and tools instead of the scripted ones.
    pub built_in: bool,
    /// The path of the flow from the repository's root, if the flow is not in the case's folder. If this file does not exist, the
    /// case is skipped.
    pub flow: Option<String>,
    pub cancel_after_ms: Option<u64>,
    /// The path of a node. When the node starts, the run is cancelled.
    pub cancel_at: Option<String>,
    /// Whether a deadline or a failure decides the result, so that the order of completions matters.
    pub order_matters: bool,
    /// Whether the flow reads the time of the run, which differs in a fork.
    pub reads_clock: bool,
    /// Whether a flow without its own retry policy gets the default one, as in a new run.
    pub usual_retry: bool,
    /// Whether only the end of the trace is compared, because the trace is too long to read.
    pub ending_only: bool,
}

pub struct Case {
    pub name: String,
    pub folder: PathBuf,
    pub run: RunFile,
    pub flow: Flow,
    /// The file from which the flow was read. Files that the flow refers to are in the same folder.
    pub file: PathBuf,
    /// The host of the resources that loops request. It must be set if the loops of the plan have resources.
    pub resources: Arc<dyn Resources>,
    built_in: Option<BuiltIn>,
}

/// A finished run, with the requests to its models and their answers.
pub struct Remembered {
    pub whole: Done,
    /// The requests in the order of the calls.
    pub asked: Vec<ModelRequest>,
    /// The answers in the order in which they arrived. A call that was cut off has no answer.
    pub answered: Vec<Answered>,
}

/// The result of checking a case.
pub enum Checked {
    /// The flow has errors, which the string lists, and is not run.
    Invalid(String),
    Planned(Arc<Plan>),
}

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Returns the folder that contains the cases.
pub fn cases() -> PathBuf {
    root().join("src-tauri/crates/engine/tests/flows")
}

/// Reads the case in `folder`. Returns `None` if the case names a flow that does not exist on this computer.
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
        resources: resources::none(),
        built_in,
    })
}

/// Reads the cases that the environment variable `LOOPWRIGHT_CASE=one,two` names, or all cases, ordered by name.
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
                "{}: skipped, because its flow is not on this computer",
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

    /// Returns whether the case needs built-in models or tools in addition to the scripted ones.
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

    /// Runs the case with its script, and records the calls and answers of its models.
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

    /// Resumes the run from `records`, with models that return only the answers missing in `records`. Returns the run, and the
    /// counts of [`Again::counts`].
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

    /// Continues a fork that kept `records`, with models that return only the answers missing in `records`. Returns the run and
    /// the counts of [`Again::counts`], or `None` if the records do not determine the missing answers.
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

    /// Calls `run` with services that return only the answers missing in `records`. Returns the run, and the counts of
    /// [`Again::counts`].
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

    /// Returns whether a record belongs to a node that calls models.
    fn asks(&self, records: &[Record], record: &Record) -> bool {
        // A subflow fails with the error of a call inside it. That call has its own record.
        let inside = format!("{}/", record.path);
        if records.iter().any(|other| other.path.starts_with(&inside)) {
            return false;
        }
        self.tool(record).is_none()
    }

    /// Returns the tool that the record's node calls; `None` if it calls none.
    fn tool(&self, record: &Record) -> Option<String> {
        let node = self.flow.node(record.node_id.as_deref()?)?;
        let kinds = loopwright_nodes::all();
        let reaches = kinds.specs().of(node)?.reaches(&node.data);
        reaches.into_iter().next().map(|reach| reach.tool)
    }

    /// Resumes the run from `records`, with the script advanced past the recorded calls. Returns the run, and the number of
    /// model calls that it made. Use this for cases that may make different calls after the resume.
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
            // The call consumes its reply.
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

    /// Returns the tool answers that a run with these `records` has not used.
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

    /// Runs the case. A `seed` adds random pauses before answers.
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
        Services {
            models,
            tools,
            resources: Arc::clone(&self.resources),
        }
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
