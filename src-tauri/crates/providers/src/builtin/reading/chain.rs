//! Chains of sentences in which each names the subject of the next, and whether one answers a question.

use super::{
    expects::Expects,
    found::Found,
    matching::{TOUCHED, defines, mentions, says, strength, word_says},
    notes::{Passage, Sentence},
    question::{Question, Unit},
};

/// Share of the question's weight that a chain must match.
const ENOUGH: f64 = 0.75;
/// A name or a key word counts as said from here.
const SAID: f64 = 0.85;
const MAX_HOPS: usize = 4;
/// Chains that are followed at each length.
const BEAM: usize = 120;

/// A sentence and where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Hop<'a> {
    pub(crate) passage: &'a Passage,
    pub(crate) sentence: &'a Sentence,
}

/// A chain under construction.
#[derive(Clone)]
pub(super) struct Chain {
    /// Indices into the flat list of sentences.
    pub(super) hops: Vec<usize>,
    /// How well each unit is said so far.
    pub(super) said: Vec<f64>,
    pub(super) score: f64,
}

pub(super) struct Page<'q, 'a> {
    pub(super) question: &'q Question,
    pub(super) hops: Vec<Hop<'a>>,
    /// Strength of each unit in each sentence, with its passage around it.
    strength: Vec<Vec<f64>>,
    /// Whether the sentence itself says the unit.
    literal: Vec<Vec<bool>>,
}

impl<'q, 'a> Page<'q, 'a> {
    pub(super) fn new(question: &'q Question, passages: &'a [Passage]) -> Self {
        let mut page = Self {
            question,
            hops: Vec::new(),
            strength: Vec::new(),
            literal: Vec::new(),
        };
        let units = &question.units;
        for passage in passages {
            for (at, sentence) in passage.sentences.iter().enumerate() {
                let strengths = units.iter().map(|unit| strength(unit, passage, at));
                let literal = units.iter().map(|unit| says(unit, sentence));
                page.hops.push(Hop { passage, sentence });
                page.strength.push(strengths.collect());
                page.literal.push(literal.collect());
            }
        }
        page
    }

    pub(super) fn hops(&self, chain: &Chain) -> Vec<Hop<'a>> {
        chain.hops.iter().map(|&at| self.hops[at]).collect()
    }

    /// The share of the question's weight that is said.
    fn covered(&self, said: &[f64]) -> f64 {
        let units = || self.question.units.iter();
        let total: f64 = units().map(|unit| unit.weight).sum();
        let sum: f64 = units()
            .zip(said)
            .map(|(unit, said)| unit.weight * said)
            .sum();
        if total > 0.0 { sum / total } else { 0.0 }
    }

    /// All chains worth considering: each begins at a sentence that is about a name of the question and continues where a title is named.
    pub(super) fn chains(&self) -> Vec<Chain> {
        let units = &self.question.units;
        let named = units.iter().any(|unit| unit.name);
        let begins = |at: &usize| {
            let mut strengths = units.iter().zip(&self.strength[*at]);
            strengths.any(|(unit, &strength)| match unit.name {
                true => strength >= SAID,
                false => strength >= TOUCHED && !named,
            })
        };
        let starts = (0..self.hops.len()).filter(begins);
        let mut current: Vec<Chain> = starts
            .map(|at| self.chain(vec![at], self.strength[at].clone()))
            .collect();
        let mut all = Vec::new();
        for _ in 1..=MAX_HOPS {
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

    /// `chain` with the sentence `next`, when its last sentence names the title of that and it adds something.
    fn extend(&self, chain: &Chain, next: usize) -> Option<Chain> {
        let (from, to) = (self.hops[*chain.hops.last()?], self.hops[next]);
        let again = chain
            .hops
            .iter()
            .any(|&at| std::ptr::eq(self.hops[at].passage, to.passage));
        let adds = |unit: usize| {
            self.literal[next][unit] && self.strength[next][unit] >= chain.said[unit] + 0.05
        };
        if again
            || !(0..self.question.units.len()).any(adds)
            || !mentions(from.sentence, &to.passage.title_words)
        {
            return None;
        }
        let said = chain.said.iter().zip(&self.strength[next]);
        let said = said.map(|(one, other)| one.max(*other)).collect();
        Some(self.chain([chain.hops.as_slice(), &[next]].concat(), said))
    }

    /// Whether a chain answers: it says enough of the question, all of its names and, in its last sentence, what is asked, and that sentence
    /// holds something of the expected kind.
    pub(super) fn accept(&self, chain: &Chain) -> Option<Found> {
        let units = &self.question.units;
        let last = *chain.hops.last()?;
        let unsaid = units.iter().enumerate().any(|(index, unit)| {
            unit.name && chain.said[index] < SAID || unit.key && !self.literal[last][index]
        });
        if self.covered(&chain.said) < ENOUGH || unsaid || !self.is_justified(chain) {
            return None;
        }
        let Hop { sentence, .. } = self.hops[last];
        let keys: Vec<&Unit> = units.iter().filter(|unit| unit.key).collect();
        let asked: Vec<&Unit> = units
            .iter()
            .filter(|unit| unit.key || keys.is_empty())
            .collect();
        let words = sentence.words.iter().enumerate();
        let near = words.filter(|(_, word)| asked.iter().any(|unit| word_says(unit, word)));
        let mut near: Vec<usize> = near.map(|(at, _)| at).collect();
        // (12 February 1899 – 25 August 1963) says when, and not where or of what.
        if let Some((born, died)) = sentence.life.filter(|_| near.is_empty()) {
            if !keys.is_empty() && !matches!(self.question.expects, Expects::Year | Expects::Time) {
                return None;
            }
            let dies = keys.iter().any(|unit| unit.stems == ["die"]);
            near.push(if dies { died } else { born });
        }
        self.question.expects.find(sentence, self.question, &near)
    }

    /// Whether each step of a chain follows a description of the question: every sentence but the last says a word of it that is no
    /// name, and superlatives (`oldest`) are said and not merely near.
    pub(super) fn is_justified(&self, chain: &Chain) -> bool {
        let units = &self.question.units;
        let Some((_, steps)) = chain.hops.split_last() else {
            return false;
        };
        let describes = |unit: &Unit| !unit.name && !unit.key && unit.weight >= 0.4;
        // By the sentence itself, or by what the next passage says its subject is.
        let described = steps.iter().zip(&chain.hops[1..]).all(|(&at, &next)| {
            let mut said = units.iter().zip(&self.literal[at]);
            let next = self.hops[next].passage;
            said.any(|(unit, literal)| describes(unit) && (*literal || defines(unit, next)))
        });
        let mut said = units.iter().zip(&chain.said);
        let superlatives =
            said.all(|(unit, said)| !(unit.inner && unit.text.ends_with("est")) || *said >= SAID);
        described && (steps.is_empty() || superlatives)
    }
}
