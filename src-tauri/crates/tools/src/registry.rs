//! All tools by name: those that can be used, and those that cannot, each with the reason.

use std::{path::PathBuf, sync::Arc};

use loopwright_engine::{
    host::{Tool, ToolInfo, Tools},
    trust::{Grants, Secrets},
};
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
};

/// What the tools need to know of this computer and its user's choices.
#[derive(Clone, Default)]
pub struct ToolSettings {
    /// Loopwright's own folder, where search indexes and the sample collection are kept, and which no tool of files may use.
    pub data_dir: PathBuf,
    /// The folder that `search.documents` searches; `None` is the sample collection.
    pub documents_folder: Option<PathBuf>,
    /// What the flow at hand may use of the world.
    pub grants: Grants,
    /// The proxy that requests go through; `None`: none, whatever the environment says.
    pub proxy: Option<String>,
    /// What `search.web` asks.
    pub web_search: Option<WebSearch>,
    /// Agents beside those that are known.
    pub agents: Vec<Runner>,
    /// The folder of the flow at hand; `None` where it was never saved.
    pub flow_folder: Option<PathBuf>,
    /// The one way to keys.
    pub secrets: Secrets,
}

/// Tools that are there only once something is set up.
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

/// The tools that evaluate expressions and templates of other systems.
#[cfg(feature = "dialects")]
fn dialects() -> [Arc<dyn Tool>; 2] {
    [
        Arc::new(crate::expression::ExpressionAzure),
        Arc::new(crate::jinja::Jinja::new()),
    ]
}

/// The tools of this program, in the order of lists.
pub struct ToolSet {
    tools: Vec<Arc<dyn Tool>>,
    /// Those that nodes of other kinds use.
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
            // Without a folder, as in a list of all tools, there is nothing to keep.
            own: Some(&settings.data_dir)
                .filter(|folder| !folder.as_os_str().is_empty())
                .map(|folder| real(folder)),
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
    /// Every tool that can be called, those that no list shows among them.
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
