//! What nodes may ask of the world: models and tools, behind traits that the composition fills in.

use std::{fmt, sync::Arc};

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use loopwright_model::EffectClass;

use crate::{
    calls::Call,
    cancel::CancellationToken,
    outcome::{NodeError, Usage},
    printed::Printed,
    trust::{Consent, Need, TrustLog},
};

type Receive = dyn Fn(Streamed<'_>) + Send + Sync;

/// What is heard of an answer before it is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streamed<'a> {
    Tokens(&'a str),
    /// Nothing came for so long, and the call ends if nothing comes for as long as `limit_ms`, both in milliseconds.
    Silence {
        for_ms: u32,
        limit_ms: u32,
    },
}

/// Receives streamed text as it comes. Cheap to clone; never blocks. The default drops everything.
#[derive(Clone, Default)]
pub struct TokenSink(Option<Arc<Receive>>);

impl TokenSink {
    /// Receives the text alone.
    pub fn new(sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self::of_all(move |said| {
            if let Streamed::Tokens(tokens) = said {
                sink(tokens);
            }
        })
    }

    pub fn of_all(sink: impl Fn(Streamed<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(sink)))
    }

    pub fn send(&self, tokens: &str) {
        if let Some(sink) = &self.0 {
            sink(Streamed::Tokens(tokens));
        }
    }

    /// Says that nothing came for so long.
    pub fn silent(&self, for_ms: u32, limit_ms: u32) {
        if let Some(sink) = &self.0 {
            sink(Streamed::Silence { for_ms, limit_ms });
        }
    }

    /// Whether anybody listens.
    pub fn is_heard(&self) -> bool {
        self.0.is_some()
    }
}

impl fmt::Debug for TokenSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenSink")
    }
}

/// One call of a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelRequest {
    /// `auto` or empty: the configured default. Else a provider's id.
    pub provider: String,
    pub model: Option<String>,
    /// The built-in model to use where no provider is set up: `critic`, `reviser`, `planner`, `judge`, `answerer`.
    pub builtin: Option<String>,
    pub system: Option<String>,
    pub prompt: String,
    /// Further material (search results, documents) that the prompt is about.
    pub context: Option<Value>,
    pub temperature: Option<f64>,
    pub max_tokens: Option<u64>,
    /// `None` is text; `json` any JSON; `schema` a JSON Schema.
    pub response_format: ResponseFormat,
    /// The answers a verdict may have, when the call decides between branches. The reply's `json` is then
    /// `{ "branch": one of them, "reason": text }`.
    pub choices: Vec<String>,
    /// When to choose each of `choices`, in their order; empty where nothing is known of one. Without any, the list is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choice_descriptions: Vec<String>,
    /// What was said before in this conversation, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Turn>,
    /// Pictures that the prompt is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// A budget counts on `max_tokens`: a call that cannot be bounded by it fails rather than leaving it out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub capped: bool,
    /// What of a text is the answer.
    #[serde(default, skip_serializing_if = "Take::is_whole")]
    pub take: Take,
    /// How long the node allows; the longest that a call may take by itself gives way to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl ModelRequest {
    /// What the person's side says: the prompt, behind the material that it is about.
    pub fn said(&self) -> String {
        match &self.context {
            None | Some(Value::Null) => self.prompt.clone(),
            Some(Value::String(context)) => format!("Context:\n{context}\n\n{}", self.prompt),
            Some(context) => format!("Context:\n{context}\n\n{}", self.prompt),
        }
    }
}

/// What of an answer is taken. Models put words around what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    #[default]
    Whole,
    /// What the model puts between marks, which it is asked to set.
    Marked,
    /// Its only block of code.
    Code,
}

impl Take {
    fn is_whole(&self) -> bool {
        *self == Self::Whole
    }
}

/// One exchange of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// What the model was asked, with its context.
    pub prompt: String,
    pub answer: String,
}

/// A picture, as models take them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// `image/png`, `image/jpeg`, `image/webp`, `image/gif`
    pub media_type: String,
    /// Its bytes in base64.
    pub data: String,
}

/// The most that a call can use, known before it is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quote {
    /// `openai/gpt-4.1`
    pub model: String,
    /// Tokens that can go in, never too few.
    pub input_tokens: u64,
    /// Tokens that can come out; `None` where nothing bounds the answer.
    pub output_tokens: Option<u64>,
    /// Micro-dollars; `None` where the price is not known, or nothing bounds an answer that costs.
    pub microusd: Option<u64>,
    /// The model's price is known.
    pub priced: bool,
}

impl Quote {
    /// Of a call that costs nothing.
    pub fn free() -> Self {
        Self {
            output_tokens: Some(0),
            microusd: Some(0),
            priced: true,
            ..Self::default()
        }
    }

