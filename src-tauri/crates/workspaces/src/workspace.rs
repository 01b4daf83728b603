//! A workspace on disk: its folder, its description, and the lock of the process that uses it.
//!
//! | path | content |
//! | --- | --- |
//! | `files/` | the files, with the `.git` that programs in the workspace use |
//! | `record.git/` | the repository of trees, which only this program writes and opens |
//! | `tmp/` | the temporary folder of programs |
//! | `set-aside/` | things that were moved out of the files and are in no tree, such as nested repositories |
//! | `workspace.json` | the description of the workspace. It is written last: without it, the workspace is incomplete |
//! | `pin.json` | the ref in the source that keeps the workspace's objects |
//! | `lock` | the lock that is held by the process that uses the workspace, and by the git commands that it starts |

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, Result},
    git::{Git, Repository},
    paths,
    person::Person,
    source::{Source, SourceGuard},
    tree::Tree,
};

const MANIFEST: &str = "workspace.json";
const LOCK: &str = "lock";
/// The maximum time for which opening a workspace waits for another process, or for the git commands of a killed one.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
const LOCK_RETRY: Duration = Duration::from_millis(20);

/// The description of a workspace, which says where it comes from. Paths are in the form of [`paths::to_text`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) version: u32,
    pub(crate) run: String,
    pub(crate) loop_path: String,
    /// The folder that the user named.
    pub(crate) source: String,
    /// The path of the named folder, relative to the top of its repository.
    pub(crate) subfolder: String,
    /// The folder with the source's objects and refs, or `None` for a folder without git.
    pub(crate) common_dir: Option<String>,
    pub(crate) object_format: String,
    /// The commit that the workspace started from, and that commit's tree.
    pub(crate) base: String,
    pub(crate) base_tree: Tree,
    /// The commit of the source on which the base was created. `None` if there is none, or if its objects were copied.
    pub(crate) pinned: Option<String>,
    /// Whether the base includes uncommitted changes.
    pub(crate) is_working: bool,
    /// Whether the configuration makes git convert the line endings of all text files.
    pub(crate) converts_all: bool,
    /// The branch that was checked out in the source; `None` if it was a commit without a branch.
    pub(crate) branch: Option<String>,
    /// The time at which the workspace was created, in seconds since the Unix epoch.
    pub(crate) made_at: u64,
}

impl Manifest {
    pub(crate) const VERSION: u32 = 1;

    pub(crate) fn common_dir(&self) -> Option<PathBuf> {
        self.common_dir.as_deref().map(paths::from_text)
    }

    /// Returns the folder in which nodes work, in the workspace at `place`.
    pub(crate) fn path(&self, place: &Path) -> PathBuf {
        let files = place.join("files");
        match self.subfolder.as_str() {
            // Joining an empty path would append a slash.
            "" => files,
            subfolder => files.join(paths::from_text(subfolder)),
        }
    }

    /// Writes the description, which makes the workspace complete.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(crate) fn write(&self, place: &Path) -> Result<()> {
        let file = place.join(MANIFEST);
        let partial = place.join("workspace.json.partial");
        let text = serde_json::to_vec_pretty(self).map_err(|error| Error::Damaged {
            place: place.to_path_buf(),
            why: error.to_string(),
        })?;
        let written = File::create(&partial).and_then(|mut out| {
            io::Write::write_all(&mut out, &text)?;
            out.sync_all()
        });
        written.map_err(Error::file("write", &partial))?;
        fs::rename(&partial, &file).map_err(Error::file("write", &file))
    }

    pub(crate) fn read(place: &Path) -> Result<Self> {
        let file = place.join(MANIFEST);
        let text = match fs::read(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::Missing(place.to_path_buf()));
            }
            read => read.map_err(Error::file("read", &file))?,
        };
        let damaged = |why: String| Error::Damaged {
            place: place.to_path_buf(),
            why: format!(
                "{why}. Its recorded trees may still be usable: recreate the workspace from them, or remove it."
            ),
        };
        let manifest: Self = serde_json::from_slice(&text)
            .map_err(|error| damaged(format!("{MANIFEST} cannot be read ({error})")))?;
        if manifest.version > Self::VERSION {
            return Err(damaged(
                "a newer version of Loopwright created it".to_owned(),
            ));
        }
        Ok(manifest)
    }
}

