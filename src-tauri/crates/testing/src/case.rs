//! A case: a flow, how it is run, and the trace that is expected.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_api::FlowsOnDisk;
use loopwright_engine::{
    Entry, KindSet, Record,
    host::{ModelContext, ModelRequest, Models, Services, Tools},
    journal::{Fact, Failed, Input, Journal, Select},
    plan::{Plan, plan},
};
use loopwright_journal::MemoryJournal;
use loopwright_model::{Flow, file, validate::check};
use loopwright_providers::{
    ProviderSet, ProviderSettings,
    fake::{FakeModels, Script},
};
use loopwright_tools::{ToolSet, ToolSettings};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    Done, Stop, execute_among, go_on,
    people::{Asks, Given, People},
    remember::{Again, Answered, Remember, calls_recorded},
    take_up_among,
    world::{Delayed, Disorder, Registry, ScriptedTools},
};

/// `run.json`: how a case is run.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct RunFile {
    /// What the case shows, for readers.
    pub(crate) shows: String,
    /// Of a case made after another system's document: how it ends otherwise than it would there, and why.
    pub(crate) differs: String,
    pub(crate) inputs: Map<String, Value>,
    /// What the models answer.
    pub(crate) script: Script,
    /// How approvals are settled, as on the command line.
    pub(crate) approve: Asks,
    /// What people answer where they are asked. Each answer takes the run up anew from its journal.
    pub(crate) answers: Vec<Given>,
    /// What tools answer, by name and call: a value, or an object with `$error` (code and message) or `$afterMs` (and `$value`).
    /// Goes before the built-in tools.
    pub(crate) tools: HashMap<String, Vec<Value>>,
    /// The built-in models and tools instead of scripted ones.
    pub(crate) built_in: bool,
    /// The flow stands elsewhere: a path from the repository's root. Where it is absent, the case is passed over.
    pub(crate) flow: Option<String>,
    pub(crate) cancel_after_ms: Option<u64>,
    /// Cancels when the node of this path starts.
    pub(crate) cancel_at: Option<String>,
    /// A deadline or a failure decides what comes out, so that the order of completions matters.
    pub(crate) order_matters: bool,
    /// A value is the time of the run, which is another in a fork.
    pub(crate) reads_clock: bool,
    /// The trace would be too long to read; the ending alone is compared.
    pub(crate) ending_only: bool,
}

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) run: RunFile,
    pub(crate) flow: Flow,
    /// Where it was read from: files that it refers to lie beside.
    pub(crate) file: PathBuf,
}

/// A run to its end, and what its models were asked and answered.
pub(crate) struct Remembered {
    pub(crate) whole: Done,
    /// In the order in which the calls were made.
    pub(crate) asked: Vec<ModelRequest>,
    /// In the order in which the answers came; a call that was cut off has none.
    pub(crate) answered: Vec<Answered>,
}

/// What becomes of a case.
pub(crate) enum Checked {
    /// It has errors, and does not run.
    Invalid(String),
    Planned(Arc<Plan>),
}

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Reads the case in `folder`; `None` where the flow it names is not on this computer.
pub(crate) fn read(folder: &Path) -> Option<Case> {
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
    let flow = file::read_value(serde_json::from_str(&text).unwrap())
        .unwrap_or_else(|error| panic!("{name}: {error:?}"));
    Some(Case {
        name,
        folder: folder.to_owned(),
        run,
        flow,
        file: path,
    })
}

