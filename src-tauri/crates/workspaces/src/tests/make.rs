//! Tests workspaces of each kind of source. The workspace has the same files as the source, and the source stays unchanged
//! byte for byte.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use crate::{Base, Note};

use super::support::{Place, assert_unchanged, files, name, recorded, state, write};

/// A kind of source: the function that creates it, and its base.
struct Kind {
    name: &'static str,
    base: Base,
    make: fn(&Place) -> PathBuf,
    /// Whether the workspace has the same files as the source, except ignored ones.
    is_same: bool,
}

fn named(name: &str) -> Base {
    Base::Named(name.to_owned())
}

fn kinds() -> Vec<Kind> {
    let kind = |name, base, is_same, make| Kind {
        name,
        base,
        make,
        is_same,
    };
    vec![
        kind("plain", Base::Head, true, Place::repository),
        kind("branch", named("other"), false, Place::repository),
        kind("tag", named("v1"), false, Place::repository),
        kind("dirty at head", Base::Head, false, dirty),
        kind("dirty as it is", Base::Working, true, dirty),
        kind("racy", Base::Working, true, racy),
        kind("unborn", Base::Working, true, unborn),
        kind("detached", Base::Head, true, |place| {
            let source = place.repository();
            place.git(&source, &["checkout", "-q", "--detach", "HEAD~1"]);
            source
        }),
        kind("rebase, named", named("main"), false, rebase),
        kind("sparse", Base::Head, true, sparse),
        kind("sparse, as it is", Base::Working, true, |place| {
            let source = sparse(place);
            write(&source.join("p/new"), "new");
            source
        }),
        kind("shallow", Base::Head, true, |place| {
            let source = place.repository();
            let to = place.root.join("shallow");
            let from = format!("file://{}", source.display());
            place.git(
                &place.root,
                &["clone", "-q", "--depth=1", &from, to.to_str().unwrap()],
            );
            to
        }),
        kind("worktree", Base::Working, true, |place| {
            let source = place.repository();
            let tree = place.root.join("tree");
            place.git(
                &source,
                &["worktree", "add", "-q", "-b", "wt", tree.to_str().unwrap()],
            );
            write(&tree.join("only-here.txt"), "x");
            tree
        }),
        kind("shared", Base::Head, true, |place| {
            let source = place.repository();
            let to = place.root.join("second");
            let from = source.to_str().unwrap();
            place.git(
                &place.root,
                &["clone", "-q", "--shared", from, to.to_str().unwrap()],
            );
            to
        }),
        kind("split index", Base::Working, true, |place| {
            let source = place.repository();
            place.git(&source, &["config", "core.splitIndex", "true"]);
            place.git(&source, &["update-index", "--split-index"]);
            write(&source.join("a.txt"), "split\n");
            place.git(&source, &["add", "a.txt"]);
            source
        }),
        kind("names", Base::Working, true, names),
        kind("line ends", Base::Head, true, line_ends),
        kind("line ends, as they are", Base::Working, true, |place| {
            let source = line_ends(place);
            write(&source.join("mixed.txt"), "a\r\nb\nc\r\n");
            write(&source.join("w.txt"), "x\ny\n");
            source
        }),
        kind("sha256", Base::Working, true, |place| {
            let source = place.source();
            place.git(&source, &["init", "-q", "--object-format=sha256"]);
            super::support::fill(&source);
            place.git(&source, &["add", "-A"]);
            place.git(&source, &["commit", "-qm", "one"]);
            write(&source.join("new"), "n");
            source
        }),
        kind("replaced objects", Base::Head, true, |place| {
            let source = place.repository();
            place.git(&source, &["replace", "HEAD", "HEAD~1"]);
            source
        }),
        kind("included configuration", Base::Working, true, |place| {
            let source = place.repository();
            let filter = format!(
                "[core]\n\thooksPath = /nowhere\n[filter \"e\"]\n\tclean = touch {}\n",
                place.mark().display()
            );
            write(&place.root.join("included"), filter);
            place.git(&source, &["config", "include.path", "../../included"]);
            write(&source.join(".gitattributes"), "*.txt filter=e\n");
            write(&source.join("a.txt"), "changed\n");
            source
        }),
        kind("odd path", Base::Working, true, |place| {
            let source = place.repository();
            let odd = place.root.join("so \"ur\nce, ü:x");
            fs::rename(source, &odd).unwrap();
            odd
        }),
        kind("separate folder of git", Base::Head, true, |place| {
            let source = place.source();
            let store = place.root.join("store.git");
            place.git(
                &source,
                &[
                    "init",
                    "-q",
                    &format!("--separate-git-dir={}", store.display()),
                ],
            );
            write(&source.join("a"), "1");
            place.git(&source, &["add", "-A"]);
            place.git(&source, &["commit", "-qm", "one"]);
            source
        }),
        kind("pipe", Base::Working, true, |place| {
            let source = place.repository();
            place.shell(&source, "mkfifo pipe");
            source
        }),
        kind("names that differ by case", Base::Head, true, |place| {
            let source = place.repository();
            for name in ["README", "readme", "Dir/x", "dir/x"] {
                write(&source.join(name), name);
            }
            place.git(&source, &["add", "-A"]);
            place.git(&source, &["commit", "-qm", "case"]);
            source
        }),
        kind("long names", Base::Working, true, |place| {
            let source = place.repository();
            write(&source.join("n".repeat(255)), "long");
            let deep = ["d".repeat(200), "e".repeat(200), "f".repeat(200)];
            write(
                &source.join(deep.join("/")).join("\u{1f600}".repeat(60)),
                "deep",
            );
            source
        }),
        kind("reftable", Base::Working, true, |place| {
            // Older versions of git do not support reftables.
            let init = ["init", "-q", "--ref-format=reftable"];
            place.try_git(&place.source(), &init);
            let source = place.repository();
            write(&source.join("new"), "n");
            source
        }),
        kind("file system monitor", Base::Working, true, |place| {
            let source = place.repository();
            place.git(&source, &["config", "core.untrackedCache", "true"]);
            place.git(&source, &["status"]);
            write(&source.join("new"), "n");
            source
        }),
        kind("line ends of the person", Base::Head, true, |place| {
            let config = place.root.join("home/.gitconfig");
            let text = fs::read_to_string(&config).unwrap() + "[core]\n\tautocrlf = true\n";
            fs::write(config, text).unwrap();
            let source = place.repository();
            for name in ["a.txt", "src/b.py", "run.sh", ".gitignore"] {
                fs::remove_file(source.join(name)).unwrap();
            }
            place.git(&source, &["checkout", "-q", "--", "."]);
            source
        }),
        kind("of another person", Base::Head, true, |place| {
            let source = place.repository();
            // Only root can change the owner of a file.
            place.shell(&source, "chown -R 1234:1234 . 2> /dev/null");
            source
        }),
        kind(
            "settings of submodules that git cannot read",
            Base::Head,
            true,
            |place| {
                let source = place.repository();
                let modules =
                    "[submodule \"x\"]\n\tpath = x\n\tupdate = !touch /nowhere\n[broken\n";
                write(&source.join(".gitmodules"), modules);
                place.git(&source, &["add", "-A"]);
                place.git(&source, &["commit", "-qm", "modules"]);
                source
            },
        ),
        kind("folder", Base::Head, true, folder),
        kind("folder, as it is", Base::Working, true, folder),
    ]
}

