//! Creates repositories. They are empty, can read the objects of other repositories, and have a configuration that starts no
//! program.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
};

use crate::{
    error::{Error, Result},
    git::{Git, Repository},
    paths,
    source::{Configuration, SourceRepository},
};

/// The settings of every repository that this crate creates.
const SETTINGS: &[(&str, &str)] = &[
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("push.default", "nothing"),
    ("credential.helper", ""),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("rerere.enabled", "false"),
];

/// The kind of a repository: the one that programs see, or the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Programs,
    Record,
}

/// Creates an empty repository.
///
/// # Errors
/// Returns an error if git cannot create the repository, or if its folders cannot be created.
pub(super) fn init(git: &Git, kind: Kind, place: &Path, format: &str) -> Result<Repository> {
    let files = place.join("files");
    let dir = match kind {
        Kind::Programs => files.join(".git"),
        Kind::Record => place.join("record.git"),
    };
    let refs = git.is_at_least(2, 45).then_some("--ref-format=files");
    git.within(place, ["init", "-q", "--bare", "--template="])
        .arg(format!("--object-format={format}"))
        .args(refs)
        .arg(&dir)
        .done()?;
    for folder in ["info", "objects/info"] {
        let folder = dir.join(folder);
        fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
    }
    Ok(Repository::new(git, &dir, &files))
}

/// Makes the objects of the source readable in a repository, and copies the information about where the source's history is
/// cut off.
///
/// # Errors
/// Returns an error if a file of the repository cannot be written.
pub(super) fn link_source(repository: &Repository, source: &SourceRepository) -> Result<()> {
    link_objects(repository, &source.objects())?;
    let shallow = source.common_dir.join("shallow");
    if shallow.is_file() {
        let to = repository.dir.join("shallow");
        fs::copy(&shallow, &to).map_err(Error::file("write", &to))?;
    }
    Ok(())
}

/// Makes the objects of another repository readable.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub(super) fn link_objects(repository: &Repository, objects: &Path) -> Result<()> {
    let file = repository.dir.join("objects/info/alternates");
    let added = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&file)
        .and_then(|mut out| out.write_all(&paths::alternate(objects)));
    added.map_err(Error::file("write", &file))
}

/// Writes the configuration of a new repository.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub(super) fn configure(
    repository: &Repository,
    place: &Path,
    configuration: &Configuration,
    lfs: Option<&Path>,
) -> Result<()> {
    let dir = &repository.dir;
    let own = |name: &str| dir.join("info").join(name);
    let excludes = take_over(configuration.excludes.as_deref(), &own("personal-excludes"))?;
    let attributes = take_over(
        configuration.attributes.as_deref(),
        &own("personal-attributes"),
    )?;
    let mut text = Vec::new();
    setting(&mut text, "core.bare", b"false");
    setting(
        &mut text,
        "core.hooksPath",
        paths::bytes(&place.join("no-hooks")),
    );
    setting(&mut text, "core.excludesFile", paths::bytes(&excludes));
    setting(&mut text, "core.attributesFile", paths::bytes(&attributes));
    for (key, value) in SETTINGS {
        setting(&mut text, key, value.as_bytes());
    }
    for (key, value) in &configuration.settings {
        setting(&mut text, key, value);
    }
    if let Some(program) = lfs {
        super::lfs::settings(program, |key, value| setting(&mut text, key, value));
    }
    let file = dir.join("config");
    let added = OpenOptions::new()
        .append(true)
        .open(&file)
        .and_then(|mut out| out.write_all(&text));
    added.map_err(Error::file("write", &file))
}

/// Copies the source's list of ignored files, its attributes, and its sparse-checkout list.
///
/// # Errors
/// Returns an error if a file cannot be copied.
pub(super) fn take_over_info(
    repository: &Repository,
    source: &SourceRepository,
    configuration: &Configuration,
) -> Result<()> {
    let info = repository.dir.join("info");
    take_over(
        Some(&source.common_dir.join("info/exclude")),
        &info.join("exclude"),
    )?;
    let attributes = source.common_dir.join("info/attributes");
    take_over(Some(&attributes), &info.join("attributes"))?;
    if configuration.is_sparse() {
        let sparse = source.git_dir.join("info/sparse-checkout");
        take_over(Some(&sparse), &info.join("sparse-checkout"))?;
    }
    Ok(())
}

/// Copies a file if it exists. Returns the path of the copy, or an empty path if there is no file.
fn take_over(from: Option<&Path>, to: &Path) -> Result<PathBuf> {
    match from {
        Some(from) if from.is_file() => {
            fs::copy(from, to).map_err(Error::file("write", to))?;
            Ok(to.to_path_buf())
        }
        _ => Ok(PathBuf::new()),
    }
}

/// Appends a setting in git's format. The value is quoted, so that it may contain any byte.
fn setting(text: &mut Vec<u8>, key: &str, value: &[u8]) {
    let Some((section, name)) = key.rsplit_once('.') else {
        return;
    };
    let header = match section.split_once('.') {
        Some((section, sub)) => format!("[{section} \"{sub}\"]\n\t{name} = \""),
        None => format!("[{section}]\n\t{name} = \""),
    };
    text.extend(header.into_bytes());
    for byte in value {
        match byte {
            b'"' | b'\\' => text.extend([b'\\', *byte]),
            b'\n' => text.extend(*b"\\n"),
            b'\t' => text.extend(*b"\\t"),
            byte => text.push(*byte),
        }
    }
    text.extend(*b"\"\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_keep_any_byte() {
        let mut text = Vec::new();
        setting(&mut text, "user.name", b"a \"b\" \\ \xff;#\n\t");
        setting(&mut text, "filter.lfs.clean", b"x");
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), &text).unwrap();
        let git = Git::new(&crate::Person::default()).unwrap();
        let read = git
            .within(Path::new("/"), ["config", "-z", "--list", "--file"])
            .arg(file.path())
            .bytes()
            .unwrap();
        assert_eq!(
            read,
            b"user.name\na \"b\" \\ \xff;#\n\t\0filter.lfs.clean\nx\0"
        );
    }
}
