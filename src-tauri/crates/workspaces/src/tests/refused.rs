//! Tests of folders that cannot be a source. Each error states the remedy.

use std::fs;

use crate::{Base, Error, Refused, Workspace};

use super::support::{Place, assert_unchanged, state, write};

fn refusal(place: &Place, path: &std::path::Path, base: Base) -> Refused {
    let before = state(&place.source());
    let refused = match place.try_make(path, base) {
        Err(Error::Refused(refused)) => refused,
        other => panic!("{other:?}"),
    };
    assert_unchanged(&before, &state(&place.source()), "refused");
    assert!(!place.workspace_place().join("workspace.json").exists());
    let said = refused.to_string();
    assert!(said.len() > 40 && said.ends_with('.'), "{said}");
    refused
}

#[test]
fn folders_that_no_workspace_can_be_made_of() {
    let place = Place::new();
    let source = place.repository();
    let root = refusal(&place, "/".as_ref(), Base::Head);
    assert!(matches!(root, Refused::TooLarge(_)));
    let home = refusal(&place, &place.root.join("home"), Base::Head);
    assert!(matches!(home, Refused::TooLarge(_)));
    let inside = place.data().join("project");
    fs::create_dir(&inside).unwrap();
    assert!(matches!(
        refusal(&place, &inside, Base::Head),
        Refused::InData { .. }
    ));
    assert!(matches!(
        refusal(&place, &place.root, Base::Head),
        Refused::HoldsData { .. }
    ));
    let missing = place.root.join("missing");
    assert!(matches!(
        refusal(&place, &missing, Base::Head),
        Refused::NoFolder { .. }
    ));
    let file = source.join("a.txt");
    assert!(matches!(
        refusal(&place, &file, Base::Head),
        Refused::NoFolder { .. }
    ));
    let git = source.join(".git");
    assert!(matches!(
        refusal(&place, &git, Base::Head),
        Refused::GitFolder(_)
    ));
    let bare = place.root.join("bare.git");
    let from = source.to_str().unwrap();
    place.git(
        &place.root,
        &["clone", "-q", "--bare", from, bare.to_str().unwrap()],
    );
    assert!(matches!(
        refusal(&place, &bare, Base::Head),
        Refused::Bare(_)
    ));
}

#[test]
fn states_of_a_repository_that_have_no_base() {
    let place = Place::new();
    let source = place.repository();
    let named = |name: &str| Base::Named(name.to_owned());
    for name in ["missing", "", "--all", "HEAD:a.txt"] {
        let refused = refusal(&place, &source, named(name));
        assert!(
            matches!(refused, Refused::NoSuchBase { .. }),
            "{name}: {refused:?}"
        );
    }
    place.git(&source, &["checkout", "-qb", "x", "HEAD~1"]);
    write(&source.join("a.txt"), "conflict\n");
    place.git(&source, &["commit", "-qam", "c"]);
    place.try_git(&source, &["merge", "main"]);
    let merging = refusal(&place, &source, Base::Head);
    assert!(matches!(
        merging,
        Refused::InProgress {
            operation: "A merge",
            ..
        }
    ));
    place.try_make(&source, named("main")).unwrap();
    Workspace::remove(&place.workspace_place(), &place.person).unwrap();
    fs::remove_file(source.join(".git/MERGE_HEAD")).unwrap();
    let unmerged = refusal(&place, &source, Base::Working);
    assert!(matches!(&unmerged, Refused::Unmerged { files, .. } if files == "a.txt"));
    place.git(&source, &["reset", "-q", "--hard"]);
    place.try_git(&source, &["cherry-pick", "main"]);
    let picking = refusal(&place, &source, Base::Working);
    assert!(matches!(picking, Refused::InProgress { .. }));
    place.git(&source, &["cherry-pick", "--abort"]);
    write(&source.join(".git/index"), "DIRCxxxx garbage");
    let damaged = refusal(&place, &source, Base::Working);
    assert!(matches!(damaged, Refused::Damaged { .. }));
}