fn dirty(place: &Place) -> PathBuf {
    let source = place.repository();
    write(&source.join("a.txt"), "staged\n");
    place.git(&source, &["add", "a.txt"]);
    write(&source.join("a.txt"), "staged, then changed\n");
    write(&source.join("src/b.py"), "changed\n");
    write(&source.join("only-staged.txt"), "staged\n");
    place.git(&source, &["add", "only-staged.txt"]);
    write(&source.join("new.txt"), "untracked\n");
    write(&source.join("intent.txt"), "intent\n");
    place.git(&source, &["add", "-N", "intent.txt"]);
    fs::remove_file(source.join("run.sh")).unwrap();
    source
}

/// Creates a file that changed at the moment when the index was written, without a change of its size.
fn racy(place: &Place) -> PathBuf {
    let source = place.repository();
    write(&source.join("r.txt"), "aaaa\n");
    place.git(&source, &["add", "r.txt"]);
    write(&source.join("r.txt"), "bbbb\n");
    let time = source
        .join(".git/index")
        .metadata()
        .unwrap()
        .modified()
        .unwrap();
    let file = fs::File::options()
        .write(true)
        .open(source.join("r.txt"))
        .unwrap();
    file.set_modified(time).unwrap();
    source
}

fn unborn(place: &Place) -> PathBuf {
    let source = place.source();
    place.git(&source, &["init", "-q"]);
    write(&source.join("a"), "1");
    write(&source.join("d/b"), "2");
    source
}

