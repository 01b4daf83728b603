//! Tests of Git LFS files: their content in the copy, in forks and after a restore, and in the source after the result is
//! applied. The tests need the Git LFS program. Without it, copies contain pointers, which another test covers.

use std::{collections::BTreeMap, fs, path::Path};

use super::support::{Place, write};
use crate::{ApplyBranch, Base, Fork, Kept, Note, Workspace, make::lfs, tree::Tree};

fn contents(folder: &Path) -> BTreeMap<&'static str, Vec<u8>> {
    ["old.bin", "changed.bin", "new.bin"]
        .into_iter()
        .filter_map(|name| Some((name, fs::read(folder.join(name)).ok()?)))
        .collect()
}

/// Returns a source with two Git LFS files and their contents, or `None` if the Git LFS program is not installed.
fn source(place: &Place) -> Option<std::path::PathBuf> {
    lfs::program()?;
    let source = place.repository();
    place.git(&source, &["lfs", "install", "--local"]);
    place.git(&source, &["lfs", "track", "*.bin"]);
    write(&source.join("old.bin"), "old content");
    write(&source.join("changed.bin"), "content before");
    place.git(&source, &["add", "-A"]);
    place.git(&source, &["commit", "-qm", "large files"]);
    Some(source)
}

fn work(workspace: &Workspace) -> Tree {
    write(&workspace.path().join("changed.bin"), "content after");
    write(&workspace.path().join("new.bin"), "new content");
    workspace.record().unwrap().tree
}

fn kept(tree: &Tree) -> Kept {
    Kept {
        tree: tree.clone(),
        iteration: 1,
        subject: "Work".to_owned(),
        body: String::new(),
        score: None,
        cost: None,
        time: 1_700_000_000,
    }
}

#[test]
fn contents_follow_a_restore_and_a_fork() {
    let place = Place::new();
    if source(&place).is_none() {
        return;
    }
    let (workspace, report) = place.make(Base::Head);
    assert!(
        !report
            .notes
            .iter()
            .any(|note| matches!(note, Note::LfsPointers(_)))
    );
    let before = contents(&workspace.path());
    assert_eq!(before["old.bin"], b"old content");
    let tree = work(&workspace);
    let after = contents(&workspace.path());
    workspace.restore(&report.tree).unwrap();
    assert_eq!(contents(&workspace.path()), before);
    assert_eq!(workspace.record().unwrap().tree, report.tree);
    workspace.restore(&tree).unwrap();
    assert_eq!(contents(&workspace.path()), after);
    assert_eq!(workspace.record().unwrap().tree, tree);

    let parent = workspace.place().to_path_buf();
    let to = place.data().join("fork");
    let fork = Fork {
        parent: &parent,
        tree: &tree,
        run: "fork",
        loop_path: "l",
        place: &to,
    };
    let forked = Workspace::fork(&fork, &place.person).unwrap().0;
    drop(workspace);
    Workspace::remove(&parent, &place.person).unwrap();
    assert_eq!(contents(&forked.path()), after);
    assert_eq!(forked.record().unwrap().tree, tree);
    forked.restore(&report.tree).unwrap();
    assert_eq!(contents(&forked.path()), before);
    forked.restore(&tree).unwrap();
    assert_eq!(contents(&forked.path()), after);
}

#[test]
fn contents_are_given_back() {
    let place = Place::new();
    let Some(source) = source(&place) else {
        return;
    };
    let (workspace, _) = place.make(Base::Head);
    let tree = work(&workspace);
    let after = contents(&workspace.path());
    let iterations = [kept(&tree)];
    workspace
        .apply_branch(&ApplyBranch {
            name: "work",
            kept: &iterations,
            squash: false,
        })
        .unwrap();
    place.git(&source, &["checkout", "-q", "work"]);
    assert_eq!(contents(&source), after);
    assert_eq!(place.git(&source, &["status", "--porcelain"]), "");
    place.git(&source, &["lfs", "fsck"]);
    place.git(&source, &["checkout", "-q", "-"]);
    workspace.apply_working(&tree).unwrap();
    assert_eq!(contents(&source), after);
    place.git(&source, &["add", "-A"]);
    assert_eq!(place.git(&source, &["diff", "--cached", "work"]), "");
}
