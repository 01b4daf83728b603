//! The timers of the system that start schedules: units of systemd, agents of launchd, tasks of Windows. They only call
//! `loopwright schedule fire NAME`.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use loopwright_runs::{ApiError, Code, files, schedules::Calendar};

mod launchd;
mod systemd;
mod windows;

/// A timer to set up.
pub(crate) struct Timer<'t> {
    pub(crate) name: &'t str,
    pub(crate) calendar: &'t Calendar,
    /// The absolute path of this program.
    pub(crate) program: &'t str,
    pub(crate) data_dir: &'t str,
    /// The value of `PATH`, so that a run finds the same programs as the command that added the schedule.
    pub(crate) search_path: Option<&'t str>,
}

impl Timer<'_> {
    /// Returns the arguments of the program.
    fn arguments(&self) -> [&str; 5] {
        ["--data-dir", self.data_dir, "schedule", "fire", self.name]
    }
}

/// A timer that was set up.
pub(crate) struct Installed {
    /// The files that the system reads.
    pub(crate) files: Vec<PathBuf>,
    /// What the person should know: why the timer does not run yet, and when timers run.
    pub(crate) notes: Vec<String>,
    /// Whether the system has started the timer.
    pub(crate) is_active: bool,
}

enum System {
    Systemd,
    Launchd,
    Windows,
}

fn system() -> System {
    if cfg!(target_os = "macos") {
        System::Launchd
    } else if cfg!(windows) {
        System::Windows
    } else {
        System::Systemd
    }
}

/// Checks that the timer can be set up, before anything is written.
///
/// # Errors
/// [`Code::InvalidArgument`] if the system cannot express its times, or has a timer with this name for another data folder.
pub(crate) fn check(timer: &Timer<'_>) -> Result<(), ApiError> {
    match system() {
        System::Systemd => systemd::check(timer),
        System::Launchd => launchd::check(timer),
        System::Windows => windows::check(timer),
    }
}

/// Writes the files of a timer, and starts it.
///
/// # Errors
/// [`Code::Io`] if a file cannot be written. If only the start fails, a note says so.
pub(crate) fn install(timer: &Timer<'_>) -> Result<Installed, ApiError> {
    match system() {
        System::Systemd => systemd::install(timer),
        System::Launchd => launchd::install(timer),
        System::Windows => windows::install(timer),
    }
}

/// Stops a timer and removes its files. Returns what the person should know. A timer that is already gone is no error.
///
/// # Errors
/// [`Code::Io`] if a file cannot be removed.
pub(crate) fn remove(name: &str, data_dir: &str) -> Result<Vec<String>, ApiError> {
    match system() {
        System::Systemd => systemd::remove(name, data_dir),
        System::Launchd => launchd::remove(name, data_dir),
        System::Windows => windows::remove(name, data_dir),
    }
}

/// Says that a system was not tried.
fn untried(system: &str) -> String {
    format!("Schedules on {system} have not been tried yet. Check that the next time starts a run.")
}

/// Runs a program of the system. Returns the first line of its errors if it fails or is missing.
fn call(program: &str, args: &[&str]) -> Result<(), String> {
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

/// Returns the folder in this environment variable, if it is absolute.
fn folder_in(variable: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os(variable)?);
    folder.is_absolute().then_some(folder)
}

fn home() -> Result<PathBuf, ApiError> {
    folder_in("HOME").ok_or_else(|| {
        ApiError::new(
            Code::Io,
            "Your home folder is not known, so no timer can be written. Set HOME.",
        )
    })
}

/// Refuses a file that belongs to a schedule of another data folder. `own` is a text that only files of this data folder have.
fn refuse_other(path: &Path, own: &str, name: &str) -> Result<(), ApiError> {
    match fs::read_to_string(path) {
        Ok(text) if !text.contains(own) => Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "A schedule \"{name}\" exists already for another data folder ({}). Choose another name.",
                path.display()
            ),
        )),
        _ => Ok(()),
    }
}

/// Writes a file for the system.
fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), ApiError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| {
            let words = format!("{} cannot be created: {error}.", folder.display());
            ApiError::new(Code::Io, words)
        })?;
    }
    files::write_over(&path.display().to_string(), contents)
}

/// Removes a file. If it is missing, does nothing.
fn remove_file(path: &Path) -> Result<(), ApiError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(ApiError::new(
            Code::Io,
            format!("{} cannot be removed: {error}.", path.display()),
        )),
        _ => Ok(()),
    }
}

/// Returns a path as text.
///
/// # Errors
/// [`Code::InvalidArgument`] if it is not Unicode, because files for the system are texts.
pub(crate) fn path_text(path: &OsStr) -> Result<&str, ApiError> {
    path.to_str().ok_or_else(|| {
        let words = format!(
            "The path {} is not valid Unicode, so no timer can name it. Rename the folder.",
            path.display()
        );
        ApiError::new(Code::InvalidArgument, words)
    })
}

/// Escapes a text for XML.
fn xml(text: &str) -> String {
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
mod tests {
    use loopwright_runs::schedules::{Calendar, Times};

    /// Returns the calendar of five fields of cron.
    pub(super) fn cron(fields: &str) -> Calendar {
        Calendar::of(&Times::Cron(fields.to_owned())).unwrap()
    }

    /// Returns the calendar of an interval.
    pub(super) fn every(duration: &str) -> Calendar {
        Calendar::of(&Times::Every(duration.to_owned())).unwrap()
    }
}
