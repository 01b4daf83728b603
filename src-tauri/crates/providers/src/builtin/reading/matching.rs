//! Whether and how well a sentence says a name or word of the question.

use super::{
    chain::{SAID, TOUCHED},
    lexicon::lists,
    notes::{Passage, Sentence, Token},
    question::Unit,
};

/// Whether `word` is one that the unit asks for.
pub(super) fn word_says(unit: &Unit, word: &Token) -> bool {
    unit.words.iter().any(|forms| forms.contains(&word.stem)) || unit.related.contains(&word.stem)
}

/// Whether the sentence itself says the unit: all words of a name, a form of a word or a related one.
pub(super) fn says(unit: &Unit, sentence: &Sentence) -> bool {
    let all = unit
        .words
        .iter()
        .all(|forms| forms.iter().any(|form| sentence.stems.contains(form)));
    all || unit
        .related
        .iter()
        .any(|stem| sentence.stems.contains(stem))
}

/// How well the sentence at `at` says the unit, 0 to 1: by itself, by its passage's title, by what it refers back to, by the passage.
pub(super) fn strength(unit: &Unit, passage: &Passage, at: usize) -> f64 {
    let sentence = &passage.sentences[at];
    let has = |forms: &[String], sentence: &Sentence| {
        forms.iter().any(|form| sentence.stems.contains(form))
    };
    let in_title = |forms: &[String]| {
        let mut title = passage.title_words.iter();
        title.any(|word| forms.contains(&word.stem))
    };
    let exact = |sentence: &Sentence| unit.words.iter().all(|forms| has(forms, sentence));
    let here = |forms: &[String]| has(forms, sentence) || in_title(forms);
    let before = at.checked_sub(1).map(|at| &passage.sentences[at]);
    let after = passage.sentences.get(at + 1);
    if exact(sentence) {
        1.0
    } else if unit.words.iter().all(|forms| here(forms)) {
        0.95
    } else if says(unit, sentence) {
        0.9
    } else if sentence.refers_back && before.is_some_and(exact) {
        0.86
    } else if !unit.name && !unit.key && defines(unit, passage) {
        SAID
    } else if unit.name {
        let parts = unit.words.iter().filter(|forms| here(forms)).count();
        0.4 * parts as f64 / unit.words.len().max(1) as f64
    } else if [before, after]
        .into_iter()
        .flatten()
        .any(|near| says(unit, near))
    {
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
pub(super) fn mentions(sentence: &Sentence, title: &[Token]) -> bool {
    let named = |run: &[Token]| {
        run.iter()
            .zip(title)
            .all(|(one, other)| one.stem == other.stem)
    };
    !title.iter().all(|word| word.stop) && sentence.words.windows(title.len()).any(named)
}
