//! "I seen him": a past participle where the simple past is meant. "Did went": a past form after `did`.

use harper_brill::UPOS;

use super::{POSSESSIVES, SUBJECT_PRONOUNS, replace, replace_span};
use crate::{
    checker::Draft,
    finding::Kind,
    lexicon::{Lexicon, with_case_of},
    token::Token,
};

/// "Me and my sister shared": as a subject it is "My sister and I".
fn me_and(sentence: &[Token]) -> Option<Draft> {
    if !(sentence.len() > 3 && sentence[0].is("me") && sentence[1].is("and")) {
        return None;
    }
    let length = if sentence[2].any(POSSESSIVES) { 2 } else { 1 };
    let verb = sentence.get(2 + length)?;
    let other: Vec<_> = sentence[2..2 + length]
        .iter()
        .map(|token| match token.lower.as_str() {
            "him" => "he".to_owned(),
            "her" if length == 1 => "she".to_owned(),
            "them" => "they".to_owned(),
            _ => token.text.clone(),
        })
        .collect();
    let other = with_case_of("Me", &other.join(" "));
    verb.tagged(&[UPOS::VERB, UPOS::AUX]).then(|| {
        replace_span(
            Kind::Grammar,
            "verb_form",
            sentence[0].span.start..sentence[1 + length].span.end,
            format!("{other} and I"),
            "As a subject “me” becomes “I”, and comes last.".to_owned(),
        )
    })
}

pub(super) fn check(lexicon: &Lexicon, sentence: &[Token], out: &mut Vec<Draft>) {
    out.extend(me_and(sentence));
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
