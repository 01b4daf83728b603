//! OpenAI's chat completions, as OpenAI and many other servers speak them.
//!
//! <https://platform.openai.com/docs/api-reference/chat>: `POST chat/completions`, answered by a stream of
//! `chat.completion.chunk` objects that ends with `data: [DONE]`. A `finish_reason` says that the text is whole; some servers
//! close the connection behind it without the `[DONE]`.

use reqwest::RequestBuilder;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    provider::ModelSummary,
    secret::Secret,
    spec::{Needs, ProviderSpec, as_written, chat_completions},
    structured::AnswerFormat,
    wire::{
        counts::Count,
        format::{ChatRequest, Completion, End, Message, Wire, Wrong},
    },
};

pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    id: "openai",
    name: "OpenAI",
    key: Some("OPENAI_API_KEY"),
    address: "OPENAI_BASE_URL",
    default_address: Some("https://api.openai.com/v1"),
    needs: Needs::KeyOrAddress,
    base: as_written,
    protocol: chat_completions,
    local: None,
    remedy: "Set a key in Settings, with `loopwright keys set openai` or in OPENAI_API_KEY; for another server that speaks the same protocol, set its address in OPENAI_BASE_URL.",
    note: "OpenAI's models, or at another address any server with the same protocol.",
};

pub(crate) struct ChatCompletions;

#[derive(Deserialize)]
struct Chunk {
    id: Option<String>,
    model: Option<String>,
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    usage: Option<Value>,
    error: Option<Value>,
    // What errors have in the shapes of other servers.
    object: Option<Value>,
    #[serde(rename = "type")]
    kind: Option<Value>,
    message: Option<Value>,
    detail: Option<Value>,
}

impl Chunk {
    /// Whether it is an error without the usual `error` around it: `{ "object": "error", "message": … }`, `{ "detail": … }`.
    fn is_bare_error(&self) -> bool {
        let is_error = |value: &Option<Value>| value.as_ref().is_some_and(|value| value == "error");
        let says = |value: &Option<Value>| value.as_ref().is_some_and(Value::is_string);
        let is_empty = self.choices.as_ref().is_none_or(Vec::is_empty);
        is_empty
            && (is_error(&self.object)
                || is_error(&self.kind)
                || (self.usage.is_none() && (says(&self.message) || says(&self.detail))))
    }
}

#[derive(Deserialize)]
struct Choice {
    /// Where it is not given, its place in the list.
    index: Option<Value>,
    #[serde(alias = "message")]
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
    // What a model thinks before it answers, by the names that servers give it.
    reasoning: Option<Value>,
    reasoning_content: Option<Value>,
}

impl Delta {
    /// Whether it brings something of the answer or of the work on it. Some servers send empty ones to keep a connection open.
    fn moves(&self) -> bool {
        let says = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
        let thinks = |thought: &Option<Value>| {
            thought
                .as_ref()
                .is_some_and(|thought| thought.as_str() != Some(""))
        };
        says(&self.content)
            || says(&self.refusal)
            || thinks(&self.reasoning)
            || thinks(&self.reasoning_content)
    }
}

#[derive(Deserialize)]
struct Counts {
    #[serde(default)]
    prompt_tokens: Count,
    #[serde(default)]
    completion_tokens: Count,
    prompt_tokens_details: Option<InputDetails>,
    completion_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize)]
struct InputDetails {
    #[serde(default)]
    cached_tokens: Count,
}

#[derive(Deserialize)]
struct OutputDetails {
    #[serde(default)]
    reasoning_tokens: Count,
}

fn end(reason: &str) -> End {
    match reason {
        "stop" | "eos" | "end_turn" | "stop_sequence" => End::Complete,
        "length" | "max_tokens" => End::Length,
        "content_filter" => End::Filtered("the reason that it gives for the end".to_owned()),
        "refusal" => End::Refused,
        other => End::Other(other.to_owned()),
    }
}

fn count(whole: &mut Completion, usage: Option<Value>) {
    let Some(counts) = whole.counts::<Counts>(usage) else {
        return;
    };
    whole.input_tokens = whole.tokens(counts.prompt_tokens).or(whole.input_tokens);
    whole.output_tokens = whole
        .tokens(counts.completion_tokens)
        .or(whole.output_tokens);
    if let Some(details) = counts.prompt_tokens_details {
        let cached = whole.tokens(details.cached_tokens);
        whole.cached_tokens = cached.unwrap_or(whole.cached_tokens);
    }
    if let Some(details) = counts.completion_tokens_details {
        let reasoning = whole.tokens(details.reasoning_tokens);
        whole.reasoning_tokens = reasoning.unwrap_or(whole.reasoning_tokens);
    }
}

/// The one answer that was asked for, which is the first. A server that gives others besides has them left out.
fn first(whole: &mut Completion, choices: Vec<Choice>) -> Result<Option<Choice>, Wrong> {
    let mut first = None;
    for (place, choice) in choices.into_iter().enumerate() {
        let index = choice.index.as_ref().and_then(Value::as_u64);
        if index.unwrap_or(place as u64) > 0 {
            whole.has_others = true;
        } else if first.replace(choice).is_some() {
            return Err(Wrong::Malformed(
                "an event has the same choice twice".to_owned(),
            ));
        }
    }
    Ok(first)
}

