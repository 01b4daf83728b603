//! The program that reads and runs scripts: its location, and whether it is still being built.

use std::{
    env,
    ffi::OsString,
    fmt, fs,
    path::{Path, PathBuf},
    sync::{Once, OnceLock},
    thread,
    time::Duration,
};

use crate::{Failure, wire::SERVE};

const NAME: &str = "loopwright-scripts";

/// The environment variable with the absolute path of the program, for packages that install it in another folder.
const VARIABLE: &str = "LOOPWRIGHT_SCRIPTS";

/// The suffix of the file that `npm start` writes next to the program while it builds the program. The file contains the id of
/// the process that builds the program.
const BUILDING: &str = ".building";

/// The maximum time to wait for a build.
const LONGEST_BUILD: Duration = Duration::from_secs(20 * 60);
/// The pause between two checks of the build.
const LOOK: Duration = Duration::from_millis(200);

/// The command that starts a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCommand {
    /// The absolute path of the program. The folders of `PATH` are not searched.
    pub program: PathBuf,
    pub args: Vec<OsString>,
}

impl WorkerCommand {
    /// Returns the command that starts the `loopwright-scripts` at `program` as a worker.
    pub fn of(program: PathBuf) -> Self {
        Self {
            program,
            args: vec![SERVE.into()],
        }
    }
}

/// The reason why no script can be read or run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unavailable {
    /// The program does not exist at any of these paths.
    Missing(Vec<PathBuf>),
    /// The variable `LOOPWRIGHT_SCRIPTS` has this value, which is not the absolute path of a program.
    Named(PathBuf),
    /// The program is still being built.
    Building,
    /// The program at this path has a different version.
    OtherVersion(PathBuf),
    /// The program could not be started, for the reason in this string.
    Unstarted(String),
}

impl Unavailable {
    /// Returns `script_building` while the program is being built, otherwise `script_worker`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Building => "script_building",
            _ => "script_worker",
        }
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(paths) => {
                let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
                write!(
                    f,
                    "The program `{NAME}`, which checks and runs scripts, is missing. It was not found at {}. ",
                    paths.join(" or ")
                )?;
                f.write_str(if cfg!(debug_assertions) {
                    "Build it with `cargo build -p loopwright-script-worker`."
                } else {
                    "Reinstall Loopwright to restore it."
                })
            }
            Self::Named(path) => write!(
                f,
                "Scripts cannot be checked or run: {VARIABLE} is `{}`, which is not the absolute path of a program. Correct or unset the variable.",
                path.display()
            ),
            Self::Building => f.write_str(
                "The program that checks and runs scripts is still being built. `npm start` shows the progress.",
            ),
            Self::OtherVersion(path) => write!(
                f,
                "Scripts cannot be checked or run: {} belongs to another version of Loopwright. Restart Loopwright; if that does not help, reinstall it.",
                path.display()
            ),
            Self::Unstarted(why) => write!(
                f,
                "The process that runs scripts could not be started: {why}. Try again. If that does not help, reinstall Loopwright."
            ),
        }
    }
}

impl std::error::Error for Unavailable {}

impl From<Unavailable> for Failure {
    fn from(why: Unavailable) -> Self {
        Self::new(why.code(), why.to_string())
    }
}

/// Finds the `loopwright-scripts` that belongs to this program: the one that the environment variable names, otherwise the
/// one next to this executable.
///
/// # Errors
/// Returns an error if the program does not exist or is still being built.
pub(crate) fn find() -> Result<PathBuf, Unavailable> {
    match named() {
        Some(path) if path.is_absolute() && path.is_file() => Ok(path),
        Some(path) => Err(Unavailable::Named(path)),
        None => find_in(&folders()),
    }
}

