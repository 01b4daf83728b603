//! OpenAI's chat completions, as OpenAI and many other servers implement them.
//!
//! <https://platform.openai.com/docs/api-reference/chat>: `POST chat/completions`, answered by a stream of
//! `chat.completion.chunk` objects that ends with `data: [DONE]`. A `finish_reason` marks the end of the text. Some servers
//! then close the connection without `[DONE]`.

use reqwest::RequestBuilder;
use serde_json::{Map, Value, json};

use crate::{
    secret::Secret,
    spec::{Needs, ProviderSpec, chat_completions, with_version},
    structured::AnswerFormat,
    wire::{
        ends::{end, failure},
        format::{ChatRequest, Completion, End, Message, UsePart, Wire, Wrong},
        loose::{Content, field, index, list, says, text, thoughts_of, word, written},
        without::{Form, MaxTokens},
    },
};

pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    id: "openai",
    name: "OpenAI",
    key: Some("OPENAI_API_KEY"),
    address: "OPENAI_BASE_URL",
    default_address: Some("https://api.openai.com/v1"),
    needs: Needs::KeyOrAddress,
    base: with_version,
    protocol: chat_completions,
    local: None,
    remedy: "Set a key in Settings, with `loopwright keys set openai` or in OPENAI_API_KEY; for another server with the same API, set its address in OPENAI_BASE_URL.",
    note: "OpenAI's models, or any server with the same API.",
};

pub(crate) struct ChatCompletions;

/// The names under which various servers report the number of input tokens.
const INPUT: [&str; 3] = ["prompt_tokens", "input_tokens", "prompt_eval_count"];
const OUTPUT: [&str; 3] = ["completion_tokens", "output_tokens", "eval_count"];

fn count(whole: &mut Completion, usage: &Value) {
    let Some(counts) = whole.counts(usage) else {
        return;
    };
    let input = whole.tokens(counts, &INPUT);
    let output = whole.tokens(counts, &OUTPUT);
    let inside = field(counts, &["prompt_tokens_details", "input_tokens_details"]);
    let cached = whole
        .tokens(inside, &["cached_tokens"])
        .or_else(|| whole.tokens(counts, &["prompt_cache_hit_tokens", "cached_tokens"]));
    let inside = field(
        counts,
        &["completion_tokens_details", "output_tokens_details"],
    );
    let reasoning = whole
        .tokens(inside, &["reasoning_tokens"])
        .or_else(|| whole.tokens(counts, &["reasoning_tokens"]));
    whole.input_tokens = input.or(whole.input_tokens);
    whole.output_tokens = output.or(whole.output_tokens);
    whole.cached_tokens = cached.unwrap_or(whole.cached_tokens);
    whole.reasoning_tokens = reasoning.unwrap_or(whole.reasoning_tokens);
    // The output count of xAI excludes reasoning tokens, but its total includes them.
    let total = counts["total_tokens"].as_u64();
    if let (Some(total), Some(input), Some(output), Some(thought)) =
        (total, input, output, reasoning)
        && thought > 0
        && total == input.saturating_add(output).saturating_add(thought)
    {
        whole.output_tokens = Some(output.saturating_add(thought));
    }
}

/// Returns the token counts of an event, from any of the fields in which servers put them.
fn usage<'v>(chunk: &'v Value, choice: &'v Value) -> &'v Value {
    let places = [&chunk["usage"], &chunk["x_groq"]["usage"], &choice["usage"]];
    let counts = places.into_iter().find(|usage| !usage.is_null());
    match counts {
        Some(usage) => usage,
        // In Ollama's native API, the counts are fields of the event itself.
        None if chunk["eval_count"].is_number() => chunk,
        None => &Value::Null,
    }
}

/// Returns the first choice, which is the only one that was requested, or null if there is none. Further choices are
/// ignored, and `has_others` records them.
fn first<'v>(whole: &mut Completion, choices: &'v [Value]) -> Result<&'v Value, Wrong> {
    let mut first = &Value::Null;
    for (place, choice) in choices.iter().enumerate() {
        match choice {
            Value::Null => continue,
            Value::Object(_) => {}
            other => {
                return Err(Wrong::Malformed(format!(
                    "a choice is not an object: {}",
                    written(other)
                )));
            }
        }
        if index(&choice["index"]).unwrap_or(place as u64) > 0 {
            whole.has_others = true;
        } else if first.is_null() {
            first = choice;
        } else {
            return Err(Wrong::Malformed(
                "an event has the same choice twice".to_owned(),
            ));
        }
    }
    Ok(first)
}

