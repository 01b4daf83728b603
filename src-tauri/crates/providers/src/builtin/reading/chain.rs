//! Finds the sentences that answer a question: one that says everything, or a chain in which each names the subject of the next.

use super::{
    expects::{Expects, Found, same},
    matching::{defines, mentions, says, strength, word_says},
    notes::{Notes, Passage, Sentence, Token},
    question::{Question, Unit},
};

/// Share of the question's weight that a chain must match.
const ENOUGH: f64 = 0.75;
/// A name or a key word counts as said from here.
pub(super) const SAID: f64 = 0.85;
/// A word counts as touched from here; below it is missing.
pub(super) const TOUCHED: f64 = 0.6;
const MAX_HOPS: usize = 4;
/// Chains that are followed at each length.
const BEAM: usize = 120;

/// What the notes say of the question.
pub(crate) struct Reading<'a> {
    pub(crate) question: Question,
    /// The sentences that answer, first to last, and the answer within the last.
    pub(crate) answer: Option<Answer<'a>>,
    /// The best that there is when nothing answers.
    pub(crate) closest: Vec<Hop<'a>>,
    /// Words of the question that `closest` does not say.
    pub(crate) missing: Vec<String>,
    /// Names and things that the closest sentences mention and the question does not: where to look next, best first.
    pub(crate) bridges: Vec<String>,
}

pub(crate) struct Answer<'a> {
    pub(crate) hops: Vec<Hop<'a>>,
    /// A date, number or name; `None` when the whole sentence answers.
    pub(crate) short: Option<String>,
}

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
    said: Vec<f64>,
    pub(super) score: f64,
}

pub(super) struct Page<'q, 'a> {
    pub(super) question: &'q Question,
    pub(super) hops: Vec<Hop<'a>>,
    passage_of: Vec<usize>,
    /// Strength of each unit in each sentence, with its passage around it.
    strength: Vec<Vec<f64>>,
    /// Whether the sentence itself says the unit.
    literal: Vec<Vec<bool>>,
}

/// Reads the notes for an answer to their question.
pub(crate) fn read(notes: &Notes) -> Reading<'_> {
    let question = Question::new(&notes.question);
    let page = Page::new(&question, &notes.passages);
    let chains = page.chains();
    let answered = chains
        .iter()
        .filter_map(|chain| Some((chain, page.accept(chain)?)))
        .reduce(|best, next| {
            let rank = |(chain, found): &(&Chain, Found)| {
                page.covered(&chain.said) - 0.03 * chain.hops.len() as f64 - found.loose
            };
            // Of equals the one that stands first in its passage.
            let earlier = next.0.hops.last() < best.0.hops.last();
            let better =
                rank(&next) > rank(&best) + 1e-9 || rank(&next) > rank(&best) - 1e-9 && earlier;
            if better { next } else { best }
        })
        .map(|(chain, found)| {
            let hops: Vec<Hop<'_>> = chain.hops.iter().map(|&at| page.hops[at]).collect();
            let last = hops.last();
            let short = match found.span {
                Some((from, to)) => last.and_then(|hop| hop.sentence.text.get(from..to)),
                None => None,
            };
            Answer {
                short: short.map(str::to_owned),
                hops,
            }
        });
    let best = chains
        .iter()
        .filter(|chain| page.is_justified(chain))
        .max_by(|one, other| one.score.total_cmp(&other.score));
    let said = best.map_or_else(
        || vec![0.0; question.units.len()],
        |chain| chain.said.clone(),
    );
    let missing = question
        .units
        .iter()
        .zip(&said)
        .filter(|(unit, said)| **said < TOUCHED && (unit.weight >= 0.4 || unit.key))
        .map(|(unit, _)| unit.text.clone())
        .collect();
    let bridges = page.bridges(&chains);
    let closest = best.map_or_else(Vec::new, |chain| {
        chain.hops.iter().map(|&at| page.hops[at]).collect()
    });
    Reading {
        question,
        answer: answered,
        closest,
        missing,
        bridges,
    }
}

/// What a unit that is said so well counts: `full`, half of it where it is only near, else nothing.
fn firmly(said: f64, full: f64) -> f64 {
    match said {
        said if said >= SAID => full,
        said if said >= TOUCHED => full / 2.0,
        _ => 0.0,
    }
}

impl<'q, 'a> Page<'q, 'a> {
    fn new(question: &'q Question, passages: &'a [Passage]) -> Self {
        let mut page = Self {
            question,
            hops: Vec::new(),
            passage_of: Vec::new(),
            strength: Vec::new(),
            literal: Vec::new(),
        };
        for (index, passage) in passages.iter().enumerate() {
            for (at, sentence) in passage.sentences.iter().enumerate() {
                page.hops.push(Hop { passage, sentence });
                page.passage_of.push(index);
                let units = question.units.iter();
                let (strengths, literals) = units
                    .map(|unit| (strength(unit, passage, at), says(unit, sentence)))
                    .unzip();
                page.strength.push(strengths);
                page.literal.push(literals);
            }
        }
        page
    }

    fn covered(&self, said: &[f64]) -> f64 {
        let total: f64 = self.question.units.iter().map(|unit| unit.weight).sum();
        let sum: f64 = self
            .question
            .units
            .iter()
            .zip(said)
            .map(|(unit, said)| unit.weight * said)
            .sum();
        if total > 0.0 { sum / total } else { 0.0 }
    }

