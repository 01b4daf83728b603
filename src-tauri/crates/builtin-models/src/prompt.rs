//! Splits a prompt into its parts. The parts are the sections below lines such as `CODE:` or `JSON SCHEMA:`. In a prompt
//! about prose, they are the draft, the critique and the instruction around them.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    critique::{OPENING, is_correction},
    pattern::pattern,
};

/// A line in capitals that labels the text below it.
static CAPITALS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^(?<label>[A-Z ]{3,40}):[ \t\r]*(?:\n|\z)"));

/// The start of an instruction to a writer.
static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi) ^ \W* (?: (?: please|now|then|kindly|and|you|are|to|can|could ) \W+ )*
        (?: write|revise|rewrite|improve|correct|proofread|edit|polish|fix|draft|compose|explain|describe|summari[sz]e
          | critique|review|check|refine|create|generate|produce|return|list|give|draw|make|evaluate ) \b",
    )
});

/// A pattern that matches a label of up to five words. The last word identifies the label. The label ends in a colon, with
/// or without text after it, or is marked as a heading or tag.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xmi)
        ^ [\ \t]* (?<marks> [\#*=<\[_\ ]* ) (?: [\w'’]+ [\ _-] ){0,4}?
        (?: (?<critique> critique|feedback|review|comments|criticism|suggestions|improvements|issues|findings|corrections )
          | (?<draft> draft|text|version|essay|article|paragraph|answer|manuscript|copy|document )
          | (?<other> (?-i: TASK|INSTRUCTIONS?|TOPIC|QUESTION|GOAL|REQUEST ) ) )
        (?: \ (?: below|above|follows|so\ far|\d+ ) )?
        [\ *=_\#]* (?: (?<colon> : ) [*=_\ ]* | [>\]]? [\ \t]* $ )",
    )
});

/// A draft and its critique.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    pub(crate) draft: &'a str,
    pub(crate) critique: Option<&'a str>,
}

/// Splits a prompt into draft and critique. A label is a heading or a `LABEL:` line with a word such as draft, text,
/// critique or feedback. If there are several labels of the same kind, the last one counts, because conversations grow at
/// their end. Without labels, the opening line of the built-in critic identifies a critique. Otherwise, the whole prompt is
/// the draft.
pub(crate) fn parts(prompt: &str) -> Parts<'_> {
    let sections = sections(prompt);
    let draft = last(&sections, "draft");
    let before = sections[0].1;
    if let Some(critique) = last(&sections, "critique")
        && let Some(draft) = draft.or(Some(before).filter(|body| !body.trim().is_empty()))
    {
        return of(draft, Some(critique));
    }
    let Some(at) = prompt.rfind(OPENING) else {
        return of(draft.unwrap_or(prompt), None);
    };
    let before = prompt[..at].trim_end().trim_end_matches("---");
    if !before.trim().is_empty() {
        let draft = draft.filter(|draft| !draft.contains(OPENING));
        return of(draft.unwrap_or(before), Some(&prompt[at..]));
    }
    // The critique precedes the draft and ends with its last correction.
    let mut end = at;
    let ends = prompt[at..].split_inclusive('\n').filter_map(|line| {
        end += line.len();
        is_correction(line).then_some(end)
    });
    match ends.last() {
        Some(end) => of(&prompt[end..], Some(prompt[at..end].trim_end())),
        None => of(draft.unwrap_or(prompt), None),
    }
}

fn of<'a>(draft: &'a str, critique: Option<&'a str>) -> Parts<'a> {
    let draft = without_order(draft);
    Parts { draft, critique }
}

/// Returns the text that a critic is asked to review.
pub(crate) fn draft_to_read(prompt: &str) -> &str {
    without_order(last(&sections(prompt), "draft").unwrap_or(prompt))
}

fn last<'a>(sections: &[(&str, &'a str)], wanted: &str) -> Option<&'a str> {
    let mut latest = sections.iter().rev();
    let found = latest.find(|(label, body)| *label == wanted && !body.trim().is_empty());
    found.map(|(_, body)| *body)
}

/// Returns the parts of a prompt about prose, in order, each labelled `draft`, `critique` or with an empty label.
fn sections(prompt: &str) -> Vec<(&str, &str)> {
    let fences: Vec<usize> = prompt.match_indices("```").map(|(at, _)| at).collect();
    let labels = LABEL.captures_iter(prompt).filter_map(|found| {
        let at = found.get_match().range();
        let fenced = fences.partition_point(|&fence| fence < at.start) % 2 == 1;
        let marked = found.name("colon").is_some() || !found["marks"].trim().is_empty();
        let mut labels = ["critique", "draft"].into_iter();
        let label = labels.find(|label| found.name(label).is_some());
        (marked && !fenced).then_some((label.unwrap_or_default(), at))
    });
    bodies(prompt, labels)
}

/// Returns each label with the text below it, up to the next label, in order. The text before the first one has an empty
/// label.
fn bodies<'a>(
    prompt: &'a str,
    labels: impl Iterator<Item = (&'a str, Range<usize>)>,
) -> Vec<(&'a str, &'a str)> {
    let mut bodies = Vec::new();
    let (mut label, mut from) = ("", 0);
    for (next, at) in labels.chain([("", prompt.len()..prompt.len())]) {
        let body = &prompt[from..at.start.max(from)];
        bodies.push((label, body.trim_matches(['\n', '\r'])));
        (label, from) = (next, at.end);
    }
    bodies
}

