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

/// The last words of labels.
const LABELS: [(Label, &str); 3] = [
    (
        Label::Critique,
        "critique feedback review comments criticism suggestions improvements issues findings corrections critic",
    ),
    (
        Label::Draft,
        "draft text version essay article paragraph answer manuscript copy document",
    ),
    (
        Label::Other,
        "task instructions instruction topic question goal request",
    ),
];
/// Verbs that an instruction to a writer begins with.
const ORDERS: &str = "write revise rewrite improve correct proofread edit polish fix draft compose explain describe summarize \
    summarise critique review check refine create generate produce return list give draw make evaluate";

/// A line that may be a label, or begin with one: marks, a name, marks, and what follows.
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    let labelled = r"^\s*(?<marks>[\s#*=<\[_]*)(?<name>[^:>\]\n]*?)[\s*=_#]*(?:(?<colon>:)|[>\]\n]|$)[*=_ ]*(?<rest>\S?)";
    Regex::new(labelled).unwrap_or_else(|error| panic!("{error}"))
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
    let mut begins = vec![(Label::Other, 0, 0)];
    let (mut at, mut fenced) = (0, false);
    for line in prompt.split_inclusive('\n') {
        fenced ^= line.trim_start().starts_with("```");
        if let Some((label, skip)) = label(line).filter(|_| !fenced) {
            begins.push((label, at, at + skip));
        }
        at += line.len();
    }
    labels::bodies(prompt, &begins)
}

/// The label that a line is or begins with, and where its content begins.
fn label(line: &str) -> Option<(Label, usize)> {
    let captures = LABELLED.captures(line)?;
    let (name, rest) = (captures["name"].trim(), captures.name("rest")?);
    let marked = !captures["marks"].trim().is_empty();
    let capitals = name.len() > 3 && name.chars().all(|c| !c.is_lowercase());
    let alone = rest.is_empty() && (marked || capitals);
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let first = words.first()?;
    if captures.name("colon").is_none() && !alone
        || words.len() > 5
        || is_in(ORDERS, first) && words.len() > 2
    {
        return None;
    }
    // "The draft:" is a label; "In the first draft we said:" has too many words; "draft horses:" ends on another word.
    let behind =
        |word: &&&str| is_in("below above follows so far", word) || word.parse::<u32>().is_ok();
    let last = words.iter().rev().find(|word| !behind(word))?;
    let (label, _) = LABELS.iter().find(|(_, list)| is_in(list, last))?;
    (*label != Label::Other || capitals || marked).then_some((*label, rest.start()))
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
