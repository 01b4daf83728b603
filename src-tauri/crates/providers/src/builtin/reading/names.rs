//! Proper names in a sentence or a question.

use loopwright_text::Word;

use super::lexicon::lists;

/// Proper names: runs of capitalised words, also joined by `of`, `the`, `for`. A sentence's first word counts unless it is a stop word.
pub(super) fn proper_names(words: &[Word]) -> Vec<(usize, usize)> {
    let proper = |at: usize| {
        words
            .get(at)
            .is_some_and(|token| token.capital && !token.is_stop())
    };
    let joins = |token: &Word| lists("joining", &token.lower) || token.capital && token.is_stop();
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
