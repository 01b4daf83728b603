//! To, too and two; than and then; were and where; our, have, know, now and quite, for which other words are written.

use harper_brill::UPOS;

use super::Place;
use crate::rules::{BE_FORMS, DETERMINERS, POSSESSIVES, SUBJECT_PRONOUNS};
use crate::token::Token;

const DEGREES: &[&str] = &[
    "much",
    "many",
    "late",
    "early",
    "little",
    "big",
    "small",
    "fast",
    "slow",
    "slowly",
    "quickly",
    "hard",
    "easy",
    "hot",
    "cold",
    "long",
    "short",
    "often",
    "far",
    "few",
    "expensive",
    "busy",
    "tired",
    "loud",
    "difficult",
    "heavy",
    "high",
    "low",
    "old",
    "young",
    "good",
    "bad",
    "soon",
    "quiet",
    "large",
    "dark",
    "strong",
    "weak",
    "cheap",
    "complicated",
    "complex",
    "important",
    "scared",
    "afraid",
    "warm",
    "wide",
    "narrow",
    "thin",
    "thick",
    "tight",
    "shy",
    "lazy",
    "dangerous",
];

pub(super) fn to(place: &Place) -> Option<&'static str> {
    let next = place.after(1);
    if next.is_some_and(|next| next.any(DEGREES)) {
        // "to slow the car", "to long for", "according to many people", "from low to high"
        let verb = place.after(1).is_some_and(Token::can_be_verb)
            && place.after(2).is_some_and(|after| {
                after.any(DETERMINERS)
                    || after.any(POSSESSIVES)
                    || after.any(&["down", "up", "for", "it", "them"])
            });
        let counted = place.next_any(&[
            "many",
            "few",
            "large",
            "small",
            "little",
            "high",
            "low",
            "old",
            "young",
            "good",
            "bad",
            "early",
            "late",
            "hot",
            "cold",
            "strong",
            "important",
            "complex",
            "expensive",
            "heavy",
            "dark",
        ]) && place.after(2).is_some_and(|after| {
            after.is_word && (after.tagged(&[UPOS::NOUN, UPOS::ADJ]) || after.is("of"))
        });
        let from = place.sentence[..place.at]
            .iter()
            .rev()
            .take(4)
            .any(|token| token.any(&["from", "according", "due", "similar", "close", "compared"]));
        let many = place.next_any(&["many", "much"])
            && place.before(1).is_some_and(|before| {
                before.any(BE_FORMS)
                    || before.any(&[
                        "way", "far", "eat", "ate", "spend", "spent", "talk", "talks", "has",
                        "have", "had", "with", "not", "made", "makes", "make", "drink", "cost",
                        "costs", "cried",
                    ])
                    || place.next_any(&["much"])
            });
        return (!verb && !from && (!counted || many)).then_some("too");
    }
    let ends = next.is_none_or(|next| matches!(next.text.as_str(), "." | "!" | "?" | ","));
    let also = ends
        && place.before(1).is_some_and(|before| {
            before.any(&["me", "him", "it", "them", "us", "you", "her", "one"])
                || before.tagged(&[UPOS::NOUN]) && place.next_ends(1) && !before.can_be_verb()
        });
    // "the person I spoke to", "something to look forward to"
    let stranded = place.sentence[..place.at].iter().any(|token| {
        token.any(&[
            "who",
            "which",
            "what",
            "that",
            "where",
            "whom",
            "used",
            "want",
            "how",
            "something",
            "going",
            "belong",
            "belongs",
            "talk",
            "talked",
            "speak",
            "spoke",
            "listen",
            "way",
        ])
    });
    (also && !stranded).then_some("too")
}

