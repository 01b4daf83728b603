//! `llm`: calls a model, which may use tools.

mod tools;

use std::sync::Arc;

use loopwright_engine::{
    Execute, Kind, NodeContext, NodeError, NodeInput, Outcome, Step, compute,
    host::{ModelReply, ModelRequest, ResponseFormat, Take, Turn},
    trust::is_computed,
};
use loopwright_model::{
    Category, EffectClass, Handle, Handles, KindSpec, Node, Problem, Shape, ValueType,
    kind::{Data, Example, Reach, TemplateSite},
    schema::Schema,
    value::{preview, to_text},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    images,
    model_call::{self, Call, ModelFields},
};
use crate::config;
use tools::{ModelTool, Toolbox};

pub(crate) struct Llm;

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Session {
    /// Start a new conversation with every call.
    #[default]
    Stateless,
    /// Continue the conversation in the next iteration.
    Loop,
}

#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TakePart {
    /// The whole text.
    #[default]
    Whole,
    /// The text between `<answer>` and `</answer>`, which the model is asked to write.
    Marked,
    /// The only block of code in the text.
    Code,
}

impl From<TakePart> for Take {
    fn from(part: TakePart) -> Self {
        match part {
            TakePart::Whole => Self::Whole,
            TakePart::Marked => Self::Marked,
            TakePart::Code => Self::Code,
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    #[serde(flatten)]
    model: ModelFields,
    /// The format of the answer: `text`, `json`, or a JSON Schema. The schema's fields become output handles.
    #[schemars(
        schema_with = "response_format_schema",
        extend("x-widget" = "schema", "x-group" = "Answer")
    )]
    response_format: Option<Value>,
    /// The part of the answer that becomes the response: all of it, or only what was asked for, without the text around it.
    #[schemars(extend("x-group" = "Answer"))]
    take: TakePart,
    /// Extra inputs. Use their names in the prompt.
    #[schemars(extend("x-widget" = "handles", "x-group" = "Prompt"))]
    inputs: Vec<String>,
    /// Whether the model remembers earlier iterations.
    #[schemars(extend("x-group" = "Model"))]
    session: Session,
    /// Tools that the model may use before it answers: `files.read`, `files.glob`, `files.edit`. The model must support tools.
    #[schemars(extend("x-group" = "Tools"))]
    tools: Vec<ModelTool>,
    /// The folder of the tools: an absolute path, or a path from the workspace around the node. Without a workspace,
    /// the path is from the workflow's own folder. If empty, the tools use the workspace or that folder. Outside a
    /// workspace, you approve the folder before the run.
    #[schemars(extend("x-widget" = "folder", "x-group" = "Tools"))]
    folder: String,
    /// How many times the model may use tools before it is stopped.
    #[schemars(title = "Max tool rounds", range(min = 1, max = 500), extend("x-group" = "Tools", "default" = tools::DEFAULT_ROUNDS))]
    max_tool_rounds: Option<u32>,
}

fn response_format_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "anyOf": [{ "type": "string", "enum": ["text", "json"] }, { "type": "object" }],
        "default": "text"
    })
}

/// The names of the input handles that every `llm` node has.
const OWN_INPUTS: [&str; 3] = ["prompt", "system", "context"];

fn property_type(schema: &Value) -> ValueType {
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => ValueType::Text,
        Some("number" | "integer") => ValueType::Number,
        Some("boolean") => ValueType::Boolean,
        Some("object" | "array") => ValueType::Json,
        _ => ValueType::Any,
    }
}

