//! What a run reaches of the world: models and tools, as the settings are when it begins.

use std::sync::{Arc, LazyLock};

use futures::{FutureExt as _, future::BoxFuture};
use loopwright_engine::{
    NodeError,
    host::{ModelContext, ModelReply, ModelRequest, Models, Quote, Services},
    trust::Grants,
};
use loopwright_model::Flow;
use loopwright_providers::ProviderSet;

use crate::{
    builtin_models::with_builtin_models,
    env::Env,
    error::ApiError,
    model_nodes::calls_models,
    models::{failed, provider_settings},
    tools::tools_for_run,
};

type Made = Result<ProviderSet, NodeError>;

/// The providers, looked for when the first is called. That asks the keychain and reads the certificates of this computer, and
/// a run without models needs neither.
struct ModelsWhenCalled(LazyLock<Made, Box<dyn FnOnce() -> Made + Send>>);

impl ModelsWhenCalled {
    fn made(&self) -> Result<&ProviderSet, NodeError> {
        self.0.as_ref().map_err(Clone::clone)
    }
}

impl Models for ModelsWhenCalled {
    fn quote(&self, request: &ModelRequest) -> Quote {
        self.made().map_or_else(
            // The call fails before anything is sent.
            |_| Quote::free(),
            |providers| providers.quote(request),
        )
    }

    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        match self.made() {
            Ok(providers) => providers.call(request, cx),
            Err(error) => futures::future::ready(Err(error)).boxed(),
        }
    }
}

/// Models and tools as the settings are now, for a flow that may use what was granted.
///
/// # Errors
/// For a flow that calls models: when the settings of providers cannot be used.
pub fn services(
    env: &Env,
    flow: &Flow,
    flow_path: Option<&str>,
    grants: Grants,
) -> Result<Services, ApiError> {
    let settings = provider_settings(env)?;
    let (keys, servers) = (env.keys().clone(), env.local_servers().clone());
    let make = move || ProviderSet::new(&settings, &keys, servers).map(with_builtin_models);
    let models = ModelsWhenCalled(LazyLock::new(Box::new(make)));
    if calls_models(flow, env.kinds().specs()) {
        models.made().map_err(|error| failed(&error))?;
    }
    Ok(Services {
        models: Arc::new(models),
        tools: tools_for_run(env, flow_path, grants),
    })
}
