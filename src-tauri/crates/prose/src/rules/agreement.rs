//! Subject and verb agree: "the dogs is", "he don't", "cats that sleeps".

use harper_brill::UPOS;

use super::{DO_FORMS, MODALS, replace, subject};
use crate::{
    checker::Draft,
    finding::Kind,
    lexicon::{Lexicon, Number},
    token::Token,
};

/// Singular and plural forms of the verbs that have their own.
const PAIRS: &[(&str, &str)] = &[
    ("is", "are"),
    ("was", "were"),
    ("has", "have"),
    ("does", "do"),
    ("isn't", "aren't"),
    ("wasn't", "weren't"),
    ("hasn't", "haven't"),
    ("doesn't", "don't"),
];
/// Collective nouns, which take a plural verb in British English.
const COLLECTIVE: &[&str] = &[
    "team",
    "family",
    "crew",
    "band",
    "club",
    "council",
    "audience",
    "crowd",
    "class",
    "group",
    "public",
    "press",
    "couple",
    "population",
    "choir",
    "jury",
    "faculty",
    "enemy",
    "side",
    "party",
    "pair",
    "squad",
];

pub(super) fn check(lexicon: &Lexicon, sentence: &[Token], out: &mut Vec<Draft>) {
    for at in 1..sentence.len() {
        let Some(shown) = shown_number(lexicon, sentence, at) else {
            continue;
        };
        let draft = relative(lexicon, sentence, at, shown)
            .or_else(|| main_clause(lexicon, sentence, at, shown));
        out.extend(draft);
    }
    out.extend(question(lexicon, sentence));
}

/// The number that a finite verb in the present (or `was`, `were`) shows.
pub(super) fn shown_number(lexicon: &Lexicon, sentence: &[Token], at: usize) -> Option<Number> {
    let token = &sentence[at];
    for (singular, plural) in PAIRS {
        if token.is(singular) {
            return Some(Number::Singular);
        }
        if token.is(plural) {
            return Some(Number::Plural);
        }
    }
    if !token.tagged(&[UPOS::VERB]) || token.capitalised() {
        return None;
    }
    let meta = token.meta.as_ref()?;
    if token.lower.ends_with('s') && lexicon.lemma(&token.lower).is_some() {
        return Some(Number::Singular);
    }
    if token.any(&["come", "become", "run", "overcome"]) {
        return Some(Number::Plural);
    }
    // `put` and `read` may be past.
    let past = meta.is_verb_past_form() || meta.is_verb_simple_past_form();
    let participle = meta.is_verb_past_participle_form();
    (meta.is_verb_lemma() && !past && !participle).then_some(Number::Plural)
}

fn other_number(lexicon: &Lexicon, verb: &str, wanted: Number) -> Option<String> {
    for (singular, plural) in PAIRS {
        if verb == *singular || verb == *plural {
            return Some(
                (if wanted == Number::Singular {
                    singular
                } else {
                    plural
                })
                .to_string(),
            );
        }
    }
    match wanted {
        Number::Singular => lexicon.third_person(verb),
        Number::Plural => lexicon.lemma(verb),
    }
}

fn auxiliary(verb: &Token) -> bool {
    PAIRS
        .iter()
        .any(|(singular, plural)| verb.is(singular) || verb.is(plural))
}

