//! MCP servers of the settings: their tools for flows, and what they last said of themselves.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use loopwright_engine::trust::{Grants, Need, Secrets};
use loopwright_mcp::{McpTools, SeenTool, ServerSpec, is_shortened};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{
    app::App,
    dto::McpServer,
    error::{ApiError, Code},
    files,
    json_file::{load_json, save_json},
    paths, secrets,
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

/// How a server of the settings stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct McpStanding {
    pub server: String,
    /// The command or address with the names of its keys, as it would be started.
    pub shown: String,
    /// What is approved when it is started: exactly this, and no other command of the same name.
    pub item: String,
    /// Whether the person approved it to be started from the settings.
    pub approved: bool,
    /// Names and descriptions of its tools, as it last gave them; null where it was never started as it now is.
    pub tools: Option<Vec<(String, String)>>,
}

/// What servers said, by server, with how they were started then.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Seen {
    servers: BTreeMap<String, (ServerSpec, Vec<SeenTool>)>,
}

/// Words for a need; where it was approved by a part of its digest, as earlier versions did, that it is asked again.
pub(crate) fn detail(need: &Need, granted: &Grants) -> Option<String> {
    let before = granted.items.iter().any(|item| is_shortened(item, need));
    match &need.detail {
        detail if !before => detail.clone(),
        detail => Some(format!(
            "It was approved before, by a part of its digest, which another could share: look at all of it and approve it again.\n{}",
            detail.as_deref().unwrap_or_default()
        )),
    }
}

/// A warning when the program starts that the file of server descriptions is damaged. Each server is then asked about again.
pub(crate) fn damage(data_dir: &Path) -> Option<String> {
    let (_, damaged): (Seen, _) = load_json(&paths::mcp(data_dir));
    damaged
}

fn named(tools: Vec<SeenTool>) -> Vec<(String, String)> {
    tools
        .into_iter()
        .map(|tool| (tool.name, tool.description))
        .collect()
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
    fn seen(&self) -> Seen {
        let (seen, damaged) = load_json(&paths::mcp(self.data_dir()));
        if let Some(words) = damaged {
            self.give_notice(words);
        }
        seen
    }

    pub(crate) fn mcp_tools(&self, grants: &Grants, secrets: &Secrets) -> McpTools {
        let servers = self.settings().mcp_servers;
        let kept = match servers.is_empty() {
            true => Seen::default(),
            false => self.seen(),
        };
        let specs: Vec<ServerSpec> = servers.iter().map(spec).collect();
        // What another command said is not what this one says.
        let seen = kept
            .servers
            .into_iter()
            .filter(|(name, (was, _))| specs.iter().any(|spec| spec.name == *name && spec == was))
            .map(|(name, (_, tools))| (name, tools))
            .collect();
        let (data_dir, known) = (self.data_dir().to_path_buf(), specs.clone());
        McpTools::new(specs, &seen, grants, secrets, move |name, tools| {
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
        })
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
        let secrets = secrets::lookup(self.keys());
        let tools = self
            .mcp_tools(&Grants::default(), &secrets)
            .look(name)
            .await
            .map_err(|error| {
                ApiError::new(Code::InvalidArgument, secrets.redact(&error.message))
            })?;
        Ok(McpLook {
            server: name.to_owned(),
            shown,
            tools: named(tools),
        })
    }

    /// The servers of the settings, in their order: how each would be started, and what it last said of its tools. Starts none.
    pub fn mcp_standing(&self) -> Vec<McpStanding> {
        let kept = self.seen();
        let approved = self.approved_in_settings();
        let standing = |server: &McpServer| {
            let spec = spec(server);
            let item = spec.need().item();
            let seen = kept
                .servers
                .get(&spec.name)
                .filter(|(was, _)| *was == spec)
                .map(|(_, tools)| named(tools.clone()));
            McpStanding {
                shown: spec.shown(),
                approved: approved.contains(&item),
                server: spec.name,
                item,
                tools: seen,
            }
        };
        self.settings().mcp_servers.iter().map(standing).collect()
    }

    /// Starts a server of the settings and gives how it then stands. `item` is what the person approved, as
    /// [`McpStanding::item`] showed it; the approval is kept until it is taken back.
    ///
    /// # Errors
    /// [`Code::NotApproved`] where the server would be started in another way by now, and nothing was started;
    /// [`Code::InvalidArgument`] where there is none of this name, or it does not start.
    pub async fn look_at_approved_mcp(
        &self,
        name: &str,
        item: &str,
    ) -> Result<McpStanding, ApiError> {
        let standing = |app: &Self| {
            let all = app.mcp_standing();
            all.into_iter().find(|known| known.server == name)
        };
        if standing(self).is_some_and(|now| now.item != item) {
            return Err(ApiError::new(
                Code::NotApproved,
                format!(
                    "How the MCP server “{name}” is started has changed since it was shown. Look again; nothing was started."
                ),
            ));
        }
        if standing(self).is_some_and(|now| !now.approved) {
            self.approve_in_settings(item)?;
        }
        self.look_at_mcp(name).await?;
        standing(self).ok_or_else(|| {
            ApiError::new(
                Code::InvalidArgument,
                format!("There is no MCP server “{name}” any more."),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use loopwright_engine::trust::NeedKind;

    use super::*;

    #[test]
    fn an_approval_by_a_part_of_the_digest_is_said_and_asked_again() {
        let what = format!("s/echo#{}", "0829406c2194".repeat(6).split_at(64).0);
        let need = Need::new(NeedKind::ServerTool, what).detail("Repeats.");
        let short: Grants = ["server_tool:s/echo#0829406c2194"].into_iter().collect();
        assert!(!short.cover(&need));
        let words = detail(&need, &short).unwrap();
        assert!(
            words.contains("approve it again") && words.ends_with("Repeats."),
            "{words}"
        );
        let none = Grants::default();
        assert_eq!(detail(&need, &none).as_deref(), Some("Repeats."));
    }
}
