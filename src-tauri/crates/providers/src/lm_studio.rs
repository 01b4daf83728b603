//! LM Studio, through its chat completions. Discovery reads the model list of LM Studio's native API, which distinguishes chat
//! models from embedding models.

use serde_json::Value;

use crate::{
    provider::ModelSummary,
    spec::{Local, Needs, ProviderSpec, Window, chat_completions, local_v1},
    wire::models::{is_for_something_else, named, tokens},
};

pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    id: "lmstudio",
    name: "LM Studio",
    key: None,
    address: "LMSTUDIO_HOST",
    default_address: Some("http://127.0.0.1:1234"),
    needs: Needs::Address,
    base: |address| local_v1(address, 1234),
    protocol: chat_completions,
    local: Some(Local {
        path: "api/v0/models",
        is: |answer| answer["data"].is_array(),
        models,
        window: Window {
            path: "api/v0/models",
            // `max_context_length` is what the model supports. It is usually loaded with less.
            of: |list, id| tokens(&named(&list["data"], "id", id)?["loaded_context_length"]),
        },
    }),
    remedy: "Start the server in LM Studio (Developer, Start server), or set LMSTUDIO_HOST to its address, such as http://127.0.0.1:1234.",
    note: "Models on this computer; detected automatically while LM Studio's server runs.",
};

fn models(list: &Value) -> Vec<ModelSummary> {
    let models = list["data"].as_array().into_iter().flatten();
    models
        .filter(|model| !is_for_something_else(model))
        .filter_map(|model| {
            let details = [&model["arch"], &model["quantization"], &model["state"]];
            let details: Vec<_> = details.into_iter().filter_map(Value::as_str).collect();
            Some(ModelSummary {
                does: details.join(", "),
                ..ModelSummary::named(model["id"].as_str()?)
            })
        })
        .collect()
}
