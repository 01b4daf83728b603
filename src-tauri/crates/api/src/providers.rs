//! Who answers prompts: the providers as settings and lists show them, their models, their keys.

use std::collections::BTreeMap;

use loopwright_engine::event::timestamp;
use loopwright_providers::{
    KeyFrom, ModelSummary, ProviderSet, ProviderSettings, ProviderSummary, Secret, key_holders,
};
use serde::{Deserialize, Serialize};

use crate::{
    app::App,
    dto::{KeySource, ModelInfo, ProviderInfo, ProviderState, ProviderTest},
    error::{ApiError, Code},
    json_file, paths, prices, tool_keys,
};

/// `models.json`: lists by provider.
type Lists = BTreeMap<String, List>;

/// A list of models, as a server gave it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    /// The address that gave it: another one has other models.
    address: String,
    /// Milliseconds since the Unix epoch, UTC.
    at: i64,
    models: Vec<Kept>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Kept {
    id: String,
    name: String,
    #[serde(default)]
    does: String,
}

fn info(model: &ModelSummary) -> ModelInfo {
    ModelInfo {
        id: model.id.clone(),
        name: model.name.clone(),
        does: model.does.clone(),
        cannot: model.cannot.clone(),
    }
}

fn state(state: loopwright_providers::ProviderState) -> ProviderState {
    use loopwright_providers::ProviderState as From;
    match state {
        From::Ready => ProviderState::Ready,
        From::Found => ProviderState::Found,
        From::NeedsKey => ProviderState::NeedsKey,
        From::Offline => ProviderState::Offline,
        From::NotSetUp => ProviderState::NotSetUp,
    }
}

/// A provider as it is shown, with the models that its server listed last.
fn shown(provider: ProviderSummary, lists: &Lists) -> ProviderInfo {
    let kept = lists.get(&provider.id).filter(|list| {
        provider.models.is_empty() && provider.base_url.as_deref() == Some(list.address.as_str())
    });
    let models = match kept {
        Some(list) => list
            .models
            .iter()
            .map(|model| ModelInfo {
                id: model.id.clone(),
                name: model.name.clone(),
                does: model.does.clone(),
                cannot: String::new(),
            })
            .collect(),
        None => provider.models.iter().map(info).collect(),
    };
    let variable = key_holders().find(|(id, _)| *id == provider.id);
    ProviderInfo {
        state: state(provider.state),
        ready: provider.state.is_ready(),
        status: provider.status,
        base_url: provider.base_url,
        has_key: provider.has_key,
        key_source: provider.key_from.map(|from| match from {
            KeyFrom::Keychain => KeySource::Keychain,
            KeyFrom::Environment(_) => KeySource::Environment,
        }),
        key_variable: variable.map(|(_, name)| name.to_owned()),
        models,
        models_at: kept.map(|list| timestamp(list.at)),
        note: provider.note,
        remedy: provider.remedy,
        name: provider.name,
        id: provider.id,
    }
}

pub(crate) fn failed(error: &loopwright_engine::NodeError) -> ApiError {
    ApiError::new(Code::InvalidArgument, error.message.clone())
}

impl App {
    pub(crate) fn provider_settings(&self) -> Result<ProviderSettings, ApiError> {
        let settings = self.settings();
        let mut addresses = settings.addresses;
        addresses.extend(
            settings
                .openai_base_url
                .map(|address| ("openai".to_owned(), address)),
        );
        Ok(ProviderSettings {
            default_provider: settings.provider,
            default_model: settings.model,
            addresses,
            azure_api_version: settings.azure_api_version,
            prices: prices::own(self.data_dir())?,
        })
    }

    pub(crate) fn provider_set(&self) -> Result<ProviderSet, ApiError> {
        let settings = self.provider_settings()?;
        ProviderSet::new(&settings, self.keys(), self.local_servers().clone())
            .map_err(|error| failed(&error))
    }

    /// The models that servers listed; a damaged file is set aside, and said.
    fn lists(&self) -> Lists {
        let (lists, damaged) = json_file::load_json(&paths::models(self.data_dir()));
        if let Some(words) = damaged {
            self.give_notice(words);
        }
        lists
    }

    /// Every provider as it stands now. Looks for servers on this computer, and asks no other.
    pub async fn providers(&self) -> Result<Vec<ProviderInfo>, ApiError> {
        // Another program may have set a key.
        self.keys().forget();
        let set = self.provider_set()?;
        set.discover().await;
        let lists = self.lists();
        Ok(set
            .summaries()
            .into_iter()
            .map(|provider| shown(provider, &lists))
            .collect())
    }

    /// Asks a provider whether it can be reached, and keeps the models that it lists.
    pub async fn test_provider(&self, id: &str) -> Result<ProviderTest, ApiError> {
        let set = self.provider_set()?;
        let tested = set.test(id).await.map_err(|error| failed(&error))?;
        self.keep_models(&set, id, &tested.models)?;
        Ok(ProviderTest {
            says: tested.says,
            took_ms: u32::try_from(tested.took.as_millis()).unwrap_or(u32::MAX),
        })
    }

    /// Asks a provider for its models, and keeps the list.
    pub async fn refresh_models(&self, id: &str) -> Result<Vec<ModelInfo>, ApiError> {
        let set = self.provider_set()?;
        let models = set.models(id).await.map_err(|error| failed(&error))?;
        self.keep_models(&set, id, &models)?;
        Ok(models.iter().map(info).collect())
    }

    fn keep_models(
        &self,
        set: &ProviderSet,
        id: &str,
        models: &[ModelSummary],
    ) -> Result<(), ApiError> {
        let summary = set
            .summaries()
            .into_iter()
            .find(|provider| provider.id == id);
        let Some(address) = summary.and_then(|provider| provider.base_url) else {
            return Ok(());
        };
        let path = paths::models(self.data_dir());
        let mut lists = self.lists();
        let list = List {
            address,
            at: (self.clock())(),
            models: models
                .iter()
                .map(|model| Kept {
                    id: model.id.clone(),
                    name: model.name.clone(),
                    does: model.does.clone(),
                })
                .collect(),
        };
        lists.insert(id.to_owned(), list);
        json_file::save_json(&path, &lists)
    }

    /// Keeps a key in the system's keychain. `id`: a provider, or the name of the environment variable that a tool's key could
    /// be in as well.
    pub fn set_key(&self, id: &str, key: &str) -> Result<(), ApiError> {
        let (account, variable) = tool_keys::place(id)?;
        let key = Secret::new(key);
        if key.is_empty() {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!("The key of \"{id}\" is empty. Remove it to have none."),
            ));
        }
        self.keys()
            .set(&account, &key)
            .map_err(|error| ApiError::new(Code::Io, format!("The key of \"{id}\" was not kept. {error}. Set it in the environment variable {variable} instead.")))
    }

    /// Removes a key from the system's keychain. Whether there was one.
    pub fn remove_key(&self, id: &str) -> Result<bool, ApiError> {
        let (account, _) = tool_keys::place(id)?;
        self.keys().remove(&account).map_err(|error| {
            ApiError::new(
                Code::Io,
                format!("The key of \"{id}\" was not removed. {error}."),
            )
        })
    }
}
