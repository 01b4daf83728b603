//! The parts that are left out of a request because its server refused them.

/// How a request asks for the form of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Form {
    /// The request contains a schema.
    #[default]
    Schema,
    /// The request asks for JSON and contains no schema. If a tool carries the answer, the model may leave the tool unused.
    Json,
    /// Only the prompt describes the form.
    Words,
}

/// How the token limit is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MaxTokens {
    #[default]
    Sent,
    /// The limit is sent under the newer name of the field.
    Renamed,
    LeftOut,
}

/// The parts of a request that are left out or sent differently, because the server refused them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Without {
    /// Whether the answer is requested without streaming, because the server refused to stream.
    pub(crate) stream: bool,
    pub(crate) stream_options: bool,
    /// Whether the instructions are sent in front of the prompt instead of in their own field.
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

/// What a server's rejection of a form applies to: the model, the schema, or one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Model,
    Schema,
    /// The form is rejected only for this answer, because the model failed to produce it.
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
