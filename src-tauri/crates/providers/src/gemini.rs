//! Google's Gemini API.
//!
//! <https://ai.google.dev/api/generate-content>: `POST v1beta/models/{model}:streamGenerateContent?alt=sse`, answered by
//! events that are each a `GenerateContentResponse`. The last one has a `finishReason`; there is no other end. A prompt that
//! is blocked gets no candidate but a `promptFeedback`. The key goes in a header, never into the address.

use loopwright_engine::redact::percent;
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
    note: "Google's models, by the Gemini API.",
};

pub(crate) struct Gemini;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    #[serde(default)]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<Value>,
    model_version: Option<String>,
    response_id: Option<String>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    /// Where it is not given, its place in the list.
    index: Option<Value>,
    content: Option<Content>,
    finish_reason: Option<String>,
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
    /// What the model thought and does not say.
    #[serde(default)]
    thought: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counts {
    #[serde(default)]
    prompt_token_count: Count,
    #[serde(default)]
    candidates_token_count: Count,
    #[serde(default)]
    thoughts_token_count: Count,
    #[serde(default)]
    cached_content_token_count: Count,
}

fn end(reason: &str, words: Option<String>) -> End {
    let why = || words.clone().unwrap_or_else(|| reason.to_owned());
    match reason {
        "STOP" => End::Complete,
        "MAX_TOKENS" => End::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY" => {
            End::Filtered(why())
        }
        _ => End::Other(why()),
    }
}

fn message(message: &Message) -> Value {
    let role = if message.is_answer { "model" } else { "user" };
    let mut parts: Vec<Value> = message
        .images
        .iter()
        .map(|image| json!({ "inlineData": { "mimeType": image.media_type, "data": image.data } }))
        .collect();
    parts.push(json!({ "text": message.text }));
    json!({ "role": role, "parts": parts })
}

fn count(whole: &mut Completion, usage: Option<Value>) {
    let Some(counts) = whole.counts::<Counts>(usage) else {
        return;
    };
    whole.input_tokens = whole
        .tokens(counts.prompt_token_count)
        .or(whole.input_tokens);
    let cached = whole.tokens(counts.cached_content_token_count);
    whole.cached_tokens = cached.unwrap_or(whole.cached_tokens);
    let thought = whole.tokens(counts.thoughts_token_count);
    whole.reasoning_tokens = thought.unwrap_or(whole.reasoning_tokens);
    // Thoughts are charged as output and counted apart from it.
    if let Some(said) = whole.tokens(counts.candidates_token_count) {
        whole.output_tokens = Some(said.saturating_add(whole.reasoning_tokens));
    }
}

/// The one answer that was asked for, which is the first. A server that gives others besides has them left out.
fn first(whole: &mut Completion, candidates: Vec<Candidate>) -> Result<Option<Candidate>, Wrong> {
    let mut first = None;
    for (place, candidate) in candidates.into_iter().enumerate() {
        let index = candidate.index.as_ref().and_then(Value::as_u64);
        if index.unwrap_or(place as u64) > 0 {
            whole.has_others = true;
        } else if first.replace(candidate).is_some() {
            return Err(Wrong::Malformed(
                "an event has the same candidate twice".to_owned(),
            ));
        }
    }
    Ok(first)
}

fn take(whole: &mut Completion, chunk: Chunk) -> Result<String, Wrong> {
    if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
        return Err(Wrong::Reported(error));
    }
    whole.id = whole.id.take().or(chunk.response_id);
    whole.model = whole.model.take().or(chunk.model_version);
    count(whole, chunk.usage_metadata);
    if let Some(reason) = chunk
        .prompt_feedback
        .and_then(|feedback| feedback.block_reason)
    {
        whole.has_begun = true;
        whole.has_moved = true;
        whole.end = Some(End::Filtered(format!("the prompt was blocked, {reason}")));
        whole.ended_as = Some(reason);
    }
    let Some(candidate) = first(whole, chunk.candidates)? else {
        return Ok(String::new());
    };
    let parts = candidate
        .content
        .map_or_else(Vec::new, |content| content.parts);
    // Thoughts are work on the answer as well.
    let says = |part: &Part| part.text.as_deref().is_some_and(|text| !text.is_empty());
    whole.has_moved |=
        !whole.has_begun || candidate.finish_reason.is_some() || parts.iter().any(says);
    whole.has_begun = true;
    let mut added = String::new();
    for part in parts {
        let said = if part.thought {
            &mut whole.thoughts
        } else {
            &mut added
        };
        said.push_str(&part.text.unwrap_or_default());
    }
    if whole.has_ended_otherwise() && !added.is_empty() {
        return Err(Wrong::Malformed(
            "more text came behind the end of the answer".to_owned(),
        ));
    }
    whole.text.push_str(&added);
    if let Some(reason) = candidate.finish_reason {
        let end = end(&reason, candidate.finish_message);
        if whole.has_ended_otherwise() {
            whole.end_with(end, reason)?;
        } else {
            whole.end = Some(end);
            whole.ended_as = Some(reason);
        }
    }
    Ok(added)
}