pub(super) fn too(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    let phrase = (next.any(DETERMINERS) && !next.any(&["that", "this", "some", "any", "no"])
        || next.any(POSSESSIVES))
        && place.before(1).is_some_and(|before| before.is_word);
    let verb = next.can_be_verb()
        && next
            .meta
            .as_ref()
            .is_some_and(harper_core::DictWordMetadata::is_verb_lemma)
        && !next.can_be_adjective()
        && !next.can_be_noun()
        && !next.any(&["much", "many"])
        && next.tagged(&[UPOS::VERB, UPOS::AUX]);
    let common = next.any(&[
        "be", "go", "get", "make", "do", "have", "see", "take", "buy", "help", "keep", "find",
        "give",
    ]) && place.before(1).is_some_and(|before| before.is_word);
    (phrase || verb || common).then_some("to")
}

pub(super) fn two(place: &Place) -> Option<&'static str> {
    place
        .next_any(&[
            "much",
            "late",
            "early",
            "fast",
            "slow",
            "hot",
            "cold",
            "expensive",
            "far",
        ])
        .then_some("too")
        .or_else(|| {
            (place.before_any(&[
                "going", "want", "wants", "wanted", "need", "needs", "have", "try", "went", "used",
            ]) && place.next_any(&["be", "go", "get", "make", "do", "see", "the", "have"]))
            .then_some("to")
        })
}

pub(super) fn then(place: &Place) -> Option<&'static str> {
    let compared = place.before(1).is_some_and(Token::is_comparative)
        || place.before(2).is_some_and(|token| {
            token.is_comparative() && place.before(1).is_none_or(|before| before.is_word)
        })
        || place.before_any(&["other", "rather"]);
    let clause = place.next_any(&["i", "we", "they", "he", "she", "it"])
        && !place.before(1).is_some_and(Token::is_comparative);
    (compared && !clause && !place.next_ends(1)).then_some("than")
}

pub(super) fn than(place: &Place) -> Option<&'static str> {
    let compared = place.sentence[..place.at]
        .iter()
        .rev()
        .take(9)
        .any(|token| {
            token.is_comparative()
                || token.any(&[
                    "other",
                    "otherwise",
                    "different",
                    "differently",
                    "else",
                    "no",
                    "sooner",
                    "prefer",
                ])
                || token.lower.ends_with("er")
        });
    let opens = place.at == 0
        || place.before(1).is_some_and(|before| {
            before.text == "," || before.any(&["and", "since", "by", "until", "back", "but"])
        });
    ((opens && !compared)
        || place.before_any(&["before", "until", "since", "by"]) && place.next_ends(1))
    .then_some("then")
}

pub(super) fn were(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    if place.opens_clause()
        && (next.any(&[
            "going", "not", "all", "trying", "looking", "happy", "here", "so", "very",
        ]) && place.sentence.last().is_none_or(|last| last.text != "?"))
        && !place
            .before(1)
            .is_some_and(|before| before.any(&["that", "and", "but"]))
    {
        return Some("we're");
    }
    let place_noun = place.before_any(&[
        "place",
        "house",
        "city",
        "town",
        "school",
        "room",
        "country",
        "village",
        "point",
        "street",
        "building",
        "area",
        "know",
        "knew",
        "wonder",
        "remember",
        "see",
        "spot",
        "world",
        "restaurant",
        "office",
        "shop",
    ]);
    (place_noun && next.any(SUBJECT_PRONOUNS)
        || place_noun
            && next.any(&["the", "my", "our", "people", "their"])
            && place
                .after(3)
                .is_some_and(|after| after.any(BE_FORMS) || after.can_be_verb()))
    .then_some("where")
}

