//! The services that nodes use, as traits: models and tools. Other crates implement them.

use std::{fmt, sync::Arc};

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use loopwright_model::{EffectClass, kind::Workspace};

use crate::{
    calls::Call,
    cancel::CancellationToken,
    outcome::{NodeError, Usage},
    printed::Printed,
    quota::{Quota, SharedQuotas},
    resources::{Resource, Resources},
    spending::Reserving,
    transcript::{AgentProgress, TranscriptLog},
    trust::{Consent, Need, TrustLog},
};

type Receive = dyn Fn(Streamed<'_>) + Send + Sync;

/// A part of an answer that is not complete yet, or a report about the call's progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streamed<'a> {
    Tokens(&'a str),
    /// Nothing arrived for `for_ms` milliseconds. The call ends after `limit_ms` milliseconds of silence.
    Silence {
        for_ms: u32,
        limit_ms: u32,
    },
    /// An agent has made progress since its last record.
    Working(&'a AgentProgress),
}

/// A receiver of streamed text as it arrives. It is cheap to clone and never blocks. The default receiver discards everything.
#[derive(Clone, Default)]
pub struct TokenSink(Option<Arc<Receive>>);

impl TokenSink {
    /// Creates a sink that receives only the text.
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

    /// Reports that nothing arrived for `for_ms` milliseconds. The call ends after `limit_ms` milliseconds of silence.
    pub fn silent(&self, for_ms: u32, limit_ms: u32) {
        if let Some(sink) = &self.0 {
            sink(Streamed::Silence { for_ms, limit_ms });
        }
    }

    /// Reports an agent's progress.
    pub fn working(&self, progress: &AgentProgress) {
        if let Some(sink) = &self.0 {
            sink(Streamed::Working(progress));
        }
    }

    /// Returns whether the sink has a receiver.
    pub fn is_heard(&self) -> bool {
        self.0.is_some()
    }
}

impl fmt::Debug for TokenSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenSink")
    }
}

/// The request of one model call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelRequest {
    /// The id of a provider. If it is `auto` or empty, the configured default provider is used.
    pub provider: String,
    pub model: Option<String>,
    /// The built-in model to use if no provider is configured: `critic`, `reviser`, `planner`, `judge` or `answerer`.
    pub builtin: Option<String>,
    pub system: Option<String>,
    pub prompt: String,
    /// Material that the prompt refers to, such as search results or documents; `None` if the prompt has none.
    pub context: Option<Value>,
    pub temperature: Option<f64>,
    pub max_tokens: Option<u64>,
    /// The format of the answer: text, any JSON, or JSON that matches a JSON Schema.
    pub response_format: ResponseFormat,
    /// The possible answers, if the call decides between branches. The reply's `json` is then an object with the fields
    /// `branch` (one of these answers) and `reason` (text).
    pub choices: Vec<String>,
    /// For each of `choices`, in the same order, a description of when to choose it. A choice without a description has an
    /// empty string. The list is empty if no choice has a description.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choice_descriptions: Vec<String>,
    /// The earlier turns of this conversation, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Turn>,
    /// Pictures that the prompt is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// Whether a budget relies on `max_tokens`. If so, a provider that cannot send this limit must fail the call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub capped: bool,
    /// The part of the model's text to use as the answer.
    #[serde(default, skip_serializing_if = "Take::is_whole")]
    pub take: Take,
    /// The tools that the model may call instead of answering.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolOffer>,
    /// The model's tool calls since the prompt, with their results, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<ToolRound>,
    /// The node's timeout in milliseconds, which replaces the provider's own time limit; `None` if the node has no timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl ModelRequest {
    /// Returns the user's message: the context, then the prompt.
    pub fn said(&self) -> String {
        match &self.context {
            None | Some(Value::Null) => self.prompt.clone(),
            Some(Value::String(context)) => format!("Context:\n{context}\n\n{}", self.prompt),
            Some(context) => format!("Context:\n{context}\n\n{}", self.prompt),
        }
    }
}

/// The part of a model's text to use as the answer. Models often add other text around the requested text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    #[default]
    Whole,
    /// The text between markers that the model is asked to write.
    Marked,
    /// The content of the answer's only code block.
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
    /// The prompt that the model received, with its context.
    pub prompt: String,
    pub answer: String,
}

/// The description of a tool that a model receives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolOffer {
    /// The name, which consists of letters, digits, `_` and `-`. Some providers refuse other characters.
    pub name: String,
    pub description: String,
    /// The JSON Schema of the arguments.
    pub parameters: Value,
}

