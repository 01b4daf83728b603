//! The output of a git command.

/// The output of a command.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Whether the output exceeded its limit. The command is then stopped.
    pub(crate) is_cut: bool,
}

impl Output {
    pub(crate) fn is_success(&self) -> bool {
        self.code == Some(0) || self.is_cut
    }
}
