//! The tools that flows can use: the program's own, and those of MCP servers.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_engine::{
    host::{Services, Tool, ToolInfo, Tools},
    trust::{Grants, Secrets},
};
use loopwright_mcp::McpTools;
use loopwright_tools::{ToolSet, ToolSettings};

use crate::{
    app::App,
    dto::{AgentRunner, ToolDescription, WebSearch},
    error::ApiError,
    files,
    secrets::{self, Redacting},
};

/// Every tool that a flow can use.
struct AllTools {
    own: ToolSet,
    mcp: McpTools,
    /// What its tools are handed.
    secrets: Secrets,
}

impl Tools for AllTools {
    fn find(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let tool = self.own.find(name).or_else(|| self.mcp.find(name))?;
        let secrets = self.secrets.clone();
        Some(Arc::new(Redacting { tool, secrets }))
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

impl App {
    /// Models and tools as the settings are now, for a flow that may use what was granted.
    pub(crate) fn services(
        &self,
        flow_path: Option<&str>,
        grants: Grants,
    ) -> Result<Services, ApiError> {
        Ok(Services {
            models: Arc::new(self.provider_set()?),
            tools: self.tool_set(flow_path, grants),
        })
    }

    /// The tools as the settings are now. `flow_path`: the flow that uses them, whose folder its own paths start from.
    pub(crate) fn tool_set(&self, flow_path: Option<&str>, grants: Grants) -> Arc<dyn Tools> {
        let settings = self.settings();
        let secrets = secrets::lookup(self.keys());
        let mcp = self.mcp_tools(&grants, &secrets);
        let own = ToolSet::new(&ToolSettings {
            data_dir: self.data_dir().to_path_buf(),
            documents_folder: settings.documents_folder.map(PathBuf::from),
            grants,
            proxy: settings.proxy,
            web_search: settings.web_search.as_ref().map(WebSearch::of_tools),
            agents: settings.agents.iter().map(AgentRunner::runner).collect(),
            flow_folder: flow_path
                .and_then(|path| files::absolute(path).parent().map(Path::to_path_buf)),
            secrets: secrets.clone(),
        });
        Arc::new(AllTools { own, mcp, secrets })
    }

    /// Every tool, with why it cannot be used here where it cannot.
    pub fn tools(&self) -> Vec<ToolInfo> {
        self.tool_set(None, Grants::default()).list()
    }

    /// [`App::tools`], as the window sees them.
    pub fn tool_descriptions(&self) -> Vec<ToolDescription> {
        self.tools()
            .into_iter()
            .map(|tool| ToolDescription {
                name: tool.name,
                title: tool.title,
                summary: tool.summary,
                args: tool.args,
                unavailable: tool.unavailable,
            })
            .collect()
    }
}
