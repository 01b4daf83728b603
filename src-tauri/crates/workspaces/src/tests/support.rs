//! Sources for tests, and the visible state of a folder without git.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::{Base, Person, Report, Request, Source, Workspace};
use tempfile::TempDir;

/// A temporary folder with a home, a data folder and a source.
pub(crate) struct Place {
    pub(crate) root: PathBuf,
    pub(crate) person: Person,
    _folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["home", "data", "source"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        let config = "[user]\n\tname = Pat Person\n\temail = pat@example.org\n[init]\n\tdefaultBranch = main\n[core]\n\texcludesFile = ~/.ignored\n[protocol \"file\"]\n\tallow = always\n";
        fs::write(root.join("home/.gitconfig"), config).unwrap();
        fs::write(root.join("home/.ignored"), "*.personal\n").unwrap();
        Self {
            person: Person {
                home: Some(root.join("home")),
                config_home: None,
            },
            root,
            _folder: folder,
        }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    pub(crate) fn source(&self) -> PathBuf {
        self.root.join("source")
    }

    pub(crate) fn workspace_place(&self) -> PathBuf {
        self.data().join("workspaces/run-1/loop")
    }

    pub(crate) fn look(&self, path: &Path) -> crate::Result<Source> {
        Source::look(path, &self.data(), &self.person)
    }

    pub(crate) fn try_make(&self, path: &Path, base: Base) -> crate::Result<(Workspace, Report)> {
        let source = self.look(path)?;
        Workspace::make(&Request {
            source: &source,
            base,
            run: "run-1",
            loop_path: "fix/inner",
            place: &self.workspace_place(),
        })
    }

    pub(crate) fn make(&self, base: Base) -> (Workspace, Report) {
        self.try_make(&self.source(), base).unwrap()
    }

    pub(crate) fn open(&self) -> Workspace {
        Workspace::open(&self.workspace_place(), &self.person).unwrap()
    }

    /// Runs git as the user would, with hooks and filters.
    pub(crate) fn git(&self, folder: &Path, args: &[&str]) -> String {
        let output = self.try_git(folder, args);
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(crate) fn try_git(&self, folder: &Path, args: &[&str]) -> Output {
        let mut command = self.program("git", folder);
        command.args(args).output().unwrap()
    }

    /// Returns a command that starts a program as the user would.
    pub(crate) fn program(&self, program: &str, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.root.join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C");
        command
    }

    /// Runs a shell script in a folder.
    pub(crate) fn shell(&self, folder: &Path, script: &str) {
        let output = self.program("sh", folder).args(["-c", script]).output();
        output.unwrap();
    }

    /// Creates a repository with two commits, a branch, a tag, a stash, a link, a program and ignored files.
    pub(crate) fn repository(&self) -> PathBuf {
        let source = self.source();
        self.git(&source, &["init", "-q"]);
        fill(&source);
        self.git(&source, &["add", "-A"]);
        self.git(&source, &["commit", "-qm", "one"]);
        write(&source.join("a.txt"), "one\ntwo\nthree\n");
        self.git(&source, &["commit", "-qam", "two"]);
        self.git(&source, &["branch", "other", "HEAD~1"]);
        self.git(&source, &["tag", "v1"]);
        write(&source.join("build/out.o"), "x");
        write(&source.join(".env"), "KEY=1");
        write(&source.join("x.personal"), "mine");
        write(&source.join("a.txt"), "stashed\n");
        self.git(&source, &["stash", "-q"]);
        source
    }

    /// Adds hooks, a file system monitor and a signing key that fail or create a file when they are run.
    pub(crate) fn trap(&self, source: &Path) {
        let common = source.join(self.git(source, &["rev-parse", "--git-common-dir"]));
        let mark = self.mark();
        for hook in [
            "reference-transaction",
            "post-checkout",
            "post-index-change",
            "pre-commit",
            "post-commit",
            "fsmonitor",
            "pre-auto-gc",
        ] {
            let path = common.join("hooks").join(hook);
            write(
                &path,
                format!("#!/bin/sh\necho {hook} >> '{}'\nexit 1\n", mark.display()),
            );
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let monitor = common.join("hooks/fsmonitor");
        self.git(
            source,
            &["config", "core.fsmonitor", monitor.to_str().unwrap()],
        );
        self.git(source, &["config", "commit.gpgSign", "true"]);
        self.git(source, &["config", "gpg.program", "/bin/false"]);
        // Writing the configuration does not run a trap, but the git commands before it may have.
        let _ = fs::remove_file(mark);
    }

    /// Returns the file that exists if a trap was run.
    pub(crate) fn mark(&self) -> PathBuf {
        self.root.join("RAN")
    }
}

/// Writes the files of [`Place::repository`], without git.
pub(crate) fn fill(folder: &Path) {
    write(&folder.join("a.txt"), "one\ntwo\n");
    write(&folder.join("src/b.py"), "print(1)\n");
    write(&folder.join("run.sh"), "#!/bin/sh\n");
    fs::set_permissions(folder.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    write(&folder.join(".gitignore"), "build/\n.env\n*.log\n");
    std::os::unix::fs::symlink("a.txt", folder.join("link")).unwrap();
}

pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Converts any bytes to a file name.
pub(crate) fn name(bytes: &[u8]) -> OsString {
    OsStr::from_bytes(bytes).to_owned()
}

/// The kind and content of a file, as far as a tree records them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    File { is_program: bool, content: Vec<u8> },
    Link(PathBuf),
    Other,
}

/// Returns all files below a folder, except those in `.git`.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Entry> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().is_some_and(|name| name == ".git") {
                continue;
            }
            let meta = path.symlink_metadata().unwrap();
            let entry = if meta.is_symlink() {
                Entry::Link(fs::read_link(&path).unwrap())
            } else if meta.is_dir() {
                open.push(path);
                continue;
            } else if meta.is_file() {
                Entry::File {
                    is_program: meta.permissions().mode() & 0o100 != 0,
                    content: fs::read(&path).unwrap(),
                }
            } else {
                Entry::Other
            };
            found.insert(path.strip_prefix(folder).unwrap().to_path_buf(), entry);
        }
    }
    found
}

