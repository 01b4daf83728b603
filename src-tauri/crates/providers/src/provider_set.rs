//! All providers of this computer as one `Models` implementation. It finds the provider of a request, and falls back to a
//! built-in model where that is allowed.

use std::{sync::Arc, time::Duration};

use futures::{FutureExt, future::BoxFuture};

use loopwright_engine::{
    NodeError,
    host::{ModelContext, ModelReply, ModelRequest, Models, Quote},
    quota::Quota,
};

use crate::{
    builtin::{BuiltinModel, BuiltinModels},
    catalog::{self, provider_spec},
    environment::{self, Environment, ProviderSetup},
    keys::{Keys, MemoryKeys},
    local_servers::LocalServers,
    prices::Price,
    provider::{ModelProvider, ModelSummary, ProviderState, ProviderSummary, Rate, Tested},
    settings::ProviderSettings,
};

/// Routes calls to models by the id of their provider.
///
/// - `auto` or empty: the default provider from Settings. If that is also `auto`, the first provider that is set up,
///   otherwise `builtin`.
/// - `builtin`, including through `auto`: the built-in model that the request names, otherwise the one that fits its system
///   prompt. If the request's provider is `builtin`, its `model` may also name the built-in model.
/// - Any other id: that provider. If it is not set up, a built-in model answers with the warning `builtin_used`. If none
///   fits, the error is `provider_missing` and says what to set up.
///
/// A provider with an invalid address fails when it is called. If it has a key, `auto` can select it, because the user
/// configured it.
///
/// `auto` never selects a server that was only found on this computer. A flow can name such a server and use it while the
/// server runs.
#[derive(Clone)]
pub struct ProviderSet {
    providers: Vec<Arc<dyn ModelProvider>>,
    /// The servers on this computer that nobody configured but that discovery may find.
    local: Vec<Arc<dyn ModelProvider>>,
    /// The providers with an invalid address, in catalog order.
    faulty: Vec<Faulty>,
    /// The summaries of all providers in catalog order, including the providers that are not set up.
    standing: Vec<ProviderSummary>,
    local_servers: LocalServers,
    /// The built-in models, if this program has them.
    builtin: Option<&'static dyn BuiltinModels>,
    default_provider: String,
    default_model: Option<String>,
}

/// A provider with an invalid address.
#[derive(Clone)]
struct Faulty {
    id: String,
    has_key: bool,
    error: NodeError,
    /// The number of callable providers that are preferred over this one.
    place: usize,
}

enum Route {
    Provider(Arc<dyn ModelProvider>),
    Builtin(&'static dyn BuiltinModel, Option<(String, String)>),
}

impl ProviderSet {
    /// Creates a set of the providers that the settings, the keychain and the process's environment configure.
    ///
    /// # Errors
    /// Currently never returns an error: an invalid address is an error of the provider's own calls.
    pub fn new(
        settings: &ProviderSettings,
        keys: &Keys,
        local_servers: LocalServers,
    ) -> Result<Self, NodeError> {
        Self::with(
            settings,
            &|name| std::env::var(name).ok(),
            keys,
            local_servers,
        )
    }

    /// Creates a set like [`Self::new`], with the environment `environment`, without a keychain and without discovery.
    ///
    /// # Errors
    /// Currently never returns an error: an invalid address is an error of the provider's own calls.
    pub fn with_environment(
        settings: &ProviderSettings,
        environment: &Environment<'_>,
    ) -> Result<Self, NodeError> {
        Self::with(
            settings,
            environment,
            &Keys::of(MemoryKeys::default()),
            LocalServers::none(),
        )
    }

    /// Creates a set like [`Self::new`], with the environment, keychain and local servers that are passed.
    ///
    /// # Errors
    /// Currently never returns an error: an invalid address is an error of the provider's own calls.
    pub fn with(
        settings: &ProviderSettings,
        environment: &Environment<'_>,
        keys: &Keys,
        local_servers: LocalServers,
    ) -> Result<Self, NodeError> {
        let mut set = Self::of(Vec::new(), settings);
        for standing in environment::all(settings, environment, keys, &local_servers) {
            match standing {
                ProviderSetup::SetUp(remote, key_from) => {
                    set.standing.push(ProviderSummary {
                        key_from,
                        ..remote.summary()
                    });
                    set.providers.push(Arc::new(remote));
                }
                ProviderSetup::Local(remote) => {
                    set.standing.push(remote.summary());
                    set.local.push(Arc::new(remote));
                }
                ProviderSetup::Missing(summary) => set.standing.push(summary),
                ProviderSetup::Faulty(summary, error) => {
                    set.faulty.push(Faulty {
                        id: summary.id.clone(),
                        has_key: summary.has_key,
                        error,
                        place: set.providers.len(),
                    });
                    set.standing.push(summary);
                }
            }
        }
        set.local_servers = local_servers;
        Ok(set)
    }

