//! Creates the private copy of a folder without git.

use std::path::Path;

use super::{
    commit::{Author, commit_tree},
    link::{self, Kind},
    note::Note,
    repository,
    request::{Base, Request, manifest_of, now},
};
use crate::{
    copy,
    error::Result,
    git::Git,
    record::{Index, exact, update},
    source::{Configuration, Refused},
    tree::Tree,
    workspace::Manifest,
};

pub(super) fn make(request: &Request<'_>, git: &Git) -> Result<(Manifest, Vec<Note>)> {
    let source = request.source;
    if let Base::Named(name) = &request.base {
        return Err(Refused::NotARepository {
            path: source.path.clone(),
            name: name.clone(),
        }
        .into());
    }
    let place = request.place;
    let mut notes = Vec::new();
    let left_out = copy::folder(&source.path, &place.join("files"))?;
    if !left_out.is_empty() {
        notes.push(Note::LeftOut(left_out));
    }
    let configuration = configuration(git, place)?;
    let record = link::init(git, Kind::Record, place, "sha1")?;
    link::configure(&record, place, &configuration, None)?;
    let index = Index::of(&record);
    let exact_files = exact::Pending::begin(&record)?;
    let updated = update(&index, false)?;
    let hash = index.call(["write-tree"]).text()?;
    let to = exact::Exact {
        record: &record,
        place,
        converts_all: false,
    };
    let exact = exact::note(&to, &updated.changed, &exact_files)?;
    exact_files.end()?;
    let tree = Tree::new(&hash, exact.as_deref())?;
    let message = "The folder at the start of the run\n";
    let author = Author::own(now());
    let base = commit_tree(&record, &hash, None, message, &author)?;
    let programs = link::init(git, Kind::Programs, place, "sha1")?;
    link::configure(&programs, place, &configuration, None)?;
    link::link_objects(&programs, &record.dir.join("objects"))?;
    repository::begin_at(&programs, &base)?;
    repository::check_out(&record, &programs)?;
    Ok((manifest_of(request, base, tree), notes))
}

/// Returns the configuration of a copy without git: the user's name, and the user's personal list of ignored files. Line
/// endings are not converted.
fn configuration(git: &Git, place: &Path) -> Result<Configuration> {
    // The configuration is read outside any repository, because a repository around the data folder does not count.
    let outside = place.ancestors().last().unwrap_or(place);
    let mut configuration = Configuration::read(git, outside)?;
    configuration
        .settings
        .retain(|key, _| key.starts_with("user."));
    configuration.attributes = None;
    Ok(configuration)
}