/// Takes a chunk in and gives the text that it adds.
pub(crate) fn take(whole: &mut Completion, data: &str) -> Result<String, Wrong> {
    let chunk: Chunk = serde_json::from_str(data)?;
    if chunk.is_bare_error() {
        return Err(Wrong::Reported(serde_json::from_str(data)?));
    }
    if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
        return Err(Wrong::Reported(error));
    }
    whole.id = whole.id.take().or(chunk.id);
    whole.model = whole
        .model
        .take()
        .or(chunk.model)
        .filter(|model| !model.is_empty());
    whole.has_moved |= chunk.usage.is_some();
    count(whole, chunk.usage);
    let Some(choice) = first(whole, chunk.choices.unwrap_or_default())? else {
        return Ok(String::new());
    };
    whole.has_moved |= !whole.has_begun
        || choice.finish_reason.is_some()
        || choice.delta.as_ref().is_some_and(Delta::moves);
    whole.has_begun = true;
    let mut added = String::new();
    if let Some(delta) = choice.delta {
        // Servers that give both names give them the same text.
        let thought = [&delta.reasoning_content, &delta.reasoning]
            .into_iter()
            .flatten()
            .find_map(|thought| thought.as_str().filter(|text| !text.is_empty()));
        whole.thoughts.push_str(thought.unwrap_or_default());
        added = delta.content.unwrap_or_default();
        whole.refusal.push_str(&delta.refusal.unwrap_or_default());
    }
    if whole.end.is_some() && !added.is_empty() {
        return Err(Wrong::Malformed(
            "more text came behind the end of the answer".to_owned(),
        ));
    }
    // Some servers send an empty reason with every chunk.
    if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
        whole.end_with(end(&reason), reason)?;
    }
    whole.text.push_str(&added);
    Ok(added)
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
            let url = format!("data:{};base64,{}", image.media_type, image.data);
            json!({ "type": "image_url", "image_url": { "url": url } })
        })
        .collect();
    parts.push(json!({ "type": "text", "text": message.text }));
    json!({ "role": role, "content": parts })
}

impl Wire for ChatCompletions {
    fn protocol(&self) -> &'static str {
        "the chat completions protocol"
    }

    fn path(&self, _model: &str) -> String {
        "chat/completions".to_owned()
    }

    fn authorize(&self, request: RequestBuilder, key: Option<&Secret>) -> RequestBuilder {
        match key {
            Some(key) => request.bearer_auth(key.expose()),
            None => request,
        }
    }

    fn body(&self, ask: &ChatRequest<'_>) -> Map<String, Value> {
        let mut messages = Vec::new();
        if let Some(system) = ask.system {
            messages.push(json!({ "role": "system", "content": system }));
        }
        messages.extend(ask.messages.iter().map(message));
        let mut body = Map::new();
        body.insert("model".to_owned(), ask.model.into());
        body.insert("messages".to_owned(), messages.into());
        body.insert("stream".to_owned(), true.into());
        body.insert(
            "stream_options".to_owned(),
            json!({ "include_usage": true }),
        );
        if let Some(temperature) = ask.temperature {
            body.insert("temperature".to_owned(), temperature.into());
        }
        if let Some(most) = ask.max_tokens {
            body.insert("max_tokens".to_owned(), most.into());
        }
        let format = match ask.wanted {
            AnswerFormat::Text => return body,
            AnswerFormat::Json => json!({ "type": "json_object" }),
            AnswerFormat::Schema(schema) => {
                json!({ "type": "json_schema", "json_schema": { "name": "answer", "schema": schema } })
            }
        };
        body.insert("response_format".to_owned(), format);
        body
    }

    fn optional(&self) -> &'static [&'static str] {
        &[
            "response_format",
            "stream_options",
            "temperature",
            "max_tokens",
        ]
    }

    fn take(&self, whole: &mut Completion, data: &str) -> Result<String, Wrong> {
        if data.trim() == "[DONE]" {
            whole.is_over = true;
            return Ok(String::new());
        }
        take(whole, data)
    }

    fn take_whole(&self, whole: &mut Completion, body: &str) -> Result<String, Wrong> {
        let text = take(whole, body)?;
        if !whole.has_begun {
            // No choices: it is said to be empty, not to be no protocol.
            whole.end = Some(End::Complete);
        }
        Ok(text)
    }

    fn is_complete(&self, whole: &Completion) -> bool {
        whole.end.is_some()
    }

    fn models_path(&self) -> String {
        "models".to_owned()
    }

    fn models(&self, list: &Value) -> Vec<ModelSummary> {
        let ids = list["data"].as_array().into_iter().flatten();
        ids.filter_map(|model| model["id"].as_str())
            .map(ModelSummary::named)
            .collect()
    }
}
