//! Nouns, verbs and adjectives that look or sound alike: accept and except, affect and effect, week and weak.

use harper_brill::UPOS;

use super::Place;
use crate::rules::{BE_FORMS, DETERMINERS, DO_FORMS, MODALS, POSSESSIVES, SUBJECT_PRONOUNS};

pub(super) fn accept(place: &Place) -> Option<&'static str> {
    // "friendly, accept for one"
    if place.next_any(&["for"])
        && place.before(1).is_none_or(|before| {
            !before.any(SUBJECT_PRONOUNS) && !before.any(MODALS) && !before.is("to")
        })
    {
        return Some("except");
    }
    (place.before_any(&[
        "everyone",
        "everybody",
        "everything",
        "all",
        "nothing",
        "nobody",
        "anything",
        "anyone",
        "day",
        "days",
        "one",
    ]) && place.after(1).is_some_and(|next| {
        next.any(DETERMINERS)
            || next.any(&["for", "me", "him", "her", "them", "us", "that"])
            || next.tagged(&[UPOS::NOUN, UPOS::PROPN])
    }))
    .then_some("except")
}

pub(super) fn except(place: &Place) -> Option<&'static str> {
    (place.before_any(&["gladly", "cannot", "never"])
        && place
            .after(1)
            .is_some_and(|next| next.any(DETERMINERS) || next.any(POSSESSIVES)))
    .then_some("accept")
}

pub(super) fn principle(place: &Place) -> Option<&'static str> {
    let role = place.next_any(&[
        "reason",
        "cause",
        "goal",
        "source",
        "role",
        "concern",
        "author",
        "investigator",
        "dancer",
        "actor",
        "aim",
        "purpose",
        "component",
        "difference",
    ]);
    let school = (place.before_any(&[
        "school",
        "vice",
        "assistant",
        "new",
        "old",
        "the",
        "our",
        "their",
    ]) || role)
        && (place.next_any(&[
            "said",
            "told",
            "asked",
            "announced",
            "spoke",
            "decided",
            "called",
            "visited",
        ]) || place.after(1).is_some_and(|next| next.is("of"))
            && place.sentence[place.at..]
                .iter()
                .take(6)
                .any(|token| token.any(&["school", "college", "academy"])));
    (role || school || place.before_any(&["school", "vice"])).then_some("principal")
}

pub(super) fn principal(place: &Place) -> Option<&'static str> {
    let in_principle = place.before_any(&["in", "on"])
        && (place.next_ends(1)
            || place
                .after(1)
                .is_some_and(|next| next.any(SUBJECT_PRONOUNS)));
    let rule = place.before_any(&[
        "basic",
        "guiding",
        "first",
        "general",
        "moral",
        "fundamental",
        "underlying",
    ]) && (place.next_ends(1) || place.next_any(&["of", "is", "that", "behind"]));
    (in_principle || rule).then_some("principle")
}

pub(super) fn piece(place: &Place) -> Option<&'static str> {
    (place.before_any(&["world", "inner", "in", "lasting", "at"])
        && (place.next_ends(1) || place.next_any(&["and", "with", "after", "is", "talks"]))
        || place.next_any(&["and"])
            && place
                .after(2)
                .is_some_and(|token| token.any(&["quiet", "quite"]))
        || place.next_any(&["treaty", "talks", "agreement"]))
    .then_some("peace")
}

pub(super) fn weak(place: &Place) -> Option<&'static str> {
    let timed = place.before_any(&[
        "last",
        "next",
        "every",
        "per",
        "once",
        "each",
        "whole",
        "past",
        "previous",
        "following",
    ]) || place.before_any(&["this", "a", "one"])
        && (place.next_ends(1)
            || place.next_any(&["ago", "later", "before", "after", "and", "from", "in"]));
    (timed && !place.next_is_noun()).then_some("week")
}

