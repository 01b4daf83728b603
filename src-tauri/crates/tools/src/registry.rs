//! All tools by name: those that can be used, and those that cannot, each with the reason.

use std::{path::PathBuf, sync::Arc};

use loopwright_engine::host::{Tool, ToolInfo, Tools};
use serde_json::json;

use crate::{http::HttpRequest, script::ScriptLua, search::SearchDocuments};

/// What the tools need to know of this computer and its user's choices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSettings {
    /// Where search indexes and the sample collection are kept.
    pub data_dir: PathBuf,
    /// The folder that `search.documents` searches; `None` is the sample collection.
    pub documents_folder: Option<PathBuf>,
    /// Whether `http.request` may reach loopback, private and link-local addresses.
    pub allow_private_addresses: bool,
}

/// Tools that the flow format names and this version does not have.
const UNAVAILABLE: &[(&str, &str, &str)] = &[
    (
        "search.web",
        "Search the web",
        "Not in this version: there is no search service that works without an account. Use search.documents, or http.request \
         with a service of yours.",
    ),
    (
        "files.read",
        "Read a file",
        "Not in this version. Use an Input of type file, or search.documents.",
    ),
    (
        "files.glob",
        "List files",
        "Not in this version. Use search.documents.",
    ),
    (
        "files.write",
        "Write a file",
        "Not in this version. Save the run's output from the command line or the window.",
    ),
    (
        "mcp:<server>/<tool>",
        "Call an MCP server",
        "Not in this version: no MCP server can be connected.",
    ),
];

/// The tools of this program, in the order of lists.
pub struct ToolSet {
    tools: Vec<Arc<dyn Tool>>,
}

impl ToolSet {
    pub fn new(settings: &ToolSettings) -> Self {
        Self {
            tools: vec![
                Arc::new(SearchDocuments::new(
                    settings.data_dir.clone(),
                    settings.documents_folder.clone(),
                )),
                Arc::new(HttpRequest::new(settings.allow_private_addresses)),
                Arc::new(ScriptLua::new()),
            ],
        }
    }
}

impl Tools for ToolSet {
    fn find(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools
            .iter()
            .find(|tool| tool.info().name == name)
            .map(Arc::clone)
    }

    fn list(&self) -> Vec<ToolInfo> {
        let missing = UNAVAILABLE.iter().map(|(name, title, reason)| ToolInfo {
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
            assert_eq!(
                tools.find(&info.name).is_some(),
                info.unavailable.is_none(),
                "{}",
                info.name
            );
            assert!(!info.summary.is_empty() && info.args["type"] == "object");
        }
    }
}
