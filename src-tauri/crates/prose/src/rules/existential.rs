//! "There is many reasons": the verb agrees with what follows.

use harper_brill::UPOS;

use super::replace;
use crate::{
    checker::Draft,
    finding::Kind,
    lexicon::{Lexicon, Number},
    token::Token,
};

pub(super) fn check(lexicon: &Lexicon, sentence: &[Token], out: &mut Vec<Draft>) {
    for at in 0..sentence.len().saturating_sub(2) {
        if !sentence[at].is("there") {
            continue;
        }
        let verb = &sentence[at + 1];
        let (shown, with) = match verb.lower.as_str() {
            "is" => (Number::Singular, "are"),
            "was" => (Number::Singular, "were"),
            "isn't" => (Number::Singular, "aren't"),
            "wasn't" => (Number::Singular, "weren't"),
            "are" => (Number::Plural, "is"),
            "were" => (Number::Plural, "was"),
            "aren't" => (Number::Plural, "isn't"),
            "weren't" => (Number::Plural, "wasn't"),
            _ => continue,
        };
        let Some(meant) = number(lexicon, &sentence[at + 2..]) else {
            continue;
        };
        if meant != shown {
            let word = if meant == Number::Plural {
                "plural"
            } else {
                "singular"
            };
            out.push(replace(
                Kind::Agreement,
                "agreement",
                verb,
                with,
                format!(
                    "What there “{}” is {word}, so the verb is “{with}”.",
                    verb.lower
                ),
            ));
        }
    }
}

fn number(lexicon: &Lexicon, phrase: &[Token]) -> Option<Number> {
    let mut article = false;
    let mut many = false;
    let mut last: Option<&Token> = None;
    for (at, token) in phrase.iter().enumerate() {
        if token.any(&["a", "an", "one", "another"]) {
            article = true;
        } else if token.any(&[
            "many", "several", "few", "numerous", "various", "two", "three", "four", "five", "six",
            "seven", "eight", "nine", "ten",
        ]) {
            if article {
                return None;
            }
            many = true;
        } else if token.any(&[
            "lot", "number", "couple", "lots", "plenty", "variety", "range", "handful", "series",
            "dozen", "hundred", "thousand", "million", "only", "no",
        ]) {
            return None;
        } else if token.tagged(&[UPOS::NOUN]) {
            let more = phrase
                .get(at + 1)
                .is_some_and(|next| next.tagged(&[UPOS::NOUN]) || next.text == "-");
            last = Some(token);
            if !more {
                break;
            }
        } else if !token.tagged(&[UPOS::ADJ, UPOS::ADV, UPOS::DET, UPOS::NUM]) && !token.is_number {
            break;
        }
    }
    let noun = last?;
    match lexicon.number(&noun.lower) {
        _ if many => Some(Number::Plural),
        Some(Number::Plural) if !article => Some(Number::Plural),
        Some(Number::Singular) if article => Some(Number::Singular),
        _ => None,
    }
}
