//! Checks the settings for tools: a proxy, a search service, MCP servers, agents. The settings name keys but never contain them.

use loopwright_runs::{AgentRunner, ApiError, Code, McpServer, WebEngine, WebSearch};

/// Checks all tool settings.
///
/// # Errors
/// [`Code::InvalidArgument`] for the first setting that is invalid. The message names it and says what is accepted.
pub(crate) fn check(
    proxy: Option<&str>,
    web_search: Option<&WebSearch>,
    servers: &[McpServer],
    agents: &[AgentRunner],
) -> Result<(), ApiError> {
    let wrong = |words: String| Err(ApiError::new(Code::InvalidArgument, words));
    let is_address =
        |address: &str| address.starts_with("http://") || address.starts_with("https://");
    if let Some(proxy) = proxy
        && !is_address(proxy)
        && !proxy.starts_with("socks5")
    {
        return wrong(format!(
            "\"{proxy}\" is not a valid proxy address. Write one that begins with http:// or https://, such as http://localhost:3128."
        ));
    }
    match web_search {
        Some(WebSearch { url: Some(url), .. }) if !is_address(url) => {
            return wrong(format!(
                "\"{url}\" is not a valid address for a search service. Write one that begins with http:// or https://."
            ));
        }
        Some(WebSearch {
            engine: WebEngine::Searxng,
            url: None,
        }) => {
            return wrong(
                "SearXNG needs the address of your server, such as http://localhost:8888."
                    .to_owned(),
            );
        }
        _ => {}
    }
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || "-_.".contains(char))
    };
    for (index, server) in servers.iter().enumerate() {
        if !is_name(&server.name) {
            return wrong(format!(
                "\"{}\" is not a valid name for an MCP server. Use letters, digits, - and _.",
                server.name
            ));
        }
        if servers[..index]
            .iter()
            .any(|other| other.name == server.name)
        {
            return wrong(format!(
                "Two MCP servers are called \"{}\". Rename one of them.",
                server.name
            ));
        }
        let command = server
            .command
            .as_deref()
            .is_some_and(|text| !text.trim().is_empty());
        match &server.url {
            Some(url) if command || !is_address(url) => {
                return wrong(format!(
                    "The MCP server \"{}\" needs either a command or an address that begins with http:// or https://, not both.",
                    server.name
                ));
            }
            None if !command => {
                return wrong(format!(
                    "The MCP server \"{}\" has neither a command nor an address. Enter one of them.",
                    server.name
                ));
            }
            _ => {}
        }
    }
    for (index, agent) in agents.iter().enumerate() {
        if !is_name(&agent.name) || agent.command.trim().is_empty() {
            return wrong(format!(
                "The agent \"{}\" needs a command, and a name that consists of letters, digits, - and _.",
                agent.name
            ));
        }
        if ["claude-code", "codex", "gemini"].contains(&agent.name.as_str())
            || agents[..index].iter().any(|other| other.name == agent.name)
        {
            return wrong(format!(
                "An agent called \"{}\" already exists. Choose another name.",
                agent.name
            ));
        }
    }
    Ok(())
}
