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
    /// Anything else.
    Thing,
}

/// Words between a number and what it counts.
const NEAR: usize = 8;

/// What of a sentence answers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// A byte range of its text; none where the whole sentence answers.
    pub(super) span: Option<(usize, usize)>,
    /// Words between it and what is asked.
    pub(super) distance: usize,
}

impl Expects {
    /// From the words of the question; `noun` is the one after *which*, *what* or *how many*.
    pub(super) fn of(words: &[Token], noun: Option<&str>) -> Self {
        let mut pairs = words.windows(2);
        let how = pairs
            .find(|pair| pair[0].lower == "how")
            .map(|pair| pair[1].lower.as_str());
        match how {
            Some("many" | "much" | "often") => return Self::Count,
            Some(adjective) if lexicon::measure(adjective).is_some() => {
                return lexicon::measure(adjective).map_or(Self::Thing, Self::Measure);
            }
            _ => {}
        }
        for (list, expects) in [
            ("years", Self::Year),
            ("days", Self::Time),
            ("named", Self::Name),
            ("persons", Self::Name),
        ] {
            if noun.is_some_and(|noun| lists(list, noun)) {
                return expects;
            }
        }
        let first = words.iter().find(|token| token.stop);
        match first.map(|token| token.lower.as_str()) {
            Some("who" | "whom" | "whose") => Self::Name,
            Some("when") => Self::Time,
            Some("where") => Self::Place,
            _ => Self::Thing,
        }
    }

    /// The answer within `sentence`; `None` where it holds nothing of the expected kind. `near` are the positions of the words that say what
    /// is asked.
    pub(super) fn find(
        self,
        sentence: &Sentence,
        question: &Question,
        near: &[usize],
    ) -> Option<Found> {
        let words = &sentence.words;
        let spans = match self {
            Self::Thing => return Some(Found::default()),
            Self::Year => runs(words, |token| lexicon::is_year(&token.lower)),
            Self::Time => times(words),
            Self::Count => {
                // A number that counts what is asked stands before it: nineteen arches.
                let counts =
                    |&(_, to): &(usize, usize)| near.iter().any(|at| (to..=to + 2).contains(at));
                let (counting, others) = close(numbers(words), near).into_iter().partition(counts);
                if Vec::is_empty(&counting) {
                    others
                } else {
                    counting
                }
            }
            Self::Measure(measure) => close(measures(measure, words), near),
            Self::Name | Self::Place => {
                let mut found = names(words);
                found.retain(|&(from, to)| {
                    let place = !matches!(self, Self::Place) || is_place(words, from);
                    !question.names_all(&words[from..to]) && !begins_sentence(from, to) && place
                });
                found
            }
        };
        let distance = |&(from, to): &(usize, usize)| nearest(near, from, to).unwrap_or(from);
        let (from, to) = spans.into_iter().min_by_key(distance)?;
        Some(Found {
            span: Some((words[from].start, words[to - 1].end)),
            distance: distance(&(from, to)),
        })
    }
}

/// How many words the nearest of `near` stands away from the span, those behind it a little further than those before.
fn nearest(near: &[usize], from: usize, to: usize) -> Option<usize> {
    let gap = |&at: &usize| {
        if at < from {
            from - at
        } else {
            (at + 2).saturating_sub(to) + 1
        }
    };
    near.iter().map(gap).min()
}

/// Runs of months, days and years.
fn times(words: &[Token]) -> Vec<(usize, usize)> {
    let time =
        |token: &Token| lexicon::is_time_word(&token.lower) || lexicon::is_year(&token.lower);
    let mut spans = runs(words, |token| {
        time(token) || token.number && token.lower.len() <= 2
    });
    spans.retain(|&(from, to)| words[from..to].iter().any(time));
    spans
}

/// The spans that are not far from what is asked.
fn close(mut spans: Vec<(usize, usize)>, near: &[usize]) -> Vec<(usize, usize)> {
    spans.retain(|&(from, to)| nearest(near, from, to).is_none_or(|gap| gap <= NEAR));
    spans
}

/// Numbers with a unit of the measure.
fn measures(measure: &Measure, words: &[Token]) -> Vec<(usize, usize)> {
    let spans = numbers(words).into_iter().filter_map(|(from, to)| {
        let units = words.get(to..words.len().min(to + 2)).unwrap_or_default();
        let at = units.iter().position(|token| fits(measure, &token.lower))?;
        let end = to + at + 1;
        (!measures_other(measure, words, from, end)).then_some((from, end))
    });
    spans.collect()
}

/// Whether the measure in `from..end` is said to be one of another dimension: `nine kilometres long`, `six metres in diameter`, `a depth
/// of 30 metres`. *How big* takes any.
fn measures_other(measure: &Measure, words: &[Token], from: usize, end: usize) -> bool {
    let behind = match words.get(end..) {
        Some([preposition, noun, ..]) if preposition.lower == "in" => Some(noun),
        Some([adjective, ..]) => Some(adjective),
        _ => None,
    };
    let before = match words.get(..from) {
        Some([.., noun, of]) if of.lower == "of" => Some(noun),
        _ => None,
    };
    let other = |word: &&Token| {
        let own = measure.asked.contains(&word.lower) || measure.said.contains(&word.lower);
        !own && lexicon::measure(&word.lower).is_some()
    };
    let any = measure.asked.iter().any(|asked| asked == "big");
    !any && [behind, before].iter().flatten().any(other)
}

fn fits(measure: &Measure, unit: &str) -> bool {
    let found = lexicon::unit(unit);
    found.is_some_and(|unit| match measure.units.as_slice() {
        [] => unit == Unit::Time,
        units => units.contains(&unit),
    })
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

/// Runs of numbers: `fifty one`, `1,120`.
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
    let proper = |at: usize| {
        words
            .get(at)
            .is_some_and(|token| token.capital && !token.stop)
    };
    let joins = |token: &Token| lists("joining", &token.lower) || token.capital && token.stop;
    // A comma or a bracket between them parts two names; the point of an initial does not.
    let together = |at: usize| {
        let (before, next) = (&words[at - 1], &words[at]);
        next.start - before.end <= 1 || before.end - before.start <= 2
    };
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in (0..words.len()).filter(|&at| proper(at)) {
        let last = found.last_mut().filter(|(_, end)| {
            let between = &words[(*end).min(at)..at];
            between.len() <= 2 && between.iter().all(joins) && (*end..=at).all(together)
        });
        match last {
            Some((_, end)) => *end = at + 1,
            None => found.push((at, at + 1)),
        }
    }
    found
}