fn rebase(place: &Place) -> PathBuf {
    let source = place.repository();
    place.git(&source, &["checkout", "-qb", "x", "HEAD~1"]);
    write(&source.join("a.txt"), "conflict\n");
    place.git(&source, &["commit", "-qam", "c"]);
    place.try_git(&source, &["rebase", "main"]);
    source
}

fn sparse(place: &Place) -> PathBuf {
    let source = place.repository();
    for folder in ["p", "q", "r"] {
        write(&source.join(folder).join("f"), folder);
        write(&source.join(folder).join("in/g"), folder);
    }
    place.git(&source, &["add", "-A"]);
    place.git(&source, &["commit", "-qm", "folders"]);
    place.git(&source, &["sparse-checkout", "set", "p", "src"]);
    source
}

fn names(place: &Place) -> PathBuf {
    let source = place.repository();
    let odd: [&[u8]; 15] = [
        b"new\nline",
        b"quo\"te",
        b"back\\slash",
        b"tab\there",
        b"\xff\xfe no text",
        "\u{fc}n\u{ef}".as_bytes(),
        b" lead",
        b"trail ",
        b"-dash",
        b":colon",
        b"*.txt",
        b"[x]",
        b"!neg",
        b"#hash",
        b".gitfoo",
    ];
    for bytes in odd {
        write(&source.join(name(bytes)), bytes);
    }
    place.git(&source, &["add", "-A"]);
    place.git(&source, &["commit", "-qm", "names"]);
    write(&source.join(name(b"untracked\n\xfe")), "u");
    source
}

fn line_ends(place: &Place) -> PathBuf {
    let source = place.repository();
    place.git(&source, &["config", "core.autocrlf", "true"]);
    write(
        &source.join(".gitattributes"),
        "*.bat text eol=crlf\n*.sh text eol=lf\n",
    );
    write(&source.join("w.txt"), "a\r\nb\r\n");
    write(&source.join("c.bat"), "x\r\n");
    place.git(&source, &["add", "-A"]);
    place.git(&source, &["commit", "-qm", "ends"]);
    for name in [
        "w.txt",
        "c.bat",
        "a.txt",
        "src/b.py",
        ".gitignore",
        ".gitattributes",
    ] {
        fs::remove_file(source.join(name)).unwrap();
    }
    place.git(&source, &["checkout", "-q", "--", "."]);
    source
}

fn folder(place: &Place) -> PathBuf {
    let source = place.source();
    super::support::fill(&source);
    write(&source.join("build/out.o"), "x");
    source
}

#[test]
fn every_kind_of_source_is_copied_and_stays_as_it_was() {
    for kind in kinds() {
        let place = Place::new();
        let source = (kind.make)(&place);
        let is_repository = source.join(".git").exists();
        let is_foreign = source.metadata().unwrap().uid() == 1234;
        if is_repository && !is_foreign {
            place.trap(&source);
        }
        let before = state(&place.root);
        let refs = (is_repository && !is_foreign).then(|| refs(&place, &source));
        let (workspace, report) = place
            .try_make(&source, kind.base.clone())
            .unwrap_or_else(|error| panic!("{}: {error}", kind.name));
        let mut after = state(&place.root);
        after.retain(|path, _| !path.starts_with("data"));
        let mut before = before;
        before.retain(|path, _| !path.starts_with("data"));
        assert_unchanged(&before, &after, kind.name);
        assert!(
            !place.mark().exists(),
            "{}: a hook or filter ran",
            kind.name
        );
        if let Some(refs) = refs {
            assert_eq!(self::refs(&place, &source), refs, "{}", kind.name);
        }
        if kind.is_same {
            assert_eq!(
                recorded(workspace.files()),
                recorded(&source),
                "{}",
                kind.name
            );
        }
        let recorded = workspace.record().unwrap();
        assert_eq!(recorded.tree, report.tree, "{}", kind.name);
        assert_eq!(*workspace.base_tree(), report.tree);
        sound_for_programs(&place, &workspace.path(), kind.name);
    }
}