/// The private copy of a source in which a loop works. Only one process at a time can have it open.
#[derive(Debug)]
pub struct Workspace {
    pub(crate) place: PathBuf,
    pub(crate) manifest: Manifest,
    pub(crate) record: Repository,
    pub(crate) person: Person,
    /// The last tree that was recorded or restored, if the index still describes it.
    pub(crate) last: Mutex<Option<Tree>>,
}

impl Workspace {
    /// Opens a workspace and verifies it. Waits a few seconds for the git commands of a killed process.
    ///
    /// # Errors
    /// [`Missing`](Error::Missing) if the workspace is incomplete, [`Busy`](Error::Busy) if another process is using it,
    /// [`Damaged`](Error::Damaged) or [`SourceGone`](Error::SourceGone) if its objects cannot be read.
    pub fn open(place: &Path, person: &Person) -> Result<Self> {
        let manifest = Manifest::read(place)?;
        let lock = hold(place)?;
        let workspace = Self::new(&real(place)?, manifest, person, lock)?;
        workspace.remove_stale_locks()?;
        workspace.verify()?;
        Ok(workspace)
    }

    pub(crate) fn new(
        place: &Path,
        manifest: Manifest,
        person: &Person,
        lock: File,
    ) -> Result<Self> {
        let git = Git::new(person)?.holding(lock);
        Ok(Self {
            record: Repository::new(&git, &place.join("record.git"), &place.join("files")),
            place: place.to_path_buf(),
            manifest,
            person: person.clone(),
            last: Mutex::new(None),
        })
    }

    /// Returns the folder with everything that belongs to this workspace.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Returns the folder with the copy of all files.
    pub fn files(&self) -> &Path {
        &self.record.files
    }

    /// Returns the folder in which nodes work: the copy of the folder that the user named.
    pub fn path(&self) -> PathBuf {
        self.manifest.path(&self.place)
    }

    /// Returns the temporary folder of programs that work in the workspace.
    pub fn temporary(&self) -> PathBuf {
        self.place.join("tmp")
    }

    /// Returns the source folder, as the user named it.
    pub fn source(&self) -> PathBuf {
        paths::from_text(&self.manifest.source)
    }

    /// Returns the commit that the workspace started from.
    pub fn base(&self) -> &str {
        &self.manifest.base
    }

    /// Returns the branch that was checked out in the source, or `None` if HEAD was detached or the source has no git.
    pub fn branch(&self) -> Option<&str> {
        self.manifest.branch.as_deref()
    }

    /// Returns the tree that the workspace started from.
    pub fn base_tree(&self) -> &Tree {
        &self.manifest.base_tree
    }

    /// Returns the run and the loop to which the workspace belongs.
    pub fn owner(&self) -> (&str, &str) {
        (&self.manifest.run, &self.manifest.loop_path)
    }

    /// Returns the time at which the workspace was created, in seconds since the Unix epoch.
    pub fn made_at(&self) -> u64 {
        self.manifest.made_at
    }

    /// Returns the home folder of the workspace's user; `None` if it is unknown.
    pub fn home(&self) -> Option<&Path> {
        self.person.home.as_deref()
    }

    /// Remembers the state of the source, so that later changes can be detected. `also` lists other files to watch.
    ///
    /// # Errors
    /// Returns an error if the source no longer exists, or if git cannot read it.
    pub fn guard(&self, also: &[PathBuf]) -> Result<SourceGuard> {
        SourceGuard::new(&self.look_at_source()?, also)
    }

    /// Examines the source in its current state.
    ///
    /// # Errors
    /// Returns an error if the source no longer exists, or if git cannot read it.
    pub(crate) fn look_at_source(&self) -> Result<Source> {
        let source = self.source();
        // The data folder is the one that contains this workspace.
        Source::look(&source, &self.place, &self.person)
    }