/// Reads a chunk or a whole answer, and returns the text that it adds.
fn take(whole: &mut Completion, chunk: &Value) -> Result<String, Wrong> {
    if !chunk.is_object() {
        return Err(Wrong::Malformed(format!(
            "an event is not an object: {}",
            written(chunk)
        )));
    }
    let named =
        |kept: Option<String>, name: &str| kept.or_else(|| text(chunk, &[name]).map(str::to_owned));
    whole.id = named(whole.id.take(), "id");
    whole.model = named(whole.model.take(), "model");
    let choices = list(chunk, "choices")?;
    let choice = match first(whole, choices)? {
        // The form of Ollama's native API, which some proxies pass on unchanged.
        Value::Null if chunk["done"].is_boolean() => chunk,
        choice => choice,
    };
    let counts = usage(chunk, choice);
    whole.has_moved |= !counts.is_null();
    count(whole, counts);
    if choice.is_null() {
        // The counts arrive after the answer, in a separate event.
        whole.is_counted |= choices.is_empty() && chunk["usage"].is_object();
        return Ok(String::new());
    }
    let delta = [&choice["delta"], &choice["message"]]
        .into_iter()
        .find(|delta| says(delta))
        .unwrap_or(&Value::Null);
    let content = match delta {
        Value::Null | Value::Object(_) => Content::of(field(delta, &["content"])),
        // Some servers send plain text in place of the message.
        Value::String(_) => Content::of(delta),
        other => {
            return Err(Wrong::Malformed(format!(
                "a message is not an object: {}",
                written(other)
            )));
        }
    };
    let mut added = content.text;
    if added.is_empty() {
        // The older completions API and Ollama's native API have these fields.
        added = Content::of(field(choice, &["text", "response"])).text;
    }
    // If a server sends several of these fields, all of them contain the same text.
    let thoughts = [
        "reasoning_content",
        "reasoning",
        "thinking",
        "reasoning_details",
    ]
    .iter()
    .map(|name| thoughts_of(&delta[*name]))
    .find(|thoughts| !thoughts.is_empty())
    .unwrap_or(content.thoughts);
    let refusal = text(delta, &["refusal"]).unwrap_or(&content.refusal);
    let call = &delta["tool_calls"][0];
    let function = [&call["function"], &delta["function_call"], call]
        .into_iter()
        .find(|function| says(function));
    if let Some(function) = function {
        let name = text(function, &["name"]).unwrap_or_default();
        whole.tool.get_or_insert_with(|| name.to_owned());
    }
    whole.tool = whole.tool.take().or(content.tool);
    for used in delta["tool_calls"].as_array().into_iter().flatten() {
        take_use(whole, used)?;
    }
    let reason = word(choice, &["finish_reason", "finishReason", "done_reason"]);
    let reason = reason.or((choice["done"] == true).then_some("stop"));
    whole.has_moved |= !whole.has_begun
        || reason.is_some()
        || !(added.is_empty() && thoughts.is_empty() && refusal.is_empty());
    whole.has_begun = true;
    whole.refusal.push_str(refusal);
    whole.thoughts.push_str(&thoughts);
    whole.add(&added)?;
    if let Some(reason) = reason {
        if let Some(status) = failure(reason) {
            let error = json!({ "error": { "message": format!("the answer ended with the finish reason “{reason}”"), "code": status } });
            return Err(Wrong::Reported(error));
        }
        whole.end_with(end(reason), reason.to_owned())?;
    }
    Ok(added)
}

