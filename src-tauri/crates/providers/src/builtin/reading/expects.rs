//! What kind of thing a question asks for, and where a sentence holds one.

use super::{
    lexicon::{self, Measure, Unit, lists},
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

/// Words between a number and what it counts.
const NEAR: usize = 8;

/// How loosely a name answers of which nothing says that it is of the kind asked for.
const UNSAID: f64 = 0.1;

impl Expects {
    /// From the words of the question; `noun` is the one after *which*, *what* or *how many*.
    pub(super) fn of(words: &[Token], noun: Option<&str>) -> Self {
        let has = |word: &str| words.iter().any(|token| token.lower == word);
        let after_how = words
            .windows(2)
            .find(|pair| pair[0].lower == "how")
            .map(|pair| pair[1].lower.as_str());
        match after_how {
            // How many days did it last: a duration.
            Some("many" | "often") if noun.and_then(lexicon::unit) == Some(Unit::Time) => {
                return lexicon::measure("old").map_or(Self::Count, Self::Measure);
            }
            Some("many" | "often") => return Self::Count,
            Some("much") => {
                let mut weighs = words.iter().filter(|word| word.lower.starts_with("weigh"));
                let measure = weighs.find_map(|word| lexicon::measure(&word.lower));
                return measure.map_or(Self::Count, Self::Measure);
            }
            adjective => {
                if let Some(measure) = adjective.and_then(lexicon::measure) {
                    return Self::Measure(measure);
                }
            }
        }
        match noun {
            Some("year" | "century" | "decade") => return Self::Year,
            Some("day" | "date" | "month" | "time" | "season") => return Self::Time,
            Some("age") => return Self::Count,
            Some(noun) if lists("occupations", noun) => return Self::Occupation,
            Some(noun) if lists("named", noun) || lists("persons", noun) => return Self::Name,
            _ => {}
        }
        if words.iter().any(|token| lists("occupations", &token.lower)) && has("what") {
            return Self::Occupation;
        }
        // What is the height of, what is the population of.
        let attribute = words
            .iter()
            .find(|token| !token.stop)
            .filter(|token| !token.capital && has("what"));
        if let Some(attribute) = attribute {
            if attribute.lower == "name" {
                return Self::Name;
            }
            if lists("counted", &attribute.lower) {
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
    /// of the expected kind. `near` are the positions of the words that say what is asked; `is_kind` tells of a name whether a passage
    /// says that it is of the kind that *which* asks for.
    pub(super) fn find(
        self,
        sentence: &Sentence,
        question: &Question,
        titles: &[&[Token]],
        near: &[usize],
        is_kind: &dyn Fn(&[Token]) -> bool,
    ) -> Option<Found> {
        let words = &sentence.words;
        let spans: Vec<(usize, usize)> = match self {
            Self::Thing => return Some(Found::default()),
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
                return says.then(Found::default);
            }
            Self::Year => runs(words, |token| lexicon::is_year(&token.lower)),
            Self::Time => {
                let time = |token: &Token| {
                    lexicon::is_time_word(&token.lower) || lexicon::is_year(&token.lower)
                };
                let mut spans = runs(words, |token| {
                    time(token) || token.number && token.lower.len() <= 2
                });
                spans.retain(|&(from, to)| words[from..to].iter().any(time));
                spans
            }
            Self::Count => return count(words, question, near),
            Self::Measure(measure) => numbers(words)
                .into_iter()
                .filter(|&(from, to)| {
                    near.is_empty() || near.iter().any(|&at| at + NEAR >= from && at <= to + NEAR)
                })
                .filter_map(|(from, to)| {
                    let units = words.get(to..words.len().min(to + 2)).unwrap_or_default();
                    let at = units.iter().position(|token| fits(measure, &token.lower))?;
                    let end = to + at + 1;
                    (!measures_other(measure, words, from, end)).then_some((from, end))
                })
                .collect(),
            Self::Name | Self::Place => {
                // A single article may be about the answer: grown on Malta, says the one on Malta.
                let is_title = |from: usize, name: &[Token]| {
                    let about = titles.iter().any(|title| same(title, name));
                    about && (titles.len() > 1 || !stands_at(words, from))
                };
                let mut found = names(words);
                found.retain(|&(from, to)| {
                    let name = &words[from..to];
                    !question.names_all(name)
                        && !begins_sentence(from, to)
                        && !is_title(from, name)
                        && (!matches!(self, Self::Place) || is_place(words, from))
                        && !name.iter().all(|token| lexicon::is_time_word(&token.lower))
                });
                found
            }
        };
        let distance = |&(from, to): &(usize, usize)| {
            near.iter()
                .map(|&at| gap(at, from, to))
                .min()
                .unwrap_or(from)
        };
        // Which island: rather a name that something calls an island.
        let unsaid = |&(from, to): &(usize, usize)| {
            matches!(self, Self::Name)
                && !question.kind.is_empty()
                && !(is_called(words, from, to, &question.kind) || is_kind(&words[from..to]))
        };
        let best = spans
            .iter()
            .min_by_key(|span| (unsaid(span), distance(span)))?;
        Some(Found {
            span: Some((words[best.0].start, words[best.1 - 1].end)),
            loose: if unsaid(best) { UNSAID } else { 0.0 },
        })
    }
}

/// What of a sentence answers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// A byte range of its text; none where the whole sentence answers.
    pub(super) span: Option<(usize, usize)>,
    /// How loosely it fits, from 0.
    pub(super) loose: f64,
}

/// How many words a word stands away from the span `from..to`, those behind it a little further than those before.
pub(super) fn gap(at: usize, from: usize, to: usize) -> usize {
    if at < from {
        from - at
    } else {
        (at + 2).saturating_sub(to) + 1
    }
}

/// The number that counts what is asked: right before it (`nineteen arches`), else near it (`a population of 5,200`). A number of the
/// question, or a year that stands by itself, counts nothing.
fn count(words: &[Token], question: &Question, near: &[usize]) -> Option<Found> {
    let often = near.is_empty();
    let candidates = numbers(words).into_iter().filter_map(|(from, to)| {
        let before = near.iter().filter(|&&at| at >= to).map(|&at| at - to).min();
        let counts = before.is_some_and(|gap| gap <= 2);
        let digits = words[from..to].iter().all(|word| word.number);
        let stated = question.names_all(&words[from..to]) && digits;
        let vague = lists("vague", &words[from].lower) && to == from + 1;
        let year = lexicon::is_year(&words[from].lower)
            && to == from + 1
            && from > 0
            && words[from - 1].stop;
        // One for every two inhabitants; nearly twenty for each resident.
        let ratio = from > 0 && matches!(words[from - 1].lower.as_str(), "every" | "each")
            || words.get(to..to + 2).is_some_and(|next| {
                next[0].lower == "for" && matches!(next[1].lower.as_str(), "every" | "each")
            });
        if ratio || stated || !counts && (vague || year) {
            return None;
        }
        let gap = near.iter().map(|&at| gap(at, from, to)).min();
        let loose = if counts {
            0.0
        } else if often {
            0.05
        } else {
            gap.filter(|&gap| gap <= NEAR)
                .map(|gap| 0.02 * gap as f64)?
        };
        Some(Found {
            span: Some((words[from].start, words[to - 1].end)),
            loose,
        })
    });
    candidates.min_by(|one, other| one.loose.total_cmp(&other.loose))
}

/// Whether the measure in `from..end` is said to be one of another dimension: `nine kilometres long`, `six metres in diameter`, `a depth
/// of 30 metres`. *How big* takes any.
fn measures_other(measure: &Measure, words: &[Token], from: usize, end: usize) -> bool {
    if measure.asked.iter().any(|asked| asked == "big") {
        return false;
    }
    let behind = match words.get(end..) {
        Some([preposition, noun, ..]) if preposition.lower == "in" => Some(noun),
        Some([adjective, ..]) => Some(adjective),
        _ => None,
    };
    let before = match words.get(..from) {
        Some([.., noun, of]) if of.lower == "of" => Some(noun),
        _ => None,
    };
    let other = |word: &Token| {
        let own = measure.asked.contains(&word.lower) || measure.said.contains(&word.lower);
        !own && lexicon::measure(&word.lower).is_some()
    };
    behind.is_some_and(other) || before.is_some_and(other)
}

fn fits(measure: &Measure, unit: &str) -> bool {
    let found = lexicon::unit(unit);
    found.is_some_and(|unit| match measure.units.as_slice() {
        [] => unit == Unit::Time,
        units => units.contains(&unit),
    })
}

/// Whether the sentence calls the name so: in the name (`Leeds College`), before it (`the brig Swift`, `the island of Malta`) or
/// behind it (`Gozo, an island`).
fn is_called(words: &[Token], from: usize, to: usize, kind: &[String]) -> bool {
    let start = from.saturating_sub(3);
    let end = words.len().min(to + 3);
    let mut calls = words[start..end].iter();
    calls.any(|word| kind.contains(&word.stem))
}

/// Whether a preposition of place stands right before the word, an article aside.
fn stands_at(words: &[Token], from: usize) -> bool {
    match words.get(..from) {
        Some([.., at, article]) if article.lower == "the" => lists("at", &at.lower),
        Some([.., at]) => lists("at", &at.lower),
        _ => false,
    }
}

/// Whether a sentence uses the name at `from` as a place: a preposition of place comes before it, `on the south coast of Corrow`, or
/// a noun that calls it one. What a copula alone names, `the best known is …`, is a thing.
fn is_place(words: &[Token], from: usize) -> bool {
    let before = &words[..from];
    let any = |words: &[Token], list| words.iter().any(|word| lists(list, &word.lower));
    let copula = before
        .iter()
        .rposition(|word| lists("copulas", &word.lower));
    let behind = copula.map_or(0, |at| at + 1);
    any(&before[behind..], "at") || any(before, "sites")
}

/// Runs of numbers: `fifty one`, `1,120`; years stand for themselves.
fn numbers(words: &[Token]) -> Vec<(usize, usize)> {
    runs(words, |token| {
        token.number || lists("numbers", &token.lower)
    })
}

fn runs(words: &[Token], holds: impl Fn(&Token) -> bool) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in (0..words.len()).filter(|&at| holds(&words[at])) {
        match found.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            _ => found.push((at, at + 1)),
        }
    }
    found
}

/// A single capitalised word at the start of a sentence is a name no more often than not.
pub(super) fn begins_sentence(from: usize, to: usize) -> bool {
    from == 0 && to == 1
}

/// Proper names: runs of capitalised words, also joined by `of`, `the`, `for`. A sentence's first word counts unless it is a stop word.
pub(super) fn names(words: &[Token]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    let proper = |token: &Token| token.capital && !token.stop;
    // A comma or a bracket between them parts two names; the point of an initial does not.
    let together = |before: &Token, next: &Token| {
        next.start - before.end <= 1 || before.end - before.start <= 2
    };
    let joins = |token: &Token| lists("joining", &token.lower) || token.capital && token.stop;
    while at < words.len() {
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
                .take_while(|token| joins(token))
                .count();
            let next = end + joined;
            let close = (end..=next).all(|at| {
                words
                    .get(at)
                    .is_some_and(|token| together(&words[at - 1], token))
            });
            if joined > 2 || !close || !proper(&words[next]) {
                break;
            }
            end = next + 1;
        }
        // The Peat Strike of 1911.
        if matches!(words.get(end..), Some([of, year, ..]) if of.lower == "of" && year.number) {
            end += 2;
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