/// Returns the refs except those of workspaces. Git's own `--exclude` also leaves out other refs in a repository with reftables
/// (2.47).
fn refs(place: &Place, source: &Path) -> Vec<String> {
    let listed = place.git(source, &["for-each-ref"]);
    let lines = listed
        .lines()
        .filter(|line| !line.contains("refs/loopwright/"));
    lines.map(str::to_owned).collect()
}

/// Checks that the repository that programs use is complete and clean, and that its HEAD is the base.
fn sound_for_programs(place: &Place, files: &Path, kind: &str) {
    let checked = place.try_git(files, &["fsck", "--connectivity-only"]);
    assert!(checked.status.success(), "{kind}: {checked:?}");
    assert_eq!(place.git(files, &["remote"]), "", "{kind}");
    assert_eq!(
        place.git(files, &["branch", "--show-current"]),
        "",
        "{kind}"
    );
    let status = place.git(files, &["status", "--porcelain", "--untracked-files=no"]);
    // Some bytes differ from those that git would write. They are recorded exactly.
    if !kind.starts_with("line ends, as") && !kind.starts_with("included") {
        assert_eq!(status, "", "{kind}");
    }
    write(&files.join("committed-by-program.txt"), "x");
    place.git(files, &["add", "committed-by-program.txt"]);
    place.git(files, &["commit", "-qm", "program"]);
}

/// Tests a clone of the repository that contains this crate, if there is one.
#[test]
fn the_repository_of_this_crate() {
    let place = Place::new();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let top = place.try_git(
        here,
        &["-c", "safe.directory=*", "rev-parse", "--show-toplevel"],
    );
    if !top.status.success() {
        eprintln!("this crate is in no repository");
        return;
    }
    let top = String::from_utf8(top.stdout).unwrap();
    let source = place.root.join("clone");
    let to = source.to_str().unwrap();
    let clone = ["clone", "-q", "--shared", top.trim_end(), to];
    place.git(&place.root, &clone);
    let before = state(&source);
    let (workspace, report) = place.try_make(&source, Base::Head).unwrap();
    assert_eq!(report.notes, []);
    assert_eq!(files(workspace.files()), files(&source));
    let tree = place.git(&source, &["rev-parse", "HEAD^{tree}"]);
    assert_eq!(report.tree.to_string(), tree);
    write(&workspace.path().join("README.md"), "changed\n");
    fs::remove_dir_all(workspace.path().join("src-tauri")).unwrap();
    let changed = workspace.record().unwrap().tree;
    let changes = workspace.changes(&report.tree, &changed).unwrap();
    assert!(changes.files.len() > 100, "{}", changes.files.len());
    workspace.restore(&report.tree).unwrap();
    assert_eq!(files(workspace.files()), files(&source));
    assert_unchanged(&before, &state(&source), "clone");
}

#[test]
fn a_subfolder_is_worked_in_within_a_copy_of_all() {
    let place = Place::new();
    let source = place.repository();
    let (workspace, _) = place.try_make(&source.join("src"), Base::Head).unwrap();
    assert_eq!(workspace.path(), workspace.files().join("src"));
    assert!(workspace.path().join("b.py").is_file());
    assert!(workspace.files().join("a.txt").is_file());
}

#[test]
fn a_folder_that_its_repository_ignores_is_one_without_git() {
    let place = Place::new();
    let source = place.repository();
    write(&source.join("build/sub/x.c"), "x");
    let (workspace, _) = place
        .try_make(&source.join("build/sub"), Base::Head)
        .unwrap();
    assert_eq!(files(workspace.path().as_path()).len(), 1);
}