impl Completion {
    /// It ended, and not well. Some versions say `STOP` with every piece of an answer, so that nothing follows from that.
    fn has_ended_otherwise(&self) -> bool {
        !matches!(self.end, None | Some(End::Complete))
    }
}

impl Wire for Gemini {
    fn protocol(&self) -> &'static str {
        "the generateContent protocol"
    }

    fn path(&self, model: &str) -> String {
        let model = model.strip_prefix("models/").unwrap_or(model);
        format!(
            "v1beta/models/{}:streamGenerateContent?alt=sse",
            percent(model)
        )
    }

    fn authorize(&self, request: RequestBuilder, key: Option<&Secret>) -> RequestBuilder {
        match key {
            Some(key) => request.header("x-goog-api-key", key.expose()),
            None => request,
        }
    }

    fn body(&self, ask: &ChatRequest<'_>) -> Map<String, Value> {
        let contents: Vec<_> = ask.messages.iter().map(message).collect();
        let mut body = Map::new();
        if let Some(system) = ask.system {
            body.insert(
                "systemInstruction".to_owned(),
                json!({ "parts": [{ "text": system }] }),
            );
        }
        body.insert("contents".to_owned(), contents.into());
        let mut config = Map::new();
        if let Some(temperature) = ask.temperature {
            config.insert("temperature".to_owned(), temperature.into());
        }
        if let Some(most) = ask.max_tokens {
            config.insert("maxOutputTokens".to_owned(), most.into());
        }
        if *ask.wanted != AnswerFormat::Text {
            config.insert("responseMimeType".to_owned(), "application/json".into());
        }
        if let AnswerFormat::Schema(schema) = ask.wanted {
            config.insert("responseJsonSchema".to_owned(), schema.clone());
        }
        if !config.is_empty() {
            body.insert("generationConfig".to_owned(), config.into());
        }
        body
    }

    fn optional(&self) -> &'static [&'static str] {
        &[
            "generationConfig.responseJsonSchema",
            "generationConfig.responseMimeType",
            "generationConfig.temperature",
            "generationConfig.maxOutputTokens",
        ]
    }

    fn take(&self, whole: &mut Completion, data: &str) -> Result<String, Wrong> {
        take(whole, serde_json::from_str(data)?)
    }

    /// One response, or the list of them that a server sends which does not know `alt=sse`.
    fn take_whole(&self, whole: &mut Completion, body: &str) -> Result<String, Wrong> {
        let chunks = match serde_json::from_str(body)? {
            Value::Array(chunks) => chunks,
            chunk => vec![chunk],
        };
        for chunk in chunks {
            take(whole, serde_json::from_value(chunk)?)?;
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

    fn models(&self, list: &Value) -> Vec<ModelSummary> {
        let models = list["models"].as_array().into_iter().flatten();
        models
            .filter(|model| {
                let methods = model["supportedGenerationMethods"].as_array();
                methods
                    .is_none_or(|methods| methods.iter().any(|method| method == "generateContent"))
            })
            .filter_map(|model| {
                let name = model["name"].as_str()?;
                let id = name.strip_prefix("models/").unwrap_or(name);
                Some(ModelSummary {
                    name: model["displayName"].as_str().unwrap_or(id).to_owned(),
                    ..ModelSummary::named(id)
                })
            })
            .collect()
    }
}
