//! Checks that harper lacks, over its part-of-speech tags. Each looks at one sentence, and rather stays silent than guess.

mod agreement;
mod confusion;
mod existential;
mod homophones;
mod number;
mod repetition;
mod subject;
mod verb_forms;

use std::ops::Range;

use crate::{
    checker::Draft,
    finding::Kind,
    lexicon::{Lexicon, with_case_of},
    token::Token,
};

/// One of this crate's own checks.
type Rule = fn(&Lexicon, &[Token], &mut Vec<Draft>);

/// All of them, in the order of their importance where two meet.
const RULES: &[Rule] = &[
    repetition::check,
    confusion::check,
    homophones::check,
    existential::check,
    agreement::check,
    number::check,
    verb_forms::check,
];

pub(crate) fn drafts(lexicon: &Lexicon, sentence: &[Token], out: &mut Vec<Draft>) {
    for rule in RULES {
        rule(lexicon, sentence, out);
    }
}

/// A finding that replaces one word, keeping its capitals.
fn replace(kind: Kind, rule: &str, token: &Token, with: &str, message: String) -> Draft {
    Draft {
        kind,
        span: token.span.clone(),
        replacement: Some(with_case_of(&token.text, with)),
        message,
        rule: rule.to_owned(),
        rank: 140,
    }
}

/// A finding that replaces several words.
fn replace_span(
    kind: Kind,
    rule: &str,
    span: Range<usize>,
    with: String,
    message: String,
) -> Draft {
    Draft {
        kind,
        span,
        replacement: Some(with),
        message,
        rule: rule.to_owned(),
        rank: 139,
    }
}

const MODALS: &[&str] = &[
    "will",
    "would",
    "can",
    "could",
    "shall",
    "should",
    "may",
    "might",
    "must",
    "cannot",
    "can't",
    "won't",
    "wouldn't",
    "couldn't",
    "shouldn't",
    "mustn't",
    "i'll",
    "you'll",
    "he'll",
    "she'll",
    "it'll",
    "we'll",
    "they'll",
    "i'd",
    "you'd",
    "he'd",
    "she'd",
    "we'd",
    "they'd",
];
const DO_FORMS: &[&str] = &["do", "does", "did", "don't", "doesn't", "didn't"];
const BE_FORMS: &[&str] = &[
    "am", "is", "are", "was", "were", "be", "been", "being", "isn't", "aren't", "wasn't",
    "weren't", "it's", "he's", "she's", "i'm", "you're", "we're", "they're", "that's",
];
const POSSESSIVES: &[&str] = &["my", "your", "his", "her", "its", "our", "their"];
const SUBJECT_PRONOUNS: &[&str] = &["i", "you", "he", "she", "it", "we", "they", "who"];
const OBJECT_PRONOUNS: &[&str] = &[
    "me",
    "you",
    "him",
    "her",
    "it",
    "us",
    "them",
    "this",
    "that",
    "these",
    "those",
    "everything",
    "something",
    "anything",
    "everyone",
    "someone",
];
const DETERMINERS: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "those", "every", "each", "some", "any", "no",
    "another",
];
