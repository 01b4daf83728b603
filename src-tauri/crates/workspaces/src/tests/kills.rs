//! Tests kills at random moments. A process creates, records, restores, protects, forks, applies and removes workspaces
//! until it is killed with SIGKILL, and the next process continues. Every second time, the git commands that it started are
//! killed, too.
//!
//! By default there are a few kills; with `LOOPWRIGHT_TORTURE=all` there are two hundred. `LOOPWRIGHT_SEED` sets the seed.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Instant,
};

use crate::{ApplyBranch, Base, Error, Fork, Kept, Person, Request, Source, Tree, Workspace};

use super::support::{Place, Random, assert_unchanged, is_torture, recorded, seed, state, write};

const ROOT: &str = "LOOPWRIGHT_WORKSPACES_ROOT";
/// The names of the files that a process writes in the root: the journal of trees, and the name of the current operation.
const JOURNAL: &str = "journal";

fn open_or_make(root: &Path, person: &Person) -> Workspace {
    let place = root.join("data/workspaces/run-1/loop");
    match Workspace::open(&place, person) {
        Ok(workspace) => workspace,
        Err(Error::Missing(_)) => {
            let source = Source::look(&root.join("source"), &root.join("data"), person).unwrap();
            let request = Request {
                source: &source,
                base: Base::Working,
                run: "run-1",
                loop_path: "fix/inner",
                place: &place,
            };
            Workspace::make(&request).unwrap().0
        }
        Err(error) => panic!("{error}"),
    }
}

/// Takes one step: changes files, records them, and restores an earlier tree.
fn step(root: &Path, person: &Person, workspace: &Workspace, step: usize) {
    let files = workspace.path();
    for file in 0..20 {
        write(
            &files.join(format!("d{}/f{file}", step % 3)),
            format!("{step} {file}\n").repeat(50),
        );
    }
    // git would restore this file with other line endings.
    write(&files.join("mixed.txt"), format!("{step}\r\nlf\n"));
    let tree = workspace.record().unwrap().tree;
    let journal = root.join(JOURNAL);
    let mut known = fs::read_to_string(&journal).unwrap_or_default();
    known.push_str(&format!("{tree}\n"));
    fs::write(root.join("journal.partial"), &known).unwrap();
    fs::rename(root.join("journal.partial"), &journal).unwrap();
    let trees: Vec<Tree> = known.lines().map(|line| line.parse().unwrap()).collect();
    let earlier = &trees[step * 7 % trees.len()];
    workspace.restore(earlier).unwrap();
    write(&files.join("a.txt"), format!("{step}\n"));
    workspace
        .protect(&["a.txt".to_owned()], workspace.base_tree())
        .unwrap();
    let place = root.join(format!("data/fork-{}", step % 2));
    Workspace::remove(&place, person).unwrap();
    let fork = Fork {
        parent: workspace.place(),
        tree: earlier,
        run: &format!("fork-{}", step % 2),
        loop_path: "l",
        place: &place,
    };
    drop(Workspace::fork(&fork, person).unwrap());
    let kept = Kept {
        tree: tree.clone(),
        iteration: 1,
        subject: String::new(),
        body: String::new(),
        score: None,
        cost: None,
        time: 0,
    };
    let name = format!("applied/{}-{step}", std::process::id());
    workspace
        .apply_branch(&ApplyBranch {
            name: &name,
            kept: &[kept],
            squash: false,
        })
        .unwrap();
}

/// The code of the process that is killed. The process takes steps until it is killed.
#[test]
#[ignore = "is started, and killed, by the test below"]
fn works_until_it_is_killed() {
    let root = PathBuf::from(env::var_os(ROOT).unwrap());
    let person = Person {
        home: Some(root.join("home")),
        config_home: None,
    };
    let workspace = open_or_make(&root, &person);
    for at in 0.. {
        step(&root, &person, &workspace, at);
    }
}

