//! What is left out of a request because its server refused it.

/// How the form of an answer is requested, in addition to the words of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Form {
    /// With a schema.
    #[default]
    Schema,
    /// As any JSON; with tools, through a tool that the model may leave unused.
    Json,
    /// With words alone.
    Words,
}

/// How the token limit is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MaxTokens {
    #[default]
    Sent,
    /// Under its newer name.
    Renamed,
    LeftOut,
}

/// What is left out of a request or sent differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Without {
    /// The answer is not streamed.
    pub(crate) stream: bool,
    pub(crate) stream_options: bool,
    /// The instructions are put before the prompt.
    pub(crate) system: bool,
    pub(crate) temperature: bool,
    pub(crate) max_tokens: MaxTokens,
    pub(crate) form: Form,
}

/// A change of the request after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Stream,
    StreamOptions,
    System,
    Temperature,
    MaxTokens(MaxTokens),
    Form(Form, Scope),
}

/// The scope of a refused form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Model,
    Schema,
    /// This one answer, which the model failed to produce.
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
