//! Creates the private copy of a repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    lfs,
    link::{self, Kind},
    listing::Listing,
    note::Note,
    programs::make_programs,
    request::{Base, Request, manifest_of},
    working,
};
use crate::{
    error::{Error, Result},
    git::{Git, Repository},
    paths, pin,
    record::{exact, read_tree},
    source::{self, Configuration, IndexCopy, Refused, SourceRepository},
    tree::Tree,
    workspace::Manifest,
};

pub(super) fn make(
    request: &Request<'_>,
    source: &SourceRepository,
    git: &Git,
) -> Result<(Manifest, Vec<Note>)> {
    let git = &source.git(git);
    let head = base_commit(request, source, git)?;
    let configuration = Configuration::read(git, &source.top)?;
    let mut notes = Vec::new();
    // The base is pinned first, so that a rebase or `gc` in the source keeps the objects.
    let place = request.place;
    let owner = pin::Owner {
        run: request.run,
        loop_path: request.loop_path,
        place,
    };
    let unpinned = match &head {
        Some(head) => owner.pin(git, &source.common_dir, head)?,
        None => None,
    };
    let record = new_record(git, place, source, &configuration)?;
    let converts_all = configuration
        .text("core.autocrlf")
        .is_some_and(|value| !value.eq_ignore_ascii_case("false"));
    let (base, tree) = match (&request.base, &head) {
        (Base::Working, head) => {
            working::capture(&record, source, head.as_deref(), converts_all, &mut notes)?
        }
        (_, Some(head)) => {
            let tree = record
                .call(["rev-parse"])
                .arg(format!("{head}^{{tree}}"))
                .text()?;
            (head.clone(), Tree::new(&tree, None)?)
        }
        (_, None) => return Err(Refused::NoCommit(source.top.clone()).into()),
    };
    refuse_partial(&record, source, &tree)?;
    let is_copied = unpinned.is_some();
    if let Some(why) = unpinned {
        copy_objects(&record, &base)?;
        notes.push(Note::NotPinned(why));
    }
    let programs = make_programs(&record, place, (!is_copied).then_some(source))?;
    begin_at(&programs, &base)?;
    write_exactly(&record, &tree)?;
    let listing = Listing::of(&record)?;
    describe(&record, &base, source, &configuration, &listing, &mut notes)?;
    check_out(&record, &programs)?;
    let stores = programs.dir.join("modules");
    super::make_modules(
        git,
        place,
        &source.top,
        &record.files,
        &stores,
        &listing.submodules,
        &mut notes,
    )?;
    let manifest = Manifest {
        pinned: head.clone().filter(|_| !is_copied),
        converts_all,
        ..manifest_of(request, base, tree)
    };
    Ok((manifest, notes))
}

/// Returns the commit from which the base is created. Returns `None` if the source has no commit and its current files are
/// the base.
fn base_commit(
    request: &Request<'_>,
    source: &SourceRepository,
    git: &Git,
) -> Result<Option<String>, Error> {
    let path = source.top.clone();
    if let Base::Named(name) = &request.base {
        return match source::commit(git, &source.top, name)? {
            Some(commit) => Ok(Some(commit)),
            None => Err(Refused::NoSuchBase {
                path,
                name: name.clone(),
            }
            .into()),
        };
    }
    let head = source::commit(git, &source.top, "HEAD")?;
    source.refuse_base(&request.base, head.is_some())?;
    Ok(head)
}

fn new_record(
    git: &Git,
    place: &Path,
    source: &SourceRepository,
    configuration: &Configuration,
) -> Result<Repository> {
    let record = link::init(git, Kind::Record, place, &source.object_format)?;
    link::link_source(&record, source)?;
    link::configure(&record, place, configuration, lfs::program().as_deref())?;
    link::take_over_info(&record, source, configuration)?;
    Ok(record)
}

/// Sets HEAD to the base commit, as a detached HEAD.
///
/// # Errors
/// Returns an error if git cannot set HEAD.
pub(crate) fn begin_at(programs: &Repository, base: &str) -> Result<()> {
    programs
        .call(["update-ref", "--no-deref", "HEAD", base])
        .done()?;
    Ok(())
}

/// Writes the files of a tree into an empty folder.
///
/// # Errors
/// Returns an error if the files cannot be written.
pub(crate) fn write_exactly(record: &Repository, tree: &Tree) -> Result<()> {
    read_tree(record, tree.hash())?;
    exact::write(record, tree.exact())
}

/// Copies the record's index to the programs' repository, so that its first `git status` need not read any file.
///
/// # Errors
/// Returns an error if the index cannot be copied.
pub(crate) fn check_out(record: &Repository, programs: &Repository) -> Result<()> {
    let index = record.dir.join("index");
    if index.is_file() {
        crate::copy::file_with_time(&index, &programs.dir.join("index"))?;
    }
    Ok(())
}

