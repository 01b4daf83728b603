//! Handling of damaged data that all stores share: the nesting depth of stored text, and the list entry of a run that cannot be
//! read.

use super::{RunFailure, RunHeaderBrief, RunState};
use crate::{status::RunStatus, warning::Warning};

/// Returns the maximum nesting depth of arrays and objects in JSON text, without parsing it. So text that would overflow a
/// parser's stack can be refused before it is parsed.
pub fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Returns whether JSON text is nested at most `deepest` levels deep. This is fast for text with few brackets.
pub fn is_nested_within(text: &str, deepest: usize) -> bool {
    let opened = |byte: &u8| matches!(byte, b'[' | b'{');
    text.len() <= deepest
        || text.as_bytes().iter().filter(|byte| opened(byte)).count() <= deepest
        || nesting(text) <= deepest
}

/// Returns the list entry of a run whose stored data is damaged. `what` describes the damage, as the end of the sentence "This
/// run is damaged: …".
pub fn damaged_entry(brief: RunHeaderBrief, what: &str) -> (RunHeaderBrief, RunState) {
    let state = damaged_state(what);
    let brief = RunHeaderBrief {
        damage: Some(what.to_owned()),
        ..brief
    };
    (brief, state)
}

/// Returns the state of a damaged run. `what` is as in [`damaged_entry`].
pub fn damaged_state(what: &str) -> RunState {
    let message = format!("This run is damaged: {what}.");
    RunState {
        status: RunStatus::Failed,
        warnings: vec![Warning {
            code: "damaged".to_owned(),
            node: None,
            message: message.clone(),
        }],
        error: Some(RunFailure {
            code: "damaged".to_owned(),
            node: None,
            message,
        }),
        ..RunState::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_texts_do_not_count() {
        assert_eq!(nesting(r#"{"a": ["[[[", "\"[["], "b": [[]]}"#), 3);
        assert_eq!(nesting("1"), 0);
        let deep = "[".repeat(600);
        assert!(!is_nested_within(&deep, 512));
        assert!(is_nested_within(&format!("[\"{deep}\"]"), 512));
        assert!(is_nested_within(&"[],".repeat(600), 512));
    }
}
