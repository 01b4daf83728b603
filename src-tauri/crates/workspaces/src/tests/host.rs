//! Tests workspaces as the engine uses them: opened for a loop, recorded after each step, reopened after a kill or for a
//! fork, and closed. The calls have the same order as in the engine's session.

use std::{fs, path::PathBuf, sync::Arc, thread};

use crate::{ApplyBranch, KIND, Kept, Workspace, Workspaces};
use futures::executor::block_on;
use loopwright_engine::{
    CancellationToken, NodeError,
    resources::{Resource, Resources as _},
};
use serde_json::{Value, json};

use super::support::{Place, assert_unchanged, files, recorded, state, write};

/// A loop of a run, with the recorded data of its workspace.
struct Loop<'a> {
    place: &'a Place,
    resource: Resource,
}

impl<'a> Loop<'a> {
    fn new(place: &'a Place, run: &str) -> Self {
        Self::with(place, run, json!({ "source": place.source() }))
    }

    fn with(place: &'a Place, run: &str, request: Value) -> Self {
        Self {
            place,
            resource: Resource {
                run_id: run.to_owned(),
                path: "each[2]/fix".to_owned(),
                kind: KIND.into(),
                request: Arc::new(request),
                opened: None,
                state: None,
                before: None,
                reads: Arc::default(),
                parents: Vec::new(),
                is_imported: false,
                restore: false,
            },
        }
    }

    /// Returns a new host without open workspaces, as at the start of a program.
    fn host(&self) -> Workspaces {
        Workspaces::new(&self.place.data(), &self.place.person)
    }

    fn open(&mut self, host: &Workspaces) -> Result<Value, NodeError> {
        let opened = block_on(host.open(self.resource.clone(), CancellationToken::new()))?;
        self.resource.opened = Some(Arc::new(opened.clone()));
        Ok(opened)
    }

    fn reopen(&mut self, host: &Workspaces) -> Result<Value, NodeError> {
        let opened = block_on(host.reopen(self.resource.clone(), CancellationToken::new()))?;
        self.resource.opened = Some(Arc::new(opened.clone()));
        self.resource.parents.clear();
        Ok(opened)
    }

    /// Runs a step, which is a shell script. Returns the recorded state after the step.
    fn step(&mut self, host: &Workspaces, script: &str) -> Value {
        self.place.shell(&self.path(), script);
        let state = block_on(host.state(self.resource.clone())).unwrap();
        self.resource.state = Some(Arc::new(state.clone()));
        state
    }

    fn close(&self, host: &Workspaces) -> Result<Value, NodeError> {
        block_on(host.close(self.resource.clone()))
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(
            self.resource.opened.as_ref().unwrap()["path"]
                .as_str()
                .unwrap(),
        )
    }

    /// Returns the same loop in a run that is forked from this one after its last step.
    fn fork(&self, run: &str) -> Loop<'a> {
        let mut resource = self.resource.clone();
        resource.parents.insert(0, resource.run_id.clone());
        resource.run_id = run.to_owned();
        Loop {
            place: self.place,
            resource,
        }
    }
}

fn code<T: std::fmt::Debug>(result: Result<T, NodeError>) -> String {
    result.unwrap_err().code
}

fn refs(place: &Place) -> String {
    place.git(
        &place.source(),
        &["for-each-ref", "--format=%(refname)", "refs/loopwright"],
    )
}