    /// Creates a set of exactly these providers.
    pub fn of(providers: Vec<Arc<dyn ModelProvider>>, settings: &ProviderSettings) -> Self {
        Self {
            standing: providers
                .iter()
                .map(|provider| provider.summary())
                .collect(),
            providers,
            local: Vec::new(),
            faulty: Vec::new(),
            local_servers: LocalServers::none(),
            builtin: None,
            default_provider: settings.default_provider.clone(),
            default_model: settings.default_model.clone(),
        }
    }

    /// Adds built-in models. In a set without built-in models, a call that needs one fails with a message.
    #[must_use]
    pub fn with_builtin(mut self, models: &'static dyn BuiltinModels) -> Self {
        self.builtin = Some(models);
        self
    }

    /// Returns the summary of every provider, the built-in ones first. The summary of a provider that is not set up says
    /// what is missing. The state of a server on this computer is that of the last discovery.
    pub fn summaries(&self) -> Vec<ProviderSummary> {
        let mut out = vec![self.builtin_summary()];
        out.extend(self.standing.iter().cloned().map(|mut summary| {
            let is_local = provider_spec(&summary.id).is_some_and(|known| known.local.is_some());
            let there = self.local_servers.models(&summary.id);
            if summary.state == ProviderState::Found {
                match there {
                    Some(models) => summary.models = models,
                    None => {
                        summary.state = ProviderState::Offline;
                        summary.status = "not running".to_owned();
                        catalog::remedy(&summary.id).clone_into(&mut summary.remedy);
                    }
                }
            } else if is_local && summary.models.is_empty() {
                summary.models = there.unwrap_or_default();
            }
            summary
        }));
        out
    }

    /// Looks for servers on this computer.
    pub async fn discover(&self) {
        self.local_servers.discover().await;
    }

    /// Lists the models of a provider, as its server reports them.
    ///
    /// # Errors
    /// `builtin_missing` if the id is `builtin` and this program has no built-in models. `provider_missing` if no provider with
    /// this id is available. Otherwise the provider's own error, for example if its address is invalid.
    pub async fn models(&self, id: &str) -> Result<Vec<ModelSummary>, NodeError> {
        if id == "builtin" {
            return Ok(self.builtin()?.summaries());
        }
        match self.anywhere(id) {
            Some(provider) => provider.models().await,
            None => Err(self.fault(id).unwrap_or_else(|| self.missing(id))),
        }
    }

    /// Checks that a provider can be reached. Returns a description of the result.
    ///
    /// # Errors
    /// `builtin_missing` if the id is `builtin` and this program has no built-in models. `provider_missing` if no provider with
    /// this id is available. Otherwise the provider's own error, for example if its address is invalid.
    pub async fn test(&self, id: &str) -> Result<Tested, NodeError> {
        if id == "builtin" {
            let models = self.builtin()?.summaries();
            return Ok(Tested {
                says: format!("{} built-in models are ready.", models.len()),
                took: Duration::ZERO,
                models,
            });
        }
        match self.anywhere(id) {
            Some(provider) => provider.test().await,
            None => Err(self.fault(id).unwrap_or_else(|| self.missing(id))),
        }
    }

    /// Returns the error that a call would fail with before anything is sent; `None` if the call could be sent. Also returns
    /// `None` if the outcome depends on which servers run on this computer at the time of the call.
    pub fn lacks(&self, request: &ModelRequest) -> Option<NodeError> {
        if self.may_be_found(request) {
            return None;
        }
        self.route(&mut request.clone()).err()
    }

    /// Returns the model that would answer `request`, and its price. If the call would fail before anything is sent, returns
    /// the error message in place of the model, and a price of zero. Calls no server.
    pub fn rate(&self, request: &ModelRequest) -> Rate {
        let mut request = request.clone();
        match self.route(&mut request) {
            // The call fails before it costs anything.
            Err(error) => Rate {
                model: error.message,
                price: Some(Price::free()),
                most_tokens: request.max_tokens,
            },
            Ok(Route::Builtin(builtin, _)) => Rate {
                model: format!("builtin/{}", builtin.id()),
                price: Some(Price::free()),
                most_tokens: request.max_tokens,
            },
            Ok(Route::Provider(provider)) => provider.rate(&request),
        }
    }

