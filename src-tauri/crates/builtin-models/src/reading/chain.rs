//! Builds chains of sentences, and checks whether a chain answers a question. In a chain, each sentence names the subject of
//! the next one.

use loopwright_text::Word;

use super::{
    found::{Found, find},
    lexicon::lists,
    names::proper_names,
    notes::{Passage, Sentence},
    question::{Expects, Question, Unit},
};

/// The minimum share of the question's weight that a chain must match to answer it.
const ENOUGH: f64 = 0.75;
/// The minimum strength at which a name or a key word counts as matched.
const SAID: f64 = 0.85;
/// The minimum strength at which a word counts as mentioned. A word that is matched more weakly counts as missing.
pub(super) const TOUCHED: f64 = 0.6;
const MAX_HOPS: usize = 4;
/// The number of chains kept at each length.
const BEAM: usize = 120;

/// A sentence, its passage, and the parts of the question that it matches.
#[derive(Clone)]
pub(crate) struct Hop<'a> {
    pub(crate) passage: &'a Passage,
    pub(crate) sentence: &'a Sentence,
    /// How strongly the sentence, including its surroundings in the passage, matches each unit of the question.
    strength: Vec<f64>,
    /// Whether the sentence itself contains each unit.
    literal: Vec<bool>,
}

/// A chain under construction.
#[derive(Clone)]
pub(super) struct Chain {
    /// Indices into the flat list of sentences.
    pub(super) hops: Vec<usize>,
    /// For each unit of the question, the strength of its best match by a sentence of the chain.
    pub(super) said: Vec<f64>,
    pub(super) score: f64,
}

pub(super) struct Page<'q, 'a> {
    question: &'q Question,
    hops: Vec<Hop<'a>>,
}

/// Returns whether the sentence itself contains the unit: all words of a name, a form of a word, or a related word.
fn says(unit: &Unit, sentence: &Sentence) -> bool {
    let said = |stem| sentence.stems.contains(stem);
    unit.stems.iter().all(said) || unit.related.iter().any(said)
}

/// Returns how strongly the sentence at `at` matches the unit, from 0 to 1: by itself, with its passage's title, or with the
/// sentences next to it.
fn strength(unit: &Unit, passage: &Passage, at: usize) -> f64 {
    let sentence = &passage.sentences[at];
    let titled = |stem: &String| passage.title_words.iter().any(|word| word.stem == *stem);
    let mut stems = unit.stems.iter();
    let around = at.saturating_sub(1)..(at + 2).min(passage.sentences.len());
    let mut around = passage.sentences[around].iter();
    if stems.all(|stem| sentence.stems.contains(stem) || titled(stem)) {
        1.0
    } else if says(unit, sentence) {
        0.9
    } else if !unit.name && around.any(|near| says(unit, near)) {
        TOUCHED
    } else {
        0.0
    }
}

impl<'q, 'a> Page<'q, 'a> {
    pub(super) fn new(question: &'q Question, passages: &'a [Passage]) -> Self {
        let units = &question.units;
        let hops = passages.iter().flat_map(|passage| {
            let sentences = passage.sentences.iter().enumerate();
            sentences.map(move |(at, sentence)| Hop {
                passage,
                sentence,
                strength: units
                    .iter()
                    .map(|unit| strength(unit, passage, at))
                    .collect(),
                literal: units.iter().map(|unit| says(unit, sentence)).collect(),
            })
        });
        let hops = hops.collect();
        Self { question, hops }
    }

