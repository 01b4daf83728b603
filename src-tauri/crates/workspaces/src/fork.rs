//! Creates a workspace from a recorded tree of another one. Afterwards, the new workspace does not depend on the other one.

use std::{
    fs::{self, File},
    path::Path,
};

use crate::{
    error::{Error, Result},
    git::{Git, Repository},
    make::{self, Note, Report},
    person::Person,
    pin,
    source::{Source, SourceRepository},
    tree::Tree,
    workspace::{Manifest, Workspace, real},
};

/// The request to create a workspace from another one.
#[derive(Debug, Clone, Copy)]
pub struct Fork<'a> {
    /// The folder of the workspace that recorded the tree.
    pub parent: &'a Path,
    pub tree: &'a Tree,
    pub run: &'a str,
    pub loop_path: &'a str,
    /// The folder for the new workspace. It does not exist, or contains the remains of an interrupted attempt.
    pub place: &'a Path,
}

impl Workspace {
    /// Creates a workspace with the files of a recorded tree, byte for byte. The parent may be open.
    ///
    /// # Errors
    /// [`NoTree`](Error::NoTree) if the parent does not have the tree, or the errors of [`Self::make`].
    pub fn fork(fork: &Fork<'_>, person: &Person) -> Result<(Self, Report)> {
        let parent = Manifest::read(fork.parent)?;
        let reader = Git::new(person)?;
        let from = Repository::new(
            &reader,
            &fork.parent.join("record.git"),
            &fork.parent.join("files"),
        );
        refuse_missing(&from, fork)?;
        let lock = make::claim(fork.place, person)?;
        let place = real(fork.place)?;
        let made = make_from(&from, &parent, fork, &place, person, lock);
        if made.is_err() {
            make::abandon(&place, person);
        }
        made
    }

    /// Recreates the files of a damaged workspace from a tree in its record. The old files are moved to the workspace's
    /// folder `damaged`.
    ///
    /// # Errors
    /// [`NoTree`](Error::NoTree) if the record does not have the tree, or the errors of [`Self::open`].
    pub fn remake(place: &Path, tree: &Tree, person: &Person) -> Result<Self> {
        let manifest = Manifest::read(place)?;
        let lock = crate::workspace::hold(place)?;
        let place = &real(place)?;
        let files = place.join("files");
        if files.symlink_metadata().is_ok() {
            let aside = free(&place.join("damaged"));
            fs::rename(&files, &aside).map_err(Error::file("move", &files))?;
        }
        fs::create_dir(&files).map_err(Error::file("create", &files))?;
        for folder in ["tmp", "no-hooks"] {
            let folder = place.join(folder);
            fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
        }
        let workspace = Self::new(place, manifest, person, lock)?;
        workspace.remove_stale_locks()?;
        workspace.must_have(tree)?;
        for index in ["index", "exact-index"] {
            crate::delete::everything(&workspace.record.dir.join(index))?;
        }
        let source = workspace.look_at_source().ok();
        make::make_programs(
            &workspace.record,
            place,
            branches(&workspace, source.as_ref()),
        )?;
        finish_files(&workspace, tree)?;
        workspace.verify()?;
        Ok(workspace)
    }
}

/// Returns `path` with a number as its extension: the first number whose path does not exist.
fn free(path: &Path) -> std::path::PathBuf {
    (1_u32..)
        .map(|number| path.with_extension(number.to_string()))
        .find(|path| path.symlink_metadata().is_err())
        .unwrap_or_else(|| path.to_path_buf())
}

fn refuse_missing(from: &Repository, fork: &Fork<'_>) -> Result<()> {
    for hash in [Some(fork.tree.hash()), fork.tree.exact()]
        .into_iter()
        .flatten()
    {
        let args = ["rev-list", "--objects", "--quiet", hash];
        if !from.call(args).succeeds()? {
            return Err(Error::NoTree {
                tree: fork.tree.to_string(),
                place: fork.parent.to_path_buf(),
            });
        }
    }
    Ok(())
}

fn make_from(
    from: &Repository,
    parent: &Manifest,
    fork: &Fork<'_>,
    place: &Path,
    person: &Person,
    lock: File,
) -> Result<(Workspace, Report)> {
    let mut notes = Vec::new();
    let owner = pin::Owner {
        run: fork.run,
        loop_path: fork.loop_path,
        place,
    };
    let pinned = pin_again(parent, owner, person, &mut notes)?;
    let manifest = Manifest {
        run: fork.run.to_owned(),
        loop_path: fork.loop_path.to_owned(),
        pinned,
        made_at: make::now(),
        ..parent.clone()
    };
    let workspace = Workspace::new(place, manifest, person, lock)?;
    make::copy_record(from, &workspace.record, place, &workspace.manifest)?;
    fetch(from, &workspace, fork.tree)?;
    make::lfs::give_contents(&from.dir, &workspace.record.dir)?;
    let source = workspace.look_at_source().ok();
    make::make_programs(
        &workspace.record,
        place,
        branches(&workspace, source.as_ref()),
    )?;
    finish_files(&workspace, fork.tree)?;
    fill_submodules(&workspace, fork.tree, source.as_ref(), &mut notes)?;
    workspace.manifest.write(place)?;
    let report = Report {
        base: workspace.manifest.base.clone(),
        tree: fork.tree.clone(),
        notes,
    };
    Ok((workspace, report))
}