impl KindSpec for Llm {
    fn type_name(&self) -> &'static str {
        "llm"
    }
    fn title(&self) -> &'static str {
        "LLM"
    }
    fn category(&self) -> Category {
        Category::Ai
    }
    fn icon(&self) -> &'static str {
        "message-square-text"
    }
    fn summary(&self) -> &'static str {
        "prompt a model"
    }
    fn doc(&self) -> &'static str {
        "Asks a language model. The prompt is the template in `prompt`, or the value wired to it if the template is empty. A \
         value wired to `system` replaces the system prompt. `context` is material that the prompt is about. With a JSON Schema \
         as `responseFormat`, the answer is checked against it and each field becomes an output handle. To send images, wire \
         text of the form `data:image/png;base64,…` to `context`, alone or in a list. With `session: loop` the model sees the \
         prompts and answers of earlier iterations. Each start of the loop begins a new conversation, and so does each item of a \
         list inside the loop. With `tools` the model can read, list and edit files before it answers, in its own loop: each \
         round is another model call. See [Tools of models](../tools.md#tools-of-models)."
    }
    fn shape(&self) -> Shape {
        Shape::Plain
    }
    fn effect(&self, data: &Data) -> EffectClass {
        match tools::writes(data) {
            true => EffectClass::Writes,
            false => EffectClass::Reads,
        }
    }
    fn reaches(&self, data: &Data) -> Vec<Reach> {
        tools::reaches(data)
    }
    fn handles(&self, data: &Data) -> Handles {
        let mut inputs = vec![
            Handle::primary("prompt", ValueType::Text),
            Handle::new("system", ValueType::Text),
            Handle::new("context", ValueType::Any),
        ];
        inputs.extend(
            config::names(data, "inputs")
                .into_iter()
                .filter(|name| !OWN_INPUTS.contains(&name.as_str()))
                .map(|name| Handle::new(name, ValueType::Any)),
        );
        let format = data.get("responseFormat");
        let response = match format {
            Some(Value::Object(_)) => ValueType::Json,
            Some(Value::String(name)) if name == "json" => ValueType::Json,
            _ => ValueType::Text,
        };
        let mut outputs = vec![
            Handle::primary("response", response),
            Handle::new("usage", ValueType::Json),
        ];
        let fields = format
            .and_then(|schema| schema.get("properties"))
            .and_then(Value::as_object);
        for (name, schema) in fields.into_iter().flatten() {
            if !outputs.iter().any(|handle| handle.name == *name) {
                outputs.push(Handle::new(name, property_type(schema)));
            }
        }
        Handles { inputs, outputs }
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        config::object(
            json!({ "provider": "auto", "systemPrompt": "", "temperature": 0.7, "maxTokens": 1024 }),
        )
    }
    fn templates(&self, data: &Data) -> Vec<TemplateSite> {
        model_call::templates(data)
    }
    fn check(&self, node: &Node, problems: &mut Vec<Problem>) {
        // Values other than objects are checked by the field's own schema.
        let schema = node
            .data
            .get("responseFormat")
            .filter(|format| format.is_object());
        if let Err(why) = model_call::response_format(schema) {
            problems.push(
                Problem::error(
                    "bad_schema",
                    format!("`responseFormat` of \"{}\" {why}.", node.title()),
                )
                .at(&node.id)
                .place("responseFormat"),
            );
        }
        let format = node.data.get("responseFormat");
        let is_text = format.is_none_or(|format| matches!(format.as_str(), Some("" | "text")));
        if !is_text && tools::names(&node.data).next().is_some() {
            problems.push(
                Problem::error(
                    "tools_need_text",
                    format!(
                        "\"{}\" has tools, so it must answer with text. Set `responseFormat` to `text`, and use another LLM node to convert \
                         the answer to JSON.",
                        node.title()
                    ),
                )
                .at(&node.id)
                .place("responseFormat"),
            );
        }
        let folder = config::text(&node.data, "folder").unwrap_or_default();
        if is_computed(folder) {
            problems.push(
                Problem::error(
                    "folder_computed",
                    format!(
                        "The tool folder of \"{}\" is a template. Write a fixed path, because you approve the folder before the run.",
                        node.title()
                    ),
                )
                .at(&node.id)
                .place("folder"),
            );
        }
    }
    fn needs_input(&self, data: &Data) -> bool {
        config::text(data, "prompt").is_none()
    }
    fn calls_model(&self, _data: &Data) -> bool {
        true
    }
    fn examples(&self) -> Vec<Example> {
        vec![
            Example {
                title: "the wired value is the prompt",
                data: config::object(json!({ "systemPrompt": "Answer in one word." })),
                inputs: config::object(json!({ "prompt": "The capital of France?" })),
                replies: vec![json!("Paris")],
                gives: json!("Paris"),
                ..Example::default()
            },
            Example {
                title: "an answer that must match a schema",
                data: config::object(json!({
                    "prompt": "Rate this from 1 to 10: {{ input }}",
                    "responseFormat": {
                        "type": "object",
                        "properties": { "score": { "type": "integer" } },
                        "required": ["score"]
                    }
                })),
                inputs: config::object(json!({ "prompt": "A cat sat." })),
                replies: vec![json!({ "score": 4 })],
                gives: json!({ "score": 4 }),
                ..Example::default()
            },
        ]
    }
}

impl Kind for Llm {
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        let config: Config = config::read(node)?;
        let format =
            model_call::response_format(config.response_format.as_ref()).map_err(|why| {
                NodeError::new(
                    "bad_schema",
                    format!("`responseFormat` of \"{}\" {why}.", node.title()),
                )
            })?;
        Ok(Box::new(AskModel {
            call: Call::compile(node, &config.model)?,
            format,
            take: config.take.into(),
            keeps: matches!(config.session, Session::Loop),
            toolbox: (!config.tools.is_empty()).then(|| Toolbox {
                title: node.title().to_owned(),
                tools: config.tools,
                folder: Some(config.folder),
                max_rounds: config.max_tool_rounds.unwrap_or(tools::DEFAULT_ROUNDS),
            }),
        }))
    }
}

struct AskModel {
    call: Call,
    format: ResponseFormat,
    take: Take,
    /// Whether the conversation of this iteration continues in the next one.
    keeps: bool,
    /// The tools that the model may use. `None` if it may use no tools.
    toolbox: Option<Toolbox>,
}

