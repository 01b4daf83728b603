//! Tests applying a result: as a branch with the same tree, or to the files, completely or not at all.

use std::{fs, path::PathBuf};

use crate::{ApplyBranch, ApplyError, Base, Kept, Tree, Workspace};

use super::support::{Place, assert_unchanged, recorded, state, write};

fn kept(tree: &Tree, iteration: u32) -> Kept {
    Kept {
        tree: tree.clone(),
        iteration,
        subject: format!("Iteration {iteration}\nof the fix"),
        body: "14 failures, then 3".to_owned(),
        score: Some("0.5".to_owned()),
        cost: Some("USD 0.12".to_owned()),
        time: 1_700_000_000,
    }
}

/// Creates a workspace in which two iterations have changed files.
fn worked(base: Base) -> (Place, Workspace, [Tree; 2]) {
    let place = Place::new();
    let source = place.repository();
    if base == Base::Working {
        write(&source.join("uncommitted.txt"), "uncommitted\n");
    }
    place.trap(&source);
    let (workspace, _) = place.make(base);
    let files = workspace.path();
    write(&files.join("a.txt"), "one\n2\nthree\n");
    let first = workspace.record().unwrap().tree;
    write(&files.join("new/file.txt"), "new\n");
    fs::remove_file(files.join("src/b.py")).unwrap();
    let second = workspace.record().unwrap().tree;
    (place, workspace, [first, second])
}

#[test]
fn a_branch_has_the_tree_of_the_iteration_and_changes_nothing_else() {
    for (base, squash, commits) in [
        (Base::Head, false, 2),
        (Base::Head, true, 1),
        (Base::Working, false, 3),
        (Base::Working, true, 2),
    ] {
        let (place, workspace, [first, second]) = worked(base);
        let source = place.source();
        let mut before = state(&source);
        let iterations = [kept(&first, 1), kept(&second, 2)];
        let applied = workspace
            .apply_branch(&ApplyBranch {
                name: "fix/tests",
                kept: &iterations,
                squash,
            })
            .unwrap();
        assert!(!place.mark().exists());
        assert_eq!(applied.commits, commits);
        let tree = place.git(&source, &["rev-parse", "fix/tests^{tree}"]);
        assert_eq!(tree, second.hash());
        let count = place.git(&source, &["rev-list", "--count", "HEAD..fix/tests"]);
        assert_eq!(count, commits.to_string());
        let message = place.git(
            &source,
            &["log", "-1", "--format=%an <%ae>%n%B", "fix/tests"],
        );
        assert_eq!(
            message,
            "Pat Person <pat@example.org>\nIteration 2 of the fix\n\n14 failures, then 3\n\n\
             Loopwright-Run: run-1\nLoopwright-Iteration: 2\nLoopwright-Score: 0.5\nLoopwright-Cost: USD 0.12"
        );
        place.git(&source, &["fsck"]);
        let mut after = state(&source);
        for state in [&mut before, &mut after] {
            state.retain(|path, _| {
                !path.starts_with(".git/objects") && !path.starts_with(".git/refs/heads/fix")
            });
        }
        assert_unchanged(&before, &after, "branch");
    }
}

#[test]
fn a_branch_is_refused_with_what_to_do() {
    let (place, workspace, [first, _]) = worked(Base::Head);
    let apply = |name: &str, tree: &Tree| {
        let iterations = [kept(tree, 1)];
        workspace.apply_branch(&ApplyBranch {
            name,
            kept: &iterations,
            squash: false,
        })
    };
    assert!(matches!(
        apply("main", &first),
        Err(ApplyError::BranchExists { .. })
    ));
    for name in ["", "-x", "a..b", "HEAD", "a b", "x.lock"] {
        assert!(
            matches!(apply(name, &first), Err(ApplyError::BadName(_))),
            "{name}"
        );
    }
    assert!(matches!(
        apply("same", workspace.base_tree()),
        Err(ApplyError::Nothing)
    ));
    fs::write(place.root.join("home/.gitconfig"), "").unwrap();
    assert!(matches!(apply("x", &first), Err(ApplyError::NoAuthor(_))));
    assert_eq!(
        place.git(&place.source(), &["branch", "--format=%(refname:short)"]),
        "main\nother"
    );
}