    /// Returns the provider with this id if it is set up or was found running, otherwise `None`.
    fn find(&self, id: &str) -> Option<&Arc<dyn ModelProvider>> {
        let set_up = self.providers.iter().find(|provider| provider.id() == id);
        set_up.or_else(|| {
            self.local_servers.models(id)?;
            self.local.iter().find(|provider| provider.id() == id)
        })
    }

    /// Returns the provider with this id if it is set up, or if it is a local server, which may run at its usual address;
    /// otherwise `None`.
    fn anywhere(&self, id: &str) -> Option<&Arc<dyn ModelProvider>> {
        let mut all = self.providers.iter().chain(&self.local);
        all.find(|provider| provider.id() == id)
    }

    /// Returns the error of a provider whose address is invalid; `None` for any other provider.
    fn fault(&self, id: &str) -> Option<NodeError> {
        let faulty = self.faulty.iter().find(|faulty| faulty.id == id);
        faulty.map(|faulty| faulty.error.clone())
    }

    /// Returns the id of the first provider that is set up, or `builtin` if none is. A provider with an invalid address counts
    /// if it has a key.
    fn first(&self) -> &str {
        let faulty = self.faulty.iter().find(|faulty| faulty.has_key);
        match (self.providers.first(), faulty) {
            (Some(provider), Some(faulty)) if faulty.place > 0 => provider.id(),
            (_, Some(faulty)) => &faulty.id,
            (Some(provider), None) => provider.id(),
            (None, None) => "builtin",
        }
    }

    /// Returns whether the request names, or `auto` selects, a server on this computer that only discovery can find. The
    /// outcome then depends on which servers run at the time of the call.
    fn may_be_found(&self, request: &ModelRequest) -> bool {
        let asked = request.provider.trim();
        let id = match asked {
            "" | "auto" => self.default_provider.trim(),
            id => id,
        };
        self.local.iter().any(|provider| provider.id() == id)
    }

    fn route(&self, request: &mut ModelRequest) -> Result<Route, NodeError> {
        match self.route_any(request)? {
            Route::Builtin(builtin, _) if !request.tools.is_empty() => Err(NodeError::new(
                "tools_unsupported",
                format!(
                    "The call offers tools to the built-in model {}, which cannot use tools. Choose a provider and a model in the node, \
                     or set up a provider in Settings.",
                    builtin.name()
                ),
            )),
            route => Ok(route),
        }
    }

    fn route_any(&self, request: &mut ModelRequest) -> Result<Route, NodeError> {
        let asked = request.provider.trim();
        let auto = asked.is_empty() || asked == "auto";
        let default = self.default_provider.trim();
        let id = match (auto, default) {
            (false, _) => asked,
            (true, "" | "auto") => self.first(),
            (true, chosen) => chosen,
        };
        if let Some(error) = self.fault(id) {
            return Err(error);
        }
        if id == "builtin" {
            let named = if asked == "builtin" {
                request.builtin.as_ref().or(request.model.as_ref())
            } else {
                request.builtin.as_ref()
            };
            // The error if every configured provider has an invalid address. The user meant to use such a provider, so it is
            // not skipped silently.
            let fault = || self.faulty.first().map(|faulty| faulty.error.clone());
            let builtin = self.builtin().map_err(|error| fault().unwrap_or(error))?;
            return match named.filter(|name| !name.trim().is_empty()) {
                Some(name) => builtin
                    .find(name.trim())
                    .ok_or_else(|| unknown_builtin(name, builtin)),
                None => builtin
                    .infer(request)
                    .ok_or_else(|| fault().unwrap_or_else(|| no_builtin(builtin))),
            }
            .map(|builtin| Route::Builtin(builtin, None));
        }
        if let Some(provider) = self.find(id) {
            if request
                .model
                .as_deref()
                .is_none_or(|model| model.trim().is_empty())
            {
                request.model.clone_from(&self.default_model);
            }
            return Ok(Route::Provider(Arc::clone(provider)));
        }
        let builtin = self.builtin.ok_or_else(|| self.missing(id))?;
        let named = request
            .builtin
            .as_deref()
            .map(str::trim)
            .filter(|name| !name.is_empty());
        let stand_in = match named {
            Some(name) => Some(
                builtin
                    .find(name)
                    .ok_or_else(|| unknown_builtin(name, builtin))?,
            ),
            None => builtin.infer(request),
        };
        let stand_in = stand_in.ok_or_else(|| self.missing(id))?;
        let warning = format!(
            "No provider “{id}” is set up; the call ran with {} (no key). {}",
            stand_in.name(),
            catalog::remedy(id)
        );
        Ok(Route::Builtin(
            stand_in,
            Some(("builtin_used".to_owned(), warning)),
        ))
    }
}

impl Models for ProviderSet {
    fn quote(&self, request: &ModelRequest) -> Quote {
        let mut request = request.clone();
        match self.route(&mut request) {
            // The call fails before it sends anything.
            Err(_) => Quote::free(),
            Ok(Route::Provider(provider)) => provider.quote(&request),
            Ok(Route::Builtin(builtin, _)) => builtin.quote(&request),
        }
    }

