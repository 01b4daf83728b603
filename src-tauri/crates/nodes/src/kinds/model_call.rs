//! Code shared by the kinds that call a model: the model's fields, the request, and the usage of an answer as a value.

use std::sync::{Arc, LazyLock};

use loopwright_engine::{
    NodeContext, NodeError, NodeInput, Outcome, Trace, Usage,
    host::{ModelReply, ModelRequest, ResponseFormat},
};
use loopwright_model::{
    Node, json,
    kind::{Data, TemplateSite},
    schema::Schema,
    value::to_text,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config::{self, Rendered};

/// The fields of every kind that calls a model.
#[derive(Debug, Default, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ModelFields {
    /// `auto` uses the provider in Settings, or a built-in model if there is none.
    #[schemars(extend("x-widget" = "provider", "x-group" = "Model"))]
    pub(crate) provider: String,
    /// One of the provider's models. If empty, the provider's default model is used.
    #[schemars(extend("x-widget" = "model", "x-group" = "Model"))]
    pub(crate) model: String,
    /// The built-in model to use if no provider is set up: critic, reviser, planner, judge, answerer, summariser, corrector, code-reviewer, code-fixer.
    #[schemars(title = "Built-in model", extend("x-widget" = "model", "x-group" = "Model"))]
    pub(crate) builtin: Option<String>,
    /// Instructions for the model. They apply before the prompt.
    #[schemars(title = "System prompt", extend("x-widget" = "template", "x-group" = "Prompt"))]
    pub(crate) system_prompt: String,
    /// Use `{{ name }}` to insert a value. If empty, the prompt is the value at the main input.
    #[schemars(extend("x-widget" = "template", "x-group" = "Prompt"))]
    pub(crate) prompt: String,
    /// How varied the answers are. 0 is the most predictable.
    #[schemars(range(min = 0.0, max = 2.0), extend("x-group" = "Model"))]
    pub(crate) temperature: Option<f64>,
    /// The maximum length of an answer, in tokens. A budget in dollars requires it.
    #[schemars(range(min = 1), extend("x-group" = "Model"))]
    pub(crate) max_tokens: Option<u64>,
}

/// The names of the fields of [`ModelFields`] in a document. Form hints refer to them.
pub(crate) const MODEL_FIELDS: [&str; 7] = [
    "provider",
    "model",
    "builtin",
    "systemPrompt",
    "prompt",
    "temperature",
    "maxTokens",
];

/// Returns the templates among the model's fields. A system prompt is a template only if it contains `{{` or `{%`.
pub(crate) fn templates(data: &Data) -> Vec<TemplateSite> {
    let mut sites: Vec<_> = config::template_site(data, "prompt").into_iter().collect();
    sites.extend(
        config::template_site(data, "systemPrompt").filter(|site| is_template(&site.source)),
    );
    sites
}

fn is_template(text: &str) -> bool {
    text.contains("{{") || text.contains("{%")
}

/// A request with compiled templates. The values of an execution have not been inserted yet.
#[derive(Debug)]
pub(crate) struct Call {
    title: String,
    base: ModelRequest,
    prompt: Option<Rendered>,
    system: Option<Rendered>,
}

impl Call {
    pub(crate) fn compile(node: &Node, fields: &ModelFields) -> Result<Self, NodeError> {
        let filled = |text: &str| (!text.trim().is_empty()).then(|| text.to_owned());
        let system_is_template = is_template(&fields.system_prompt);
        Ok(Self {
            title: node.title().to_owned(),
            prompt: Rendered::compile(node, "prompt", Some(&fields.prompt))?,
            system: Rendered::compile(
                node,
                "systemPrompt",
                system_is_template.then_some(fields.system_prompt.as_str()),
            )?,
            base: ModelRequest {
                provider: fields.provider.clone(),
                model: filled(&fields.model),
                builtin: fields.builtin.clone(),
                system: filled(&fields.system_prompt),
                temperature: fields.temperature,
                max_tokens: fields.max_tokens,
                ..ModelRequest::default()
            },
        })
    }

