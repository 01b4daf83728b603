//! Opens links in the system's browser, and folders in its file manager.
//!
//! A model's text may contain any address. Only web addresses are passed on, without a shell, as a single argument that no
//! program can mistake for an option.

use std::{
    io,
    path::Path,
    process::{Command, Stdio},
};

use loopwright_runs::{ApiError, Code};

/// The maximum length of an address, in bytes. Longer addresses are refused.
const LONGEST: usize = 2_000;

/// Opens a web address in the system's browser.
///
/// # Errors
/// [`Code::InvalidArgument`] if `url` is not a web address; [`Code::Io`] if the system cannot open it.
pub(crate) fn open(url: &str) -> Result<(), ApiError> {
    let url = checked(url)?;
    start(opener(url)).map_err(|error| {
        ApiError::new(
            Code::Io,
            format!(
                "The system could not open the link ({error}). Copy the address instead: {url}"
            ),
        )
    })
}

/// Opens a folder in the system's file manager.
///
/// # Errors
/// [`Code::NotFound`] if `folder` is not an absolute path or there is no such folder; [`Code::Io`] if the system cannot open
/// it.
pub(crate) fn open_folder(folder: &Path) -> Result<(), ApiError> {
    if !folder.is_absolute() || !folder.is_dir() {
        return Err(ApiError::new(
            Code::NotFound,
            format!("The folder {} no longer exists.", folder.display()),
        ));
    }
    start(folder_opener(folder)).map_err(|error| {
        ApiError::new(
            Code::Io,
            format!(
                "The system could not open the folder ({error}). Open it yourself: {}",
                folder.display()
            ),
        )
    })
}

fn start(mut opener: Command) -> io::Result<()> {
    let mut child = opener
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    // The opener passes the address on and exits. The thread waits for it, because it would otherwise stay in the process list.
    std::thread::spawn(move || drop(child.wait()));
    Ok(())
}

fn checked(url: &str) -> Result<&str, ApiError> {
    let lower = url.to_ascii_lowercase();
    let on_the_web = lower.starts_with("https://") || lower.starts_with("http://");
    let plain = url
        .chars()
        .all(|c| !c.is_control() && !c.is_whitespace() && !"\"<>^`{|}".contains(c));
    if on_the_web && plain && url.len() <= LONGEST {
        return Ok(url);
    }
    Err(ApiError::new(
        Code::InvalidArgument,
        "Only links that begin with http:// or https:// are opened.".to_owned(),
    ))
}

fn folder_opener(folder: &Path) -> Command {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(folder);
    command
}

#[cfg(target_os = "macos")]
fn opener(url: &str) -> Command {
    let mut command = Command::new("open");
    command.arg(url);
    command
}

#[cfg(target_os = "windows")]
fn opener(url: &str) -> Command {
    let mut command = Command::new("rundll32");
    command.args(["url.dll,FileProtocolHandler", url]);
    command
}

#[cfg(not(any(target_os = "macos", target_os = "windows")))]
fn opener(url: &str) -> Command {
    let mut command = Command::new("xdg-open");
    command.arg(url);
    command
}

#[cfg(test)]
mod tests {
    use loopwright_runs::Code;

    use super::{checked, open_folder};

    #[test]
    fn only_folders_that_exist_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        for path in [
            file.as_path(),
            "relative".as_ref(),
            "/no/such/folder".as_ref(),
        ] {
            assert_eq!(open_folder(path).unwrap_err().code, Code::NotFound);
        }
    }

    #[test]
    fn only_addresses_of_the_web_are_opened() {
        assert!(checked("https://example.org/a?b=c#d").is_ok());
        assert!(checked("HTTP://example.org").is_ok());
        for url in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "--help",
            "https://a b",
            "https://a\nb",
            "https://a\"&calc",
        ] {
            assert!(checked(url).is_err(), "{url}");
        }
    }
}
