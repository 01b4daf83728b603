//! Detects transient failures that happened before an agent did anything. Only these are retried without asking the user.

use serde_json::Value;

use super::{
    format::Format,
    output::{events, objects},
};

/// Phrases that identify transient failures reported without a status, each with the error code that a model call would
/// return.
const WORDS: [(&str, &str); 13] = [
    ("overloaded", "http_529"),
    ("too many requests", "http_429"),
    ("rate limit", "http_429"),
    ("connection error", "network"),
    ("stream disconnected", "network"),
    ("econnreset", "network"),
    ("econnrefused", "network"),
    ("etimedout", "network"),
    ("fetch failed", "network"),
    ("connectionrefused", "network"),
    ("unable to connect", "network"),
    ("at capacity", "http_503"),
    ("high demand", "http_503"),
];

/// Words that mark a failure as lasting for more than minutes, even if its status is transient.
const LASTING: [&str; 6] = [
    "usage limit",
    "quota",
    "credit",
    "billing",
    "unauthorized",
    "authentication",
];

/// Words before a number that mark the number as an HTTP status.
const STATUS_WORDS: [&str; 4] = ["api error", "status", "error code", "http"];

/// Returns the error code of a transient failure described by an agent's message, or `None` for any other message.
fn code(words: &str) -> Option<String> {
    let words = words.to_lowercase();
    let has = |part: &str| words.contains(part);
    if LASTING.iter().any(|lasting| has(lasting)) {
        return None;
    }
    if STATUS_WORDS.iter().any(|word| has(word)) {
        let status = words
            .split(|c: char| !c.is_ascii_alphanumeric())
            .find(|word| matches!(*word, "429" | "500" | "502" | "503" | "504" | "529"));
        if let Some(status) = status {
            return Some(format!("http_{status}"));
        }
    }
    let known = WORDS.iter().find(|(word, _)| has(word));
    known.map(|(_, code)| (*code).to_owned())
}

/// Returns whether the output shows that the model gave no answer in this turn, so that nothing was done.
pub(super) fn did_nothing(format: &Format, output: &str) -> bool {
    let (mut began, mut worked) = (false, false);
    match format {
        Format::ClaudeCode => {
            let found = objects(output);
            let Some(result) = found.iter().rev().find(|value| value["type"] == "result") else {
                return false;
            };
            let used = result
                .pointer("/usage/output_tokens")
                .and_then(Value::as_u64);
            let turns = result["num_turns"].as_u64();
            return used == Some(0) && turns.is_some_and(|turns| turns <= 1);
        }
        // Answers, commands and changes are items.
        Format::Codex => {
            for event in events(output) {
                let kind = event["type"].as_str().unwrap_or_default();
                began |= kind == "thread.started";
                worked |= kind.starts_with("item.")
                    && event.pointer("/item/type").and_then(Value::as_str) != Some("error");
            }
        }
        Format::Gemini => {
            for event in events(output) {
                match event["type"].as_str() {
                    Some("init") => began = true,
                    Some("message") => worked |= event["role"] == "assistant",
                    Some("tool_use" | "tool_result") => worked = true,
                    _ => {}
                }
            }
        }
        // For other programs, it is unknown what they did.
        Format::Own { .. } => {}
    }
    began && !worked
}

/// Returns the error code of a failure after which the same turn can be retried, or `None` for any other failure.
pub(super) fn passing(format: &Format, output: &str, words: &str) -> Option<String> {
    code(words).filter(|_| did_nothing(format, output))
}

/// Phrases with which agents say that they have no session with the given id. They say so before they call their model.
const LOST_SESSION: [&str; 5] = [
    "no conversation found with session",
    "no previous sessions found",
    "error resuming session",
    "no rollout found for",
    "invalid session identifier",
];

/// Returns whether an agent's message says that it cannot continue a session because it does not have it.
pub(super) fn session_is_lost(words: &str) -> bool {
    let words = words.to_lowercase();
    LOST_SESSION.iter().any(|phrase| words.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_agents_have_codes() {
        for (words, expected) in [
            (r#"API Error: 529 {"type":"error"}"#, Some("http_529")),
            ("API Error: Connection error.", Some("network")),
            (
                "API Error: Unable to connect to API (ConnectionRefused)",
                Some("network"),
            ),
            (
                "We\u{2019}re currently experiencing high demand, which may cause temporary errors.",
                Some("http_503"),
            ),
            (
                "Selected model is at capacity. Please try a different model.",
                Some("http_503"),
            ),
            (
                "unexpected status 503 Service Unavailable",
                Some("http_503"),
            ),
            (
                "exceeded retry limit, last status: 429 Too Many Requests",
                Some("http_429"),
            ),
            ("stream disconnected before completion", Some("network")),
            ("Claude AI usage limit reached|1734567890", None),
            ("API Error: 401 invalid x-api-key", None),
            ("You exceeded your current quota (status 429)", None),
            ("I changed 500 files.", None),
        ] {
            assert_eq!(code(words).as_deref(), expected, "{words}");
        }
    }

    #[test]
    fn a_turn_that_did_something_is_not_repeated() {
        let of = |format, output: &str| passing(&format, output, "API Error: 529 overloaded");
        let claude = |turns: u32, tokens: u32| {
            format!(
                r#"{{"type":"result","num_turns":{turns},"usage":{{"output_tokens":{tokens}}}}}"#
            )
        };
        assert!(of(Format::ClaudeCode, &claude(1, 0)).is_some());
        assert!(of(Format::ClaudeCode, &claude(4, 0)).is_none());
        assert!(of(Format::ClaudeCode, &claude(1, 9)).is_none());
        assert!(of(Format::ClaudeCode, "").is_none());
        let started = r#"{"type":"thread.started"}
{"type":"turn.failed"}"#;
        assert!(of(Format::Codex, started).is_some());
        let item = r#"{"type":"item.started","item":{"type":"command_execution"}}"#;
        assert!(of(Format::Codex, &format!("{started}\n{item}")).is_none());
        let init = r#"{"type":"init"}
{"type":"message","role":"user"}"#;
        assert!(of(Format::Gemini, init).is_some());
        let tool = r#"{"type":"tool_use"}"#;
        assert!(of(Format::Gemini, &format!("{init}\n{tool}")).is_none());
        assert!(of(Format::Gemini, "").is_none());
        let own = Format::Own {
            response: None,
            session: None,
        };
        assert!(of(own, "").is_none());
    }
}
