//! Tests that protected files are restored from the base, no matter how a program changed them.

use std::{fs, path::PathBuf};

use crate::{Base, Error, Workspace};

use super::support::{Place, recorded, write};

fn made() -> (Place, Workspace) {
    let place = Place::new();
    let source = place.repository();
    for (name, text) in [
        ("tests/one.py", "assert 1\n"),
        ("tests/deep/two.py", "assert 2\n"),
        ("check.cfg", "strict\n"),
    ] {
        write(&source.join(name), text);
    }
    place.git(&source, &["add", "-A"]);
    place.git(&source, &["commit", "-qm", "tests"]);
    let (workspace, _) = place.make(Base::Head);
    (place, workspace)
}

fn patterns() -> Vec<String> {
    ["tests/**", "check.cfg"].map(str::to_owned).to_vec()
}

#[test]
fn every_way_to_change_a_protected_file_is_undone() {
    for attack in [
        "echo pass > tests/one.py",
        "rm -r tests",
        "rm -r tests; ln -s /etc tests",
        "rm -r tests; echo file > tests",
        "rm tests/one.py; mkdir tests/one.py; echo x > tests/one.py/x",
        "rm tests/one.py; ln -s /dev/null tests/one.py",
        "rm tests/one.py; mkfifo tests/one.py",
        "chmod +x tests/one.py; echo lax > check.cfg",
        "echo skip > tests/conftest.py",
        "git rm -q --cached tests/one.py; git update-index --skip-worktree check.cfg; echo lax > check.cfg",
        "echo 'tests/** -text' > .git/info/attributes; echo '*' > tests/.gitignore; echo skip > tests/conftest.py; rm tests/deep/two.py",
    ] {
        let (place, workspace) = made();
        let base = workspace.base_tree().clone();
        let mut expected = recorded(&workspace.path());
        place.shell(&workspace.path(), attack);
        write(&workspace.path().join("src/b.py"), "fixed\n");
        let protected = workspace.protect(&patterns(), &base).unwrap();
        let mut now = recorded(&workspace.path());
        let fixed = std::path::Path::new("src/b.py");
        assert!(now.remove(fixed).is_some());
        expected.remove(fixed);
        assert_eq!(now, expected, "{attack}");
        assert_eq!(
            fs::read(workspace.path().join("src/b.py")).unwrap(),
            b"fixed\n"
        );
        assert!(
            !protected.restored.is_empty()
                || !protected.removed.is_empty()
                || !protected.set_aside.is_empty(),
            "{attack}"
        );
        assert_eq!(workspace.record().unwrap().tree, protected.after);
        if attack.contains(".gitignore") {
            let hidden =
                [".gitignore", "conftest.py"].map(|name| PathBuf::from("tests").join(name));
            assert_eq!(protected.set_aside, hidden);
        }
        // The files that the program created are kept.
        assert_ne!(protected.before, protected.after);
        assert!(workspace.has(&protected.before).unwrap());
    }
}

#[test]
fn untouched_files_and_files_outside_of_the_patterns_stay() {
    let (_place, workspace) = made();
    let base = workspace.base_tree().clone();
    write(&workspace.path().join("new.txt"), "new");
    let protected = workspace.protect(&patterns(), &base).unwrap();
    assert_eq!(protected.before, protected.after);
    assert_eq!((protected.restored, protected.removed), (vec![], vec![]));
    write(&workspace.path().join("tests/new.py"), "new");
    let protected = workspace.protect(&patterns(), &base).unwrap();
    assert_eq!(protected.removed, [PathBuf::from("tests/new.py")]);
    assert!(workspace.path().join("new.txt").exists());
    let outside = workspace.protect(&["../x".to_owned()], &base);
    assert!(matches!(outside, Err(Error::Pattern { .. })));
}

#[test]
fn protected_files_keep_their_line_ends() {
    let place = Place::new();
    let source = place.repository();
    place.git(&source, &["config", "core.autocrlf", "true"]);
    write(&source.join("tests/mixed.txt"), "a\r\nb\n");
    let (workspace, report) = place.make(Base::Working);
    write(&workspace.path().join("tests/mixed.txt"), "other\n");
    workspace
        .protect(&["tests".to_owned()], &report.tree)
        .unwrap();
    assert_eq!(
        fs::read(workspace.path().join("tests/mixed.txt")).unwrap(),
        b"a\r\nb\n"
    );
    assert_eq!(workspace.record().unwrap().tree, report.tree);
}