    fn quota(&self, request: &ModelRequest) -> Quota {
        // Only the provider and the model matter here, so the large parts of the request are not copied.
        let mut short = ModelRequest {
            provider: request.provider.clone(),
            model: request.model.clone(),
            builtin: request.builtin.clone(),
            ..ModelRequest::default()
        };
        match self.route(&mut short) {
            Ok(Route::Provider(provider)) => {
                let name = catalog::provider_spec(provider.id()).map(|spec| spec.name);
                let name = name.unwrap_or_else(|| provider.id());
                Quota::new(provider.rate(&short).model, name)
            }
            // A built-in model has no quota, and other calls fail before anything is sent.
            Ok(Route::Builtin(..)) | Err(_) => Quota::new("builtin", "the built-in models"),
        }
    }

    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        if self.may_be_found(&request) {
            let set = self.clone();
            return async move {
                cx.call.preparing();
                set.discover().await;
                set.answer(request, cx).await
            }
            .boxed();
        }
        self.answer(request, cx)
    }
}

impl ProviderSet {
    fn answer(
        &self,
        mut request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        match self.route(&mut request) {
            Err(error) => futures::future::ready(Err(error)).boxed(),
            Ok(Route::Provider(provider)) => provider.call(request, cx),
            Ok(Route::Builtin(builtin, warning)) => async move {
                let mut reply = builtin.call(request, cx).await?;
                reply.warnings.splice(0..0, warning);
                Ok(reply)
            }
            .boxed(),
        }
    }
}

impl ProviderSet {
    /// Returns the built-in models.
    ///
    /// # Errors
    /// `builtin_missing` if this program has no built-in models.
    fn builtin(&self) -> Result<&'static dyn BuiltinModels, NodeError> {
        self.builtin.ok_or_else(|| {
            NodeError::new(
                "builtin_missing",
                format!("{NO_BUILTIN} Set up a provider in Settings, or with OPENAI_API_KEY or OPENAI_BASE_URL."),
            )
        })
    }

    fn builtin_summary(&self) -> ProviderSummary {
        let (state, status) = match self.builtin {
            Some(_) => (ProviderState::Ready, "ready"),
            None => (ProviderState::NotSetUp, "not part of this build"),
        };
        ProviderSummary {
            id: "builtin".to_owned(),
            name: "Built-in models".to_owned(),
            state,
            status: status.to_owned(),
            base_url: None,
            has_key: false,
            key_from: None,
            models: self
                .builtin
                .map(BuiltinModels::summaries)
                .unwrap_or_default(),
            note:
                "Rules and dictionaries that are part of Loopwright: no key, no network, no cost."
                    .to_owned(),
            remedy: match self.builtin {
                Some(_) => String::new(),
                None => NO_BUILTIN.to_owned(),
            },
        }
    }

    fn missing(&self, id: &str) -> NodeError {
        let instead = match self.builtin {
            Some(builtin) => format!("Or name a built-in model: {}.", ids(builtin)),
            None => NO_BUILTIN.to_owned(),
        };
        NodeError::new(
            "provider_missing",
            format!(
                "No provider “{id}” is set up. {} {instead}",
                catalog::remedy(id)
            ),
        )
    }
}

const NO_BUILTIN: &str = "The built-in models are not part of this build of Loopwright. Use a build with the feature `builtin-models`.";

