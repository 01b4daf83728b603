//! The words by which servers say how an answer ended. Each format has its own, and servers mix them.

use super::format::End;

/// What a reason means. Upper case, and what stands between the words, make no difference.
pub(crate) fn end(reason: &str) -> End {
    let word: String = reason
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric())
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    match word.as_str() {
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

/// Whether a reason is an error of the server, and the status that it comes to. It is not about the text.
pub(crate) fn failure(reason: &str) -> Option<u16> {
    match reason.to_ascii_lowercase().as_str() {
        "error" | "internal_error" | "server_error" => Some(500),
        // Words of DeepSeek and Zhipu for an answer that was broken off for want of machines.
        "insufficient_system_resource" | "network_error" | "overloaded" => Some(503),
        _ => None,
    }
}

/// Whether a reason is a call of a tool.
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
}
