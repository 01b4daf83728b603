//! Anthropic's Messages API.
//!
//! <https://docs.anthropic.com/en/api/messages>: `POST v1/messages`, answered by the events `message_start`,
//! `content_block_start`, `content_block_delta`, `content_block_stop`, `message_delta` (with the stop reason and the final
//! counts) and `message_stop`, with `ping` in between and `error` at any time.
//!
//! An answer that must fit a schema is requested as the input of a tool that the model has to use. Every model that supports
//! tools makes that input follow the schema.

use reqwest::RequestBuilder;
use serde_json::{Map, Value, json};

use crate::{
    secret::Secret,
    spec::{Needs, ProviderSpec, at_root},
    structured::AnswerFormat,
    wire::{
        ends::end,
        format::{
            Block, BlockKind, ChatRequest, Completion, End, Message, Protocol, UsePart, Wire, Wrong,
        },
        loose::{Content, field, index, says, text, written},
        tool_uses::object,
        without::{Form, MaxTokens},
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
    note: "Claude models, through the Messages API.",
};

/// The API version, which is sent in each request.
const VERSION: &str = "2023-06-01";

/// The token limit of a request whose node sets none. The API requires a limit, and every model allows this one.
const MOST_TOKENS: u64 = 4096;

/// The name of the tool whose input is the answer.
const ANSWER: &str = "answer";

pub(crate) struct Anthropic;

fn end_of(reason: &str) -> End {
    match reason {
        // The tool call contains the answer, or is a call of an offered tool. Either way, the message is complete.
        "tool_use" => End::Complete,
        reason => end(reason),
    }
}

impl Completion {
    /// Reads the token counts of an event. `input_tokens` excludes the tokens that were read from the cache or written to
    /// it.
    fn count(&mut self, usage: &Value) {
        let Some(counts) = self.counts(usage) else {
            return;
        };
        let fresh = self.tokens(counts, &["input_tokens", "prompt_tokens"]);
        let cached = self.tokens(counts, &["cache_read_input_tokens"]);
        let cached_before = self.cached_tokens;
        let written = self.tokens(counts, &["cache_creation_input_tokens"]);
        let parts = [fresh, cached, written];
        let input = parts
            .iter()
            .flatten()
            .fold(0_u64, |sum, part| sum.saturating_add(*part));
        // Some proxies repeat the counts at the end, with zeros for unknown ones.
        if fresh.is_some() && (input > 0 || self.input_tokens.is_none()) {
            self.input_tokens = Some(input);
            self.cached_tokens = cached.unwrap_or(cached_before);
        }
        let output = self.tokens(counts, &["output_tokens", "completion_tokens"]);
        self.output_tokens = output.or(self.output_tokens);
    }

    fn stopped(&mut self, reason: &Value) -> Result<(), Wrong> {
        match reason.as_str() {
            None | Some("" | "null") => Ok(()),
            Some(reason) => self.end_with(end_of(reason), reason.to_owned()),
        }
    }

    /// Opens a block. Blocks are numbered from 0, by some proxies from 1. An event that repeats the start of the last block
    /// changes nothing. A block whose number is not the next one is an error.
    fn open(&mut self, at: &Value, kind: BlockKind) -> Result<(), Wrong> {
        let last = self.blocks.last().map(|block| block.index);
        // Some proxies send an event twice. After text, the second event would otherwise open another block.
        if let Some(block) = self.blocks.last()
            && index(at) == Some(block.index)
            && block.is_open
            && (block.kind, block.from) == (kind, self.text.len())
        {
            return Ok(());
        }
        let index = index(at).unwrap_or(last.map_or(0, |last| last.saturating_add(1)));
        let follows = match last {
            None => index <= 1,
            Some(last) => index == last.saturating_add(1),
        };
        if !follows {
            let right = last.map_or(0, |last| last.saturating_add(1));
            return Err(Wrong::Malformed(format!(
                "the answer begins block {index} where block {right} was expected"
            )));
        }
        if self.end.is_some() {
            return Err(Wrong::Malformed(format!(
                "block {index} begins after the end of the answer"
            )));
        }
        self.blocks.push(Block {
            index,
            is_open: true,
            kind,
            from: self.text.len(),
        });
        self.has_begun = true;
        Ok(())
    }

    fn block(&mut self, at: &Value) -> Result<&mut Block, Wrong> {
        // Some proxies omit the event that begins the first block.
        if self.blocks.is_empty() {
            self.open(at, BlockKind::Text)?;
        }
        let index = index(at).or(self.blocks.last().map(|block| block.index));
        let index = index.unwrap_or_default();
        let block = self.blocks.iter_mut().find(|block| block.index == index);
        block.filter(|block| block.is_open).ok_or_else(|| {
            Wrong::Malformed(format!(
                "the answer continues block {index}, which never began"
            ))
        })
    }

    /// Closes a block. A repeated end of the last block has no effect.
    fn close(&mut self, at: &Value) -> Result<(), Wrong> {
        let index = index(at);
        let last = self.blocks.last_mut();
        if let Some(last) = last
            && index.is_none_or(|index| index == last.index)
        {
            last.is_open = false;
            return Ok(());
        }
        self.block(at)?.is_open = false;
        Ok(())
    }

    /// Returns the kind and the initial text of a block. Adds the tool call or the reasoning that the block begins with to
    /// the completion.
    fn block_content(&mut self, block: &Value) -> Result<(BlockKind, String), Wrong> {
        let kind = text(block, &["type"]).unwrap_or("text");
        Ok(match kind {
            "text" => (BlockKind::Text, Content::of(field(block, &["text"])).text),
            "tool_use" => {
                let name = text(block, &["name"]).unwrap_or_default();
                // In a stream the input begins as an empty object and arrives in pieces.
                let input = match &block["input"] {
                    input if says(input) => written(input),
                    _ => String::new(),
                };
                if name == ANSWER {
                    return Ok((BlockKind::Answer, input));
                }
                self.tool.get_or_insert_with(|| name.to_owned());
                self.add_use(UsePart {
                    index: Some(self.uses.len() as u64),
                    id: text(block, &["id"]).unwrap_or_default().to_owned(),
                    name: name.to_owned(),
                    arguments: input,
                    signature: None,
                })?;
                (BlockKind::Use, String::new())
            }
            "thinking" => {
                let thought = text(block, &["thinking"]).unwrap_or_default();
                self.thoughts.push_str(thought);
                (BlockKind::Other, String::new())
            }
            _ => (BlockKind::Other, String::new()),
        })
    }
}

fn message(message: &Message) -> Value {
    let role = if message.is_answer {
        "assistant"
    } else {
        "user"
    };
    if !message.results.is_empty() {
        let results = message.results.iter();
        let results = results.map(
            |(used, result)| json!({ "type": "tool_result", "tool_use_id": used.id, "content": result }),
        );
        return json!({ "role": role, "content": results.collect::<Vec<_>>() });
    }
    if !message.uses.is_empty() {
        let said = Some(&message.text).filter(|text| !text.trim().is_empty());
        let said = said.map(|text| json!({ "type": "text", "text": text }));
        let uses = message.uses.iter().map(|used| {
            json!({ "type": "tool_use", "id": used.id, "name": used.name, "input": object(&used.arguments) })
        });
        return json!({ "role": role, "content": said.into_iter().chain(uses).collect::<Vec<_>>() });
    }
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

    fn path(&self, _model: &str, _is_streamed: bool) -> String {
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
        let messages: Vec<_> = ask.said().iter().map(message).collect();
        let mut body = Map::new();
        body.insert("model".to_owned(), ask.model.into());
        // The API requires a limit. If the server refused the node's limit earlier, the default limit is sent instead.
        let most = ask
            .max_tokens
            .filter(|_| ask.without.max_tokens == MaxTokens::Sent);
        body.insert("max_tokens".to_owned(), most.unwrap_or(MOST_TOKENS).into());
        if let Some(system) = ask.instructions() {
            body.insert("system".to_owned(), system.into());
        }
        body.insert("messages".to_owned(), messages.into());
        body.insert("stream".to_owned(), (!ask.without.stream).into());
        if let Some(temperature) = ask.temperature() {
            body.insert("temperature".to_owned(), temperature.into());
        }
        if !ask.tools.is_empty() {
            let tools = ask.tools.iter().map(|tool| {
                json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters })
            });
            body.insert("tools".to_owned(), tools.collect());
        } else if let AnswerFormat::Schema(schema) = ask.wanted
            && schema["type"] == "object"
            && ask.without.form != Form::Words
        {
            body.insert(
                "tools".to_owned(),
                json!([{ "name": ANSWER, "description": "Gives the answer.", "input_schema": schema }]),
            );
            // Without `tool_choice`, the model may leave the tool unused. The prompt still asks for JSON and nothing else.
            if ask.without.form == Form::Schema {
                body.insert(
                    "tool_choice".to_owned(),
                    json!({ "type": "tool", "name": ANSWER }),
                );
            }
        }
        body
    }

    fn most_tokens(&self) -> Option<u64> {
        Some(MOST_TOKENS)
    }

    fn take(&self, whole: &mut Completion, name: &str, event: Value) -> Result<String, Wrong> {
        if !event.is_object() {
            return Err(Wrong::Malformed(format!(
                "an event is not an object: {}",
                written(&event)
            )));
        }
        let kind = match &event["type"] {
            Value::Null => name.to_owned(),
            Value::String(kind) => kind.clone(),
            other => {
                return Err(Wrong::Malformed(format!(
                    "an event has a type that is not text: {}",
                    written(other)
                )));
            }
        };
        let known = [
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
            "message",
        ];
        // A piece of reasoning counts as progress, even without text.
        whole.has_moved |= known.contains(&kind.as_str());
        let mut added = String::new();
        match kind.as_str() {
            "message_start" => begin(whole, &event["message"])?,
            // Some proxies send an event twice. The second event would otherwise count as another tool call.
            "content_block_start"
                if whole.blocks.last().is_some_and(|last| {
                    last.is_open
                        && last.kind == BlockKind::Use
                        && index(&event["index"]) == Some(last.index)
                }) => {}
            "content_block_start" => {
                let (kind, text) = whole.block_content(&event["content_block"])?;
                whole.open(&event["index"], kind)?;
                added = text;
            }
            "content_block_delta" => {
                let block = *whole.block(&event["index"])?;
                let delta = &event["delta"];
                whole
                    .thoughts
                    .push_str(text(delta, &["thinking"]).unwrap_or_default());
                if block.kind == BlockKind::Use
                    && let Some(used) = whole.uses.last_mut()
                {
                    let piece = text(delta, &["partial_json", "text"]);
                    used.arguments.push_str(piece.unwrap_or_default());
                }
                let piece = match block.kind {
                    BlockKind::Answer => text(delta, &["partial_json", "text"]),
                    BlockKind::Text => text(delta, &["text"]),
                    BlockKind::Use | BlockKind::Other => None,
                };
                piece.unwrap_or_default().clone_into(&mut added);
            }
            "content_block_stop" => whole.close(&event["index"])?,
            "message_delta" => {
                whole.count(&event["usage"]);
                whole.stopped(&event["delta"]["stop_reason"])?;
            }
            "message_stop" => whole.is_over = true,
            // A whole message, from a proxy that does not stream.
            "message" => {
                added = self.take_whole(whole, event)?;
                whole.is_over = true;
                return Ok(added);
            }
            // Clients must ignore unknown kinds of events.
            _ => {}
        }
        whole.add(&added)?;
        Ok(added)
    }

    fn take_whole(&self, whole: &mut Completion, body: Value) -> Result<String, Wrong> {
        if !body.is_object() {
            return Err(Wrong::Malformed(format!(
                "the answer is not an object: {}",
                written(&body)
            )));
        }
        whole.id = text(&body, &["id"]).map(str::to_owned);
        whole.model = text(&body, &["model"]).map(str::to_owned);
        let mut said = String::new();
        match &body["content"] {
            Value::Null => {}
            Value::Array(blocks) => {
                whole.has_begun = !blocks.is_empty();
                for block in blocks.iter().filter(|block| !block.is_null()) {
                    said.push_str(&whole.block_content(block)?.1);
                }
            }
            other => {
                whole.has_begun = true;
                said = Content::of(other).text;
            }
        }
        whole.add(&said)?;
        whole.count(&body["usage"]);
        whole.stopped(&body["stop_reason"])?;
        Ok(said)
    }

    /// Returns whether the answer is complete: `message_stop` or a stop reason was received. No part of the answer follows the
    /// stop reason, and some proxies close the connection after it, without `message_stop`.
    fn is_complete(&self, whole: &Completion) -> bool {
        whole.is_over || whole.end.is_some()
    }

    fn models_path(&self) -> String {
        "v1/models?limit=1000".to_owned()
    }
}

/// Begins an answer. Some proxies send the start twice; the start of a different answer is an error.
fn begin(whole: &mut Completion, message: &Value) -> Result<(), Wrong> {
    let id = text(message, &["id"]);
    if whole.has_started {
        let is_other = matches!((id, &whole.id), (Some(id), Some(known)) if id != known);
        if is_other || (id.is_none() && !whole.blocks.is_empty()) {
            return Err(Wrong::Malformed("the answer begins twice".to_owned()));
        }
        return Ok(());
    }
    whole.has_started = true;
    whole.id = id.map(str::to_owned);
    whole.model = text(message, &["model"]).map(str::to_owned);
    whole.count(&message["usage"]);
    // The first event counts only the start of the output, so its count is discarded.
    whole.output_tokens = None;
    Ok(())
}
