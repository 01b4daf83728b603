//! Confused small words: its and it's, your and you're, there, their and they're, to and too, than and then, whose
//! and who's, were and where. Their places are special enough for a function each.

use harper_brill::UPOS;

use super::{
    BE_FORMS, DETERMINERS, DO_FORMS, MODALS, POSSESSIVES, SUBJECT_PRONOUNS, replace, replace_span,
    subject::reporting,
};
use crate::{
    checker::Draft,
    finding::Kind,
    lexicon::{Lexicon, with_case_of},
    token::Token,
};

/// What a check sees: the word and its neighbours.
struct Place<'a> {
    sentence: &'a [Token],
    at: usize,
}

impl<'a> Place<'a> {
    fn before(&self, distance: usize) -> Option<&'a Token> {
        self.at.checked_sub(distance).map(|at| &self.sentence[at])
    }

    fn after(&self, distance: usize) -> Option<&'a Token> {
        self.sentence.get(self.at + distance)
    }

    fn next_any(&self, words: &[&str]) -> bool {
        self.after(1).is_some_and(|token| token.any(words))
    }

    fn before_any(&self, words: &[&str]) -> bool {
        self.before(1).is_some_and(|token| token.any(words))
    }

    /// Whether nothing of the clause stands before the word.
    fn opens_clause(&self) -> bool {
        self.before(1).is_none_or(|before| {
            !before.is_word
                || reporting(before)
                || before.tagged(&[UPOS::SCONJ])
                || before.any(&[
                    "and", "but", "because", "that", "if", "when", "so", "while", "although",
                    "since",
                ])
        })
    }

    fn next_ends(&self, distance: usize) -> bool {
        self.after(distance).is_none_or(|token| !token.is_word)
    }

    fn next_is_noun(&self) -> bool {
        self.after(1).is_some_and(|next| {
            next.is_word && next.tagged(&[UPOS::NOUN]) && !next.is_progressive()
        })
    }
}

type Check = fn(&Place) -> Option<&'static str>;

/// (the word, what decides, what is meant)
const CHECKS: &[(&str, Check)] = &[
    ("its", its),
    ("it's", it_is),
    ("your", your),
    ("you're", you_are),
    ("there", there),
    ("their", their),
    ("they're", they_are),
    ("to", to),
    ("too", too),
    ("two", two),
    ("then", then),
    ("than", than),
    ("whose", whose),
    ("who's", who_is),
    ("were", were),
    ("where", where_),
    ("quiet", quiet),
    ("accept", accept),
    ("except", except),
    ("principle", principle),
    ("principal", principal),
    ("piece", piece),
    ("weak", weak),
    ("know", know),
    ("hear", hear),
    ("brake", brake),
    ("breaks", breaks),
    ("roll", roll),
    ("affect", affect),
    ("effects", effects),
    ("affects", affects),
    ("effected", effected),
    ("loosing", loosing),
    ("chose", chose),
    ("of", of),
    ("dessert", dessert),
    ("desert", desert),
    ("mourning", mourning),
    ("now", now),
    ("no", no),
    ("are", are),
    ("weather", weather),
    ("threw", threw),
    ("begun", begun),
    ("yesterdays", of_day),
    ("todays", of_day),
    ("tomorrows", of_day),
];

pub(super) fn check(_: &Lexicon, sentence: &[Token], out: &mut Vec<Draft>) {
    for (at, token) in sentence.iter().enumerate() {
        let place = Place { sentence, at };
        for (word, decide) in CHECKS {
            if token.is(word)
                && let Some(meant) = decide(&place)
            {
                let mut draft = replace(
                    Kind::ConfusedWords,
                    "confusion",
                    token,
                    meant,
                    format!(
                        "“{}” and “{meant}” are easily confused; “{meant}” is meant here.",
                        token.lower
                    ),
                );
                if *word == "of" {
                    draft = replace_span(
                        Kind::ConfusedWords,
                        "confusion",
                        token.span.clone(),
                        with_case_of(&token.text, meant),
                        "A modal verb is followed by “have”, not “of”.".to_owned(),
                    );
                }
                out.push(draft);
            }
        }
    }
}

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

fn its(place: &Place) -> Option<&'static str> {
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

fn it_is(place: &Place) -> Option<&'static str> {
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

fn your(place: &Place) -> Option<&'static str> {
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

fn you_are(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    (place.next_is_noun()
        && !next.can_be_adjective()
        && !next.any(&["home", "welcome", "history", "family", "people", "friends"])
        || next.is("own"))
    .then_some("your")
}

fn there(place: &Place) -> Option<&'static str> {
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

fn their(place: &Place) -> Option<&'static str> {
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

fn they_are(place: &Place) -> Option<&'static str> {
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

fn to(place: &Place) -> Option<&'static str> {
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

fn too(place: &Place) -> Option<&'static str> {
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

fn two(place: &Place) -> Option<&'static str> {
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

