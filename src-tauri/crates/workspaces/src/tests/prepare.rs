//! Tests that an ignored file is copied only if git ignores it and a pattern matches it.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::PathBuf,
};

use crate::{Base, copy_ignored};

use super::support::{Place, assert_unchanged, state, write};

#[test]
fn ignored_files_that_a_pattern_names_are_copied() {
    let place = Place::new();
    let source = place.repository();
    write(&source.join(".envrc"), "not ignored");
    write(&source.join("sub/.env"), "KEY=2");
    write(&source.join("build/keep/me.o"), "object");
    write(&source.join("note.personal"), "mine");
    fs::set_permissions(source.join(".env"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink(".env", source.join("link.log")).unwrap();
    // The path of an ignored file contains a link that leads out of the workspace.
    let before = state(&source);
    let look = place.look(&source).unwrap();
    let copy = [".env*", "build/keep/", "*.personal", "*.log", "a.txt"].map(str::to_owned);
    let (workspace, report) = place.make(Base::Head);
    let mut copied = workspace.copy_ignored(&copy).unwrap();
    assert_unchanged(&before, &state(&source), "copying");
    copied.sort();
    let expected = [
        ".env",
        "build/keep/me.o",
        "link.log",
        "note.personal",
        "sub/.env",
        "x.personal",
    ];
    assert_eq!(copied, expected.map(PathBuf::from));
    let files = workspace.path();
    assert_eq!(
        fs::metadata(files.join(".env"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o600
    );
    assert_eq!(
        fs::read_link(files.join("link.log")).unwrap(),
        PathBuf::from(".env")
    );
    // The copies are not recorded, and existing files are not overwritten.
    assert_eq!(workspace.record().unwrap().tree, report.tree);
    write(&files.join(".env"), "own");
    assert!(
        copy_ignored(&look, &[".env".to_owned()], &files).unwrap()
            == [PathBuf::from("sub/.env")][..0]
    );
    assert_eq!(fs::read(files.join(".env")).unwrap(), b"own");
}

#[test]
fn nothing_is_copied_through_a_link_of_the_workspace() {
    let place = Place::new();
    let source = place.repository();
    let outside = place.root.join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, source.join("dir")).unwrap();
    place.git(&source, &["add", "dir"]);
    place.git(&source, &["commit", "-qm", "link"]);
    fs::remove_file(source.join("dir")).unwrap();
    write(&source.join("dir/.env"), "KEY=3");
    let (workspace, _) = place.make(Base::Head);
    let look = place.look(&source).unwrap();
    let copied = copy_ignored(&look, &[".env".to_owned()], workspace.files()).unwrap();
    assert_eq!(copied, [PathBuf::from(".env")]);
    assert_eq!(fs::read_dir(outside).unwrap().count(), 0);
}
