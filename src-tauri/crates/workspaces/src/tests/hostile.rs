//! Tests a program that attacks from inside the workspace. Its changes to the workspace's repository start no program
//! outside. If it is not confined, its changes to the source are detected and named.

use std::{fs, path::PathBuf};

use super::{
    confine,
    support::{Place, assert_unchanged, recorded, state, write},
};
use crate::{Base, Difference, SourceGuard};

/// Attacks through the workspace's own repository. `MARK` is a file that a program creates if an attack manages to start it.
const WITHIN: &str = r#"
mark() { printf '#!/bin/sh\necho %s >> "%s"\n' "$1" "$MARK" > "$2"; chmod +x "$2"; }
git stash -q; git stash pop -q
mkdir -p .git/hooks
for hook in reference-transaction post-checkout post-index-change pre-commit fsmonitor; do mark $hook .git/hooks/$hook; done
mark filter .git/filter
git config core.hooksPath .git/hooks
git config core.fsmonitor .git/hooks/fsmonitor
git config filter.evil.clean "$PWD/.git/filter"
git config filter.evil.smudge "$PWD/.git/filter"
git config filter.evil.process "$PWD/.git/filter"
git config diff.evil.textconv "$PWD/.git/filter"
git config diff.external "$PWD/.git/filter"
git config merge.evil.driver "$PWD/.git/filter"
git config core.pager "$PWD/.git/filter"
git config core.sshCommand "$PWD/.git/filter"
git config alias.write-tree "!$PWD/.git/filter"
echo '* filter=evil diff=evil merge=evil' > .gitattributes
mkdir inner; git init -q inner; cp .git/config inner/.git/config; mkdir -p inner/.git/hooks
for hook in fsmonitor post-index-change; do mark inner-$hook inner/.git/hooks/$hook; done
git -C inner config core.fsmonitor "$PWD/inner/.git/hooks/fsmonitor"
(cd inner; echo '* filter=evil' > .gitattributes; echo i > i; git -c core.fsmonitor=false -c core.hooksPath=/dev/null -c filter.evil.clean=cat -c filter.evil.process= add i; git -c core.fsmonitor=false -c core.hooksPath=/dev/null commit -qm i; echo changed > i)
printf 'gitdir: ../../record.git\n' > src/.git
printf '[submodule "x"]\n\tpath = inner\n\turl = ext::sh -c "touch %s"\n\tupdate = !touch %s\n' "$MARK" "$MARK" > .gitmodules
echo changed > a.txt
rm -f "$MARK"
"#;

#[test]
fn what_a_program_writes_into_its_git_starts_nothing_of_ours() {
    let place = Place::new();
    let source = place.repository();
    let before = state(&source);
    let (workspace, _) = place.make(Base::Head);
    let base = workspace.record().unwrap().tree;
    let script = format!("MARK='{}'\n{WITHIN}", place.mark().display());
    place.shell(&workspace.path(), &script);
    let tree = workspace.record().unwrap().tree;
    assert_ne!(tree, base);
    workspace.changes(&base, &tree).unwrap();
    workspace.trees().diff(&base, &tree, 100_000).unwrap();
    workspace.protect(&["a.txt".to_owned()], &base).unwrap();
    workspace.restore(&tree).unwrap();
    workspace.plan_working(&tree).unwrap();
    let fork = crate::Fork {
        parent: workspace.place(),
        tree: &tree,
        run: "r2",
        loop_path: "l",
        place: &place.data().join("fork"),
    };
    crate::Workspace::fork(&fork, &place.person).unwrap();
    workspace.restore(&base).unwrap();
    workspace.restore(&tree).unwrap();
    drop(workspace);
    place.open().record().unwrap();
    assert!(
        !place.mark().exists(),
        "{}",
        fs::read_to_string(place.mark()).unwrap_or_default()
    );
    assert_unchanged(&before, &state(&source), "source");
}

