//! "I seen him": a past participle where the simple past is meant. "Did went": a past form after `did`.

use harper_brill::UPOS;

use super::{SUBJECT_PRONOUNS, replace};
use crate::{checker::Draft, finding::Kind, lexicon::Lexicon, token::Token};

pub(super) fn check(lexicon: &Lexicon, sentence: &[Token], out: &mut Vec<Draft>) {
    for at in 1..sentence.len() {
        let verb = &sentence[at];
        let subject = &sentence[at - 1];
        if !subject.any(SUBJECT_PRONOUNS) || subject.is("who") {
            continue;
        }
        // "have you seen", "were they taken", "had I known" have the auxiliary in front.
        let opens = at == 1
            || !sentence[at - 2].is_word
            || sentence[at - 2].tagged(&[UPOS::SCONJ, UPOS::CCONJ])
            || sentence[at - 2].any(&["that", "because", "when", "but", "and", "so", "what"]);
        let inverted = sentence[..at - 1]
            .iter()
            .rev()
            .take(3)
            .any(|token| token.any(&["have", "has", "had", "was", "were", "is", "are"]));
        if opens
            && !inverted
            && verb.any(&[
                "seen",
                "done",
                "gone",
                "taken",
                "written",
                "broken",
                "spoken",
                "eaten",
                "given",
                "known",
                "drunk",
                "begun",
                "sung",
                "thrown",
                "fallen",
                "driven",
                "chosen",
                "stolen",
                "grown",
                "drawn",
                "flown",
                "forgotten",
                "ridden",
                "worn",
            ])
            && let Some(with) = lexicon.simple_past(&verb.lower)
        {
            out.push(replace(
                Kind::Grammar,
                "verb_form",
                verb,
                &with,
                format!("Without “have” the past of this verb is “{with}”."),
            ));
        }
    }
}
