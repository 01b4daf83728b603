//! Reads a prompt's parts: the draft, the critique, the instruction around them.

/// What a labelled part of a prompt holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Draft,
    Critique,
    Other,
}

const DRAFT_WORDS: &str =
    "draft text version essay article paragraph answer manuscript copy document";
const CRITIQUE_WORDS: &str = "critique feedback review comments criticism suggestions improvements issues findings corrections critic";
const OTHER_WORDS: &str = "task instructions instruction topic question goal request";
/// Verbs that an instruction to a writer begins with.
const ORDERS: &str = "write revise rewrite improve correct proofread edit polish fix draft compose explain describe summarize \
    summarise critique review check refine create generate produce return list give draw make evaluate";

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
    let last = |wanted: Label| {
        sections
            .iter()
            .rev()
            .find(|(label, body)| *label == wanted && !body.trim().is_empty())
            .map(|(_, body)| *body)
    };
    if let Some(critique) = last(Label::Critique) {
        let before = sections
            .first()
            .filter(|(label, _)| *label == Label::Other)
            .map(|(_, body)| *body);
        if let Some(draft) =
            last(Label::Draft).or_else(|| before.filter(|body| !body.trim().is_empty()))
        {
            return Parts {
                draft: without_order(draft),
                critique: Some(critique),
            };
        }
    }
    if let Some(at) = prompt.rfind(super::critique::OPENING) {
        let before = prompt[..at].trim_end().trim_end_matches("---");
        if !before.trim().is_empty() {
            let draft = last(Label::Draft)
                .filter(|draft| !draft.contains(super::critique::OPENING))
                .unwrap_or(before);
            return Parts {
                draft: without_order(draft),
                critique: Some(&prompt[at..]),
            };
        }
        let listed = prompt[at..]
            .lines()
            .rfind(|line| super::critique::is_correction(line));
        if let Some(listed) = listed {
            let end = at + prompt[at..].rfind(listed).unwrap_or_default() + listed.len();
            return Parts {
                draft: without_order(&prompt[end..]),
                critique: Some(&prompt[at..end]),
            };
        }
    }
    Parts {
        draft: without_order(last(Label::Draft).unwrap_or(prompt)),
        critique: None,
    }
}

/// The text that a critic is asked to read.
pub(crate) fn draft_to_read(prompt: &str) -> &str {
    let sections = sections(prompt);
    let draft = sections
        .iter()
        .rev()
        .find(|(label, body)| *label == Label::Draft && !body.trim().is_empty());
    without_order(draft.map_or(prompt, |(_, body)| body))
}

/// The labelled parts in order; what comes before the first label is `Other`.
fn sections(prompt: &str) -> Vec<(Label, &str)> {
    let mut out: Vec<(Label, usize, usize)> = vec![(Label::Other, 0, 0)];
    let mut at = 0;
    let mut fenced = false;
    for line in prompt.split_inclusive('\n') {
        let trimmed = line.trim_start();
        fenced ^= trimmed.starts_with("```");
        if !fenced && let Some((label, skip)) = label(line) {
            if let Some(open) = out.last_mut() {
                open.2 = at;
            }
            out.push((label, at + skip, 0));
        }
        at += line.len();
    }
    if let Some(open) = out.last_mut() {
        open.2 = prompt.len();
    }
    out.into_iter()
        .map(|(label, from, to)| (label, prompt[from..to.max(from)].trim_matches(['\n', '\r'])))
        .collect()
}

/// The label that a line is or begins with, and where its content begins.
fn label(line: &str) -> Option<(Label, usize)> {
    let decorated = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '#' | '*' | '=' | '<' | '[' | '_')
    });
    let opening = line.len() - decorated.len();
    let marked = line
        .trim_start()
        .starts_with(['#', '*', '=', '<', '[', '_']);
    let end = decorated
        .find([':', '>', ']', '\n'])
        .unwrap_or(decorated.len());
    let colon = decorated[end..].starts_with(':');
    let name = decorated[..end]
        .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '=' | '_' | '#' | '\r'));
    let capitals = name.len() > 3 && name.chars().all(|c| !c.is_lowercase());
    let alone = decorated[end..]
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '>' | ']' | '*' | '='))
        .is_empty();
    if !(colon || alone && (marked || capitals)) {
        return None;
    }
    let words: Vec<String> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() || words.len() > 5 || is_in(ORDERS, &words[0]) && words.len() > 2 {
        return None;
    }
    // "The draft:" is a label; "In the first draft we said:" has too many words; "draft horses:" ends on another word.
    let last = words.iter().rev().find(|word| {
        !matches!(word.as_str(), "below" | "above" | "follows" | "so" | "far")
            && word.parse::<u32>().is_err()
    })?;
    let label = if is_in(CRITIQUE_WORDS, last) {
        Label::Critique
    } else if is_in(DRAFT_WORDS, last) {
        Label::Draft
    } else if is_in(OTHER_WORDS, last) && (capitals || marked) {
        Label::Other
    } else {
        return None;
    };
    let mut skip = opening + end;
    skip += line[skip..]
        .chars()
        .next()
        .filter(|c| matches!(c, ':' | '>' | ']'))
        .map_or(0, char::len_utf8);
    while let Some(mark) = line[skip..]
        .chars()
        .next()
        .filter(|c| matches!(c, '*' | '=' | '_' | ' '))
    {
        skip += mark.len_utf8();
    }
    Some((label, skip))
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
    if let Some(at) = text.rfind("\n\n") {
        let last = text[at..].trim();
        let about = last.to_lowercase();
        if begins_with_order(last)
            && last.split_whitespace().count() <= 25
            && ["draft", "critique", "feedback", "text above", "revised"]
                .iter()
                .any(|word| about.contains(word))
        {
            text = text[..at].trim_end();
        }
    }
    text
}

fn begins_with_order(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty());
    let first = words.by_ref().find(|word| {
        !matches!(
            *word,
            "please" | "now" | "then" | "kindly" | "and" | "you" | "are" | "to" | "can" | "could"
        )
    });
    first.is_some_and(|word| is_in(ORDERS, word))
}

/// Whether a text is one short task ("Write a concise explanation of …") and not something written.
pub(crate) fn is_instruction(text: &str) -> bool {
    let text = text.trim();
    loopwright_prose::count_sentences(text) <= 2
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
