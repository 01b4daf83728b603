//! A word written twice: "it it", "engineers engineers".

use super::replace_span;
use crate::{checker::Draft, finding::Kind, lexicon::Lexicon, token::Token};

/// Words that may well stand twice: "had had", "that that", "her her book", "very very".
const ALLOWED: &[&str] = &[
    "that", "had", "her", "is", "very", "really", "so", "no", "ha", "bye", "many", "far", "long",
    "there", "now", "blah", "do", "can", "so", "much", "more", "again", "ever", "never", "hear",
    "yes", "knock", "tut", "bang", "go", "come", "hey", "wow", "oh", "you", "who", "what",
];

pub(super) fn check(_: &Lexicon, sentence: &[Token], out: &mut Vec<Draft>) {
    for pair in sentence.windows(2) {
        let [first, second] = pair else { continue };
        let opens = first.span.start == sentence[0].span.start;
        let name = second.capitalised() || first.capitalised() && !opens;
        if !first.is_word
            || first.lower != second.lower
            || name
            || first.any(ALLOWED)
            || second.span.start == first.span.end
        {
            continue;
        }
        out.push(replace_span(
            Kind::Repetition,
            "repetition",
            first.span.start..second.span.end,
            first.text.clone(),
            format!("“{}” stands twice.", first.lower),
        ));
    }
}
