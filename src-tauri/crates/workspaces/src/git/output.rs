//! What a command of git answered.

/// What a command answered.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Whether the output was longer than its limit, which ends the command.
    pub(crate) is_cut: bool,
}

impl Output {
    pub(crate) fn is_success(&self) -> bool {
        self.code == Some(0) || self.is_cut
    }
}
