//! Tests recording and restoring: the tree contains the changes of a step, and restores them byte for byte.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{
        ffi::OsStrExt as _,
        fs::{PermissionsExt as _, symlink},
    },
    path::Path,
};

use crate::{Base, ChangeKind, Content, Error, FileMode, Tree, Trees, Version, Workspace};

use super::support::{Entry, Place, recorded, write};

fn made() -> (Place, Workspace) {
    let place = Place::new();
    place.repository();
    let (workspace, _) = place.make(Base::Head);
    (place, workspace)
}

/// Returns whether trees contain a path. Trees do not contain paths inside a nested repository or hidden by a .gitignore.
fn is_in_trees(path: &Path, _: &mut Entry) -> bool {
    !path.starts_with("inner") && !path.ends_with("hidden") && !path.ends_with("deep/.gitignore")
}

#[test]
fn every_change_of_a_file_is_recorded_and_given_back() {
    let (place, workspace) = made();
    let files = workspace.path();
    let steps: [&str; 9] = [
        "echo more >> a.txt; rm src/b.py",
        "rm a.txt; mkdir a.txt; echo in > a.txt/inner",
        "rm -r a.txt; ln -s run.sh a.txt; chmod -x run.sh",
        "rm -r src; echo file > src; mkdir -p deep/er; echo x > deep/er/y; chmod +x deep/er/y",
        "rm src; ln -s /etc src; echo '*' > deep/.gitignore; echo hidden > deep/hidden",
        "rm run.sh; mkfifo run.sh",
        "git init -q inner; cd inner; echo i > i; git add i; git -c user.name=x -c user.email=x commit -qm i",
        "rm -rf .git; rm run.sh; echo again > run.sh",
        "printf 'a\\0b' > binary; touch empty",
    ];
    let mut trees = vec![(workspace.record().unwrap().tree, recorded(&files))];
    for step in steps {
        place.shell(&files, step);
        let tree = workspace.record().unwrap().tree;
        let mut now = recorded(&files);
        now.retain(|path, entry| is_in_trees(path, entry));
        // A link to a folder outside is recorded as a link, without the files in that folder.
        trees.push((tree, now));
    }
    let count = trees.len();
    for at in (0..count).rev().chain([3, 8, 1, 6, 0, count - 1]) {
        let (tree, expected) = &trees[at];
        workspace.restore(tree).unwrap();
        let mut now = recorded(&files);
        now.retain(|path, entry| is_in_trees(path, entry));
        assert_eq!(&now, expected, "step {at}");
        assert_eq!(workspace.record().unwrap().tree, *tree, "step {at}");
    }
}

#[test]
fn what_is_there_is_kept_before_a_tree_is_restored() {
    let (_place, workspace) = made();
    let base = workspace.record().unwrap().tree;
    write(&workspace.path().join("half-done.txt"), "half");
    write(&workspace.path().join("build/out.o"), "ignored");
    let restored = workspace.restore(&base).unwrap();
    assert!(!workspace.path().join("half-done.txt").exists());
    assert!(workspace.path().join("build/out.o").exists());
    workspace.restore(&restored.before).unwrap();
    assert_eq!(
        fs::read(workspace.path().join("half-done.txt")).unwrap(),
        b"half"
    );
}

#[test]
fn a_repository_inside_is_set_aside_and_not_lost() {
    let (place, workspace) = made();
    let base = workspace.record().unwrap().tree;
    place.shell(
        &workspace.path(),
        "git init -q inner; cd inner; echo i > i; git add i; git commit -qm i; echo unsaved > j",
    );
    let with_inner = workspace.record().unwrap().tree;
    assert_ne!(with_inner, base);
    let restored = workspace.restore(&base).unwrap();
    let [(path, place_of)] = &restored.set_aside[..] else {
        panic!("{restored:?}")
    };
    assert_eq!(path.to_str(), Some("inner"));
    assert_eq!(fs::read(place_of.join("j")).unwrap(), b"unsaved\n");
    assert_eq!(workspace.record().unwrap().tree, base);
}

#[test]
fn an_unknown_tree_changes_nothing() {
    let (_place, workspace) = made();
    write(&workspace.path().join("a.txt"), "changed\n");
    let unknown: Tree = "1".repeat(40).parse().unwrap();
    assert!(matches!(
        workspace.restore(&unknown),
        Err(Error::NoTree { .. })
    ));
    assert!(matches!(
        workspace.changes(&unknown, workspace.base_tree()),
        Err(Error::NoTree { .. })
    ));
    assert!(matches!(
        workspace.trees().diff(&unknown, workspace.base_tree(), 10),
        Err(Error::NoTree { .. })
    ));
    assert_eq!(
        fs::read(workspace.path().join("a.txt")).unwrap(),
        b"changed\n"
    );
}

