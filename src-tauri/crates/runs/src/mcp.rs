//! The tools of the configured MCP servers, as flows use them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use loopwright_engine::trust::{Grants, Need, Secrets};
use loopwright_mcp::{McpTools, SeenTool, ServerSpec, is_shortened};
use serde::{Deserialize, Serialize};

use crate::{
    env::Env,
    files,
    json_file::{load_json, save_json},
    paths,
    settings::McpServer,
};

/// The tools that each server listed, keyed by server name, with the command or address that was used to reach it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Seen {
    pub(crate) servers: BTreeMap<String, (ServerSpec, Vec<SeenTool>)>,
}

/// Returns the description of a need; `None` if it has none. If an earlier version of this program stored its approval with
/// a shortened digest, the description asks for a new approval.
pub(crate) fn detail(need: &Need, granted: &Grants) -> Option<String> {
    let before = granted.items.iter().any(|item| is_shortened(item, need));
    match &need.detail {
        detail if !before => detail.clone(),
        detail => Some(format!(
            "An earlier version of Loopwright stored only part of this tool's digest with your approval, and another tool could have the same part. Check the tool again, then approve it.\n{}",
            detail.as_deref().unwrap_or_default()
        )),
    }
}

/// Returns a warning if the file with the listed tools is damaged, and `None` otherwise. The warning is shown when the
/// program starts. The tools of each server are then listed again.
pub(crate) fn damage(data_dir: &Path) -> Option<String> {
    let (_, damaged): (Seen, _) = load_json(&paths::mcp(data_dir));
    damaged
}

pub(crate) fn named(tools: Vec<SeenTool>) -> Vec<(String, String)> {
    tools
        .into_iter()
        .map(|tool| (tool.name, tool.description))
        .collect()
}

pub(crate) fn spec(server: &McpServer) -> ServerSpec {
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

pub(crate) fn seen(env: &Env) -> Seen {
    let (seen, damaged) = load_json(&paths::mcp(env.data_dir()));
    if let Some(words) = damaged {
        env.give_notice(words);
    }
    seen
}

pub(crate) fn mcp_tools(env: &Env, grants: &Grants, secrets: &Secrets) -> McpTools {
    let servers = env.settings().mcp_servers;
    let kept = match servers.is_empty() {
        true => Seen::default(),
        false => seen(env),
    };
    let specs: Vec<ServerSpec> = servers.iter().map(spec).collect();
    // Tools that were listed by a different command or address under the same name are ignored.
    let seen = kept
        .servers
        .into_iter()
        .filter(|(name, (was, _))| specs.iter().any(|spec| spec.name == *name && spec == was))
        .map(|(name, (_, tools))| (name, tools))
        .collect();
    let (data_dir, known) = (env.data_dir().to_path_buf(), specs.clone());
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
            tracing::warn!("The tools of an MCP server could not be saved: {error}");
        }
    })
}

#[cfg(test)]
mod tests {
    use loopwright_engine::trust::NeedKind;

    use super::*;

    #[test]
    fn an_approval_by_part_of_a_digest_is_reported_and_asked_again() {
        let what = format!("s/echo#{}", "0829406c2194".repeat(6).split_at(64).0);
        let need = Need::new(NeedKind::ServerTool, what).detail("Repeats.");
        let short: Grants = ["server_tool:s/echo#0829406c2194"].into_iter().collect();
        assert!(!short.cover(&need));
        let words = detail(&need, &short).unwrap();
        assert!(
            words.contains("then approve it") && words.ends_with("Repeats."),
            "{words}"
        );
        let none = Grants::default();
        assert_eq!(detail(&need, &none).as_deref(), Some("Repeats."));
    }
}
