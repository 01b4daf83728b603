//! The shell completions and manual pages of a package. Both are generated from the definition of the command line, so they
//! always match what `--help` prints.

use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;
use loopwright_runs::{ApiError, Code};

use crate::{args::Cli, out, status};

/// Prints the script that completes commands and options in this shell.
pub(crate) fn completions(shell: Shell) -> Result<u8, ApiError> {
    // The script is generated in memory first, because the library panics if it writes to a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "loopwright", &mut script);
    out::text(&String::from_utf8_lossy(&script));
    Ok(status::COMPLETED)
}

/// Writes a manual page for the program and for each of its commands, such as `loopwright-run.1`.
///
/// # Errors
/// [`Code::Io`] if a page cannot be written.
pub(crate) fn manual(folder: &Path) -> Result<u8, ApiError> {
    clap_mangen::generate_to(Cli::command(), folder).map_err(|error| {
        ApiError::new(
            Code::Io,
            format!(
                "The manual cannot be written to {}: {error}. Name an existing folder that you may write to.",
                folder.display()
            ),
        )
    })?;
    Ok(status::COMPLETED)
}