#[test]
fn ignored_files_are_not_in_trees() {
    let (_place, workspace) = made();
    let base = workspace.record().unwrap().tree;
    write(&workspace.path().join("x.log"), "log");
    write(
        &workspace.path().join("y.personal"),
        "ignored by the person's own list",
    );
    assert_eq!(workspace.record().unwrap().tree, base);
}

#[test]
fn a_change_with_the_same_size_and_time_is_seen() {
    let (_place, workspace) = made();
    let path = workspace.path().join("src/b.py");
    let base = workspace.record().unwrap().tree;
    let time = path.metadata().unwrap().modified().unwrap();
    fs::write(&path, "print(2)\n").unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    assert_ne!(workspace.record().unwrap().tree, base);
}

#[test]
fn changes_and_diffs_count_what_differs() {
    let (_place, workspace) = made();
    let base = workspace.record().unwrap().tree;
    let files = workspace.path();
    write(&files.join("a.txt"), "one\n2\nthree\nfour\n");
    write(&files.join("new.bin"), b"\0\x01");
    fs::remove_file(files.join("run.sh")).unwrap();
    fs::remove_file(files.join("src/b.py")).unwrap();
    symlink("../a.txt", files.join("src/b.py")).unwrap();
    let now = workspace.record().unwrap().tree;
    let changes = workspace.changes(&base, &now).unwrap();
    let seen: Vec<_> = changes
        .files
        .iter()
        .map(|file| (file.path.to_str().unwrap(), file.kind, file.lines))
        .collect();
    assert_eq!(
        seen,
        [
            ("a.txt", ChangeKind::Modified, Some((2, 1))),
            ("new.bin", ChangeKind::Added, None),
            ("run.sh", ChangeKind::Deleted, Some((0, 1))),
            ("src/b.py", ChangeKind::TypeChanged, Some((1, 1))),
        ]
    );
    assert_eq!((changes.insertions, changes.deletions), (3, 3));
    let whole = workspace.trees().diff(&base, &now, 100_000).unwrap();
    assert!(!whole.is_cut && whole.text.contains("+four\n") && whole.text.contains("Binary files"));
    let cut = workspace.trees().diff(&base, &now, 100).unwrap();
    assert!(cut.is_cut && cut.text.ends_with('\n') && whole.text.starts_with(&cut.text));
    let patch = workspace.patch(&base, &now, 100_000).unwrap().unwrap();
    assert!(String::from_utf8_lossy(&patch).contains("GIT binary patch"));
    assert_eq!(workspace.patch(&base, &now, 100).unwrap(), None);
}

#[test]
fn special_files_and_reserved_names_are_left_out_and_named() {
    let (place, workspace) = made();
    let base = workspace.record().unwrap().tree;
    place.shell(
        &workspace.path(),
        "mkfifo pipe; git init -q unborn; mkdir .GIT; echo x > .GIT/config",
    );
    let recorded = workspace.record().unwrap();
    assert_eq!(recorded.tree, base);
    let mut left_out: Vec<_> = recorded
        .left_out
        .iter()
        .map(|path| path.to_str().unwrap())
        .collect();
    left_out.sort_unstable();
    assert_eq!(left_out, [".GIT/config", "unborn"]);
    // If a pipe replaces a file, the tree no longer contains the file.
    place.shell(&workspace.path(), "rm a.txt; mkfifo a.txt");
    let recorded = workspace.record().unwrap();
    assert!(recorded.left_out.contains(&"a.txt".into()), "{recorded:?}");
    let changes = workspace.changes(&base, &recorded.tree).unwrap();
    assert_eq!(changes.files.len(), 1);
    assert_eq!(changes.files[0].kind, ChangeKind::Deleted);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let (_place, workspace) = made();
    let path = workspace.path().join("secret");
    write(&path, "x");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    match workspace.record() {
        Err(Error::Unreadable { path: named, .. }) => assert_eq!(named, path),
        // Root can read every file.
        recorded => assert!(fs::read(&path).is_ok() && recorded.is_ok()),
    }
}

