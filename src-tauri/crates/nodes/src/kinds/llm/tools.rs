//! Offers tools to a model, and runs the tools that the model calls until it answers.

use loopwright_engine::{
    ErrorClass, NodeContext, NodeError, Usage,
    host::{ModelReply, ModelRequest, ToolOffer, ToolRound, ToolUse},
};
use loopwright_model::kind::{Data, Reach};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::super::model_call;

/// The maximum number of bytes of a result that a model receives.
const MAX_RESULT: usize = 100_000;

/// The maximum number of bytes of a result that are recorded. The model may have received a longer result.
const MAX_RECORDED: usize = 2_000;

/// The default number of times that a model may use tools before it is stopped.
pub(super) const DEFAULT_ROUNDS: u32 = 40;

/// A tool that a model may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) enum ModelTool {
    /// Read a file.
    #[serde(rename = "files.read")]
    Read,
    /// List files.
    #[serde(rename = "files.glob")]
    Glob,
    /// Edit and create files.
    #[serde(rename = "files.edit")]
    Edit,
}

impl ModelTool {
    pub(super) const ALL: [Self; 3] = [Self::Read, Self::Glob, Self::Edit];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Read => "files.read",
            Self::Glob => "files.glob",
            Self::Edit => "files.edit",
        }
    }

    /// Returns the name under which the tool is offered to a model. Providers reject names with a dot.
    fn offered_as(self) -> String {
        self.name().replace('.', "_")
    }

    /// Returns the names of the arguments that a call of the tool must have.
    fn required(self) -> &'static [&'static str] {
        match self {
            Self::Read => &["path"],
            Self::Glob => &["pattern"],
            Self::Edit => &[],
        }
    }
}

/// Returns the names of the tools in a node's settings, whether or not they exist.
pub(super) fn names(data: &Data) -> impl Iterator<Item = &str> {
    let tools = data.get("tools").and_then(Value::as_array);
    tools.into_iter().flatten().filter_map(Value::as_str)
}

/// Returns whether the node's tools may change files.
pub(super) fn writes(data: &Data) -> bool {
    names(data).any(|name| name == ModelTool::Edit.name())
}

/// Returns the arguments that the node sets for each tool call, so that the model cannot set them.
fn fixed(folder: Option<&str>) -> Map<String, Value> {
    let folder = folder.map(str::trim).filter(|folder| !folder.is_empty());
    let folder = folder.map(|folder| ("folder".to_owned(), json!(folder)));
    folder.into_iter().collect()
}

/// Returns the tools of a node, with the arguments that determine what they can reach. The user approves the folder before
/// the run.
pub(super) fn reaches(data: &Data) -> Vec<Reach> {
    let folder = data.get("folder").and_then(Value::as_str);
    let tools = ModelTool::ALL.into_iter();
    let used = tools.filter(|tool| names(data).any(|name| name == tool.name()));
    used.map(|tool| Reach {
        tool: tool.name().to_owned(),
        args: fixed(folder),
        from_input: None,
        asks: false,
    })
    .collect()
}

/// The tools of a node.
#[derive(Debug, Clone)]
pub(super) struct Toolbox {
    pub(super) title: String,
    pub(super) tools: Vec<ModelTool>,
    pub(super) folder: Option<String>,
    pub(super) max_rounds: u32,
}

/// The last reply of a conversation with tools, and what the conversation used.
pub(super) struct Conversation {
    pub(super) reply: ModelReply,
    /// The usage of this attempt's model calls.
    pub(super) usage: Usage,
    /// The text and the tool calls of each model call, for the record of the run.
    pub(super) rounds: Vec<Value>,
    pub(super) warnings: Vec<(String, String)>,
}

/// The part of a conversation that is over. It is kept for the next attempt.
#[derive(Clone, Default)]
struct Progress {
    /// The finished rounds, for the model.
    exchanged: Vec<ToolRound>,
    /// The text and the tool calls of each model call, for the record of the run.
    recorded: Vec<Value>,
    warnings: Vec<(String, String)>,
    /// The round of which some tool calls are still to be run.
    open: Option<OpenRound>,
}

