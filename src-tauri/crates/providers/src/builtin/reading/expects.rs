//! What kind of thing a question asks for, and where a sentence holds one.

use super::{
    lexicon::{self, Measure, NUMBER_WORDS, PERSONS, Unit},
    notes::{Sentence, Token},
    question::Question,
};

/// The kind of answer that a question expects, from its question word.
#[derive(Clone, Copy)]
pub(crate) enum Expects {
    /// Who: somebody's (or some body's) name.
    Name,
    /// Where, in which town.
    Place,
    /// In which year.
    Year,
    /// When, on which day.
    Time,
    /// How many.
    Count,
    /// How high, how long.
    Measure(&'static Measure),
    /// A profession: what somebody was.
    Occupation,
    /// Anything else.
    Thing,
}

/// Nouns after which *which* or *what* asks for a proper name.
#[rustfmt::skip]
const NAMED: &[&str] = &[
    "town", "city", "village", "island", "country", "river", "lake", "mountain", "county", "state", "region", "street", "port",
    "harbour", "ship", "yard", "school", "university", "college", "company", "firm", "newspaper", "film", "album", "band", "king",
    "queen", "actor", "actress", "director", "author", "writer", "engineer", "architect", "painter", "composer", "singer", "saint",
    "lighthouse", "bridge", "museum", "library", "church",
];
const OCCUPATIONS: &[&str] = &[
    "profession",
    "occupation",
    "trade",
    "job",
    "career",
    "calling",
    "living",
];

/// Attributes that are numbers.
const COUNTED: &[&str] = &[
    "population",
    "number",
    "price",
    "cost",
    "fare",
    "fee",
    "capacity",
    "circulation",
];
/// Words between a number and what it counts.
const NEAR: usize = 8;

/// Whether a question's word asks what somebody was.
pub(super) fn is_occupation(lower: &str) -> bool {
    OCCUPATIONS.contains(&lower)
}

impl Expects {
    /// From the words of the question; `noun` is the one after *which*, *what* or *how many*.
    pub(super) fn of(words: &[Token], noun: Option<&str>) -> Self {
        let has = |word: &str| words.iter().any(|token| token.lower == word);
        let after_how = words
            .windows(2)
            .find(|pair| pair[0].lower == "how")
            .map(|pair| pair[1].lower.as_str());
        match after_how {
            Some("many" | "often") => return Self::Count,
            Some("much") => {
                return words
                    .iter()
                    .find_map(|token| {
                        lexicon::measure(&token.lower).filter(|_| token.lower.starts_with("weigh"))
                    })
                    .map_or(Self::Count, Self::Measure);
            }
            Some(adjective) => {
                if let Some(measure) = lexicon::measure(adjective) {
                    return Self::Measure(measure);
                }
            }
            None => {}
        }
        match noun {
            Some("year" | "century" | "decade") => return Self::Year,
            Some("day" | "date" | "month" | "time" | "season") => return Self::Time,
            Some(noun) if OCCUPATIONS.contains(&noun) => return Self::Occupation,
            Some(noun) if NAMED.contains(&noun) || PERSONS.contains(&noun) => return Self::Name,
            _ => {}
        }
        if words
            .iter()
            .any(|token| OCCUPATIONS.contains(&token.lower.as_str()))
            && has("what")
        {
            return Self::Occupation;
        }
        // What is the height of, what is the population of.
        let attribute = words
            .iter()
            .find(|token| !token.stop)
            .filter(|token| !token.capital && has("what"));
        if let Some(attribute) = attribute {
            if COUNTED.contains(&attribute.lower.as_str()) {
                return Self::Count;
            }
            if let Some(measure) = lexicon::measure(&attribute.lower) {
                return Self::Measure(measure);
            }
        }
        let first = words
            .iter()
            .find(|token| token.stop)
            .map(|token| token.lower.as_str());
        match first {
            Some("who" | "whom" | "whose") => Self::Name,
            Some("when") => Self::Time,
            Some("where") => Self::Place,
            _ => Self::Thing,
        }
    }