/// Returns attacks on the source, each with the differences that must be named.
fn attacks() -> Vec<(&'static str, Vec<Difference>)> {
    let file = |name: &str| Difference::File(PathBuf::from(name));
    let branch = |name: &str| Difference::Ref(format!("refs/heads/{name}"));
    vec![
        (
            "git -C \"$SOURCE\" commit -q --allow-empty -m evil",
            vec![branch("main")],
        ),
        (
            "git -C \"$SOURCE\" commit -qam evil",
            vec![branch("main"), Difference::Index],
        ),
        ("git -C \"$SOURCE\" stash -q", vec![Difference::Stash]),
        ("git -C \"$SOURCE\" stash drop -q", vec![Difference::Stash]),
        (
            "git -C \"$SOURCE\" config evil.x y",
            vec![file(".git/config")],
        ),
        ("git -C \"$SOURCE\" branch evil", vec![branch("evil")]),
        (
            "git -C \"$SOURCE\" tag -d v1",
            vec![Difference::Ref("refs/tags/v1".to_owned())],
        ),
        (
            "git -C \"$SOURCE\" checkout -qf other",
            vec![Difference::Head, Difference::Index],
        ),
        (
            "git -C \"$SOURCE\" checkout -q --detach",
            vec![Difference::Head],
        ),
        ("git -C \"$SOURCE\" add staged.txt", vec![Difference::Index]),
        (
            "git -C \"$SOURCE\" update-index --assume-unchanged a.txt",
            vec![Difference::Index],
        ),
        (
            "echo x > \"$SOURCE/.git/hooks/pre-push\"",
            vec![file(".git/hooks/pre-push")],
        ),
        (
            "chmod 600 \"$SOURCE/.git/config\"",
            vec![file(".git/config")],
        ),
        (
            "echo '*' > \"$SOURCE/.git/info/exclude\"",
            vec![file(".git/info/exclude")],
        ),
        (
            "git push -q \"$SOURCE\" HEAD:refs/heads/pushed",
            vec![branch("pushed")],
        ),
        (
            "echo x >> \"$SETTINGS\"",
            vec![Difference::File(PathBuf::from("settings"))],
        ),
        (
            "git -C \"$SOURCE\" status; git -C \"$SOURCE\" gc -q; touch \"$SOURCE/.git/index\"; git stash -q; git stash pop -q",
            vec![],
        ),
    ]
}

#[test]
fn where_nothing_is_confined_each_change_of_the_source_is_named() {
    for (attack, expected) in attacks() {
        let place = Place::new();
        let source = place.repository();
        write(&source.join("staged.txt"), "staged\n");
        write(&source.join("a.txt"), "changed\n");
        let settings = place.root.join("settings");
        write(&settings, "{}");
        let (workspace, _) = place.make(Base::Head);
        let look = place.look(&source).unwrap();
        let mut guard = SourceGuard::new(&look, std::slice::from_ref(&settings)).unwrap();
        assert_eq!(guard.differences().unwrap(), []);
        let script = format!(
            "SOURCE='{}'; SETTINGS='{}'; {attack}",
            source.display(),
            settings.display()
        );
        place.shell(&workspace.path(), &script);
        let found: Vec<Difference> = guard
            .differences()
            .unwrap()
            .into_iter()
            .map(|difference| match difference {
                Difference::File(path) => {
                    let from = if path == settings {
                        &place.root
                    } else {
                        &source
                    };
                    Difference::File(path.strip_prefix(from).unwrap().to_path_buf())
                }
                other => other,
            })
            .collect();
        for wanted in &expected {
            assert!(found.contains(wanted), "{attack}: {wanted:?} in {found:?}");
        }
        assert_eq!(found.is_empty(), expected.is_empty(), "{attack}: {found:?}");
        // Each difference is reported only once.
        assert_eq!(guard.differences().unwrap(), [], "{attack}");
    }
}

#[test]
fn confined_attacks_leave_the_source_as_it_was() {
    let place = Place::new();
    let source = place.repository();
    write(&source.join("staged.txt"), "staged\n");
    let outside = place.root.join("outside");
    write(&outside.join("kept"), "kept");
    std::os::unix::fs::symlink(&outside, source.join("out")).unwrap();
    place.git(&source, &["add", "out"]);
    place.git(&source, &["commit", "-qm", "link"]);
    let Some((workspace, confinement)) = confine::confined(&place, &[]) else {
        return;
    };
    let look = place.look(&source).unwrap();
    let mut guard = SourceGuard::new(&look, &[]).unwrap();
    let before = state(&source);
    for (attack, _) in attacks() {
        // Landlock does not restrict changes of modes and times.
        if !attack.starts_with("chmod") && !attack.contains("touch") {
            confine::run(&place, &workspace, &confinement, attack);
        }
    }
    let script = format!("MARK='{}'\n{WITHIN}", place.mark().display());
    confine::run(&place, &workspace, &confinement, &script);
    confine::run(
        &place,
        &workspace,
        &confinement,
        "echo evil > out/kept; rm -rf out/; echo x > out/new; rm -rf ..",
    );
    assert_unchanged(&before, &state(&source), "source");
    assert_eq!(guard.differences().unwrap(), []);
    let mode = "chmod 600 \"$SOURCE/.git/config\"";
    confine::run(&place, &workspace, &confinement, mode);
    let config = Difference::File(source.join(".git/config"));
    assert_eq!(guard.differences().unwrap(), [config]);
    assert_eq!(fs::read(outside.join("kept")).unwrap(), b"kept");
    let expected = recorded(&source);
    workspace.restore(workspace.base_tree()).unwrap();
    let mut now = recorded(&workspace.path());
    now.retain(|path, _| expected.contains_key(path));
    let mut expected = expected;
    expected.remove("staged.txt".as_ref() as &std::path::Path);
    assert_eq!(now, expected);
}