fn ids(builtin: &dyn BuiltinModels) -> String {
    let models = builtin.summaries().into_iter();
    models.map(|model| model.id).collect::<Vec<_>>().join(", ")
}

fn unknown_builtin(name: &str, builtin: &dyn BuiltinModels) -> NodeError {
    NodeError::new(
        "unknown_builtin",
        format!(
            "There is no built-in model “{}”. The built-in models are {}.",
            name.trim(),
            ids(builtin)
        ),
    )
}

fn no_builtin(builtin: &dyn BuiltinModels) -> NodeError {
    NodeError::new(
        "no_builtin_for_prompt",
        format!(
            "No provider is set up, and no built-in model can do what this prompt asks for. Set up a provider in Settings, or with OPENAI_API_KEY or OPENAI_BASE_URL, or name a built-in model: {}.",
            ids(builtin)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{ModelSummary, ProviderState, Tested};

    /// A provider whose model always gives the same answer.
    struct Fixed;

    impl ModelProvider for Fixed {
        fn rate(&self, _request: &ModelRequest) -> Rate {
            Rate {
                model: "fixed/text".to_owned(),
                price: None,
                most_tokens: None,
            }
        }

        fn quote(&self, request: &ModelRequest) -> Quote {
            Quote {
                output_tokens: request.max_tokens,
                ..Quote::default()
            }
        }

        fn id(&self) -> &str {
            "fixed"
        }

        fn summary(&self) -> ProviderSummary {
            ProviderSummary {
                id: "fixed".to_owned(),
                name: "Fixed".to_owned(),
                state: ProviderState::Ready,
                status: "ready".to_owned(),
                base_url: None,
                has_key: false,
                key_from: None,
                models: Vec::new(),
                note: "For tests.".to_owned(),
                remedy: String::new(),
            }
        }

        fn call(
            &self,
            _request: ModelRequest,
            _cx: ModelContext,
        ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
            let text = "always the same".to_owned();
            Box::pin(async move {
                Ok(ModelReply {
                    text,
                    ..ModelReply::default()
                })
            })
        }

        fn models(&self) -> BoxFuture<'static, Result<Vec<ModelSummary>, NodeError>> {
            Box::pin(async { Ok(Vec::new()) })
        }

        fn test(&self) -> BoxFuture<'static, Result<Tested, NodeError>> {
            Box::pin(async {
                Ok(Tested {
                    says: "ready".to_owned(),
                    took: std::time::Duration::ZERO,
                    models: Vec::new(),
                })
            })
        }
    }

    fn bare() -> ProviderSet {
        ProviderSet::with_environment(&ProviderSettings::default(), &|_| None).unwrap()
    }

    async fn call(set: &ProviderSet, request: ModelRequest) -> Result<ModelReply, NodeError> {
        set.call(request, ModelContext::default()).await
    }

    fn request(provider: &str, system: &str) -> ModelRequest {
        ModelRequest {
            provider: provider.to_owned(),
            system: Some(system.to_owned()),
            prompt: "A text.".to_owned(),
            ..ModelRequest::default()
        }
    }

    #[tokio::test]
    async fn auto_means_the_provider_of_the_settings() {
        let settings = ProviderSettings {
            default_provider: "fixed".to_owned(),
            ..ProviderSettings::default()
        };
        let set = ProviderSet::of(vec![Arc::new(Fixed)], &settings);
        assert_eq!(
            call(&set, request("auto", "You are an editor."))
                .await
                .unwrap()
                .text,
            "always the same"
        );
    }

    #[tokio::test]
    async fn a_program_without_builtin_models_says_so() {
        let set = bare();
        for (provider, code) in [
            ("auto", "builtin_missing"),
            ("builtin", "builtin_missing"),
            ("anthropic", "provider_missing"),
        ] {
            let error = call(&set, request(provider, "You are an editor."))
                .await
                .unwrap_err();
            assert_eq!(error.code, code);
            assert!(error.message.contains("not part of this build"), "{error}");
        }
        assert_eq!(
            set.test("builtin").await.unwrap_err().code,
            "builtin_missing"
        );
        let summaries = set.summaries();
        let builtin = &summaries[0];
        assert!(!builtin.state.is_ready() && builtin.models.is_empty());
        assert!(
            builtin.remedy.contains("builtin-models"),
            "{}",
            builtin.remedy
        );
    }
}
