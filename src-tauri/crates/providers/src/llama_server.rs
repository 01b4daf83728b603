//! llama.cpp's `llama-server`, through its chat completions.

use serde_json::Value;

use crate::{
    provider::ModelSummary,
    spec::{Local, Needs, ProviderSpec, Window, chat_completions, local_v1},
    wire::models::tokens,
};

pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    id: "llama-server",
    name: "llama-server",
    key: None,
    address: "LLAMA_SERVER_HOST",
    default_address: Some("http://127.0.0.1:8080"),
    needs: Needs::Address,
    base: |address| local_v1(address, 8080),
    protocol: chat_completions,
    local: Some(Local {
        path: "v1/models",
        is: |answer| {
            let models = answer["data"].as_array();
            models.is_some_and(|models| models.iter().any(|model| model["owned_by"] == "llamacpp"))
        },
        models,
        window: Window {
            path: "props",
            of: |props, _| tokens(&props["default_generation_settings"]["n_ctx"]),
        },
    }),
    remedy: "Start llama-server on this computer, or set LLAMA_SERVER_HOST to its address, such as http://127.0.0.1:8080.",
    note: "One model on this computer, served by llama.cpp; detected automatically while llama-server runs.",
};

fn models(list: &Value) -> Vec<ModelSummary> {
    let models = list["data"].as_array().into_iter().flatten();
    models
        .filter_map(|model| {
            let size = model["meta"]["n_params"].as_f64();
            Some(ModelSummary {
                does: size.map_or_else(String::new, |size| format!("{:.1}B", size / 1e9)),
                ..ModelSummary::named(model["id"].as_str()?)
            })
        })
        .collect()
}