/// A tool call that a model requests.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolUse {
    /// The id that links the call to its result.
    pub id: String,
    /// The name of the tool: a [`ToolOffer::name`], or a name that the model invented.
    pub name: String,
    /// The arguments as the model wrote them. They should be JSON, but may be malformed.
    pub arguments: String,
    /// A signature that the provider expects to receive again, unchanged, together with the call; `None` if the provider sent
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// One answer of a model that calls tools, and the results of these calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolRound {
    /// The text that the model wrote before the tool calls.
    pub text: String,
    pub uses: Vec<ToolUse>,
    /// The result of each of `uses`, in the same order.
    pub results: Vec<String>,
}

/// A picture in the form that the APIs of models accept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// The media type: `image/png`, `image/jpeg`, `image/webp` or `image/gif`.
    pub media_type: String,
    /// The picture's bytes in base64.
    pub data: String,
}

/// The maximum usage of a call, known before the call is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quote {
    /// The model with its provider, such as `openai/gpt-4.1`.
    pub model: String,
    /// An upper bound of the input tokens.
    pub input_tokens: u64,
    /// An upper bound of the output tokens; `None` if nothing bounds the answer.
    pub output_tokens: Option<u64>,
    /// The maximum cost in micro-dollars; `None` if the price is unknown, or if nothing bounds an answer that costs money.
    pub microusd: Option<u64>,
    /// Whether the model's price is known.
    pub priced: bool,
}

impl Quote {
    /// Returns the quote of a call that costs nothing.
    pub fn free() -> Self {
        Self {
            output_tokens: Some(0),
            microusd: Some(0),
            priced: true,
            ..Self::default()
        }
    }

    /// Returns the sum of input and output tokens; `None` if nothing bounds the answer.
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

/// A model's reply.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelReply {
    pub text: String,
    /// The parsed answer, if the request's format is `Json` or `Schema` or if the request has `choices`; otherwise `None`.
    pub json: Option<Value>,
    pub usage: Usage,
    /// The model with its provider, such as `builtin/reviser` or `openai/gpt-4.1`.
    pub model: String,
    /// The provider's answer, unchanged, for the inspector. It contains no keys. `None` if the provider's answer is not kept.
    pub raw: Option<Value>,
    /// The warnings about the call, each as a code and a message.
    pub warnings: Vec<(String, String)>,
    /// The tool calls that the model requests. If there are any, the reply is not an answer yet.
    pub uses: Vec<ToolUse>,
}

/// The context of one model call. Each call has its own. The default is for a call outside a run: its text is discarded, and
/// nothing is noted or counted.
#[derive(Debug, Clone, Default)]
pub struct ModelContext {
    /// The receiver of the answer's text as it arrives.
    pub tokens: TokenSink,
    /// The token that cancels the call.
    pub cancel: CancellationToken,
    /// The receiver of a note for each use of a key.
    pub trust_log: TrustLog,
    /// The counter of the call's requests and answers. With it, a call's usage is counted even if the call is cut off.
    pub call: Call,
}

/// The models that can be called. The implementation for real providers looks the provider up by its id.
pub trait Models: Send + Sync {
    /// Returns the maximum usage of a call with `request`. If a budget is set, this is called before the request is sent.
    fn quote(&self, request: &ModelRequest) -> Quote {
        Quote {
            model: request.model.clone().unwrap_or_default(),
            output_tokens: request.max_tokens,
            ..Quote::default()
        }
    }

    /// Returns the quota that `request` counts against. If one call is refused, so are all others whose quota has the same key.
    fn quota(&self, request: &ModelRequest) -> Quota {
        let model = request.model.as_deref().unwrap_or_default();
        let key = [&request.provider, "/", model].concat();
        Quota::new(key, request.provider.clone())
    }

    /// Returns the store through which runs share what they know about quotas; `None` if they share nothing.
    fn shared_quotas(&self) -> Option<Arc<dyn SharedQuotas>> {
        None
    }

    /// Returns whether budgets outside the run, such as a daily budget, limit the run's calls.
    fn has_spending_limit(&self) -> bool {
        false
    }

    /// Waits until the budgets outside the run can cover a call of the execution at `path`, and reserves the amount. `microusd`
    /// is the maximum cost of the call. The result is the reservation; `None` if no such budget limits the call; an error if a
    /// budget is too small.
    fn reserve(&self, path: &str, microusd: u64) -> Reserving {
        let _ = (path, microusd);
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Sends `request`, streams the answer's text to `cx.tokens`, and returns the whole reply. Stops soon after `cx.cancel` is
    /// cancelled.
    ///
    /// # Errors
    /// The future fails if the call fails, is refused or is cancelled.
    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>>;
}

/// The description of a tool, for forms, lists and checks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolInfo {
    /// The name of the tool, such as `search.documents`.
    pub name: String,
    pub title: String,
    pub summary: String,
    /// The JSON Schema of the tool's arguments.
    pub args: Value,
    /// The reason why the tool cannot be used here, with a remedy; `None` if it can be used.
    pub unavailable: Option<String>,
}