#[test]
fn a_loop_works_in_its_workspace_and_leaves_a_result() {
    let place = Place::new();
    let source = place.repository();
    let before = state(&source);
    let mut of = Loop::new(&place, "run-1");
    let host = of.host();
    let opened = of.open(&host).unwrap();
    assert_eq!(opened["base"], place.git(&source, &["rev-parse", "HEAD"]));
    assert_eq!(opened["branch"], "main");
    assert_eq!(recorded(&of.path()), recorded(&source));
    let nothing = of.step(&host, "true");
    assert_eq!(nothing["tree"], opened["tree"]);
    let one = of.step(&host, "echo 1 > one.txt; echo x > x.log");
    assert_ne!(one["tree"], opened["tree"]);
    let two = of.step(&host, "rm src/b.py");
    assert!(host.find("run-1", "each[2]/fix").is_some());
    // The files of an interrupted step are not part of the result.
    write(&of.path().join("half"), "half");
    let closed = of.close(&host).unwrap();
    assert!(host.find("run-1", "each[2]/fix").is_none());
    assert_eq!(closed["tree"], two["tree"]);
    assert_eq!(
        (
            &closed["filesChanged"],
            &closed["insertions"],
            &closed["deletions"]
        ),
        (&json!(2), &json!(1), &json!(1))
    );
    let patch = closed["patch"].as_str().unwrap();
    assert!(
        patch.contains("one.txt") && !patch.contains("half"),
        "{patch}"
    );
    assert_eq!(closed["patchFile"], Value::Null);
    assert_unchanged(&before, &state(&source), "source");
    // If the host was killed before its answer was recorded, the workspace is closed again.
    assert_eq!(of.close(&of.host()).unwrap(), closed);
    // The result can be applied later.
    let [kept] = &host.places("run-1")[..] else {
        panic!("{:?}", host.places("run-1"))
    };
    let workspace = Workspace::open(kept, &place.person).unwrap();
    let kept = Kept {
        tree: two["tree"].as_str().unwrap().parse().unwrap(),
        iteration: 2,
        subject: String::new(),
        body: String::new(),
        score: None,
        cost: None,
        time: 0,
    };
    let apply = ApplyBranch {
        name: "fixed",
        kept: &[kept],
        squash: true,
    };
    workspace.apply_branch(&apply).unwrap();
    let tree = place.git(&source, &["rev-parse", "fixed^{tree}"]);
    assert_eq!(two["tree"], tree);
    let commit = closed["commit"].as_str().unwrap();
    let record = workspace.place().join("record.git");
    let in_record = place.git(&record, &["rev-parse", &format!("{commit}^{{tree}}")]);
    assert_eq!(in_record, tree);
}

#[test]
fn a_large_result_is_a_file() {
    let place = Place::new();
    place.repository();
    let mut of = Loop::new(&place, "run-1");
    let host = of.host();
    of.open(&host).unwrap();
    of.step(&host, "seq 1 300000 > large.txt");
    let closed = of.close(&host).unwrap();
    assert_eq!(closed["patch"], Value::Null);
    let file = closed["patchFile"].as_str().unwrap();
    assert!(fs::read_to_string(file).unwrap().ends_with("+300000\n"));
}

#[test]
fn after_a_kill_the_last_recorded_step_is_restored_and_the_rest_kept() {
    let place = Place::new();
    place.repository();
    let mut of = Loop::new(&place, "run-1");
    let host = of.host();
    of.open(&host).unwrap();
    of.step(&host, "echo 1 > one.txt");
    of.step(&host, "echo 2 > two.txt; printf 'a\\r\\nb\\n' > mixed.txt");
    let expected = recorded(&of.path());
    of.place
        .shell(&of.path(), "rm one.txt; echo half > three.txt");
    let half = recorded(&of.path());
    drop(host);
    let host = of.host();
    let opened = of.reopen(&host).unwrap();
    assert_eq!(recorded(&of.path()), expected);
    let workspace = host.find("run-1", "each[2]/fix").unwrap();
    workspace
        .restore(&opened["left"].as_str().unwrap().parse().unwrap())
        .unwrap();
    assert_eq!(recorded(&of.path()), half);
    drop(workspace);
    // The run is paused and continued in the same program.
    let opened = of.reopen(&host).unwrap();
    assert_eq!(recorded(&of.path()), expected);
    assert!(opened["left"].is_string());
    // Another program continues the run, once this one releases it.
    host.release("run-1");
    let other = of.host();
    let opened = of.reopen(&other).unwrap();
    assert_eq!(opened.get("left"), None);
    assert_eq!(of.close(&other).unwrap()["filesChanged"], 3);
}

#[test]
fn an_opening_without_an_answer_is_done_again_or_leaves_nothing() {
    let place = Place::new();
    let source = place.repository();
    // The program was killed after the workspace was complete, or while it was being created.
    for is_complete in [true, false] {
        let mut of = Loop::new(&place, "run-1");
        let host = of.host();
        of.open(&host).unwrap();
        host.release("run-1");
        of.resource.opened = None;
        let [kept] = &host.places("run-1")[..] else {
            panic!("not one place")
        };
        if !is_complete {
            fs::remove_file(kept.join("workspace.json")).unwrap();
            fs::remove_dir_all(kept.join("files/src")).unwrap();
        }
        let host = of.host();
        of.open(&host).unwrap();
        assert_eq!(recorded(&of.path()), recorded(&source));
        assert_eq!(host.places("run-1").len(), 1);
        host.release("run-1");
        // The run is stopped instead of resumed.
        if !is_complete {
            fs::remove_file(kept.join("workspace.json")).unwrap();
        }
        of.resource.opened = None;
        assert_eq!(of.close(&of.host()).unwrap(), Value::Null);
        assert_eq!(refs(&place), "");
        assert_eq!(files(&place.data()).len(), 0);
    }
    let of = Loop::new(&place, "run-1");
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let host = of.host();
    let opened = block_on(host.open(of.resource.clone(), cancelled));
    assert_eq!(code(opened), "cancelled");
    assert_eq!(of.close(&host).unwrap(), Value::Null);
    assert_eq!(refs(&place), "");
}

