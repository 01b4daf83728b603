//! The one place that starts git: its program, its environment, and the settings that no repository may change.

mod call;
mod error;
mod execute;
mod output;
mod program;

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

pub(crate) use call::Call;
pub use error::GitError;
pub(crate) use error::said;
pub(crate) use output::Output;
pub(crate) use program::Program;

use crate::person::Person;

/// Settings of every command, also of those in the source. They win over the configuration of any repository.
const SETTINGS: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.logAllRefUpdates=false",
    "core.splitIndex=false",
    "core.safecrlf=false",
    "core.quotePath=true",
    "core.pager=cat",
    "core.looseCompression=1",
    "pack.compression=1",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "credential.helper=",
    "commit.gpgSign=false",
    "submodule.recurse=false",
    "advice.detachedHead=false",
    "checkout.workers=0",
    "diff.renames=false",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
];

/// Starts git. A clone of it is the same with its own list of trusted folders.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    program: Arc<Program>,
    person: Person,
    /// The repositories that the person named. git refuses others if they belong to another user.
    trusted: Vec<PathBuf>,
    lock: Option<Arc<Mutex<File>>>,
}

impl Git {
    /// # Errors
    /// An error if git is missing or older than this crate needs.
    pub(crate) fn new(person: &Person) -> Result<Self, GitError> {
        Ok(Self {
            program: Program::find()?,
            person: person.clone(),
            trusted: Vec::new(),
            lock: None,
        })
    }

    pub(crate) fn trusting(mut self, folders: &[&Path]) -> Self {
        self.trusted
            .extend(folders.iter().map(|folder| folder.to_path_buf()));
        self
    }

    /// Makes every command hold this lock as long as it runs, even if this process is killed: the file is its standard input.
    pub(crate) fn holding(mut self, lock: File) -> Self {
        self.lock = Some(Arc::new(Mutex::new(lock)));
        self
    }

    pub(crate) fn person(&self) -> &Person {
        &self.person
    }

    /// Whether git has at least this version.
    pub(crate) fn is_at_least(&self, major: u32, minor: u32) -> bool {
        self.program.version >= (major, minor)
    }

    /// A command in a folder, whose repository git finds itself. Only for the source.
    pub(crate) fn within<'a>(
        &'a self,
        folder: &Path,
        args: impl IntoIterator<Item = &'a (impl AsRef<OsStr> + ?Sized + 'a)>,
    ) -> Call<'a> {
        Call::new(self, folder).args(args)
    }
}

/// A repository that this program made, with the folder whose files it describes. git reads its configuration and no other.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    pub(crate) git: Git,
    pub(crate) dir: PathBuf,
    pub(crate) files: PathBuf,
}

impl Repository {
    pub(crate) fn new(git: &Git, dir: &Path, files: &Path) -> Self {
        Self {
            git: git.clone(),
            dir: dir.to_path_buf(),
            files: files.to_path_buf(),
        }
    }

    pub(crate) fn call<'a>(
        &'a self,
        args: impl IntoIterator<Item = &'a (impl AsRef<OsStr> + ?Sized + 'a)>,
    ) -> Call<'a> {
        let mut dir = OsString::from("--git-dir=");
        dir.push(&self.dir);
        let mut files = OsString::from("--work-tree=");
        files.push(&self.files);
        let folder = if self.files.is_dir() {
            &self.files
        } else {
            &self.dir
        };
        Call::new(&self.git, folder).args([&dir, &files]).args(args)
    }
}