pub(super) fn where_(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    let subject = place.before(1).is_some_and(|before| {
        before.any(&[
            "they", "we", "you", "there", "people", "these", "those", "children", "students",
        ]) && place
            .before(2)
            .is_none_or(|two| !two.any(BE_FORMS) && !two.tagged(&[UPOS::VERB]))
    });
    let plural = place
        .before(1)
        .is_some_and(|before| before.tagged(&[UPOS::NOUN]) && before.lower.ends_with('s'));
    let verbal = next.is_progressive()
        || next.tagged(&[UPOS::ADJ, UPOS::ADV]) && place.next_ends(2)
        || next.any(&[
            "not", "very", "so", "too", "all", "many", "no", "also", "always", "never",
        ]);
    let predicate = next.tagged(&[UPOS::ADJ])
        && (place.next_ends(2)
            || place.after(2).is_some_and(|after| {
                after.any(&["about", "with", "of", "at", "to", "and", "that", "for"])
            }));
    (plural && predicate
        || subject && (verbal || next.tagged(&[UPOS::ADJ, UPOS::ADV, UPOS::VERB, UPOS::DET]))
        || plural && (next.is_progressive() || next.any(&["very", "too", "so", "not", "all"])))
    .then_some("were")
}

pub(super) fn quiet(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    let degree = next.any(&[
        "a",
        "an",
        "good",
        "nice",
        "often",
        "well",
        "sure",
        "likely",
        "different",
        "difficult",
        "hard",
        "big",
        "large",
        "interesting",
        "expensive",
        "easy",
        "popular",
        "important",
        "happy",
        "common",
        "simple",
        "clear",
        "literally",
        "frankly",
    ]);
    let article = place
        .before(1)
        .is_some_and(|before| before.any(DETERMINERS) || before.any(POSSESSIVES));
    (degree && !article).then_some("quite")
}

pub(super) fn know(place: &Place) -> Option<&'static str> {
    (place.before_any(&["right", "until", "by", "from", "just", "even", "up"])
        && !place.next_any(&["that", "what", "how", "the", "it", "about", "if", "who"])
        && !place.before_any(&["even", "just"])
        || place
            .before(1)
            .is_some_and(|before| before.any(&["is", "are", "was", "were"]))
            && place.next_ends(1))
    .then_some("now")
}

pub(super) fn of(place: &Place) -> Option<&'static str> {
    let modal = place.before_any(&[
        "could",
        "should",
        "would",
        "might",
        "must",
        "couldn't",
        "shouldn't",
        "wouldn't",
        "may",
    ]);
    (modal && !place.next_any(&["course"])).then_some("have")
}

/// "as you now, …"
pub(super) fn now(place: &Place) -> Option<&'static str> {
    let aside = place.before(2).is_some_and(|two| two.is("as"))
        && place
            .before(1)
            .is_some_and(|before| before.any(SUBJECT_PRONOUNS));
    (aside && place.next_ends(1)).then_some("know")
}

/// "all they need to no"
pub(super) fn no(place: &Place) -> Option<&'static str> {
    let wanted = place.before(2).is_some_and(|two| {
        two.any(&[
            "need", "needs", "want", "wants", "wanted", "have", "like", "got", "used", "going",
        ])
    });
    (place.before_any(&["to"])
        && wanted
        && (place.next_ends(1) || place.next_any(&["about", "more", "if", "how", "what"])))
    .then_some("know")
}

/// "we looked at are screens": after a preposition and before a noun stands no verb, unless a clause ends there.
pub(super) fn are(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    let preposition = place.before_any(&[
        "of", "in", "at", "on", "with", "for", "from", "about", "into", "during", "around", "over",
        "under", "by",
    ]);
    let stranded = place.sentence[..place.at].iter().any(|token| {
        token.any(&[
            "what", "that", "which", "who", "whom", "where", "things", "those",
        ])
    });
    let verb_before = place.sentence[..place.at]
        .iter()
        .any(|token| token.tagged(&[UPOS::VERB, UPOS::AUX]));
    let noun = next.is_word
        && (next.tagged(&[UPOS::NOUN]) || next.can_be_noun() && next.lower.ends_with('s'))
        || next.tagged(&[UPOS::ADJ])
            && place
                .after(2)
                .is_some_and(|after| after.tagged(&[UPOS::NOUN]));
    (preposition && noun && verb_before && !stranded).then_some("our")
}
