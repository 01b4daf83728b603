//! All tools by name: the available ones, and the unavailable ones with the reason.

use std::{path::PathBuf, sync::Arc};

use loopwright_engine::{
    host::{Tool, ToolInfo, Tools},
    trust::{Grants, Secrets},
};
use loopwright_workspaces::Workspaces;
use serde_json::json;

#[cfg(not(feature = "dialects"))]
use crate::without_dialects::dialects;
use crate::{
    agent::{self, Agent, Runner},
    command::Command,
    files::Files,
    folders::Folders,
    http::{HttpRequest, policy::Policy},
    real_path::real,
    script::Script,
    search::SearchDocuments,
    web::{SearchWeb, WebSearch},
    workspace::Copied,
};

/// The configuration of the tools, from this computer, Settings and the current flow.
#[derive(Clone, Default)]
pub struct ToolSettings {
    /// Loopwright's own folder, which stores search indexes and the sample collection. File tools may not use it.
    pub data_dir: PathBuf,
    /// The folder that `search.documents` searches. `None` means the sample collection.
    pub documents_folder: Option<PathBuf>,
    /// The permissions of the current flow.
    pub grants: Grants,
    /// The proxy for requests. `None` means no proxy, even if the environment sets one.
    pub proxy: Option<String>,
    /// The service that `search.web` uses. `None` means that the tool is unavailable.
    pub web_search: Option<WebSearch>,
    /// Agents in addition to the built-in ones.
    pub agents: Vec<Runner>,
    /// The folder of the current flow, or `None` if the flow was never saved.
    pub flow_folder: Option<PathBuf>,
    /// The folder in whose private copy the described calls work; `None` if they work in no copy. Calls that are made find their
    /// copy by the open workspace around them.
    pub copy_of: Option<PathBuf>,
    /// The workspaces of loops that are open in this process.
    pub workspaces: Option<Workspaces>,
    /// The store of keys. Tools have no other access to keys.
    pub secrets: Secrets,
}

/// Tools that are available only after setup. Each has a name, a title and the reason why it is unavailable.
const UNAVAILABLE: &[(&str, &str, &str)] = &[
    (
        "search.web",
        "Search the web",
        "No search service is set up. Choose SearXNG, Brave or Tavily in Settings.",
    ),
    (
        "mcp:<server>/<tool>",
        "Call an MCP server",
        "No MCP server is set up. Add one in Settings.",
    ),
];

/// Returns the tools that evaluate expressions and templates of other systems.
#[cfg(feature = "dialects")]
fn dialects() -> [Arc<dyn Tool>; 2] {
    [
        Arc::new(crate::expression::ExpressionAzure),
        Arc::new(crate::jinja::Jinja::new()),
    ]
}

/// The tools of this program, in display order.
pub struct ToolSet {
    tools: Vec<Arc<dyn Tool>>,
    /// Tools that are not listed, because special kinds of nodes use them.
    hidden: Vec<Arc<dyn Tool>>,
}

impl ToolSet {
    pub fn new(settings: &ToolSettings) -> Self {
        let policy = Policy {
            grants: settings.grants.clone(),
            proxy: settings.proxy.clone(),
            ..Policy::default()
        };
        let folders = Folders {
            grants: settings.grants.clone(),
            flow: settings.flow_folder.clone(),
            // Without a data folder, which is the case when tools are only listed, there is nothing to protect.
            own: Some(&settings.data_dir)
                .filter(|folder| !folder.as_os_str().is_empty())
                .map(|folder| real(folder)),
            workspaces: settings.workspaces.clone(),
            copied: settings.copy_of.clone().map(Copied::not_open),
        };
        let mut tools: Vec<Arc<dyn Tool>> = vec![Arc::new(SearchDocuments::new(
            settings.data_dir.clone(),
            settings.documents_folder.clone(),
            &folders,
        ))];
        let web = settings.web_search.as_ref();
        if let Some(web) = web.and_then(|web| SearchWeb::new(web, &policy, &settings.secrets)) {
            tools.push(Arc::new(web));
        }
        tools.push(Arc::new(HttpRequest::new(policy, settings.secrets.clone())));
        for script in Script::all() {
            tools.push(Arc::new(script));
        }
        tools.extend(dialects());
        tools.push(Arc::new(Command::new(&folders, &settings.secrets)));
        for files in Files::all(&folders) {
            tools.push(Arc::new(files));
        }
        let agents = agent::bundled_runners()
            .into_iter()
            .chain(settings.agents.iter().cloned());
        Self {
            hidden: agents
                .map(|runner| {
                    Arc::new(Agent::new(runner, &folders, &settings.secrets)) as Arc<dyn Tool>
                })
                .collect(),
            tools,
        }
    }
}

impl ToolSet {
    /// Returns every callable tool, including hidden ones.
    pub fn all(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.iter().chain(&self.hidden)
    }
}

impl Tools for ToolSet {
    fn find(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.all()
            .find(|tool| tool.info().name == name)
            .map(Arc::clone)
    }

    fn list(&self) -> Vec<ToolInfo> {
        let known = |begins: &str| {
            self.tools
                .iter()
                .any(|tool| tool.info().name.starts_with(begins))
        };
        let lacks = UNAVAILABLE
            .iter()
            .filter(|(name, _, _)| !known(name.split('<').next().unwrap_or(name)));
        let missing = lacks.map(|(name, title, reason)| ToolInfo {
            name: (*name).to_owned(),
            title: (*title).to_owned(),
            summary: (*reason).to_owned(),
            args: json!({ "type": "object" }),
            unavailable: Some((*reason).to_owned()),
        });
        self.tools
            .iter()
            .map(|tool| tool.info())
            .chain(missing)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_listed_tool_is_usable_or_says_why_not() {
        let tools = ToolSet::new(&ToolSettings::default());
        let list = tools.list();
        let names: HashSet<_> = list.iter().map(|info| info.name.as_str()).collect();
        assert_eq!(names.len(), list.len());
        for info in &list {
            let usable = tools
                .find(&info.name)
                .is_some_and(|tool| tool.info().unavailable.is_none());
            assert_eq!(usable, info.unavailable.is_none(), "{}", info.name);
            assert!(!info.summary.is_empty() && info.args["type"] == "object");
        }
    }
}
