//! Third-party programs for the tests that run them. They are installed from PyPI and npm into the build folder, where they
//! remain between test runs. A package that cannot be installed is not a failure. It is reported on standard output, where
//! the summary of `npm test` finds it.

#![allow(dead_code, clippy::unwrap_used)] // Each test program uses only a part of this module.

use std::{
    ffi::OsStr,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Mutex,
    time::{Duration, Instant},
};

/// The longest time to create an environment.
const MAKE: Duration = Duration::from_secs(90);
/// The longest time to fetch and install packages.
const INSTALL: Duration = Duration::from_secs(420);

/// Allows one installation at a time, because the tests of one program run in parallel and need the same packages.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Reports that something was not tested. `println` does not work here: its output is hidden for passing tests.
pub(crate) fn skipped(what: &str, why: &str) {
    let _ = writeln!(std::io::stdout(), "\nSKIPPED: {what}: {why}");
}

/// Returns a command without a terminal and without visible output.
pub(crate) fn quiet(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Waits for a program to exit, for at most `patience`. Returns an error if the program fails or does not exit in time.
fn within(mut child: Child, patience: Duration) -> Result<(), String> {
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("it ended with {status}")),
            Ok(None) if began.elapsed() < patience => {
                std::thread::sleep(Duration::from_millis(100));
            }
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it took longer than {} s", patience.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

/// Returns the folder for test files in the build folder. Cargo passes its path only to the programs in `tests/`.
fn build_folder() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    // In these programs, the path ends in `debug/deps/it-….exe`.
    let folder = program.ancestors().nth(3);
    folder
        .map(|folder| folder.join("tmp"))
        .ok_or_else(|| format!("{} is in no build folder", program.display()))
}

/// Returns the programs folder of a virtual environment with these PyPI packages.
///
/// # Errors
///
/// Returns the reason why the environment is unavailable: no Python, no `venv`, or a registry that cannot be reached in time.
pub(crate) fn python(folder: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let _one = INSTALLING.lock().unwrap();
    let folder = build_folder()?.join(folder);
    let (programs, done) = (folder.join("bin"), folder.join("installed"));
    // The environment's programs begin with the full path of their Python. If the build folder was moved or copied, the
    // environment is created again.
    let wanted = format!("{}\n{}", packages.join("\n"), folder.display());
    // The system's Python may have been replaced since the environment was created.
    let runs = || {
        let mut python = quiet(programs.join("python"));
        python.arg("--version").status().is_ok_and(|s| s.success())
    };
    if fs::read_to_string(&done).is_ok_and(|installed| installed == wanted) && runs() {
        return Ok(programs);
    }
    let make = quiet("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&folder)
        .spawn()
        .map_err(|error| format!("there is no python3 ({error})"))?;
    within(make, MAKE).map_err(|why| {
        format!("no virtual environment could be made (is python3-venv installed?): {why}")
    })?;
    let named: Vec<&str> = packages.iter().copied().map(name).collect();
    // If the registry lacks these versions, other versions are better than none.
    install(&programs, packages)
        .or_else(|_| install(&programs, &named))
        .map_err(|why| {
            format!(
                "{} could not be installed from PyPI: {why}",
                named.join(", ")
            )
        })?;
    fs::write(&done, wanted).map_err(|error| error.to_string())?;
    Ok(programs)
}

/// Returns a package's name without its version.
fn name(package: &str) -> &str {
    package.split_once("==").map_or(package, |(name, _)| name)
}

fn install(programs: &Path, packages: &[&str]) -> Result<(), String> {
    let command = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--prefer-binary",
        // Most of the modules are never loaded.
        "--no-compile",
        "--retries",
        "1",
    ];
    let pip = quiet(programs.join("python"))
        .args(command)
        .args(packages)
        .spawn()
        .map_err(|error| format!("pip cannot be run ({error})"))?;
    within(pip, INSTALL)
}

/// Returns the folder of an npm package, `name` at `version`.
///
/// # Errors
///
/// Returns the reason why the package is unavailable: no npm, or a registry that cannot be reached in time.
pub(crate) fn npm(folder: &str, name: &str, version: &str) -> Result<PathBuf, String> {
    let _one = INSTALLING.lock().unwrap();
    let folder = build_folder()?.join(folder);
    let (package, done) = (
        folder.join("node_modules").join(name),
        folder.join("installed"),
    );
    let wanted = format!("{name}@{version}");
    if fs::read_to_string(&done).is_ok_and(|installed| installed == wanted) && package.exists() {
        return Ok(package);
    }
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let command = [
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--prefix",
    ];
    let install = |package: &str| {
        let npm = quiet("npm").args(command).arg(&folder).arg(package).spawn();
        within(
            npm.map_err(|error| format!("there is no npm ({error})"))?,
            INSTALL,
        )
    };
    install(&wanted)
        .or_else(|_| install(name))
        .map_err(|why| format!("{name} could not be installed from npm: {why}"))?;
    fs::write(&done, wanted).map_err(|error| error.to_string())?;
    Ok(package)
}
