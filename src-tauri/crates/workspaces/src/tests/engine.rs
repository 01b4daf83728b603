//! Tests runs of the engine in which the steps of a loop change its workspace: complete, killed at each record and resumed,
//! forked, and replayed. Only the time is simulated. The workspaces are real.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use crate::{KIND, Workspaces};
use futures::{
    executor::block_on,
    future::{BoxFuture, FutureExt as _, lazy},
};
use loopwright_engine::{
    CancellationToken, NodeError,
    journal::{Entry, Fact, Input, Record},
    plan::{Plan, Repeat, repeat::ResourceConfig},
    resources::{Resource, Resources},
    run::{
        Plans,
        fork::{Place as ForkPlace, fork},
    },
};
use loopwright_model::EffectClass;
use loopwright_testing::{
    case::{self, Case, Checked, Remembered},
    check::{replays, same},
    simulation::Simulation,
    sound::{ended, summary},
};
use serde_json::{Map, Value, json};

use super::support::{Place, assert_unchanged, is_torture, state};

type Answer = Result<Value, NodeError>;

/// Workspaces in which each step adds one file. Operations block, which is harmless because nothing else waits in simulated
/// time.
struct Steps {
    workspaces: Mutex<Workspaces>,
    next: AtomicU32,
    /// For each recorded tree, the files in it that steps added.
    trees: Mutex<BTreeMap<String, BTreeSet<PathBuf>>>,
    reopened: AtomicU32,
}

fn files_of_steps(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| PathBuf::from(entry.unwrap().file_name()));
    names
        .filter(|name| name.to_string_lossy().starts_with("step-"))
        .collect()
}

fn now(act: impl FnOnce() -> Answer + Send + 'static) -> BoxFuture<'static, Answer> {
    lazy(|_| act()).boxed()
}

impl Steps {
    fn new(data: &Path, place: &Place) -> Arc<Self> {
        Arc::new(Self {
            workspaces: Mutex::new(Workspaces::new(data, &place.person)),
            next: AtomicU32::new(1),
            trees: Mutex::default(),
            reopened: AtomicU32::new(0),
        })
    }

    fn workspaces(&self) -> Workspaces {
        self.workspaces.lock().unwrap().clone()
    }

    /// Returns the files in a recorded state.
    fn files_of(&self, state: Option<&Value>) -> BTreeSet<PathBuf> {
        state.map_or_else(BTreeSet::new, |state| {
            let tree = state["tree"].as_str().unwrap();
            self.trees.lock().unwrap()[tree].clone()
        })
    }

    /// Asserts that a state or an answer lists the files that the iteration has added to the state `before`.
    fn assert_tells(&self, told: &Value, before: Option<&Value>, files: &BTreeSet<PathBuf>) {
        let before = self.files_of(before);
        let added: BTreeSet<PathBuf> = files.difference(&before).cloned().collect();
        let changes = told["iteration"]["changes"].as_array().unwrap();
        let listed = changes.iter().map(|file| {
            assert_eq!(
                (&file["kind"], &file["insertions"]),
                (&json!("added"), &json!(1))
            );
            PathBuf::from(file["path"].as_str().unwrap())
        });
        assert_eq!(listed.collect::<BTreeSet<_>>(), added);
        let diff = told["iteration"]["diff"].as_str().unwrap();
        assert_eq!(diff.matches("\n+++ b/step-").count(), added.len(), "{diff}");
    }

    /// Discards the open workspaces, as if the program had been killed.
    fn kill(&self, data: &Path, place: &Place) {
        *self.workspaces.lock().unwrap() = Workspaces::new(data, &place.person);
    }
}

/// Shares the steps with the services of a run.
struct Shared(Arc<Steps>);

impl Resources for Shared {
    fn open(&self, resource: Resource, cancel: CancellationToken) -> BoxFuture<'static, Answer> {
        let workspaces = self.0.workspaces();
        now(move || block_on(workspaces.open(resource, cancel)))
    }

    fn reopen(&self, resource: Resource, cancel: CancellationToken) -> BoxFuture<'static, Answer> {
        let steps = Arc::clone(&self.0);
        now(move || {
            let (recorded, before) = (resource.state.clone(), resource.before.clone());
            let opened = block_on(steps.workspaces().reopen(resource, cancel))?;
            let files = files_of_steps(Path::new(opened["path"].as_str().unwrap()));
            assert_eq!(files, steps.files_of(recorded.as_deref()));
            steps.assert_tells(&opened, before.as_deref(), &files);
            steps.reopened.fetch_add(1, Ordering::Relaxed);
            Ok(opened)
        })
    }

    fn state(&self, resource: Resource) -> BoxFuture<'static, Answer> {
        let steps = Arc::clone(&self.0);
        now(move || {
            let opened = resource.opened.clone().unwrap();
            let path = Path::new(opened["path"].as_str().unwrap());
            let step = steps.next.fetch_add(1, Ordering::Relaxed);
            fs::write(path.join(format!("step-{step}")), step.to_string()).unwrap();
            let before = resource.before.clone();
            let state = block_on(steps.workspaces().state(resource))?;
            let tree = state["tree"].as_str().unwrap().to_owned();
            let files = files_of_steps(path);
            steps.assert_tells(&state, before.as_deref(), &files);
            steps.trees.lock().unwrap().insert(tree, files);
            Ok(state)
        })
    }

    fn close(&self, resource: Resource) -> BoxFuture<'static, Answer> {
        let workspaces = self.0.workspaces();
        now(move || block_on(workspaces.close(resource)))
    }
}