#[test]
fn submodules_are_made_offline_at_every_depth() {
    let place = Place::new();
    let library = place.root.join("library");
    let middle = place.root.join("middle");
    for folder in [&library, &middle] {
        fs::create_dir(folder).unwrap();
        place.git(folder, &["init", "-q"]);
    }
    write(&library.join("l.c"), "int l;\n");
    place.git(&library, &["add", "-A"]);
    place.git(&library, &["commit", "-qm", "library"]);
    place.git(
        &middle,
        &[
            "submodule",
            "--quiet",
            "add",
            library.to_str().unwrap(),
            "deep",
        ],
    );
    place.git(&middle, &["commit", "-qm", "middle"]);
    let source = place.repository();
    place.git(
        &source,
        &[
            "submodule",
            "--quiet",
            "add",
            middle.to_str().unwrap(),
            "vendor/mid",
        ],
    );
    place.git(
        &source,
        &["submodule", "--quiet", "update", "--init", "--recursive"],
    );
    place.git(
        &source,
        &[
            "submodule",
            "--quiet",
            "add",
            library.to_str().unwrap(),
            "gone",
        ],
    );
    place.git(&source, &["commit", "-qm", "submodules"]);
    place.git(&source, &["submodule", "--quiet", "deinit", "-f", "gone"]);
    let before = state(&source);
    let (workspace, report) = place.make(Base::Head);
    assert_unchanged(&before, &state(&source), "submodules");
    let inner = workspace.path().join("vendor/mid/deep");
    assert_eq!(fs::read_to_string(inner.join("l.c")).unwrap(), "int l;\n");
    assert_eq!(place.git(&inner, &["status", "--porcelain"]), "");
    assert!(matches!(
        &report.notes[..],
        [Note::EmptySubmodule { path, .. }] if path == Path::new("gone")
    ));
    // If a program commits in a submodule, the tree contains the new commit.
    let tree = workspace.record().unwrap().tree;
    write(&inner.join("l.c"), "int m;\n");
    place.git(&inner, &["commit", "-qam", "changed"]);
    place.git(
        &workspace.path().join("vendor/mid"),
        &["commit", "-qam", "deeper"],
    );
    assert_ne!(workspace.record().unwrap().tree, tree);
    assert_eq!(place.git(&source, &["status", "--porcelain"]), "");
}

#[test]
fn what_differs_from_the_source_is_named() {
    let place = Place::new();
    let source = place.repository();
    symlink("/etc/hostname", source.join("absolute")).unwrap();
    symlink("../../outside", source.join("relative")).unwrap();
    symlink("../a.txt", source.join("src/inside")).unwrap();
    place.git(&source, &["config", "filter.rot.clean", "tr a-z n-za-m"]);
    place.git(&source, &["config", "filter.unused.clean", "cat"]);
    write(
        &source.join(".gitattributes"),
        "*.sec filter=rot\n*.bin filter=lfs\n",
    );
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 6\n",
        "a".repeat(64)
    );
    write(&source.join("big.bin"), pointer);
    place.git(&source, &["add", "-A"]);
    place.git(&source, &["commit", "-qm", "odd"]);
    place.git(&source, &["update-index", "--skip-worktree", "a.txt"]);
    place.git(&source, &["update-index", "--assume-unchanged", "src/b.py"]);
    write(&source.join("a.txt"), "hidden\n");
    write(&source.join("src/b.py"), "hidden\n");
    place.shell(&source, "mkfifo pipe && git init -q nested");
    let (workspace, report) = place.make(Base::Working);
    let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
    for note in [
        Note::Filters(vec!["rot".to_owned()]),
        Note::LfsPointers(1),
        Note::LinksOut(paths(&["absolute", "relative"])),
        Note::Hidden(paths(&["a.txt", "src/b.py"])),
        Note::LeftOut(paths(&["nested"])),
    ] {
        assert!(
            report.notes.contains(&note),
            "{note:?} in {:?}",
            report.notes
        );
    }
    // The hidden changes are not in the workspace, but changes to the same files in the workspace are detected.
    let tree = workspace.record().unwrap().tree;
    write(&workspace.path().join("src/b.py"), "seen\n");
    assert_ne!(workspace.record().unwrap().tree, tree);
}

