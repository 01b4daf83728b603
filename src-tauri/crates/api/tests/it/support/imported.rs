//! Helpers for tests of imported loops: they check and run imported flows with scripted answers, and read the reports of
//! imports.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use loopwright_engine::{KindSet, RunStatus, host::Services, journal::Journal, plan::plan};
use loopwright_import::{Import, ImportError, Options, Outcome, import};
use loopwright_journal::MemoryJournal;
use loopwright_model::{Flow, validate::check};
use loopwright_runs::FlowsOnDisk;
use loopwright_testing::scripted::{FakeModels, Reply, Script};
use serde_json::{Map, Value, json};

use crate::support::{
    Done, Stop, execute_among,
    people::{ApprovalMode, People},
};

/// Only one run executes at a time. The scripts of all tests share their workers, and virtual time would pass while a run waits
/// for a worker.
static ALONE: Mutex<()> = Mutex::new(());

/// Returns the text of an example from a format's own document: `tea/basic.yaml`.
#[track_caller]
pub(crate) fn fixture(path: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/imports");
    fs::read_to_string(folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the files of other people's collections, if these are present next to the project.
pub(crate) fn cases(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![
        crate::support::case::root()
            .join("../shared/cases")
            .join(folder),
    ];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path
                .extension()
                .is_some_and(|kind| kind == "json" || kind == "yaml")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The data that a run receives from outside: its inputs by name, and the answers of models and tools.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) inputs: Value,
    pub(crate) replies: Vec<Reply>,
    pub(crate) http: Vec<Value>,
    /// The results that `search.documents` returns.
    pub(crate) found: Vec<Value>,
    /// The outputs that programs print.
    pub(crate) commands: Vec<Value>,
}

impl World {
    pub(crate) fn with(inputs: Value) -> Self {
        Self {
            inputs,
            ..Self::default()
        }
    }
}

pub(crate) fn imported(text: &str, dialect: Option<&str>) -> Import {
    try_import(text, dialect).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

pub(crate) fn try_import(text: &str, dialect: Option<&str>) -> Result<Import, ImportError> {
    let options = Options {
        name: Some("case".to_owned()),
        dialect: dialect.map(str::to_owned),
        ..Options::default()
    };
    import(text, &options)
}

pub(crate) fn problems(flow: &Flow, kinds: &KindSet) -> Vec<String> {
    check(flow, kinds.specs(), None, &FlowsOnDisk)
        .problems
        .into_iter()
        .filter(loopwright_model::Problem::is_error)
        .map(|problem| {
            format!(
                "{} at {}: {}",
                problem.code,
                problem.node.unwrap_or_default(),
                problem.message
            )
        })
        .collect()
}

#[track_caller]
pub(crate) fn run(flow: &Flow, world: World) -> Done {
    let kinds = loopwright_nodes::all();
    let found = problems(flow, &kinds);
    assert!(
        found.is_empty(),
        "{found:#?}\n{}",
        serde_json::to_string(&flow.nodes).unwrap()
    );
    let linked = check(flow, kinds.specs(), None, &FlowsOnDisk);
    let plan = Arc::new(plan(&linked.flow, &kinds).unwrap());
    let script = Script {
        replies: world.replies,
        ..Script::default()
    };
    let mut tools = HashMap::new();
    if !world.http.is_empty() {
        tools.insert("http.request".to_owned(), world.http);
    }
    if !world.found.is_empty() {
        tools.insert("search.documents".to_owned(), world.found);
    }
    if !world.commands.is_empty() {
        tools.insert("command".to_owned(), world.commands);
    }
    let services = Services {
        models: Arc::new(FakeModels::new(script, crate::support::sleep())),
        tools: crate::support::scripted_tools(tools),
        resources: loopwright_engine::resources::none(),
    };
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let people = People {
        approve: ApprovalMode::All,
        answers: Vec::new(),
    };
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let inputs = world.inputs.as_object().cloned().unwrap_or_default();
    execute_among(&plan, &inputs, &services, &journal, &Stop::Never, &people)
}

/// Returns the output `result` of a completed run.
#[track_caller]
pub(crate) fn result(done: &Done) -> Value {
    assert_eq!(
        done.state.status,
        RunStatus::Completed,
        "{:?}",
        done.state.error
    );
    done.state.outputs.as_ref().unwrap()["result"].clone()
}

#[track_caller]
pub(crate) fn fails(done: &Done, says: &str) {
    let error = done
        .state
        .error
        .as_ref()
        .unwrap_or_else(|| panic!("it did not fail: {:?}", done.state.outputs));
    assert!(error.message.contains(says), "{}", error.message);
}

pub(crate) fn outcomes(import: &Import, outcome: Outcome) -> Vec<String> {
    let entries = import.report.entries.iter();
    entries
        .filter(|entry| entry.outcome == outcome)
        .map(|entry| format!("{}: {}", entry.place, entry.message))
        .collect()
}

pub(crate) fn node<'f>(flow: &'f Flow, id: &str) -> &'f Map<String, Value> {
    &flow
        .node(id)
        .unwrap_or_else(|| {
            panic!(
                "no node {id}: {:?}",
                flow.nodes.iter().map(|node| &node.id).collect::<Vec<_>>()
            )
        })
        .data
}

/// Replaces the placeholder with the id `id` by a script.
pub(crate) fn replace(flow: &mut Flow, id: &str, source: &str) {
    let node = flow.nodes.iter_mut().find(|node| node.id == id).unwrap();
    assert_eq!(node.kind, "placeholder");
    "tool".clone_into(&mut node.kind);
    let mut args = json!({ "source": source });
    let wires = flow
        .edges
        .iter_mut()
        .filter(|edge| edge.target == id)
        .skip(1);
    // A placeholder accepts several wires at one handle. A script does not, so each wire gets a separate input.
    for (index, wire) in wires.enumerate() {
        args[format!("further{index}")] = Value::Null;
        wire.target_handle = Some(format!("further{index}"));
    }
    node.data = json!({ "label": id, "tool": "script.lua", "args": args })
        .as_object()
        .unwrap()
        .clone();
}

pub(crate) fn answer(status: u16, body: Value) -> Value {
    json!({ "status": status, "headers": {}, "body": body })
}
