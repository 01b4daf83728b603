//! Google's Gemini API.
//!
//! <https://ai.google.dev/api/generate-content>: `POST v1beta/models/{model}:streamGenerateContent?alt=sse`, answered by
//! events that are each a `GenerateContentResponse`. The last one has a `finishReason`; there is no other end marker. A
//! blocked prompt gets a `promptFeedback` instead of a candidate. The key is sent in a header, never in the address.

use loopwright_engine::redact::percent;
use reqwest::RequestBuilder;
use serde_json::{Map, Value, json};

use crate::{
    secret::Secret,
    spec::{Needs, ProviderSpec, at_root},
    structured::AnswerFormat,
    wire::{
        ends::end,
        format::{ChatRequest, Completion, End, Message, Protocol, UsePart, Wire, Wrong},
        loose::{Content, field, index, list, says, text, word, written},
        reported::is_error,
        tool_uses::object,
        without::{Form, MaxTokens},
    },
};

pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    id: "gemini",
    name: "Gemini",
    key: Some("GEMINI_API_KEY"),
    address: "GEMINI_BASE_URL",
    default_address: Some("https://generativelanguage.googleapis.com"),
    needs: Needs::KeyOrAddress,
    base: at_root,
    protocol: |_| Protocol::GenerateContent,
    local: None,
    remedy: "Set a key in Settings, with `loopwright keys set gemini` or in GEMINI_API_KEY.",
    note: "Google's models, through the Gemini API.",
};

pub(crate) struct Gemini;

fn end_of(reason: &str, words: Option<&str>) -> End {
    let why = || words.unwrap_or(reason).to_owned();
    match end(reason) {
        End::Filtered(_) => End::Filtered(why()),
        End::Other(_) => End::Other(why()),
        known => known,
    }
}

fn message(message: &Message) -> Value {
    let role = if message.is_answer { "model" } else { "user" };
    let mut parts: Vec<Value> = message
        .images
        .iter()
        .map(|image| json!({ "inlineData": { "mimeType": image.media_type, "data": image.data } }))
        .collect();
    if !message.results.is_empty() {
        parts.extend(message.results.iter().map(|(used, result)| {
            json!({ "functionResponse": { "name": used.name, "response": { "result": result } } })
        }));
        return json!({ "role": role, "parts": parts });
    }
    if message.uses.is_empty() || !message.text.is_empty() {
        parts.push(json!({ "text": message.text }));
    }
    parts.extend(message.uses.iter().map(|used| {
        let mut part =
            json!({ "functionCall": { "name": used.name, "args": object(&used.arguments) } });
        if let Some(signature) = &used.signature {
            part["thoughtSignature"] = json!(signature);
        }
        part
    }));
    json!({ "role": role, "parts": parts })
}

fn count(whole: &mut Completion, usage: &Value) {
    let Some(counts) = whole.counts(usage) else {
        return;
    };
    let input = whole.tokens(counts, &["promptTokenCount", "prompt_token_count"]);
    whole.input_tokens = input.or(whole.input_tokens);
    let cached = whole.tokens(
        counts,
        &["cachedContentTokenCount", "cached_content_token_count"],
    );
    whole.cached_tokens = cached.unwrap_or(whole.cached_tokens);
    let thought = whole.tokens(counts, &["thoughtsTokenCount", "thoughts_token_count"]);
    whole.reasoning_tokens = thought.unwrap_or(whole.reasoning_tokens);
    // Reasoning tokens are charged as output but counted separately.
    if let Some(said) = whole.tokens(counts, &["candidatesTokenCount", "candidates_token_count"]) {
        whole.said_tokens = Some(said);
        whole.output_tokens = Some(said.saturating_add(whole.reasoning_tokens));
    } else if thought.is_some() && whole.said_tokens.is_none() {
        // The limit was reached while the model was thinking. The counts of the answer are then left out.
        whole.output_tokens = thought;
    }
}

/// Returns the first candidate, which is the only one that was requested, or null if there is none. Further candidates are
/// ignored, and `has_others` records them.
fn first<'v>(whole: &mut Completion, candidates: &'v [Value]) -> Result<&'v Value, Wrong> {
    let mut first = &Value::Null;
    for (place, candidate) in candidates.iter().enumerate() {
        match candidate {
            Value::Null => continue,
            Value::Object(_) => {}
            other => {
                return Err(Wrong::Malformed(format!(
                    "a candidate is not an object: {}",
                    written(other)
                )));
            }
        }
        if index(&candidate["index"]).unwrap_or(place as u64) > 0 {
            whole.has_others = true;
        } else if first.is_null() {
            first = candidate;
        } else {
            return Err(Wrong::Malformed(
                "an event has the same candidate twice".to_owned(),
            ));
        }
    }
    Ok(first)
}

