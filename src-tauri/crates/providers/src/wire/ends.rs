//! The finish reasons of answers. Each format has its own names for them, and servers mix the names.

use super::format::End;

/// Returns the letters and digits of a reason, without the prefix that protocol buffer enums have, as in
/// `FINISH_REASON_STOP`.
fn squeezed(reason: &str) -> String {
    let word: String = reason
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric())
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    match word.strip_prefix("finishreason") {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => word,
    }
}

/// Returns the meaning of a reason. Case and separators are ignored.
pub(crate) fn end(reason: &str) -> End {
    match squeezed(reason).as_str() {
        "stop"
        | "stopped"
        | "stopsequence"
        | "stoptoken"
        | "stopstr"
        | "stopsequencetriggered"
        | "eos"
        | "eostoken"
        | "eot"
        | "eotid"
        | "eom"
        | "eosfound"
        | "endturn"
        | "end"
        | "ended"
        | "endoftext"
        | "endofsequence"
        | "endofturn"
        | "endofmessage"
        | "endtoken"
        | "complete"
        | "completed"
        | "completion"
        | "finish"
        | "finished"
        | "done"
        | "normal"
        | "success"
        | "successful"
        | "ok"
        | "s"
        | "imend" => End::Complete,
        "length"
        | "maxtokens"
        | "maxlength"
        | "modellength"
        | "maxoutputtokens"
        | "maxnewtokens"
        | "maxcompletiontokens"
        | "maxtokensreached"
        | "tokenlimit"
        | "lengthlimit"
        | "limit"
        | "truncated"
        | "incomplete"
        | "lengthcapped" => End::Length,
        "modelcontextwindowexceeded"
        | "contextlengthexceeded"
        | "contextwindowexceeded"
        | "contextlength"
        | "contextfull"
        | "errorlimit" => End::Overflow,
        "contentfilter"
        | "contentfiltered"
        | "contentfilterblocked"
        | "safety"
        | "sensitive"
        | "moderation"
        | "moderated"
        | "blocked"
        | "blocklist"
        | "prohibitedcontent"
        | "recitation"
        | "spii"
        | "imagesafety"
        | "errortoxic"
        | "guardrailintervened"
        | "guardrails" => End::Filtered(reason.to_owned()),
        "refusal" | "refused" => End::Refused,
        _ => End::Other(reason.to_owned()),
    }
}

/// Returns whether an unknown reason indicates that the text was cut off. Returns `false` for other reasons, such as
/// `unknown`, `other` or a newer word.
pub(crate) fn is_broken_off(reason: &str) -> bool {
    let word = squeezed(reason);
    [
        "abort",
        "cancel",
        "error",
        "exception",
        "fail",
        "fault",
        "interrupt",
        "kill",
        "malformed",
        "timeout",
        "timedout",
        "disconnect",
        "preempt",
        "unexpected",
        "invalid",
        "toomany",
        "missing",
        "unavailable",
        "overload",
        "language",
        "repetition",
    ]
    .iter()
    .any(|part| word.contains(part))
}

/// Returns the HTTP status for a reason that means a server error; `None` for any other reason. The text before a server
/// error may be incomplete.
pub(crate) fn failure(reason: &str) -> Option<u16> {
    match reason.to_ascii_lowercase().as_str() {
        "error" | "internal_error" | "server_error" => Some(500),
        // DeepSeek and Zhipu use these reasons for an answer that was cut off because of overload.
        "insufficient_system_resource" | "network_error" | "overloaded" => Some(503),
        _ => None,
    }
}

/// Returns whether a reason says that the answer ended with a tool call.
pub(crate) fn is_tool(reason: &str) -> bool {
    matches!(
        reason.to_ascii_lowercase().as_str(),
        "tool_calls" | "tool_call" | "function_call" | "tool_use" | "tool"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_the_same_in_any_case() {
        for word in [
            "stop",
            "STOP",
            "eos_token",
            "end_turn",
            "stop_sequence",
            "<|im_end|>",
            "</s>",
            "COMPLETE",
        ] {
            assert_eq!(end(word), End::Complete, "{word}");
        }
        for word in ["length", "MAX_TOKENS", "model_length", "max_output_tokens"] {
            assert_eq!(end(word), End::Length, "{word}");
        }
        assert_eq!(end("SAFETY"), End::Filtered("SAFETY".to_owned()));
        assert_eq!(end("abort"), End::Other("abort".to_owned()));
        assert!(is_tool("tool_calls") && failure("error").is_some());
    }

    #[test]
    fn the_name_of_an_enum_in_front_of_a_word_is_left_out() {
        assert_eq!(end("FINISH_REASON_STOP"), End::Complete);
        assert_eq!(end("finish_reason_length"), End::Length);
        assert_eq!(end("incomplete"), End::Length);
        assert!(matches!(end("FINISH_REASON"), End::Other(_)));
    }

    #[test]
    fn a_word_that_is_not_known_is_told_from_one_of_a_failure() {
        for word in [
            "unknown",
            "other",
            "OTHER",
            "pause_turn",
            "compaction",
            "a_new_word",
        ] {
            assert!(!is_broken_off(word), "{word}");
        }
        for word in [
            "abort",
            "cancelled",
            "MALFORMED_FUNCTION_CALL",
            "LANGUAGE",
            "request_timeout",
        ] {
            assert!(is_broken_off(word), "{word}");
        }
    }
}