    /// All chains worth considering: each begins at a sentence that is about a name of the question and goes on where a title is named.
    fn chains(&self) -> Vec<Chain> {
        let named = self.question.units.iter().any(|unit| unit.name);
        let mut current: Vec<Chain> = (0..self.hops.len())
            .filter(|&at| {
                self.question
                    .units
                    .iter()
                    .zip(&self.strength[at])
                    .any(|(unit, strength)| {
                        *strength >= if unit.name { SAID } else { TOUCHED } && (unit.name || !named)
                    })
            })
            .map(|at| self.chain(vec![at], self.strength[at].clone()))
            .collect();
        let mut all = Vec::new();
        for _ in 1..=MAX_HOPS {
            current.sort_by(|one, other| other.score.total_cmp(&one.score));
            current.truncate(BEAM);
            let mut longer = Vec::new();
            for chain in &current {
                longer.extend((0..self.hops.len()).filter_map(|next| self.extend(chain, next)));
            }
            all.append(&mut current);
            current = longer;
        }
        all
    }

    fn chain(&self, hops: Vec<usize>, said: Vec<f64>) -> Chain {
        // What stands elsewhere in a passage says little of the sentence.
        let firm: Vec<f64> = said.iter().map(|&said| firmly(said, said)).collect();
        let score = self.covered(&firm) - 0.04 * hops.len() as f64;
        Chain { hops, said, score }
    }

    /// `chain` with the sentence `next`, when the two are joined by a title and it adds something.
    fn extend(&self, chain: &Chain, next: usize) -> Option<Chain> {
        let last = *chain.hops.last()?;
        let passage = self.passage_of[next];
        if chain.hops.iter().any(|&at| self.passage_of[at] == passage) {
            return None;
        }
        let adds = (0..self.question.units.len()).any(|unit| {
            self.literal[next][unit] && self.strength[next][unit] >= chain.said[unit] + 0.05
        });
        let occupation = matches!(self.question.expects, Expects::Occupation);
        let (from, to) = (self.hops[last], self.hops[next]);
        let forward = mentions(from.sentence, &to.passage.title_words);
        let backward = mentions(to.sentence, &from.passage.title_words)
            && !self.question.names_all(&from.passage.title_words);
        if !(adds || occupation) || !(forward || backward) {
            return None;
        }
        let mut hops = chain.hops.clone();
        hops.push(next);
        let said = chain
            .said
            .iter()
            .zip(&self.strength[next])
            .map(|(one, other)| one.max(*other))
            .collect();
        Some(self.chain(hops, said))
    }

    /// Whether a chain answers: it says enough of the question, all of its names and, in its last sentence, what is asked, and that sentence
    /// holds something of the expected kind.
    fn accept(&self, chain: &Chain) -> Option<Found> {
        let units = &self.question.units;
        let last = *chain.hops.last()?;
        if self.covered(&chain.said) < ENOUGH {
            return None;
        }
        let unsaid = units.iter().enumerate().any(|(index, unit)| {
            unit.name && chain.said[index] < SAID || unit.key && !self.literal[last][index]
        });
        if unsaid {
            return None;
        }
        if !self.is_justified(chain) || self.described(&chain.said) < 0.5 {
            return None;
        }
        let Hop { sentence, .. } = self.hops[last];
        let keys: Vec<&Unit> = units.iter().filter(|unit| unit.key).collect();
        let asked = |word: &Token| match keys.is_empty() {
            true => units.iter().any(|unit| word_says(unit, word)),
            false => keys.iter().any(|unit| word_says(unit, word)),
        };
        let words = sentence.words.iter().enumerate();
        let mut near: Vec<usize> = words
            .filter(|(_, word)| asked(word))
            .map(|(at, _)| at)
            .collect();
        // (12 February 1899 – 25 August 1963) says when, and not where or of what.
        if let Some((born, died)) = sentence.life.filter(|_| near.is_empty()) {
            let dates = matches!(self.question.expects, Expects::Year | Expects::Time);
            if !keys.is_empty() && !dates {
                return None;
            }
            let mut forms = keys.iter().flat_map(|unit| unit.words.iter().flatten());
            let dies = forms.any(|form| form == "die" || form == "death");
            near.push(if dies { died } else { born });
        }
        let titles: Vec<&[Token]> = chain
            .hops
            .iter()
            .map(|&at| self.hops[at].passage.title_words.as_slice())
            .collect();
        self.question
            .expects
            .find(sentence, self.question, &titles, &near, &|name| {
                self.is_kind(name)
            })
    }

    /// Whether a passage about `name` says in its title or its first sentence that it is of the kind asked for.
    fn is_kind(&self, name: &[Token]) -> bool {
        let of_kind = |word: &Token| self.question.kind.contains(&word.stem);
        self.hops.iter().any(|hop| {
            let first = hop.passage.sentences.first();
            same(&hop.passage.title_words, name)
                && (hop.passage.title_words.iter().any(of_kind)
                    || first.is_some_and(|first| first.words.iter().any(of_kind)))
        })
    }

    /// How much of the subject's description is said, 0 to 1.
    fn described(&self, said: &[f64]) -> f64 {
        let (mut total, mut sum) = (0.0, 0.0);
        for (unit, said) in self.question.units.iter().zip(said) {
            if unit.inner && !unit.name && unit.weight >= 0.4 {
                total += unit.weight;
                sum += unit.weight * firmly(*said, 1.0);
            }
        }
        if total > 0.0 { sum / total } else { 1.0 }
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
            said.any(|(unit, literal)| *literal && describes(unit))
                || units
                    .iter()
                    .any(|unit| describes(unit) && defines(unit, self.hops[next].passage))
        });
        let superlatives = units
            .iter()
            .zip(&chain.said)
            .all(|(unit, said)| !(unit.inner && unit.text.ends_with("est")) || *said >= SAID);
        described && (steps.is_empty() || superlatives)
    }
}
