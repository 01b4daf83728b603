//! Finds the subject of a verb by walking left over the noun phrase before it.

use harper_brill::UPOS;

use super::{BE_FORMS, DETERMINERS, DO_FORMS, MODALS, POSSESSIVES};
use crate::{
    lexicon::{Lexicon, Number},
    token::Token,
};

pub(super) struct Subject {
    pub(super) head: String,
    pub(super) number: Number,
    /// `I` and `you` take forms of their own.
    pub(super) pronoun: bool,
    /// A determiner, a pronoun or a plural: surely a noun phrase.
    pub(super) certain: bool,
}

const SINGULAR_PRONOUNS: &[&str] = &[
    "he",
    "she",
    "it",
    "everyone",
    "everybody",
    "everything",
    "someone",
    "somebody",
    "something",
    "anyone",
    "anybody",
    "anything",
    "nobody",
    "nothing",
    "each",
    "either",
    "neither",
    "one",
    "another",
];
const PLURAL_PRONOUNS: &[&str] = &[
    "we", "they", "you", "these", "those", "many", "several", "few", "both", "others",
];
const PREPOSITIONS: &[&str] = &[
    "of", "in", "on", "for", "with", "from", "at", "by", "about", "between", "behind", "near",
    "under", "inside", "against", "into", "among", "across", "within", "without", "around",
    "above", "below", "beside", "through", "during", "after", "before", "over",
];
/// Verbs after which a clause may follow without "that".
const REPORTING: &[&str] = &[
    "think", "believe", "say", "know", "hope", "feel", "mean", "show", "agree", "notice",
    "realize", "realise", "claim", "report", "ensure", "guess", "suppose", "find", "fear",
    "thought", "believed", "said", "knew", "hoped", "felt", "meant", "showed", "agreed", "noticed",
    "realized", "claimed", "reported", "found", "says", "thinks", "believes", "means", "shows",
    "knows", "hopes",
];

pub(super) fn reporting(token: &Token) -> bool {
    token.any(REPORTING)
}

/// The subject of the finite verb at `verb`, when it stands right before it and its number is sure.
pub(super) fn find(lexicon: &Lexicon, sentence: &[Token], verb: usize) -> Option<Subject> {
    let mut last = verb.checked_sub(1)?;
    while sentence[last].tagged(&[UPOS::ADV]) && !sentence[last].any(&["there", "here"])
        || sentence[last].any(&[
            "also", "still", "often", "always", "never", "usually", "really", "now",
        ])
    {
        last = last.checked_sub(1)?;
    }
    // "The secret, she says, is"
    if sentence[last].text == ","
        && last > 3
        && sentence[last - 3].text == ","
        && reporting(&sentence[last - 1])
    {
        last -= 4;
    }
    let end = &sentence[last];
    if !end.is_word || end.any(MODALS) || end.any(DO_FORMS) || end.any(&["to", "not"]) {
        return None;
    }
    if let Some(subject) = pronoun(sentence, last) {
        return subject;
    }
    if !end.tagged(&[UPOS::NOUN, UPOS::PROPN, UPOS::PRON, UPOS::NUM]) && !end.any(SINGULAR_PRONOUNS)
    {
        return None;
    }
    let mut first = last;
    while first > 0 && (in_noun_phrase(&sentence[first - 1]) || modifies(sentence, first - 1)) {
        first -= 1;
    }
    noun_phrase(lexicon, sentence, first, last)
}

/// `Some(None)`: a pronoun, but not surely the subject.
fn pronoun(sentence: &[Token], at: usize) -> Option<Option<Subject>> {
    let token = &sentence[at];
    let number = if token.is("i") || token.any(PLURAL_PRONOUNS) {
        Number::Plural
    } else if token.any(SINGULAR_PRONOUNS) {
        Number::Singular
    } else {
        return None;
    };
    let subject = Subject {
        head: token.lower.clone(),
        number,
        pronoun: true,
        certain: true,
    };
    let Some(before) = at.checked_sub(1).map(|before| &sentence[before]) else {
        return Some(Some(subject));
    };
    // "one of them are", "the rest of it": the head is further left; "each year", "you and I": not this word alone.
    // These are subjects by their form; only "you and I" says nothing of the number.
    let nominative = token.any(&["i", "we", "they", "he", "she"])
        && !before.any(&["and", "or", "nor", "than", "as", "let"])
        && !before.any(SUBJUNCTIVE)
        && !before.any(MODALS)
        && !before.any(DO_FORMS)
        && !before.any(BE_FORMS);
    let clear = nominative
        || !before.is_word
        || reporting(before)
        || before.tagged(&[UPOS::SCONJ, UPOS::ADV])
        || before.any(&[
            "that", "because", "if", "when", "while", "but", "although", "so", "what", "where",
            "how", "why", "who", "which", "as", "since", "until", "though", "unless",
        ])
        || (before.is("and")
            && (at < 2
                || !sentence[at - 2].is_word
                || sentence[at - 2].tagged(&[UPOS::VERB, UPOS::ADV, UPOS::ADJ])));
    let subjunctive = sentence[..at]
        .iter()
        .rev()
        .take(4)
        .any(|token| token.any(SUBJUNCTIVE));
    Some((clear && !(subjunctive && before.any(&["that"]))).then_some(subject))
}

