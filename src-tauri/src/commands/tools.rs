//! Tools, the MCP servers of the settings, and the keys that both are given.

use loopwright_api::{ApiError, KeychainTrouble, McpStanding, NamedKey, ToolDescription};

use super::Shared;

/// The tools that a node can use, with the schemas of their arguments.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn tools(app: Shared<'_>) -> Result<Vec<ToolDescription>, ApiError> {
    Ok(app.tool_descriptions())
}

/// The MCP servers of the settings: how each would be started, and what it last said of its tools. Starts none.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn mcp_servers(app: Shared<'_>) -> Result<Vec<McpStanding>, ApiError> {
    Ok(app.mcp_standing())
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
    app.look_at_approved_mcp(&name, &item).await
}

/// The keys that the settings name for tools, and where each is; never a key itself. `set_key` keeps one by its name.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn tool_keys(app: Shared<'_>) -> Result<Vec<NamedKey>, ApiError> {
    Ok(app.tool_keys())
}

/// What is wrong with the system's keychain; `null` where nothing is.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn keychain_trouble(app: Shared<'_>) -> Result<Option<KeychainTrouble>, ApiError> {
    app.keychain_trouble()
}
