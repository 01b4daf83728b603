//! Where a sentence holds what a question asks for.

use loopwright_text::Word;

use super::{
    expects::Expects,
    lexicon::{self, Measure, Unit, lists},
    names::proper_names,
    notes::Sentence,
    question::Question,
};

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
                let (counting, others) = close_spans(numbers(words), near)
                    .into_iter()
                    .partition(counts);
                if Vec::is_empty(&counting) {
                    others
                } else {
                    counting
                }
            }
            Self::Measure(measure) => close_spans(measures(measure, words), near),
            Self::Name | Self::Place => {
                let mut found = proper_names(words);
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
fn times(words: &[Word]) -> Vec<(usize, usize)> {
    let time = |token: &Word| lexicon::is_time_word(&token.lower) || lexicon::is_year(&token.lower);
    let mut spans = runs(words, |token| {
        time(token) || token.is_number() && token.lower.len() <= 2
    });
    spans.retain(|&(from, to)| words[from..to].iter().any(time));
    spans
}

/// The spans that are not far from what is asked.
fn close_spans(mut spans: Vec<(usize, usize)>, near: &[usize]) -> Vec<(usize, usize)> {
    spans.retain(|&(from, to)| nearest(near, from, to).is_none_or(|gap| gap <= NEAR));
    spans
}

/// Numbers with a unit of the measure.
fn measures(measure: &Measure, words: &[Word]) -> Vec<(usize, usize)> {
    let spans = numbers(words).into_iter().filter_map(|(from, to)| {
        let units = words.get(to..words.len().min(to + 2)).unwrap_or_default();
        let at = units
            .iter()
            .position(|token| unit_fits(measure, &token.lower))?;
        let end = to + at + 1;
        (!measures_other(measure, words, from, end)).then_some((from, end))
    });
    spans.collect()
}

/// Whether the measure in `from..end` is said to be one of another dimension: `nine kilometres long`, `six metres in diameter`, `a depth
/// of 30 metres`. *How big* takes any.
fn measures_other(measure: &Measure, words: &[Word], from: usize, end: usize) -> bool {
    let behind = match words.get(end..) {
        Some([preposition, noun, ..]) if preposition.lower == "in" => Some(noun),
        Some([adjective, ..]) => Some(adjective),
        _ => None,
    };
    let before = match words.get(..from) {
        Some([.., noun, of]) if of.lower == "of" => Some(noun),
        _ => None,
    };
    let other = |word: &&Word| {
        let own = measure.asked.contains(&word.lower) || measure.said.contains(&word.lower);
        !own && lexicon::measure(&word.lower).is_some()
    };
    let any = measure.asked.iter().any(|asked| asked == "big");
    !any && [behind, before].iter().flatten().any(other)
}

fn unit_fits(measure: &Measure, unit: &str) -> bool {
    let found = lexicon::unit(unit);
    found.is_some_and(|unit| match measure.units.as_slice() {
        [] => unit == Unit::Time,
        units => units.contains(&unit),
    })
}

/// Whether a sentence uses the name at `from` as a place: a preposition of place comes before it, `on the south coast of Corrow`, or
/// a noun that calls it one. What a copula alone names, `the best known is …`, is a thing.
fn is_place(words: &[Word], from: usize) -> bool {
    let before = &words[..from];
    let any = |words: &[Word], list| words.iter().any(|word| lists(list, &word.lower));
    let copula = before
        .iter()
        .rposition(|word| lists("copulas", &word.lower));
    let behind = copula.map_or(0, |at| at + 1);
    any(&before[behind..], "at") || any(before, "sites")
}

/// Runs of numbers: `fifty one`, `1,120`.
fn numbers(words: &[Word]) -> Vec<(usize, usize)> {
    runs(words, |token| {
        token.is_number() || lists("numbers", &token.lower)
    })
}

fn runs(words: &[Word], holds: impl Fn(&Word) -> bool) -> Vec<(usize, usize)> {
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
fn begins_sentence(from: usize, to: usize) -> bool {
    from == 0 && to == 1
}
