//! Creates a workspace: a private copy of a repository or a folder. In the source, only one ref is changed.

mod commit;
mod folder;
pub(crate) mod lfs;
mod link;
mod listing;
mod modules;
mod note;
mod programs;
mod repository;
mod request;
mod working;

use std::{
    fs::{self, File},
    path::Path,
};

pub(crate) use commit::{Author, commit_tree};
pub(crate) use listing::Submodule;
pub(crate) use modules::make_modules;
pub use note::Note;
pub(crate) use programs::{copy_record, make_programs};
pub(crate) use repository::{begin_at, check_out};
pub(crate) use request::now;
pub use request::{Base, Request};
pub(crate) use working::{SUBJECT, refuse_unmerged};

use crate::{
    delete,
    error::{Error, Result},
    git::Git,
    person::Person,
    pin,
    tree::Tree,
    workspace::{self, Manifest, Workspace},
};

/// The result of creating a workspace, with its differences from the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub base: String,
    pub tree: Tree,
    pub notes: Vec<Note>,
}

impl Workspace {
    /// Creates a workspace. The remains of an interrupted attempt in its folder are removed.
    ///
    /// # Errors
    /// [`Refused`](Error::Refused) if the base cannot be used, [`Exists`](Error::Exists) if there is a complete workspace,
    /// or an error if git fails or a file cannot be read or written. After an error, nothing is left in the source.
    pub fn make(request: &Request<'_>) -> Result<(Self, Report)> {
        let lock = claim(request.place, &request.source.person)?;
        let place = workspace::real(request.place)?;
        let request = &Request {
            place: &place,
            ..request.clone()
        };
        let git = Git::new(&request.source.person)?.holding(
            lock.try_clone()
                .map_err(Error::file("open", request.place))?,
        );
        let made = match &request.source.repository {
            Some(repository) => repository::make(request, repository, &git),
            None => folder::make(request, &git),
        };
        let made = made.and_then(|(manifest, notes)| finish(request, manifest, notes, lock));
        if made.is_err() {
            abandon(&place, &request.source.person);
        }
        made
    }
}

/// Claims the folder of a new workspace, and empties it. Returns the lock.
///
/// # Errors
/// Returns an error if the folder contains a complete workspace, if it is in use, or if it cannot be emptied.
pub(crate) fn claim(place: &Path, person: &Person) -> Result<File> {
    fs::create_dir_all(place).map_err(Error::file("create", place))?;
    let lock = workspace::hold(place)?;
    if Manifest::read(place).is_ok() {
        return Err(Error::Exists(place.to_path_buf()));
    }
    // If the ref cannot be removed now, it is replaced later, or remains in the source.
    let _ = pin::unpin(place, person);
    for entry in fs::read_dir(place).map_err(Error::file("read", place))? {
        let path = entry.map_err(Error::file("read", place))?.path();
        if path.file_name().is_none_or(|name| name != "lock") {
            delete::everything(&path)?;
        }
    }
    for folder in ["files", "tmp", "no-hooks"] {
        let folder = place.join(folder);
        fs::create_dir(&folder).map_err(Error::file("create", &folder))?;
    }
    Ok(lock)
}

fn finish(
    request: &Request<'_>,
    manifest: Manifest,
    notes: Vec<Note>,
    lock: File,
) -> Result<(Workspace, Report)> {
    manifest.write(request.place)?;
    let report = Report {
        base: manifest.base.clone(),
        tree: manifest.base_tree.clone(),
        notes,
    };
    let workspace = Workspace::new(request.place, manifest, &request.source.person, lock)?;
    *workspace
        .last
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    Ok((workspace, report))
}

/// Removes the remains of a failed attempt. If something cannot be removed now, the next attempt removes it.
pub(crate) fn abandon(place: &Path, person: &Person) {
    if pin::unpin(place, person).is_ok() {
        let _ = delete::everything(place);
    }
}