    /// Removes the locks of git commands that were killed. No running process can hold such a lock, because this process
    /// holds the workspace's lock.
    ///
    /// # Errors
    /// Returns an error if a lock cannot be removed.
    pub(crate) fn remove_stale_locks(&self) -> Result<()> {
        let mut open = vec![self.record.dir.clone(), self.record.dir.join("refs")];
        while let Some(folder) = open.pop() {
            let is_refs = folder.starts_with(self.record.dir.join("refs"));
            let Ok(entries) = fs::read_dir(&folder) else {
                continue;
            };
            for entry in entries.flatten() {
                let path = entry.path();
                if path.extension().is_some_and(|end| end == "lock") {
                    fs::remove_file(&path).map_err(Error::file("remove", &path))?;
                } else if is_refs && path.is_dir() {
                    open.push(path);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn verify(&self) -> Result<()> {
        let damaged = |why: &str| Error::Damaged {
            place: self.place.clone(),
            why: why.to_owned(),
        };
        if !self.record.dir.join("HEAD").is_file() {
            return Err(damaged(
                "its record is missing, so it cannot be restored. Remove it and start a new run.",
            ));
        }
        if !self.files().is_dir() {
            return Err(damaged(
                "its files are missing. Recreate it from its recorded trees, or remove it.",
            ));
        }
        let base = &self.manifest.base;
        let output = self
            .record
            .call(["rev-list", "--objects", "--quiet", "-n", "1", base])
            .output()?;
        if !output.is_success() {
            let why = crate::git::said(&output);
            return Err(match self.manifest.common_dir() {
                Some(_) => Error::SourceGone {
                    source_folder: self.source(),
                    why,
                },
                None => damaged(&format!(
                    "{why}. Recreate it from its recorded trees, or remove it."
                )),
            });
        }
        self.repair_index()
    }

    /// Creates the index again if a power failure damaged it. The next recording then reads every file.
    fn repair_index(&self) -> Result<()> {
        if self.record.call(["ls-files", "-z", "-u"]).succeeds()? {
            return Ok(());
        }
        let index = self.record.dir.join("index");
        let damaged = self.record.dir.join("index.damaged");
        fs::rename(&index, &damaged).map_err(Error::file("move", &index))?;
        self.record
            .call(["read-tree", self.manifest.base_tree.hash()])
            .done()?;
        Ok(())
    }
}

/// Returns the absolute path of `place` with links resolved, because git runs in other folders.
///
/// # Errors
/// Returns an error if the path does not exist.
pub(crate) fn real(place: &Path) -> Result<PathBuf> {
    place.canonicalize().map_err(Error::file("find", place))
}

/// Takes the lock of a workspace. The lock is held until the returned file is closed.
///
/// # Errors
/// [`Busy`](Error::Busy) if another process holds it.
pub(crate) fn hold(place: &Path) -> Result<File> {
    let file = place.join(LOCK);
    let lock = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&file)
        .map_err(Error::file("open", &file))?;
    let ends = Instant::now() + LOCK_TIMEOUT;
    loop {
        match lock.try_lock() {
            Ok(()) if is_at(&lock, &file) => return Ok(lock),
            // The workspace, including this file, was removed in the meantime.
            Ok(()) => return Err(Error::Missing(place.to_path_buf())),
            Err(TryLockError::WouldBlock) if Instant::now() >= ends => {
                return Err(Error::Busy(place.to_path_buf()));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_RETRY),
            Err(TryLockError::Error(error)) => return Err(Error::file("lock", &file)(error)),
        }
    }
}

/// Returns whether `path` is still the path of this open file. Returns `false` after the file was removed or replaced.
fn is_at(open: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let number = |meta: fs::Metadata| (meta.dev(), meta.ino());
        match (open.metadata(), fs::metadata(path)) {
            (Ok(one), Ok(other)) => number(one) == number(other),
            _ => false,
        }
    }
    #[cfg(not(unix))]
    {
        // This system does not allow removing open files.
        let _ = open;
        path.exists()
    }
}
