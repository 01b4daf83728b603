//! Finds the sentences that answer a question: one that says everything, or a chain in which each names the subject of the next.

use super::{
    expects::{Expects, Found, begins_sentence, names, same},
    lexicon::Unit as Measured,
    notes::{Notes, Passage, Sentence, Token},
    question::{Question, Unit},
};

/// Share of the question's weight that a chain must match.
const ENOUGH: f64 = 0.75;
/// A name or a key word counts as said from here.
const SAID: f64 = 0.85;
/// A name that qualifies the passage's own.
const BESIDE: f64 = 0.7;
/// A word counts as touched from here; below it is missing.
const TOUCHED: f64 = 0.6;
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
struct Chain {
    /// Indices into the flat list of sentences.
    hops: Vec<usize>,
    /// How well each unit is said so far.
    said: Vec<f64>,
    score: f64,
}

struct Page<'q, 'a> {
    question: &'q Question,
    hops: Vec<Hop<'a>>,
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
                None if found.subject => last.map(|hop| hop.passage.title.as_str()),
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
                let measures = page.measures(sentence);
                let units = question.units.iter();
                let (strengths, literals) = units
                    .map(|unit| {
                        let measured = unit.key && measures;
                        let strength = strength(unit, passage, at);
                        let strength = if measured {
                            strength.max(SAID)
                        } else {
                            strength
                        };
                        (strength, measured || says(unit, sentence))
                    })
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
                let Some(&last) = chain.hops.last() else {
                    continue;
                };
                for next in 0..self.hops.len() {
                    if let Some(longer_chain) = self.extend(chain, last, next) {
                        longer.push(longer_chain);
                    }
                }
            }
            all.append(&mut current);
            current = longer;
        }
        all
    }

    fn chain(&self, hops: Vec<usize>, said: Vec<f64>) -> Chain {
        // What stands elsewhere in a passage says little of the sentence.
        let firm: Vec<f64> = said
            .iter()
            .map(|&said| {
                if said >= SAID {
                    said
                } else if said >= TOUCHED {
                    said / 2.0
                } else {
                    0.0
                }
            })
            .collect();
        // To find the subject comes first: what is asked of it counts less.
        let (mut total, mut sum) = (0.0, 0.0);
        for (unit, firm) in self.question.units.iter().zip(&firm) {
            let weight = if unit.inner {
                unit.weight
            } else {
                0.4 * unit.weight
            };
            total += weight;
            sum += weight * firm;
        }
        let share: f64 = if total > 0.0 { sum / total } else { 0.0 };
        let score = share - 0.04 * hops.len() as f64;
        Chain { hops, said, score }
    }

    /// `chain` with the sentence `next`, when the two are joined by a title and it adds something.
    fn extend(&self, chain: &Chain, last: usize, next: usize) -> Option<Chain> {
        let here = self.passage_of[last] == self.passage_of[next];
        let used = chain.hops.iter().any(|&at| {
            at == next || self.passage_of[at] == self.passage_of[next] && !(here && at == last)
        });
        if used {
            return None;
        }
        let adds = (0..self.question.units.len()).any(|unit| {
            self.literal[next][unit] && self.strength[next][unit] >= chain.said[unit] + 0.05
        });
        let occupation = matches!(self.question.expects, Expects::Occupation);
        if !adds && !occupation {
            return None;
        }
        let (from, to) = (self.hops[last], self.hops[next]);
        let forward = mentions(from.sentence, &to.passage.title_words);
        let backward = mentions(to.sentence, &from.passage.title_words)
            && !self.question.names_all(&from.passage.title_words);
        // The windle is the national instrument … The windle has nine strings: the same subject, which the question describes.
        let about = |hop: Hop<'_>| {
            hop.sentence.refers_back || mentions(hop.sentence, &hop.passage.title_words)
        };
        let same_subject = here
            && !self.question.names_all(&from.passage.title_words)
            && !from.passage.title_words.is_empty()
            && about(from)
            && (about(to) || resumes(from.sentence, to.sentence));
        // … sits in the Mill Building. The building is 41 metres high: a thing that the question describes by that noun.
        let resumed = here
            && next == last + 1
            && resumes(from.sentence, to.sentence)
            && to.sentence.words.get(1).is_some_and(|noun| {
                let mut units = self.question.units.iter();
                units.any(|unit| unit.inner && !unit.name && word_says(unit, noun))
            });
        if here && !same_subject && !resumed || !here && !forward && !backward {
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
        for (index, unit) in units.iter().enumerate() {
            if unit.name && chain.said[index] < SAID {
                return None;
            }
            if unit.key && !self.literal[last][index] {
                return None;
            }
        }
        if !self.is_justified(chain) || self.described(&chain.said) < 0.5 {
            return None;
        }
        let Hop { sentence, .. } = self.hops[last];
        let near: Vec<usize> = sentence
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| {
                units.iter().any(|unit| {
                    (unit.key || !units.iter().any(|unit| unit.key)) && word_says(unit, word)
                })
            })
            .map(|(at, _)| at)
            .collect();
        let near = match sentence.life.filter(|_| near.is_empty()) {
            // (12 February 1899 – 25 August 1963)
            // It says when, and not where or of what.
            Some(_)
                if units.iter().any(|unit| unit.key)
                    && !matches!(self.question.expects, Expects::Year | Expects::Time) =>
            {
                return None;
            }
            Some((born, died)) => {
                let dies = units.iter().any(|unit| {
                    unit.key
                        && unit
                            .words
                            .iter()
                            .flatten()
                            .any(|form| form == "die" || form == "death")
                });
                vec![if dies { died } else { born }]
            }
            None => near,
        };
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

    /// `A vessel of 29 metres`: a length that no word calls anything else.
    fn measures(&self, sentence: &Sentence) -> bool {
        let Expects::Measure(measure) = self.question.expects else {
            return false;
        };
        let long = measure.asked.contains(&"long") && measure.units.contains(&Measured::Length);
        let words = &sentence.words;
        long && words.windows(3).any(|three| {
            three[0].lower == "of"
                && three[1].number
                && super::lexicon::unit(&three[2].lower) == Some(Measured::Length)
        })
    }

    /// How much of the subject's description is said, 0 to 1.
    fn described(&self, said: &[f64]) -> f64 {
        let (mut total, mut sum) = (0.0, 0.0);
        for (unit, said) in self.question.units.iter().zip(said) {
            if unit.inner && !unit.name && unit.weight >= 0.4 {
                total += unit.weight;
                sum += unit.weight
                    * if *said >= SAID {
                        1.0
                    } else if *said >= TOUCHED {
                        0.5
                    } else {
                        0.0
                    };
            }
        }
        if total > 0.0 { sum / total } else { 1.0 }
    }

    /// Whether each step of a chain follows a description of the question: every sentence but the last says a word of it that is no
    /// name, and superlatives (`oldest`) are said and not merely near.
    fn is_justified(&self, chain: &Chain) -> bool {
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

    /// What the best chains mention and the question does not: titles of their passages, names, and new words near what matched.
    fn bridges(&self, chains: &[Chain]) -> Vec<String> {
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
        if let Some(chain) = ranked.first()
            && let Some(&last) = chain.hops.last()
        {
            add(&self.new_words(self.hops[last].sentence));
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
            let near = matched.iter().map(|&at| {
                if at < from {
                    from - at
                } else {
                    (at + 1).saturating_sub(to) + 1
                }
            });
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

    /// Up to four words of the sentence that the question lacks: what it may be about when it names nothing.
    fn new_words(&self, sentence: &Sentence) -> String {
        let matched = self.matched(sentence);
        let mut words: Vec<(usize, &Token)> = sentence
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| {
                !word.stop
                    && !word.number
                    && word.lower.len() > 3
                    && !self.question.units.iter().any(|unit| word_says(unit, word))
            })
            .collect();
        let distance = |at: usize| {
            matched
                .iter()
                .map(|m| m.abs_diff(at))
                .min()
                .unwrap_or(usize::MAX)
        };
        words.sort_by_key(|(at, _)| distance(*at));
        words.truncate(4);
        words.sort_by_key(|(at, _)| *at);
        words
            .iter()
            .map(|(_, word)| word.lower.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Whether `word` is one that the unit asks for.
fn word_says(unit: &Unit, word: &Token) -> bool {
    unit.words.iter().any(|forms| forms.contains(&word.stem)) || unit.related.contains(&word.stem)
}

/// Whether the sentence itself says the unit: all words of a name, a form of a word or a related one.
fn says(unit: &Unit, sentence: &Sentence) -> bool {
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
fn strength(unit: &Unit, passage: &Passage, at: usize) -> f64 {
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
fn defines(unit: &Unit, passage: &Passage) -> bool {
    passage.sentences.first().is_some_and(|first| {
        let is = first
            .words
            .iter()
            .any(|word| matches!(word.lower.as_str(), "is" | "was" | "are" | "were"));
        is && says(unit, first)
    })
}

/// Whether a sentence goes on about a thing of another: `… is the trophy of the Winter Row. The trophy weighs …`.
fn resumes(from: &Sentence, to: &Sentence) -> bool {
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
fn mentions(sentence: &Sentence, title: &[Token]) -> bool {
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
