//! What there is to say of a provider that can be set up: its names, its address, its protocol and how it is found.

use crate::{provider::ModelSummary, wire::format::Protocol};

/// A provider that can be set up.
pub(crate) struct ProviderSpec {
    /// What flows name.
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// The environment variable of its key.
    pub(crate) key: Option<&'static str>,
    /// The environment variable of its address.
    pub(crate) address: &'static str,
    /// The address where none is given; of a local server, where it is looked for.
    pub(crate) default_address: Option<&'static str>,
    pub(crate) needs: Needs,
    /// The address as a person writes it, made one that the protocol's paths go behind.
    pub(crate) base: fn(&str) -> String,
    /// Given the version of the interface that a person set, where it has such.
    pub(crate) protocol: fn(Option<&str>) -> Protocol,
    /// Where it runs on this computer, how it is told from other servers at that address.
    pub(crate) local: Option<Local>,
    pub(crate) remedy: &'static str,
    pub(crate) note: &'static str,
}

/// What must be there before it can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// A key; or an address of its own, behind which none may be asked for.
    KeyOrAddress,
    KeyAndAddress,
    Address,
}

/// A server on this computer that is found by itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Local {
    /// What it is asked, at its root.
    pub(crate) path: &'static str,
    /// Whether its answer is this server's.
    pub(crate) is: fn(&serde_json::Value) -> bool,
    /// Its models, where the answer lists them; else they are asked for by the protocol.
    pub(crate) models: fn(&serde_json::Value) -> Vec<ModelSummary>,
}

/// Chat completions, whatever the version.
pub(crate) fn chat_completions(_version: Option<&str>) -> Protocol {
    Protocol::ChatCompletions
}

/// The address as it is written.
pub(crate) fn as_written(address: &str) -> String {
    address.trim().to_owned()
}

/// The address of a server whose protocol begins at its root, where people may write the version too.
pub(crate) fn at_root(address: &str) -> String {
    let address = address.trim().trim_end_matches('/');
    let root = ["/v1beta", "/v1"]
        .iter()
        .find_map(|version| address.strip_suffix(version));
    root.unwrap_or(address).to_owned()
}

/// The address of a server on this computer, with the version of the protocol: `localhost:1234` → `http://localhost:1234/v1`.
pub(crate) fn local_v1(address: &str) -> String {
    let address = address.trim().trim_end_matches('/');
    let address = if address.contains("://") {
        address.to_owned()
    } else {
        format!("http://{address}")
    };
    // What a server listens on is not where it is called.
    let address = address.replacen("://0.0.0.0", "://127.0.0.1", 1);
    if address.ends_with("/v1") {
        address
    } else {
        format!("{address}/v1")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_as_people_write_them() {
        for (written, base) in [
            ("127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
            ("http://0.0.0.0:11434/", "http://127.0.0.1:11434/v1"),
            ("http://host:1234/v1", "http://host:1234/v1"),
        ] {
            assert_eq!(local_v1(written), base);
        }
        assert_eq!(
            at_root("https://api.anthropic.com/v1/"),
            "https://api.anthropic.com"
        );
        assert_eq!(
            at_root("http://127.0.0.1:1/proxy"),
            "http://127.0.0.1:1/proxy"
        );
    }
}
