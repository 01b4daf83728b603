//! Any other server with OpenAI's chat completions API: vLLM, OpenRouter, LiteLLM, Groq, Mistral.

use crate::spec::{Needs, ProviderSpec, chat_completions, with_version};

pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    id: "compatible",
    name: "OpenAI-compatible",
    key: Some("COMPATIBLE_API_KEY"),
    address: "COMPATIBLE_BASE_URL",
    default_address: None,
    needs: Needs::Address,
    base: with_version,
    protocol: chat_completions,
    local: None,
    remedy: "Enter its address in Settings or set COMPATIBLE_BASE_URL, and COMPATIBLE_API_KEY if it needs a key.",
    note: "vLLM, LiteLLM, OpenRouter and other servers with OpenAI's chat completions API.",
};