#[test]
fn clean_and_merged_changes_reach_the_files_and_nothing_else() {
    let (place, workspace, [_, second]) = worked(Base::Head);
    let source = place.source();
    // The user has changed another file, and staged a third one.
    write(&source.join("own.txt"), "own\n");
    write(&source.join("staged.txt"), "staged\n");
    place.git(
        &source,
        &["-c", "core.fsmonitor=false", "add", "staged.txt"],
    );
    let _ = fs::remove_file(place.mark());
    let before = state(&source.join(".git"));
    let plan = workspace.plan_working(&second).unwrap();
    let planned: Vec<_> = plan
        .changes
        .files
        .iter()
        .map(|file| file.path.to_str().unwrap())
        .collect();
    assert_eq!(planned, ["a.txt", "new/file.txt", "src/b.py"]);
    assert!(source.join("src/b.py").exists());
    assert_eq!(workspace.apply_working(&second).unwrap(), plan);
    let mut expected = recorded(&workspace.path());
    for name in ["own.txt", "staged.txt"] {
        expected.insert(
            name.into(),
            recorded(&source)[std::path::Path::new(name)].clone(),
        );
    }
    assert_eq!(recorded(&source), expected);
    assert_unchanged(&before, &state(&source.join(".git")), "applied");
    assert!(!place.mark().exists());
    assert!(matches!(
        workspace.apply_working(&second),
        Err(ApplyError::Nothing)
    ));
}

#[test]
fn changes_of_both_in_one_file_are_merged_by_line() {
    let place = Place::new();
    let source = place.repository();
    write(&source.join("long.txt"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    place.git(&source, &["add", "-A"]);
    place.git(&source, &["commit", "-qm", "long"]);
    let (workspace, _) = place.make(Base::Head);
    write(
        &workspace.path().join("long.txt"),
        "one\n2\n3\n4\n5\n6\n7\n8\n9\n",
    );
    let tree = workspace.record().unwrap().tree;
    write(&source.join("long.txt"), "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    workspace.apply_working(&tree).unwrap();
    let merged = fs::read_to_string(source.join("long.txt")).unwrap();
    assert_eq!(merged, "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
}

#[test]
fn a_conflict_changes_nothing_and_names_the_files() {
    let (place, workspace, [_, second]) = worked(Base::Head);
    let source = place.source();
    write(&source.join("a.txt"), "one\nzwei\nthree\n");
    write(&source.join("src/b.py"), "print(2)\n");
    write(&source.join("new/file.txt"), "other\n");
    let before = state(&source);
    let Err(ApplyError::Conflict(files)) = workspace.apply_working(&second) else {
        panic!("no conflict")
    };
    let names: Vec<_> = files.iter().map(|path| path.to_str().unwrap()).collect();
    assert_eq!(names, ["a.txt", "new/file.txt", "src/b.py"]);
    assert_unchanged(&before, &state(&source), "conflict");
}

#[test]
fn an_ignored_file_in_the_way_is_not_overwritten() {
    let (place, workspace, _) = worked(Base::Head);
    place.shell(
        &workspace.path(),
        "printf 'build/\\n' > .gitignore; echo KEY=2 > .env",
    );
    let tree = workspace.record().unwrap().tree;
    let before = state(&place.source());
    let error = workspace.apply_working(&tree).unwrap_err();
    assert!(
        matches!(&error, ApplyError::InTheWay(files) if files == &[PathBuf::from(".env")]),
        "{error}"
    );
    assert_unchanged(&before, &state(&place.source()), "ignored");
}

#[test]
fn a_folder_without_git_takes_files_and_no_branch() {
    let place = Place::new();
    write(&place.source().join("a"), "1\n");
    write(&place.source().join("b"), "1\n");
    let (workspace, _) = place.make(Base::Head);
    write(&workspace.path().join("a"), "2\n");
    let tree = workspace.record().unwrap().tree;
    write(&place.source().join("own"), "own\n");
    workspace.apply_working(&tree).unwrap();
    assert_eq!(fs::read(place.source().join("a")).unwrap(), b"2\n");
    assert_eq!(recorded(&place.source()).len(), 3);
    assert!(!place.source().join(".git").exists());
    let iterations = [kept(&tree, 1)];
    let branch = workspace.apply_branch(&ApplyBranch {
        name: "x",
        kept: &iterations,
        squash: false,
    });
    assert!(matches!(branch, Err(ApplyError::NoRepository(_))));
    write(&place.source().join("a"), "3\n");
    write(&workspace.path().join("a"), "4\n");
    let tree = workspace.record().unwrap().tree;
    assert!(matches!(
        workspace.apply_working(&tree),
        Err(ApplyError::Conflict(_))
    ));
    assert_eq!(fs::read(place.source().join("a")).unwrap(), b"3\n");
}
