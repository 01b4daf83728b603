//! The user's settings, stored in one small JSON file.

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

/// The services that `search.web` can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum WebEngine {
    /// Your own SearXNG server, at `url`.
    Searxng,
    /// Brave Search, with the key `BRAVE_API_KEY`.
    Brave,
    /// Tavily, with the key `TAVILY_API_KEY`.
    Tavily,
}

/// The service that `search.web` uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct WebSearch {
    pub engine: WebEngine,
    /// The address of the service; null for its public address. SearXNG has no public address, so an address is required.
    pub url: Option<String>,
}

/// An MCP server whose tools flows can use: a program (`command`) or an address (`url`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct McpServer {
    /// The name of the server in flows: `mcp:<name>/<tool>`.
    pub name: String,
    /// The program that is started; `None` if the server has an address. It communicates over standard input and
    /// output.
    pub command: Option<String>,
    pub args: Vec<String>,
    /// The names of the environment variables for the program. The value of each is the stored key of the same name. Apart from
    /// these, the program receives only the variables that every program needs.
    pub env: Vec<String>,
    /// The working folder of the program; `None` for the folder in which Loopwright runs.
    pub cwd: Option<String>,
    /// The address of a server that speaks streamable HTTP; `None` if the server is a program.
    pub url: Option<String>,
    /// The HTTP headers, by name. Each value is the name of a key whose content is sent.
    pub headers: BTreeMap<String, String>,
}

/// A coding-agent program that the user added, for Agent nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentRunner {
    /// The name of the agent in flows.
    pub name: String,
    pub command: String,
    /// The arguments of the program. `{prompt}` stands for the prompt, which is written to standard input if no argument
    /// contains `{prompt}`.
    pub args: Vec<String>,
    /// Further arguments with which the program continues a session. They contain `{session}`. If they are empty, the program
    /// cannot continue a session.
    pub resume_args: Vec<String>,
    /// The path of the answer in the JSON output of the program, such as `result` or `message.text`. The path in
    /// `session_field` is that of the session's id.
    pub response_field: Option<String>,
    pub session_field: Option<String>,
    /// The names of the environment variables for the program. The value of each is the stored key of the same name.
    pub env: Vec<String>,
}

/// How the user is notified of unattended runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct Notifications {
    /// Whether the desktop shows notifications of the window's runs.
    pub desktop: bool,
    /// The minimum duration of a run, in seconds, for which the user is notified even if the window is in front.
    pub after_seconds: u32,
    /// Whether notifications may contain text from runs, such as questions, errors and outputs.
    pub texts: bool,
    /// A program that receives each notification as a JSON object on its standard input; `None` for no program.
    pub command: Option<NotifyProgram>,
}

/// A program that receives notifications about runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct NotifyProgram {
    /// The program: a name or a path.
    pub program: String,
    pub args: Vec<String>,
}

impl Default for Notifications {
    fn default() -> Self {
        Self {
            desktop: true,
            after_seconds: 30,
            texts: false,
            command: None,
        }
    }
}

/// A run store that several machines share, with the name that the user gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct NamedStore {
    /// The name of the store: letters, digits, `-` and `_`, beginning with a letter or digit.
    pub name: String,
    /// The address of the store, without a password: `postgres://USER@HOST:PORT/DATABASE`.
    pub url: String,
}

/// The user's settings. They contain no keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    pub theme: Theme,
    /// The provider of nodes whose provider is `auto`: `builtin`, `openai` or another provider's id. `auto` means the first
    /// provider that is set up, or else the built-in models.
    pub provider: String,
    pub model: Option<String>,
    pub openai_base_url: Option<String>,
    /// The addresses of the providers other than OpenAI, by id. They override the addresses in the environment.
    pub addresses: BTreeMap<String, String>,
    /// The version of the Azure OpenAI API; `None` for the default version.
    pub azure_api_version: Option<String>,
    /// The folder that `search.documents` searches; `None` for the sample collection.
    pub documents_folder: Option<String>,
    pub budget_usd: Option<f64>,
    /// The cost in dollars above which the window asks before it starts a run; `None` to never ask.
    pub ask_above_usd: Option<f64>,
    /// Whether failed model calls are repeated if neither the node nor the workflow says otherwise.
    pub retry_calls: bool,
    /// The maximum size of past runs in megabytes; `None` for no limit. If it is exceeded, the oldest finished runs are
    /// removed.
    pub history_limit_mb: Option<u32>,
    /// Whether the window keeps the computer awake while runs are active.
    pub keep_awake: bool,
    /// Whether runs that were interrupted because the program had to end, such as when the user logged out, continue when
    /// the window is opened again.
    pub continue_runs: bool,
    pub notifications: Notifications,
    /// The time in hours after which a tool call that nobody allowed is refused; `None` to wait forever.
    pub refuse_calls_after_hours: Option<f64>,
    /// The proxy for the requests of tools; `None` for no proxy.
    pub proxy: Option<String>,
    /// The service that `search.web` uses; `None` if none is set up.
    pub web_search: Option<WebSearch>,
    pub mcp_servers: Vec<McpServer>,
    /// Agents in addition to the built-in ones.
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
            keep_awake: true,
            continue_runs: false,
            notifications: Notifications::default(),
            refuse_calls_after_hours: None,
            proxy: None,
            web_search: None,
            mcp_servers: Vec::new(),
            agents: Vec::new(),
            stores: Vec::new(),
        }
    }
}

/// Reads the settings. If they cannot be read, returns the defaults and a message. A damaged file is also renamed.
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

/// Returns the default settings, overridden by the stored ones. Newer settings are missing in the files of older versions.
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