impl AskModel {
    fn request(&self, input: &NodeInput) -> Result<ModelRequest, NodeError> {
        let mut request = self.call.request(input)?;
        if let Some(system) = model_call::wired(input, "system") {
            request.system = Some(to_text(&system));
        }
        if let Some(context) = model_call::wired(input, "context") {
            (request.context, request.images) = images::split(&context).map_err(|why| {
                NodeError::new("bad_image", format!("\"{}\": {why}", self.call.title()))
            })?;
        }
        request.response_format = self.format.clone();
        request.take = self.take;
        if self.keeps {
            // Only pairs of prompt and answer come from this node. Any other item is ignored.
            let turns = input.memory.iter();
            request.history = turns
                .filter_map(|item| Turn::deserialize(&**item).ok())
                .collect();
        }
        Ok(request)
    }
}

/// Returns the prompt and the answer as the value that the next iteration remembers; `None` if they cannot be serialized.
fn exchange(prompt: String, answer: String) -> Option<Value> {
    serde_json::to_value(Turn { prompt, answer }).ok()
}

impl Execute for AskModel {
    fn run(&self, input: &NodeInput, cx: &NodeContext) -> Step {
        let request = match self.request(input) {
            Ok(request) => request,
            Err(error) => return Step::Done(Err(error)),
        };
        let (prompt, said) = (request.prompt.clone(), request.said());
        let title = self.call.title().to_owned();
        let keeps = self.keeps;
        if let Some(toolbox) = self.toolbox.clone() {
            let cx = cx.clone();
            return Step::Pending(Box::pin(async move {
                let talk = toolbox.converse(request, &cx).await?;
                let reply = ModelReply {
                    usage: talk.usage,
                    raw: Some(Value::Array(talk.rounds)),
                    warnings: talk.warnings,
                    ..talk.reply
                };
                let answer = reply.text.clone();
                let mut outcome = outcome(&title, &ResponseFormat::Text, prompt, reply)?;
                if keeps {
                    outcome.remember = exchange(said, answer).map(Arc::new);
                }
                Ok(outcome)
            }));
        }
        let reply = model_call::send(cx, request);
        let format = self.format.clone();
        Step::Pending(Box::pin(async move {
            let reply = reply.await?;
            if let ResponseFormat::Schema(schema) = &format {
                check(&title, schema, &reply).await?;
            }
            let answer = reply.text.clone();
            let mut outcome = outcome(&title, &format, prompt, reply)?;
            if keeps {
                outcome.remember = exchange(said, answer).map(Arc::new);
            }
            Ok(outcome)
        }))
    }

    fn remembers(&self, input: &NodeInput, value: &Value) -> Option<Value> {
        let request = self.request(input).ok().filter(|_| self.keeps)?;
        exchange(request.said(), to_text(value))
    }
}

/// Checks an answer against the requested schema.
async fn check(title: &str, schema: &Value, reply: &ModelReply) -> Result<(), NodeError> {
    // An answer that is not JSON is reported elsewhere, where the answer is read.
    let Some(answer) = model_call::answer_json(reply) else {
        return Ok(());
    };
    let schema = schema.clone();
    let checked =
        compute(move || Schema::compile(&schema).and_then(|schema| schema.mistakes(&answer, 1)));
    match checked.await? {
        Ok(mistakes) => match mistakes.first() {
            None => Ok(()),
            Some(mistake) => Err(NodeError::new(
                "response_not_matching",
                format!(
                    "The model's answer for \"{title}\" does not match the schema: {}.",
                    mistake.message
                ),
            )),
        },
        Err(error) => Err(config::schema_error(title, "responseFormat", &error)),
    }
}

fn outcome(
    title: &str,
    format: &ResponseFormat,
    prompt: String,
    reply: ModelReply,
) -> Result<Outcome, NodeError> {
    let value = match format {
        ResponseFormat::Text => Value::String(reply.text.clone()),
        ResponseFormat::Json | ResponseFormat::Schema(_) => model_call::answer_json(&reply)
            .ok_or_else(|| {
                NodeError::new(
                    "response_not_json",
                    format!(
                        "The model's answer for \"{title}\" is not JSON. It begins with: {}",
                        preview(&Value::String(reply.text.clone()), 80)
                    ),
                )
            })?,
    };
    let mut fields: Vec<(String, Arc<Value>)> = Vec::new();
    if let ResponseFormat::Schema(schema) = format {
        let declared = schema.get("properties").and_then(Value::as_object);
        for name in declared.into_iter().flat_map(|fields| fields.keys()) {
            if name != "response" && name != "usage" {
                let field = value.get(name).cloned().unwrap_or(Value::Null);
                fields.push((name.clone(), Arc::new(field)));
            }
        }
    }
    let usage = reply.usage;
    let mut outcome =
        Outcome::single("response", value).with("usage", model_call::usage_value(&usage));
    outcome.handles.extend(fields);
    Ok(model_call::traced(outcome, prompt, reply, usage))
}