const SUBJUNCTIVE: &[&str] = &[
    "suggest",
    "suggests",
    "suggested",
    "recommend",
    "recommends",
    "recommended",
    "demand",
    "demands",
    "demanded",
    "insist",
    "insists",
    "insisted",
    "require",
    "requires",
    "required",
    "ask",
    "asks",
    "asked",
    "propose",
    "proposed",
    "essential",
    "important",
    "vital",
    "necessary",
    "crucial",
    "imperative",
    "wish",
    "rather",
];

fn in_noun_phrase(token: &Token) -> bool {
    if !token.is_word && !token.is_number {
        return token.text == "-";
    }
    if token.any(&[
        "that", "which", "who", "whom", "whose", "what", "there", "when", "while", "if", "because",
        "than", "as", "like",
    ]) {
        return false;
    }
    token.is_number
        || token.any(PREPOSITIONS)
        || token.any(DETERMINERS)
        || token.any(POSSESSIVES)
        || token.any(&["and", "or", "nor"])
        || token.any(SINGULAR_PRONOUNS)
        || token.any(PLURAL_PRONOUNS)
        || token.tagged(&[UPOS::DET, UPOS::ADJ, UPOS::NUM, UPOS::NOUN, UPOS::PROPN])
        || (token.tagged(&[UPOS::PRON])
            && token.any(&["them", "us", "me", "him", "mine", "yours", "theirs", "ours"]))
}

/// A participle within a phrase: "the reading room", "a broken chair".
fn modifies(sentence: &[Token], at: usize) -> bool {
    sentence[at].tagged(&[UPOS::VERB])
        && at > 0
        && starts_phrase(&sentence[at - 1])
        && !sentence[at - 1].is("that")
        && (sentence[at].is_progressive()
            || sentence[at].can_be_noun()
            || sentence[at].lower.ends_with("ed"))
}

fn starts_phrase(token: &Token) -> bool {
    token.any(DETERMINERS) || token.any(POSSESSIVES)
}