pub(super) fn hear(place: &Place) -> Option<&'static str> {
    let adverb = place.before_any(&[
        "over", "come", "came", "right", "is", "are", "was", "were", "stay", "stayed", "live",
        "lives", "lived", "from", "in", "out", "up", "back", "near", "around", "be", "been",
        "arrived", "get", "got",
    ]) && (place.next_ends(1)
        || place.next_any(&[
            "and",
            "for",
            "in",
            "with",
            "to",
            "yesterday",
            "today",
            "every",
            "since",
            "because",
            "when",
            "by",
            "at",
            "tomorrow",
        ]));
    let opens = place.opens_clause() && place.next_any(&["is", "are", "comes", "was"]);
    (adverb || opens).then_some("here")
}

pub(super) fn brake(place: &Place) -> Option<&'static str> {
    (place.before_any(&[
        "lunch",
        "coffee",
        "tea",
        "short",
        "quick",
        "spring",
        "summer",
        "winter",
        "commercial",
        "big",
    ]) || place.before_any(&["a", "the"])
        && place.before(2).is_some_and(|two| {
            two.any(&[
                "take", "took", "taking", "takes", "need", "needs", "needed", "during", "have",
                "had", "after", "without",
            ])
        })
        && !place.next_is_noun())
    .then_some("break")
}

pub(super) fn breaks(place: &Place) -> Option<&'static str> {
    let car = place.sentence.iter().any(|token| {
        token.any(&[
            "car", "truck", "bike", "bicycle", "driver", "wheels", "pedal", "bus", "train",
            "vehicle",
        ])
    });
    (car && (place.before_any(&[
        "the", "my", "his", "her", "our", "their", "its", "your", "new", "worn",
    ])) && (place.next_ends(1)
        || place.next_any(&[
            "failed", "were", "are", "on", "and", "did", "before", "to", "squealed", "because",
        ])))
    .then_some("brakes")
}

pub(super) fn roll(place: &Place) -> Option<&'static str> {
    let plays = place.sentence[..place.at]
        .iter()
        .rev()
        .take(5)
        .any(|token| {
            token.any(&[
                "play",
                "plays",
                "played",
                "playing",
                "important",
                "key",
                "major",
                "crucial",
                "leading",
                "vital",
            ])
        });
    (plays
        && (place.next_ends(1) || place.next_any(&["in", "of", "as", "for", "that"]))
        && !place.before_any(&["to"]))
    .then_some("role")
}

pub(super) fn affect(place: &Place) -> Option<&'static str> {
    let noun = place.before(1).is_some_and(|before| {
        before.any(&[
            "an", "the", "no", "any", "some", "little", "big", "huge", "positive", "negative",
            "same", "side", "great", "bad", "good", "lasting", "strong", "major", "its", "cause",
            "in",
        ])
    }) && (place.next_ends(1)
        || place.next_any(&[
            "on", "of", "is", "was", "has", "in", "that", "and", "upon", "will",
        ]));
    (noun).then_some("effect")
}

pub(super) fn effects(place: &Place) -> Option<&'static str> {
    let object = place.after(1).is_some_and(|next| {
        next.any(DETERMINERS)
            || next.any(POSSESSIVES)
            || next.any(&[
                "us", "me", "him", "them", "everyone", "people", "how", "both", "many", "all",
                "our",
            ])
    });
    let subject = place.before_any(&[
        "it",
        "this",
        "that",
        "which",
        "he",
        "she",
        "also",
        "directly",
        "greatly",
        "often",
        "weather",
        "stress",
        "sleep",
        "noise",
        "pollution",
    ]);
    (object
        && (subject
            || place
                .before(1)
                .is_some_and(|before| before.tagged(&[UPOS::NOUN])))
        && !place
            .before(1)
            .is_some_and(|before| before.any(&["side", "sound", "special"])))
    .then_some("affects")
}

pub(super) fn affects(place: &Place) -> Option<&'static str> {
    (place.before_any(&[
        "the", "side", "its", "bad", "negative", "positive", "harmful", "their", "these", "no",
        "special", "lasting", "any",
    ]) && (place.next_ends(1) || place.next_any(&["of", "on", "are", "were", "in", "and"])))
    .then_some("effects")
}

