//! Finds the proper names in text.

use loopwright_text::Word;

use super::lexicon::lists;

/// A range of word indices. The end is exclusive.
pub(super) type Span = (usize, usize);

/// Returns the ranges of words that are proper names: sequences of capitalised words, which `of`, `the` and `for` may join. The
/// first word of a sentence is included unless it is a stop word.
pub(super) fn proper_names(words: &[Word]) -> Vec<Span> {
    let joins = |word: &Word| lists("joining", &word.lower) || word.capital && word.is_stop();
    // A comma or a bracket separates two names. The full stop after an initial does not.
    let together = |at: usize| {
        let (before, next) = (&words[at - 1], &words[at]);
        next.start - before.end <= 1 || before.end - before.start <= 2
    };
    let mut found: Vec<Span> = Vec::new();
    for (at, _) in words
        .iter()
        .enumerate()
        .filter(|(_, word)| word.capital && !word.is_stop())
    {
        match found.last_mut() {
            Some((_, end))
                if at - *end <= 2
                    && words[*end..at].iter().all(joins)
                    && (*end..=at).all(together) =>
            {
                *end = at + 1;
            }
            _ => found.push((at, at + 1)),
        }
    }
    found
}
