//! Recognizes keep-alive events of a stream. Server-sent events have comments for this purpose, but some servers and
//! gateways send keep-alives as data. Clients that parse every event as JSON fail on them.
//!
//! The recognized forms come from public reports: a comment within the data (anomalyco/opencode issue 50871,
//! mnfst/llm-gateway issue 2053), a single word, an event with its own name. Only data that certainly has no content is
//! ignored: other text that is not JSON is an error.

/// Names of events that belong neither to an answer nor to an error.
const NAMES: [&str; 16] = [
    "comment",
    "connected",
    "connection",
    "heartbeat",
    "init",
    "keepalive",
    "metadata",
    "open",
    "ping",
    "pong",
    "processing",
    "queue",
    "ready",
    "session",
    "tick",
    "waiting",
];

/// Words that mean a keep-alive event if they are the only data.
const WORDS: [&str; 8] = [
    "alive",
    "heartbeat",
    "keepalive",
    "noop",
    "null",
    "ping",
    "pong",
    "processing",
];

/// Returns whether the data of an event has no content, for any name of the event. Examples of such data are `ping`,
/// `: keepalive` and `ping - 2026-01-01 00:00:00`.
pub(super) fn says_nothing(data: &str) -> bool {
    let data = data.trim().trim_matches('"');
    if data.starts_with(':') && !data.contains('\n') {
        return true;
    }
    let letters: String = data
        .chars()
        .filter(|letter| letter.is_alphabetic())
        .collect();
    // Removes the letters of a timestamp such as `2026-01-01T00:00:00Z`.
    let letters = letters
        .strip_suffix("TZ")
        .unwrap_or(&letters)
        .to_lowercase();
    data.len() < 64 && !data.contains(['{', '[']) && WORDS.contains(&letters.as_str())
}

/// Returns whether an event is a keep-alive: its name is one of [`NAMES`], and its data contains no JSON. JSON may be part
/// of an answer whose preceding blank line is missing, so it is not ignored.
pub(super) fn is_aside(name: &str, data: &str) -> bool {
    let name: String = name
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric())
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    NAMES.contains(&name.as_str()) && !data.contains(['{', '['])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_keep_a_connection_alive_say_nothing() {
        for data in [
            "ping",
            "PING",
            "\"ping\"",
            "keep-alive",
            "keep alive",
            "ping - 2026-01-01 00:00:00.000000",
            "heartbeat 2026-01-01T00:00:00Z",
            ": OPENROUTER PROCESSING",
            "null",
        ] {
            assert!(says_nothing(data), "{data}");
        }
        for data in [
            "ping me",
            "Service overloaded",
            "pinging",
            "ping\n{\"error\": 1}",
            ": x\n{\"error\": 1}",
            "{\"type\":\"ping\"}",
            "[DONE]",
            "Hello",
            "",
        ] {
            assert!(!says_nothing(data), "{data}");
        }
    }

    #[test]
    fn only_names_that_are_no_answers_are_passed_over() {
        assert!(is_aside("keep-alive", "anything") && is_aside("Ping", "12:00"));
        for (name, data) in [
            ("", "x"),
            ("message", "x"),
            ("token", "Hello"),
            ("error", "x"),
            ("status", "failed"),
            ("ping", "x\n{\"choices\": []}"),
        ] {
            assert!(!is_aside(name, data), "{name} {data}");
        }
    }
}
