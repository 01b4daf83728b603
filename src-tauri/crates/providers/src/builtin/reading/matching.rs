//! Whether and how well a sentence says a name or word of the question.

use loopwright_text::Word;

use super::{
    lexicon::lists,
    notes::{Passage, Sentence},
    question::Unit,
};

/// A word counts as touched from here; below it is missing.
pub(super) const TOUCHED: f64 = 0.6;

/// Whether `word` is one that the unit asks for.
pub(super) fn word_says(unit: &Unit, word: &Word) -> bool {
    unit.stems.contains(&word.stem) || unit.related.contains(&word.stem)
}

/// Whether the sentence itself says the unit: all words of a name, a form of a word or a related one.
pub(super) fn says(unit: &Unit, sentence: &Sentence) -> bool {
    let said = |stem| sentence.stems.contains(stem);
    unit.stems.iter().all(said) || unit.related.iter().any(said)
}

/// How well the sentence at `at` says the unit, 0 to 1: by itself, with its passage's title, or by what stands beside it.
pub(super) fn strength(unit: &Unit, passage: &Passage, at: usize) -> f64 {
    let sentence = &passage.sentences[at];
    let here = |stem| {
        let mut title = passage.title_words.iter();
        sentence.stems.contains(stem) || title.any(|word| word.stem == *stem)
    };
    let before = at.checked_sub(1).map(|at| &passage.sentences[at]);
    let mut beside = [before, passage.sentences.get(at + 1)]
        .into_iter()
        .flatten();
    if unit.stems.iter().all(here) {
        1.0
    } else if says(unit, sentence) {
        0.9
    } else if !unit.name && beside.any(|near| says(unit, near)) {
        TOUCHED
    } else {
        0.0
    }
}

/// Whether the passage's first sentence says that its subject is what the unit says: `Edda Lorne was a coppersmith`.
pub(super) fn defines(unit: &Unit, passage: &Passage) -> bool {
    passage.sentences.first().is_some_and(|first| {
        let is = first.words.iter().any(|word| lists("copulas", &word.lower));
        is && says(unit, first)
    })
}

/// Whether the sentence names the title.
pub(super) fn mentions(sentence: &Sentence, title: &[Word]) -> bool {
    let named = |run: &[Word]| {
        run.iter()
            .zip(title)
            .all(|(one, other)| one.stem == other.stem)
    };
    !title.iter().all(|word| word.is_stop()) && sentence.words.windows(title.len()).any(named)
}
