//! Tests that a fork has the files of step k, byte for byte, and does not depend on the parent.

use std::fs;

use crate::{Base, Error, Fork, Note, Workspace};

use super::support::{Place, recorded, write};

#[test]
fn a_fork_of_any_step_has_its_files_and_outlives_the_parent() {
    for base in [Base::Head, Base::Working] {
        let place = Place::new();
        let source = place.repository();
        write(&source.join("uncommitted.txt"), "uncommitted");
        let (workspace, report) = place.make(base.clone());
        let mut steps = vec![(report.tree, recorded(&workspace.path()))];
        for step in [
            "echo one > one.txt; chmod +x a.txt",
            "rm -r src; ln -s a.txt other",
            "mkdir src; echo three > src/three; rm one.txt",
        ] {
            place.shell(&workspace.path(), step);
            steps.push((
                workspace.record().unwrap().tree,
                recorded(&workspace.path()),
            ));
        }
        let parent = workspace.place().to_path_buf();
        // The parent is still open, and a program has broken its repository.
        fs::remove_dir_all(workspace.files().join(".git")).unwrap();
        let mut forks = Vec::new();
        for (at, (tree, _)) in steps.iter().enumerate() {
            let to = place.data().join(format!("fork-{at}"));
            let run = format!("fork-{at}");
            let fork = Fork {
                parent: &parent,
                tree,
                run: &run,
                loop_path: "l",
                place: &to,
            };
            forks.push(Workspace::fork(&fork, &place.person).unwrap().0);
        }
        drop(workspace);
        Workspace::remove(&parent, &place.person).unwrap();
        place.git(&source, &["gc", "-q", "--prune=now"]);
        for (at, (fork, (tree, expected))) in forks.iter().zip(&steps).enumerate() {
            assert_eq!(&recorded(&fork.path()), expected, "{base:?} step {at}");
            assert_eq!(fork.record().unwrap().tree, *tree);
            assert!(fork.has(fork.base_tree()).unwrap());
            // The fork can show and apply the states of all of the parent's steps.
            assert!(steps.iter().all(|(tree, _)| fork.has(tree).unwrap()));
            // Programs see the base, and the steps as unstaged changes.
            assert_eq!(place.git(fork.files(), &["rev-parse", "HEAD"]), fork.base());
            assert_eq!(
                place.git(fork.files(), &["diff", "--cached", "--name-only"]),
                ""
            );
            let changed = place.git(fork.files(), &["status", "--porcelain"]);
            assert_eq!(changed.is_empty(), at == 0, "{changed}");
        }
    }
}

#[test]
fn a_fork_of_a_fork_and_of_a_folder() {
    let place = Place::new();
    write(&place.source().join("a"), "1");
    let (workspace, _) = place.make(Base::Head);
    write(&workspace.path().join("b"), "2");
    let tree = workspace.record().unwrap().tree;
    let first = place.data().join("first");
    let fork = Fork {
        parent: workspace.place(),
        tree: &tree,
        run: "r2",
        loop_path: "l",
        place: &first,
    };
    let (one, _) = Workspace::fork(&fork, &place.person).unwrap();
    write(&one.path().join("c"), "3");
    let tree = one.record().unwrap().tree;
    let second = place.data().join("second");
    let fork = Fork {
        parent: &first,
        tree: &tree,
        run: "r3",
        loop_path: "l",
        place: &second,
    };
    let (two, _) = Workspace::fork(&fork, &place.person).unwrap();
    drop((workspace, one));
    for gone in [place.workspace_place(), first] {
        Workspace::remove(&gone, &place.person).unwrap();
    }
    assert_eq!(recorded(&two.path()).len(), 3);
    assert_eq!(two.record().unwrap().tree, tree);
}

#[test]
fn a_tree_that_the_parent_lacks_leaves_nothing() {
    let place = Place::new();
    let source = place.repository();
    let (workspace, _) = place.make(Base::Head);
    let to = place.data().join("fork");
    let tree = "1".repeat(40).parse().unwrap();
    let fork = Fork {
        parent: workspace.place(),
        tree: &tree,
        run: "r2",
        loop_path: "l",
        place: &to,
    };
    let error = Workspace::fork(&fork, &place.person);
    assert!(matches!(error, Err(Error::NoTree { .. })), "{error:?}");
    assert!(!to.exists());
    assert_eq!(
        place.git(&source, &["for-each-ref", "refs/loopwright/r2"]),
        ""
    );
}

#[test]
fn a_fork_copies_all_objects_if_the_source_cannot_be_written_now() {
    let place = Place::new();
    let source = place.repository();
    let (workspace, report) = place.make(Base::Head);
    write(&source.join(".git/refs/loopwright/r2"), "in the way");
    let to = place.data().join("fork");
    let fork = Fork {
        parent: workspace.place(),
        tree: &report.tree,
        run: "r2",
        loop_path: "l",
        place: &to,
    };
    let (forked, report) = Workspace::fork(&fork, &place.person).unwrap();
    assert!(
        matches!(&report.notes[..], [Note::NotPinned(_)]),
        "{:?}",
        report.notes
    );
    fs::rename(&source, place.root.join("moved")).unwrap();
    assert!(forked.has(&report.tree).unwrap());
    place.git(forked.files(), &["fsck"]);
}
