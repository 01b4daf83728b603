//! The complaints of a check. Each names its place and says what to do.

use std::{fmt, fs, io, path::Path, process::Command};

#[derive(Debug, Default)]
pub(crate) struct Complaints(Vec<String>);

impl Complaints {
    pub(crate) fn add(&mut self, place: impl fmt::Display, words: impl fmt::Display) {
        self.0.push(format!("{place}: {words}"));
    }

    pub(crate) fn list(&self) -> &[String] {
        &self.0
    }
}

/// Why a check could not run.
#[derive(Debug)]
pub(crate) struct Trouble(pub(crate) String);

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) fn read(path: &Path) -> Result<String, Trouble> {
    fs::read_to_string(path).map_err(|error| at(path, &error))
}

fn at(path: &Path, error: &io::Error) -> Trouble {
    Trouble(format!("{}: {error}", path.display()))
}

/// Runs a program in `folder` and returns its standard output. Fails if the program cannot be started, or if it exits with an
/// error.
pub(crate) fn answer(folder: &Path, program: &str, arguments: &[&str]) -> Result<String, Trouble> {
    let done = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .map_err(|error| Trouble(format!("{program} could not start: {error}")))?;
    if !done.status.success() {
        let words = String::from_utf8_lossy(&done.stderr);
        return Err(Trouble(format!(
            "{program} {}: {words}",
            arguments.join(" ")
        )));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}