/// Returns the files below a folder that a tree records: without ignored files and special files.
pub(crate) fn recorded(folder: &Path) -> BTreeMap<PathBuf, Entry> {
    let mut found = files(folder);
    found.retain(|path, entry| {
        let text = path.to_string_lossy();
        let is_ignored = text.starts_with("build/")
            || text == ".env"
            || text.ends_with(".log")
            || text.ends_with(".personal");
        !is_ignored && *entry != Entry::Other
    });
    found
}

/// Returns the visible state of a folder, byte for byte: contents, modes, and the times of everything except git objects.
/// Refs of workspaces are left out.
pub(crate) fn state(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let relative = path.strip_prefix(folder).unwrap().to_path_buf();
            let text = relative.to_string_lossy().into_owned();
            if text.ends_with("refs/loopwright") || text.contains("/reftable") {
                continue;
            }
            let meta = path.symlink_metadata().unwrap();
            let mut value = meta.permissions().mode().to_le_bytes().to_vec();
            if meta.is_dir() {
                open.push(path);
            } else {
                if !text.contains("objects/") {
                    value.extend(format!("{:?}", meta.modified().unwrap()).into_bytes());
                }
                if meta.is_symlink() {
                    value.extend(fs::read_link(&path).unwrap().as_os_str().as_bytes());
                } else if meta.is_file() {
                    value.extend(fs::read(&path).unwrap());
                }
            }
            found.insert(relative, value);
        }
    }
    found
}

/// Fails with the names of the differences, if there are any.
pub(crate) fn assert_unchanged(
    before: &BTreeMap<PathBuf, Vec<u8>>,
    after: &BTreeMap<PathBuf, Vec<u8>>,
    what: &str,
) {
    let differs: Vec<&PathBuf> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .collect();
    assert!(differs.is_empty(), "{what}: {differs:?}");
}

/// Random numbers that are determined by a seed.
pub(crate) struct Random(rand_pcg::Pcg32);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(rand_pcg::Pcg32::new(seed, 1))
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        use rand_pcg::rand_core::Rng as _;
        self.0.next_u32() % end
    }

    pub(crate) fn choose<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let count = u32::try_from(of.len()).unwrap();
        &of[usize::try_from(self.below(count)).unwrap()]
    }
}

/// Returns whether the full set of cases is requested instead of a few.
pub(crate) fn is_torture() -> bool {
    std::env::var("LOOPWRIGHT_TORTURE").is_ok_and(|value| value == "all")
}

/// Returns the seed of random tests.
pub(crate) fn seed() -> u64 {
    std::env::var("LOOPWRIGHT_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(7)
}