#[test]
fn a_workspace_survives_kills_at_any_moment() {
    let kills = if is_torture() { 200 } else { 8 };
    let mut random = Random::new(seed());
    let place = Place::new();
    let source = place.repository();
    place.git(&source, &["config", "core.autocrlf", "input"]);
    for at in 0..300 {
        write(
            &source.join(format!("many/{}/{at}", at % 10)),
            format!("{at}\n"),
        );
    }
    place.trap(&source);
    let before = without_branches(&source);
    // The duration of an attempt depends on the load of this computer.
    let began = Instant::now();
    let workspace = open_or_make(&place.root, &place.person);
    let making = began.elapsed();
    step(&place.root, &place.person, &workspace, 0);
    let one_step = began.elapsed() - making;
    drop(workspace);
    for at in ["data/workspaces/run-1/loop", "data/fork-0"] {
        Workspace::remove(&place.root.join(at), &place.person).unwrap();
    }
    fs::remove_file(place.root.join(JOURNAL)).unwrap();
    let mut is_recorded = false;
    let mut at = 0;
    while at < kills || !is_recorded {
        assert!(at < kills * 4, "no process came as far as recording");
        // The first processes are killed while the workspace is being created.
        let longest = if at < kills / 3 {
            making
        } else {
            making + 2 * one_step
        };
        let child = start(&place);
        thread::sleep(longest.mul_f64(f64::from(random.below(1000)) / 1000.0));
        end(child, (at % 2 == 1).then_some(&source), at);
        check(&place, at);
        assert_unchanged(&before, &without_branches(&source), &format!("kill {at}"));
        is_recorded |= place.root.join(JOURNAL).exists();
        at += 1;
    }
    assert!(!place.mark().exists());
    // After everything is removed, no unknown ref remains.
    for at in ["workspaces/run-1/loop", "fork-0", "fork-1"] {
        Workspace::remove(&place.data().join(at), &place.person).unwrap();
    }
    assert_eq!(place.git(&source, &["for-each-ref", "refs/loopwright"]), "");
}

fn start(place: &Place) -> Child {
    Command::new(env::current_exe().unwrap())
        .args([
            "tests::kills::works_until_it_is_killed",
            "--exact",
            "--ignored",
        ])
        .env(ROOT, &place.root)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Kills a process. If `with_git` is the source repository, also kills the commands that the process started, except those
/// whose working directory is in the source: a killed git command would leave its lock there, as git always does.
fn end(mut child: Child, with_git: Option<&PathBuf>, kill: u32) {
    let had_ended = child.try_wait().unwrap().is_some();
    let mut started = Vec::new();
    if let Some(source) = with_git {
        started = children(child.id());
        started.retain(|id| {
            fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|at| !at.starts_with(source))
        });
    }
    child.kill().unwrap();
    for id in started {
        // The process may already have exited.
        let _ = Command::new("kill")
            .args(["-9", &id.to_string()])
            .stderr(Stdio::null())
            .status();
    }
    let output = child.wait_with_output().unwrap();
    assert!(
        !had_ended,
        "kill {kill}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Returns the processes that a process has started, directly or indirectly.
fn children(of: u32) -> Vec<u32> {
    let mut found = vec![of];
    let mut at = 0;
    while let Some(id) = found.get(at).copied() {
        let threads = fs::read_dir(format!("/proc/{id}/task"));
        for thread in threads.into_iter().flatten().flatten() {
            let text = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            found.extend(text.split_whitespace().map(|id| id.parse::<u32>().unwrap()));
        }
        at += 1;
    }
    found.remove(0);
    found
}

/// Returns the state of a source without the branches that the processes create, and without objects.
fn without_branches(source: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = state(source);
    found.retain(|path, _| {
        !path.starts_with(".git/objects") && !path.starts_with(".git/refs/heads/applied")
    });
    found
}

/// Opens the workspace after a kill, and checks that every recorded tree exists and can be restored.
fn check(place: &Place, kill: u32) {
    let workspace = match Workspace::open(&place.workspace_place(), &place.person) {
        Ok(workspace) => workspace,
        Err(Error::Missing(_)) => return,
        Err(error) => panic!("kill {kill}: {error}"),
    };
    let known = fs::read_to_string(place.root.join(JOURNAL)).unwrap_or_default();
    let trees: Vec<Tree> = known.lines().map(|line| line.parse().unwrap()).collect();
    // The files that the killed process left are kept.
    let left = recorded(&workspace.path());
    let half = workspace.record().unwrap().tree;
    for tree in trees.iter().rev().take(3) {
        workspace.restore(tree).unwrap();
        assert_eq!(workspace.record().unwrap().tree, *tree, "kill {kill}");
        whole_step(&workspace.path(), kill);
    }
    for tree in &trees {
        assert!(workspace.has(tree).unwrap(), "kill {kill}: {tree}");
    }
    workspace.restore(&half).unwrap();
    assert!(
        recorded(&workspace.path()) == left,
        "kill {kill}: files differ"
    );
}

/// Checks that each folder of a recorded tree has all files of one step.
fn whole_step(files: &Path, kill: u32) {
    for folder in ["d0", "d1", "d2"] {
        let Ok(entries) = fs::read_dir(files.join(folder)) else {
            continue;
        };
        let steps: BTreeSet<String> = entries
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            .map(|text| text.split(' ').next().unwrap().to_owned())
            .collect();
        assert_eq!(steps.len(), 1, "kill {kill}: {folder} has {steps:?}");
    }
}
