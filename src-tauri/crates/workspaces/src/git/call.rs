//! Runs git commands. The types are the git program with its settings, a repository that Loopwright created, and a command
//! with its arguments, environment, input and limits.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Seek as _, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::{GitError, Output, Program, execute};
use crate::person::Person;

/// The default time limit of one command. The checkout of a large repository on a slow disk takes minutes.
const TIME_LIMIT: Duration = Duration::from_secs(20 * 60);

/// The settings of every command, including commands in the source. They override the configuration of any repository.
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

/// The git program, ready to start commands. Each clone has its own list of trusted folders.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    program: Arc<Program>,
    person: Person,
    /// The repositories that the user named. Without this list, git refuses repositories that belong to another user.
    trusted: Vec<PathBuf>,
    lock: Option<Arc<Mutex<File>>>,
}

impl Git {
    /// Finds git.
    ///
    /// # Errors
    /// Returns an error if git is missing or older than this crate needs.
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

    /// Makes every command hold this lock while it runs, even if this process is killed. The lock file becomes the command's
    /// standard input.
    pub(crate) fn holding(mut self, lock: File) -> Self {
        self.lock = Some(Arc::new(Mutex::new(lock)));
        self
    }

    pub(crate) fn person(&self) -> &Person {
        &self.person
    }

    /// Returns whether the version of git is at least `major.minor`.
    pub(crate) fn is_at_least(&self, major: u32, minor: u32) -> bool {
        self.program.version >= (major, minor)
    }

    /// Creates a command in a folder. Git finds the folder's repository itself. Used only for the source.
    pub(crate) fn within<'a>(
        &'a self,
        folder: &Path,
        args: impl IntoIterator<Item = &'a (impl AsRef<OsStr> + ?Sized + 'a)>,
    ) -> Call<'a> {
        Call::new(self, folder).args(args)
    }
}

/// A repository that this program created, with the folder whose files it describes. Git reads the configuration of this
/// repository only.
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

/// A command that has not been started yet.
#[must_use]
#[derive(Debug)]
pub(crate) struct Call<'a> {
    git: &'a Git,
    folder: PathBuf,
    args: Vec<OsString>,
    env: Vec<(&'static str, OsString)>,
    input: Option<Vec<u8>>,
    limit: usize,
    reads_personal_settings: bool,
}

impl<'a> Call<'a> {
    pub(super) fn new(git: &'a Git, folder: &Path) -> Self {
        Self {
            git,
            folder: folder.to_path_buf(),
            args: Vec::new(),
            env: Vec::new(),
            input: None,
            limit: usize::MAX,
            reads_personal_settings: false,
        }
    }

    pub(crate) fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.args
            .extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub(crate) fn arg(self, arg: impl AsRef<OsStr>) -> Self {
        self.args([arg])
    }

