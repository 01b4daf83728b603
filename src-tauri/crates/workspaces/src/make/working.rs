//! Writes the current files of the source, including uncommitted changes, as a tree. Only the record is changed.

use std::fs;

use super::{Author, Note, commit_tree};
use crate::{
    error::{Error, Result},
    git::Repository,
    paths,
    record::{Index, exact, update},
    source::{Refused, SourceRepository, take_index},
    tree::Tree,
};

/// The subject of the commit with the uncommitted changes.
pub(crate) const SUBJECT: &str = "Uncommitted changes at the start of the run";

/// Writes the files of the source as a commit on `head`. Returns the commit and its tree.
///
/// # Errors
/// [`Refused`](Error::Refused) if the index has unmerged files or cannot be read.
pub(super) fn capture(
    record: &Repository,
    source: &SourceRepository,
    head: Option<&str>,
    converts_all: bool,
    notes: &mut Vec<Note>,
) -> Result<(String, Tree)> {
    let at_source = Repository::new(&record.git, &record.dir, &source.top);
    take_index(source, &record.dir, "index")?;
    let index = Index::of(&at_source);
    refuse_unmerged(&index, source)?;
    let exact_files = exact::Pending::begin(record)?;
    let updated = update(&index, false)?;
    let hash = index.call(["write-tree"]).text()?;
    let place = record.dir.parent().unwrap_or(&record.dir);
    let to = exact::Exact {
        record: &at_source,
        place,
        converts_all,
    };
    let exact = exact::note(&to, &updated.changed, &exact_files)?;
    exact_files.end()?;
    if !updated.left_out.is_empty() {
        notes.push(Note::LeftOut(updated.left_out));
    }
    let commit = commit_tree(
        record,
        &hash,
        head,
        &format!("{SUBJECT}\n"),
        &Author::own(super::now()),
    )?;
    own_objects(record, &hash, head)?;
    forget_index(record)?;
    Ok((commit, Tree::new(&hash, exact.as_deref())?))
}

/// Refuses an index that has unmerged files or cannot be read.
pub(crate) fn refuse_unmerged(index: &Index<'_>, source: &SourceRepository) -> Result<()> {
    let path = source.top.clone();
    let unmerged = match index.call(["ls-files", "-u", "-z"]).bytes() {
        Ok(listed) => listed,
        Err(error) => {
            let why = error.to_string();
            return Err(Refused::Damaged { path, why }.into());
        }
    };
    let mut files: Vec<String> = paths::list(&unmerged)
        .filter_map(|line| line.split(|byte| *byte == b'\t').nth(1))
        .map(|path| String::from_utf8_lossy(path).into_owned())
        .collect();
    files.dedup();
    if files.is_empty() {
        return Ok(());
    }
    files.truncate(5);
    let files = files.join(", ");
    Err(Refused::Unmerged { path, files }.into())
}

/// Copies objects that are only staged in the source, because no ref keeps them.
fn own_objects(record: &Repository, tree: &str, head: Option<&str>) -> Result<()> {
    let without = head.map(|head| format!("^{head}"));
    let listed = record
        .call(["rev-list", "--objects", tree])
        .args(without)
        .text()?;
    let missing: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|hash| hash.len() > 2 && !is_loose(record, hash))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    record
        .call(["pack-objects", "-q"])
        .arg(record.dir.join("objects/pack/pack"))
        .input((missing.join("\n") + "\n").into_bytes())
        .done()?;
    Ok(())
}

fn is_loose(record: &Repository, hash: &str) -> bool {
    let (folder, name) = hash.split_at(2);
    record.dir.join("objects").join(folder).join(name).is_file()
}

/// Removes the copied index, which describes the files of the source.
fn forget_index(record: &Repository) -> Result<()> {
    for entry in fs::read_dir(&record.dir).map_err(Error::file("read", &record.dir))? {
        let path = entry.map_err(Error::file("read", &record.dir))?.path();
        let is_index = path.file_name().is_some_and(|name| {
            name == "index" || name.as_encoded_bytes().starts_with(b"sharedindex.")
        });
        if is_index {
            fs::remove_file(&path).map_err(Error::file("remove", &path))?;
        }
    }
    Ok(())
}
