//! Links out of the window, which the system's browser opens.
//!
//! A model's text may contain any address. Only web addresses are passed on, without a shell, as a single argument that no
//! program can mistake for an option.

use std::process::{Command, Stdio};

use loopwright_runs::{ApiError, Code};

/// The maximum length of an address, in characters. Longer ones are refused.
const LONGEST: usize = 2_000;

/// Opens a web address in the system's browser.
///
/// # Errors
/// [`Code::InvalidArgument`] if `url` is not a web address; [`Code::Io`] if the system cannot open it.
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
                format!(
                    "The system could not open the link ({error}). Copy the address instead: {url}"
                ),
            )
        })?;
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
