//! The models that the servers of providers listed, stored in `models.json`.

use std::collections::BTreeMap;

use loopwright_providers::{ModelSummary, ProviderSet};
use serde::{Deserialize, Serialize};

use crate::{env::Env, error::ApiError, json_file, paths};

/// The content of `models.json`: the list of each provider, by the provider's id.
pub type ModelLists = BTreeMap<String, ModelList>;

/// The models that a provider's server listed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelList {
    /// The address from which the list was read. The list is ignored if the provider now has a different address.
    pub address: String,
    /// The time at which the list was requested, in milliseconds since the Unix epoch, UTC.
    pub at: i64,
    pub models: Vec<ListedModel>,
}

/// A model as a server listed it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListedModel {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub does: String,
    /// The context window in tokens; `None` if the server did not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
}

/// Reads the stored lists of models. A damaged file is renamed, and the user is notified.
pub fn model_lists(env: &Env) -> ModelLists {
    let (lists, damaged) = json_file::load_json(&paths::models(env.data_dir()));
    if let Some(words) = damaged {
        env.give_notice(words);
    }
    lists
}

/// Stores the models that a provider's server listed. A provider without an address has no stored list.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn keep_models(
    env: &Env,
    set: &ProviderSet,
    id: &str,
    models: &[ModelSummary],
) -> Result<(), ApiError> {
    let Some(address) = address_of(set, id) else {
        return Ok(());
    };
    let mut lists = model_lists(env);
    let list = ModelList {
        address,
        at: env.now(),
        models: models
            .iter()
            .map(|model| ListedModel {
                id: model.id.clone(),
                name: model.name.clone(),
                does: model.does.clone(),
                context: model.context,
            })
            .collect(),
    };
    lists.insert(id.to_owned(), list);
    json_file::save_json(&paths::models(env.data_dir()), &lists)
}

/// Returns the current address of a provider; `None` if it has none.
pub(crate) fn address_of(set: &ProviderSet, id: &str) -> Option<String> {
    let summary = set
        .summaries()
        .into_iter()
        .find(|provider| provider.id == id);
    summary.and_then(|provider| provider.base_url)
}
