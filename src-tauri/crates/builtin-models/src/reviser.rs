//! The built-in reviser makes the corrections that a critique requests.

use loopwright_engine::host::{ModelReply, ModelRequest};
use loopwright_prose::{Level, apply, check};

use super::{
    answer::{Answer, required_text},
    critique, prompt,
};

/// How many times a draft is checked if the request has no critique and none will follow. Several rounds are needed, because
/// corrections reveal further mistakes.
const ROUNDS: usize = 3;

/// Applies exactly the corrections of a critique if the prompt has one. Otherwise, if the system prompt mentions feedback, a
/// critique or a first draft, returns the text unchanged for the critic to read. In all other cases, corrects everything that
/// `check` finds.
pub(crate) fn answer(request: &ModelRequest) -> Answer {
    let parts = prompt::parts(&request.prompt);
    required_text(
        parts.draft,
        "The built-in reviser received no text to revise. Wire its prompt input.",
    )?;
    let (text, warning) = match parts.critique {
        Some(critique) => with_critique(parts.draft, critique),
        None => {
            let task = "The prompt reads as a task. The built-in reviser cannot write new text, so it treated the task itself as the draft. Give it text to revise, or set up a model provider.";
            let is_task = prompt::is_instruction(parts.draft);
            let text = match critique_follows(request.system.as_deref()) {
                true => parts.draft.to_owned(),
                false => corrected(parts.draft),
            };
            (text, is_task.then(|| ("builtin_limits", task.to_owned())))
        }
    };
    let warning = warning.map(|(code, why)| (code.to_owned(), why));
    Ok(ModelReply {
        text,
        warnings: warning.into_iter().collect(),
        ..ModelReply::default()
    })
}

fn critique_follows(system: Option<&str>) -> bool {
    let system = system.unwrap_or_default().to_lowercase();
    ["feedback", "critique", "first draft"]
        .iter()
        .any(|word| system.contains(word))
}

/// Applies the corrections of a critique to the draft. If the critique has none and does not approve the draft, applies
/// those of `check` instead and returns a warning. Also returns a warning if the text of a correction was not found.
fn with_critique(draft: &str, written: &str) -> (String, Option<(&'static str, String)>) {
    let corrections = critique::corrections(written);
    if corrections.is_empty() && written.contains(critique::APPROVAL) {
        return (draft.to_owned(), None);
    }
    if corrections.is_empty() {
        // Only a language model could understand this critique.
        let why = "The built-in reviser applies corrections that quote the old and the new text. It found none in this critique, so it corrected the draft by its own rules.";
        let warning = ("critique_not_understood", why.to_owned());
        return (corrected(draft), Some(warning));
    }
    let (text, unplaced) = critique::apply(draft, &corrections);
    let words = unplaced.iter().take(3);
    let words: Vec<_> = words
        .map(|unplaced| format!("“{}”", unplaced.found))
        .collect();
    let why = format!(
        "{} of {} corrections could not be made, because the draft does not contain the text that they quote: {}.",
        unplaced.len(),
        corrections.len(),
        words.join(", ")
    );
    let missed = !unplaced.is_empty();
    (text, missed.then_some(("correction_not_placed", why)))
}

fn corrected(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let findings = check(&text);
        let errors = findings.iter();
        let errors = errors.filter(|finding| finding.kind.level() != Level::Style);
        let revised = apply(&text, errors);
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
    fn limits_are_reported() {
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