#[test]
fn a_damaged_index_or_lost_files_are_made_again() {
    let (place, workspace) = made();
    write(&workspace.path().join("a.txt"), "changed\n");
    let tree = workspace.record().unwrap().tree;
    let place_of = workspace.place().to_path_buf();
    drop(workspace);
    write(&place_of.join("record.git/index"), "garbage");
    write(&place_of.join("record.git/index.lock"), "");
    write(&place_of.join("record.git/refs/trees/x.lock"), "");
    let workspace = place.open();
    assert_eq!(workspace.record().unwrap().tree, tree);
    drop(workspace);
    fs::remove_dir_all(place_of.join("files")).unwrap();
    assert!(matches!(
        Workspace::open(&place_of, &place.person),
        Err(Error::Damaged { .. })
    ));
    let workspace = Workspace::remake(&place_of, &tree, &place.person).unwrap();
    assert_eq!(
        fs::read(workspace.path().join("a.txt")).unwrap(),
        b"changed\n"
    );
    assert_eq!(workspace.record().unwrap().tree, tree);
    assert_eq!(
        place.git(workspace.files(), &["status", "--porcelain"]),
        "M a.txt"
    );
}

#[test]
fn a_source_that_is_gone_is_an_error_that_names_it() {
    let (place, workspace) = made();
    drop(workspace);
    fs::rename(place.source(), place.root.join("moved")).unwrap();
    let error = Workspace::open(&place.workspace_place(), &place.person).unwrap_err();
    assert!(
        matches!(&error, Error::SourceGone { source_folder, .. } if *source_folder == place.source())
    );
    fs::rename(place.root.join("moved"), place.source()).unwrap();
    place.open();
}

#[test]
fn people_see_renamed_files_and_the_texts_of_both_states() {
    let (place, workspace) = made();
    let base = workspace.record().unwrap().tree;
    let files = workspace.path();
    let hostile = OsStr::from_bytes(b"new\nline \xff\x1b[31m").to_owned();
    fs::rename(files.join("a.txt"), files.join("moved.txt")).unwrap();
    write(&files.join(&hostile), "odd\n");
    place.shell(&files, "chmod +x src/b.py");
    let first = workspace.record().unwrap().tree;
    write(&files.join("moved.txt"), "changed\n");
    let second = workspace.record().unwrap().tree;

    // The workspace is open, and its lock is held.
    let trees = Trees::of(workspace.place(), &place.person).unwrap();
    let changes = trees.changes(&base, &first).unwrap();
    let seen: Vec<_> = changes
        .files
        .iter()
        .map(|file| (file.path.as_os_str(), file.kind))
        .collect();
    assert_eq!(
        seen,
        [
            (OsStr::new("moved.txt"), ChangeKind::Renamed),
            (hostile.as_os_str(), ChangeKind::Added),
            (OsStr::new("src/b.py"), ChangeKind::Modified),
        ]
    );
    let [moved, odd, script] = &changes.files[..] else {
        panic!("{changes:?}")
    };
    assert_eq!(moved.from, Some("a.txt".into()));
    let text = |version: &Version| trees.content(version, 1_000).unwrap();
    assert_eq!(
        text(odd.after.as_ref().unwrap()),
        Content::Whole(b"odd\n".to_vec())
    );
    let modes = [&script.before, &script.after].map(|version| version.as_ref().unwrap().mode);
    assert_eq!(modes, [FileMode::File, FileMode::Executable]);
    assert_eq!(
        trees.content(moved.after.as_ref().unwrap(), 3).unwrap(),
        Content::TooLarge(14)
    );
    let unknown = Version::new(FileMode::File, &"1".repeat(40)).unwrap();
    assert!(trees.content(&unknown, 10).is_err());
    assert!(Version::new(FileMode::File, "--batch").is_err());

    let pairs = [
        (base.clone(), first.clone()),
        (first.clone(), first.clone()),
        (first, second.clone()),
        (base.clone(), second),
    ];
    let counts = trees.counts(&pairs).unwrap();
    for (pair, count) in pairs.iter().zip(&counts) {
        let changes = trees.changes(&pair.0, &pair.1).unwrap();
        let whole = (
            changes.files.len() as u64,
            changes.insertions,
            changes.deletions,
        );
        assert_eq!((count.files, count.insertions, count.deletions), whole);
    }
    assert_eq!(counts[1].files, 0);
    let unknown: Tree = "1".repeat(40).parse().unwrap();
    assert!(matches!(
        trees.counts(&[(base, unknown)]),
        Err(Error::NoTree { .. })
    ));
}
