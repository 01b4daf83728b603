//! Where to look next: the names and words that the closest sentences mention and the question lacks.

use super::{
    chain::{Chain, Page},
    names::proper_names,
    notes::Sentence,
};

impl Page<'_, '_> {
    /// What the best chains mention and the question does not.
    pub(super) fn bridges(&self, chains: &[Chain]) -> Vec<String> {
        let mut ranked: Vec<&Chain> = chains.iter().collect();
        ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
        let mut found: Vec<String> = Vec::new();
        for chain in ranked.iter().take(4) {
            let last = chain.hops.last().map(|&last| self.hops[last]);
            let sentence = last.map(|hop| hop.sentence);
            for name in sentence.into_iter().flat_map(|last| self.new_names(last)) {
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
        let new = |&(from, to): &(usize, usize)| !self.question.names_all(&words[from..to]);
        let spans = proper_names(words).into_iter().filter(new);
        spans.map(|(from, to)| sentence.text[words[from].start..words[to - 1].end].to_owned())
    }
}
