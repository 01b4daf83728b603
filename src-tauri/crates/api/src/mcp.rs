//! MCP servers of the settings: their tools for flows, and what they last said of themselves.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use loopwright_engine::{
    host::{Tool, ToolInfo, Tools},
    trust::Grants,
};
use loopwright_mcp::{McpTools, SeenTool, ServerSpec};
use loopwright_tools::ToolSet;
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{
    app::App,
    error::{ApiError, Code},
    files, paths, secrets,
    settings::{load_json, save_json},
    tool_settings::McpServer,
};

/// What a server said of its tools when it last was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct McpLook {
    pub server: String,
    /// The command or address, as it was started.
    pub shown: String,
    /// Names and descriptions.
    pub tools: Vec<(String, String)>,
}

/// What servers said, by server, with how they were started then.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Seen {
    servers: BTreeMap<String, (ServerSpec, Vec<SeenTool>)>,
}

/// Every tool that a flow can use.
pub(crate) struct AllTools {
    pub(crate) own: ToolSet,
    pub(crate) mcp: McpTools,
}

impl Tools for AllTools {
    fn find(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.own.find(name).or_else(|| self.mcp.find(name))
    }

    fn list(&self) -> Vec<ToolInfo> {
        let mut list = self.own.list();
        if !self.mcp.is_empty() {
            list.retain(|info| !info.name.starts_with("mcp:"));
        }
        list.extend(self.mcp.list());
        list
    }
}

fn spec(server: &McpServer) -> ServerSpec {
    ServerSpec {
        name: server.name.clone(),
        command: server.command.clone(),
        args: server.args.clone(),
        env: server.env.clone(),
        cwd: server.cwd.as_ref().map(PathBuf::from),
        url: server.url.clone(),
        headers: server.headers.clone(),
    }
}

impl App {
    pub(crate) fn mcp_tools(&self, grants: &Grants) -> McpTools {
        let servers = self.settings().mcp_servers;
        let kept: Seen = load_json(&paths::mcp(self.data_dir())).0;
        let specs: Vec<ServerSpec> = servers.iter().map(spec).collect();
        // What another command said is not what this one says.
        let seen = kept
            .servers
            .into_iter()
            .filter(|(name, (was, _))| specs.iter().any(|spec| spec.name == *name && spec == was))
            .map(|(name, (_, tools))| (name, tools))
            .collect();
        let (data_dir, known) = (self.data_dir().to_path_buf(), specs.clone());
        McpTools::new(
            specs,
            &seen,
            grants,
            &secrets::lookup(self.keys()),
            move |name, tools| {
                let Some(spec) = known.iter().find(|spec| spec.name == name) else {
                    return;
                };
                let now = (spec.clone(), tools.to_vec());
                let _alone = files::alone(&data_dir);
                let mut kept: Seen = load_json(&paths::mcp(&data_dir)).0;
                if kept.servers.get(name) == Some(&now) {
                    return;
                }
                kept.servers.insert(name.to_owned(), now);
                if let Err(error) = save_json(&paths::mcp(&data_dir), &kept) {
                    tracing::warn!("What an MCP server said could not be kept: {error}");
                }
            },
        )
    }

    /// Starts a server of the settings because the person asks for it, and gives its tools; they are then in the lists. The
    /// server is ended again.
    pub async fn look_at_mcp(&self, name: &str) -> Result<McpLook, ApiError> {
        let shown = self
            .settings()
            .mcp_servers
            .iter()
            .find(|server| server.name == name)
            .map(|server| spec(server).shown())
            .unwrap_or_default();
        let tools = self
            .mcp_tools(&Grants::default())
            .look(name)
            .await
            .map_err(|error| ApiError::new(Code::InvalidArgument, error.message))?;
        Ok(McpLook {
            server: name.to_owned(),
            shown,
            tools: tools
                .into_iter()
                .map(|tool| (tool.name, tool.description))
                .collect(),
        })
    }
}
