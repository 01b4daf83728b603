//! Anthropic's Messages API.
//!
//! <https://docs.anthropic.com/en/api/messages>: `POST v1/messages`, answered by the events `message_start`,
//! `content_block_start`, `content_block_delta`, `content_block_stop`, `message_delta` (with the reason of the end and the
//! final counts) and `message_stop`, with `ping` in between and `error` at any time.
//!
//! An answer that must fit a schema is asked for as the input of a tool that the model has to use: that is held to the
//! schema, on every model that takes tools.

use reqwest::RequestBuilder;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    provider::ModelSummary,
    secret::Secret,
    spec::{Needs, ProviderSpec, at_root},
    structured::AnswerFormat,
    wire::{
        counts::Count,
        format::{ChatRequest, Completion, End, Message, Protocol, Wire, Wrong},
    },
};

pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    id: "anthropic",
    name: "Anthropic",
    key: Some("ANTHROPIC_API_KEY"),
    address: "ANTHROPIC_BASE_URL",
    default_address: Some("https://api.anthropic.com"),
    needs: Needs::KeyOrAddress,
    base: at_root,
    protocol: |_| Protocol::Messages,
    local: None,
    remedy: "Set a key in Settings, with `loopwright keys set anthropic` or in ANTHROPIC_API_KEY.",
    note: "Claude, by the Messages API.",
};

/// The version of the interface that this speaks; newer ones would be asked for by name.
const VERSION: &str = "2023-06-01";

/// The interface wants a bound. It is what every model allows.
const MOST_TOKENS: u64 = 4096;

/// The name of the tool whose input is the answer.
const ANSWER: &str = "answer";

