//! The context windows of models: the longest prompt that a model accepts, in tokens. A window that nobody reports is unknown
//! and never guessed.

use std::time::Duration;

use loopwright_providers::{ProviderSet, is_local_server, prices};

use crate::{
    env::Env,
    error::ApiError,
    model_lists::{ModelLists, address_of, keep_models, model_lists},
    models::provider_set,
};

/// The maximum time to wait for a server's list of models.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// The context windows that are known without asking a server: those of the stored lists of models, and those of the table of
/// prices.
#[derive(Debug, Default)]
pub struct ContextWindows {
    lists: ModelLists,
}

impl ContextWindows {
    /// Reads the known context windows. If the providers cannot be set up, only those of the table are known.
    pub fn known(env: &Env) -> Self {
        provider_set(env).map_or_else(|_| Self::default(), |set| Self::of_set(env, &set))
    }

    fn of_set(env: &Env, set: &ProviderSet) -> Self {
        let mut lists = model_lists(env);
        lists.retain(|id, list| address_of(set, id).as_ref() == Some(&list.address));
        Self { lists }
    }

    /// Returns the context window of `model` in tokens, or `None` if it is unknown. `model` includes the provider, as in
    /// `openai/gpt-4.1`. The server's own report takes precedence over the table.
    pub fn of(&self, model: &str) -> Option<u32> {
        let (provider, model) = model.split_once('/')?;
        self.listed(provider, model)
            .or_else(|| prices::table_window(provider, model))
    }

    fn listed(&self, provider: &str, model: &str) -> Option<u32> {
        let models = &self.lists.get(provider)?.models;
        let context = |id: &str| models.iter().find(|listed| listed.id == id)?.context;
        // Ollama lists `llama3.2:latest`, and also accepts `llama3.2` as its name.
        context(model)
            .or_else(|| context(&format!("{model}:latest")))
            .or_else(|| context(prices::undated(model)?))
    }
}

/// Returns the context window of `model` in tokens, or `None` if it is unknown. `model` includes the provider, as in
/// `openai/gpt-4.1`. A local server is asked for its list of models at most once a minute. Any other server is asked at most
/// once per process, and only if the window is unknown. The list is stored.
///
/// # Errors
/// Returns an error if the providers cannot be set up. A server that does not answer is not an error.
pub async fn context_window(env: &Env, model: &str) -> Result<Option<u32>, ApiError> {
    let Some((provider, _)) = model.split_once('/') else {
        return Ok(None);
    };
    let set = provider_set(env)?;
    let known = ContextWindows::of_set(env, &set).of(model);
    let is_local = is_local_server(provider);
    let Some(address) = address_of(&set, provider).filter(|_| is_local || known.is_none()) else {
        return Ok(known);
    };
    if !env.asked_windows().may_ask(&address, is_local) {
        return Ok(known);
    }
    let asked = tokio::time::timeout(ANSWER_TIMEOUT, set.models(provider)).await;
    let Ok(Ok(models)) = asked else {
        return Ok(known);
    };
    keep_models(env, &set, provider, &models)?;
    Ok(ContextWindows::of_set(env, &set).of(model))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_lists::{ListedModel, ModelList};

    #[test]
    fn the_report_of_a_server_takes_precedence_over_the_table() {
        let model = |id: &str, context| ListedModel {
            id: id.to_owned(),
            name: id.to_owned(),
            does: String::new(),
            context,
        };
        let list = |models| ModelList {
            models,
            ..ModelList::default()
        };
        let windows = ContextWindows {
            lists: ModelLists::from([
                (
                    "openai".to_owned(),
                    list(vec![model("gpt-4o", Some(32_000)), model("gpt-4.1", None)]),
                ),
                (
                    "ollama".to_owned(),
                    list(vec![model("llama3.2:latest", Some(4_096))]),
                ),
            ]),
        };
        for (model, window) in [
            ("openai/gpt-4o", Some(32_000)),
            ("openai/gpt-4o-2024-08-06", Some(32_000)),
            ("openai/gpt-4.1", Some(1_047_576)),
            ("openai/o3", Some(200_000)),
            ("ollama/llama3.2", Some(4_096)),
            ("ollama/qwen3", None),
            ("compatible/openai/gpt-4o", None),
            ("claude-code", None),
        ] {
            assert_eq!(windows.of(model), window, "{model}");
        }
    }
}