/// Returns the parts of a prompt in order: each label in capitals, without its colon, with the text below it. The text before the
/// first label has an empty label.
pub(super) fn labelled(prompt: &str) -> Vec<(&str, &str)> {
    let labels = CAPITALS
        .captures_iter(prompt)
        .filter_map(|found| Some((found.name("label")?.as_str(), found.get_match().range())));
    bodies(prompt, labels)
}

/// Returns the text below the last label that ends in `word`. The last label counts, because prompts grow at their end.
/// Returns `None` if there is no such label.
pub(super) fn below<'a>(prompt: &'a str, word: &str) -> Option<&'a str> {
    let mut parts = labelled(prompt).into_iter().rev();
    let found = parts.find(|(label, _)| label.rsplit(' ').next() == Some(word));
    found.map(|(_, body)| body)
}

/// Removes a Markdown code fence around `text`, including the language after the opening fence.
pub(crate) fn unfenced(text: &str) -> &str {
    static FENCED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?s)^\s*```[^\n]*\n(.*)```\s*$"));
    let inside = FENCED.captures(text).and_then(|fenced| fenced.get(1));
    inside.map_or(text, |inside| inside.as_str().trim_matches(['\n', '\r']))
}

/// Removes an instruction to the writer before the text ("Please revise the following text:") or after it ("Revise the draft
/// addressing the critique above.").
fn without_order(text: &str) -> &str {
    let mut text = text.trim_matches(['\n', '\r']).trim_end();
    if let Some((first, rest)) = text.split_once(':')
        && first.split_whitespace().count() <= 12
        && !first.contains(['.', '!', '?', '\n'])
        && !rest.trim().is_empty()
        && ORDER.is_match(first)
    {
        text = rest.trim_start();
    }
    let about = |last: &str| {
        let lower = last.to_lowercase();
        ["draft", "critique", "feedback", "text above", "revised"]
            .iter()
            .any(|word| lower.contains(word))
    };
    match text.rsplit_once("\n\n") {
        Some((before, last))
            if ORDER.is_match(last) && last.split_whitespace().count() <= 25 && about(last) =>
        {
            before.trim_end()
        }
        _ => text,
    }
}

/// Returns whether `text` is one short task ("Write a concise explanation of …") rather than a draft.
pub(crate) fn is_instruction(text: &str) -> bool {
    let text = text.trim();
    loopwright_text::sentences(text).len() <= 2
        && text.split_whitespace().count() <= 40
        && ORDER.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_taken_apart() {
        let merged = "PREVIOUS DRAFT:\nOne two.\n\nThree.\n\nCRITIQUE:\n1. Fix it.\n\nPlease revise the draft addressing the critique above.";
        assert_eq!(parts(merged).draft, "One two.\n\nThree.");
        assert!(
            parts(merged)
                .critique
                .is_some_and(|critique| critique.starts_with("1. Fix it."))
        );

        let edited = "## Current text\n\nOne two.\n\n## Editor's feedback\n\n- a\n";
        assert_eq!(
            parts(edited),
            Parts {
                draft: "One two.",
                critique: Some("- a")
            }
        );

        let turned = "Feedback: fix it\n\n<draft>\nOne two.\n\nNow rewrite the draft.";
        assert_eq!(parts(turned).draft, "One two.");

        let grown = format!(
            "Raw text.\n---\n{merged}\n---\nPREVIOUS DRAFT:\nFour.\n\nCRITIQUE:\n1. Again."
        );
        assert_eq!(
            parts(&grown),
            Parts {
                draft: "Four.",
                critique: Some("1. Again.")
            }
        );

        let bare = format!("One two.\n\n{}\n\n1. Spelling: x", crate::critique::OPENING);
        assert_eq!(parts(&bare).draft, "One two.");
        assert!(parts(&bare).critique.is_some());
    }

    #[test]
    fn a_plain_text_is_left_whole() {
        for text in [
            "The draft horse is strong. It pulls: carts, ploughs and logs.",
            "Note: the review was late.\nAll was well.",
            "We checked three things: the roof, the walls and the floor.",
        ] {
            assert_eq!(
                parts(text),
                Parts {
                    draft: text,
                    critique: None
                }
            );
        }
        assert_eq!(
            parts("Please revise the following text:\n\nOne two.").draft,
            "One two."
        );
        assert_eq!(draft_to_read("Critique this draft:\nOne two."), "One two.");
    }

    #[test]
    fn tasks_are_told_from_texts() {
        assert!(is_instruction(
            "Write a concise explanation of how neural networks learn"
        ));
        assert!(!is_instruction("The write head moves. It is fast."));
    }

    #[test]
    fn a_prompt_is_taken_apart_at_its_labels() {
        let prompt = "Mend it.\nJSON SCHEMA:\n{ }\n\nJSON:\n{\"A\": 1}\nERRORS:\n- x: y\n";
        assert_eq!(below(prompt, "SCHEMA"), Some("{ }"));
        assert_eq!(below(prompt, "JSON"), Some("{\"A\": 1}"));
        assert_eq!(below(prompt, "ERRORS"), Some("- x: y"));
        assert_eq!(below(prompt, "CODE"), None);
        assert_eq!(labelled("no label: here"), [("", "no label: here")]);
        assert_eq!(unfenced("```lua\nreturn 1\n```"), "return 1");
        assert_eq!(unfenced("return `x`"), "return `x`");
    }
}
