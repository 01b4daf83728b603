//! The built-in reviser: makes the corrections that a critique asks for.

use loopwright_engine::host::{ModelReply, ModelRequest};
use loopwright_prose::{Level, apply, check};

use super::{
    critique, prompt,
    reply::{Answer, required_text},
};

/// Rounds of checking when there is no critique and none is to come: corrections bring others to light.
const ROUNDS: usize = 3;

/// With a critique: exactly its corrections. Without one, in a flow whose system prompt speaks of feedback or a first
/// draft: the text as it is, for the critic to read. Without either: everything that `check` finds.
pub(crate) fn answer(request: &ModelRequest) -> Answer {
    let parts = prompt::parts(&request.prompt);
    required_text(
        parts.draft,
        "Built-in reviser was given no text to revise: wire a text to its prompt.",
    )?;
    let mut warnings = Vec::new();
    let text = match parts.critique {
        Some(critique) => with_critique(parts.draft, critique, &mut warnings),
        None => {
            if prompt::is_instruction(parts.draft) {
                warnings.push((
                    "builtin_limits".to_owned(),
                    "The prompt reads as a task. Built-in reviser cannot write new text: it took the task itself for the draft. Give it a text, or set up a model provider.".to_owned(),
                ));
            }
            if critique_follows(request.system.as_deref()) {
                parts.draft.to_owned()
            } else {
                corrected(parts.draft)
            }
        }
    };
    Ok(ModelReply {
        text,
        warnings,
        ..ModelReply::default()
    })
}

fn critique_follows(system: Option<&str>) -> bool {
    let system = system.unwrap_or_default().to_lowercase();
    ["feedback", "critique", "first draft"]
        .iter()
        .any(|word| system.contains(word))
}

fn with_critique(draft: &str, written: &str, warnings: &mut Vec<(String, String)>) -> String {
    let corrections = critique::corrections(written);
    if corrections.is_empty() {
        // The critic found nothing, or someone wrote in words that only a language model understands.
        if !written.contains("can stand as it is") {
            warnings.push((
                "critique_not_understood".to_owned(),
                "Built-in reviser follows corrections that quote what to replace and with what. It found none in this critique and corrected the draft by its own rules.".to_owned(),
            ));
            return corrected(draft);
        }
        return draft.to_owned();
    }
    let (text, unplaced) = critique::apply(draft, &corrections);
    if !unplaced.is_empty() {
        let words: Vec<_> = unplaced
            .iter()
            .take(3)
            .map(|correction| format!("“{}”", correction.found))
            .collect();
        warnings.push((
            "correction_not_placed".to_owned(),
            format!("{} of {} corrections could not be made, because the draft does not have what they quote: {}.", unplaced.len(), corrections.len(), words.join(", ")),
        ));
    }
    text
}

fn corrected(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let findings: Vec<_> = check(&text)
            .into_iter()
            .filter(|finding| finding.kind.level() != Level::Style)
            .collect();
        let revised = apply(&text, &findings);
        if revised == text {
            break;
        }
        text = revised;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revise(system: &str, prompt: &str) -> ModelReply {
        let request = ModelRequest {
            system: Some(system.to_owned()),
            prompt: prompt.to_owned(),
            ..ModelRequest::default()
        };
        answer(&request).unwrap()
    }

    #[test]
    fn a_critique_is_followed_and_nothing_else_is_touched() {
        let reply = revise(
            "",
            "DRAFT:\nTeh cat sat. I recieved it.\n\nCRITIQUE:\n1. Spelling: in “Teh cat sat.”, replace “Teh” with “The”.",
        );
        assert_eq!(reply.text, "The cat sat. I recieved it.");
        assert!(reply.warnings.is_empty());
    }

    #[test]
    fn without_a_critique_the_system_prompt_decides() {
        let text = "Teh cat sat. I recieved it.";
        assert_eq!(revise("If you receive feedback, revise.", text).text, text);
        assert_eq!(
            revise("You rewrite texts.", text).text,
            "The cat sat. I received it."
        );
    }

    #[test]
    fn limits_are_said() {
        let codes = |reply: ModelReply| {
            reply
                .warnings
                .into_iter()
                .map(|(code, _)| code)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            codes(revise("feedback", "Write a poem about the sea.")),
            ["builtin_limits"]
        );
        assert_eq!(
            codes(revise("", "DRAFT:\nA text.\n\nCRITIQUE:\nIt lacks warmth.")),
            ["critique_not_understood"]
        );
        assert_eq!(
            codes(revise(
                "",
                "DRAFT:\nA text.\n\nCRITIQUE:\n\"wich\" should be \"which\""
            )),
            ["correction_not_placed"]
        );
    }
}