/// Reads a tool call, or a piece of one.
fn take_use(whole: &mut Completion, used: &Value) -> Result<(), Wrong> {
    let function = field(used, &["function"]);
    let function = match function {
        Value::Null => used,
        function => function,
    };
    let arguments = match field(function, &["arguments", "parameters"]) {
        Value::Null => String::new(),
        Value::String(piece) => piece.clone(),
        // Some servers send the arguments as an object instead of a string.
        whole => written(whole),
    };
    let piece = UsePart {
        index: index(&used["index"]),
        id: text(used, &["id"]).unwrap_or_default().to_owned(),
        name: text(function, &["name"]).unwrap_or_default().to_owned(),
        arguments,
        // Gemini sends this field in its OpenAI-compatible API.
        signature: text(&used["extra_content"]["google"], &["thought_signature"])
            .map(str::to_owned),
    };
    match piece == UsePart::default() {
        true => Ok(()),
        false => whole.add_use(piece),
    }
}

/// Writes a message. The results of tool calls are separate messages.
fn messages(message: &Message) -> Vec<Value> {
    let results = message.results.iter();
    let results = results.map(
        |(used, result)| json!({ "role": "tool", "tool_call_id": used.id, "content": result }),
    );
    let results: Vec<Value> = results.collect();
    if !results.is_empty() {
        return results;
    }
    vec![self::message(message)]
}

fn message(message: &Message) -> Value {
    let role = if message.is_answer {
        "assistant"
    } else {
        "user"
    };
    if !message.uses.is_empty() {
        let uses = message.uses.iter().map(|used| {
            let mut call = json!({
                "id": used.id,
                "type": "function",
                "function": { "name": used.name, "arguments": used.arguments },
            });
            if let Some(signature) = &used.signature {
                call["extra_content"] = json!({ "google": { "thought_signature": signature } });
            }
            call
        });
        let said = Some(&message.text).filter(|text| !text.is_empty());
        return json!({ "role": role, "content": said, "tool_calls": uses.collect::<Vec<_>>() });
    }
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

    fn path(&self, _model: &str, _is_streamed: bool) -> String {
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
        if let Some(system) = ask.instructions() {
            messages.push(json!({ "role": "system", "content": system }));
        }
        messages.extend(ask.said().iter().flat_map(self::messages));
        let mut body = Map::new();
        body.insert("model".to_owned(), ask.model.into());
        body.insert("messages".to_owned(), messages.into());
        body.insert("stream".to_owned(), (!ask.without.stream).into());
        if !ask.without.stream && !ask.without.stream_options {
            body.insert(
                "stream_options".to_owned(),
                json!({ "include_usage": true }),
            );
        }
        if let Some(temperature) = ask.temperature() {
            body.insert("temperature".to_owned(), temperature.into());
        }
        if let Some(most) = ask.max_tokens {
            let name = match ask.without.max_tokens {
                MaxTokens::Sent => Some("max_tokens"),
                MaxTokens::Renamed => Some("max_completion_tokens"),
                MaxTokens::LeftOut => None,
            };
            body.extend(name.map(|name| (name.to_owned(), most.into())));
        }
        if !ask.tools.is_empty() {
            let tools = ask.tools.iter().map(|tool| {
                json!({ "type": "function", "function": {
                    "name": tool.name, "description": tool.description, "parameters": tool.parameters,
                } })
            });
            body.insert("tools".to_owned(), tools.collect());
        }
        let format = match (ask.wanted, ask.without.form) {
            (AnswerFormat::Text, _) | (_, Form::Words) => return body,
            (AnswerFormat::Schema(schema), Form::Schema) => {
                json!({ "type": "json_schema", "json_schema": { "name": "answer", "schema": schema } })
            }
            _ => json!({ "type": "json_object" }),
        };
        body.insert("response_format".to_owned(), format);
        body
    }

    fn take(&self, whole: &mut Completion, _name: &str, event: Value) -> Result<String, Wrong> {
        take(whole, &event)
    }

    fn take_whole(&self, whole: &mut Completion, body: Value) -> Result<String, Wrong> {
        let text = take(whole, &body)?;
        if !whole.has_begun {
            // An answer without choices is empty, not malformed.
            whole.end = Some(End::Complete);
        }
        Ok(text)
    }

    fn is_complete(&self, whole: &Completion) -> bool {
        whole.end.is_some() || (whole.is_counted && whole.has_begun)
    }

    fn models_path(&self) -> String {
        "models".to_owned()
    }
}
