//! Tests, with random sources and random steps, that every recorded tree can be restored and that the source stays
//! unchanged.
//!
//! By default a few seeds are tested; with `LOOPWRIGHT_TORTURE=all` a hundred. `LOOPWRIGHT_SEED` sets the first seed.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use crate::{Base, Fork, Workspace};

use super::support::{Place, Random, assert_unchanged, is_torture, recorded, seed, state, write};

#[test]
fn random_steps_in_random_sources_come_back() {
    let count = if is_torture() { 100 } else { 6 };
    for seed in seed()..seed() + count {
        eprintln!("seed {seed}");
        one(seed);
    }
}

fn one(seed: u64) {
    let mut random = Random::new(seed);
    let place = Place::new();
    let (source, base) = source(&place, &mut random);
    let before = state(&source);
    let (workspace, report) = place.try_make(&source, base).unwrap();
    let mut steps = vec![(report.tree, recorded(&workspace.path()))];
    for _ in 0..8 {
        for _ in 0..=random.below(4) {
            change(&place, &workspace.path(), &mut random);
        }
        let tree = workspace.record().unwrap().tree;
        steps.push((tree, without_conflicts(&workspace)));
        if random.below(3) == 0 {
            let (tree, expected) = random.choose(&steps).clone();
            workspace.restore(&tree).unwrap();
            assert_eq!(without_conflicts(&workspace), expected, "seed {seed}");
            assert_eq!(workspace.record().unwrap().tree, tree, "seed {seed}");
        }
    }
    for at in [0, 3, 5, 8] {
        let (tree, expected) = &steps[at];
        let fork = Fork {
            parent: workspace.place(),
            tree,
            run: &format!("fork-{at}"),
            loop_path: "l",
            place: &place.data().join(format!("fork-{at}")),
        };
        let (forked, _) = Workspace::fork(&fork, &place.person).unwrap();
        assert_eq!(
            &without_conflicts(&forked),
            expected,
            "seed {seed}: fork of step {at}"
        );
        assert_eq!(
            forked.record().unwrap().tree,
            *tree,
            "seed {seed}: fork of step {at}"
        );
    }
    assert_unchanged(&before, &state(&source), &format!("seed {seed}"));
    assert!(!place.mark().exists(), "seed {seed}");
}

/// Returns the files that a tree can contain.
fn without_conflicts(
    workspace: &Workspace,
) -> std::collections::BTreeMap<PathBuf, super::support::Entry> {
    recorded(&workspace.path())
}

fn source(place: &Place, random: &mut Random) -> (PathBuf, Base) {
    if random.below(6) == 0 {
        super::support::fill(&place.source());
        return (place.source(), Base::Head);
    }
    let source = place.repository();
    match random.below(4) {
        0 => write(
            &source.join(".gitattributes"),
            "*.txt text eol=crlf\n*.py text\n",
        ),
        1 => {
            let setting = *random.choose(&["true", "input"]);
            place.git(&source, &["config", "core.autocrlf", setting]);
        }
        _ => {}
    }
    place.git(&source, &["add", "-A"]);
    place.git(&source, &["commit", "-q", "--allow-empty", "-m", "three"]);
    for _ in 0..random.below(4) {
        change(place, &source, random);
    }
    if random.below(2) == 0 {
        place.git(&source, &["add", "-A"]);
        change(place, &source, random);
    }
    if random.below(3) == 0 {
        place.git(&source, &["checkout", "-q", "--detach"]);
    }
    place.trap(&source);
    let base = if random.below(2) == 0 {
        Base::Head
    } else {
        Base::Working
    };
    (source, base)
}

/// Changes one file, link or folder.
fn change(place: &Place, folder: &Path, random: &mut Random) {
    let names = [
        "a.txt",
        "src/b.py",
        "run.sh",
        "new.txt",
        "deep/er/x",
        "deep",
        "src",
        "link",
        "m.txt",
    ];
    let contents = [
        "",
        "one\n",
        "one\r\ntwo\r\n",
        "one\r\ntwo\n",
        "print(1)\n",
        "\0\u{1}binary",
    ];
    let path = folder.join(random.choose(&names));
    let clear = |path: &Path| {
        let Ok(meta) = path.symlink_metadata() else {
            return;
        };
        if meta.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    };
    // If a parent is not a folder, it is removed.
    let parent = path.parent().unwrap();
    for ancestor in parent.ancestors().collect::<Vec<_>>().iter().rev() {
        if ancestor.starts_with(folder)
            && *ancestor != folder
            && !ancestor.symlink_metadata().is_ok_and(|meta| meta.is_dir())
        {
            clear(ancestor);
            fs::create_dir(ancestor).unwrap();
        }
    }
    match random.below(6) {
        0 => clear(&path),
        1 => {
            clear(&path);
            symlink(random.choose(&["a.txt", "/etc", "..", "missing"]), &path).unwrap();
        }
        2 if path.is_file() => {
            let file = path.strip_prefix(folder).unwrap().to_str().unwrap();
            place.shell(
                folder,
                &format!("chmod {} '{file}'", random.choose(&["+x", "-x"])),
            );
        }
        _ => {
            clear(&path);
            write(&path, random.choose(&contents));
        }
    }
}
