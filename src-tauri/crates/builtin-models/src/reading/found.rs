//! Finds the answer to a question within a sentence.

use loopwright_text::Word;

use super::{
    lexicon::{self, Measure, lists},
    names::{Span, proper_names},
    notes::Sentence,
    question::{Expects, Question},
};

/// The maximum number of words between a number and the thing that it counts.
const NEAR: usize = 8;

/// The part of a sentence that answers a question.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// The byte range in the sentence, or `None` if the whole sentence is the answer.
    pub(super) span: Option<(usize, usize)>,
    /// The distance, in words, between the answer and the nearest word that the question asks about.
    pub(super) distance: usize,
}

/// Returns the answer within `sentence`, or `None` if the sentence contains nothing of the expected kind. `near` contains
/// the positions of the words that the question asks about.
pub(super) fn find(question: &Question, sentence: &Sentence, near: &[usize]) -> Option<Found> {
    let words = &sentence.words;
    let mut spans = match question.expects {
        Expects::Thing => return Some(Found::default()),
        Expects::Year => runs(words, |word| lexicon::is_year(&word.lower)),
        Expects::Time => times(words),
        Expects::Count => numbers(words),
        Expects::Measure(measure) => measures(measure, words),
        Expects::Name | Expects::Place => proper_names(words),
    };
    spans.retain(|&(from, to)| match question.expects {
        Expects::Count | Expects::Measure(_) => {
            nearest(near, from, to).is_none_or(|gap| gap <= NEAR)
        }
        Expects::Name | Expects::Place => {
            // A single capitalised word at the start of a sentence is rarely a name, so it is not accepted as an answer.
            let begins = (from, to) == (0, 1);
            let place = matches!(question.expects, Expects::Name) || is_place(words, from);
            !question.names_all(&words[from..to]) && !begins && place
        }
        _ => true,
    });
    // A count precedes the thing that it counts: nineteen arches.
    let counts = |&(_, to): &Span| near.iter().any(|at| (to..=to + 2).contains(at));
    if matches!(question.expects, Expects::Count) && spans.iter().any(counts) {
        spans.retain(counts);
    }
    let distance = |&(from, to): &Span| nearest(near, from, to).unwrap_or(from);
    let (from, to) = spans.into_iter().min_by_key(distance)?;
    Some(Found {
        span: Some((words[from].start, words[to - 1].end)),
        distance: distance(&(from, to)),
    })
}

/// Returns the distance in words from the span to the nearest position in `near`. Words after the span count as slightly
/// farther than those before it. Returns `None` if `near` is empty.
fn nearest(near: &[usize], from: usize, to: usize) -> Option<usize> {
    let gap = |&at: &usize| match from.checked_sub(at) {
        Some(gap) if gap > 0 => gap,
        _ => (at + 2).saturating_sub(to) + 1,
    };
    near.iter().map(gap).min()
}

/// Returns the ranges of words that form dates or times: sequences of months, days and years.
fn times(words: &[Word]) -> Vec<Span> {
    let time = |word: &Word| lists("times", &word.lower) || lexicon::is_year(&word.lower);
    let day = |word: &Word| word.is_number() && word.lower.len() <= 2;
    let mut spans = runs(words, |word| time(word) || day(word));
    spans.retain(|&(from, to)| words[from..to].iter().any(time));
    spans
}

/// Returns the ranges of words that are a number followed by a unit of the measure.
fn measures(measure: Measure, words: &[Word]) -> Vec<Span> {
    let spans = numbers(words).into_iter().filter_map(|(from, to)| {
        let mut behind = (to..words.len()).take(2);
        let end = behind.find(|&at| measure.has_unit(&words[at].lower))? + 1;
        (!measures_other(measure, words, from, end)).then_some((from, end))
    });
    spans.collect()
}

/// Returns whether the measure in `from..end` has a dimension other than the one asked for, as in `nine kilometres long`,
/// `six metres in diameter` or `a depth of 30 metres`. *How big* accepts any dimension.
fn measures_other(measure: Measure, words: &[Word], from: usize, end: usize) -> bool {
    let behind = match &words[end..] {
        [preposition, noun, ..] if preposition.lower == "in" => Some(noun),
        behind => behind.first(),
    };
    let before = match &words[..from] {
        [.., noun, of] if of.lower == "of" => Some(noun),
        _ => None,
    };
    let own = |word: &Word| measure.words().any(|own| own == word.lower || own == "big");
    let mut beside = [behind, before].into_iter().flatten();
    beside.any(|word| !own(word) && Measure::new(&word.lower).is_some())
}

/// Returns whether a sentence uses the name at `from` as a place: after a preposition of place, as in `on the south coast of
/// Corrow`, or after a noun for places. A name that follows only a copula, as in `the best known is …`, is not a place.
fn is_place(words: &[Word], from: usize) -> bool {
    let before = &words[..from];
    let any = |words: &[Word], list| words.iter().any(|word| lists(list, &word.lower));
    let mut clauses = before.rsplit(|word| lists("copulas", &word.lower));
    any(clauses.next().unwrap_or_default(), "at") || any(before, "sites")
}

/// Returns the ranges of words that form numbers: sequences of number words and digits, such as `fifty one` or `1,120`.
fn numbers(words: &[Word]) -> Vec<Span> {
    runs(words, |word| {
        word.is_number() || lists("numbers", &word.lower)
    })
}

fn runs(words: &[Word], holds: impl Fn(&Word) -> bool) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    for at in (0..words.len()).filter(|&at| holds(&words[at])) {
        match found.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            _ => found.push((at, at + 1)),
        }
    }
    found
}
