//! What is left out of a request because its server refused it.

/// How the form of an answer is asked for, beside the words of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Form {
    /// By a schema.
    #[default]
    Schema,
    /// As any JSON; with tools, by a tool that the model may leave unused.
    Json,
    /// By words alone.
    Words,
}

/// How the most tokens are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MaxTokens {
    #[default]
    Sent,
    /// By the newer name.
    Renamed,
    LeftOut,
}

/// What is left out of a request, or sent in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Without {
    /// The answer comes in one piece.
    pub(crate) stream: bool,
    pub(crate) stream_options: bool,
    /// The instructions stand in front of the prompt.
    pub(crate) system: bool,
    pub(crate) temperature: bool,
    pub(crate) max_tokens: MaxTokens,
    pub(crate) form: Form,
}

/// What is left out after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Stream,
    StreamOptions,
    System,
    Temperature,
    MaxTokens(MaxTokens),
    Form(Form, Scope),
}

/// What a refusal of a form is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Model,
    Schema,
    /// This one answer, which did not come out.
    Answer,
}

impl Without {
    pub(super) fn with(mut self, change: Change) -> Self {
        match change {
            Change::Stream => self.stream = true,
            Change::StreamOptions => self.stream_options = true,
            Change::System => self.system = true,
            Change::Temperature => self.temperature = true,
            Change::MaxTokens(max_tokens) => self.max_tokens = max_tokens,
            Change::Form(form, _) => self.form = self.form.max(form),
        }
        self
    }
}
