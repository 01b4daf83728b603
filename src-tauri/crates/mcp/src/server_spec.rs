//! How a server is started or reached, and what must be approved first.

use std::{collections::BTreeMap, path::PathBuf};

use loopwright_engine::trust::{Need, NeedKind, for_shell};
use serde::{Deserialize, Serialize};

/// How a server is started, or where it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerSpec {
    pub name: String,
    pub command: Option<String>,
    pub args: Vec<String>,
    /// Environment variables that it is given, by name.
    pub env: Vec<String>,
    pub cwd: Option<PathBuf>,
    pub url: Option<String>,
    /// Header fields, each with the name of the key that it carries.
    pub headers: BTreeMap<String, String>,
}

impl ServerSpec {
    /// The command line or the address, for people.
    pub fn shown(&self) -> String {
        let mut shown = match &self.url {
            Some(url) => url.clone(),
            None => self
                .command
                .iter()
                .chain(&self.args)
                .map(|word| for_shell(word))
                .collect::<Vec<_>>()
                .join(" "),
        };
        if let Some(folder) = &self.cwd {
            shown = format!("{shown} in {}", for_shell(&folder.display().to_string()));
        }
        let keys: Vec<&str> = self
            .env
            .iter()
            .chain(self.headers.values())
            .map(String::as_str)
            .collect();
        if !keys.is_empty() {
            shown = format!("{shown} with the keys {}", keys.join(", "));
        }
        shown
    }

    /// What must be approved before it is started.
    pub fn need(&self) -> Need {
        let exactly = serde_json::to_string(self).unwrap_or_default();
        Need::new(
            NeedKind::Server,
            format!("{}#{}", self.name, hash_text(&exactly)),
        )
        .detail(self.shown())
    }
}

/// The whole hash of a text. Two texts can be found that share a part of it.
pub(crate) fn hash_text(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
