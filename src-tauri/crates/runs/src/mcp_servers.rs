//! The configured MCP servers: how each is started, and the tools that it last listed.

use loopwright_engine::trust::Grants;
use serde::Serialize;
use specta::Type;

use crate::{
    env::Env,
    error::{ApiError, Code},
    mcp::{mcp_tools, named, seen, spec},
    secrets,
    settings::McpServer,
    trust::{approve_in_settings, approved_in_settings},
};

/// The tools that an MCP server lists, and how the server was reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct McpLook {
    pub server: String,
    /// The command that was started, or the address that was used.
    pub shown: String,
    /// The name and the description of each tool.
    pub tools: Vec<(String, String)>,
}

/// The status of a configured server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct McpStanding {
    pub server: String,
    /// The command that would be started, or the address that would be used, with the names of its keys.
    pub shown: String,
    /// The item to approve before the server is started. It covers exactly this command or address. A different server with
    /// the same name needs a new approval.
    pub item: String,
    /// Whether the user approved starting this server from Settings.
    pub approved: bool,
    /// The name and the description of each tool that the server last listed; null if it was never started with these settings.
    pub tools: Option<Vec<(String, String)>>,
}

/// Starts a configured server at the user's request, stores the list of its tools, stops the server and returns the list.
///
/// # Errors
/// [`Code::InvalidArgument`] if the name is unknown, or the server does not start or does not list its tools.
pub async fn look_at_mcp(env: &Env, name: &str) -> Result<McpLook, ApiError> {
    let shown = env
        .settings()
        .mcp_servers
        .iter()
        .find(|server| server.name == name)
        .map(|server| spec(server).shown())
        .unwrap_or_default();
    let secrets = secrets::lookup(env.keys());
    let tools = mcp_tools(env, &Grants::default(), &secrets)
        .look(name)
        .await
        .map_err(|error| ApiError::new(Code::InvalidArgument, secrets.redact(&error.message)))?;
    Ok(McpLook {
        server: name.to_owned(),
        shown,
        tools: named(tools),
    })
}

/// Returns the status of each configured server, in the order of the settings. No server is started.
pub fn mcp_standing(env: &Env) -> Vec<McpStanding> {
    let kept = seen(env);
    let approved = approved_in_settings(env);
    let standing = |server: &McpServer| {
        let spec = spec(server);
        let item = spec.need().item();
        let seen = kept
            .servers
            .get(&spec.name)
            .filter(|(was, _)| *was == spec)
            .map(|(_, tools)| named(tools.clone()));
        McpStanding {
            shown: spec.shown(),
            approved: approved.contains(&item),
            server: spec.name,
            item,
            tools: seen,
        }
    };
    env.settings().mcp_servers.iter().map(standing).collect()
}

/// Starts a configured server and returns its status. `item` is the item that the user approved, from [`McpStanding::item`].
/// The approval is stored until it is revoked.
///
/// # Errors
/// [`Code::NotApproved`] if the settings of the server have changed since; the server is then not started;
/// [`Code::InvalidArgument`] if the name is unknown, or the server does not start.
pub async fn look_at_approved_mcp(
    env: &Env,
    name: &str,
    item: &str,
) -> Result<McpStanding, ApiError> {
    let standing = |env: &Env| {
        let all = mcp_standing(env);
        all.into_iter().find(|known| known.server == name)
    };
    if standing(env).is_some_and(|now| now.item != item) {
        return Err(ApiError::new(
            Code::NotApproved,
            format!(
                "The command or address of the MCP server “{name}” has changed since you saw it, so nothing was started. Check the server again."
            ),
        ));
    }
    if standing(env).is_some_and(|now| !now.approved) {
        approve_in_settings(env, item)?;
    }
    look_at_mcp(env, name).await?;
    standing(env).ok_or_else(|| {
        ApiError::new(
            Code::InvalidArgument,
            format!("The MCP server “{name}” no longer exists."),
        )
    })
}
