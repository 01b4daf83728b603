//! The models and tools of a run, as the settings define them at the start of the run.

use std::sync::{Arc, LazyLock};

use futures::{FutureExt as _, future::BoxFuture};
use loopwright_engine::{
    NodeError,
    host::{ModelContext, ModelReply, ModelRequest, Models, Quote, Services},
    quota::Quota,
    trust::Grants,
};
use loopwright_model::Flow;
use loopwright_providers::ProviderSet;

use crate::{
    builtin_models::with_builtin_models,
    env::Env,
    error::ApiError,
    files,
    model_nodes::calls_models,
    models::{failed, provider_settings},
    tools::tools_for_run,
    workspaces::FlowWorkspaces,
};

type Made = Result<ProviderSet, NodeError>;

/// Providers that are set up at the first call. Setting them up reads the keychain and this computer's certificates, which a
/// run without model calls does not need.
struct ModelsWhenCalled(LazyLock<Made, Box<dyn FnOnce() -> Made + Send>>);

impl ModelsWhenCalled {
    fn made(&self) -> Result<&ProviderSet, NodeError> {
        self.0.as_ref().map_err(Clone::clone)
    }
}

impl Models for ModelsWhenCalled {
    fn quote(&self, request: &ModelRequest) -> Quote {
        self.made().map_or_else(
            // Without providers the call fails before anything is sent, so it costs nothing.
            |_| Quote::free(),
            |providers| providers.quote(request),
        )
    }

    fn quota(&self, request: &ModelRequest) -> Quota {
        match self.made() {
            Ok(providers) => providers.quota(request),
            Err(_) => Quota::default(),
        }
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

/// Returns the models and tools according to the current settings, for a flow with these grants.
///
/// # Errors
/// Returns an error if the provider settings are invalid and the flow calls models.
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
    let tools = tools_for_run(env, flow_path, grants.clone());
    let workspaces = FlowWorkspaces {
        all: env.workspaces().clone(),
        folder: flow_path.and_then(files::folder),
        grants,
        tools: Arc::clone(&tools),
    };
    Ok(Services {
        models: Arc::new(models),
        tools,
        resources: Arc::new(workspaces),
    })
}
