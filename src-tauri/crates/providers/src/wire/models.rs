//! Lists of models: finds the models in an answer, and determines which of them answer prompts.

use serde_json::Value;

use super::loose::{says, text};
use crate::provider::ModelSummary;

/// Returns the models of a list, in its order. The list may be the answer itself, or one of its fields `data`, `models`,
/// `data.models` and `result`. Items may be plain names.
pub(crate) fn listed(list: &Value) -> Vec<&Value> {
    let items = [
        list,
        &list["data"],
        &list["models"],
        &list["data"]["models"],
        &list["result"],
    ];
    let items = items.iter().filter_map(|items| items.as_array());
    let first = items.into_iter().find(|items| !items.is_empty());
    first.into_iter().flatten().collect()
}

/// Returns the summary of a listed model; `None` if it has no name.
pub(crate) fn summary(model: &Value) -> Option<ModelSummary> {
    let id = match model {
        Value::String(id) => id.as_str(),
        model => text(model, &["id", "name", "model", "slug"])?,
    };
    let id = id.strip_prefix("models/").unwrap_or(id).trim();
    if id.is_empty() {
        return None;
    }
    let name = text(model, &["display_name", "displayName"]).unwrap_or(id);
    Some(ModelSummary {
        name: name.to_owned(),
        context: context(model),
        ..ModelSummary::named(id)
    })
}

/// The fields in which lists of models report the longest prompt, in tokens. In order, they are from Anthropic, Gemini, vLLM,
/// Groq, OpenRouter and Together, and Mistral.
const CONTEXT: [&str; 6] = [
    "max_input_tokens",
    "inputTokenLimit",
    "max_model_len",
    "context_window",
    "context_length",
    "max_context_length",
];

/// Returns the context window in tokens that a listed model reports; `None` if it reports none. The context length that the
/// model was trained with, such as llama.cpp's `n_ctx_train`, is ignored: the server may run the model with a shorter one.
fn context(model: &Value) -> Option<u32> {
    CONTEXT.iter().find_map(|name| tokens(&model[*name]))
}

/// Returns the item of a list whose field `key` is `id`; `None` if there is none, or if the value is not a list.
pub(crate) fn named<'v>(list: &'v Value, key: &str, id: &str) -> Option<&'v Value> {
    list.as_array()?.iter().find(|item| item[key] == id)
}

/// Returns a number of tokens; `None` if the value is not a positive whole number.
pub(crate) fn tokens(value: &Value) -> Option<u32> {
    let tokens = u32::try_from(value.as_u64()?).ok()?;
    (tokens > 0).then_some(tokens)
}

/// Returns whether the list says that a model is inactive, or that it does something other than answer prompts. Most lists
/// do not state a purpose.
pub(crate) fn is_for_something_else(model: &Value) -> bool {
    let kind = text(model, &["type", "task", "model_type", "pipeline_tag"]);
    let other = kind.is_some_and(|kind| {
        let kind = kind.to_lowercase();
        ["embed", "rerank", "image", "audio", "moderation", "tts", "speech", "transcri", "video", "similarity"]
            .iter()
            .any(|word| kind.contains(word))
            // `image-text-to-text` accepts images and answers with text.
            && !kind.contains("to-text")
    });
    let methods = model["supportedGenerationMethods"].as_array();
    let cannot_generate = methods.is_some_and(|methods| {
        !methods.iter().any(|method| {
            method
                .as_str()
                .is_some_and(|method| method.to_lowercase().contains("generatecontent"))
        })
    });
    let outputs = model["architecture"]["output_modalities"].as_array();
    let says_no_text = outputs.is_some_and(|outputs| {
        says(&model["architecture"]["output_modalities"])
            && !outputs.iter().any(|output| output == "text")
    });
    let capabilities = &model["capabilities"];
    let cannot_chat = capabilities["completion_chat"] == false
        || capabilities
            .as_array()
            .is_some_and(|can| !can.is_empty() && can.iter().all(|what| what == "embedding"));
    other || cannot_generate || says_no_text || cannot_chat || model["active"] == false
}

/// Words in the names of models that do not answer prompts.
const OTHERS: [&str; 43] = [
    "embed",
    "embedding",
    "embeddings",
    "embedder",
    "bge",
    "e5",
    "gte",
    "minilm",
    "mpnet",
    "colbert",
    "clip",
    "siglip",
    "rerank",
    "reranker",
    "tts",
    "whisper",
    "asr",
    "stt",
    "transcribe",
    "transcription",
    "speech",
    "voice",
    "moderation",
    "guard",
    "shieldgemma",
    "safeguard",
    "dall",
    "image",
    "images",
    "diffusion",
    "sdxl",
    "flux",
    "sora",
    "veo",
    "imagen",
    "video",
    "realtime",
    "audio",
    "davinci",
    "babbage",
    "vae",
    "orpheus",
    "lyria",
];

