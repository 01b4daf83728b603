//! The tools' only access to secrets. A secret is looked up in the environment first and then in the keychain, as for
//! providers.

use std::sync::Arc;

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError,
    host::{CallDetail, Names, Tool, ToolContext, ToolInfo},
    trust::{Consent, Need, Secrets},
};
use loopwright_model::{EffectClass, kind::Workspace};
use loopwright_providers::{KeyError, Keys, key_holders};
use serde_json::{Map, Value};

/// Wraps a tool. Secrets that the tool received are removed from its results and errors, because a service may echo
/// them.
pub struct Redacting {
    pub tool: Arc<dyn Tool>,
    pub secrets: Secrets,
    /// If `true`, only grants permit the resources that a call uses. If `false`, a person's approval of the call permits
    /// them too.
    pub grants_alone: bool,
}

impl Tool for Redacting {
    fn info(&self) -> ToolInfo {
        self.tool.info()
    }

    fn effect(&self) -> EffectClass {
        self.tool.effect()
    }

    fn names(&self) -> Vec<(&'static str, Names)> {
        self.tool.names()
    }

    fn needs(&self, args: &Map<String, Value>) -> Vec<Need> {
        self.tool.needs(args)
    }

    fn needs_in_workspace(&self, args: &Map<String, Value>, workspace: Workspace<'_>) -> Vec<Need> {
        self.tool.needs_in_workspace(args, workspace)
    }

    fn describe_call(
        &self,
        input: Option<&Value>,
        args: &Map<String, Value>,
    ) -> Result<Vec<CallDetail>, NodeError> {
        self.tool.describe_call(input, args)
    }

    fn place(&self, args: &Map<String, Value>) -> Option<Value> {
        self.tool.place(args)
    }

    fn call(
        &self,
        input: Option<Value>,
        args: Map<String, Value>,
        cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let secrets = self.secrets.clone();
        let consent = match self.grants_alone {
            true => Consent::None,
            false => cx.consent,
        };
        let cx = ToolContext {
            consent,
            trust_log: cx.trust_log.without(secrets.clone()),
            ..cx
        };
        let called = self.tool.call(input, args, cx);
        Box::pin(async move {
            match called.await {
                Ok(value) => Ok(secrets.redact_value(value)),
                Err(error) => Err(secrets.redact_error(error)),
            }
        })
    }
}

/// Returns the keychain account of `name`: the provider's id if `name` is the variable of a provider, or else `name` itself.
pub fn account(name: &str) -> &str {
    key_holders()
        .find(|(_, variable)| *variable == name)
        .map_or(name, |(id, _)| id)
}

/// Returns the tools' access to secrets; see [`find`].
pub fn lookup(keys: &Keys) -> Secrets {
    let keys = keys.clone();
    Secrets::new(move |name| find(&keys, name))
}

/// Returns the secret with this name, or `None` if there is none. An environment variable has precedence over a keychain entry.
///
/// # Errors
/// Returns a message if the variable is not valid Unicode or the keychain cannot be read.
pub fn find(keys: &Keys, name: &str) -> Result<Option<String>, String> {
    match std::env::var(name) {
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err("the environment variable is not valid Unicode".to_owned())
        }
        Err(std::env::VarError::NotPresent) => match keys.get(account(name)) {
            Ok(secret) => Ok(secret.map(loopwright_providers::Secret::into_text)),
            // Without a keychain, only the environment has secrets, so the name is missing.
            Err(KeyError::NoKeychain(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        },
    }
}
