//! The output formats of agent programs.

/// The format of a program's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    ClaudeCode,
    Codex,
    Gemini,
    /// The last JSON value on standard output. The fields are the paths of the answer and of the session within that value.
    /// Without a path for the answer, the whole output is the answer.
    Own {
        response: Option<String>,
        session: Option<String>,
    },
}
