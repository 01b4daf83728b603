//! Where to look next: the names and words that the closest sentences mention and the question lacks.

use super::{
    chain::{Chain, Hop, Page},
    expects::{begins_sentence, gap, names, same},
    matching::word_says,
    notes::{Passage, Sentence},
};

impl Page<'_, '_> {
    /// What the best chains mention and the question does not: titles of their passages, names, and new words near what matched.
    pub(super) fn bridges(&self, chains: &[Chain]) -> Vec<String> {
        let mut ranked: Vec<&Chain> = chains
            .iter()
            .filter(|chain| self.is_justified(chain))
            .collect();
        ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
        let mut found: Vec<String> = Vec::new();
        let mut add = |text: &str| {
            if !text.is_empty() && !found.iter().any(|known| known == text) {
                found.push(text.to_owned());
            }
        };
        for chain in ranked.iter().take(4) {
            let Some(&last) = chain.hops.last() else {
                continue;
            };
            let Hop { passage, sentence } = self.hops[last];
            if !passage.title_words.is_empty()
                && !self.question.names_all(&passage.title_words)
                && chain.hops.len() == 1
            {
                add(passage.title.as_str());
            }
            for name in self.near_names(sentence, passage) {
                add(&name);
            }
        }
        found
    }

    /// Names in the sentence that the question does not have, those nearest to matched words first.
    fn near_names(&self, sentence: &Sentence, passage: &Passage) -> Vec<String> {
        let matched = self.matched(sentence);
        let mut spans: Vec<(usize, usize)> = names(&sentence.words)
            .into_iter()
            .filter(|&(from, to)| {
                let name = &sentence.words[from..to];
                !self.question.names_all(name)
                    && !begins_sentence(from, to)
                    && !same(name, &passage.title_words)
                    && !name
                        .iter()
                        .all(|word| super::lexicon::is_time_word(&word.lower))
            })
            .collect();
        let distance = |&(from, to): &(usize, usize)| {
            let near = matched.iter().map(|&at| gap(at, from, to));
            near.min().unwrap_or(usize::MAX)
        };
        spans.sort_by_key(distance);
        spans
            .into_iter()
            .map(|(from, to)| {
                sentence.text[sentence.words[from].start..sentence.words[to - 1].end].to_owned()
            })
            .collect()
    }

    /// Positions of the words that the question says, names aside where there are others.
    fn matched(&self, sentence: &Sentence) -> Vec<usize> {
        let at = |name: bool| -> Vec<usize> {
            let words = sentence.words.iter().enumerate();
            words
                .filter(|(_, word)| {
                    let mut units = self.question.units.iter();
                    units.any(|unit| unit.name == name && word_says(unit, word))
                })
                .map(|(at, _)| at)
                .collect()
        };
        let plain = at(false);
        if plain.is_empty() { at(true) } else { plain }
    }
}
