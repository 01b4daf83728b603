//! The program to start, and the pipes to it.

use std::{ffi::OsString, path::PathBuf};

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// The program to start.
#[derive(Debug, Clone, Default)]
pub struct Program {
    pub command: OsString,
    pub args: Vec<OsString>,
    /// The working folder of the program, or `None` for Loopwright's own working folder.
    pub cwd: Option<PathBuf>,
    /// The complete environment of the program. It inherits no other variables.
    pub env: Vec<(OsString, OsString)>,
}

/// Loopwright's ends of the pipes to a program's standard input, output and error output.
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}