fn named() -> Option<PathBuf> {
    env::var_os(VARIABLE)
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

/// Returns the folders that may contain the program: the folder of this executable and, for a test or an example, also its
/// parent, because Cargo puts those into a subfolder.
fn folders() -> Vec<PathBuf> {
    let executable = env::current_exe().unwrap_or_default();
    let Some(beside) = executable.parent() else {
        return Vec::new();
    };
    let mut folders = vec![beside.to_owned()];
    let is_further_down = ["deps", "examples"]
        .iter()
        .any(|name| beside.file_name().is_some_and(|folder| folder == *name));
    if is_further_down && let Some(above) = beside.parent() {
        folders.push(above.to_owned());
    }
    folders
}

fn find_in(folders: &[PathBuf]) -> Result<PathBuf, Unavailable> {
    // Until the build ends, the file is from an earlier build.
    if is_built_in(folders) {
        return Err(Unavailable::Building);
    }
    let programs: Vec<PathBuf> = folders
        .iter()
        .map(|folder| folder.join(format!("{NAME}{}", env::consts::EXE_SUFFIX)))
        .collect();
    match programs.iter().find(|program| program.is_file()) {
        Some(program) => Ok(program.clone()),
        None => Err(Unavailable::Missing(programs)),
    }
}

/// Returns whether the program is being built now. `npm start` opens the window before the build ends.
pub fn is_being_built() -> bool {
    named().is_none() && is_built_in(&folders())
}

fn is_built_in(folders: &[PathBuf]) -> bool {
    folders
        .iter()
        .any(|folder| is_alive(&folder.join(format!("{NAME}{BUILDING}"))))
}

/// Returns whether `marker` has the id of a living process. A killed process leaves its file behind.
fn is_alive(marker: &Path) -> bool {
    let id = fs::read_to_string(marker).ok();
    let id = id.and_then(|text| text.trim().parse::<i32>().ok());
    // An id below 1 refers to several processes.
    id.is_some_and(|id| id > 0 && lives(id))
}

#[cfg(unix)]
fn lives(id: i32) -> bool {
    use rustix::{io::Errno, process::Pid};
    Pid::from_raw(id).is_some_and(|process| {
        // A process of another user cannot be signalled, but it is alive.
        matches!(
            rustix::process::test_kill_process(process),
            Ok(()) | Err(Errno::PERM)
        )
    })
}

#[cfg(not(unix))]
fn lives(_id: i32) -> bool {
    true
}

/// Waits until the program is no longer being built, for at most 20 minutes. Blocks the calling thread.
pub fn wait_until_built() {
    let mut looks = looks();
    while is_being_built() && looks.next().is_some() {
        tell();
        thread::sleep(LOOK);
    }
}

/// Waits as [`wait_until_built`] does, but without blocking a thread.
pub(crate) async fn until_built() {
    let mut looks = looks();
    while is_being_built() && looks.next().is_some() {
        tell();
        tokio::time::sleep(LOOK).await;
    }
}

fn looks() -> std::ops::Range<u128> {
    0..LONGEST_BUILD.as_millis() / LOOK.as_millis()
}

static WAITS: OnceLock<fn()> = OnceLock::new();
static TOLD: Once = Once::new();

/// Makes the reading of scripts wait while the program is being built, as running scripts always does. The window must
/// not call this, because it reads scripts after every change. `tell` is called once, when a script has to wait for the
/// first time.
pub fn wait_for_builds(tell: fn()) {
    let _ = WAITS.set(tell);
}

fn tell() {
    if let Some(tell) = WAITS.get() {
        TOLD.call_once(tell);
    }
}

/// Finds the program as [`find`] does. If [`wait_for_builds`] was called, waits for a build first.
///
/// # Errors
/// Returns the errors of [`find`].
pub(crate) fn find_for_reading() -> Result<PathBuf, Unavailable> {
    if WAITS.get().is_some() {
        wait_until_built();
    }
    find()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_in_the_given_folders_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        let folders = [one.clone(), two.clone()];
        let name = format!("{NAME}{}", env::consts::EXE_SUFFIX);
        let Err(missing) = find_in(&folders) else {
            panic!("there is no program yet")
        };
        assert_eq!(
            missing,
            Unavailable::Missing(vec![one.join(&name), two.join(&name)])
        );
        assert_eq!(missing.code(), "script_worker");
        let says = missing.to_string();
        assert!(
            says.contains(&*one.join(&name).to_string_lossy())
                && says.contains("cargo build -p loopwright-script-worker"),
            "{says}"
        );
        fs::create_dir_all(&two).unwrap();
        // A folder is not a program.
        fs::create_dir_all(one.join(&name)).unwrap();
        fs::write(two.join(&name), "").unwrap();
        assert_eq!(find_in(&folders), Ok(two.join(&name)));
    }

    #[test]
    fn a_build_counts_while_its_process_lives() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [folder.path().to_owned()];
        let program = folder
            .path()
            .join(format!("{NAME}{}", env::consts::EXE_SUFFIX));
        let marker = folder.path().join(format!("{NAME}{BUILDING}"));
        fs::write(&program, "").unwrap();
        assert_eq!(find_in(&folders), Ok(program.clone()));
        fs::write(&marker, format!("{}\n", std::process::id())).unwrap();
        let building = find_in(&folders).unwrap_err();
        assert_eq!(building, Unavailable::Building);
        assert_eq!(building.code(), "script_building");
        // The process has ended and was reaped.
        let mut child = std::process::Command::new(env::current_exe().unwrap())
            .arg("--list")
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        child.wait().unwrap();
        for over in [child.id().to_string(), String::new(), "-1".to_owned()] {
            fs::write(&marker, over).unwrap();
            assert_eq!(find_in(&folders), Ok(program.clone()));
        }
    }
}