fn noun_phrase(
    lexicon: &Lexicon,
    sentence: &[Token],
    mut first: usize,
    last: usize,
) -> Option<Subject> {
    // "In the morning the dogs": the last phrase that begins anew after a noun.
    let mut fronted = false;
    let opens = if sentence[first].any(&["and", "or", "but"]) {
        (first + 1).min(last)
    } else {
        first
    };
    for at in (first + 1..=last).rev() {
        if starts_phrase(&sentence[at]) && sentence[at - 1].tagged(&[UPOS::NOUN, UPOS::PROPN]) {
            // "the issues the book addresses is": a clause within the phrase.
            let adverbial = sentence[opens].any(PREPOSITIONS)
                || sentence[opens].any(&["every", "each", "this", "last", "next", "many"]);
            if !adverbial {
                return None;
            }
            fronted = true;
            first = at;
            break;
        }
    }
    if sentence[first].any(&["and", "or", "nor"]) {
        if first > 0 && sentence[first - 1].is_word {
            return None;
        }
        first += 1;
    }
    if first > last || sentence[first].any(PREPOSITIONS) {
        return None;
    }
    if !fronted && !clear_boundary(sentence, first) {
        return None;
    }
    let phrase = &sentence[first..=last];
    if phrase.iter().any(|token| token.any(&["or", "nor", "but"])) {
        return None;
    }
    // "Songs for a Slack Tide is": a title is one thing.
    if phrase.len() > 1
        && !starts_phrase(&phrase[0])
        && phrase[0].capitalised()
        && phrase[1..]
            .iter()
            .any(|token| token.capitalised() && !token.is("i"))
    {
        return None;
    }
    let preposition = phrase.iter().position(|token| token.any(PREPOSITIONS));
    let core = &phrase[..preposition.unwrap_or(phrase.len())];
    if let Some(joined) = core.iter().position(|token| token.is("and")) {
        return compound(core, joined, fronted);
    }
    if let [.., left, _] = core
        && left.text == "-"
    {
        return None;
    }
    let head = core.iter().rev().find(|token| {
        token.tagged(&[UPOS::NOUN, UPOS::PROPN, UPOS::PRON, UPOS::NUM])
            || token.any(SINGULAR_PRONOUNS)
    })?;
    // "Three of the dishes are", "some sixty of the signs have".
    let numeral = head.is_number
        || head.any(&[
            "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        ])
        || head.tagged(&[UPOS::NUM]) && !head.is("one");
    if numeral {
        return None;
    }
    let of = preposition.is_some_and(|at| phrase[at].is("of"));
    let quantity = core
        .last()
        .is_some_and(|token| token.any(SINGULAR_PRONOUNS) || token.any(&["every"]));
    if of
        && core
            .first()
            .is_some_and(|token| token.any(&["each", "either", "neither", "one", "every"]))
        && core.len() == 1
    {
        return Some(Subject {
            head: core[0].lower.clone(),
            number: Number::Singular,
            pronoun: false,
            certain: true,
        });
    }
    if quantity && !core.first().is_some_and(|token| token.any(DETERMINERS)) {
        return Some(Subject {
            head: head.lower.clone(),
            number: Number::Singular,
            pronoun: false,
            certain: true,
        });
    }
    if of
        && head.any(&[
            "group",
            "series",
            "set",
            "team",
            "series",
            "collection",
            "array",
            "host",
            "crowd",
            "class",
            "list",
        ])
        && !head.is("list")
    {
        return None;
    }
    if core
        .first()
        .is_some_and(|token| token.any(&["each", "every"]))
    {
        return Some(Subject {
            head: head.lower.clone(),
            number: Number::Singular,
            pronoun: false,
            certain: true,
        });
    }
    if head.tagged(&[UPOS::PROPN])
        || (head.capitalised() && head.span.start != sentence[0].span.start)
    {
        if head.lower.ends_with('s') || lexicon.number(&head.lower) == Some(Number::Plural) {
            return None;
        }
        return Some(Subject {
            head: head.lower.clone(),
            number: Number::Singular,
            pronoun: false,
            certain: false,
        });
    }
    // "A lot of maps was": after a quantity the number is that of what is counted.
    if of
        && head.any(&[
            "lot",
            "lots",
            "plenty",
            "majority",
            "most",
            "some",
            "all",
            "half",
            "rest",
            "couple",
            "number",
            "handful",
            "dozens",
            "hundreds",
            "thousands",
            "any",
        ])
        && !(head.is("number") && core[0].is("the"))
    {
        let counted = phrase
            .iter()
            .rev()
            .find(|token| token.tagged(&[UPOS::NOUN]))?;
        let prepositions = phrase
            .iter()
            .filter(|token| token.any(PREPOSITIONS))
            .count();
        let number = lexicon
            .number(&counted.lower)
            .filter(|_| prepositions == 1)?;
        return Some(Subject {
            head: counted.lower.clone(),
            number,
            pronoun: false,
            certain: number == Number::Plural,
        });
    }
    // "Ten years is a long time": a measure may be one thing.
    if head.any(&[
        "years",
        "days",
        "hours",
        "minutes",
        "weeks",
        "months",
        "dollars",
        "pounds",
        "euros",
        "miles",
        "kilometers",
        "kilometres",
        "metres",
        "meters",
        "degrees",
        "thirds",
        "quarters",
        "times",
    ]) && core
        .iter()
        .any(|token| token.tagged(&[UPOS::NUM]) || token.is_number)
    {
        return None;
    }
    let number = lexicon.number(&head.lower)?;
    let alone =
        core.len() == 1 && core[0].span.start == sentence[0].span.start && !core[0].can_be_verb();
    let certain = number == Number::Plural || starts_phrase(&core[0]) || alone;
    // "Some employee feel": the noun is at fault.
    if number == Number::Singular && core[0].any(&["some", "most", "all", "other"]) {
        return None;
    }
    // "the rich are", "the old": an adjective used as a noun is plural.
    if core[0].is("the")
        && head.any(&[
            "rich",
            "poor",
            "old",
            "young",
            "sick",
            "dead",
            "elderly",
            "unemployed",
            "blind",
            "deaf",
            "wounded",
            "homeless",
            "wealthy",
            "living",
            "innocent",
            "french",
            "british",
            "english",
            "dutch",
            "irish",
            "chinese",
            "japanese",
            "swiss",
        ])
    {
        return None;
    }
    Some(Subject {
        head: head.lower.clone(),
        number,
        pronoun: false,
        certain,
    })
}

/// Pairs that are one thing.
const ONE_THING: &[(&str, &str)] = &[
    ("bread", "butter"),
    ("trial", "error"),
    ("research", "development"),
    ("supply", "demand"),
    ("law", "order"),
    ("fish", "chips"),
    ("rock", "roll"),
    ("peace", "quiet"),
    ("wear", "tear"),
    ("food", "drink"),
    ("health", "safety"),
    ("hide", "seek"),
    ("macaroni", "cheese"),
    ("gin", "tonic"),
    ("science", "technology"),
    ("wine", "cheese"),
    ("bed", "breakfast"),
    ("drag", "drop"),
];

/// "The cat and the dog is": plural when both halves are phrases of their own.
fn compound(core: &[Token], joined: usize, fronted: bool) -> Option<Subject> {
    if fronted {
        return None;
    }
    let (left, right) = (&core[..joined], &core[joined + 1..]);
    // "Fruit and soup contain", but "Trial and error is".
    let pair = (
        left.last().map_or("", |token| token.lower.as_str()),
        right.last().map_or("", |token| token.lower.as_str()),
    );
    if left.len() == 1
        && right.len() == 1
        && left[0].tagged(&[UPOS::NOUN])
        && right[0].tagged(&[UPOS::NOUN])
        && !ONE_THING.contains(&pair)
    {
        return Some(Subject {
            head: "and".to_owned(),
            number: Number::Plural,
            pronoun: false,
            certain: true,
        });
    }
    let own = |phrase: &[Token]| {
        phrase.first().is_some_and(|token| {
            starts_phrase(token)
                || token.tagged(&[UPOS::PROPN])
                || token.any(&["he", "she", "i", "me", "him", "her", "it"])
        })
    };
    let each = left
        .first()
        .is_some_and(|token| token.any(&["each", "every", "no"]));
    (own(left) && own(right) && !each).then(|| Subject {
        head: "and".to_owned(),
        number: Number::Plural,
        pronoun: false,
        certain: true,
    })
}

/// Whether a phrase that begins at `first` begins a clause, and is not some verb's object.
fn clear_boundary(sentence: &[Token], first: usize) -> bool {
    let Some(at) = first.checked_sub(1) else {
        return true;
    };
    let before = &sentence[at];
    if !before.is_word {
        // After a comma it may be a list or an apposition; the phrase must open with a determiner or stand after a clause.
        // After a comma: a clause after an opening one, rather than a list or an apposition.
        return before.text != ","
            || starts_phrase(&sentence[first])
            || sentence[..at].iter().all(|token| token.text != ",");
    }
    if before.any(BE_FORMS) || before.any(MODALS) || before.any(DO_FORMS) {
        return false;
    }
    if before.any(&[
        "that", "because", "if", "when", "while", "but", "although", "so", "since", "until",
        "though", "unless", "where", "how", "why", "as", "than",
    ]) {
        return !(before.is("that")
            && sentence[..at]
                .iter()
                .rev()
                .take(3)
                .any(|token| token.any(SUBJUNCTIVE)));
    }
    if before.any(&["and", "or", "nor"]) {
        return at > 0 && !sentence[at - 1].is_word;
    }
    if before.tagged(&[UPOS::SCONJ])
        || before.any(&[
            "whether", "before", "after", "whenever", "wherever", "once", "nor",
        ])
    {
        return true;
    }
    if at > 0 && sentence[at - 1].is("how") {
        return true;
    }
    if before.tagged(&[UPOS::ADV]) {
        return at == 0 || before.any(&["whenever", "wherever", "once"]);
    }
    reporting(before)
        && !sentence[..at]
            .iter()
            .any(|token| token.any(&["who", "which", "that"]))
        && at.checked_sub(1).is_none_or(|at| !sentence[at].is("to"))
}
