//! Tools, the MCP servers of the settings, and the keys that both are given.

use loopwright_api as api;
use loopwright_api::{KeychainTrouble, NamedKey, ToolDescription};
use loopwright_runs as runs;
use loopwright_runs::{ApiError, McpStanding};

use super::Shared;

/// The tools that a node can use, with the schemas of their arguments.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn tools(app: Shared<'_>) -> Result<Vec<ToolDescription>, ApiError> {
    Ok(api::tool_descriptions(app.env()))
}

/// The MCP servers of the settings: how each would be started, and what it last said of its tools. Starts none.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn mcp_servers(app: Shared<'_>) -> Result<Vec<McpStanding>, ApiError> {
    Ok(runs::mcp_standing(app.env()))
}

/// Starts an MCP server of the settings, lists its tools, and ends it. `item`: what the person approved, from `mcp_servers`; a
/// server that would be started in another way by now is not started (`not_approved`).
#[tauri::command]
#[specta::specta]
pub(crate) async fn look_at_mcp(
    app: Shared<'_>,
    name: String,
    item: String,
) -> Result<McpStanding, ApiError> {
    runs::look_at_approved_mcp(app.env(), &name, &item).await
}

/// The keys that the settings name for tools, and where each is; never a key itself. `set_key` keeps one by its name.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn tool_keys(app: Shared<'_>) -> Result<Vec<NamedKey>, ApiError> {
    Ok(api::tool_keys(app.env()))
}

/// What is wrong with the system's keychain; `null` where nothing is.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn keychain_trouble(app: Shared<'_>) -> Result<Option<KeychainTrouble>, ApiError> {
    api::keychain_trouble(app.env())
}
