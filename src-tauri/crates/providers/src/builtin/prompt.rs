//! Reads a prompt's parts: the draft, the critique, the instruction around them.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    critique::{OPENING, is_correction},
    labels,
};

/// What a labelled part of a prompt holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Draft,
    Critique,
    Other,
}

/// Verbs that an instruction to a writer begins with.
const ORDERS: &str = "write revise rewrite improve correct proofread edit polish fix draft compose explain describe summarize \
    summarise critique review check refine create generate produce return list give draw make evaluate";

/// A label of up to five words, known by its last: a line that a colon ends or goes on from, or one in the marks of a heading or a tag.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    let label = r"(?xmi)
        ^ [\ \t]* (?<marks> [\#*=<\[_\ ]* ) (?: [\w'’]+ [\ _-] ){0,4}?
        (?: (?<critique> critique|feedback|review|comments|criticism|suggestions|improvements|issues|findings|corrections )
          | (?<draft> draft|text|version|essay|article|paragraph|answer|manuscript|copy|document )
          | (?<other> (?-i: TASK|INSTRUCTIONS?|TOPIC|QUESTION|GOAL|REQUEST ) ) )
        (?: \ (?: below|above|follows|so\ far|\d+ ) )?
        [\ *=_\#]* (?: (?<colon> : ) [*=_\ ]* | [>\]]? [\ \t]* $ )";
    Regex::new(label).unwrap_or_else(|error| panic!("{error}"))
});

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// A draft and what was said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    pub(crate) draft: &'a str,
    pub(crate) critique: Option<&'a str>,
}

/// Takes a prompt apart. Labels may be any heading or `LABEL:` line with a word like draft, text, critique or feedback in
/// it; of several of a kind the last counts, since conversations grow at their end. Without labels, a critique is
/// known by the critic's own opening. Otherwise the whole prompt is the draft.
pub(crate) fn parts(prompt: &str) -> Parts<'_> {
    let sections = sections(prompt);
    let draft = last(&sections, Label::Draft);
    let before = sections[0].1;
    if let Some(critique) = last(&sections, Label::Critique)
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
    // The critique comes first, and ends with its last correction.
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

/// The text that a critic is asked to read.
pub(crate) fn draft_to_read(prompt: &str) -> &str {
    without_order(last(&sections(prompt), Label::Draft).unwrap_or(prompt))
}

fn last<'a>(sections: &[(Label, &'a str)], wanted: Label) -> Option<&'a str> {
    let mut latest = sections.iter().rev();
    let found = latest.find(|(label, body)| *label == wanted && !body.trim().is_empty());
    found.map(|(_, body)| *body)
}

/// The labelled parts in order; what comes before the first label is `Other`.
fn sections(prompt: &str) -> Vec<(Label, &str)> {
    let fences: Vec<usize> = prompt.match_indices("```").map(|(at, _)| at).collect();
    let in_fence = |at: usize| fences.partition_point(|&fence| fence < at) % 2 == 1;
    let labels = LABEL.captures_iter(prompt).filter_map(|found| {
        let whole = found.get_match();
        let label = match (found.name("critique"), found.name("draft")) {
            (Some(_), _) => Label::Critique,
            (_, Some(_)) => Label::Draft,
            _ => Label::Other,
        };
        let marked = found.name("colon").is_some() || !found["marks"].trim().is_empty();
        (marked && !in_fence(whole.start())).then_some((label, whole.start(), whole.end()))
    });
    let begins: Vec<_> = [(Label::Other, 0, 0)].into_iter().chain(labels).collect();
    labels::bodies(prompt, &begins)
}

/// The text without an order to the writer before it ("Please revise the following text:") or after it ("Revise the
/// draft addressing the critique above.").
fn without_order(text: &str) -> &str {
    let mut text = text.trim_matches(['\n', '\r']).trim_end();
    if let Some((first, rest)) = text.split_once(':')
        && first.split_whitespace().count() <= 12
        && !first.contains(['.', '!', '?', '\n'])
        && !rest.trim().is_empty()
        && begins_with_order(first)
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
            if begins_with_order(last) && last.split_whitespace().count() <= 25 && about(last) =>
        {
            before.trim_end()
        }
        _ => text,
    }
}

fn begins_with_order(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty());
    let first = words.find(|word| !is_in("please now then kindly and you are to can could", word));
    first.is_some_and(|word| is_in(ORDERS, word))
}

/// Whether a text is one short task ("Write a concise explanation of …") and not something written.
pub(crate) fn is_instruction(text: &str) -> bool {
    let text = text.trim();
    loopwright_text::sentences(text).len() <= 2
        && text.split_whitespace().count() <= 40
        && begins_with_order(text)
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

        let bare = format!(
            "One two.\n\n{}\n\n1. Spelling: x",
            super::super::critique::OPENING
        );
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
}