/// A reply with tool calls, and the results of those that have run, in the same order.
#[derive(Clone)]
struct OpenRound {
    /// The answer as the provider sent it.
    raw: Option<Value>,
    reply: ModelReply,
    results: Vec<String>,
}

impl Progress {
    fn into_conversation(self, reply: ModelReply, usage: Usage) -> Conversation {
        Conversation {
            reply,
            usage,
            rounds: self.recorded,
            warnings: self.warnings,
        }
    }
}

impl Toolbox {
    fn offers(&self, cx: &NodeContext) -> Vec<ToolOffer> {
        let tools = self.tools.iter();
        tools
            .filter_map(|tool| Some((tool, cx.services.tools.find(tool.name())?.info())))
            .map(|(tool, info)| ToolOffer {
                name: tool.offered_as(),
                description: info.summary,
                parameters: parameters(*tool, info.args),
            })
            .collect()
    }

    /// Calls the model, and runs the tools that the model requests, until the model answers. Continues the conversation of a
    /// failed attempt.
    ///
    /// # Errors
    /// Returns the error of a model call, with the usage of this attempt's calls, or the error of a tool that was not approved.
    pub(super) async fn converse(
        &self,
        mut request: ModelRequest,
        cx: &NodeContext,
    ) -> Result<Conversation, NodeError> {
        request.tools = self.offers(cx);
        let mut usage = Usage::default();
        // An earlier attempt may have failed in the middle of the conversation. Its tool calls must not run again, and the
        // model must see their results.
        let mut done: Progress = cx.kept.get().unwrap_or_default();
        loop {
            let mut open = match done.open.take() {
                Some(open) => open,
                None => {
                    request.rounds.clone_from(&done.exchanged);
                    let reply = model_call::send(cx, request.clone()).await;
                    let mut reply = reply.map_err(|error| error.having_spent(&usage))?;
                    usage.add(&reply.usage);
                    for warning in std::mem::take(&mut reply.warnings) {
                        if !done.warnings.contains(&warning) {
                            done.warnings.push(warning);
                        }
                    }
                    let raw = reply.raw.take();
                    if reply.uses.is_empty() {
                        done.recorded.push(json!({ "answer": raw }));
                        return Ok(done.into_conversation(reply, usage));
                    }
                    OpenRound {
                        raw,
                        results: Vec::new(),
                        reply,
                    }
                }
            };
            while let Some(used) = open.reply.uses.get(open.results.len()) {
                done.open = Some(open.clone());
                cx.kept.set(done.clone());
                let result = self.use_tool(used, cx).await;
                open.results
                    .push(result.map_err(|error| error.having_spent(&usage))?);
            }
            let OpenRound {
                raw,
                results,
                mut reply,
            } = open;
            let shown = reply.uses.iter().zip(&results);
            let shown = shown.map(|(used, result)| {
                json!({ "tool": used.name, "arguments": used.arguments, "result": cut(result, MAX_RECORDED) })
            });
            done.recorded
                .push(json!({ "answer": raw, "used": shown.collect::<Vec<_>>() }));
            done.exchanged.push(ToolRound {
                text: reply.text.clone(),
                uses: std::mem::take(&mut reply.uses),
                results,
            });
            done.open = None;
            if done.exchanged.len() >= self.max_rounds as usize {
                done.warnings.push((
                    "tool_rounds_used".to_owned(),
                    format!(
                        "\"{}\" was stopped after the model had used tools {} times without answering. The edits so far are kept. Raise \
                         `maxToolRounds` to let it continue.",
                        self.title, self.max_rounds
                    ),
                ));
                return Ok(done.into_conversation(reply, usage));
            }
            cx.kept.set(done.clone());
        }
    }

