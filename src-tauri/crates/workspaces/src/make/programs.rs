//! Creates the repository that programs in the workspace use, and the record of a fork.

use std::{fs, path::Path};

use super::{
    lfs,
    link::{self, Kind},
};
use crate::{
    error::{Error, Result},
    git::Repository,
    source::{Configuration, SourceRepository},
    workspace::Manifest,
};

/// The files that determine which files git ignores, converts and checks out.
const INFO: [&str; 3] = ["info/exclude", "info/attributes", "info/sparse-checkout"];

/// Creates the repository that programs in the workspace use: with the record's settings and objects, the branches of the
/// source, and no remotes.
///
/// # Errors
/// Returns an error if git cannot create the repository, or if a file cannot be copied.
pub(crate) fn make_programs(
    record: &Repository,
    place: &Path,
    branches: Option<&SourceRepository>,
) -> Result<Repository> {
    let format = record.call(["rev-parse", "--show-object-format"]).text()?;
    let programs = link::init(&record.git, Kind::Programs, place, &format)?;
    link::configure(
        &programs,
        place,
        &Configuration::of_record(record)?,
        lfs::program().as_deref(),
    )?;
    link::link_objects(&programs, &record.dir.join("objects"))?;
    copy_some(&record.dir, &programs.dir, &INFO)?;
    copy_some(&record.dir, &programs.dir, &["shallow"])?;
    if let Some(source) = branches {
        add_branches(&programs, source)?;
    }
    Ok(programs)
}

fn add_branches(programs: &Repository, source: &SourceRepository) -> Result<()> {
    let git = source.git(&programs.git);
    let format = "--format=create %(refname) %(objectname)";
    let branches = git
        .within(&source.top, ["for-each-ref", format, "refs/heads"])
        .bytes()?;
    if !branches.is_empty() {
        programs
            .call(["update-ref", "--stdin"])
            .input(branches)
            .done()?;
    }
    Ok(())
}

/// Creates a record with the settings of another record, and with the objects of the source.
///
/// # Errors
/// Returns an error if git cannot create the record, or if a file cannot be copied.
pub(crate) fn copy_record(
    from: &Repository,
    to: &Repository,
    place: &Path,
    manifest: &Manifest,
) -> Result<()> {
    link::init(&to.git, Kind::Record, place, &manifest.object_format)?;
    let configuration = Configuration::of_record(from)?;
    link::configure(to, place, &configuration, lfs::program().as_deref())?;
    copy_some(&from.dir, &to.dir, &INFO)?;
    copy_some(&from.dir, &to.dir, &["shallow"])?;
    if manifest.pinned.is_some() || manifest.common_dir.is_some() {
        copy_some(&from.dir, &to.dir, &["objects/info/alternates"])?;
    }
    Ok(())
}

fn copy_some(from: &Path, to: &Path, names: &[&str]) -> Result<()> {
    for name in names {
        let (from, to) = (from.join(name), to.join(name));
        if from.is_file() {
            fs::copy(&from, &to).map_err(Error::file("write", &to))?;
        }
    }
    Ok(())
}