/// The kind of thing outside the run that a tool's argument refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Nothing outside the run. The argument is text, a number or a choice.
    Nothing,
    /// A file inside a folder that is granted separately.
    FileInside,
    /// A folder on this computer.
    Folder,
    /// A host that the tool connects to.
    Host,
    /// A program that the tool starts, or a setting of how it runs, such as its arguments or its sandbox.
    Program,
    /// A secret, by its name.
    Key,
}

/// The context of one tool call. Each call has its own. The default is for a call outside a run: nobody consented to the call,
/// and nothing is noted. Values of a flow cannot forge any part of the context.
#[derive(Debug, Clone, Default)]
pub struct ToolContext {
    /// The token that cancels the call.
    pub cancel: CancellationToken,
    /// The receiver of a note when a key is used, or when a need is refused.
    pub trust_log: TrustLog,
    /// The user's consent to this call, and its scope.
    pub consent: Consent,
    /// The arguments as written in the flow, before their templates are rendered. A person approves them in this form. `None`
    /// if the call was not written in a flow.
    pub written: Option<Arc<Map<String, Value>>>,
    /// The receiver of the text that the tool prints besides its result.
    pub printed: Printed,
    /// The receiver of the transcript, if the tool is an agent.
    pub transcript: TranscriptLog,
    /// The resource of the innermost enclosing loop that has one; `None` if no enclosing loop has one.
    pub resource: Option<Arc<Resource>>,
    /// Whether a Check makes the call. Protected files are restored before such a call.
    pub is_check: bool,
    /// Environment variables for a program that the call starts, in addition to those that its arguments name. They are not
    /// secret.
    pub variables: Vec<(String, String)>,
}

/// A tool. Its `args` are the node's `args`, with their templates rendered, merged with the values of the node's wired argument
/// handles.
pub trait Tool: Send + Sync {
    fn info(&self) -> ToolInfo;
    fn effect(&self) -> EffectClass;
    /// Returns, for each argument in [`Self::info`], its name and the kind of thing that it refers to. Arguments that refer to
    /// something outside the run appear in [`Self::needs`] and are checked when they are used. A test verifies this for every
    /// tool.
    fn names(&self) -> Vec<(&'static str, Names)> {
        Vec::new()
    }
    /// Returns the permissions that a call with these arguments needs, as far as they are known before the arguments' templates
    /// are rendered.
    fn needs(&self, _args: &Map<String, Value>) -> Vec<Need> {
        Vec::new()
    }
    /// Returns the permissions that a call in a private copy of a folder needs. Relative paths are relative to the copy.
    fn needs_in_workspace(
        &self,
        args: &Map<String, Value>,
        _workspace: Workspace<'_>,
    ) -> Vec<Need> {
        self.needs(args)
    }
    /// Describes, line by line, what a call with these arguments sends and does, for the person who decides about it. Templates
    /// are rendered; secrets appear only by name. `input` is as in [`Self::call`].
    ///
    /// # Errors
    /// Returns the error with which the call would fail before it has any effect.
    fn describe_call(
        &self,
        _input: Option<&Value>,
        _args: &Map<String, Value>,
    ) -> Result<Vec<CallDetail>, NodeError> {
        Ok(Vec::new())
    }
    /// Returns the destination of a call with these arguments. An approval for the rest of a run covers all later calls to the
    /// same destination. The default, `None`, means that a person is asked about every call.
    fn place(&self, _args: &Map<String, Value>) -> Option<Value> {
        None
    }
    /// Makes the call and returns its result. `input` is the node's primary input, which a tool may use if `args` lacks the
    /// main argument. The call stops soon after `cx.cancel` is cancelled.
    ///
    /// # Errors
    /// The future fails if the call is not permitted, fails or is cancelled.
    fn call(
        &self,
        input: Option<Value>,
        args: Map<String, Value>,
        cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>>;
}

/// One line of the description of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallDetail {
    /// The name of the line, such as `Address`.
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

/// A set of tools, which are found by name.
pub trait Tools: Send + Sync {
    fn find(&self, name: &str) -> Option<Arc<dyn Tool>>;
    fn list(&self) -> Vec<ToolInfo>;
}

/// The services that nodes can use.
#[derive(Clone)]
pub struct Services {
    pub models: Arc<dyn Models>,
    pub tools: Arc<dyn Tools>,
    pub resources: Arc<dyn Resources>,
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Services")
    }
}
