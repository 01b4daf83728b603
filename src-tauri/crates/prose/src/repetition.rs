//! A word written twice: "it it", "engineers engineers".

use crate::{finding::Kind, lexicon::Lexicon, pending_finding::PendingFinding, token::Token};

pub(crate) fn check(lexicon: &Lexicon, sentence: &[Token], out: &mut Vec<PendingFinding>) {
    for (at, pair) in sentence.windows(2).enumerate() {
        let [first, second] = pair else { continue };
        let name = second.capitalised() || first.capitalised() && at > 0;
        if first.is_word
            && first.lower == second.lower
            && !name
            && !lexicon.classes.has("doubled", first)
            && second.span.start > first.span.end
        {
            let message = format!("“{}” is written twice.", first.lower);
            let mut finding =
                PendingFinding::word(Kind::Repetition, "repetition", first, &first.text, message);
            finding.span.end = second.span.end;
            out.push(finding);
        }
    }
}