pub(super) fn effected(place: &Place) -> Option<&'static str> {
    let change = place.sentence[place.at..].iter().take(4).any(|token| {
        token.any(&[
            "change",
            "changes",
            "repairs",
            "escape",
            "cure",
            "entry",
            "transition",
            "reconciliation",
        ])
    });
    (!change
        && (place.before(1).is_some_and(|before| {
            before.any(BE_FORMS)
                || before.any(&[
                    "has",
                    "have",
                    "had",
                    "badly",
                    "also",
                    "most",
                    "deeply",
                    "that",
                    "which",
                    "greatly",
                    "it",
                    "this",
                    "negatively",
                ])
                || before.tagged(&[UPOS::NOUN])
        })))
    .then_some("affected")
}

pub(super) fn loosing(place: &Place) -> Option<&'static str> {
    let loosen = place.next_any(&["an", "arrows", "arrow"]);
    (!loosen).then_some("losing")
}

pub(super) fn chose(place: &Place) -> Option<&'static str> {
    (place.before(1).is_some_and(|before| {
        before.any(MODALS) || before.any(&["to", "don't", "didn't", "doesn't"])
    }))
    .then_some("choose")
}

pub(super) fn mourning(place: &Place) -> Option<&'static str> {
    place
        .before_any(&[
            "every",
            "good",
            "this",
            "tomorrow",
            "yesterday",
            "each",
            "next",
            "early",
            "late",
            "monday",
            "sunday",
            "saturday",
        ])
        .then_some("morning")
}

/// "tell me weather I should": a clause follows.
pub(super) fn weather(place: &Place) -> Option<&'static str> {
    let asked = place.sentence[..place.at]
        .iter()
        .rev()
        .take(5)
        .any(|token| {
            token.any(&[
                "tell", "ask", "asked", "know", "knows", "wonder", "decide", "say", "sure", "see",
                "explain", "check", "told", "matter", "doubt",
            ])
        });
    let clause = place.next_any(SUBJECT_PRONOUNS)
        && place.after(2).is_some_and(|after| {
            after.any(MODALS) || after.any(BE_FORMS) || after.any(DO_FORMS) || after.can_be_verb()
        });
    (asked
        && clause
        && !place
            .before(1)
            .is_some_and(|before| before.any(DETERMINERS)))
    .then_some("whether")
}

/// "climbs threw a forest": a second verb cannot follow the first.
pub(super) fn threw(place: &Place) -> Option<&'static str> {
    let after_verb = place
        .before(1)
        .is_some_and(|before| before.tagged(&[UPOS::VERB]) && !before.any(&["have", "has", "had"]));
    (after_verb
        && place
            .after(1)
            .is_some_and(|next| next.any(DETERMINERS) || next.any(POSSESSIVES)))
    .then_some("through")
}

/// "yesterdays game"
pub(super) fn of_day(place: &Place) -> Option<&'static str> {
    let with = match place.sentence[place.at].lower.as_str() {
        "yesterdays" => "yesterday's",
        "todays" => "today's",
        _ => "tomorrow's",
    };
    place
        .after(1)
        .is_some_and(|next| next.is_word && next.tagged(&[UPOS::NOUN, UPOS::ADJ]))
        .then_some(with)
}

pub(super) fn begun(place: &Place) -> Option<&'static str> {
    let subject = place
        .before(1)
        .is_some_and(|before| before.tagged(&[UPOS::NOUN]) || before.any(SUBJECT_PRONOUNS));
    let helped = place.sentence[..place.at]
        .iter()
        .rev()
        .take(4)
        .any(|token| token.any(&["have", "has", "had"]));
    (subject && !helped && place.next_any(&["to"])).then_some("began")
}

pub(super) fn dessert(place: &Place) -> Option<&'static str> {
    (place.before_any(&["sahara", "hot", "dry", "gobi", "sandy", "mojave", "vast"])
        || place.next_any(&["island", "sand", "storm", "heat", "landscape", "climate"])
        || place.before_any(&["the"])
            && place
                .sentence
                .iter()
                .any(|token| token.any(&["sand", "camel", "camels", "dunes", "cactus", "oasis"])))
    .then_some("desert")
}

pub(super) fn desert(place: &Place) -> Option<&'static str> {
    (place.before_any(&[
        "for",
        "chocolate",
        "delicious",
        "favorite",
        "favourite",
        "sweet",
    ]) && (place.next_ends(1)
        || place.next_any(&["and", "was", "is", "we", "after", "i", "she", "he"])))
    .then_some("dessert")
}
