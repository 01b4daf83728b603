//! A word written twice: "it it", "engineers engineers".

use crate::{draft::Draft, finding::Kind, lexicon::Lexicon, token::Token};

pub(crate) fn check(lexicon: &Lexicon, sentence: &[Token], out: &mut Vec<Draft>) {
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
            let mut draft =
                Draft::word(Kind::Repetition, "repetition", first, &first.text, message);
            draft.span.end = second.span.end;
            out.push(draft);
        }
    }
}
