//! Confinement: programs that run in a workspace may write only there, if the kernel can enforce it.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod neighbours;
mod runners;

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::Arc,
    thread,
};

use loopwright_process::Within;

pub use runners::{Writable, state_of_runner};

use crate::{
    error::{Error, Result},
    workspace::Workspace,
};

/// Whether programs are confined, and the limits that apply to them.
#[derive(Debug, Clone)]
pub enum Confinement {
    Confined(Confined),
    /// This computer cannot confine programs. The value is the reason.
    NotConfined(String),
}

/// The limits of programs. A thread that enters them passes them on to the programs that it starts.
#[derive(Debug, Clone)]
pub struct Confined {
    /// The folders and files that programs may write, as an approval lists them.
    pub writable: Vec<PathBuf>,
    /// The folder that programs cannot read.
    pub hidden: PathBuf,
    enter: Arc<dyn Within>,
}

impl Confined {
    /// Returns the limits for a program that is about to be started.
    pub fn within(&self) -> &dyn Within {
        &*self.enter
    }
}

impl Confinement {
    /// Returns the limits of a program, or `None` if it is not confined.
    pub fn within(&self) -> Option<&dyn Within> {
        match self {
            Self::Confined(confined) => Some(confined.within()),
            Self::NotConfined(_) => None,
        }
    }
}

/// Returns whether this computer can confine programs to a workspace.
pub fn can_confine() -> bool {
    #[cfg(target_os = "linux")]
    {
        linux::is_available()
    }
    #[cfg(not(target_os = "linux"))]
    {
        false
    }
}

impl Workspace {
    /// Prepares the confinement of programs that run in this workspace. `data` is Loopwright's data folder, which is hidden
    /// except for this workspace. `also` lists other folders and files that a runner or a node may write. Missing folders
    /// are created.
    ///
    /// # Errors
    /// Returns an error if a folder cannot be created, or if the kernel rejects limits that it claims to support.
    pub fn confine(&self, data: &Path, also: &[Writable]) -> Result<Confinement> {
        let temporary = self.temporary();
        std::fs::create_dir_all(&temporary).map_err(Error::file("create", &temporary))?;
        let mut writable = vec![self.files().to_path_buf(), temporary];
        for more in also {
            if let Some(path) = more.make()? {
                writable.push(path);
            }
        }
        // Git in the workspace reads the objects of the record, and a hooks folder that is empty.
        let readable = [self.record.dir.join("objects"), self.place.join("no-hooks")];
        build(data, writable, &readable)
    }
}

#[cfg(target_os = "linux")]
fn build(data: &Path, writable: Vec<PathBuf>, readable: &[PathBuf]) -> Result<Confinement> {
    let hidden = data.canonicalize().map_err(Error::file("find", data))?;
    match linux::rules(&hidden, &writable, readable) {
        Ok(Some(rules)) => Ok(Confinement::Confined(Confined {
            writable,
            hidden,
            enter: Arc::new(rules),
        })),
        Ok(None) => Ok(Confinement::NotConfined(
            "its kernel lacks Landlock version 3, which Linux 6.2 and later have".to_owned(),
        )),
        Err(error) => Err(Error::Confine(error)),
    }
}

#[cfg(not(target_os = "linux"))]
fn build(_: &Path, _: Vec<PathBuf>, _: &[PathBuf]) -> Result<Confinement> {
    Ok(Confinement::NotConfined(
        "programs can be confined only on Linux".to_owned(),
    ))
}

/// Starts programs within a confinement.
pub trait SpawnWithin {
    /// Starts the program within `confinement`.
    ///
    /// # Errors
    /// Returns an error if the limits cannot be applied, or if the program cannot be started.
    fn spawn_within(&mut self, confinement: &Confinement) -> io::Result<Child>;
}

impl SpawnWithin for Command {
    fn spawn_within(&mut self, confinement: &Confinement) -> io::Result<Child> {
        let Some(within) = confinement.within() else {
            return self.spawn();
        };
        // The limits of a thread cannot be lifted, so the program is started from a separate thread.
        thread::scope(|scope| {
            let started = thread::Builder::new().spawn_scoped(scope, || {
                within.enter()?;
                self.spawn()
            })?;
            started.join().unwrap_or_else(|_| {
                Err(io::Error::other(
                    "the thread that starts the program panicked",
                ))
            })
        })
    }
}

/// Returns the variables that keep a confined program's temporary files and caches in its own folder, `temporary`.
pub fn environment(temporary: &Path) -> Vec<(OsString, OsString)> {
    [
        ("TMPDIR", ""),
        ("npm_config_cache", "npm"),
        ("PNPM_HOME", "pnpm"),
        ("YARN_CACHE_FOLDER", "yarn"),
        ("YARN_GLOBAL_FOLDER", "yarn-global"),
        ("BUN_INSTALL_CACHE_DIR", "bun"),
        ("PIP_CACHE_DIR", "pip"),
        ("UV_CACHE_DIR", "uv"),
        ("POETRY_CACHE_DIR", "poetry"),
        ("COMPOSER_CACHE_DIR", "composer"),
        ("GOCACHE", "go-build"),
    ]
    .into_iter()
    .map(|(name, folder)| (name.into(), temporary.join(folder).into()))
    .collect()
}