/// Returns a flow with a loop of two iterations, in which models answer three times.
fn loop_with_workspace(place: &Place) -> (Case, Arc<Plan>) {
    let case = case::read(&case::cases().join("loop-handles"), None).unwrap();
    let Checked::Planned(mut plan) = case.check(&loopwright_nodes::all()) else {
        panic!("the flow has errors")
    };
    let graphs = &mut Arc::get_mut(&mut plan).unwrap().graphs;
    for graph in Arc::get_mut(graphs).unwrap().iter_mut() {
        graph.reads_of_resource = ["changes".into(), "diff".into()].into();
        if let Some(Repeat::Loop(config)) = &mut graph.repeat {
            Arc::get_mut(config).unwrap().resource = Some(ResourceConfig {
                kind: KIND.into(),
                request: Arc::new(json!({ "source": place.source() })),
                changed_by: EffectClass::Reads,
                undoes_unfinished: false,
                of_iteration: Map::new(),
            });
        }
    }
    (case, plan)
}

/// Returns the answer to the close in a finished run that opened one workspace.
fn closed(records: &[Record]) -> Value {
    ended(records).unwrap();
    let mut found = Vec::new();
    for record in records {
        match &record.entry {
            Entry::Input(Input::ScopeOpened(answer) | Input::ScopeReopened(answer)) => {
                assert_eq!(answer.error, None);
            }
            Entry::Input(Input::ScopeClosed(answer)) => {
                assert_eq!(answer.error, None);
                found.push((*answer.value).clone());
            }
            _ => {}
        }
    }
    assert_eq!(found.len(), 1);
    found.remove(0)
}

#[test]
fn a_run_keeps_its_files_through_kills_and_forks() {
    let place = Place::new();
    let source = place.repository();
    place.trap(&source);
    let before = state(&source);
    let (mut case, plan) = loop_with_workspace(&place);
    let data = |name: &str| place.data().join(name);
    let begin = |case: &mut Case, name: &str| {
        let steps = Steps::new(&data(name), &place);
        case.resources = Arc::new(Shared(Arc::clone(&steps)));
        steps
    };
    let steps = begin(&mut case, "whole");
    let Remembered {
        whole, answered, ..
    } = case.remembered(&Simulation::new(), &plan);
    let count = u64::from(steps.next.load(Ordering::Relaxed)) - 1;
    assert!(count >= 3, "{count} steps changed files");
    let result = closed(&whole.records);
    assert_eq!(result["filesChanged"], count);
    assert_eq!(result["insertions"], count);
    // A replay has no workspace and needs none.
    fs::remove_dir_all(data("whole/workspaces")).unwrap();
    replays(&case, &plan, &whole).unwrap();
    assert!(!data("whole/workspaces").exists());

    let every = if is_torture() { 1 } else { 6 };
    let mut reopened = 0;
    for length in (2..whole.records.len()).step_by(every) {
        let name = format!("killed-{length}");
        let steps = begin(&mut case, &name);
        let host = Simulation::new();
        let killed = case.execute(&host.revived().killed_after(length), &plan, None);
        steps.kill(&data(&name), &place);
        let (done, calls) = case.resume(&host.revived(), &plan, &killed.records, &answered);
        assert_eq!(calls, (0, 0), "{name}");
        same(&name, &summary(&whole), &summary(&done)).unwrap();
        closed(&done.records);
        reopened += steps.reopened.load(Ordering::Relaxed);
    }
    assert!(reopened > 0, "no workspace was opened again");

    forks(&place, &mut case, &plan);
    assert_unchanged(&before, &state(&source), "source");
    assert!(!place.mark().exists());
}

/// Forks a run at each of its steps. The fork has the files of that step, even if the parent's workspace changes later.
fn forks(place: &Place, case: &mut Case, plan: &Arc<Plan>) {
    let data = place.data().join("forks");
    let steps = Steps::new(&data, place);
    case.resources = Arc::new(Shared(Arc::clone(&steps)));
    let Remembered {
        whole, answered, ..
    } = case.remembered(&Simulation::new(), plan);
    // The simulation gives every run the same id, so the parent's workspaces are renamed.
    let workspaces = data.join("workspaces");
    fs::rename(workspaces.join("run"), workspaces.join("parent")).unwrap();
    let plans = Plans::from(Arc::clone(plan));
    let then = plans.clone().then(Arc::clone(plan));
    let last = whole.records.last().map_or(0, |record| record.at);
    let started = whole.records.iter().filter(|record| {
        let is_step = matches!(record.entry, Entry::Fact(Fact::NodeStarted { .. }));
        is_step && record.path.contains("refine[") && !record.path.ends_with("/exit")
    });
    let mut reopened = 0;
    for at in started.map(|record| record.path.clone()) {
        steps.kill(&data, place);
        let fork_place = ForkPlace {
            parent: "parent".to_owned(),
            at: at.clone(),
            beyond: false,
            given: None,
            now: last + 60_000,
        };
        let begun = fork(&plans, &then, &case.run.inputs, &whole.records, &fork_place).unwrap();
        let forked = case.fork(&Simulation::new(), plan, &begun.records, &answered);
        if let Some((done, calls)) = forked {
            assert_eq!(calls, (0, 0), "{at}");
            same(&at, &summary(&whole), &summary(&done)).unwrap();
            closed(&done.records);
        }
        if workspaces.join("run").exists() {
            fs::remove_dir_all(workspaces.join("run")).unwrap();
        }
        reopened += steps.reopened.swap(0, Ordering::Relaxed);
    }
    assert!(
        reopened > 1,
        "{reopened} forks opened a workspace of their own"
    );
}