pub(crate) struct Anthropic;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        index: usize,
        content_block: Block,
    },
    ContentBlockDelta {
        index: usize,
        delta: BlockDelta,
    },
    ContentBlockStop {
        index: usize,
    },
    MessageDelta {
        delta: MessageDelta,
        usage: Option<Value>,
    },
    MessageStop,
    Ping,
    Error {
        #[serde(default)]
        error: Value,
        #[serde(default)]
        message: Value,
    },
    /// New kinds of events may come; clients are to pass over them.
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct Start {
    id: Option<String>,
    model: Option<String>,
    usage: Option<Value>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    ToolUse {
        name: String,
        #[serde(default)]
        input: Value,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BlockDelta {
    TextDelta {
        text: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    /// Signatures, citations.
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct MessageDelta {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Counts {
    #[serde(default)]
    input_tokens: Count,
    #[serde(default)]
    output_tokens: Count,
    #[serde(default)]
    cache_read_input_tokens: Count,
    #[serde(default)]
    cache_creation_input_tokens: Count,
}

#[derive(Deserialize)]
struct Whole {
    id: Option<String>,
    model: Option<String>,
    #[serde(default)]
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Option<Value>,
    error: Option<Value>,
}

fn end(reason: &str) -> End {
    match reason {
        // The tool is the one whose input is the answer.
        "end_turn" | "stop_sequence" | "tool_use" => End::Complete,
        "max_tokens" => End::Length,
        "model_context_window_exceeded" => End::Overflow,
        "refusal" => End::Refused,
        other => End::Other(other.to_owned()),
    }
}

impl Completion {
    /// `input_tokens` leaves out what was read from the cache and written to it.
    fn count(&mut self, usage: Option<Value>) {
        let Some(counts) = self.counts::<Counts>(usage) else {
            return;
        };
        if let Some(fresh) = self.tokens(counts.input_tokens) {
            self.cached_tokens = self.tokens(counts.cache_read_input_tokens).unwrap_or(0);
            let written = self.tokens(counts.cache_creation_input_tokens).unwrap_or(0);
            self.input_tokens = Some(
                fresh
                    .saturating_add(self.cached_tokens)
                    .saturating_add(written),
            );
        }
        self.output_tokens = self.tokens(counts.output_tokens).or(self.output_tokens);
    }

    fn stopped(&mut self, reason: Option<String>) -> Result<(), Wrong> {
        match reason {
            Some(reason) => self.end_with(end(&reason), reason),
            None => Ok(()),
        }
    }

    /// Blocks are numbered, so that one that comes twice is seen.
    fn open(&mut self, index: usize) -> Result<(), Wrong> {
        if index != self.blocks.len() {
            return Err(Wrong::Malformed(format!(
                "block {index} of the answer begins where block {} should",
                self.blocks.len()
            )));
        }
        if self.end.is_some() {
            return Err(Wrong::Malformed(format!(
                "block {index} of the answer begins behind its end"
            )));
        }
        self.blocks.push(true);
        self.has_begun = true;
        Ok(())
    }

    fn is_open(&self, index: usize) -> Result<(), Wrong> {
        match self.blocks.get(index) {
            Some(true) => Ok(()),
            _ => Err(Wrong::Malformed(format!(
                "block {index} of the answer continues and is not open"
            ))),
        }
    }
}

fn block_text(whole: &mut Completion, block: Block) -> Result<String, Wrong> {
    Ok(match block {
        Block::Text { text } => text,
        Block::Thinking { thinking } => {
            whole.thoughts.push_str(&thinking);
            String::new()
        }
        // In a stream it begins as an empty object, and comes in pieces.
        Block::ToolUse { name, input } if name == ANSWER => match input {
            Value::Null => String::new(),
            Value::Object(fields) if fields.is_empty() => String::new(),
            input => input.to_string(),
        },
        Block::ToolUse { name, .. } => {
            return Err(Wrong::Malformed(format!(
                "the answer uses the tool “{name}”, which it was not given"
            )));
        }
        Block::Unknown => String::new(),
    })
}

fn message(message: &Message) -> Value {
    let role = if message.is_answer {
        "assistant"
    } else {
        "user"
    };
    if message.images.is_empty() {
        return json!({ "role": role, "content": message.text });
    }
    let mut parts: Vec<Value> = message
        .images
        .iter()
        .map(|image| {
            json!({ "type": "image", "source": { "type": "base64", "media_type": image.media_type, "data": image.data } })
        })
        .collect();
    parts.push(json!({ "type": "text", "text": message.text }));
    json!({ "role": role, "content": parts })
}

impl Wire for Anthropic {
    fn protocol(&self) -> &'static str {
        "the Messages protocol"
    }

    fn path(&self, _model: &str) -> String {
        "v1/messages".to_owned()
    }

    fn authorize(&self, request: RequestBuilder, key: Option<&Secret>) -> RequestBuilder {
        let request = request.header("anthropic-version", VERSION);
        match key {
            Some(key) => request.header("x-api-key", key.expose()),
            None => request,
        }
    }

    fn body(&self, ask: &ChatRequest<'_>) -> Map<String, Value> {
        let messages: Vec<_> = ask.messages.iter().map(message).collect();
        let mut body = Map::new();
        body.insert("model".to_owned(), ask.model.into());
        body.insert(
            "max_tokens".to_owned(),
            ask.max_tokens.unwrap_or(MOST_TOKENS).into(),
        );
        if let Some(system) = ask.system {
            body.insert("system".to_owned(), system.into());
        }
        body.insert("messages".to_owned(), messages.into());
        body.insert("stream".to_owned(), true.into());
        if let Some(temperature) = ask.temperature {
            body.insert("temperature".to_owned(), temperature.into());
        }
        if let AnswerFormat::Schema(schema) = ask.wanted
            && schema["type"] == "object"
        {
            body.insert(
                "tools".to_owned(),
                json!([{ "name": ANSWER, "description": "Gives the answer.", "input_schema": schema }]),
            );
            body.insert(
                "tool_choice".to_owned(),
                json!({ "type": "tool", "name": ANSWER }),
            );
        }
        body
    }

    fn optional(&self) -> &'static [&'static str] {
        // Without its choice the tool is only offered, and the prompt still asks for JSON alone.
        &["temperature", "tool_choice", "tools"]
    }

    fn most_tokens(&self) -> Option<u64> {
        Some(MOST_TOKENS)
    }

    fn take(&self, whole: &mut Completion, data: &str) -> Result<String, Wrong> {
        let event = serde_json::from_str::<Event>(data)?;
        // Pieces of a thought, of which no text comes, are work on the answer as well.
        whole.has_moved |= !matches!(event, Event::Ping | Event::Unknown);
        match event {
            Event::MessageStart { message } => {
                if whole.id.is_some() || !whole.blocks.is_empty() {
                    return Err(Wrong::Malformed("the answer begins twice".to_owned()));
                }
                (whole.id, whole.model) = (message.id, message.model);
                whole.count(message.usage);
                // What stands there for the output is only its beginning.
                whole.output_tokens = None;
                Ok(String::new())
            }
            Event::ContentBlockStart {
                index,
                content_block,
            } => {
                whole.open(index)?;
                let text = block_text(whole, content_block)?;
                whole.text.push_str(&text);
                Ok(text)
            }
            Event::ContentBlockDelta { index, delta } => {
                whole.is_open(index)?;
                let text = match delta {
                    BlockDelta::TextDelta { text } => text,
                    BlockDelta::InputJsonDelta { partial_json } => partial_json,
                    BlockDelta::ThinkingDelta { thinking } => {
                        whole.thoughts.push_str(&thinking);
                        String::new()
                    }
                    BlockDelta::Unknown => String::new(),
                };
                whole.text.push_str(&text);
                Ok(text)
            }
            Event::ContentBlockStop { index } => {
                whole.is_open(index)?;
                whole.blocks[index] = false;
                Ok(String::new())
            }
            Event::MessageDelta { delta, usage } => {
                whole.count(usage);
                whole.stopped(delta.stop_reason)?;
                Ok(String::new())
            }
            Event::MessageStop => {
                whole.is_over = true;
                Ok(String::new())
            }
            Event::Error { error, message } => Err(Wrong::Reported(if error.is_null() {
                json!({ "message": message })
            } else {
                error
            })),
            Event::Ping | Event::Unknown => Ok(String::new()),
        }
    }

    fn take_whole(&self, whole: &mut Completion, body: &str) -> Result<String, Wrong> {
        let message: Whole = serde_json::from_str(body)?;
        if let Some(error) = message.error.filter(|error| !error.is_null()) {
            return Err(Wrong::Reported(error));
        }
        (whole.id, whole.model) = (message.id, message.model);
        whole.has_begun = !message.content.is_empty();
        for block in message.content {
            let text = block_text(whole, block)?;
            whole.text.push_str(&text);
        }
        whole.count(message.usage);
        whole.stopped(message.stop_reason)?;
        Ok(whole.text.clone())
    }

    /// `message_stop` is the only end.
    fn is_complete(&self, whole: &Completion) -> bool {
        whole.is_over
    }

    fn models_path(&self) -> String {
        "v1/models?limit=1000".to_owned()
    }

    fn models(&self, list: &Value) -> Vec<ModelSummary> {
        let models = list["data"].as_array().into_iter().flatten();
        models
            .filter_map(|model| {
                let id = model["id"].as_str()?;
                Some(ModelSummary {
                    name: model["display_name"].as_str().unwrap_or(id).to_owned(),
                    ..ModelSummary::named(id)
                })
            })
            .collect()
    }
}