#[test]
fn rebasing_and_collecting_in_the_source_does_not_break_the_workspace() {
    let place = Place::new();
    let source = place.repository();
    write(&source.join("only-staged.txt"), "staged");
    place.git(&source, &["add", "only-staged.txt"]);
    let (workspace, report) = place.make(Base::Working);
    // From here on, the source deletes every ref to the recorded content.
    place.git(&source, &["stash", "-q", "-u"]);
    place.git(&source, &["checkout", "-q", "--orphan", "new"]);
    place.git(&source, &["commit", "-qm", "orphan"]);
    let shared = fs::read(source.join("a.txt")).unwrap();
    write(&source.join("late.txt"), "late\n");
    place.git(&source, &["add", "late.txt"]);
    place.git(&source, &["commit", "-qm", "late"]);
    write(&workspace.path().join("same.txt"), "late\n");
    let with_shared = workspace.record().unwrap().tree;
    place.git(&source, &["reset", "-q", "--hard", "HEAD~1"]);
    for args in [
        &["branch", "-qD", "main", "other"][..],
        &["tag", "-d", "v1"],
        &["stash", "clear"],
        &["reflog", "expire", "--expire=now", "--all"],
        &["gc", "-q", "--prune=now"],
    ] {
        place.git(&source, args);
    }
    assert!(!shared.is_empty());
    assert!(workspace.has(&report.tree).unwrap());
    assert!(workspace.has(&with_shared).unwrap());
    drop(workspace);
    let workspace = place.open();
    workspace.restore(&report.tree).unwrap();
    workspace.restore(&with_shared).unwrap();
    assert_eq!(
        fs::read(workspace.path().join("same.txt")).unwrap(),
        b"late\n"
    );
}

#[test]
fn a_source_that_cannot_be_written_has_its_objects_copied() {
    let place = Place::new();
    let source = place.repository();
    // A lock that is never removed has the effect of a read-only file system, even for root.
    write(&source.join(".git/refs/loopwright"), "in the way");
    let (workspace, report) = place.make(Base::Head);
    assert!(
        matches!(&report.notes[..], [Note::NotPinned(_)]),
        "{:?}",
        report.notes
    );
    let alternates = workspace.place().join("record.git/objects/info/alternates");
    assert!(!alternates.exists());
    fs::rename(&source, place.root.join("moved")).unwrap();
    assert!(workspace.has(&report.tree).unwrap());
    write(&workspace.path().join("a.txt"), "changed\n");
    assert_ne!(workspace.record().unwrap().tree, report.tree);
    place.git(workspace.files(), &["fsck"]);
}

#[test]
fn removing_takes_the_ref_and_follows_no_link() {
    let place = Place::new();
    let source = place.repository();
    let before = state(&source);
    let (workspace, _) = place.make(Base::Head);
    let refs = place.git(&source, &["for-each-ref", "refs/loopwright"]);
    assert!(
        refs.ends_with("refs/loopwright/run-1/fix=2Finner"),
        "{refs}"
    );
    let outside = place.root.join("outside");
    write(&outside.join("kept"), "kept");
    symlink(&outside, workspace.path().join("out")).unwrap();
    place.shell(
        &workspace.path(),
        "mkdir -p locked/in && touch locked/in/f && chmod 500 locked/in locked",
    );
    let place_of = workspace.place().to_path_buf();
    assert!(crate::Workspace::size(&place_of).files > 0);
    drop(workspace);
    crate::Workspace::remove(&place_of, &place.person).unwrap();
    assert!(!place_of.exists());
    assert!(outside.join("kept").exists());
    assert_unchanged(&before, &state(&source), "after removing");
    assert!(!source.join(".git/refs/loopwright").exists());
    // The removal can be repeated when nothing is left.
    crate::Workspace::remove(&place_of, &place.person).unwrap();
}

#[test]
fn modes_times_and_empty_folders_of_a_plain_folder_are_copied() {
    let place = Place::new();
    let source = folder(&place);
    fs::create_dir(source.join("empty")).unwrap();
    fs::set_permissions(source.join("a.txt"), fs::Permissions::from_mode(0o640)).unwrap();
    let before = state(&source);
    let (workspace, report) = place.make(Base::Head);
    assert_unchanged(&before, &state(&source), "folder");
    let mut copied = state(workspace.files());
    copied.retain(|path, _| !path.starts_with(".git"));
    let mut expected = before;
    expected.retain(|path, _| !path.starts_with(".git") || path == Path::new(".gitignore"));
    // The time of a link does not matter.
    expected.remove(Path::new("link"));
    copied.retain(|path, _| expected.contains_key(path));
    assert_unchanged(&expected, &copied, "copy");
    assert_eq!(report.notes, []);
}
