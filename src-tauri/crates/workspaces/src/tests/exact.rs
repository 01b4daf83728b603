//! Tests that even files that git converts are restored byte for byte.

use std::{fs, thread, time::Duration};

use crate::{Base, Fork, Workspace};

use super::support::{Place, recorded, write};

#[test]
fn line_ends_and_encodings_survive_a_restore_and_a_fork() {
    for (setting, attributes) in [
        ("true", ""),
        ("input", ""),
        (
            "false",
            "*.txt text eol=crlf\n*.u16 text working-tree-encoding=UTF-16LE\n*.id ident\n",
        ),
    ] {
        let place = Place::new();
        let source = place.repository();
        place.git(&source, &["config", "core.autocrlf", setting]);
        write(&source.join(".gitattributes"), attributes);
        place.git(&source, &["add", "-A"]);
        place.git(&source, &["commit", "-qm", "attributes"]);
        let (workspace, _) = place.make(Base::Head);
        let files = workspace.path();
        let mut trees = Vec::new();
        let steps: [&[(&str, &[u8])]; 5] = [
            &[("mixed.txt", b"a\r\nb\nc\r\n"), ("lf.txt", b"a\nb\n")],
            &[("mixed.txt", b"a\nb\nc\n"), ("crlf.txt", b"a\r\nb\r\n")],
            &[("x.u16", b"h\0i\0\r\0\n\0"), ("x.id", b"$Id: mine $\n")],
            &[("a.txt", b"one\r\ntwo\n"), ("mixed.txt", b"a\r\nb\nc\r\n")],
            // Added attributes convert existing files.
            &[(
                ".gitattributes",
                b"*.txt text eol=crlf\n*.py text eol=crlf\n",
            )],
        ];
        for step in steps {
            for (name, content) in step {
                write(&files.join(name), content);
            }
            trees.push((workspace.record().unwrap().tree, recorded(&files)));
        }
        for at in [0, 4, 2, 1, 3, 0, 4] {
            let (tree, expected) = &trees[at];
            workspace.restore(tree).unwrap();
            assert_eq!(&recorded(&files), expected, "{setting}: step {at}");
            assert_eq!(
                workspace.record().unwrap().tree,
                *tree,
                "{setting}: step {at}"
            );
        }
        for (at, (tree, expected)) in trees.iter().enumerate() {
            let fork = Fork {
                parent: workspace.place(),
                tree,
                run: &format!("fork-{at}"),
                loop_path: "loop",
                place: &place.data().join(format!("fork-{at}")),
            };
            let (forked, _) = Workspace::fork(&fork, &place.person).unwrap();
            assert_eq!(&recorded(&forked.path()), expected, "{setting}: fork {at}");
            assert_eq!(forked.record().unwrap().tree, *tree, "{setting}: fork {at}");
        }
    }
}

#[test]
fn a_file_that_git_stores_as_the_same_blob_is_recorded_when_its_bytes_change() {
    let place = Place::new();
    let source = place.repository();
    let attributes = "*.txt text eol=crlf\n*.u16 text working-tree-encoding=UTF-16\n*.id ident\n";
    write(&source.join(".gitattributes"), attributes);
    write(&source.join("dirty.txt"), "old\r\n");
    place.git(&source, &["add", "-A"]);
    place.git(&source, &["commit", "-qm", "attributes"]);
    write(&source.join("dirty.txt"), "dirty\n");
    let (workspace, report) = place.make(Base::Working);
    let files = workspace.path();
    let mut trees = vec![(report.tree, recorded(&files))];
    let steps: [&[(&str, &[u8])]; 4] = [
        // The state that `git stash` and `git stash pop` leave.
        &[("dirty.txt", b"dirty\r\n"), ("mixed.txt", b"a\r\nb\n")],
        // The new content has the same length.
        &[("mixed.txt", b"a\nb\r\n"), ("x.u16", b"\xFF\xFEh\0\n\0")],
        &[("x.u16", b"\xFE\xFF\0h\0\n"), ("x.id", b"$Id: one $\n")],
        &[("x.id", b"$Id: two $\n"), ("dirty.txt", b"dirty\n")],
    ];
    for step in steps {
        // git compares times in whole seconds. If a file that git would write unchanged gets other bytes of the same length
        // and blob, git notices this only in a later second.
        thread::sleep(Duration::from_millis(1_100));
        for (name, content) in step {
            write(&files.join(name), content);
        }
        trees.push((workspace.record().unwrap().tree, recorded(&files)));
    }
    for at in [0, 1, 4, 2, 0, 3, 1] {
        let (tree, expected) = &trees[at];
        workspace.restore(tree).unwrap();
        assert_eq!(&recorded(&files), expected, "step {at}");
        // Even right after a restore, the bytes of a file can change without a change of its blob.
        write(&files.join("dirty.txt"), "dirty\r\n");
        let changed = workspace.record().unwrap().tree;
        let expected = recorded(&files);
        workspace.restore(&trees[2].0).unwrap();
        workspace.restore(&changed).unwrap();
        assert_eq!(recorded(&files), expected, "changed after step {at}");
    }
}

#[test]
fn a_folder_without_git_keeps_the_line_ends_of_its_files() {
    let place = Place::new();
    let config = place.root.join("home/.gitconfig");
    let text = fs::read_to_string(&config).unwrap() + "[core]\n\tautocrlf = true\n";
    fs::write(config, text).unwrap();
    write(
        &place.source().join(".gitattributes"),
        "*.txt text eol=lf\n",
    );
    write(&place.source().join("a.txt"), "a\r\nb\n");
    write(&place.source().join("b.md"), "a\r\nb\n");
    let (workspace, report) = place.make(Base::Head);
    fs::remove_file(workspace.path().join("a.txt")).unwrap();
    fs::remove_file(workspace.path().join("b.md")).unwrap();
    workspace.record().unwrap();
    workspace.restore(&report.tree).unwrap();
    assert_eq!(recorded(&workspace.path()), recorded(&place.source()));
}
