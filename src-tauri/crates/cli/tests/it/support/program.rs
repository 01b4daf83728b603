//! Starts the program with isolated data and settings.

use std::{
    path::Path,
    process::{Command, Stdio},
};

/// Returns the command `loopwright ARGS --json` with its data in `data`, and the server at `url` as the provider `openai`.
pub(crate) fn program(url: &str, data: &Path, args: &[&str]) -> Command {
    let mut command = plain(url, data, args);
    command.arg("--json");
    command
}

/// Returns the same command as [`program`], but without `--json`.
pub(crate) fn plain(url: &str, data: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopwright"));
    command
        .args(args)
        .arg("--data-dir")
        .arg(data)
        .env_clear()
        .env("OPENAI_BASE_URL", url)
        .env("OPENAI_API_KEY", "none")
        .env("HOME", data)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