#[test]
fn a_loop_that_runs_again_keeps_the_earlier_result() {
    let place = Place::new();
    place.repository();
    let mut of = Loop::new(&place, "run-1");
    let host = of.host();
    of.open(&host).unwrap();
    of.step(&host, "echo 1 > one.txt");
    let first = of.close(&host).unwrap();
    of.resource.opened = None;
    of.resource.state = None;
    of.open(&host).unwrap();
    assert!(!of.path().join("one.txt").exists());
    assert_eq!(of.close(&host).unwrap()["filesChanged"], 0);
    let places = host.places("run-1");
    assert_eq!(places.len(), 2);
    let tree = first["tree"].as_str().unwrap().parse().unwrap();
    let has = |place_of: &PathBuf| {
        let workspace = Workspace::open(place_of, &place.person).unwrap();
        workspace.has(&tree).unwrap()
    };
    assert_eq!(places.iter().filter(|place| has(place)).count(), 1);
}

#[test]
fn a_fork_has_the_files_of_its_place_in_a_workspace_of_its_own() {
    let place = Place::new();
    place.repository();
    let mut parent = Loop::new(&place, "run-1");
    let host = parent.host();
    parent.open(&host).unwrap();
    let mut at_base = parent.fork("run-2");
    parent.step(&host, "echo 1 > one.txt");
    let (mut behind_one, then) = (parent.fork("run-3"), recorded(&parent.path()));
    parent.step(&host, "rm one.txt; echo 2 > two.txt");
    let parents = recorded(&parent.path());
    at_base.reopen(&host).unwrap();
    assert_eq!(recorded(&at_base.path()), recorded(&place.source()));
    behind_one.reopen(&host).unwrap();
    assert_eq!(recorded(&behind_one.path()), then);
    behind_one.step(&host, "echo own > own.txt");
    assert_eq!(recorded(&parent.path()), parents);
    // A fork of a fork that never opened its own workspace gets the files from its grandparent.
    let mut grandchild = parent.fork("run-4").fork("run-5");
    grandchild.reopen(&host).unwrap();
    assert_eq!(recorded(&grandchild.path()), parents);
    // A fork outlives its parent. A fork whose parent's workspace was removed reports this.
    let late = parent.fork("run-6");
    parent.close(&host).unwrap();
    for kept in host.places("run-1") {
        Workspace::remove(&kept, &place.person).unwrap();
    }
    assert_eq!(behind_one.close(&host).unwrap()["filesChanged"], 2);
    let mut gone = late;
    assert_eq!(code(gone.reopen(&host)), "workspace_lost");
    assert_eq!(gone.close(&host).unwrap(), Value::Null);
    assert!(!refs(&place).contains("run-6"));
}

#[test]
fn what_is_damaged_is_made_again_if_it_can_be() {
    let place = Place::new();
    let source = place.repository();
    let mut of = Loop::new(&place, "run-1");
    let host = of.host();
    of.open(&host).unwrap();
    host.release("run-1");
    let remove = || fs::remove_dir_all(place.data().join("workspaces/run-1")).unwrap();
    // No step had changed anything, so the workspace can be recreated from the base.
    remove();
    let host = of.host();
    of.reopen(&host).unwrap();
    assert_eq!(recorded(&of.path()), recorded(&source));
    of.step(&host, "echo 1 > one.txt");
    host.release("run-1");
    fs::remove_dir_all(of.path()).unwrap();
    let host = of.host();
    of.reopen(&host).unwrap();
    assert_eq!(fs::read(of.path().join("one.txt")).unwrap(), b"1\n");
    host.release("run-1");
    remove();
    assert_eq!(code(of.reopen(&of.host())), "workspace_lost");
    // The run was imported from another computer.
    of.resource.is_imported = true;
    assert_eq!(code(of.reopen(&of.host())), "workspace_lost");
    assert_eq!(of.close(&of.host()).unwrap(), Value::Null);
}

