//! Which providers the settings and the environment set up. All of them speak the OpenAI protocol: OpenAI and servers
//! compatible with it, Ollama, and the compatible addresses of Anthropic and Gemini.

use std::time::Duration;

use crate::{
    openai::{OpenAiConfig, Secret},
    provider::ProviderSummary,
    set::ProviderSettings,
};

/// Reads an environment variable.
pub type Environment<'a> = dyn Fn(&str) -> Option<String> + 'a;

struct Known {
    id: &'static str,
    name: &'static str,
    key: Option<&'static str>,
    address: Option<&'static str>,
    /// The address when none is given.
    default_address: Option<&'static str>,
    remedy: &'static str,
}

const KNOWN: &[Known] = &[
    Known {
        id: "openai",
        name: "OpenAI-compatible",
        key: Some("OPENAI_API_KEY"),
        address: Some("OPENAI_BASE_URL"),
        default_address: Some("https://api.openai.com/v1"),
        remedy: "Set OPENAI_BASE_URL to a compatible server's address, OPENAI_API_KEY where it asks for a key, and choose the provider “openai”.",
    },
    Known {
        id: "anthropic",
        name: "Anthropic",
        key: Some("ANTHROPIC_API_KEY"),
        address: None,
        default_address: Some("https://api.anthropic.com/v1"),
        remedy: "Set ANTHROPIC_API_KEY.",
    },
    Known {
        id: "gemini",
        name: "Gemini",
        key: Some("GEMINI_API_KEY"),
        address: None,
        default_address: Some("https://generativelanguage.googleapis.com/v1beta/openai"),
        remedy: "Set GEMINI_API_KEY.",
    },
    Known {
        id: "ollama",
        name: "Ollama",
        key: None,
        address: Some("OLLAMA_HOST"),
        default_address: None,
        remedy: "Set OLLAMA_HOST to Ollama's address, such as http://127.0.0.1:11434.",
    },
];

/// The servers that can be called.
pub(crate) fn configured(
    settings: &ProviderSettings,
    environment: &Environment<'_>,
) -> Vec<OpenAiConfig> {
    let read = |name: &str| {
        environment(name)
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.is_empty())
    };
    KNOWN
        .iter()
        .filter_map(|known| {
            let key = known.key.and_then(read);
            let given = match known.id {
                "openai" => settings
                    .openai_base_url
                    .clone()
                    .map(|url| url.trim().to_owned())
                    .filter(|url| !url.is_empty()),
                _ => None,
            };
            let address = given.or_else(|| known.address.and_then(read));
            if key.is_none() && address.is_none() {
                return None;
            }
            let mut base_url = address.or_else(|| known.default_address.map(str::to_owned))?;
            if known.id == "ollama" {
                base_url = ollama(&base_url);
            }
            Some(OpenAiConfig {
                id: known.id.to_owned(),
                name: known.name.to_owned(),
                base_url,
                key: key.map(Secret::new),
                connect_timeout: Duration::from_secs(10),
                idle_timeout: Duration::from_secs(120),
            })
        })
        .collect()
}

/// `127.0.0.1:11434` → `http://127.0.0.1:11434/v1`
fn ollama(host: &str) -> String {
    let host = host.trim_end_matches('/');
    let address = if host.contains("://") {
        host.to_owned()
    } else {
        format!("http://{host}")
    };
    if address.ends_with("/v1") {
        address
    } else {
        format!("{address}/v1")
    }
}

/// How the providers look that are not set up.
pub(crate) fn missing() -> Vec<ProviderSummary> {
    KNOWN
        .iter()
        .map(|known| {
            let wanted: Vec<_> = known.address.into_iter().chain(known.key).collect();
            ProviderSummary {
                id: known.id.to_owned(),
                name: known.name.to_owned(),
                ready: false,
                status: format!("needs {}", wanted.join(" or ")),
                base_url: None,
                has_key: false,
                models: Vec::new(),
                note: known.remedy.to_owned(),
            }
        })
        .collect()
}

/// What to do about a provider that is not set up.
pub(crate) fn remedy(id: &str) -> &'static str {
    let known = KNOWN.iter().find(|known| known.id == id).or(KNOWN.first());
    known.map_or("", |known| known.remedy)
}
