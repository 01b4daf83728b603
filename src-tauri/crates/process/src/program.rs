//! What is started, and its pipes.

use std::{ffi::OsString, path::PathBuf};

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// What is started.
#[derive(Debug, Clone, Default)]
pub struct Program {
    pub command: OsString,
    pub args: Vec<OsString>,
    /// `None`: the folder that Loopwright runs in.
    pub cwd: Option<PathBuf>,
    /// The whole environment; nothing else is passed on.
    pub env: Vec<(OsString, OsString)>,
}

/// The other ends of a program's standard input, output and errors.
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}
