//! The needs of a tool: the hosts, folders, programs and secrets that it would use.

use serde::{Deserialize, Serialize};

/// The kind of resource that is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum NeedKind {
    /// A host on the public internet, such as `api.example.org` or `api.example.org:8443`; `*` stands for any host.
    Host,
    /// A host on this computer or its network, such as `127.0.0.1:8080`.
    Private,
    /// A folder whose files are read.
    Read,
    /// A folder whose files are read and written.
    Write,
    /// A program that is started, with its arguments and its permissions.
    Command,
    /// An MCP server that is started or connected to, by its name and a digest of its command or address.
    Server,
    /// A tool of an MCP server, by its name and a digest of its description and schema.
    ServerTool,
    /// A secret, by the name of its environment variable or keychain entry, and its destination, such as
    /// `MY_TOKEN@https://api.example.org` or `MY_TOKEN@agent:codex`.
    Key,
}

impl NeedKind {
    pub const ALL: [Self; 8] = [
        Self::Host,
        Self::Private,
        Self::Read,
        Self::Write,
        Self::Command,
        Self::Server,
        Self::ServerTool,
        Self::Key,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Private => "private",
            Self::Read => "read",
            Self::Write => "write",
            Self::Command => "command",
            Self::Server => "server",
            Self::ServerTool => "server_tool",
            Self::Key => "key",
        }
    }
}

/// One resource that a flow would use.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Need {
    pub kind: NeedKind,
    /// The exact subject: a host, a folder, a command line or a name. A grant covers only a need with exactly this text.
    pub what: String,
    /// Details for a person, besides `what`; `None` if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether the user allowed the subject in Settings for every flow, so that no flow needs a grant for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_settings: bool,
}

/// The value that stands for a subject that is not known before the flow runs.
pub const ANY: &str = "*";

/// Returns whether the value of `text` is known only once its templates are rendered.
pub fn is_computed(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|mark| text.contains(mark))
}

impl Need {
    pub fn new(kind: NeedKind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            detail: None,
            in_settings: false,
        }
    }

    /// Returns the name of a key and its destination; `None` if the need is not for a key.
    pub fn key_and_destination(&self) -> Option<(&str, &str)> {
        match self.kind {
            NeedKind::Key => self.what.split_once('@'),
            _ => None,
        }
    }

    /// Returns whether a grant can name the subject. A computed folder, program or key destination cannot be granted in
    /// advance. Once it is known, it is checked under its actual name.
    pub fn can_be_granted(&self) -> bool {
        match self.kind {
            NeedKind::Read | NeedKind::Write | NeedKind::Command => self.what != ANY,
            NeedKind::Key => self.key_and_destination().is_some_and(|(name, to)| {
                name != ANY && to != ANY && !name.is_empty() && !to.is_empty()
            }),
            NeedKind::Server | NeedKind::ServerTool => !has_short_digest(&self.what),
            NeedKind::Host | NeedKind::Private => true,
        }
    }

    #[must_use]
    pub fn in_settings(mut self) -> Self {
        self.in_settings = true;
        self
    }

    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }
}

/// Returns whether a server or its tool is named by only part of its digest, as in earlier versions. Another server or tool
/// could have the same part.
fn has_short_digest(what: &str) -> bool {
    what.rsplit_once('#').is_some_and(|(_, digest)| {
        digest.len() == 12 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}