fn main_clause(lexicon: &Lexicon, sentence: &[Token], at: usize, shown: Number) -> Option<Draft> {
    let verb = &sentence[at];
    if let Some(draft) = gerund(sentence, at) {
        return Some(draft);
    }
    let subject = subject::find(lexicon, sentence, at)?;
    if subject.head == "i" {
        return (verb.any(&["is", "are", "has", "does", "doesn't", "were"])
            && !subjunctive(sentence, at))
        .then(|| {
            let with = match verb.lower.as_str() {
                "is" | "are" => "am",
                "has" => "have",
                "does" => "do",
                "doesn't" => "don't",
                _ => "was",
            };
            replace(
                Kind::Agreement,
                "agreement",
                verb,
                with,
                format!("With the subject “I” the verb is “{with}”."),
            )
        });
    }
    if subject.number == shown {
        return None;
    }
    if !auxiliary(verb) {
        // "the company plan for growth is": a base form may be a noun; and "made the dog go" needs none.
        let known_subject = subject.certain || subject.pronoun;
        if !known_subject
            || inverted(sentence, at)
            || verb.can_be_noun() && finite_later(lexicon, sentence, at)
        {
            return None;
        }
        if verb.can_be_noun()
            && sentence
                .get(at + 1)
                .is_some_and(|next| next.any(&["of", "and", "or"]))
            && !subject.pronoun
        {
            return None;
        }
    } else if inverted(sentence, at) && !verb.any(&["is", "are", "was", "were"]) {
        return None;
    }
    if subject.number == Number::Singular {
        if verb.any(&["were", "weren't"]) && subjunctive(sentence, at) {
            return None;
        }
        if COLLECTIVE.contains(&subject.head.as_str()) {
            return None;
        }
    }
    let mut with = other_number(lexicon, &verb.lower, subject.number)?;
    // "The invention lead to": the past is meant far more often than "leads".
    if verb.is("lead")
        && !sentence
            .iter()
            .any(|token| token.any(&["is", "are", "has", "have", "does", "do"]))
    {
        "led".clone_into(&mut with);
    }
    let about = match (subject.head.as_str(), subject.number) {
        ("and", _) => "The subject joins two with “and”".to_owned(),
        (head, Number::Singular) => format!("The subject “{head}” is singular"),
        (head, Number::Plural) => format!("The subject “{head}” is plural"),
    };
    Some(replace(
        Kind::Agreement,
        "agreement",
        verb,
        &with,
        format!("{about}, so the verb is “{with}”."),
    ))
}

/// "Working from home have its price": what one does is singular.
fn gerund(sentence: &[Token], at: usize) -> Option<Draft> {
    let verb = &sentence[at];
    let with = match verb.lower.as_str() {
        "are" => "is",
        "have" => "has",
        "were" => "was",
        _ => return None,
    };
    let opens = sentence[0].is_progressive()
        && sentence.get(1).is_some_and(|next| {
            next.tagged(&[UPOS::ADP])
                || next.any(super::POSSESSIVES)
                || next.any(&["a", "an", "the"])
        });
    let simple = sentence[1..at].iter().all(|token| {
        token.is_word
            && !token.tagged(&[UPOS::VERB, UPOS::AUX, UPOS::CCONJ, UPOS::SCONJ])
            && !token.any(&["who", "that", "which"])
    });
    (opens && simple && at > 2).then(|| {
        replace(
            Kind::Agreement,
            "agreement",
            verb,
            with,
            format!(
                "The subject is “{}…”, one thing, so the verb is “{with}”.",
                sentence[0].lower
            ),
        )
    })
}

/// "cats that sleeps", "a man who go".
fn relative(lexicon: &Lexicon, sentence: &[Token], at: usize, shown: Number) -> Option<Draft> {
    let mut before = at.checked_sub(1)?;
    while before > 0 && sentence[before].tagged(&[UPOS::ADV]) {
        before -= 1;
    }
    if !sentence[before].any(&["who", "that", "which"]) || before == 0 {
        return None;
    }
    // "the budget, which have": a comma may stand between.
    let comma =
        sentence[before - 1].text == "," && sentence[before].any(&["who", "which"]) && before > 1;
    let noun_at = if comma { before - 2 } else { before - 1 };
    let noun = &sentence[noun_at];
    let named = noun.any(&["those", "others", "ones", "many"]);
    let initial = noun.span.start == sentence[0].span.start;
    if !noun.is_word || !(noun.tagged(&[UPOS::NOUN]) || named) || noun.capitalised() && !initial {
        return None;
    }
    let number = if noun.any(&["those", "people", "others", "ones", "many"]) {
        Number::Plural
    } else {
        lexicon.number(&noun.lower)?
    };
    // "a list of items that is": the head may be further left.
    let phrase = sentence[..noun_at]
        .iter()
        .rev()
        .take(5)
        .take_while(|token| token.is_word);
    let mut further = phrase
        .skip_while(|token| {
            !token.any(&[
                "of", "in", "for", "on", "from", "with", "to", "about", "by", "at", "and",
            ])
        })
        .skip(1);
    let inside = !sentence[before].is("who")
        && further.any(|token| {
            token.tagged(&[UPOS::NOUN, UPOS::NUM]) && lexicon.number(&token.lower) != Some(number)
        });
    let one_of = sentence[..noun_at]
        .iter()
        .rev()
        .take(6)
        .any(|token| token.is("one"));
    // After a comma "which" may mean the whole clause: "it rained, which helps".
    let clause = comma && shown == Number::Singular && sentence[before].is("which");
    if number == shown || inside || one_of || clause || COLLECTIVE.contains(&noun.lower.as_str()) {
        return None;
    }
    let verb = &sentence[at];
    if !auxiliary(verb)
        && (verb.can_be_noun() && sentence[before].is("that") && number == Number::Singular)
    {
        return None;
    }
    if number == Number::Singular && subjunctive(sentence, at) {
        return None;
    }
    let with = other_number(lexicon, &verb.lower, number)?;
    let word = if number == Number::Singular {
        "singular"
    } else {
        "plural"
    };
    Some(replace(
        Kind::Agreement,
        "agreement",
        verb,
        &with,
        format!("“{}” is {word}, so the verb is “{with}”.", noun.lower),
    ))
}

