//! The settings that a workspace copies from the configuration of its source and from the personal configuration. They are
//! limited to those that affect how a file becomes a blob, what is ignored, and who the user is.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::{
    git::{Git, GitError, Repository},
    paths,
};

/// The names of the copied settings, in git's spelling.
const TAKEN_OVER: [&str; 11] = [
    "core.autocrlf",
    "core.eol",
    "core.filemode",
    "core.symlinks",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "index.sparse",
    "user.name",
    "user.email",
];

#[derive(Debug, Clone, Default)]
pub(crate) struct Configuration {
    /// The copied settings.
    pub(crate) settings: BTreeMap<String, Vec<u8>>,
    /// The names of the filters that the source or the user's configuration defines, except that of LFS.
    pub(crate) filters: Vec<String>,
    pub(crate) is_partial: bool,
    /// The path of the user's personal list of ignored files, or `None` if there is none. `attributes` is the path of the
    /// user's attributes.
    pub(crate) excludes: Option<PathBuf>,
    pub(crate) attributes: Option<PathBuf>,
}

impl Configuration {
    /// Reads the configuration as git reads it for the user, including the files that it includes. Starts no program.
    ///
    /// # Errors
    /// Returns an error if git cannot read the configuration.
    pub(crate) fn read(git: &Git, top: &Path) -> Result<Self, GitError> {
        let listed = git
            .within(top, ["config", "-z", "--list"])
            .reading_personal_settings()
            .bytes()?;
        let mut read = Self::default();
        for (key, value) in entries(&listed) {
            read.add(git, key, value);
        }
        let person = git.person();
        read.excludes = read.excludes.or_else(|| person.git_file("ignore"));
        read.attributes = read.attributes.or_else(|| person.git_file("attributes"));
        Ok(read)
    }

    /// Reads the settings that a record copied.
    ///
    /// # Errors
    /// Returns an error if git cannot read the record's configuration.
    pub(crate) fn of_record(record: &Repository) -> Result<Self, GitError> {
        let listed = record
            .call(["config", "-z", "--list", "--file"])
            .arg(record.dir.join("config"))
            .bytes()?;
        let mut read = Self::default();
        for (key, value) in entries(&listed) {
            read.add(&record.git, key, value);
        }
        Ok(read)
    }

    fn add(&mut self, git: &Git, key: &str, value: Option<&[u8]>) {
        if TAKEN_OVER.contains(&key) {
            self.settings
                .insert(key.to_owned(), value.unwrap_or(b"true").to_vec());
            return;
        }
        let file = || value.map(|value| git.person().resolve(value));
        match key {
            "core.excludesfile" => self.excludes = file(),
            "core.attributesfile" => self.attributes = file(),
            "extensions.partialclone" => self.is_partial = true,
            _ if key.starts_with("remote.") && key.ends_with(".promisor") => self.is_partial = true,
            _ => {
                let filter = key
                    .strip_prefix("filter.")
                    .and_then(|rest| rest.rsplit_once('.'));
                if let Some((name, "clean" | "smudge" | "process")) = filter
                    && name != "lfs"
                    && !self.filters.iter().any(|known| known == name)
                {
                    self.filters.push(name.to_owned());
                }
            }
        }
    }

    pub(crate) fn is_sparse(&self) -> bool {
        self.is_on("core.sparsecheckout")
    }

    pub(crate) fn is_on(&self, key: &str) -> bool {
        self.settings.get(key).is_some_and(|value| {
            ["true", "yes", "on", "1"]
                .iter()
                .any(|on| value.eq_ignore_ascii_case(on.as_bytes()))
        })
    }

    pub(crate) fn text(&self, key: &str) -> Option<String> {
        let text = String::from_utf8_lossy(self.settings.get(key)?)
            .trim()
            .to_owned();
        (!text.is_empty()).then_some(text)
    }
}

/// Returns the entries of `git config -z --list`. Each is a key and, after a line break, a value. A key without `=` has no
/// value.
fn entries(listed: &[u8]) -> impl Iterator<Item = (&str, Option<&[u8]>)> {
    paths::list(listed).filter_map(|entry| {
        let (key, value) = match entry.iter().position(|byte| *byte == b'\n') {
            Some(at) => (&entry[..at], Some(&entry[at + 1..])),
            None => (entry, None),
        };
        Some((std::str::from_utf8(key).ok()?, value))
    })
}

/// Returns the path of the user's personal list of ignored files, or `None` if there is none.
///
/// # Errors
/// Returns an error if git cannot read the configuration.
pub(super) fn personal_excludes(git: &Git, top: &Path) -> Result<Option<PathBuf>, GitError> {
    Ok(Configuration::read(git, top)?.excludes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_values_of_several_lines_or_none() {
        let listed = b"core.eol\nlf\0core.bare\0filter.x.clean\na\nb\0";
        let found: Vec<_> = entries(listed).collect();
        assert_eq!(
            found,
            [
                ("core.eol", Some(&b"lf"[..])),
                ("core.bare", None),
                ("filter.x.clean", Some(&b"a\nb"[..])),
            ]
        );
    }
}