    /// Tokens in and out; `None` where nothing bounds the answer.
    pub fn tokens(&self) -> Option<u64> {
        Some(self.input_tokens.saturating_add(self.output_tokens?))
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseFormat {
    #[default]
    Text,
    Json,
    Schema(Value),
}

/// What a model gave back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelReply {
    pub text: String,
    /// The parsed answer for `Json`, `Schema` and `choices`.
    pub json: Option<Value>,
    pub usage: Usage,
    /// `builtin/reviser`, `openai/gpt-4.1`.
    pub model: String,
    /// What came back as it came, for the inspector; no keys.
    pub raw: Option<Value>,
    /// (code, message)
    pub warnings: Vec<(String, String)>,
}

/// What goes with one call of a model beside the request. Each call has one of its own. The default is for a call outside of a
/// run: its text is dropped, and nothing is noted or counted.
#[derive(Debug, Clone, Default)]
pub struct ModelContext {
    /// Receives the answer's text as it comes.
    pub tokens: TokenSink,
    /// Ends the call.
    pub cancel: CancellationToken,
    /// Receives a note where a key is used.
    pub trust_log: TrustLog,
    /// Counts what is sent and answered, so that a call that is cut off is counted too.
    pub call: Call,
}

/// Calls models. The one implementation that the composition makes looks the provider up by name.
pub trait Models: Send + Sync {
    /// The most that `request` can use; asked before it is sent where a budget is set.
    fn quote(&self, request: &ModelRequest) -> Quote {
        Quote {
            model: request.model.clone().unwrap_or_default(),
            output_tokens: request.max_tokens,
            ..Quote::default()
        }
    }

    /// Sends `request`; streams text to `cx.tokens`; stops soon after `cx.cancel`.
    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>>;
}

/// What a tool is, for forms, lists and checks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolInfo {
    /// `search.documents`
    pub name: String,
    pub title: String,
    pub summary: String,
    /// JSON Schema of its arguments.
    pub args: Value,
    /// Why it cannot be used here, and what to do; `None` when it can.
    pub unavailable: Option<String>,
}

/// What of the world an argument of a tool names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Nothing: a text, a number, a choice.
    Nothing,
    /// A file inside of a folder that is granted for itself.
    FileInside,
    /// A folder of this computer.
    Folder,
    /// A host that is reached.
    Host,
    /// How a program may work, where it is started.
    Program,
    /// Secrets.
    Key,
}

/// What goes with one call of a tool beside its arguments. Each call has one of its own. The default is for a call outside of a
/// run: nobody consented to it, and nothing is noted. No value of a flow can claim to be a part of it.
#[derive(Debug, Clone, Default)]
pub struct ToolContext {
    /// Ends the call.
    pub cancel: CancellationToken,
    /// Receives a note where a key is used, or a need is refused.
    pub trust_log: TrustLog,
    /// How far a person consented to this very call.
    pub consent: Consent,
    /// The arguments as the flow writes them, before their templates were rendered: what a person approved is that text.
    pub written: Option<Arc<Map<String, Value>>>,
    /// Takes what the tool prints beside its result.
    pub printed: Printed,
}

/// One tool. Arguments were rendered and merged: `args` holds the node's `args` and its wired argument handles.
pub trait Tool: Send + Sync {
    fn info(&self) -> ToolInfo;
    fn effect(&self) -> EffectClass;
    /// What each argument of [`Self::info`] names of the world. What names something is in [`Self::needs`], and checked when it
    /// is used; a test goes through all of them.
    fn names(&self) -> Vec<(&'static str, Names)> {
        Vec::new()
    }
    /// What a call with these arguments would use of the world, as far as it can be said before their templates are rendered.
    fn needs(&self, _args: &Map<String, Value>) -> Vec<Need> {
        Vec::new()
    }
    /// What a call with these arguments does, line by line, made of what is sent: for a person who decides about it. Templates
    /// are filled in, and secrets are named. `input` is as in [`Self::call`].
    ///
    /// # Errors
    /// The error with which the call would fail before it does anything.
    fn describe_call(
        &self,
        _input: Option<&Value>,
        _args: &Map<String, Value>,
    ) -> Result<Vec<CallDetail>, NodeError> {
        Ok(Vec::new())
    }
    /// Where a call with these arguments goes: what a person allows who allows it for the rest of a run. A later call with the same
    /// place needs no other question. `None`, unless the tool says it: each call is asked for.
    fn place(&self, _args: &Map<String, Value>) -> Option<Value> {
        None
    }
    /// `input` is the node's primary input; a tool may take its main argument from it when `args` lacks it. The call stops soon
    /// after `cx.cancel`.
    fn call(
        &self,
        input: Option<Value>,
        args: Map<String, Value>,
        cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>>;
}

/// A line of what a call does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallDetail {
    /// `Address`
    pub label: &'static str,
    pub values: Vec<String>,
}

impl CallDetail {
    pub fn new(label: &'static str, values: impl IntoIterator<Item = String>) -> Self {
        Self {
            label,
            values: values.into_iter().collect(),
        }
    }

    pub fn one(label: &'static str, value: impl Into<String>) -> Self {
        Self::new(label, [value.into()])
    }
}

/// Finds tools by name.
pub trait Tools: Send + Sync {
    fn find(&self, name: &str) -> Option<Arc<dyn Tool>>;
    fn list(&self) -> Vec<ToolInfo>;
}

/// Everything of the world that nodes reach.
#[derive(Clone)]
pub struct Services {
    pub models: Arc<dyn Models>,
    pub tools: Arc<dyn Tools>,
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Services")
    }
}
