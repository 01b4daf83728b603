//! Ollama, called through its OpenAI-compatible chat completions. Models are listed through the native API (`api/tags`),
//! because only that list contains their parameter sizes.

use serde_json::Value;

use crate::{
    provider::ModelSummary,
    spec::{Local, Needs, ProviderSpec, Window, chat_completions, local_v1},
    wire::models::{is_for_something_else, named, tokens},
};

pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    id: "ollama",
    name: "Ollama",
    key: None,
    address: "OLLAMA_HOST",
    default_address: Some("http://127.0.0.1:11434"),
    needs: Needs::Address,
    base: |address| match address.trim() {
        // Ollama's own tools treat `ollama.com`, its hosted service, in the same way.
        "ollama.com" => "https://ollama.com/v1".to_owned(),
        address => local_v1(address, 11434),
    },
    protocol: chat_completions,
    local: Some(Local {
        path: "api/tags",
        is: |answer| answer["models"].is_array(),
        models,
        window: Window {
            path: "api/ps",
            // A call cannot set the context, so the server's default or the Modelfile's `num_ctx` applies. Only the list of
            // loaded models reports the result.
            of: |loaded, id| tokens(&named(&loaded["models"], "name", id)?["context_length"]),
        },
    }),
    remedy: "Start Ollama on this computer, or set OLLAMA_HOST to its address, such as http://127.0.0.1:11434.",
    note: "Models on this computer; detected automatically while Ollama runs.",
};

fn models(tags: &Value) -> Vec<ModelSummary> {
    let models = tags["models"].as_array().into_iter().flatten();
    models
        .filter(|model| !is_for_something_else(model))
        .filter_map(|model| {
            let details = [
                &model["details"]["parameter_size"],
                &model["details"]["quantization_level"],
            ];
            let details: Vec<_> = details.into_iter().filter_map(Value::as_str).collect();
            Some(ModelSummary {
                does: details.join(", "),
                ..ModelSummary::named(model["name"].as_str()?)
            })
        })
        .collect()
}
