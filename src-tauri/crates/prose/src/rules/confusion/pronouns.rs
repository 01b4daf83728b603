//! Possessives and what sounds like them: its and it's, your and you're, their, there and they're, whose and who's.

use harper_brill::UPOS;

use super::Place;
use crate::rules::{BE_FORMS, DETERMINERS, DO_FORMS, MODALS, POSSESSIVES, subject::reporting};

/// What follows `it is`, `you are`, `they are`, but no possessive.
const AFTER_BE: &[&str] = &[
    "a",
    "an",
    "the",
    "not",
    "been",
    "very",
    "too",
    "so",
    "really",
    "just",
    "also",
    "quite",
    "never",
    "always",
    "going",
    "getting",
    "becoming",
    "important",
    "hard",
    "easy",
    "clear",
    "likely",
    "possible",
    "impossible",
    "difficult",
    "necessary",
    "true",
    "probably",
    "definitely",
    "obvious",
    "certainly",
    "supposed",
    "able",
    "ready",
    "sure",
    "about",
    "more",
    "no",
    "nice",
    "good",
    "great",
    "okay",
    "fine",
    "worth",
    "too",
    "because",
    "often",
    "usually",
    "still",
    "already",
    "only",
    "all",
    "what",
    "why",
    "how",
];

pub(super) fn its(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    let listed = next.any(AFTER_BE)
        && !next.any(&[
            "good",
            "great",
            "important",
            "only",
            "very",
            "more",
            "about",
            "all",
            "true",
            "own",
            "nice",
            "fine",
            "likely",
            "quite",
        ]);
    let adjective = (next.tagged(&[UPOS::ADJ]) || next.can_be_adjective() || next.any(AFTER_BE))
        && !next.is_progressive()
        && (place.after(2).is_none_or(|after| {
            !after.is_word && after.text != "-"
                || after.any(&["to", "that", "for", "when", "if", "because", "how", "and"])
        }))
        && place.opens_clause()
        && !(place.after(2).is_some_and(|after| after.is("and")) && next.can_be_noun());
    let time = next.is("time")
        && place
            .after(2)
            .is_some_and(|after| after.any(&["to", "for", "we", "you"]))
        && place.opens_clause();
    let participle = next.is_progressive()
        && place.opens_clause()
        && place.after(2).is_some_and(|after| {
            after.any(DETERMINERS) || after.any(&["to", "me", "us", "harder", "better", "hard"])
        });
    let weather = next.is_progressive()
        && place.opens_clause()
        && (!next.can_be_noun()
            || next.any(&["raining", "snowing", "pouring", "freezing", "boiling"]));
    let pronoun = weather || next.any(&["i", "you", "we", "he", "she", "they", "me"]);
    (listed || adjective || time || participle || pronoun).then_some("it's")
}

pub(super) fn it_is(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    if next.is("own")
        || place.next_any(&[
            "ability", "tail", "surface", "size", "shape", "value", "purpose",
        ])
    {
        return Some("its");
    }
    if !next.is_word
        || next.any(AFTER_BE)
        || next.any(DETERMINERS)
        || next.is_progressive()
        || next.any(&[
            "time", "summer", "winter", "spring", "autumn", "morning", "night", "mine", "yours",
            "midnight", "noon", "business",
        ])
    {
        return None;
    }
    let mut noun_at = if next.tagged(&[UPOS::ADJ]) { 2 } else { 1 };
    if place
        .after(noun_at + 1)
        .is_some_and(|after| after.tagged(&[UPOS::NOUN]))
    {
        noun_at += 1;
    }
    let noun = place.after(noun_at)?;
    if !noun.tagged(&[UPOS::NOUN]) {
        return None;
    }
    let after = place.after(noun_at + 1);
    let inside = place.before(1).is_some_and(|before| {
        before.is_word
            && (before.tagged(&[UPOS::ADP])
                && !before.any(&[
                    "like", "than", "as", "after", "before", "since", "until", "though",
                ])
                || before.tagged(&[UPOS::VERB]) && !reporting(before))
    });
    let subject = place.opens_clause()
        && after.is_some_and(|after| {
            after.any(BE_FORMS) || after.any(MODALS) || after.any(&["has", "have", "had", "of"])
        });
    (inside || subject).then_some("its")
}

pub(super) fn your(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    let listed = next.any(&[
        "going", "welcome", "not", "a", "an", "the", "so", "too", "very", "really", "just",
        "always", "never", "also", "supposed", "sure", "able", "ready", "about", "probably",
        "getting", "still", "already", "all", "gonna", "wrong", "late", "kidding", "invited",
        "allowed",
    ]) && !(next.any(&[
        "very", "wrong", "late", "just", "ready", "all", "sure", "able", "still",
    ]) && place
        .after(2)
        .is_some_and(|after| after.tagged(&[UPOS::NOUN])));
    let participle = next.is_progressive()
        && place.after(2).is_some_and(|after| {
            after.any(DETERMINERS)
                || after.any(POSSESSIVES)
                || after.any(&["to", "me", "him", "them", "us", "it"])
        });
    let right = next.any(&[
        "right", "correct", "tired", "happy", "late", "early", "busy", "sad", "smart",
    ]) && place.next_ends(2);
    (listed || participle || right).then_some("you're")
}