#[test]
fn settings_that_cannot_be_used_say_so() {
    let place = Place::new();
    place.repository();
    for (request, expected) in [
        (json!({}), "workspace_settings"),
        (json!({ "source": "relative" }), "workspace_settings"),
        (
            json!({ "source": place.source(), "bse": "x" }),
            "workspace_settings",
        ),
        (
            json!({ "source": place.source(), "base": "no-branch" }),
            "workspace_refused",
        ),
        (
            json!({ "source": place.root.join("missing") }),
            "workspace_refused",
        ),
    ] {
        let mut of = Loop::with(&place, "run-1", request.clone());
        let host = of.host();
        assert_eq!(code(of.open(&host)), expected, "{request}");
        assert_eq!(of.close(&host).unwrap(), Value::Null);
    }
    let mut of = Loop::new(&place, "run-1");
    of.resource.kind = "container".into();
    assert_eq!(code(of.open(&of.host())), "no_resource");
    assert_eq!(files(&place.data()).len(), 0);
}

#[test]
fn loops_of_several_runs_work_on_one_repository_at_the_same_time() {
    let place = Place::new();
    let source = place.repository();
    place.trap(&source);
    let before = state(&source);
    thread::scope(|scope| {
        for run in 0..4 {
            let place = &place;
            scope.spawn(move || {
                let base = if run % 2 == 0 { "head" } else { "working" };
                let request = json!({ "source": place.source(), "base": base });
                let mut of = Loop::with(place, &format!("run-{run}"), request);
                let host = of.host();
                of.open(&host).unwrap();
                for step in 0..3 {
                    of.step(
                        &host,
                        &format!("echo {run} > same.txt; echo {step} > f{step}"),
                    );
                }
                let mut fork = of.fork(&format!("fork-{run}"));
                fork.reopen(&host).unwrap();
                assert_eq!(recorded(&fork.path()), recorded(&of.path()));
                assert_eq!(of.close(&host).unwrap()["filesChanged"], 4);
                fork.close(&host).unwrap();
                let text = fs::read_to_string(of.path().join("same.txt")).unwrap();
                assert_eq!(text, format!("{run}\n"));
            });
        }
    });
    assert_unchanged(&before, &state(&source), "source");
    assert_eq!(refs(&place).lines().count(), 8);
    assert!(!place.mark().exists());
    let host = Workspaces::new(&place.data(), &place.person);
    for run in (0..4).flat_map(|run| [format!("run-{run}"), format!("fork-{run}")]) {
        for kept in host.places(&run) {
            Workspace::remove(&kept, &place.person).unwrap();
        }
    }
    assert_eq!(refs(&place), "");
}

#[test]
fn a_loop_can_end_with_an_earlier_state() {
    let place = Place::new();
    place.repository();
    let mut looping = Loop::new(&place, "run");
    let host = looping.host();
    looping.open(&host).unwrap();
    let best = looping.step(&host, "echo best > answer");
    let worse = looping.step(&host, "echo worse > answer; echo more > other");
    assert_ne!(best, worse);
    // The files of an interrupted step.
    place.shell(&looping.path(), "echo left > leftover");
    looping.resource.state = Some(Arc::new(best.clone()));
    looping.resource.restore = true;
    let closed = looping.close(&host).unwrap();
    assert_eq!(closed["tree"], best["tree"]);
    assert_eq!(closed["filesChanged"], 1, "{closed}");
    let left = |name: &str| fs::read_to_string(looping.path().join(name)).ok();
    assert_eq!(left("answer").as_deref(), Some("best\n"));
    assert_eq!(left("other"), None);
    assert_eq!(left("leftover"), None);
    // A close that is repeated after a kill gives the same result.
    assert_eq!(looping.close(&looping.host()).unwrap(), closed);
}

#[test]
fn a_pattern_that_protects_nothing_is_named() {
    let place = Place::new();
    let source = place.repository();
    let request = json!({ "source": source, "protect": ["src/**", "tests/**"] });
    let mut looping = Loop::with(&place, "run", request);
    let opened = looping.open(&looping.host()).unwrap();
    let notes = opened["notes"].to_string();
    assert!(
        notes.contains("tests/**") && !notes.contains("src/**"),
        "{notes}"
    );
}
