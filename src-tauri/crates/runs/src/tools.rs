//! The tools that flows can use: the program's own and those of MCP servers.

use std::{
    path::PathBuf,
    sync::{Arc, LazyLock},
};

use loopwright_engine::{
    host::{Tool, ToolInfo, Tools},
    trust::{Grants, Need, NeedKind, Secrets},
};
use loopwright_mcp::McpTools;
use loopwright_tools::{ToolSet, ToolSettings};

use crate::{
    env::Env,
    files,
    mcp::mcp_tools,
    secrets::{self, Redacting},
    settings::{AgentRunner, WebSearch},
};

/// Every tool that a flow can use.
struct AllTools {
    /// The program's own tools. Created on first use, because most runs use none.
    own: LazyLock<ToolSet, Box<dyn FnOnce() -> ToolSet + Send>>,
    mcp: McpTools,
    /// The tools' access to secrets.
    secrets: Secrets,
    /// If `true`, only grants permit the resources that a call uses. If `false`, a person's approval of the call permits
    /// them too.
    grants_alone: bool,
}

impl Tools for AllTools {
    fn find(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let tool = self.own.find(name).or_else(|| self.mcp.find(name))?;
        let secrets = self.secrets.clone();
        Some(Arc::new(Redacting {
            tool,
            secrets,
            grants_alone: self.grants_alone,
        }))
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

/// Returns the tools according to the current settings. `flow_path` is the path of the flow that uses them; relative paths
/// start at its folder.
pub fn tool_set(env: &Env, flow_path: Option<&str>, grants: Grants) -> Arc<dyn Tools> {
    let folder = env.settings().documents_folder;
    tool_set_with(env, folder, flow_path, grants, None)
}

/// Returns the tools according to the current settings, to describe calls in a private copy of the folder `source`. Relative
/// paths start at that folder.
pub fn tool_set_in_copy(env: &Env, source: PathBuf) -> Arc<dyn Tools> {
    let folder = env.settings().documents_folder;
    tool_set_with(env, folder, None, Grants::default(), Some(source))
}

/// Returns the tools for a run. On a worker, the documents folder from the settings can be searched only if the worker's own
/// permissions allow it, because a submitted flow must not gain access through the worker's settings.
pub(crate) fn tools_for_run(env: &Env, flow_path: Option<&str>, grants: Grants) -> Arc<dyn Tools> {
    let folder = env.settings().documents_folder.filter(|folder| {
        let path = std::fs::canonicalize(folder).unwrap_or_else(|_| PathBuf::from(folder));
        env.may_use().is_none()
            || grants.cover(&Need::new(NeedKind::Read, path.display().to_string()))
    });
    tool_set_with(env, folder, flow_path, grants, None)
}

fn tool_set_with(
    env: &Env,
    documents_folder: Option<String>,
    flow_path: Option<&str>,
    grants: Grants,
    copy_of: Option<PathBuf>,
) -> Arc<dyn Tools> {
    let settings = env.settings();
    let secrets = secrets::lookup(env.keys());
    let mcp = mcp_tools(env, &grants, &secrets);
    let own = ToolSettings {
        data_dir: env.data_dir().to_path_buf(),
        documents_folder: documents_folder.map(PathBuf::from),
        grants,
        proxy: settings.proxy,
        web_search: settings.web_search.as_ref().map(WebSearch::of_tools),
        agents: settings.agents.iter().map(AgentRunner::runner).collect(),
        flow_folder: flow_path.and_then(files::folder),
        copy_of,
        workspaces: Some(env.workspaces().clone()),
        secrets: secrets.clone(),
    };
    let own = LazyLock::new(Box::new(move || ToolSet::new(&own)) as Box<_>);
    Arc::new(AllTools {
        own,
        mcp,
        secrets,
        grants_alone: env.may_use().is_some(),
    })
}

/// Returns every tool. If a tool cannot be used here, its entry contains the reason.
pub fn tools(env: &Env) -> Vec<ToolInfo> {
    tool_set(env, None, Grants::default()).list()
}
