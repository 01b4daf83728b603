//! Code that the timers of all systems share: the description of a timer, calls of system programs, and files.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use loopwright_runs::{ApiError, Code, files, schedules::Calendar};

/// A timer to set up.
pub(crate) struct Timer<'t> {
    pub(crate) name: &'t str,
    pub(crate) calendar: &'t Calendar,
    /// The absolute path of this program.
    pub(crate) program: &'t str,
    pub(crate) data_dir: &'t str,
    /// The value of `PATH`, so that a run finds the same programs as the command that added the schedule; `None` if
    /// `PATH` is not set.
    pub(crate) search_path: Option<&'t str>,
}

impl Timer<'_> {
    /// Returns the arguments with which the timer starts this program.
    pub(super) fn arguments(&self) -> [&str; 5] {
        ["--data-dir", self.data_dir, "schedule", "fire", self.name]
    }
}

/// A timer that was set up.
pub(crate) struct Installed {
    /// The files that the system reads.
    pub(crate) files: Vec<PathBuf>,
    /// Notes for the user: why the timer does not run yet, and when timers run.
    pub(crate) notes: Vec<String>,
    /// Whether the system has started the timer.
    pub(crate) is_active: bool,
}

/// Returns a note that schedules have not been tested on this system.
pub(super) fn untried(system: &str) -> String {
    format!("Schedules have not been tested on {system}. Check that the next scheduled run starts.")
}

/// Runs a program of the system. If the program fails, returns the first line of its error output, or its exit status, as the
/// error. If the program cannot be started, returns the reason.
pub(super) fn call(program: &str, args: &[&str]) -> Result<(), String> {
    let output = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = said.lines().find(|line| !line.trim().is_empty());
    Err(line.map_or_else(
        || format!("{program} ended with {}", output.status),
        |line| line.trim().to_owned(),
    ))
}

/// Returns the folder that this environment variable names, or `None` if the variable is missing or its path is not absolute.
pub(super) fn folder_in(variable: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os(variable)?);
    folder.is_absolute().then_some(folder)
}

pub(super) fn home() -> Result<PathBuf, ApiError> {
    folder_in("HOME").ok_or_else(|| {
        ApiError::new(
            Code::Io,
            "Your home folder is unknown, so no timer can be created. Set HOME to its path.",
        )
    })
}

/// Refuses a file that belongs to a schedule of another data folder. `own` is text that only files for this data folder contain.
///
/// # Errors
/// [`Code::InvalidArgument`] if the file belongs to another data folder.
pub(super) fn refuse_other(path: &Path, own: &str, name: &str) -> Result<(), ApiError> {
    match fs::read_to_string(path) {
        Ok(text) if !text.contains(own) => Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "A schedule \"{name}\" already exists for another data folder ({}). Choose another name.",
                path.display()
            ),
        )),
        _ => Ok(()),
    }
}

/// Writes a file for the system, and creates its folder.
///
/// # Errors
/// [`Code::Io`] if the folder or the file cannot be written.
pub(super) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), ApiError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| {
            let words = format!("{} cannot be created: {error}.", folder.display());
            ApiError::new(Code::Io, words)
        })?;
    }
    files::write_over(&path.display().to_string(), contents)
}

/// Removes a file. If it is missing, does nothing.
///
/// # Errors
/// [`Code::Io`] if the file exists and cannot be removed.
pub(super) fn remove_file(path: &Path) -> Result<(), ApiError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(ApiError::new(
            Code::Io,
            format!("{} cannot be removed: {error}.", path.display()),
        )),
        _ => Ok(()),
    }
}

/// Escapes text for XML.
pub(super) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
pub(super) mod samples {
    use loopwright_runs::schedules::{Calendar, Times};

    /// Returns the calendar of five fields of cron.
    pub(in crate::timers) fn cron(fields: &str) -> Calendar {
        Calendar::of(&Times::Cron(fields.to_owned())).unwrap()
    }

    /// Returns the calendar of an interval.
    pub(in crate::timers) fn every(duration: &str) -> Calendar {
        Calendar::of(&Times::Every(duration.to_owned())).unwrap()
    }
}
