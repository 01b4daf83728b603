//! Whether and how well a sentence says a name or word of the question.

use super::{
    chain::{SAID, TOUCHED},
    notes::{Passage, Sentence, Token},
    question::Unit,
};

/// A name that qualifies the passage's own.
const BESIDE: f64 = 0.7;

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
    let in_title = |stem: &String| passage.title_words.iter().any(|word| word.stem == *stem);
    let exact = |sentence: &Sentence| {
        unit.words
            .iter()
            .all(|forms| forms.iter().any(|form| sentence.stems.contains(form)))
    };
    if exact(sentence) {
        return 1.0;
    }
    let with_title = unit.words.iter().all(|forms| {
        forms
            .iter()
            .any(|form| sentence.stems.contains(form) || in_title(form))
    });
    if with_title {
        return if unit.name && !is_subject(unit, passage) {
            BESIDE
        } else {
            0.95
        };
    }
    if unit
        .related
        .iter()
        .any(|stem| sentence.stems.contains(stem))
    {
        return 0.9;
    }
    let before = at.checked_sub(1).map(|at| &passage.sentences[at]);
    let after = passage.sentences.get(at + 1);
    let resumes = |name: &Unit| {
        // The Pharos Building … The building is 41 metres high.
        let last = name.words.last();
        let starts = matches!(sentence.words.as_slice(), [the, noun, ..] if the.lower == "the"
            && last.is_some_and(|forms| forms.contains(&noun.stem)));
        name.name && starts
    };
    if before.is_some_and(|before| exact(before) && (sentence.refers_back || resumes(unit))) {
        return 0.86;
    }
    // A compound says its parts: notes, notebooks.
    let compound = |stem: &String| {
        let mut words = sentence.stems.iter();
        stem.len() >= 4
            && words.any(|word| word.len() > stem.len() + 2 && word.starts_with(stem.as_str()))
    };
    if !unit.key
        && !unit.name
        && unit
            .words
            .iter()
            .all(|forms| forms.iter().take(1).any(compound))
    {
        return SAID;
    }
    if !unit.name && !unit.key && defines(unit, passage) {
        return SAID;
    }
    let elsewhere = passage.sentences.iter().any(|other| says(unit, other));
    if unit.name {
        let parts = unit.words.iter().filter(|forms| {
            forms
                .iter()
                .any(|form| sentence.stems.contains(form) || in_title(form))
        });
        let share = parts.count() as f64 / unit.words.len().max(1) as f64;
        return if elsewhere { 0.5 } else { 0.4 * share };
    }
    if [before, after]
        .into_iter()
        .flatten()
        .any(|near| says(unit, near))
    {
        return TOUCHED;
    }
    if elsewhere { 0.45 } else { 0.0 }
}

/// Whether the passage's first sentence says that its subject is what the unit says: `Edda Lorne was a coppersmith`.
pub(super) fn defines(unit: &Unit, passage: &Passage) -> bool {
    passage.sentences.first().is_some_and(|first| {
        let is = first
            .words
            .iter()
            .any(|word| matches!(word.lower.as_str(), "is" | "was" | "are" | "were"));
        is && says(unit, first)
    })
}

/// Whether a sentence goes on about a thing of another: `… is the trophy of the Winter Row. The trophy weighs …`.
pub(super) fn resumes(from: &Sentence, to: &Sentence) -> bool {
    matches!(to.words.as_slice(), [the, noun, ..] if the.lower == "the" && !noun.stop && from.stems.contains(&noun.stem))
}

/// Whether a title that holds the unit's name is about it: the whole title (`Lake Ennory`) or its end after `of` (`The Wreck of the
/// Calloway`), and not a name that qualifies another (`The Lindle Reading Room`).
fn is_subject(unit: &Unit, passage: &Passage) -> bool {
    let title = &passage.title_words;
    let of_unit = |word: &Token| unit.words.iter().any(|forms| forms.contains(&word.stem));
    let whole = title.iter().filter(|word| !word.stop).all(of_unit);
    let behind_of = title.iter().rposition(|word| word.lower == "of");
    whole
        || behind_of.is_some_and(|at| {
            title[at + 1..]
                .iter()
                .filter(|word| !word.stop)
                .all(of_unit)
        })
}

/// Whether the sentence names the title, and not a longer name that begins with it (`Thale Geothermal Works`).
pub(super) fn mentions(sentence: &Sentence, title: &[Token]) -> bool {
    let wanted = title.len();
    if wanted == 0 || title.iter().all(|word| word.stop) {
        return false;
    }
    let words = &sentence.words;
    (0..(words.len() + 1).saturating_sub(wanted)).any(|at| {
        let here = words[at..at + wanted]
            .iter()
            .zip(title)
            .all(|(one, other)| one.stem == other.stem);
        let longer = words.get(at + wanted).is_some_and(|next| {
            let last = &words[at + wanted - 1];
            last.capital && next.capital && !next.stop && next.start - last.end <= 1
        });
        here && !longer
    })
}