    /// The answer within `sentence`: a byte range of its text. `Ok(None)` when the whole sentence may answer, `Err` when it holds nothing
    /// of the expected kind. `near` are the positions of the words that say what is asked.
    pub(super) fn find(
        self,
        sentence: &Sentence,
        question: &Question,
        titles: &[&[Token]],
        near: &[usize],
    ) -> Result<Option<(usize, usize)>, NothingOfTheKind> {
        let words = &sentence.words;
        let spans: Vec<(usize, usize)> = match self {
            Self::Thing => return Ok(None),
            // `Ilse Quandt was an engineer`: said of the last sentence's subject.
            Self::Occupation => {
                let subject = |word: &Token| {
                    matches!(word.lower.as_str(), "he" | "she" | "who")
                        || titles
                            .last()
                            .is_some_and(|title| title.iter().any(|part| part.stem == word.stem))
                };
                // What the question states itself is no answer.
                let news = |word: &Token| !question.names_all(std::slice::from_ref(word));
                let says = words.windows(4).any(|four| {
                    subject(&four[0])
                        && matches!(four[1].lower.as_str(), "was" | "is" | "became")
                        && matches!(four[2].lower.as_str(), "a" | "an")
                        && news(&four[3])
                });
                return if says {
                    Ok(None)
                } else {
                    Err(NothingOfTheKind)
                };
            }
            Self::Year => runs(words, |token| lexicon::is_year(&token.lower)),
            Self::Time => runs(words, |token| {
                lexicon::is_time_word(&token.lower)
                    || lexicon::is_year(&token.lower)
                    || is_small_number(token)
            })
            .into_iter()
            .filter(|&(from, to)| {
                words[from..to].iter().any(|token| {
                    lexicon::is_time_word(&token.lower) || lexicon::is_year(&token.lower)
                })
            })
            .collect(),
            Self::Count => numbers(words)
                .into_iter()
                .filter(|&(from, to)| {
                    near.is_empty() || near.iter().any(|&at| at + NEAR >= from && at <= to + NEAR)
                })
                .collect(),
            Self::Measure(measure) => numbers(words)
                .into_iter()
                .filter_map(|(from, to)| {
                    let units = words.get(to..words.len().min(to + 2)).unwrap_or_default();
                    let at = units.iter().position(|token| fits(measure, &token.lower))?;
                    Some((from, to + at + 1))
                })
                .collect(),
            Self::Name | Self::Place => {
                let found = names(words)
                    .into_iter()
                    .filter(|&(from, to)| {
                        let name = &words[from..to];
                        !question.names_all(name)
                            && !begins_sentence(from, to)
                            && !titles.iter().any(|title| same(title, name))
                            && !name.iter().all(|token| lexicon::is_time_word(&token.lower))
                    })
                    .collect::<Vec<_>>();
                if found.is_empty() && matches!(self, Self::Place) && says_a_place(words) {
                    return Ok(None);
                }
                found
            }
        };
        let distance = |&(from, to): &(usize, usize)| {
            near.iter()
                .map(|&at| {
                    if at < from {
                        from - at
                    } else {
                        (at + 2).saturating_sub(to) + 1
                    }
                })
                .min()
                .unwrap_or(from)
        };
        let best = spans
            .iter()
            .min_by_key(|span| distance(span))
            .ok_or(NothingOfTheKind)?;
        Ok(Some((words[best.0].start, words[best.1 - 1].end)))
    }
}

/// A sentence holds nothing of the kind that was asked for.
#[derive(Debug)]
pub(super) struct NothingOfTheKind;

fn fits(measure: &Measure, unit: &str) -> bool {
    let found = lexicon::unit(unit);
    if measure.units.is_empty() {
        return found == Some(Unit::Time);
    }
    found.is_some_and(|unit| measure.units.contains(&unit))
}

fn says_a_place(words: &[Token]) -> bool {
    words.windows(2).any(|pair| {
        matches!(
            pair[0].lower.as_str(),
            "in" | "at" | "on" | "under" | "near" | "beside" | "behind" | "inside"
        ) && matches!(
            pair[1].lower.as_str(),
            "a" | "an" | "the" | "his" | "her" | "its" | "their"
        )
    })
}

fn is_small_number(token: &Token) -> bool {
    token.number && token.lower.len() <= 2
}

fn is_number(token: &Token) -> bool {
    token.number || NUMBER_WORDS.contains(&token.lower.as_str())
}

/// Runs of numbers: `fifty one`, `1,120`; years stand for themselves.
fn numbers(words: &[Token]) -> Vec<(usize, usize)> {
    runs(words, |token| is_number(token))
}

fn runs(words: &[Token], holds: impl Fn(&Token) -> bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let start = at;
        while at < words.len() && holds(&words[at]) {
            at += 1;
        }
        if at > start {
            found.push((start, at));
        }
        at += 1;
    }
    found
}

/// A single capitalised word at the start of a sentence is a name no more often than not.
pub(super) fn begins_sentence(from: usize, to: usize) -> bool {
    from == 0 && to == 1
}

/// Words that join the parts of a name.
const JOINING: &[&str] = &[
    "of", "the", "for", "a", "de", "von", "van", "du", "la", "le",
];

/// Proper names: runs of capitalised words, also joined by `of`, `the`, `for`. A sentence's first word counts unless it is a stop word.
pub(super) fn names(words: &[Token]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let proper = |token: &Token| token.capital && !token.stop;
        if !proper(&words[at]) {
            at += 1;
            continue;
        }
        let start = at;
        let mut end = at + 1;
        loop {
            let joined = words[end..]
                .iter()
                .take(3)
                .take_while(|token| JOINING.contains(&token.lower.as_str()))
                .count();
            match words.get(end + joined) {
                Some(next) if proper(next) && joined < 3 => end += joined + 1,
                _ => break,
            }
        }
        found.push((start, end));
        at = end;
    }
    found
}

/// Whether two runs of words are the same name, articles aside.
pub(super) fn same(one: &[Token], other: &[Token]) -> bool {
    let stems = |words: &[Token]| {
        let kept = words.iter().filter(|word| !word.stop);
        kept.map(|word| word.stem.clone()).collect::<Vec<_>>()
    };
    stems(one) == stems(other)
}
