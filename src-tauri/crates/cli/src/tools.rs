//! `loopwright tools`: the tools that flows can use here.

use loopwright_api::App;
use loopwright_runs as runs;
use loopwright_runs::ApiError;

use crate::{out::errln, render, status};

/// Lists the tools. If `connect` names an MCP server, connects to it first and asks for its tools.
///
/// # Errors
/// Returns an error if the server does not answer or is not approved.
pub(crate) async fn list(app: &App, connect: Option<&str>, json: bool) -> Result<u8, ApiError> {
    if let Some(name) = connect {
        let look = runs::look_at_mcp(app.env(), name).await?;
        let count = look.tools.len();
        let plural = if count == 1 { "" } else { "s" };
        errln!("Connected to {}: {count} tool{plural}.", look.shown);
    }
    render::tools(&runs::tools(app.env()), json);
    Ok(status::COMPLETED)
}
