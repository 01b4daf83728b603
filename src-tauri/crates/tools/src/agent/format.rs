//! The forms of output of agent programs.

/// How a program's output is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    ClaudeCode,
    Codex,
    Gemini,
    /// One JSON value, the last on standard output, with paths of the answer and of the session; without a path of the answer
    /// the whole output is it.
    Own {
        response: Option<String>,
        session: Option<String>,
    },
}