fn take(whole: &mut Completion, chunk: &Value) -> Result<String, Wrong> {
    if !chunk.is_object() {
        return Err(Wrong::Malformed(format!(
            "an event is not an object: {}",
            written(chunk)
        )));
    }
    let named = |kept: Option<String>, names: &[&str]| {
        kept.or_else(|| text(chunk, names).map(str::to_owned))
    };
    whole.id = named(whole.id.take(), &["responseId", "response_id"]);
    whole.model = named(whole.model.take(), &["modelVersion", "model_version"]);
    count(whole, field(chunk, &["usageMetadata", "usage_metadata"]));
    let feedback = field(chunk, &["promptFeedback", "prompt_feedback"]);
    if let Some(reason) = text(feedback, &["blockReason", "block_reason"]) {
        whole.has_begun = true;
        whole.has_moved = true;
        whole.end = Some(End::Filtered(format!("the prompt was blocked: {reason}")));
        whole.ended_as = Some(reason.to_owned());
    }
    let candidate = first(whole, list(chunk, "candidates")?)?;
    if candidate.is_null() {
        return Ok(String::new());
    }
    let content = &candidate["content"];
    let parts = match content {
        Value::Null | Value::Object(_) => list(content, "parts")?,
        other => {
            return Err(Wrong::Malformed(format!(
                "the content is not an object: {}",
                written(other)
            )));
        }
    };
    let mut added = String::new();
    let mut has_text = false;
    for part in parts {
        let said = Content::of(field(part, &["text"])).text;
        has_text |= !said.is_empty();
        if part["thought"] == true {
            // Reasoning also counts as progress.
            whole.thoughts.push_str(&said);
        } else {
            added.push_str(&said);
        }
        let call = field(part, &["functionCall", "function_call"]);
        if says(call) {
            let name = text(call, &["name"]).unwrap_or_default();
            whole.tool.get_or_insert_with(|| name.to_owned());
            let arguments = field(call, &["args"]);
            whole.add_use(UsePart {
                index: Some(whole.uses.len() as u64),
                id: String::new(),
                name: name.to_owned(),
                arguments: match arguments {
                    Value::Null => String::new(),
                    arguments => written(arguments),
                },
                signature: text(part, &["thoughtSignature", "thought_signature"])
                    .map(str::to_owned),
            })?;
        }
    }
    let reason = word(candidate, &["finishReason", "finish_reason"])
        .filter(|reason| *reason != "FINISH_REASON_UNSPECIFIED");
    whole.has_moved |= !whole.has_begun || reason.is_some() || has_text;
    whole.has_begun = true;
    if whole.has_ended_otherwise() && !added.is_empty() {
        return Err(Wrong::Malformed(
            "more text came after the end of the answer".to_owned(),
        ));
    }
    whole.text.push_str(&added);
    if let Some(reason) = reason {
        let end = end_of(
            reason,
            text(candidate, &["finishMessage", "finish_message"]),
        );
        if whole.has_ended_otherwise() {
            whole.end_with(end, reason.to_owned())?;
        } else {
            whole.end = Some(end);
            whole.ended_as = Some(reason.to_owned());
        }
    }
    Ok(added)
}

impl Completion {
    /// Returns whether the answer ended for a reason other than `STOP`. `STOP` does not prove that the answer ended, because
    /// some API versions send it with every piece.
    fn has_ended_otherwise(&self) -> bool {
        !matches!(self.end, None | Some(End::Complete))
    }
}

impl Wire for Gemini {
    fn protocol(&self) -> &'static str {
        "the generateContent protocol"
    }

    fn path(&self, model: &str, is_streamed: bool) -> String {
        let model = percent(model.strip_prefix("models/").unwrap_or(model));
        if is_streamed {
            format!("v1beta/models/{model}:streamGenerateContent?alt=sse")
        } else {
            format!("v1beta/models/{model}:generateContent")
        }
    }

    fn authorize(&self, request: RequestBuilder, key: Option<&Secret>) -> RequestBuilder {
        match key {
            Some(key) => request.header("x-goog-api-key", key.expose()),
            None => request,
        }
    }

    fn body(&self, ask: &ChatRequest<'_>) -> Map<String, Value> {
        let contents: Vec<_> = ask.said().iter().map(message).collect();
        let mut body = Map::new();
        if let Some(system) = ask.instructions() {
            body.insert(
                "systemInstruction".to_owned(),
                json!({ "parts": [{ "text": system }] }),
            );
        }
        body.insert("contents".to_owned(), contents.into());
        let mut config = Map::new();
        if let Some(temperature) = ask.temperature() {
            config.insert("temperature".to_owned(), temperature.into());
        }
        if let Some(most) = ask.max_tokens
            && ask.without.max_tokens == MaxTokens::Sent
        {
            config.insert("maxOutputTokens".to_owned(), most.into());
        }
        if *ask.wanted != AnswerFormat::Text && ask.without.form != Form::Words {
            config.insert("responseMimeType".to_owned(), "application/json".into());
        }
        if let AnswerFormat::Schema(schema) = ask.wanted
            && ask.without.form == Form::Schema
        {
            config.insert("responseJsonSchema".to_owned(), schema.clone());
        }
        if !ask.tools.is_empty() {
            let tools = ask.tools.iter().map(|tool| {
                json!({ "name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters })
            });
            body.insert(
                "tools".to_owned(),
                json!([{ "functionDeclarations": tools.collect::<Vec<_>>() }]),
            );
        }
        if !config.is_empty() {
            body.insert("generationConfig".to_owned(), config.into());
        }
        body
    }

    fn take(&self, whole: &mut Completion, _name: &str, event: Value) -> Result<String, Wrong> {
        take(whole, &event)
    }

    /// Reads one response, or the list of responses that a server without support for `alt=sse` sends.
    fn take_whole(&self, whole: &mut Completion, body: Value) -> Result<String, Wrong> {
        let chunks = match body {
            Value::Array(chunks) => chunks,
            chunk => vec![chunk],
        };
        for chunk in &chunks {
            if is_error(chunk) {
                return Err(Wrong::Reported(chunk.clone()));
            }
            take(whole, chunk)?;
        }
        if !whole.has_begun {
            whole.end = Some(End::Complete);
        }
        Ok(whole.text.clone())
    }

    fn is_complete(&self, whole: &Completion) -> bool {
        whole.end.is_some()
    }

    fn models_path(&self) -> String {
        "v1beta/models?pageSize=1000".to_owned()
    }
}
