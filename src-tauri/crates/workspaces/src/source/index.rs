//! Reads the staged files of a source from a copy of the index, because git changes the time of a shared index file when it
//! reads it.

use std::{ffi::OsStr, fs, path::Path};

use tempfile::TempDir;

use super::{Configuration, SourceRepository};
use crate::{
    copy,
    error::{Error, Result},
    git::{Call, Git, Repository},
    record::Index,
};

/// A repository with a copy of a source's index, and with the source's files.
pub(crate) struct IndexCopy {
    repository: Repository,
    _folder: TempDir,
}

impl IndexCopy {
    /// Copies the index, and the repository's own list of ignored files.
    ///
    /// # Errors
    /// Returns an error if git cannot create the temporary repository, or if a file cannot be copied.
    pub(crate) fn of(git: &Git, source: &SourceRepository) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("loopwright-index-")
            .tempdir()
            .map_err(Error::file("create a folder in", &std::env::temp_dir()))?;
        git.within(folder.path(), ["init", "-q", "--bare", "--template="])
            .arg(format!("--object-format={}", source.object_format))
            .arg(".")
            .done()?;
        take_index(source, folder.path(), "index")?;
        let exclude = source.common_dir.join("info/exclude");
        if exclude.is_file() {
            let to = folder.path().join("info");
            std::fs::create_dir_all(&to).map_err(Error::file("create", &to))?;
            let to = to.join("exclude");
            std::fs::copy(&exclude, &to).map_err(Error::file("write", &to))?;
        }
        Ok(Self {
            repository: Repository::new(git, folder.path(), &source.top),
            _folder: folder,
        })
    }

    pub(crate) fn call<'a>(
        &'a self,
        args: impl IntoIterator<Item = &'a (impl AsRef<OsStr> + ?Sized + 'a)>,
    ) -> Call<'a> {
        let settings = ["-c", "core.bare=false"];
        self.repository.call(settings).args(args)
    }

    pub(crate) fn index(&self) -> Index<'_> {
        Index::of(&self.repository)
    }

    /// Creates a command with the settings of the source that determine whether a file is changed or ignored.
    pub(crate) fn configured(&self, configuration: &Configuration) -> Call<'_> {
        let mut call = self.call(["-c", "core.bare=false"]);
        for (key, value) in &configuration.settings {
            if key.starts_with("core.") {
                call = call
                    .arg("-c")
                    .arg(format!("{key}={}", String::from_utf8_lossy(value)));
            }
        }
        let mut excludes = std::ffi::OsString::from("core.excludesFile=");
        excludes.push(configuration.excludes.as_deref().unwrap_or(Path::new("")));
        call.arg("-c").arg(excludes)
    }

    /// Returns those paths in `input` that git ignores. Each path in the input and in the result ends with a zero byte.
    /// `excludes` is the path of the user's personal list of ignored files.
    ///
    /// # Errors
    /// Returns an error if git cannot be started.
    pub(crate) fn ignored(&self, excludes: Option<&Path>, input: Vec<u8>) -> Result<Vec<u8>> {
        let mut setting = std::ffi::OsString::from("core.excludesFile=");
        setting.push(excludes.unwrap_or(Path::new("")));
        let output = self
            .call(["-c"])
            .arg(setting)
            .args(["check-ignore", "-z", "--stdin"])
            .input(input)
            .output()?;
        // Status 1 means that no path is ignored.
        Ok(output.stdout)
    }
}

/// Copies the index of the source, with its modification time and its shared parts.
///
/// # Errors
/// Returns an error if a file cannot be copied.
pub(crate) fn take_index(source: &SourceRepository, dir: &Path, name: &str) -> Result<()> {
    if source.index().is_file() {
        copy::file_with_time(&source.index(), &dir.join(name))?;
    }
    let folder = &source.git_dir;
    for entry in fs::read_dir(folder).map_err(Error::file("read", folder))? {
        let path = entry.map_err(Error::file("read", folder))?.path();
        let Some(name) = path.file_name() else {
            continue;
        };
        if name.as_encoded_bytes().starts_with(b"sharedindex.") {
            copy::file_with_time(&path, &dir.join(name))?;
        }
    }
    Ok(())
}
