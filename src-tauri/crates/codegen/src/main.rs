//! Writes the files that are generated from the Rust sources, or checks that they are up to date. `npm run codegen` runs it.
//!
//! This program links the whole desktop program. It is therefore not a task of `xtask`, whose tasks take seconds.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod recorded;
mod reference;

use std::{
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use clap::Parser;

#[derive(Parser)]
#[command(
    about = "Write the files that are generated from the Rust sources: the page's TypeScript, recorded answers for its tests, and the reference pages"
)]
struct Arguments {
    /// Write nothing; fail if a file is not up to date.
    #[arg(long)]
    check: bool,
}

/// The environment variable that marks the process that writes the files. Of the original environment, this process keeps only
/// the variables in [`KEPT`].
const EMPTY: &str = "LOOPWRIGHT_CODEGEN_ENVIRONMENT";

/// The value of [`EMPTY`] in the process that records a workspace. The `PATH` of this process contains git.
const WITH_GIT: &str = "git";

/// The folders in which systems install git and a shell.
const PROGRAMS: &str = "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin";

/// The names of the environment variables without which a program may fail to start.
const KEPT: &[&str] = &["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT"];

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match env::var_os(EMPTY) {
        Some(value) if value == WITH_GIT => print_workspace(),
        Some(_) => codegen(&root(), arguments.check),
        None => in_empty_environment(),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs this program again in an environment without the keys, programs, model servers and files of this computer, on which
/// recordings must not depend. Returns whether the program succeeded.
fn in_empty_environment() -> Result<bool, Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let status = Command::new(env::current_exe()?)
        .args(env::args_os().skip(1))
        .env_clear()
        .envs(
            KEPT.iter()
                .filter_map(|name| Some((name, env::var_os(name)?))),
        )
        .env("HOME", home.path())
        .env("TMPDIR", home.path())
        .env("LOOPWRIGHT_KEYCHAIN", "off")
        .env("LOOPWRIGHT_LOCAL_SERVERS", "off")
        // The recording must not depend on whether the program that runs scripts is already built.
        .env("LOOPWRIGHT_SCRIPTS", "/loopwright-scripts")
        .env(EMPTY, "1")
        .status()?;
    Ok(status.success())
}

/// Records a workspace in a separate process, because its `PATH` contains git and must not affect the other recordings. Returns
/// the text of the recording.
///
/// # Errors
/// Returns an error if the process fails. The process prints the reason.
fn record_workspace() -> Result<String, Box<dyn Error>> {
    let recorded = Command::new(env::current_exe()?)
        .env(EMPTY, WITH_GIT)
        .env("PATH", PROGRAMS)
        .stderr(Stdio::inherit())
        .output()?;
    if !recorded.status.success() {
        return Err("a workspace could not be recorded".into());
    }
    Ok(String::from_utf8(recorded.stdout)?)
}

/// Prints the recording of a workspace to standard output. Returns true if this succeeds; a failure is an error.
fn print_workspace() -> Result<bool, Box<dyn Error>> {
    let text = recorded::workspace_recording().map_err(|error| format!("workspace: {error}"))?;
    io::Write::write_all(&mut io::stdout(), text.as_bytes())?;
    Ok(true)
}

/// Writes or checks every generated file. Returns false if `check` is set and a file is not up to date.
///
/// # Errors
/// Returns an error if a file's text cannot be generated, or a file cannot be written.
fn codegen(root: &Path, check: bool) -> Result<bool, Box<dyn Error>> {
    let bindings =
        loopwright_desktop::typescript().map_err(|error| format!("bindings: {error}"))?;
    let recordings =
        recorded::recordings(root).map_err(|error| format!("recorded answers: {error}"))?;
    let mut files = vec![
        ("ui/src/ipc/generated/bindings.ts".to_owned(), bindings),
        ("docs/reference/kinds.md".to_owned(), reference::kinds()),
        ("docs/reference/tools.md".to_owned(), reference::tools()),
        (
            "docs/reference/evaluation.schema.json".to_owned(),
            reference::evaluation_schema(),
        ),
    ];
    files.extend(recordings);
    files.push((recorded::WORKSPACE.to_owned(), record_workspace()?));
    let mut agrees = true;
    for (name, text) in files {
        let path = root.join(&name);
        if fs::read_to_string(&path).is_ok_and(|found| found == text) {
            continue;
        }
        if check {
            eprintln!("{name} differs from what the sources generate; run `npm run codegen`");
            agrees = false;
            continue;
        }
        write(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("wrote {name}");
    }
    Ok(agrees)
}

/// Writes a file and creates its folder if it is missing.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

/// Returns the root of the repository: the folder that contains `src-tauri`.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(3).unwrap_or(here).to_path_buf()
}