/// "Where is my keys?", "Do he know?"
fn question(lexicon: &Lexicon, sentence: &[Token]) -> Option<Draft> {
    if sentence.last().is_none_or(|token| token.text != "?") {
        return None;
    }
    let at = usize::from(sentence[0].any(&["what", "where", "when", "why", "how", "who"]));
    let verb = sentence.get(at)?;
    if !auxiliary(verb) || (at == 1 && sentence[0].any(&["what", "who"])) {
        return None;
    }
    let next = sentence.get(at + 1)?;
    let number = if next.any(&["he", "she", "it"]) {
        Number::Singular
    } else if next.any(&["they", "we", "you"]) {
        Number::Plural
    } else if next.any(super::POSSESSIVES) || next.any(&["the", "these", "those"]) {
        let noun = sentence
            .get(at + 2)
            .filter(|noun| noun.tagged(&[UPOS::NOUN]))?;
        let after = sentence.get(at + 3)?;
        if after.tagged(&[UPOS::NOUN]) || after.any(&["and", "of", "or"]) {
            return None;
        }
        lexicon.number(&noun.lower)?
    } else {
        return None;
    };
    let shown = shown_number(lexicon, sentence, at)?;
    if number == shown || (verb.is("were") && number == Number::Singular) {
        return None;
    }
    let with = other_number(lexicon, &verb.lower, number)?;
    Some(replace(
        Kind::Agreement,
        "agreement",
        verb,
        &with,
        format!("The subject of the question needs “{with}”."),
    ))
}

/// "if he were", "as though it were", "I wish he were".
fn subjunctive(sentence: &[Token], at: usize) -> bool {
    sentence[..at].iter().any(|token| {
        token.any(&[
            "if", "wish", "wishes", "wished", "though", "unless", "suppose", "whether", "lest",
        ])
    })
}

/// "Does the dog bark", "can he go", "let it go": the verb is not finite.
fn inverted(sentence: &[Token], at: usize) -> bool {
    let clause = sentence[..at]
        .iter()
        .rev()
        .take(7)
        .take_while(|token| token.is_word && !token.any(&["that", "because", "when", "but"]));
    let mut finite = false;
    for token in clause {
        finite |= token.any(MODALS)
            || token.any(DO_FORMS)
            || token.any(&[
                "let", "lets", "make", "makes", "made", "making", "help", "helps", "helped",
                "helping", "see", "sees", "saw", "seeing", "watch", "watches", "watched",
                "watching", "hear", "hears", "heard", "have", "has", "had", "having", "to",
                "letting", "lest",
            ]);
    }
    finite
}

/// Whether another finite verb follows in the clause, so that this one was perhaps none.
fn finite_later(lexicon: &Lexicon, sentence: &[Token], at: usize) -> bool {
    sentence[at + 1..]
        .iter()
        .enumerate()
        .take_while(|(_, token)| {
            token.is_word
                && !token.tagged(&[UPOS::SCONJ, UPOS::CCONJ])
                && !token.any(&[
                    "that", "who", "which", "what", "how", "where", "when", "because", "if", "and",
                    "but", "to", "than", "as",
                ])
        })
        .any(|(after, token)| {
            auxiliary(token)
                || (token.any(MODALS))
                || (token.tagged(&[UPOS::VERB])
                    && token.lower.ends_with('s')
                    && shown_number(lexicon, sentence, at + 1 + after) == Some(Number::Singular)
                    && !token.can_be_noun())
        })
}