    /// Returns the request for one execution. The prompt is the rendered template. If there is no template, the prompt is
    /// the value at the primary input.
    ///
    /// # Errors
    /// Returns the error of a template, or an error if there is no prompt.
    pub(crate) fn request(&self, input: &NodeInput) -> Result<ModelRequest, NodeError> {
        let prompt = match (&self.prompt, &input.input) {
            (Some(template), _) => template.text(&input.scope)?,
            (None, Some(value)) => to_text(value),
            (None, None) => {
                return Err(NodeError::new(
                    "no_prompt",
                    format!(
                        "\"{}\" has no prompt. No value arrived, and the prompt field is empty. Wire a value to it, or write a prompt.",
                        self.title
                    ),
                ));
            }
        };
        let system = match &self.system {
            Some(template) => Some(template.text(&input.scope)?),
            None => self.base.system.clone(),
        };
        Ok(ModelRequest {
            prompt,
            system,
            ..self.base.clone()
        })
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }
}

/// Sends a request to the model for an execution of a node.
pub(crate) fn send(
    cx: &NodeContext,
    request: ModelRequest,
) -> futures::future::BoxFuture<'static, Result<ModelReply, NodeError>> {
    cx.services.models.call(request, cx.for_model())
}

/// Calls a tool on behalf of a model. The tool may do only what was approved before the run.
///
/// # Errors
/// Returns the error of the tool, or an error if the tool is unknown.
pub(crate) fn use_tool(
    title: &str,
    tool: &str,
    args: Map<String, Value>,
    cx: &NodeContext,
) -> futures::future::BoxFuture<'static, Result<Value, NodeError>> {
    super::tool::call(title, tool, None, args, cx.for_tool(), cx)
}

/// Returns the answer as JSON: the value that the provider parsed or, if there is none, the JSON value in the text. `None` if
/// the text does not have exactly one such value.
pub(crate) fn answer_json(reply: &ModelReply) -> Option<Value> {
    reply.json.clone().or_else(|| {
        let text = loopwright_answers::split(&reply.text).text;
        let value = loopwright_answers::json::values(text).one().ok()?;
        json::read(value).ok()
    })
}

/// Returns the usage as a value for an output handle. `costUsd` is null if the price of a call is unknown.
pub(crate) fn usage_value(usage: &Usage) -> Value {
    /// An object with all field names. It is cloned for each call, so that the names are not hashed again.
    static FIELDS: LazyLock<Map<String, Value>> = LazyLock::new(|| {
        [
            "calls",
            "inputTokens",
            "outputTokens",
            "costUsd",
            "cachedTokens",
            "reasoningTokens",
        ]
        .into_iter()
        .map(|name| (name.to_owned(), Value::Null))
        .collect()
    });
    let mut fields = FIELDS.clone();
    let values = [
        Value::from(usage.calls),
        Value::from(usage.input_tokens),
        Value::from(usage.output_tokens),
        Value::from(usage.cost_usd()),
        Value::from(usage.cached_tokens),
        Value::from(usage.reasoning_tokens),
    ];
    for (field, value) in fields.values_mut().zip(values) {
        *field = value;
    }
    Value::Object(fields)
}

/// Returns the outcome with the usage, the warnings of the reply, and a trace of the prompt, the raw reply and the model.
pub(crate) fn traced(outcome: Outcome, prompt: String, reply: ModelReply, usage: Usage) -> Outcome {
    Outcome {
        usage,
        trace: Some(Box::new(Trace {
            prompt: Some(prompt),
            raw: reply.raw.or(Some(Value::String(reply.text))),
            model: Some(reply.model),
        })),
        warnings: reply.warnings,
        ..outcome
    }
}

/// Returns the value that arrived through a wire at the input named `handle`. Returns `None` if no value arrived.
pub(crate) fn wired(input: &NodeInput, handle: &str) -> Option<Arc<Value>> {
    input.get(handle).cloned()
}

/// Converts the value of the field `responseFormat` to a response format. An error is the rest of a sentence that begins
/// with the name of the field.
pub(crate) fn response_format(value: Option<&Value>) -> Result<ResponseFormat, String> {
    match value {
        None | Some(Value::Null) => Ok(ResponseFormat::Text),
        Some(Value::String(name)) if name.is_empty() || name == "text" => Ok(ResponseFormat::Text),
        Some(Value::String(name)) if name == "json" => Ok(ResponseFormat::Json),
        Some(schema @ Value::Object(_)) => match Schema::compile(schema) {
            Ok(_) => Ok(ResponseFormat::Schema(schema.clone())),
            Err(error) => Err(error.message),
        },
        Some(_) => Err("is neither \"text\" nor \"json\" nor a JSON Schema".to_owned()),
    }
}
