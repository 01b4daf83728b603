//! Where to look next: the names and words that the closest sentences mention and the question lacks.

use super::{
    chain::{Chain, Hop, Page},
    expects::{begins_sentence, names},
    lexicon::is_time_word,
    notes::Sentence,
};

impl Page<'_, '_> {
    /// What the best chains mention and the question does not: the titles of their passages, and names.
    pub(super) fn bridges(&self, chains: &[Chain]) -> Vec<String> {
        let mut ranked: Vec<&Chain> = chains.iter().collect();
        ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
        let mut found: Vec<String> = Vec::new();
        for chain in ranked.iter().take(4) {
            let last = chain.hops.last().map(|&last| self.hops[last]);
            let Some(Hop { passage, sentence }) = last else {
                continue;
            };
            let new =
                !passage.title_words.is_empty() && !self.question.names_all(&passage.title_words);
            let title = (new && chain.hops.len() == 1).then(|| passage.title.clone());
            for name in title.into_iter().chain(self.new_names(sentence)) {
                if !found.contains(&name) {
                    found.push(name);
                }
            }
        }
        found
    }

    /// Names in the sentence that the question does not have.
    fn new_names<'s>(&'s self, sentence: &'s Sentence) -> impl Iterator<Item = String> + 's {
        let words = &sentence.words;
        let new = |&(from, to): &(usize, usize)| {
            let name = &words[from..to];
            let time = name.iter().all(|word| is_time_word(&word.lower));
            !self.question.names_all(name) && !begins_sentence(from, to) && !time
        };
        let spans = names(words).into_iter().filter(new);
        spans.map(|(from, to)| sentence.text[words[from].start..words[to - 1].end].to_owned())
    }
}