/// Returns whether a model answers prompts, judged by its name.
pub(crate) fn can_chat(id: &str) -> bool {
    let lower = id.to_lowercase();
    let is_word = |word: &&str| {
        lower
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|part| {
                part == *word
                    || part.trim_end_matches(|digit: char| digit.is_ascii_digit()) == *word
            })
    };
    let within = [
        "embed",
        "rerank",
        "whisper",
        "turbo-instruct",
        "stable-diffusion",
        "parakeet",
    ];
    !OTHERS.iter().any(is_word) && !within.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ids(list: &Value) -> Vec<String> {
        listed(list)
            .into_iter()
            .filter(|model| !is_for_something_else(model))
            .filter_map(summary)
            .map(|model| model.id)
            .collect()
    }

    #[test]
    fn lists_are_read_in_any_shape() {
        for (list, names) in [
            (
                json!({ "data": [{ "id": "a" }, { "id": null }, null, 7] }),
                vec!["a"],
            ),
            (json!([{ "id": "a", "object": "model" }]), vec!["a"]),
            (json!(["a", "b"]), vec!["a", "b"]),
            (json!({ "models": [{ "name": "models/a" }] }), vec!["a"]),
            (json!({ "object": "list", "data": null }), vec![]),
            (
                json!({ "data": [], "models": [{ "model": "a" }] }),
                vec!["a"],
            ),
            (json!({}), vec![]),
            (json!(null), vec![]),
            (
                json!({ "data": [{ "id": "e", "type": "embeddings" }, { "id": "l", "type": "llm" }, { "id": "v", "type": "vlm" }] }),
                vec!["l", "v"],
            ),
            (
                json!({ "data": [{ "id": "i", "type": "image" }, { "id": "c", "type": "chat" }] }),
                vec!["c"],
            ),
            (
                json!({ "data": [{ "id": "e", "capabilities": { "completion_chat": false } }, { "id": "c", "capabilities": { "completion_chat": true } }] }),
                vec!["c"],
            ),
            (
                json!({ "data": [{ "id": "p", "architecture": { "output_modalities": ["image"] } }, { "id": "c", "architecture": { "output_modalities": ["text"] } }] }),
                vec!["c"],
            ),
            (
                json!({ "models": [{ "name": "models/e", "supportedGenerationMethods": ["embedContent"] }] }),
                vec![],
            ),
        ] {
            assert_eq!(ids(&list), names, "{list}");
        }
    }

    #[test]
    fn a_list_reports_the_context_window_in_the_field_of_its_server() {
        for (server, model, window) in [
            (
                "vLLM",
                json!({ "id": "Qwen/Qwen2.5-7B-Instruct", "object": "model", "owned_by": "vllm", "root": "Qwen/Qwen2.5-7B-Instruct", "max_model_len": 32_768 }),
                Some(32_768),
            ),
            (
                "OpenRouter",
                json!({ "id": "google/gemini-2.5-pro-preview", "name": "Google: Gemini 2.5 Pro", "context_length": 1_048_576, "top_provider": { "max_completion_tokens": 65_536 } }),
                Some(1_048_576),
            ),
            (
                "Together",
                json!({ "id": "meta-llama/Llama-3.3-70B-Instruct-Turbo", "type": "chat", "display_name": "Llama 3.3", "context_length": 131_072 }),
                Some(131_072),
            ),
            (
                "Groq",
                json!({ "id": "llama-3.3-70b-versatile", "object": "model", "active": true, "context_window": 131_072, "max_completion_tokens": 32_768 }),
                Some(131_072),
            ),
            (
                "Mistral",
                json!({ "id": "mistral-small-latest", "capabilities": { "completion_chat": true }, "max_context_length": 131_072 }),
                Some(131_072),
            ),
            (
                "Gemini",
                json!({ "name": "models/gemini-2.5-flash", "displayName": "Gemini 2.5 Flash", "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536, "supportedGenerationMethods": ["generateContent"] }),
                Some(1_048_576),
            ),
            (
                "Anthropic",
                json!({ "type": "model", "id": "claude-sonnet-5", "display_name": "Claude Sonnet 5", "max_input_tokens": 1_000_000, "max_tokens": 128_000 }),
                Some(1_000_000),
            ),
            (
                "OpenAI",
                json!({ "id": "gpt-4.1", "object": "model", "created": 1_744_316_542, "owned_by": "system" }),
                None,
            ),
            (
                "llama.cpp",
                json!({ "id": "model.gguf", "owned_by": "llamacpp", "meta": { "n_ctx_train": 131_072, "n_params": 3_212_749_888_u64 } }),
                None,
            ),
            (
                "no number",
                json!({ "id": "a", "context_length": "many" }),
                None,
            ),
            ("zero", json!({ "id": "a", "max_model_len": 0 }), None),
        ] {
            let summary = summary(&model).unwrap();
            assert_eq!(summary.context, window, "{server}");
        }
    }

    #[test]
    fn names_tell_what_does_not_chat() {
        for name in [
            "text-embedding-nomic-embed-text-v1.5",
            "nomic-embed-text:latest",
            "mxbai-embed-large",
            "BAAI/bge-m3",
            "intfloat/e5-large",
            "all-minilm",
            "jina-reranker-v2",
            "tts-1-hd",
            "whisper-1",
            "gpt-4o-mini-transcribe",
            "omni-moderation-latest",
            "dall-e-3",
            "gpt-image-1",
            "llama-guard3",
            "black-forest-labs/FLUX.1-dev",
            "gpt-3.5-turbo-instruct",
            "davinci-002",
            "gemini-embedding-001",
            "distil-whisper-large-v3-en",
            "gpt-4o-realtime-preview",
            "snowflake-arctic-embed",
        ] {
            assert!(!can_chat(name), "{name}");
        }
        for name in [
            "llama-3.2-3b-instruct",
            "gpt-4.1-mini",
            "claude-sonnet-4-5",
            "gemini-2.5-flash",
            "qwen2.5-vl:7b",
            "mistral-small-latest",
            "deepseek-r1",
            "grok-4",
            "phi4",
            "gemma3:4b",
            "/models/smollm2.gguf",
            "o3",
            "command-r",
        ] {
            assert!(can_chat(name), "{name}");
        }
    }
}
