//! Commands for tools, the MCP servers from the settings, and their keys.

use loopwright_api as api;
use loopwright_api::{KeychainTrouble, NamedKey, ToolDescription};
use loopwright_runs as runs;
use loopwright_runs::{ApiError, McpStanding};

use super::Shared;

/// Returns the tools that a node can use, with the schemas of their arguments.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn tools(app: Shared<'_>) -> Result<Vec<ToolDescription>, ApiError> {
    Ok(api::tool_descriptions(app.env()))
}

/// Returns the MCP servers in the settings: how each would be started, and the tools that it last listed. No server is started.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn mcp_servers(app: Shared<'_>) -> Result<Vec<McpStanding>, ApiError> {
    Ok(runs::mcp_standing(app.env()))
}

/// Starts an MCP server from the settings, lists its tools and stops it. `item` is the item from `mcp_servers` that the user
/// approved. If the settings of the server have changed since the approval, the command fails with `not_approved` and starts
/// nothing.
#[tauri::command]
#[specta::specta]
pub(crate) async fn look_at_mcp(
    app: Shared<'_>,
    name: String,
    item: String,
) -> Result<McpStanding, ApiError> {
    runs::look_at_approved_mcp(app.env(), &name, &item).await
}

/// Returns the keys that the settings of tools name, and where each is stored, but never the keys themselves. To store a key,
/// pass its name to `set_key`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn tool_keys(app: Shared<'_>) -> Result<Vec<NamedKey>, ApiError> {
    Ok(api::tool_keys(app.env()))
}

/// Returns why the system's keychain cannot be used, or `null` if it can.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn keychain_trouble(app: Shared<'_>) -> Result<Option<KeychainTrouble>, ApiError> {
    api::keychain_trouble(app.env())
}