#[test]
fn a_repository_without_a_commit_and_a_partial_one() {
    let place = Place::new();
    place.git(&place.source(), &["init", "-q"]);
    let none = refusal(&place, &place.source(), Base::Head);
    assert!(matches!(none, Refused::NoCommit(_)));
    let place = Place::new();
    let source = place.repository();
    place.git(&source, &["config", "uploadpack.allowFilter", "true"]);
    let partial = place.root.join("partial");
    let from = format!("file://{}", source.display());
    let to = partial.to_str().unwrap();
    place.git(
        &place.root,
        &["clone", "-q", "--filter=blob:none", &from, to],
    );
    let older = refusal(&place, &partial, Base::Named("HEAD~1".to_owned()));
    assert!(
        matches!(older, Refused::Partial { missing: 1, .. }),
        "{older:?}"
    );
    // The objects of the checked-out commit are available.
    place.try_make(&partial, Base::Head).unwrap();
}

#[test]
fn a_folder_without_git_has_no_branches() {
    let place = Place::new();
    write(&place.source().join("a"), "1");
    let refused = refusal(&place, &place.source(), Base::Named("main".to_owned()));
    assert!(matches!(refused, Refused::NotARepository { .. }));
}

#[test]
fn a_place_is_used_once_and_by_one_process() {
    let place = Place::new();
    place.repository();
    let (workspace, _) = place.make(Base::Head);
    drop(workspace);
    let again = place.try_make(&place.source(), Base::Head);
    assert!(matches!(again, Err(Error::Exists(_))), "{again:?}");
    // The existing workspace is not damaged by the attempt.
    let open = place.open();
    assert_eq!(open.record().unwrap().tree, *open.base_tree());
    let missing = Workspace::open(&place.data().join("nothing"), &place.person);
    assert!(matches!(missing, Err(Error::Missing(_))));
}

#[test]
fn a_base_is_refused_before_a_workspace_is_made() {
    let place = Place::new();
    let source = place.repository();
    let refused = |base: Base| {
        let looked = place.look(&source).unwrap();
        looked.refused_base(&base).unwrap()
    };
    assert_eq!(refused(Base::Head), None);
    assert_eq!(refused(Base::Working), None);
    fs::write(source.join(".git/MERGE_HEAD"), "").unwrap();
    for base in [Base::Head, Base::Working] {
        assert!(matches!(refused(base), Some(Refused::InProgress { .. })));
    }
    assert_eq!(refused(Base::Named("main".to_owned())), None);

    let empty = place.root.join("empty");
    fs::create_dir(&empty).unwrap();
    assert_eq!(
        place
            .look(&empty)
            .unwrap()
            .refused_base(&Base::Head)
            .unwrap(),
        None
    );
    place.git(&empty, &["init", "-q"]);
    let looked = place.look(&empty).unwrap();
    let head = looked.refused_base(&Base::Head).unwrap();
    assert!(matches!(head, Some(Refused::NoCommit(_))));
    assert_eq!(looked.refused_base(&Base::Working).unwrap(), None);
}

#[test]
fn what_is_not_committed_is_seen_and_starts_nothing() {
    let place = Place::new();
    let source = place.repository();
    let has_changes = || place.look(&source).unwrap().has_changes().unwrap();
    place.git(&source, &["stash", "-u", "-q"]);
    assert!(!has_changes());
    // A file that git ignores is not a change.
    write(&source.join("x.personal"), "mine");
    assert!(!has_changes());
    write(&source.join("new.txt"), "new");
    assert!(has_changes());
    place.git(&source, &["add", "new.txt"]);
    assert!(has_changes());
    place.git(&source, &["commit", "-q", "-m", "new"]);
    assert!(!has_changes());
    write(&source.join("new.txt"), "newer");
    assert!(has_changes());
    place.git(&source, &["checkout", "-q", "new.txt"]);
    fs::remove_file(source.join("new.txt")).unwrap();
    assert!(has_changes());
    place.git(&source, &["checkout", "-q", "new.txt"]);
    let marker = place.root.join("started");
    let filter = format!("touch {}; cat", marker.display());
    place.git(&source, &["config", "filter.evil.clean", &filter]);
    place.git(&source, &["config", "core.fsmonitor", &filter]);
    write(&source.join(".git/info/attributes"), "*.txt filter=evil\n");
    write(&source.join("new.txt"), "changed");
    assert!(has_changes());
    assert!(!marker.exists());
}