/// Copies the objects of the base, because no ref of the source keeps them. The history is cut off at the base.
fn copy_objects(record: &Repository, base: &str) -> Result<()> {
    let listed = record
        .call(["rev-list", "--objects", "--no-walk", base])
        .text()?;
    let hashes: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    record
        .call(["pack-objects", "-q"])
        .arg(record.dir.join("objects/pack/pack"))
        .input((hashes.join("\n") + "\n").into_bytes())
        .done()?;
    let shallow = record.dir.join("shallow");
    fs::write(&shallow, format!("{base}\n")).map_err(Error::file("write", &shallow))?;
    let alternates = record.dir.join("objects/info/alternates");
    fs::remove_file(&alternates).map_err(Error::file("remove", &alternates))
}

fn refuse_partial(record: &Repository, source: &SourceRepository, tree: &Tree) -> Result<()> {
    if !source.is_partial {
        return Ok(());
    }
    let listed = record
        .call(["rev-list", "--objects", "--missing=print", tree.hash()])
        .text()?;
    let missing = listed.lines().filter(|line| line.starts_with('?')).count();
    if missing == 0 {
        return Ok(());
    }
    Err(Refused::Partial {
        path: source.top.clone(),
        missing,
    }
    .into())
}

/// Reports the differences from the source, and fills the Git LFS files.
fn describe(
    record: &Repository,
    base: &str,
    source: &SourceRepository,
    configuration: &Configuration,
    listing: &Listing,
    notes: &mut Vec<Note>,
) -> Result<()> {
    let attributes: Vec<u8> = listing
        .attributes
        .iter()
        .flat_map(|path| fs::read(record.files.join(path)).unwrap_or_default())
        .collect();
    let attributes = String::from_utf8_lossy(&attributes);
    let filters: Vec<String> = configuration
        .filters
        .iter()
        .filter(|name| attributes.contains(&format!("filter={name}")))
        .cloned()
        .collect();
    if !filters.is_empty() {
        notes.push(Note::Filters(filters));
    }
    if attributes.contains("filter=lfs") {
        let pointers = lfs::fill(record, base, &filtered_by_lfs(record)?)?;
        if pointers > 0 {
            notes.push(Note::LfsPointers(pointers));
        }
    }
    let out: Vec<PathBuf> = listing
        .links
        .iter()
        .filter(|path| leads_out(&record.files, path))
        .cloned()
        .collect();
    if !out.is_empty() {
        notes.push(Note::LinksOut(out));
    }
    let hidden = hidden(record, source)?;
    if !hidden.is_empty() {
        notes.push(Note::Hidden(hidden));
    }
    let named = source.top.join(".gitmodules").is_file();
    if !named && !listing.submodules.is_empty() {
        let inner = listing.submodules.iter();
        notes.push(Note::Inner(
            inner.map(|(path, _)| paths::path(path)).collect(),
        ));
    }
    Ok(())
}

fn filtered_by_lfs(record: &Repository) -> Result<Vec<PathBuf>> {
    let files = record.call(["ls-files", "-z"]).bytes()?;
    let listed = record
        .call(["check-attr", "-z", "--stdin", "filter"])
        .input(files)
        .bytes()?;
    let fields: Vec<&[u8]> = listed.split(|byte| *byte == 0).collect();
    Ok(fields
        .chunks_exact(3)
        .filter(|fields| fields[2] == b"lfs")
        .map(|fields| paths::path(fields[0]))
        .collect())
}

/// Returns whether a link points to a path outside the files.
fn leads_out(files: &Path, link: &Path) -> bool {
    use std::path::Component;
    let Ok(target) = fs::read_link(files.join(link)) else {
        return false;
    };
    if target.is_absolute() {
        return !target.starts_with(files);
    }
    let folder = link.parent().unwrap_or(Path::new(""));
    let mut depth = 0_i64;
    for component in folder.join(target).components() {
        match component {
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
        if depth < 0 {
            return true;
        }
    }
    false
}

/// Returns the files of the source whose changes the source's index hides from git.
fn hidden(record: &Repository, source: &SourceRepository) -> Result<Vec<PathBuf>> {
    let index = IndexCopy::of(&record.git, source)?;
    let listed = index.call(["ls-files", "-v", "-z"]).bytes()?;
    Ok(paths::list(&listed)
        .filter(|line| {
            let is_skipped = line.starts_with(b"S");
            line[0].is_ascii_lowercase() || is_skipped
        })
        .filter_map(|line| Some(paths::path(line.get(2..)?)))
        .filter(|path| source.top.join(path).symlink_metadata().is_ok())
        .collect())
}