    pub(crate) fn env(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name, value.as_ref().to_owned()));
        self
    }

    pub(crate) fn input(mut self, input: Vec<u8>) -> Self {
        self.input = Some(input);
        self
    }

    /// Sets the number of bytes of output after which the command is stopped.
    pub(crate) fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Makes the command also read the configuration of the user and of the system. Used only for `git config`, which starts
    /// no other program.
    pub(crate) fn reading_personal_settings(mut self) -> Self {
        self.reads_personal_settings = true;
        self
    }

    /// Runs the command, and returns its output even if it failed.
    ///
    /// # Errors
    /// Returns an error if the command cannot be started or exceeds its time limit.
    pub(crate) fn output(self) -> Result<Output, GitError> {
        let name = self.name();
        let not_started = |error: io::Error| GitError::NotStarted {
            command: name.clone(),
            error,
        };
        let mut command = self.command();
        let answer = match (&self.git.lock, &self.input) {
            (Some(lock), Some(input)) => {
                // The command shares the file's position, so only one command with input runs at a time.
                let file = lock.lock().unwrap_or_else(PoisonError::into_inner);
                let stdin = fill(&file, input).map_err(not_started)?;
                execute::run(command.stdin(stdin), self.limit, TIME_LIMIT)
            }
            (Some(lock), None) => {
                let file = lock.lock().unwrap_or_else(PoisonError::into_inner);
                let stdin = Stdio::from(file.try_clone().map_err(not_started)?);
                drop(file);
                execute::run(command.stdin(stdin), self.limit, TIME_LIMIT)
            }
            (None, Some(input)) => {
                let file = tempfile::tempfile().map_err(not_started)?;
                let stdin = fill(&file, input).map_err(not_started)?;
                execute::run(command.stdin(stdin), self.limit, TIME_LIMIT)
            }
            (None, None) => execute::run(command.stdin(Stdio::null()), self.limit, TIME_LIMIT),
        };
        match answer {
            Ok(Some(output)) => Ok(output),
            Ok(None) => Err(GitError::TimedOut {
                command: name,
                folder: self.folder,
                limit: TIME_LIMIT,
            }),
            Err(error) => Err(not_started(error)),
        }
    }

    /// Runs the command, and returns its output as bytes.
    ///
    /// # Errors
    /// Returns an error if the command fails.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, GitError> {
        let (name, folder) = (self.name(), self.folder.clone());
        let output = self.output()?;
        if output.is_success() {
            return Ok(output.stdout);
        }
        Err(GitError::failed(name, folder, &output))
    }

    /// Runs the command, and returns its output without the last line break.
    ///
    /// # Errors
    /// Returns an error if the command fails.
    pub(crate) fn line(self) -> Result<Vec<u8>, GitError> {
        let mut bytes = self.bytes()?;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        Ok(bytes)
    }

    /// Runs the command, and returns its output as text.
    ///
    /// # Errors
    /// Returns an error if the command fails.
    pub(crate) fn text(self) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.line()?).into_owned())
    }

    /// Runs the command, and discards its output.
    ///
    /// # Errors
    /// Returns an error if the command fails.
    pub(crate) fn done(self) -> Result<(), GitError> {
        self.bytes().map(drop)
    }

    /// Runs the command, and returns whether it succeeded.
    ///
    /// # Errors
    /// Returns an error if the command cannot be started or exceeds its time limit.
    pub(crate) fn succeeds(self) -> Result<bool, GitError> {
        Ok(self.output()?.is_success())
    }

    /// Returns the name of the command for messages, without its options.
    fn name(&self) -> String {
        let name = self
            .args
            .iter()
            .find(|arg| !arg.as_encoded_bytes().starts_with(b"-"));
        let name = name.map(|name| name.to_string_lossy()).unwrap_or_default();
        format!("git {name}")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.git.program.path);
        command.current_dir(&self.folder).env_clear();
        for name in PASSED_ON {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        self.git.person.enter(&mut command);
        command.envs(CLEAN.iter().copied());
        if !self.reads_personal_settings {
            command
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .env("GIT_CONFIG_GLOBAL", NOWHERE);
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        for folder in &self.git.trusted {
            let mut setting = OsString::from("safe.directory=");
            setting.push(folder);
            command.arg("-c").arg(setting);
        }
        command.args(&self.args);
        command
    }
}

#[cfg(unix)]
const NOWHERE: &str = "/dev/null";
#[cfg(not(unix))]
const NOWHERE: &str = "NUL";

/// The environment variables that are passed on, because a program may need them to start.
const PASSED_ON: [&str; 7] = [
    "PATH",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SystemRoot",
    "PATHEXT",
    "LD_LIBRARY_PATH",
];

/// The environment of every command: messages in English, no questions, no network, no replaced objects.
const CLEAN: [(&str, &str); 9] = [
    ("LC_ALL", "C"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_ASKPASS", "true"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_LFS_SKIP_SMUDGE", "1"),
];

/// Writes the input to a file, and returns the file as a standard input that is read from the start.
fn fill(mut file: &std::fs::File, input: &[u8]) -> io::Result<Stdio> {
    file.set_len(0)?;
    file.seek(io::SeekFrom::Start(0))?;
    file.write_all(input)?;
    file.seek(io::SeekFrom::Start(0))?;
    Ok(Stdio::from(file.try_clone()?))
}