/// Pins the base of the parent for the new workspace as well. Returns the pinned commit, or `None` if all objects must be
/// copied.
fn pin_again(
    parent: &Manifest,
    owner: pin::Owner<'_>,
    person: &Person,
    notes: &mut Vec<Note>,
) -> Result<Option<String>> {
    let (Some(commit), Some(common_dir)) = (&parent.pinned, parent.common_dir()) else {
        return Ok(None);
    };
    let git = Git::new(person)?.trusting(&[&common_dir]);
    match owner.pin(&git, &common_dir, commit)? {
        None => Ok(Some(commit.clone())),
        Some(why) => {
            notes.push(Note::NotPinned(why));
            Ok(None)
        }
    }
}

/// Returns the source repository whose branches are visible to programs in the workspace. Returns `None` if the workspace
/// has its own copy of all objects or the source is not available.
fn branches<'a>(workspace: &Workspace, source: Option<&'a Source>) -> Option<&'a SourceRepository> {
    workspace.manifest.pinned.as_ref()?;
    source?.repository.as_ref()
}

/// Copies the objects of all recorded trees, and those objects of the base that no ref of the source keeps. The fork then
/// also has the parent's iterations, so that these can be shown and applied together with its own.
fn fetch(from: &Repository, to: &Workspace, tree: &Tree) -> Result<()> {
    let manifest = &to.manifest;
    let mut revisions = vec![manifest.base.clone()];
    let recorded = recorded(from)?;
    revisions.extend(recorded.iter().cloned());
    revisions.extend(
        [Some(tree.hash()), tree.exact()]
            .into_iter()
            .flatten()
            .map(str::to_owned),
    );
    let base = &manifest.base_tree;
    revisions.extend(base.exact().map(str::to_owned));
    if let Some(pinned) = &manifest.pinned {
        revisions.push(format!("^{pinned}"));
    }
    from.call(["pack-objects", "-q", "--revs"])
        .arg(to.record.dir.join("objects/pack/pack"))
        .input((revisions.join("\n") + "\n").into_bytes())
        .done()?;
    let kept = recorded
        .iter()
        .map(|hash| format!("update refs/trees/{hash} {hash}\n"));
    to.record
        .call(["update-ref", "--stdin"])
        .input(kept.collect::<String>().into_bytes())
        .done()?;
    Ok(())
}

/// Returns the hashes of the trees whose objects are all in a record. If a recording was killed, its ref may lack objects.
fn recorded(from: &Repository) -> Result<Vec<String>> {
    let args = ["for-each-ref", "--format=%(objectname)", "refs/trees/"];
    let listed = from.call(args).text()?;
    let hashes: Vec<String> = listed.lines().map(str::to_owned).collect();
    let all = ["rev-list", "--objects", "--quiet", "--stdin"];
    let input = hashes.join("\n") + "\n";
    if hashes.is_empty() || from.call(all).input(input.into_bytes()).succeeds()? {
        return Ok(hashes);
    }
    let mut whole = Vec::new();
    for hash in hashes {
        let args = ["rev-list", "--objects", "--quiet", &hash];
        if from.call(args).succeeds()? {
            whole.push(hash);
        }
    }
    Ok(whole)
}

/// Writes the files of the tree, and the index that programs see. The index contains the base, so that the changes appear as
/// unstaged.
fn finish_files(workspace: &Workspace, tree: &Tree) -> Result<()> {
    let record = &workspace.record;
    let programs = Repository::new(&record.git, &record.files.join(".git"), &record.files);
    make::begin_at(&programs, &workspace.manifest.base)?;
    workspace.write_files(None, tree)?;
    make::lfs::fill_again(record, tree)?;
    make::check_out(record, &programs)?;
    let base = workspace.manifest.base.as_str();
    crate::record::Index::private(record, &programs.dir.join("index"))
        .call(["read-tree", "--reset", base])
        .done()?;
    crate::record::keep_reference(workspace, tree)?;
    Ok(())
}

fn fill_submodules(
    workspace: &Workspace,
    tree: &Tree,
    source: Option<&Source>,
    notes: &mut Vec<Note>,
) -> Result<()> {
    let submodules = workspace.submodules_of(tree)?;
    let stores = workspace.files().join(".git/modules");
    let top = source.map_or_else(|| workspace.source(), |source| source.top().to_path_buf());
    make::make_modules(
        &workspace.record.git,
        &workspace.place,
        &top,
        workspace.files(),
        &stores,
        &submodules,
        notes,
    )
}