pub(super) fn you_are(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    (place.next_is_noun()
        && !next.can_be_adjective()
        && !next.any(&["home", "welcome", "history", "family", "people", "friends"])
        || next.is("own"))
    .then_some("your")
}

pub(super) fn there(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    let after_be = place.before(1).is_some_and(|before| {
        before.any(BE_FORMS)
            || before.any(DO_FORMS)
            || before.any(MODALS)
            || before.any(&["been", "being"])
    });
    if !after_be
        && (next.is_progressive()
            && !next.any(&["being", "nothing", "something", "anything"])
            && place.opens_clause()
            || next.is("not")
            || next.any(&["going", "coming", "trying"]) && place.opens_clause())
    {
        return Some("they're");
    }
    let fragile = next.any(&["too", "so", "very", "really", "also", "not"])
        && place
            .after(2)
            .is_some_and(|after| after.tagged(&[UPOS::ADJ]))
        && !after_be
        && (place.opens_clause()
            || place
                .before(1)
                .is_some_and(|before| before.tagged(&[UPOS::SCONJ])))
        && !place.sentence[place.at..]
            .iter()
            .take(6)
            .any(|token| token.any(BE_FORMS));
    if fragile {
        return Some("they're");
    }
    if next.is("own") {
        return Some("their");
    }
    if after_be
        || !next.is_word
        || next.any(&["people", "today", "tomorrow", "yesterday", "days", "home"])
        || next.capitalised()
    {
        return None;
    }
    let noun_at = if next.tagged(&[UPOS::ADJ])
        && place
            .after(2)
            .is_some_and(|noun| noun.tagged(&[UPOS::NOUN]))
    {
        2
    } else {
        1
    };
    let noun = place.after(noun_at)?;
    if !noun.tagged(&[UPOS::NOUN])
        || noun.any(&[
            "is", "was", "lies", "lives", "stands", "comes", "remains", "exists", "seems", "times",
            "day", "night", "week",
        ])
    {
        return None;
    }
    let before = place.before(1);
    let inside = before.is_some_and(|before| {
        before.tagged(&[UPOS::ADP, UPOS::VERB])
            && !before.any(&[
                "go", "went", "going", "get", "got", "live", "lived", "over", "out", "up", "down",
                "from", "stay", "stayed", "stand", "sit", "near", "is", "was", "put", "arrive",
                "arrived",
            ])
            && !(reporting(before) && !before.any(&["know", "find", "found", "feel"]))
    });
    let subject = place.opens_clause()
        && !noun.can_be_verb()
        && place.after(noun_at + 1).is_some_and(|after| {
            after.any(BE_FORMS) || after.any(MODALS) || after.tagged(&[UPOS::VERB])
        });
    (inside
        || subject
        || before.is_some_and(|before| {
            before.any(&["with", "all", "both", "of", "for", "in", "on"])
                && noun.tagged(&[UPOS::NOUN])
        }))
    .then_some("their")
}

pub(super) fn their(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    if next.any(&[
        "is", "are", "was", "were", "isn't", "aren't", "wasn't", "weren't", "will", "has", "have",
        "had", "should", "would", "could", "may", "might", "must", "seems", "exists",
    ]) && !(next.any(&["will", "might", "must"])
        && !place
            .after(2)
            .is_some_and(|after| after.any(&["be", "have", "always", "not"])))
    {
        return Some("there");
    }
    if next.any(&[
        "going", "not", "coming", "trying", "getting", "always", "very", "so", "never", "the", "a",
        "an",
    ]) && place.opens_clause()
    {
        return Some("they're");
    }
    let adverbial = place.before_any(&[
        "over", "out", "up", "down", "go", "went", "live", "been", "is", "are", "was", "were",
        "be", "get", "got",
    ]) && place.next_ends(1);
    adverbial.then_some("there")
}

pub(super) fn they_are(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    if next.any(&["is", "are", "was", "were"]) {
        return Some("there");
    }
    let inside = place.before(1).is_some_and(|before| {
        before.is_word
            && (before.tagged(&[UPOS::ADP])
                && !before.any(&[
                    "like", "than", "as", "after", "before", "since", "until", "because",
                ])
                || before.tagged(&[UPOS::VERB]) && !reporting(before))
    });
    let noun = place.next_is_noun()
        || next.tagged(&[UPOS::ADJ])
            && place
                .after(2)
                .is_some_and(|after| after.tagged(&[UPOS::NOUN]));
    let subject = place.next_is_noun()
        && place
            .after(2)
            .is_some_and(|after| after.any(BE_FORMS) || after.any(MODALS));
    (noun && inside || subject || next.is("own")).then_some("their")
}

pub(super) fn whose(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    (next.any(&[
        "going",
        "the",
        "a",
        "an",
        "not",
        "been",
        "there",
        "coming",
        "that",
        "responsible",
        "always",
        "never",
    ]) || next.is_progressive()
        && place
            .after(2)
            .is_some_and(|after| after.any(DETERMINERS) || after.is("to")))
    .then_some("who's")
}

pub(super) fn who_is(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    (place.next_is_noun()
        && !next.any(&["boss"])
        && !next.can_be_adjective()
        && !place.next_ends(2)
        || next.is("own"))
    .then_some("whose")
}