impl Case {
    pub(crate) fn check(&self, kinds: &KindSet) -> Checked {
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

    /// Runs it as the script says, and gives every call of the models and every answer with it.
    pub(crate) fn remembered(&self, plan: &Arc<Plan>) -> Remembered {
        let folder = tempfile::tempdir().unwrap();
        let mut services = self.services(None, folder.path());
        let remember = Remember {
            models: services.models,
            asked: Arc::default(),
            answered: Arc::default(),
        };
        services.models = Arc::new(remember.clone());
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let whole = execute_among(
            plan,
            &self.run.inputs,
            &services,
            &journal,
            &self.stop(),
            &self.people(),
        );
        let asked = remember.asked.lock().unwrap().clone();
        let answered = remember.answered.lock().unwrap().clone();
        Remembered {
            whole,
            asked,
            answered,
        }
    }

    /// Takes the run up from `records`, with models that answer only what is not recorded.
    pub(crate) fn take_up(
        &self,
        plan: &Arc<Plan>,
        records: &[Record],
        answered: &[Answered],
    ) -> (Done, (usize, usize)) {
        self.again(records, answered, |services| {
            let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
            let inputs = &self.run.inputs;
            take_up_among(plan, inputs, services, &journal, &self.people(), records)
        })
    }

    /// Goes on with a fork that has kept `records`, with models that answer only what is not recorded there; `None` where
    /// the records do not tell what that is.
    pub(crate) fn fork(
        &self,
        plan: &Arc<Plan>,
        records: &[Record],
        answered: &[Answered],
    ) -> Option<(Done, (usize, usize))> {
        let folder = tempfile::tempdir().unwrap();
        let mut services = self.services(None, folder.path());
        let again = Arc::new(Again::beside(services.models, answered, records)?);
        services.models = Arc::clone(&again) as Arc<dyn Models>;
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let inputs = &self.run.inputs;
        let done = take_up_among(plan, inputs, &services, &journal, &self.people(), records);
        Some((done, again.counts()))
    }

    /// Goes on with the run that is in `journal`, with models that answer only what is not recorded there.
    pub(crate) fn go_on(
        &self,
        plan: &Arc<Plan>,
        journal: &Arc<dyn Journal>,
        answered: &[Answered],
    ) -> (Done, (usize, usize)) {
        let records = journal.read("run", Select::All).unwrap();
        self.again(&records, answered, |services| {
            go_on(plan, &self.run.inputs, services, journal, &self.people())
        })
    }

    /// Calls `run` with a world that answers only what `records` have no answer of; gives how many calls were made that
    /// had one, and how many answers nobody asked for.
    fn again(
        &self,
        records: &[Record],
        answered: &[Answered],
        run: impl FnOnce(&Services) -> Done,
    ) -> (Done, (usize, usize)) {
        let folder = tempfile::tempdir().unwrap();
        let mut services = self.services(None, folder.path());
        let again = Arc::new(Again::new(services.models, answered, records, |record| {
            self.asks(records, record)
        }));
        services.models = Arc::clone(&again) as Arc<dyn Models>;
        if !self.run.tools.is_empty() {
            let left = self.tools_left(records);
            services.tools = Arc::new(Registry(ScriptedTools::new(left, None)));
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

    /// Goes on with the run that is in `journal`, with the script from where the records have brought it, and gives how many
    /// calls of models were made; for cases that may now go another way, and call what was not called before.
    pub(crate) fn go_on_anew(
        &self,
        plan: &Arc<Plan>,
        journal: &Arc<dyn Journal>,
        asked: &[ModelRequest],
    ) -> (Done, usize) {
        let folder = tempfile::tempdir().unwrap();
        let mut services = self.services(None, folder.path());
        let records = journal.read("run", Select::All).unwrap();
        let over = calls_recorded(&records, |record| self.asks(&records, record), |_| true);
        let before = &asked[..over.min(asked.len())];
        let models = FakeModels::new(self.run.script.clone());
        for request in before {
            // Takes its reply.
            drop(models.call(request.clone(), ModelContext::default()));
        }
        services.models = Arc::new(models.clone());
        if !self.run.tools.is_empty() {
            let left = self.tools_left(&records);
            services.tools = Arc::new(Registry(ScriptedTools::new(left, None)));
        }
        let done = go_on(plan, &self.run.inputs, &services, journal, &self.people());
        (done, models.calls().len() - before.len())
    }

    /// What the tools have not answered yet in a run whose journal holds `records`.
    fn tools_left(&self, records: &[Record]) -> HashMap<String, Vec<Value>> {
        let mut left = self.run.tools.clone();
        for record in records {
            let answered = match &record.entry {
                Entry::Input(Input::VisitCompleted(_))
                | Entry::Fact(Fact::NodeCompleted(_))
                | Entry::Input(Input::VisitRetried(_))
                | Entry::Fact(Fact::NodeRetried(_)) => true,
                Entry::Input(Input::VisitFailed(Failed { error, .. }))
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

    /// Runs it, with completions in the order that `seed` gives, else as the script says.
    pub(crate) fn execute(
        &self,
        plan: &Arc<Plan>,
        journal: &Arc<dyn Journal>,
        seed: Option<u64>,
    ) -> Done {
        let folder = tempfile::tempdir().unwrap();
        execute_among(
            plan,
            &self.run.inputs,
            &self.services(seed, folder.path()),
            journal,
            &self.stop(),
            &self.people(),
        )
    }

    fn services(&self, seed: Option<u64>, data_dir: &Path) -> Services {
        let disorder = seed.map(Disorder::new);
        let models: Arc<dyn Models> = if self.run.built_in {
            let settings = ProviderSettings::default();
            Arc::new(ProviderSet::with_environment(&settings, &|_| None).unwrap())
        } else {
            Arc::new(FakeModels::new(self.run.script.clone()))
        };
        let models = match &disorder {
            Some(disorder) => Arc::new(Delayed {
                models,
                disorder: disorder.clone(),
            }),
            None => models,
        };
        let tools: Arc<dyn Tools> = if self.run.built_in && self.run.tools.is_empty() {
            Arc::new(ToolSet::new(&ToolSettings {
                data_dir: data_dir.to_owned(),
                ..ToolSettings::default()
            }))
        } else {
            Arc::new(Registry(ScriptedTools::new(
                self.run.tools.clone(),
                disorder,
            )))
        };
        Services { models, tools }
    }

    fn stop(&self) -> Stop {
        match (&self.run.cancel_at, self.run.cancel_after_ms) {
            (Some(path), _) => Stop::At(path.clone()),
            (None, Some(millis)) => Stop::After(millis),
            (None, None) => Stop::Never,
        }
    }
}