    pub(super) fn hops(&self, chain: &Chain) -> Vec<Hop<'a>> {
        chain.hops.iter().map(|&at| self.hops[at].clone()).collect()
    }

    /// Returns the share of the question's weight that is matched, from 0 to 1. `said` contains the strength of the match
    /// for each unit.
    fn covered(&self, said: &[f64]) -> f64 {
        let weights = self.question.units.iter().map(|unit| unit.weight);
        let sum: f64 = weights
            .clone()
            .zip(said)
            .map(|(weight, said)| weight * said)
            .sum();
        sum / weights.sum::<f64>().max(f64::EPSILON)
    }

    /// Returns all chains worth considering. Each begins with a sentence about a name in the question, or about any of its
    /// words if it has no name. Each further sentence is in a passage whose title the previous sentence names.
    pub(super) fn chains(&self) -> Vec<Chain> {
        let units = &self.question.units;
        let named = units.iter().any(|unit| unit.name);
        let enough = if named { SAID } else { TOUCHED };
        let begins = |at: &usize| {
            let mut strengths = units.iter().zip(&self.hops[*at].strength);
            strengths.any(|(unit, &strength)| unit.name == named && strength >= enough)
        };
        let starts = (0..self.hops.len()).filter(begins);
        let mut current: Vec<Chain> = starts
            .map(|at| self.chain(vec![at], self.hops[at].strength.clone()))
            .collect();
        let mut all = Vec::new();
        for _ in 0..MAX_HOPS {
            current.sort_by(|one, other| other.score.total_cmp(&one.score));
            current.truncate(BEAM);
            let longer = current
                .iter()
                .flat_map(|chain| (0..self.hops.len()).filter_map(|next| self.extend(chain, next)));
            let longer = longer.collect();
            all.append(&mut current);
            current = longer;
        }
        all
    }

    fn chain(&self, hops: Vec<usize>, said: Vec<f64>) -> Chain {
        let score = self.covered(&said) - 0.04 * hops.len() as f64;
        Chain { hops, said, score }
    }

    /// Extends `chain` by the sentence `next`. Returns `None` unless three conditions hold: the chain's last sentence names
    /// the title of the passage of `next`, the chain has no sentence of that passage, and `next` matches something new.
    fn extend(&self, chain: &Chain, next: usize) -> Option<Chain> {
        let (from, to) = (&self.hops[*chain.hops.last()?], &self.hops[next]);
        let again = |&at: &usize| std::ptr::eq(self.hops[at].passage, to.passage);
        let adds = |unit: usize| to.literal[unit] && to.strength[unit] >= chain.said[unit] + 0.05;
        if chain.hops.iter().any(again)
            || !(0..self.question.units.len()).any(adds)
            || !to.passage.is_named_in(from.sentence)
        {
            return None;
        }
        let said = chain.said.iter().zip(&to.strength);
        let said = said.map(|(one, other)| one.max(*other)).collect();
        Some(self.chain([chain.hops.as_slice(), &[next]].concat(), said))
    }

    /// Returns the answer of a chain, or `None` if the chain does not answer the question. The chain must match enough of
    /// the question and all of its names. Its last sentence must contain the key word and an answer of the expected kind.
    pub(super) fn accept(&self, chain: &Chain) -> Option<Found> {
        let units = &self.question.units;
        let Hop {
            sentence, literal, ..
        } = &self.hops[*chain.hops.last()?];
        let unsaid = units.iter().enumerate().any(|(index, unit)| {
            unit.name && chain.said[index] < SAID || unit.key && !literal[index]
        });
        if self.covered(&chain.said) < ENOUGH || unsaid || !self.is_justified(chain) {
            return None;
        }
        let key = units.iter().find(|unit| unit.key);
        let asked = |word: &Word| {
            let mut asked = units.iter().filter(|unit| unit.key || key.is_none());
            asked.any(|unit| {
                [&unit.stems, &unit.related]
                    .iter()
                    .any(|stems| stems.contains(&word.stem))
            })
        };
        let words = sentence.words.iter().enumerate();
        let near = words.filter(|(_, word)| asked(word));
        let mut near: Vec<usize> = near.map(|(at, _)| at).collect();
        // `(12 February 1899 – 25 August 1963)` answers when, but not where or of what.
        if let Some((born, died)) = sentence.life.filter(|_| near.is_empty()) {
            if key.is_some() && !matches!(self.question.expects, Expects::Year | Expects::Time) {
                return None;
            }
            let dies = key.is_some_and(|key| key.stems == ["die"]);
            near.push(if dies { died } else { born });
        }
        find(self.question, sentence, &near)
    }

    /// Returns whether a description in the question leads from each sentence of the chain to the next. For each sentence
    /// except the last, the sentence itself or the definition in the next passage must contain a descriptive word. In a chain
    /// of several sentences, every superlative (`oldest`) must be matched by one of the sentences itself, not only by a word
    /// nearby.
    fn is_justified(&self, chain: &Chain) -> bool {
        let units = || self.question.units.iter();
        let steps = || {
            chain
                .hops
                .windows(2)
                .map(|pair| (&self.hops[pair[0]], self.hops[pair[1]].passage))
        };
        let described = steps().all(|(hop, next)| {
            units().zip(&hop.literal).any(|(unit, literal)| {
                let describes = !unit.name && !unit.key && unit.weight >= 0.4;
                describes && (*literal || defines(unit, next))
            })
        });
        let superlatives = units()
            .zip(&chain.said)
            .all(|(unit, said)| !(unit.inner && unit.text.ends_with("est")) || *said >= SAID);
        described && (chain.hops.len() == 1 || superlatives)
    }

    /// Returns the names to search for next: those that occur in the last sentences of the best chains but not in the
    /// question.
    pub(super) fn bridges(&self, chains: &[Chain]) -> Vec<String> {
        let mut ranked: Vec<&Chain> = chains.iter().collect();
        ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
        let mut found: Vec<String> = Vec::new();
        for last in ranked.iter().take(4).filter_map(|chain| chain.hops.last()) {
            let Sentence { text, words, .. } = self.hops[*last].sentence;
            for (from, to) in proper_names(words) {
                let name = text[words[from].start..words[to - 1].end].to_owned();
                if !self.question.names_all(&words[from..to]) && !found.contains(&name) {
                    found.push(name);
                }
            }
        }
        found
    }
}

/// Returns whether the passage's first sentence uses the unit to define its subject: `Edda Lorne was a coppersmith`.
fn defines(unit: &Unit, passage: &Passage) -> bool {
    passage.sentences.first().is_some_and(|first| {
        let is = first.words.iter().any(|word| lists("copulas", &word.lower));
        is && says(unit, first)
    })
}
