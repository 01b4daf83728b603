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
    known::{Known, Needs, at_root},
    provider::ModelSummary,
    secret::Secret,
    structured::Wanted,
    wire::{Ask, Completion, End, Message, Protocol, Wire, Wrong},
};

pub(crate) const KNOWN: Known = Known {
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
    usage_metadata: Option<Counts>,
    model_version: Option<String>,
    response_id: Option<String>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
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
    prompt_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
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

fn take(whole: &mut Completion, chunk: Chunk) -> Result<String, Wrong> {
    if let Some(error) = chunk.error {
        return Err(Wrong::Reported(error));
    }
    whole.id = whole.id.take().or(chunk.response_id);
    whole.model = whole.model.take().or(chunk.model_version);
    if let Some(counts) = chunk.usage_metadata {
        whole.input_tokens = counts.prompt_token_count.or(whole.input_tokens);
        whole.cached_tokens = counts
            .cached_content_token_count
            .unwrap_or(whole.cached_tokens);
        whole.reasoning_tokens = counts
            .thoughts_token_count
            .unwrap_or(whole.reasoning_tokens);
        // Thoughts are charged as output and counted apart from it.
        if let Some(said) = counts.candidates_token_count {
            whole.output_tokens = Some(said.saturating_add(whole.reasoning_tokens));
        }
    }
    if let Some(reason) = chunk
        .prompt_feedback
        .and_then(|feedback| feedback.block_reason)
    {
        whole.has_begun = true;
        whole.end = Some(End::Filtered(format!("the prompt was blocked, {reason}")));
        whole.ended_as = Some(reason);
    }
    let Some(candidate) = chunk.candidates.into_iter().next() else {
        return Ok(String::new());
    };
    whole.has_begun = true;
    let parts = candidate
        .content
        .map_or_else(Vec::new, |content| content.parts);
    let added: String = parts
        .into_iter()
        .filter(|part| !part.thought)
        .filter_map(|part| part.text)
        .collect();
    whole.text.push_str(&added);
    if let Some(reason) = candidate.finish_reason {
        whole.end = Some(end(&reason, candidate.finish_message));
        whole.ended_as = Some(reason);
    }
    Ok(added)
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

    fn body(&self, ask: &Ask<'_>) -> Map<String, Value> {
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
        if *ask.wanted != Wanted::Text {
            config.insert("responseMimeType".to_owned(), "application/json".into());
        }
        if let Wanted::Schema(schema) = ask.wanted {
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
