//! The specification of a server: how it is started or reached, and what must be approved first.

use std::{collections::BTreeMap, path::PathBuf};

use loopwright_engine::trust::{Need, NeedKind, for_shell};
use serde::{Deserialize, Serialize};

/// The command that starts a server, or its address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerSpec {
    pub name: String,
    pub command: Option<String>,
    pub args: Vec<String>,
    /// The names of the environment variables that the server receives.
    pub env: Vec<String>,
    pub cwd: Option<PathBuf>,
    pub url: Option<String>,
    /// The header fields of each request, by name. Each value is the name of the key that is sent in the field.
    pub headers: BTreeMap<String, String>,
}

impl ServerSpec {
    /// Returns the command line or the address, to be shown to the user.
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

    /// Returns the need that must be approved before the server starts.
    pub fn need(&self) -> Need {
        let exactly = serde_json::to_string(self).unwrap_or_default();
        Need::new(
            NeedKind::Server,
            format!("{}#{}", self.name, hash_text(&exactly)),
        )
        .detail(self.shown())
    }
}

/// Returns the full hash of `text`. A shortened hash would allow collisions.
pub(crate) fn hash_text(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
