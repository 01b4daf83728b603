//! Prints why a command failed, or why a command line is invalid.

use std::process::ExitCode;

use clap::Parser as _;
use loopwright_runs::{ApiError, Code};

use crate::{
    args::Cli,
    out::{self, errln, outln},
    status,
};

/// Prints an error as text or JSON, and returns the exit status.
pub(crate) fn fail(error: &ApiError, json: bool) -> u8 {
    if json {
        outln!(
            "{}",
            serde_json::json!({ "error": { "code": error.code, "message": error.message } })
        );
    } else {
        errln!("{}", error.message);
    }
    match error.code {
        Code::InvalidFlow
        | Code::UnknownFormat
        | Code::AmbiguousDialect
        | Code::TooNew
        | Code::InvalidArgument
        | Code::NotApproved
        | Code::NotFound => status::INVALID,
        Code::ChangedOnDisk
        | Code::Unsupported
        | Code::Io
        | Code::Busy
        | Code::Diverged
        | Code::Internal => status::FAILED,
    }
}

/// Prints the reason why a command line is invalid, as text or JSON. Also prints the output of `--help` and `--version`.
pub(crate) fn refuse_call(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os()
        .take_while(|argument| argument != "--")
        .any(|argument| argument == "--json");
    if wants_json && error.use_stderr() {
        let words = error.to_string();
        let message = words.trim_start_matches("error: ").trim_end();
        let refused = ApiError::new(Code::InvalidArgument, message);
        let code = fail(&refused, true);
        out::end();
        return ExitCode::from(code);
    }
    if error.use_stderr() {
        out::end();
        shown_as_written(error).exit()
    }
    error.exit()
}

/// Returns the error with the arguments of the command line escaped in its message. They may contain control sequences, or line
/// breaks that look like the program's own output.
fn shown_as_written(error: &clap::Error) -> clap::Error {
    let given: Vec<String> = std::env::args_os()
        .map(|word| out::one_line(&word.to_string_lossy()).into_owned())
        .collect();
    match Cli::try_parse_from(given) {
        Err(again) if again.use_stderr() => again,
        // The escaped command line parses without an error, so the original message is shown.
        _ => clap::Error::raw(
            clap::error::ErrorKind::ValueValidation,
            format!("{}\n", out::one_line(&error.to_string())),
        ),
    }
}
