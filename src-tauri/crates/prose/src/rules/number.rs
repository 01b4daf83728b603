//! A noun agrees with what counts or points at it: "five year", "this dogs", "many person".

use harper_brill::UPOS;

use super::replace;
use crate::{
    checker::Draft,
    finding::Kind,
    lexicon::{Lexicon, Number},
    token::Token,
};

const PLURAL_WORDS: &[&str] = &[
    "many", "several", "few", "both", "these", "those", "numerous", "various", "two", "three",
    "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twenty", "thirty",
    "forty", "fifty",
];

/// "One of the reason": the noun after `of` is plural.
fn one_of(lexicon: &Lexicon, sentence: &[Token], at: usize) -> Option<Draft> {
    let opens = sentence[at].is("one")
        && sentence[at + 1].is("of")
        && sentence.get(at + 2)?.any(&[
            "the", "my", "your", "his", "her", "our", "their", "its", "these", "those",
        ]);
    if !opens {
        return None;
    }
    let mut last = at + 2;
    while sentence.get(last + 1).is_some_and(|token| {
        token.is_word
            && (token.tagged(&[UPOS::NOUN, UPOS::ADJ]) || token.any(&["most", "more", "very"]))
    }) {
        last += 1;
    }
    // "One of my friend lives": the last of the run is the verb that the sentence needs.
    let finite = |token: &Token| token.tagged(&[UPOS::VERB, UPOS::AUX]);
    let verb = &sentence[last];
    if last > at + 3
        && verb.lower.ends_with('s')
        && verb.can_be_verb()
        && !sentence[last..].iter().any(finite)
    {
        last -= 1;
    }
    let noun = sentence
        .get(last)
        .filter(|noun| noun.tagged(&[UPOS::NOUN]) && last > at + 2 && !noun.capitalised())?;
    let next = sentence.get(last + 1);
    let whole = next.is_none_or(|next| {
        next.text != "-" && !next.tagged(&[UPOS::PROPN, UPOS::NUM]) && !next.is_number
    });
    if !whole
        || lexicon.number(&noun.lower) != Some(Number::Singular)
        || !lexicon.countable(&noun.lower)
    {
        return None;
    }
    let with = lexicon.plural(&noun.lower)?;
    Some(replace(
        Kind::Agreement,
        "number",
        noun,
        &with,
        format!("“One of the” is followed by a plural: “{with}”."),
    ))
}

pub(super) fn check(lexicon: &Lexicon, sentence: &[Token], out: &mut Vec<Draft>) {
    for at in 0..sentence.len().saturating_sub(1) {
        let word = &sentence[at];
        out.extend(one_of(lexicon, sentence, at));
        // "a 6-4 record", "the 1963-64 season"
        if at > 0 && matches!(sentence[at - 1].text.as_str(), "-" | "–" | "/") {
            continue;
        }
        let plural = word.any(PLURAL_WORDS)
            || (word.is_number
                && many(&word.text)
                && !sentence[at.saturating_sub(1)].any(&["in", "since", "of", "until", "by"]));
        let some = word.any(&["some", "most", "all", "other"])
            && sentence.get(at + 2).is_some_and(|verb| {
                verb.any(&["are", "have", "were", "do", "don't", "aren't"])
                    || verb.tagged(&[UPOS::VERB])
                        && verb
                            .meta
                            .as_ref()
                            .is_some_and(|meta| meta.is_verb_lemma() && !meta.is_verb_past_form())
            });
        let plural = plural || some;
        let singular = word.any(&["a", "an", "every", "each", "another", "this", "that"]);
        if !plural && !singular {
            continue;
        }
        let mut noun = at + 1;
        while sentence.get(noun).is_some_and(|token| {
            token.is_word
                && (token.tagged(&[UPOS::ADJ]) || token.any(&["hundred", "thousand", "million"]))
        }) {
            noun += 1;
        }
        let Some(found) = sentence.get(noun) else {
            continue;
        };
        let last = sentence.get(noun + 1).is_none_or(|next| {
            !next.is_word && next.text != "-" && !next.text.starts_with(['\'', '’'])
                || next.is_word && !next.tagged(&[UPOS::NOUN, UPOS::PROPN, UPOS::ADJ, UPOS::NUM])
        });
        if !found.is_word
            || !found.tagged(&[UPOS::NOUN])
            || found.capitalised()
            || !last
            || found.text.contains('-')
        {
            continue;
        }
        // What follows may be the noun, and one that the dictionary lacks: "two diesel railcars".
        if sentence
            .get(noun + 1)
            .is_some_and(|next| next.is_word && next.meta.is_none())
        {
            continue;
        }
        if found.any(&["have", "has", "do", "does", "are", "is", "were", "was"]) {
            continue;
        }
        let Some(number) = lexicon.number(&found.lower) else {
            continue;
        };
        if plural
            && number == Number::Singular
            && (lexicon.countable(&found.lower)
                || lexicon.plural(&found.lower).is_some() && found.lower != "water")
        {
            // "both friend and foe", "these go", "many a day", "two thirds"
            if word.is("both")
                || !word.tagged(&[UPOS::NUM]) && found.can_be_verb() && found.can_be_adjective()
                || found.any(&[
                    "a", "hundred", "thousand", "million", "billion", "percent", "dozen",
                ])
            {
                continue;
            }
            if word.any(&["these", "those"])
                && noun == at + 1
                && found.can_be_verb()
                && sentence
                    .get(noun + 1)
                    .is_some_and(|next| next.tagged(&[UPOS::DET, UPOS::PRON, UPOS::ADP]))
            {
                continue;
            }
            if let Some(with) = lexicon
                .plural(&found.lower)
                .filter(|with| *with != found.lower)
            {
                out.push(replace(
                    Kind::Agreement,
                    "number",
                    found,
                    &with,
                    format!("After “{}” the noun is plural: “{with}”.", word.lower),
                ));
            }
        } else if singular && number == Number::Plural && found.lower.ends_with('s') {
            if word.any(&["this", "that"]) {
                // "that dogs bark" is a clause; "this dogs" is a slip for "these dogs".
                let with = if word.is("this") { "these" } else { continue };
                if !found.can_be_verb() || noun > at + 1 {
                    out.push(replace(
                        Kind::Agreement,
                        "number",
                        word,
                        with,
                        format!("“{}” is plural, so it is “{with}”.", found.lower),
                    ));
                }
            } else if !found.can_be_adjective()
                && !sentence[at + 1..noun].iter().any(|token| {
                    token.any(&["few", "many", "dozen", "hundred", "thousand", "million"])
                })
                && let Some(with) = lexicon.singular(&found.lower)
                && noun == at + 1
                && !word.is("that")
            {
                out.push(replace(
                    Kind::Agreement,
                    "number",
                    found,
                    &with,
                    format!("After “{}” the noun is singular: “{with}”.", word.lower),
                ));
            }
        }
    }
}

fn many(number: &str) -> bool {
    number
        .parse::<u32>()
        .is_ok_and(|number| number > 1 && !(1000..2200).contains(&number))
}
