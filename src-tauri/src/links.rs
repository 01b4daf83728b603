//! Links that lead out of the window, handed to the system's browser.
//!
//! What a model wrote may hold any address. Only those of the web are handed on, without a shell in between, and each as one
//! argument that no program takes for an option.

use std::process::{Command, Stdio};

use loopwright_runs::{ApiError, Code};

/// Characters; longer addresses are refused.
const LONGEST: usize = 2_000;

/// Opens an address of the web in the system's browser.
///
/// # Errors
/// [`Code::InvalidArgument`] for what is no address of the web, [`Code::Io`] where the system opens none.
pub(crate) fn open(url: &str) -> Result<(), ApiError> {
    let url = checked(url)?;
    let mut child = opener(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| {
            ApiError::new(
                Code::Io,
                format!("The system opens no links ({error}). Copy the address instead: {url}"),
            )
        })?;
    // It hands the address on and ends; somebody must take note, or it stays in the list of processes.
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
    use super::checked;

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
