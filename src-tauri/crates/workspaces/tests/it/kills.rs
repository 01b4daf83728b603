//! Kills at random moments: a process makes, records and restores, is ended with SIGKILL, and the next one continues.
//!
//! By default a few kills; with `LOOPWRIGHT_TORTURE=all` two hundred. `LOOPWRIGHT_SEED` sets the seed.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use loopwright_workspaces::{Base, Error, Person, Request, Source, Tree, Workspace};

use crate::support::{Place, Random, assert_unchanged, is_torture, recorded, seed, state, write};

const ROOT: &str = "LOOPWRIGHT_WORKSPACES_ROOT";

/// What the process that is killed does: it makes or opens the workspace, and then records and restores without end. Each tree
/// goes to a file once it is recorded, as a run's journal has it.
#[test]
#[ignore = "is started, and killed, by the test below"]
fn works_until_it_is_killed() {
    let root = PathBuf::from(env::var_os(ROOT).unwrap());
    let person = Person {
        home: Some(root.join("home")),
        config_home: None,
    };
    let place = root.join("data/workspaces/run-1/loop");
    let workspace = match Workspace::open(&place, &person) {
        Ok(workspace) => workspace,
        Err(Error::Missing(_)) => {
            let source = Source::look(&root.join("source"), &root.join("data"), &person).unwrap();
            let request = Request {
                source: &source,
                base: Base::Working,
                run: "run-1",
                loop_path: "fix/inner",
                place: &place,
                copy: &[],
            };
            Workspace::make(&request).unwrap().0
        }
        Err(error) => panic!("{error}"),
    };
    let journal = root.join("journal");
    for step in 0_u32.. {
        for file in 0..40 {
            write(
                &workspace.path().join(format!("d{}/f{file}", step % 3)),
                format!("{step} {file}\n").repeat(50),
            );
        }
        let tree = workspace.record().unwrap().tree;
        let mut known = fs::read_to_string(&journal).unwrap_or_default();
        known.push_str(&format!("{tree}\n"));
        fs::write(root.join("journal.partial"), &known).unwrap();
        fs::rename(root.join("journal.partial"), &journal).unwrap();
        let trees: Vec<&str> = known.lines().collect();
        let earlier: Tree = trees[usize::try_from(step).unwrap() * 7 % trees.len()]
            .parse()
            .unwrap();
        workspace.restore(&earlier).unwrap();
    }
}

#[test]
fn a_workspace_survives_kills_at_any_moment() {
    let kills = if is_torture() { 200 } else { 12 };
    let mut random = Random::new(seed());
    let place = Place::new();
    let source = place.repository();
    for at in 0..300 {
        write(
            &source.join(format!("many/{}/{at}", at % 10)),
            format!("{at}\n"),
        );
    }
    place.trap(&source);
    let before = state(&source);
    for kill in 0..kills {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["kills::works_until_it_is_killed", "--exact", "--ignored"])
            .env(ROOT, &place.root)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The first ones die while the workspace is made.
        let longest = if kill < kills / 3 { 120 } else { 900 };
        thread::sleep(Duration::from_millis(u64::from(random.below(longest))));
        let had_ended = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(
            !had_ended,
            "kill {kill}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        check(&place, kill);
        assert_unchanged(&before, &state(&source), &format!("kill {kill}"));
    }
    assert!(
        place.root.join("journal").exists(),
        "no process came as far as recording"
    );
    assert!(!place.mark().exists());
}

/// Opens the workspace after a kill: every recorded tree is there, and comes back.
fn check(place: &Place, kill: u32) {
    let workspace = match Workspace::open(&place.workspace_place(), &place.person) {
        Ok(workspace) => workspace,
        Err(Error::Missing(_)) => return,
        Err(error) => panic!("kill {kill}: {error}"),
    };
    let known = fs::read_to_string(place.root.join("journal")).unwrap_or_default();
    let trees: Vec<Tree> = known.lines().map(|line| line.parse().unwrap()).collect();
    // What the killed process left is kept.
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
    assert_eq!(recorded(&workspace.path()), left, "kill {kill}");
}

/// Each folder of a recorded tree has all files of one step.
fn whole_step(files: &Path, kill: u32) {
    for folder in ["d0", "d1", "d2"] {
        let Ok(entries) = fs::read_dir(files.join(folder)) else {
            continue;
        };
        let steps: std::collections::BTreeSet<String> = entries
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            .map(|text| text.split(' ').next().unwrap().to_owned())
            .collect();
        assert_eq!(steps.len(), 1, "kill {kill}: {folder} has {steps:?}");
    }
}
