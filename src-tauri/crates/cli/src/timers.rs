//! The system timers that start schedules: systemd units, launchd agents or Windows scheduled tasks. They only call
//! `loopwright schedule fire NAME`.

use std::ffi::OsStr;

use loopwright_runs::{ApiError, Code};

mod common;
mod launchd;
mod systemd;
mod windows;

pub(crate) use common::{Installed, Timer};

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
/// [`Code::InvalidArgument`] if the system's timers cannot express the times of the schedule, or if the system has a
/// timer with this name for another data folder.
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

/// Stops a timer and removes its files. Returns notes for the user. It is not an error if the timer is already gone.
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

/// Returns a path as text.
///
/// # Errors
/// [`Code::InvalidArgument`] if it is not Unicode, because the files of timers are text.
pub(crate) fn path_text(path: &OsStr) -> Result<&str, ApiError> {
    path.to_str().ok_or_else(|| {
        let words = format!(
            "The path {} is not valid Unicode, so a timer cannot refer to it. Rename the folder.",
            path.display()
        );
        ApiError::new(Code::InvalidArgument, words)
    })
}