fn then(place: &Place) -> Option<&'static str> {
    let compared = place.before(1).is_some_and(Token::is_comparative)
        || place.before(2).is_some_and(|token| {
            token.is_comparative() && !place.before(1).is_some_and(|before| !before.is_word)
        })
        || place.before_any(&["other", "rather"]);
    let clause = place.next_any(&["i", "we", "they", "he", "she", "it"])
        && !place.before(1).is_some_and(Token::is_comparative);
    (compared && !clause && !place.next_ends(1)).then_some("than")
}

fn than(place: &Place) -> Option<&'static str> {
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

fn whose(place: &Place) -> Option<&'static str> {
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

fn who_is(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    (place.next_is_noun()
        && !next.any(&["boss"])
        && !next.can_be_adjective()
        && !place.next_ends(2)
        || next.is("own"))
    .then_some("whose")
}

fn were(place: &Place) -> Option<&'static str> {
    let next = place.after(1)?;
    if place.opens_clause()
        && (next.any(&[
            "going", "not", "all", "trying", "looking", "happy", "here", "so", "very",
        ]) && !place.sentence.last().is_some_and(|last| last.text == "?"))
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

fn where_(place: &Place) -> Option<&'static str> {
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

fn quiet(place: &Place) -> Option<&'static str> {
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

fn accept(place: &Place) -> Option<&'static str> {
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

fn except(place: &Place) -> Option<&'static str> {
    (place.before_any(&["gladly", "cannot", "never"])
        && place
            .after(1)
            .is_some_and(|next| next.any(DETERMINERS) || next.any(POSSESSIVES)))
    .then_some("accept")
}

fn principle(place: &Place) -> Option<&'static str> {
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

fn principal(place: &Place) -> Option<&'static str> {
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

fn piece(place: &Place) -> Option<&'static str> {
    (place.before_any(&["world", "inner", "in", "lasting", "at"])
        && (place.next_ends(1) || place.next_any(&["and", "with", "after", "is", "talks"]))
        || place.next_any(&["and"])
            && place
                .after(2)
                .is_some_and(|token| token.any(&["quiet", "quite"]))
        || place.next_any(&["treaty", "talks", "agreement"]))
    .then_some("peace")
}

fn weak(place: &Place) -> Option<&'static str> {
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

fn know(place: &Place) -> Option<&'static str> {
    (place.before_any(&["right", "until", "by", "from", "just", "even", "up"])
        && !place.next_any(&["that", "what", "how", "the", "it", "about", "if", "who"])
        && !place.before_any(&["even", "just"])
        || place
            .before(1)
            .is_some_and(|before| before.any(&["is", "are", "was", "were"]))
            && place.next_ends(1))
    .then_some("now")
}

fn hear(place: &Place) -> Option<&'static str> {
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

fn brake(place: &Place) -> Option<&'static str> {
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

fn breaks(place: &Place) -> Option<&'static str> {
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

fn roll(place: &Place) -> Option<&'static str> {
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

fn affect(place: &Place) -> Option<&'static str> {
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

fn effects(place: &Place) -> Option<&'static str> {
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

fn affects(place: &Place) -> Option<&'static str> {
    (place.before_any(&[
        "the", "side", "its", "bad", "negative", "positive", "harmful", "their", "these", "no",
        "special", "lasting", "any",
    ]) && (place.next_ends(1) || place.next_any(&["of", "on", "are", "were", "in", "and"])))
    .then_some("effects")
}

fn effected(place: &Place) -> Option<&'static str> {
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

fn loosing(place: &Place) -> Option<&'static str> {
    let loosen = place.next_any(&["an", "arrows", "arrow"]);
    (!loosen).then_some("losing")
}

fn chose(place: &Place) -> Option<&'static str> {
    (place.before(1).is_some_and(|before| {
        before.any(MODALS) || before.any(&["to", "don't", "didn't", "doesn't"])
    }))
    .then_some("choose")
}

fn of(place: &Place) -> Option<&'static str> {
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

fn mourning(place: &Place) -> Option<&'static str> {
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

/// "as you now, …"
fn now(place: &Place) -> Option<&'static str> {
    let aside = place.before(2).is_some_and(|two| two.is("as"))
        && place
            .before(1)
            .is_some_and(|before| before.any(SUBJECT_PRONOUNS));
    (aside && place.next_ends(1)).then_some("know")
}

/// "all they need to no"
fn no(place: &Place) -> Option<&'static str> {
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
fn are(place: &Place) -> Option<&'static str> {
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

/// "tell me weather I should": a clause follows.
fn weather(place: &Place) -> Option<&'static str> {
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
fn threw(place: &Place) -> Option<&'static str> {
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
fn of_day(place: &Place) -> Option<&'static str> {
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

fn begun(place: &Place) -> Option<&'static str> {
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

fn dessert(place: &Place) -> Option<&'static str> {
    (place.before_any(&["sahara", "hot", "dry", "gobi", "sandy", "mojave", "vast"])
        || place.next_any(&["island", "sand", "storm", "heat", "landscape", "climate"])
        || place.before_any(&["the"])
            && place
                .sentence
                .iter()
                .any(|token| token.any(&["sand", "camel", "camels", "dunes", "cactus", "oasis"])))
    .then_some("desert")
}

fn desert(place: &Place) -> Option<&'static str> {
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