    /// Runs a tool call. Returns its result or an error message, both for the model.
    ///
    /// # Errors
    /// Returns an error that the model cannot correct: the call was cancelled, or its folder is not approved.
    async fn use_tool(&self, used: &ToolUse, cx: &NodeContext) -> Result<String, NodeError> {
        let known = self.tools.iter();
        let known = known.copied().find(|tool| tool.offered_as() == used.name);
        let Some(tool) = known else {
            let names: Vec<String> = self.tools.iter().map(|tool| tool.offered_as()).collect();
            return Ok(format!(
                "Error: there is no tool {}. The tools are {}.",
                used.name,
                names.join(", ")
            ));
        };
        let mut args = match serde_json::from_str::<Value>(&used.arguments) {
            Ok(Value::Object(args)) => args,
            Ok(_) => return Ok("Error: the arguments must be a JSON object.".to_owned()),
            Err(error) => return Ok(format!("Error: the arguments are not JSON: {error}.")),
        };
        // The folder is part of the approval, so the model cannot choose it.
        args.remove("folder");
        args.extend(fixed(self.folder.as_deref()));
        announce(tool, &args, cx);
        let called = model_call::use_tool(&self.title, tool.name(), args, cx);
        match called.await {
            Ok(Value::String(text)) => Ok(cut(&text, MAX_RESULT)),
            Ok(Value::Array(files)) if tool == ModelTool::Glob => {
                let files: Vec<Value> = files.into_iter().filter(|file| !is_of_git(file)).collect();
                Ok(cut(&Value::Array(files).to_string(), MAX_RESULT))
            }
            Ok(value) => Ok(cut(&value.to_string(), MAX_RESULT)),
            Err(error) if error.class() == ErrorClass::NotApproved || error.code == "cancelled" => {
                Err(error)
            }
            Err(error) => Ok(format!("Error ({}): {}", error.code, error.message)),
        }
    }
}

/// Returns whether a listed file is in a `.git` folder. A model does not need these files, and there may be thousands.
fn is_of_git(file: &Value) -> bool {
    let path = file.get("path").and_then(Value::as_str);
    path.is_some_and(|path| path.split('/').any(|part| part == ".git"))
}

/// Adds a tool call to the streamed answer, so that the call is visible while the answer streams.
fn announce(tool: ModelTool, args: &Map<String, Value>, cx: &NodeContext) {
    let of = |fields: &Map<String, Value>| {
        let what = fields.get("path").or(fields.get("pattern"));
        what.and_then(Value::as_str).map(str::to_owned)
    };
    let edits = args.get("edits").and_then(Value::as_array);
    let inner = edits.into_iter().flatten().filter_map(Value::as_object);
    let mut files: Vec<String> = of(args).into_iter().chain(inner.filter_map(of)).collect();
    files.dedup();
    cx.tokens
        .send(&format!("\n[{} {}]\n", tool.name(), files.join(", ")));
}

/// Returns `text`. If it is longer than `most` bytes, returns its first bytes and a note that the rest is left out.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at));
    let end = end.unwrap_or(0);
    format!(
        "{}\n[Truncated: {} of {} bytes are shown.]",
        &text[..end],
        end,
        text.len()
    )
}

/// Returns the schema of a tool's arguments for a model: without the folder, and without sentences that apply only to nodes.
fn parameters(tool: ModelTool, mut schema: Value) -> Value {
    /// The sentence at the end of an argument's description that says what a node uses if the argument is missing. It does
    /// not apply to calls by a model.
    const OF_NODES: &str = " Default: the node's input.";
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    if let Some(properties) = properties {
        properties.remove("folder");
        for property in properties.values_mut() {
            if let Some(Value::String(description)) = property.get_mut("description")
                && let Some(rest) = description.strip_suffix(OF_NODES)
            {
                *description = rest.to_owned();
            }
        }
    }
    if !tool.required().is_empty() {
        schema["required"] = json!(tool.required());
    }
    schema
}
