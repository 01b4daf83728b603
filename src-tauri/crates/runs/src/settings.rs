//! The person's settings, stored as one small JSON file.

use std::{collections::BTreeMap, path::Path};

use loopwright_tools::{Format, Runner, SearchEngine};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use specta::Type;

use crate::{json_file::load_json, paths};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    #[default]
    System,
    Dark,
    Light,
}

/// The services that `search.web` can ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum WebEngine {
    /// A SearXNG server of your own, at `url`.
    Searxng,
    /// Brave Search, with the key `BRAVE_API_KEY`.
    Brave,
    /// Tavily, with the key `TAVILY_API_KEY`.
    Tavily,
}

/// Which service `search.web` asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct WebSearch {
    pub engine: WebEngine,
    /// The service's address; null for its public one, which SearXNG does not have.
    pub url: Option<String>,
}

/// An MCP server whose tools flows can use: a program (`command`) or an address (`url`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct McpServer {
    /// The name in flows: `mcp:<name>/<tool>`.
    pub name: String,
    /// The program that is started, and speaks over standard input and output.
    pub command: Option<String>,
    pub args: Vec<String>,
    /// The names of the environment variables for the program, each filled from the key of the same name. It sees no others
    /// except those that every program needs.
    pub env: Vec<String>,
    /// The working folder of the program.
    pub cwd: Option<String>,
    /// The address of a server that speaks streamable HTTP.
    pub url: Option<String>,
    /// Header fields by name, each with the name of its key.
    pub headers: BTreeMap<String, String>,
}

/// A coding-agent program of the person's own, for Agent nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentRunner {
    /// The name in flows.
    pub name: String,
    pub command: String,
    /// Its arguments. `{prompt}` stands for the prompt, which goes to standard input if no argument contains it.
    pub args: Vec<String>,
    /// Further arguments that continue a session, with `{session}` in them; if empty, it cannot.
    pub resume_args: Vec<String>,
    /// The path of the answer, the session and an error in its JSON output: `result`, `message.text`.
    pub response_field: Option<String>,
    pub session_field: Option<String>,
    /// The names of its environment variables.
    pub env: Vec<String>,
}

/// A shared store by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct NamedStore {
    /// Letters, digits, `-` and `_`; it begins with a letter or digit.
    pub name: String,
    /// `postgres://USER@HOST:PORT/DATABASE`, without a password.
    pub url: String,
}

/// A person's settings. They contain no keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    pub theme: Theme,
    /// The provider of nodes with `auto`: `auto` (the first that is set up, or else built-in), `builtin`, `openai`, ….
    pub provider: String,
    pub model: Option<String>,
    pub openai_base_url: Option<String>,
    /// Addresses of the other providers, by id. They override those of the environment.
    pub addresses: BTreeMap<String, String>,
    /// The version of Azure's API, if not the default.
    pub azure_api_version: Option<String>,
    /// The folder that `search.documents` searches; `None` for the sample collection.
    pub documents_folder: Option<String>,
    pub budget_usd: Option<f64>,
    /// The window asks before it starts a run whose possible cost exceeds these dollars. `None`: it never asks.
    pub ask_above_usd: Option<f64>,
    /// Whether failed model calls are repeated if neither the node nor the workflow says otherwise.
    pub retry_calls: bool,
    /// The maximum size of past runs in megabytes. Above it, the oldest finished runs are removed. `None`: no limit.
    pub history_limit_mb: Option<u32>,
    /// The proxy that tools' requests go through; `None`: none.
    pub proxy: Option<String>,
    /// The service of `search.web`; `None` if it cannot be used.
    pub web_search: Option<WebSearch>,
    pub mcp_servers: Vec<McpServer>,
    /// Agents in addition to those that the program knows.
    pub agents: Vec<AgentRunner>,
    /// Stores of runs that several machines share.
    pub stores: Vec<NamedStore>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            provider: "auto".to_owned(),
            model: None,
            openai_base_url: None,
            addresses: BTreeMap::new(),
            azure_api_version: None,
            documents_folder: None,
            budget_usd: None,
            ask_above_usd: Some(1.0),
            retry_calls: true,
            history_limit_mb: Some(1_000),
            proxy: None,
            web_search: None,
            mcp_servers: Vec::new(),
            agents: Vec::new(),
            stores: Vec::new(),
        }
    }
}

/// Reads the settings. A damaged file is set aside, and the defaults are used.
pub(crate) fn load(data_dir: &Path) -> (Settings, Option<String>) {
    let path = paths::settings(data_dir);
    let (kept, damaged): (Map<String, Value>, _) = load_json(&path);
    match overlay(kept) {
        Ok(settings) => (settings, damaged),
        Err(error) => {
            let words = format!(
                "{} has a setting of the wrong type ({error}). Defaults are used.",
                path.display()
            );
            (Settings::default(), Some(words))
        }
    }
}

/// Returns the default settings, with each stored setting in place of its default: files of older versions lack newer settings.
fn overlay(kept: Map<String, Value>) -> serde_json::Result<Settings> {
    if kept.is_empty() {
        return Ok(Settings::default());
    }
    let mut all = serde_json::to_value(Settings::default())?;
    if let Some(fields) = all.as_object_mut() {
        fields.extend(kept);
    }
    serde_json::from_value(all)
}

impl WebSearch {
    pub fn of_tools(&self) -> loopwright_tools::WebSearch {
        loopwright_tools::WebSearch {
            engine: match self.engine {
                WebEngine::Searxng => SearchEngine::Searxng,
                WebEngine::Brave => SearchEngine::Brave,
                WebEngine::Tavily => SearchEngine::Tavily,
            },
            url: self.url.clone(),
        }
    }
}

impl AgentRunner {
    pub(crate) fn runner(&self) -> Runner {
        Runner {
            name: self.name.clone(),
            command: self.command.clone(),
            args: self.args.clone(),
            resume: self.resume_args.clone(),
            resume_first: false,
            format: Format::Own {
                response: self.response_field.clone(),
                session: self.session_field.clone(),
            },
            sandboxes: ["read_only", "workspace", "full"].map(str::to_owned),
            env: self.env.clone(),
        }
    }
}
